"""The documentation page of the max-min document, written from stored results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from inarow.learn.q import Q
from inarow.papers import max_min_deep
from inarow.papers.max_min import GAMES, LENGTHS, VARIANTS, median_games
from inarow.papers.max_min_report import (
    FEW_RUNS,
    PERFECT,
    UNBEATABLE,
    games_text,
    percent,
    prototype_table,
    rows,
    seat_table,
    share_table,
)
from inarow.papers.page import Code, Numbered, Page, Part, Picture, Section, Table, list_text
from inarow.papers.results import MATCHES, Results

LOSSES = 50  # for the example of what a bar instead of a bracket does


def page(results: Results, deep: Results | None = None, *, figures: str = "figures") -> Page:
    """The whole page; `figures` is the folder of the figures, seen from it."""
    return Page(
        "Max-min: interleaved Q-learning, TD(lambda), and a deep player",
        (
            "Pseudo-code of three players that learn from games against themselves. "
            "`src/inarow/papers/max_min.py` runs the two tabular ones, `src/inarow/learn/q.py` and "
            "`src/inarow/learn/td_lambda.py` are their algorithms; `max_min_deep.py` and "
            "`monte_carlo.py`, beside them, are for the deep one.",
        ),
        (
            _document_section(),
            _run_section(results),
            *_game_sections(results, figures),
            _prototype_section(results),
            *([max_min_deep.section(deep, figures)] if deep is not None else []),
            Section("Slips found in the pseudo-code", (Numbered(slips(results)),)),
            Section("Differences", (Numbered(differences()),)),
        ),
        "python docs/make_pages.py",
    )


def _document_section() -> Section:
    return Section(
        "What the document describes",
        (
            "*Q player* (Algorithm 1): two tables, Q1 for player 1, who takes the highest value, "
            "and Q2 for player 2, who takes the lowest. Once both have moved, the older of the "
            "two open moves is backed up from its owner's next position; the last two moves of a "
            "game move towards +1 (player 1 won), -1 (player 2 won) or 0.",
            "*TD player* (Algorithm 2): one table V of positions; player 1 moves to the highest, "
            "player 2 to the lowest. TD(lambda) with accumulating traces.",
            "*Deep player* (Algorithm 3): a network instead of the table, and whole games as "
            "samples.",
            "All explore with a share epsilon of random moves. The numbers (alpha, epsilon, gamma, "
            "lambda, how many games) are left to the reader, and **no results are published**. So "
            "the question here is our own: after how many games can neither side be beaten?",
        ),
    )


def _run_section(results: Results) -> Section:
    made = results.made_with
    runs = list_text([f"{c[0]['runs']} of {GAMES[game]}" for game, c in _by_game(results)])
    return Section(
        "What was run",
        (
            f"Runs of each variant: {runs}. At every point of a run an exact walk over the game "
            "says whether any line of play beats the agent as first, or as second (*unbeatable*), "
            "and whether it also wins every won position that its play can lead to "
            "(*value-perfect*). Where it values moves alike it may take any of them, so all must "
            "be sound. It plays without exploring.",
            Code(
                (
                    results.command,
                    f"cp results/{results.name} docs/results/",
                    "python docs/make_pages.py",
                )
            ),
            Table(
                ("variant", "what it is"),
                tuple((variant.name, variant.about) for variant in VARIANTS),
                texts=(0, 1),
            ),
            "A run is a pure function of its seed, 0, 1, 2, ... The studies are kept in SQLite "
            "files in `results/` and go on where they were if stopped. Without `--scale paper` a "
            "few runs of each take under a minute; `--runs N` and `--game tictactoe` choose. Made "
            f"with inarow {made['inarow']}, Python {made['python']}, Numba {made['numba']} on "
            f"{made['system']}, {made['processor']}.",
        ),
    )


def _by_game(results: Results) -> list[tuple[str, list[dict[str, Any]]]]:
    """The variants of each game that was run."""
    found = [(game, [row for row in results.rows if row["game"] == game]) for game in GAMES]
    return [(game, cells) for game, cells in found if cells]


def _titled(tables: Iterable[Table]) -> list[Part]:
    """Tables with their titles above them."""
    return [part for table in tables for part in (f"**{table.title}**", table)]


def _game_sections(results: Results, figures: str) -> list[Section]:
    sections = []
    for game, cells in _by_game(results):
        file = f"{figures}/{results.paper}-{results.part}-{game.replace(':', '-')}.svg"
        caption = f"{GAMES[game]}: share of runs over training games"
        bands = "; the bands are 95% intervals" if cells[0]["runs"] >= FEW_RUNS else ""
        tables = [
            share_table(game, cells, UNBEATABLE, "for good"),
            share_table(game, cells, PERFECT, "perfect for good"),
            seat_table(game, cells),
        ]
        sections.append(
            Section(
                GAMES[game],
                (
                    f"*median*: the games after which half of the runs were so, and stayed so at "
                    f"every later look ({_looks(game)}).",
                    *_titled(tables),
                    Picture(file, caption),
                    f"*{caption}{bands}.*",
                    _words({cell["variant"]: cell for cell in cells}),
                ),
            )
        )
    return sections


def _looks(game: str) -> str:
    length = LENGTHS[game]
    return (
        f"every {length.start_every:,} games up to {length.every:,}, then every {length.every:,} "
        f"up to {length.games:,}"
    )


def _words(cells: Mapping[str, Mapping[str, Any]]) -> str:
    """Which variant needs the fewest games, which most, and whether any never gets there."""
    reached = {name: median_games(cell["for good"]) for name, cell in cells.items()}
    perfect = {name: median_games(cell["perfect for good"]) for name, cell in cells.items()}
    said = []
    for found, what in ((reached, "cannot be beaten"), (perfect, "are value-perfect")):
        there = {name: games for name, games in found.items() if games is not None}
        if there:
            best = min(there, key=lambda name: there[name])
            said.append(
                f"Half of the runs {what} for good after {there[best]:,} games with “{best}”, the "
                "fewest."
            )
        missing = [f"“{name}”" for name in found if name not in there]
        if missing:
            said.append(f"In the games played here that was not reached by {list_text(missing)}.")
    return " ".join(said)


def _prototype_section(results: Results) -> Section:
    table = prototype_table(results)
    judged = [row for row in rows(results) if row.prototype is not None and row.mean is not None]
    agreeing = sum(row.verdict == MATCHES for row in judged)
    return Section(
        "Against the prototype",
        (
            "Before this package there was a prototype, of which only shares of 20 runs are known. "
            f"{agreeing} of {len(judged)} agree with ours (Fisher's exact test at 5%).",
            table,
        ),
    )


def slips(results: Results) -> tuple[str, ...]:
    """What the pseudo-code says and cannot mean."""
    alpha = float(Q().alpha)
    wrong, right = (1 + alpha) ** LOSSES - 1, (1 - alpha) ** LOSSES - 1
    printed = [row for row in rows(results) if row.published is not None and row.mean is not None]
    shown = ""
    if printed:
        last = printed[-1]
        shown = (
            f" As printed {percent(last.mean)}% of {last.runs} runs are unbeatable in both seats "
            f"after {games_text(last.games)} games."
        )
    return (
        "The remark to Algorithm 1 lets the minimiser act on Q1: “equal to arg min Q1(s, a)”. Q1 "
        "is written only where player 1 is to move, so player 2 would move at random for ever. It "
        f"must act on Q2.{shown}",
        "Line 16 of Algorithm 1 has bars for brackets: Q1(s, a) + alpha |r - Q1(s, a)|. That line "
        "is reached when player 2 made the last move: on a board of nine cells, exactly when "
        "player 1 lost. With bars the value of a losing move would rise: from 0, with alpha = "
        f"{alpha:g}, to {wrong:,.0f} after {LOSSES} lost games, where it should fall to "
        f"{right:.3f}.",
        "Algorithm 2 writes the difference gamma V(s') - V(s) inside the loop over all traces, in "
        "which V(s) itself is changed. It must be computed once before that loop. In a Python "
        "dictionary, which is gone through in the order of insertion, s is the last, so a program "
        "may have the slip and not show it.",
        "Lambda is missing from Algorithm 2's list of parameters.",
        "“If z(s) is empty, do z(s) ← 1, else do z(s) ← z(s) + 1”: a stone is never taken back, so "
        "no position comes up twice in a game, and the second case never happens. Accumulating "
        "and replacing traces are the same here.",
    )


def differences() -> tuple[str, ...]:
    """From the document, or beyond what it says."""
    return (
        "Alpha, epsilon, gamma and lambda are ours: the document names none. For the tabular "
        "players they stay the same during a run.",
        "Tables start at 0 (“arbitrarily”).",
        "Among moves of equal value a random one is taken, in training and in play; arg max and "
        "arg min do not say.",
        "Q1 and Q2 are one array: a position has one side to move, so they have no entry in "
        "common.",
        "The variants (skip, minimax, cut, symmetric) are no part of the document.",
        "Connect-4 on a 4x4 board is played by the tabular algorithms here; the document has only "
        "its deep player play Connect Four.",
        "The deep player's network is ours: one hidden layer of rectified units and a logistic "
        "output. By default it sees the stones of the side that has just moved and the other's, "
        "and says that side's chance; the document's v is this chance after a move of player 1, "
        "and one less it after a move of player 2, so its update is the same step.",
        "The shield of the deep player, in training and in play, is no part of the document.",
    )
