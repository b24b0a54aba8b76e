"""The n-dimensional paper: modified SARSA for the 3x3 grid, a policy gradient for any grid.

The agents are `learn/tabular/sarsa.py` and `learn/reinforce`. Here is what is shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from inarow.game.position import SIDES
from inarow.lab.plots.plot import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION
from inarow.learn.reinforce.learner import MOST_LINES, Reinforce
from inarow.learn.reinforce.network import shape_of
from inarow.papers.figures import (
    Curves,
    Figure,
    Level,
    Line,
    Note,
    Panel,
    Points,
    Style,
    always,
    averaged,
    draw_lines_of_cells,
    draw_network,
    measured_points,
)
from inarow.papers.measures import Data, Label, Measure, Measured, ResultRow
from inarow.papers.n_dimensional import exact, opponents, study
from inarow.papers.n_dimensional.claims import (
    CLAIMS,
    at_end,
    baseline,
    best,
    games_played,
    games_share,
    in_grid,
    most_wins,
    policy,
    runs_that,
    seconds,
    varied,
)
from inarow.papers.n_dimensional.exact import OPPONENTS
from inarow.papers.n_dimensional.study import (
    ALPHAS,
    BASE,
    CUBE,
    DESCRIBED,
    EPISODES,
    EPSILONS,
    FIRST_MOVES,
    FOUR,
    GAMES,
    LEARNERS,
    NEVER_LOSES,
    OPTIMAL,
    PAPERS,
    PLANE,
    PLAYERS,
    SEARCH_EPISODES,
    SOUND,
    UNBEATABLE,
)
from inarow.papers.paper import Finding, Paper
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.tables import Grid, Made, PaperTable, Table
from inarow.papers.variants import Variants
from inarow.papers.verdicts import DIFFERS, MATCHES

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

POLICY_VARIANTS = Variants(study.POLICY_VARIANTS, study.VARIED)
# The paper's figures: trainer and opponent, as first and then as second; board and opponent
SARSA_FIGURES = {3: ("random", "random"), 5: ("advanced", "advanced"), 7: ("random", "advanced")}
POLICY_FIGURES = {
    9: (PLANE, "random"), 10: (CUBE, "random"), 11: (CUBE, "advanced"), 12: (FOUR, "random"),
    13: (FOUR, "advanced"),
}  # fmt: skip
CERTAIN = (NEVER_LOSES, UNBEATABLE, OPTIMAL)

# Figures

DOTTED = (0, (1, 2))
END_STYLES: dict[str, Style] = {
    "won": (BLUE, "-"), "drawn": (GREY, (0, (5, 1.5))), "lost": (VERMILION, (0, (6, 2, 1, 2))),
}  # fmt: skip
PLAYER_STYLES: dict[str, Style] = {
    "random": (GREY, (0, (1, 3))), "advanced": (GREEN, (0, (1, 1))),
    MOST_LINES: (ORANGE, (0, (3, 1, 1, 1))), "greedy-lines": (PURPLE, (0, (4, 1.5))),
}  # fmt: skip
LEARNER_STYLES: dict[str, Style] = {
    DESCRIBED: (VERMILION, (0, (6, 2, 1, 2))), SOUND: (BLUE, "-"), study.LINE_TD: (BLACK, "-"),
}  # fmt: skip


def mean(found: Measured | None) -> float:
    """Return a mean for a sentence, and for a level line."""
    return math.nan if found is None else found.mean


def over_episodes(measure: Measure, **labels: Label) -> Points:
    """Return the points of a curve, with the intervals of the measure."""
    return measured_points(measure, "episodes", {n: n for n in EPISODES}, **labels)


def level(label: str, measure: Measure, style: Style, on_line: bool = True) -> Level:
    """Draw a measure as a level line."""
    return Level(label, lambda data: mean(measure(data)), style, on_line)


def sarsa_panel(number: int, trainer: str, opponent: str, side: str) -> Panel:
    """Return one of Figures 3 to 8, with what the paper's rewards make best as level lines."""
    said = {"drawn": "best by the rewards"}  # "_": in no legend
    lines, levels = list[Line](), list[Level]()
    for end, style in END_STYLES.items():
        measure = games_share(f"{end} as {side} against {opponent}")
        ideal = best(opponent, side, end)
        lines.append(Line(end, over_episodes(measure, trainer=trainer), style))
        levels.append(level(said.get(end, "_"), ideal, (style[0], DOTTED), on_line=False))
    named = {("random", "random"): (4_000, 20_000), ("advanced", "advanced"): (1_000,)}
    episodes = named.get((trainer, opponent), ())
    notes = tuple(Note(number, f"the text: {number:,}") for number in episodes)
    title = f"Figure {number}: the agent plays {side}"
    return Panel(title, tuple(lines), tuple(levels), lambda data: notes)


