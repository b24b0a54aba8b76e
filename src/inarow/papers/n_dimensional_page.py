"""The documentation page of the n-dimensional paper, written from stored results.

Its SARSA agent is here; the sections of the policy gradient come from `n_dimensional_policy_page`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from inarow.papers import n_dimensional_policy_page
from inarow.papers.n_dimensional_claims import Row, rows
from inarow.papers.n_dimensional_exact import OPPONENTS, REWARDS
from inarow.papers.n_dimensional_figures import PAIRS, pair_name
from inarow.papers.n_dimensional_report import (
    FIGURES,
    ceiling_table,
    certain_table,
    claim_table,
    count_table,
    counted_words,
    figure_table,
    ours_text,
    said,
    variant_table,
)
from inarow.papers.n_dimensional_sarsa import (
    BASE,
    EPISODES,
    NEVER_LOSES,
    TITLE,
    UNBEATABLE,
    VARIANTS,
    cell_of,
)
from inarow.papers.n_dimensional_words import differences, slips
from inarow.papers.page import Code, Numbered, Page, Part, Picture, Section, Table
from inarow.papers.results import DIFFERS, MATCHES, Results


def page(results: Results, policy: Results | None = None, *, figures: str = "figures") -> Page:
    """The whole page; `figures` is the folder of the figures, seen from it."""
    gradient = () if policy is None else n_dimensional_policy_page.sections(policy, figures)
    return Page(
        f"N-dimensional: “{TITLE}”",
        (
            "Bunyatova, Smoliakov, Van der Lee and Videau. The paper has two agents: modified "
            "SARSA for the 3x3 grid, and a policy gradient for any grid.",
        ),
        (*sarsa_sections(results, figures), *gradient),
        "python docs/make_pages.py",
    )


def sarsa_sections(results: Results, figures: str) -> tuple[Section, ...]:
    """All about the SARSA agent."""
    return (
        _paper_section(),
        _run_section(results),
        _claim_section(results),
        _count_section(results),
        *_figure_sections(results, figures),
        _certain_section(results, figures),
        _ceiling_section(results),
        _variant_section(results, figures),
        Section("SARSA: slips found in the paper", (Numbered(slips(results)),)),
        Section("SARSA: differences", (Numbered(differences()),)),
    )


def _paper_section() -> Section:
    return Section(
        "SARSA: what the paper did",
        (
            "A tabular agent learns tic-tac-toe from games against one opponent: *random*, or "
            "*advanced*, who wins if it can, else blocks if it must, else moves at random. It "
            "plays both seats. All values start at 0.5. It explores with epsilon from 1 down; when "
            "a game is over its last move is *set* to the reward (11 won, 0 lost, 1 drawn as "
            "first, 1.25 drawn as second), and each earlier one moves by alpha towards gamma = 0.7 "
            "times the value of the next. Positions that are images of each other are one. Epsilon "
            "and alpha fall by factors that depend on the number of episodes, so that both are "
            "small at the end.",
            "Figures 3 to 8 show shares of games won, drawn and lost over the number of episodes. "
            "Their points are not written out, so the claims in the text are what is judged here.",
        ),
    )


def _run_section(results: Results) -> Section:
    made = results.made_with
    return Section(
        "SARSA: what was run",
        (
            f"{results.rows[0]['runs']} runs for each trainer and each of {len(EPISODES)} numbers "
            f"of episodes, {EPISODES[0]:,} to {EPISODES[-1]:,}. Shares are exact: the odds of the "
            "trained agent, playing without exploring, are computed on the graph of the game, not "
            "sampled. Means over the runs have 95% bootstrap intervals, shares of runs Wilson's.",
            Code(
                (
                    results.command,
                    f"cp results/{results.name} docs/results/",
                    "python docs/make_pages.py",
                )
            ),
            "A run is a pure function of its seed, 0, 1, 2, ... The study is kept in an SQLite "
            "file in `results/` and goes on where it was if stopped. Without `--scale paper` 20 "
            "runs of each take under a minute; `--runs N` chooses. `src/inarow/learn/sarsa.py` is "
            "the agent, `src/inarow/papers/n_dimensional_exact.py` what is computed exactly. Made "
            f"with inarow {made['inarow']}, Python {made['python']}, Numba {made['numba']} on "
            f"{made['system']}, {made['processor']}.",
        ),
    )


def _claim_section(results: Results) -> Section:
    judged = rows(results)
    matching = sum(row.verdict == MATCHES for row in judged)
    shown = [row for row in judged if not row.metric.startswith("states")]
    readings = Table(
        ("claim", "where", "read as"),
        tuple((row.metric, row.source, row.reading) for row in shown),
        texts=(0, 1, 2),
    )
    return Section(
        "SARSA: the paper's claims and ours",
        (
            f"{matching} of {len(judged)} claims match, counting the numbers of states below. A "
            "claim matches if our 95% interval reaches into the range that it is read as.",
            claim_table(results),
            "How each is read:",
            readings,
            "*no loss*: per cent of runs that never lose to their trainer. *threshold*: the "
            "episodes after which half of the runs never do. *wins at 1k, of most*: the mean share "
            "of wins after 1,000 episodes against advanced, as per cent of the highest at any "
            "number. *vs advanced*: trained on random, tested against advanced. *gain by "
            "advanced*: how much more of the games against advanced are won if it was the trainer "
            "too, not random. *best loses*: how often the best play by the paper's rewards does. "
            "*gain by symmetry*: how many more runs never lose to random if images of a position "
            "are one.",
            "Why ours differs:",
            Numbered(tuple(_why(judged))),
        ),
    )


def _why(judged: Iterable[Row]) -> list[str]:
    """Each reason once, with the claims that it is of."""
    reasons: dict[str, list[str]] = {}
    for row in judged:
        if row.verdict == DIFFERS:
            text = f"*{row.metric}* (the paper: {said(row.published)}; ours: {ours_text(row)})"
            reasons.setdefault(row.reason, []).append(text)
    return [f"{'; '.join(names)}: {reason}." for reason, names in reasons.items()]


def _count_section(results: Results) -> Section:
    return Section(
        "SARSA: states counted",
        (
            count_table(results),
            "*formula*: the sum over i of C(N, ⌈i/2⌉) C(N - ⌈i/2⌉, ⌊i/2⌋), all ways to fill the "
            "grid by turns. *with `round`*: the same with Python's `round(i / 2)` for ⌈i/2⌉, which "
            "takes a half to the next even number. *reachable*: positions of tic-tac-toe; *up to "
            "symmetry*; *and unfinished*: of these, the ones in which play goes on.",
        ),
    )


def _figure_sections(results: Results, figures: str) -> list[Section]:
    sections = [Section("SARSA: Figures 3 to 8")]
    for pair in PAIRS:
        trainer, opponent, _ = FIGURES[pair[0]]
        caption = (
            f"Figures {pair[0]} and {pair[1]}: trained on {trainer}, tested against {opponent}"
        )
        file = f"{figures}/{results.paper}-{results.part}-{pair_name(pair)}.svg"
        parts = list[Part]()
        for number in pair:
            table = figure_table(results, number)
            parts += [f"**{table.title}**", table]
        sections.append(
            Section(
                f"Trained on {trainer}, tested against {opponent}",
                (Picture(file, caption), f"*{caption}; the bands are 95% intervals.*", *parts),
                level=3,
            )
        )
    return sections


def _certain_section(results: Results, figures: str) -> Section:
    caption = "Share of runs that never lose"
    file = f"{figures}/{results.paper}-{results.part}-runs-that-never-lose.svg"
    parts = list[Part]()
    for trainer in OPPONENTS:
        table = certain_table(results, trainer)
        parts += [f"**{table.title}**", table]
    return Section(
        "SARSA: which agents never lose",
        (
            "*trainer*: the agent never loses to its trainer. *anyone*: no line of play beats it. "
            "*best*: it wins, draws and loses against its trainer exactly as often as the best "
            "play by the paper's rewards. Random plays every line of play some time, so with it "
            "the first two are the same.",
            Picture(file, caption),
            f"*{caption}, by trainer and seat.*",
            *parts,
            _random_words(results),
            _advanced_words(results),
        ),
    )


def _random_words(results: Results) -> str:
    """Why agents trained on random are not the best by their rewards."""
    cell = cell_of(results, "random", EPISODES[-1])
    if cell is None:
        return ""
    won = 100 * cell["shares"]["won as first against random"][0]
    from_corner, from_centre = (
        Fraction(results.facts["openings"]["random"][name]) for name in ("corner", "centre")
    )
    return (
        f"After {EPISODES[-1]:,} episodes against random the first player wins {won:.2f}% of its "
        f"games. From the centre at most {from_centre} can be won, {100 * float(from_centre):.2f}%,"
        f" and from a corner {from_corner}, {100 * float(from_corner):.2f}%: it learns to play one "
        "opening as well as can be, and not which is better."
    )


def _advanced_words(results: Results) -> str:
    """What agents trained on advanced have not learned."""
    cell = cell_of(results, "advanced", EPISODES[-1])
    if cell is None:
        return ""
    runs = cell["runs"]
    never, proven = (cell["certain"][kind]["first"] for kind in (NEVER_LOSES, UNBEATABLE))
    lost = 100 * cell["shares"]["lost as first against random"][0]
    return (
        f"After {EPISODES[-1]:,} episodes against advanced, {never} of {runs} agents never lose to "
        f"it as first, and {proven} of {runs} cannot be beaten: they lose {lost:.1f}% of games to "
        "random, which makes moves that advanced never showed them."
    )


def _ceiling_section(results: Results) -> Section:
    optimum = [
        f"{row['lost']} to {row['opponent']}"
        for row in results.facts["ceilings"]
        if row["aim"] == REWARDS and row["seat"] == "second"
    ]
    corner, centre = (results.facts["openings"]["advanced"][name] for name in ("corner", "centre"))
    return Section(
        "SARSA: the best that can be",
        (
            "By dynamic programming over the graph, in fractions. *never to lose*: and then to win "
            "most. *paper's rewards*: with gamma = 0.7 for each further move of one's own, which "
            "is what SARSA aims at.",
            ceiling_table(results),
            f"So with the paper's rewards never to lose is not best: as second the best play loses "
            f"{' and '.join(optimum)}. Against advanced the first player wins at most {corner} "
            f"from a corner and {centre} from the centre. {counted_words(results)}",
        ),
    )


def _variant_section(results: Results, figures: str) -> Section:
    about = Table(
        ("variant", "what is changed"),
        tuple((variant.name, variant.about) for variant in VARIANTS),
        texts=(0, 1),
    )
    parts = list[Part]()
    for trainer in OPPONENTS:
        table = variant_table(results, trainer)
        parts += [f"**{table.title}**", table]
    caption = "Share of runs that never lose to their trainer as second, by variant"
    file = f"{figures}/{results.paper}-{results.part}-variants.svg"
    return Section(
        "SARSA: variants",
        (about, Picture(file, caption), f"*{caption}.*", *parts, _variant_words(results)),
    )


def _variant_words(results: Results) -> str:
    """What the hard write of the last move does."""
    lost = {}
    for name in (BASE, "soft final"):
        cell = cell_of(results, "random", EPISODES[-1], name)
        if cell is None:
            return ""
        lost[name] = 100 * cell["shares"]["lost as second against random"][0]
    (best,) = (
        row["lost"]
        for row in results.facts["ceilings"]
        if (row["opponent"], row["seat"], row["aim"]) == ("random", "second", REWARDS)
    )
    optimum = 100 * float(Fraction(best))
    return (
        "Setting the last move's value to the reward, as the paper does, makes a move that was "
        "just answered by a loss look worthless until it is played again: the agent is more "
        f"careful than its rewards ask. After {EPISODES[-1]:,} episodes it loses {lost[BASE]:.1f}% "
        f"to random as second, and {lost['soft final']:.1f}% with a soft last step, where the best "
        f"play by those rewards loses {optimum:.1f}%."
    )
