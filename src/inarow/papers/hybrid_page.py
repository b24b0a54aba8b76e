"""The documentation page of the hybrid paper, written from stored results.

The words are here; every number that the results hold is read from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inarow.papers import hybrid_readings
from inarow.papers.hybrid import (
    GAMES,
    MOST_GAMES,
    PAPER_RUNS,
    STOP_GAMES,
    TEST_GAMES,
    TITLE,
)
from inarow.papers.hybrid_page_figures import figure_sections, played
from inarow.papers.hybrid_page_words import differences, slips
from inarow.papers.hybrid_report import (
    Exactly,
    exact_table,
    exactly,
    game_tables,
    match_words,
    number,
)
from inarow.papers.hybrid_verdicts import (
    JUDGED,
    METRICS,
    SECONDS_REASON,
    Row,
    judged_rows,
    rows,
)
from inarow.papers.page import Code, Numbered, Page, Part, Section, Table, list_text
from inarow.papers.results import DIFFERS, Results


def page(results: Results, readings: Results | None = None, figures: str = "figures") -> Page:
    """The whole page; `figures` is the folder of the figures, seen from it."""
    results = hybrid_readings.with_readings(results, readings)
    return Page(
        f"Hybrid: “{TITLE}”",
        (
            "Applied Sciences 2022, 12, 2854. `src/inarow/papers/hybrid.py` runs it, "
            "`src/inarow/learn/td.py` is the agent, and the trainers are rule players.",
        ),
        (
            _paper_section(),
            _run_section(results, readings),
            *_table_sections(results),
            _exact_section(results),
            *figure_sections(results, figures),
            *_reading_sections(readings),
            Section("Differences", (Numbered(differences()),)),
            Section("Slips found in the paper", (Numbered(slips(results)),)),
        ),
        "python docs/make_pages.py",
    )


def _paper_section() -> Section:
    return Section(
        "What the paper did",
        (
            "A tabular agent learns tic-tac-toe and Connect-4 on a 4x4 board by temporal "
            "differences. It moves second, always to the position of the highest utility, and "
            "after each game moves the utility of every position met a quarter of the way to that "
            "of the next one, backwards from +1 (won), -1 (lost) or 0.2 (tied). It does not "
            "explore; its trainer does. There are six: *random*; *attack* wins if it can; "
            "*defense* blocks if it must; *attack-defense* and *defense-attack* do both, in that "
            "order; *combined* is one of these four, drawn for each game. All move at random "
            "where no rule applies, open at random, and play one game in seven at random "
            "altogether: that is the hybridness.",
            f"Training ends after {MOST_GAMES:,} games, or when none of the last {STOP_GAMES:,} "
            f"was lost. Then the agent plays {TEST_GAMES:,} games against the random player and "
            "one for each opening move against an expert that never errs. The paper gives means "
            f"of {PAPER_RUNS} runs.",
        ),
    )


def _run_section(results: Results, readings: Results | None) -> Section:
    made = results.made_with
    runs = list_text(
        [
            f"{next(row['runs'] for row in results.rows if row['game'] == game)} of {GAMES[game]}"
            for game in played(results)
        ]
    )
    return Section(
        "What was run",
        (
            f"Runs for each trainer: {runs}. The same tests as in the paper, and beside them the "
            "exact ones: a game of so few positions is a graph, on which one sweep says how often "
            "an agent loses to the random player, and whether any line of play beats it.",
            Code(
                (
                    results.command,
                    readings.command if readings else "inarow reproduce hybrid --part readings",
                    f"cp results/{results.name} results/hybrid-readings.json docs/results/",
                    "python docs/make_pages.py",
                )
            ),
            "A run is a pure function of its seed, 0, 1, 2, ... The studies are kept in SQLite "
            "files in `results/` and go on where they were if stopped. Without `--scale paper` a "
            "few runs of each take under a minute; `--runs N` and `--game tictactoe` choose. Made "
            f"with inarow {made['inarow']}, Python {made['python']}, Numba {made['numba']} on "
            f"{made['system']}, {made['processor']}.",
        ),
    )


def _titled(tables: Iterable[Table]) -> list[Part]:
    """Tables with their titles above them."""
    return [part for table in tables for part in (f"**{table.title}**", table)]


def _table_sections(results: Results) -> list[Section]:
    judged = judged_rows(results)
    head = Section(
        "Ours against theirs",
        (
            match_words(judged) + " That range is the column *95%*: the bootstrap interval of our "
            f"mean, widened for the chance in the paper's own {PAPER_RUNS} runs; for shares, "
            "what Fisher's exact test lets pass.",
        ),
    )
    by_game = [
        Section(
            GAMES[game], (*_titled(game_tables(results, game)), _order_words(judged, game)), level=3
        )
        for game in played(results)
    ]
    return [head, *by_game, _why_section(rows(results))]


def _order_words(judged: Sequence[Row], game: str) -> str:
    """Whether the trainers stand in the published order."""
    from scipy.stats import spearmanr

    said = []
    for metric in JUDGED:
        pairs = [
            (row.published, row.mean)
            for row in judged
            if (row.game, row.metric) == (game, metric.name) and row.mean is not None
        ]
        stated, ours = zip(*pairs, strict=True)
        if len(set(stated)) > 1 and len(set(ours)) > 1:
            said.append(f"{spearmanr(stated, ours).statistic:.2f} ({metric.name})")
    if not said:
        return "The trainers do not differ here."
    return (
        f"The order of the trainers, ours against theirs, as rank correlation: {list_text(said)}."
    )


def _why_section(found: Sequence[Row]) -> Section:
    digits = {metric.name: metric.digits for metric in METRICS}
    why = [
        f"*{GAMES[row.game]}, {row.strategy}, {row.metric}*: {number(row.mean, digits[row.metric])}"
        f" ± {number(row.stderr, digits[row.metric])}, the paper "
        f"{number(row.published, digits[row.metric])}. {_capital(row.reason)}."
        for row in found
        if row.verdict == DIFFERS and row.reason != SECONDS_REASON
    ]
    return Section(
        "Why ours differs",
        (Numbered((f"*Seconds*: {SECONDS_REASON}.", *why)),),
        level=3,
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _exact_section(results: Results) -> Section:
    parts = list[Part]()
    for game in played(results):
        cells = [exactly(row) for row in results.rows if row["game"] == game]
        parts += [*_titled([exact_table(results, game)]), _exact_words(cells)]
    return Section(
        "What the sampled tests cannot see",
        (
            "*perfect*: no game of the test was lost. *unbeatable*: proven, no line of play beats "
            "the agent as second. *lost* and *exactly*: of a million games against the random "
            "player, in the test and computed. *early*: of the runs that stopped before "
            f"{MOST_GAMES:,} games, those that can still be beaten. *unseen*: of the agents that "
            "can be beaten, those that lost no game to the expert.",
            *parts,
        ),
    )


def _exact_words(cells: Sequence[Exactly]) -> str:
    early, early_beatable = (
        sum(getattr(cell, name) for cell in cells) for name in ("early", "early_beatable")
    )
    unseen, beatable = (
        sum(getattr(cell, name) for cell in cells) for name in ("unseen", "beatable")
    )
    perfect, proven = (
        sum(getattr(cell, name) for cell in cells) for name in ("perfect", "unbeatable")
    )
    return (
        f"In all, {early_beatable} of {early} runs that stopped early can still be beaten, and "
        f"{unseen} of {beatable} agents that can be beaten lost no game to the expert. The two "
        f"tests together call {perfect} agents perfect; {perfect - proven} of these can be beaten."
    )


def _reading_sections(readings: Results | None) -> list[Section]:
    if readings is None:
        return []
    tables = hybrid_readings.tables(readings)
    told = {row["reading"] for row in readings.rows}
    about = Table(
        ("reading", "what is changed"),
        tuple((r.name, r.about) for r in hybrid_readings.READINGS if r.name in told),
        texts=(0, 1),
    )
    summaries = [table for table in tables if table.columns[-1] == "in all"]
    return [
        Section(
            "Other readings",
            (
                "The paper leaves some things open. Each reading changes one of them against the "
                f"tables above ({readings.rows[0]['runs']} runs each; the seeds are the same), "
                "and is judged by the same published numbers.",
                Code((readings.command,)),
                about,
                "For *attack* the scan order cannot matter: any winning move ends the game alike. "
                "Nor can the share of random games for *random*. There the base counts. *Opening "
                "by rules* changes nothing at all, since no rule applies to an empty board.",
                *_titled(summaries),
                *hybrid_readings.notes(readings)[1:],
            ),
        ),
        Section(
            "Trainer by trainer",
            (
                hybrid_readings.notes(readings)[0],
                *_titled(table for table in tables if table not in summaries),
            ),
            level=3,
        ),
    ]