def players(what: str, opponent: str, game: str, said: str, names: tuple[str, ...]) -> list[Level]:
    """Return what players that learned nothing do, as level lines."""
    measures = {name: baseline(what, opponent, game=game, player=name) for name in names}
    return [level(name + said, m, PLAYER_STYLES[name]) for name, m in measures.items()]


def policy_panel(game: str, opponent: str, variant: str) -> Panel:
    """Return one of Figures 9 to 13 for a version; level lines are what others win."""
    labels = {"part": study.POLICY, "game": game, "variant": variant}
    lines = (
        Line(end, averaged(f"shares.{opponent}.{end}", **labels), style)
        for end, style in END_STYLES.items()
    )
    levels = players("won", opponent, game, " wins", PLAYERS[:3])  # the last is like the third
    if game == PLANE:
        levels.append(level("most wins", most_wins, (BLACK, DOTTED)))
    return Panel(variant, tuple(lines), tuple(levels))


def lines_curves(game: str) -> Curves:
    """Return lines ahead of advanced over training, of three learners and the baselines."""
    labels = {"part": study.POLICY, "game": game}
    lines = tuple(
        Line(name, averaged("lines.advanced", variant=name, **labels), style)
        for name, style in LEARNER_STYLES.items()
    )
    panel = Panel("", lines, tuple(players("lines", "advanced", game, "", PLAYERS)))
    return Curves((panel,), "lines ahead of advanced per game", beside=True)


def run_panel(title: str, lines: dict[str, tuple[Measure, dict[str, str]]]) -> Panel:
    """Return a panel of the per cent of runs over episodes."""
    made = (Line(name, over_episodes(measure, **at)) for name, (measure, at) in lines.items())
    return Panel(title, tuple(made))


def by_episodes(panels: Sequence[Panel], ylabel: str = "share of runs") -> Curves:
    """Return curves over training episodes, in per cent."""
    return Curves(tuple(panels), ylabel, "training episodes", percent=True)


def figures() -> dict[str, tuple[str, Curves, str]]:
    """Return caption, drawing and part of each figure, by name."""
    made: dict[str, tuple[str, Curves, str]] = {}
    for n, (trainer, other) in SARSA_FIGURES.items():
        caption = f"Figures {n} and {n + 1}. Trained on {trainer}, tested against {other}; "
        panels = [sarsa_panel(n + place, trainer, other, s) for place, s in enumerate(SIDES)]
        draw = by_episodes(panels, f"share of games against {other}")
        made[f"figures-{n}-{n + 1}"] = f"{caption}bands are 95% intervals", draw, ""
    for trainer in OPPONENTS:
        at = {"trainer": trainer}
        panels = [run_panel(f"as {s}", {k: (runs_that(k, s), at) for k in CERTAIN}) for s in SIDES]
        caption = f"Percentage of runs that never lose or play best, trained on {trainer}"
        made[f"never-lose-{trainer}"] = caption, by_episodes(panels), ""
    names = [v.name for v in study.LONG_RUN]
    for side in SIDES:
        never = runs_that(NEVER_LOSES, side)
        panels = [
            run_panel(f"trained on {o}", {n: (never, {"trainer": o, "variant": n}) for n in names})
            for o in OPPONENTS
        ]
        caption = f"Percentage of runs that never lose to their trainer as {side}, by variant"
        made[f"variants-{side}"] = caption, by_episodes(panels), ""
    for n, (game, other) in POLICY_FIGURES.items():
        trainer = "random" if game == PLANE else "advanced"
        caption = f"Figure {n}. {GAMES[game]}, trained on {trainer}, tested against {other}; "
        shown = tuple(policy_panel(game, other, version) for version in (DESCRIBED, SOUND))
        draw = Curves(shown, f"share of games against {other}", percent=True)
        name = f"figure-{n}-{GAMES[game]}-{other}"
        made[name] = f"{caption}horizontal lines are baseline players", draw, study.POLICY
    for game in (CUBE, FOUR):
        caption = f"{GAMES[game]}: lines ahead of advanced per game, over training"
        made[f"lines-ahead-{GAMES[game]}"] = caption, lines_curves(game), study.POLICY
    return made


# Structures: the alignments that the paper lists in its appendix, and its network


def draw_alignments(canvas: Canvas, data: Data) -> None:  # noqa: ARG001 - needs no results
    """Draw the axes of Tables 1a and 1b in the grid of four dimensions."""
    lines = {
        f"{table}, {name}": [[int(digit) for digit in cell] for cell in str(cells).split()]
        for table, entry in (("1a", "table-1a"), ("1b", "table-1b"))
        for (name,), cells in study.PUBLISHED[entry].leaves()
    }
    draw_lines_of_cells(canvas, lines)


def draw_policy_network(canvas: Canvas, data: Data) -> None:  # noqa: ARG001 - needs no results
    """Draw the policy network of the 3x3 grid."""
    cells, hidden, *_ = shape_of(9, Reinforce().hidden)
    layers = [np.ones((cells, hidden), dtype=bool), np.ones((hidden, cells), dtype=bool)]
    names = (f"{cells} cells", f"{hidden} leaky ReLU units", f"softmax over {cells} cells")
    draw_network(canvas, layers, names)


STRUCTURES = (
    Figure(
        "figure-1-alignments",
        "Figure 1. Alignments in four dimensions: the axes of Tables 1a and 1b on the nine slices "
        "of 3x3x3x3",
        draw_alignments, always, (7.4, 5.2),
    ),
    Figure(
        "figure-2-network",
        "Figure 2. The policy network on a 3x3 grid, drawn from its size: every unit is connected "
        "to all of the layer before; of the hidden layer the first 16",
        draw_policy_network, always, (6.4, 4.2),
    ),
)  # fmt: skip
FIGURES = (
    *STRUCTURES,
    *(
        Figure(name, caption, draw, draw.has, (9.0, 4.2), part)
        for name, (caption, draw, part) in figures().items()
    ),
)
# Tables


Texts = dict[str, Callable[[Measured], str]]
LEARNER_ROWS = {
    f"{GAMES[one.game]}, {one.variant}": {"game": one.game, "variant": one.variant}
    for one in LEARNERS
}
SPECIAL: Texts = {"lines": lambda m: f"{m.mean:+.1f}", "games": lambda m: f"{m.mean:,.0f}"}


def one_digit(measured: Measured) -> str:
    """Write a share."""
    return f"{measured.mean:.1f}"


def ceiling_table(_: Data) -> Table:
    """Return the best that can be, in fractions."""
    lines = tuple(
        (*labels, *best.values(), *(f"{exact.per_cent(best[e]):.1f}" for e in ("won", "lost")))
        for (board, *labels), best in exact.ceilings().items()
        if board == exact.PLAIN
    )
    heads = ("against", "as", "aim", *exact.ENDS, "won, %", "lost, %")
    return Table(heads, lines, "The best possible results, by dynamic programming", (0, 1, 2))


def figure_tables() -> dict[str, PaperTable]:
    """Return what each panel of a figure shows, as numbers."""
    return {
        f"{figure.name}-{place}": Made(
            figure.draw.as_table(place, f"{name}: {panel.title}"), figure.part
        )
        for figure in FIGURES
        if isinstance(figure.draw, Curves)
        for name in [figure.caption.partition(";")[0]]
        for place, panel in enumerate(figure.draw.panels)
        if panel.title
    }


def early() -> Grid:
    """Return all variants of SARSA after a short training."""
    return Grid(
        "SARSA: percentage of runs that never lose to their trainer after 4,000 episodes",
        "variant",
        {v.name: {"variant": v.name, "episodes": 4_000} for v in study.VARIANTS.all},
        {
            f"{trainer}, as {side}": runs_that(NEVER_LOSES, side).where(trainer=trainer)
            for trainer, side in product(OPPONENTS, SIDES)
        },
        one_digit,
    )


def search_grid(episodes: int) -> Grid:
    """Return the search for alpha and epsilon, at one training length."""
    return Grid(
        f"SARSA: percentage of runs that never lose to random as first after {episodes:,} "
        "episodes, by alpha (rows) and epsilon (columns)",
        "alpha",
        {f"`{one}`": {"alpha": one, "episodes": episodes} for one in study.ALPHAS},
        {f"`{one}`": in_grid.where(epsilon=one) for one in study.EPSILONS},
        one_digit,
        part=study.SEARCH,
    )


def policy_variants() -> Grid:
    """Return what each variant of the policy gradient wins."""
    return Grid(
        f"3-D, after {study.VARIED_GAMES[PAPER_SCALE]:,} games: games won, %, with 95% intervals",
        "variant",
        {v.name: {"variant": v.name} for v in study.POLICY_VARIANTS},
        {opponent: varied(f"shares.{opponent}.won") for opponent in study.TESTED},
        lambda m: f"{m.mean:.1f} ({max(m.low or 0.0, 0.0):.1f} to {m.high or 0.0:.1f})",
        part=study.VARIED,
    )


def learners_at_end() -> Grid:
    """Return all learners after their last game."""
    return Grid(
        "After training: games won, %, against each opponent; lines ahead of advanced",
        "learner",
        LEARNER_ROWS,
        {
            "games": games_played,
            **{opponent: at_end(f"shares.{opponent}.won") for opponent in study.TESTED},
            "lines": at_end("lines.advanced"),
        },
        one_digit,
        SPECIAL,
        part=study.POLICY,
    )


def baseline_players() -> Grid:
    """Return what players that learned nothing do."""
    return Grid(
        "Baseline players: games won, %, against each opponent; lines ahead of advanced",
        "player",
        {f"{GAMES[g]}, {p}": {"game": g, "player": p} for g, p in product(GAMES, PLAYERS)},
        {
            **{opponent: baseline("won", opponent) for opponent in study.TESTED},
            "lines": baseline("lines", "advanced"),
        },
        one_digit,
        SPECIAL,
        part=study.POLICY,
    )


def speed() -> Grid:
    """Return what training costs."""
    return Grid(
        "CPU-seconds of training on one core",
        "learner",
        LEARNER_ROWS,
        {"1,000 games": seconds(1_000)},
        lambda m: f"{m.mean:.3g}",
        part=study.SPEED,
    )


TABLES: dict[str, PaperTable] = {
    **figure_tables(),
    "ceilings": Made(ceiling_table),
    "variants": Made(lambda _: study.VARIANTS.table()),
    "early": early(),
    **{f"grid-{n}": search_grid(n) for n in study.SEARCH_EPISODES},
    "policy-variants": policy_variants(),
    "policy-variants-about": Made(lambda _: POLICY_VARIANTS.table(), study.VARIED),
    "end": learners_at_end(),
    "baselines": baseline_players(),
    "speed": speed(),
}

# What the prose asks for


def search_result(data: Data, episodes: int) -> ResultRow | None:
    """Return how the paper's alpha and epsilon come out of the grid: their place, and the best."""
    pairs = list(product(ALPHAS, EPSILONS))
    found = {
        pair: in_grid(data, alpha=pair[0], epsilon=pair[1], episodes=episodes) for pair in pairs
    }
    shares = {pair: measured.mean for pair, measured in found.items() if measured}
    if len(shares) < len(pairs):
        return None
    ranked = sorted(shares, key=lambda pair: -shares[pair])
    best, paper = ranked[0], shares[PAPERS]
    return {
        "better": sum(share > paper for share in shares.values()), "of": len(shares) - 1,
        "paper": paper, "alpha": best[0], "epsilon": best[1], "best": shares[best],
    }  # fmt: skip


def against_advanced(data: Data) -> dict[str, float]:
    """Return the per cent that each variant that was run wins then; without the base."""
    won = varied("shares.advanced.won")
    found = {v.name: won(data, variant=v.name) for v in study.POLICY_VARIANTS if v.name != BASE}
    return {name: ours.mean for name, ours in found.items() if ours}


LAST = {"episodes": EPISODES[-1]}
VALUES: dict[str, Callable[[Data], object]] = {
    "searched": lambda data: partial(search_result, data),
    "search_episodes": lambda _: SEARCH_EPISODES,
    "openings": lambda data: data.fact(part=FIRST_MOVES),
    "exact": lambda _: exact,
    "episodes": lambda _: EPISODES,
    "share": lambda data: lambda metric, **at: mean(games_share(metric, **LAST)(data, **at)),
    "runs_that": lambda data: lambda kind, **at: mean(runs_that(kind, "first", **LAST)(data, **at)),
    "policy": lambda data: lambda *at: mean(policy(*at)(data)),
    "variants": against_advanced,
    "seconds": lambda data: lambda games, **at: mean(seconds(games)(data, **at)),
}
FINDINGS = (
    Finding(
        "**SARSA learns never to lose to random, as first**: {random-4000-first} of runs after "
        "4,000 episodes and {random-20000-first} after 20,000; as second only "
        "{random-20000-second}, and the paper's own rewards do not ask for more.",
        {"random-4000-first": MATCHES, "random-20000-second": DIFFERS},
    ),
    Finding(
        "**The policy gradient learns in three dimensions**, where it wins {acceptable-3d} of its "
        "games against advanced, and not yet in four, where it wins {hard-4d}. In two dimensions "
        "SARSA is better.",
        {"acceptable-3d": MATCHES, "hard-4d": MATCHES, "sarsa-best-2d": MATCHES},
    ),
)
OUTCOME = (
    Finding(
        "SARSA learns never to lose as first, not as second",
        {"random-4000-first": MATCHES, "random-20000-second": DIFFERS},
    ),
    Finding(
        "the policy gradient wins in three dimensions, not in four",
        {"acceptable-3d": MATCHES, "hard-4d": MATCHES},
    ),
)
PAPER = Paper(
    "n-dimensional",
    study.PUBLISHED,
    (*study.PARTS, opponents.PART),
    claims=CLAIMS,
    tables={**TABLES, **opponents.TABLES},
    figures=FIGURES,
    values={**VALUES, "learning": opponents.said},
    findings=FINDINGS,
    outcome=OUTCOME,
)
