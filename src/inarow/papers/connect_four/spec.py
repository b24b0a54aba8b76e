"""The Connect Four paper: minimax with alpha-beta on thirteen boards, and n-tuple TDL.

`runs` says what is run, `claims` what is compared, `tables` and this file what is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from statistics import mean
from typing import TYPE_CHECKING

from inarow.game import game as game_of
from inarow.lab.minimax_work import OURS
from inarow.lab.ntuple_work import CPU, LAST, PERFECT_GAMES, SCORE
from inarow.lab.own_games import FLAT
from inarow.lab.plot_style import BLACK, BLUE, GREEN, ORANGE, VERMILION, plain_number
from inarow.papers.claims import Column
from inarow.papers.connect_four import extra, runs
from inarow.papers.connect_four.claims import CHANCE, CLAIMS, COLUMNS, WIDTHS, ours, pairs
from inarow.papers.connect_four.extra import a_move, one
from inarow.papers.connect_four.tables import SCANS, SLOWER, TABLES, keeping, naive, values_text
from inarow.papers.measures import Data, Label, Measure, final
from inarow.papers.paper import Paper
from inarow.papers.plots import Curves, Figure, Level, Line, Panel, Point, Points, Style
from inarow.papers.results import Stored

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIRST_STYLE: Style = (BLUE, "-")
SECOND_STYLE: Style = (VERMILION, (0, (5, 1.5)))
PUBLISHED_STYLE: Style = (BLACK, "none")

# Figures 2 and 3, and depths


def over(
    label: str,
    places: Mapping[str, float] | Mapping[int, float],
    quantity: Measure,
    **labels: Label,
) -> Points:
    """A quantity by board or by depth: where its points are drawn."""

    def points(data: Data) -> list[Point]:
        found = [(x, quantity(data, **{label: value}, **labels)) for value, x in places.items()]
        return [(x, ours.mean, None, None) for x, ours in found if ours]

    return points


DEPTHS = {depth: float(depth) for depth in runs.DEPTHS}
over_boards = partial(over, "board", WIDTHS)


def published_point(column: Column, factor: float) -> Line:
    """The only number that the paper gives for a figure."""
    number, unit = column.entry.numbers[runs.LARGEST], column.entry.unit
    point: Point = (WIDTHS[runs.LARGEST], factor * number, None, None)
    label = f"the paper: {number:g} {unit}"
    return Line(label, lambda data: [point] if data.rows() else [], PUBLISHED_STYLE)


def name_boards(axes: Axes) -> None:
    """Every other board below the axis, as in the paper."""
    axes.set_xticks(list(WIDTHS.values())[::2], list(runs.BOARDS)[::2], rotation=45)


def boards_figure(ylabel: str, panels: tuple[Panel, ...]) -> Curves:
    """Over the boards, heights logarithmic."""
    return Curves(
        panels, ylabel, "board, rows x columns", log_x=False, log_y=True, ytext=plain_number,
        xlim=(6, 32), finish=name_boards,
    )  # fmt: skip


def both_programs(quantity: Measure, *more: Line) -> tuple[Line, ...]:
    """Ours and the naive program."""
    return (
        Line("inarow", over_boards(quantity, **ours), FIRST_STYLE),
        Line("naive", over_boards(quantity, **naive), SECOND_STYLE),
        *more,
    )


THIRD: Style = (GREEN, (0, (3, 1.5)))
SCANNING = Line("naive, leaf scans only", over_boards(SCANS), THIRD)
TIME = boards_figure("CPU seconds", (
    Panel("per game", both_programs(
        one("seconds"), SCANNING, published_point(COLUMNS[0], 60))),
    Panel("per move", both_programs(a_move("seconds"))),
))  # fmt: skip
FOURTH: Style = (ORANGE, (0, (1, 1)))
MEMORY = boards_figure("megabytes", (Panel("", (
    Line("inarow, total", over_boards(one("allocated bytes", 1e-6), **ours), FIRST_STYLE),
    Line(
        "naive, total",
        over_boards(extra.naive_bytes(1e-6, runs.BOARDS, runs.DEPTH)), SECOND_STYLE,
    ),
    Line("inarow, held at one time", over_boards(one("held bytes", 1e-6), **ours), THIRD),
    Line(
        "naive, with lists of moves",
        over_boards(extra.lists_of_moves(1e-6, runs.BOARDS, **keeping)), FOURTH,
    ),
    published_point(COLUMNS[1], 1000),
)),))  # fmt: skip
A_MOVE = a_move("seconds", 1000, program=OURS)
SHOWN = ("6x7", "14x15", "22x23", runs.LARGEST)
DEPTH_CURVES = Curves(
    (Panel("", tuple(Line(b, over("depth", DEPTHS, A_MOVE, board=b)) for b in SHOWN)),),
    "CPU milliseconds per move", "search depth, in moves", log_x=False, log_y=True,
    xlim=(1.8, 8.2), ytext=plain_number,
)  # fmt: skip

# Figure 4


def scores(rule: str, number: int | None) -> Points:
    """The scores of a pair; of None those of the first that ended by the rule."""

    def points(data: Data) -> list[Point]:
        row = data.row(**{**pairs, "rule": rule})
        if row is None:
            return []
        ended = [run for run, done in enumerate(row["finals"]["done"]) if done]
        shown = ended[:1] if number is None else range(row["runs"])[number : number + 1]
        return [
            (runs.EVERY * (n + 1), score, None, None)
            for run in shown
            for n, score in enumerate(row["scores"][run])
        ]

    return points


SHOWN_GAMES = 2_000_000  # all ten million would be a solid area
PALE_STYLE: Style = ("#00000022", "-")
TARGET = Level("the paper's target", lambda data: runs.TARGET, (ORANGE, "--"))


def panel_of(rule: str) -> Panel:
    """All pairs that train until a rule holds, and the first of which it does."""
    pale = (Line("_", scores(rule, number), PALE_STYLE) for number in range(runs.PAIRS))
    ended = Line("the first pair whose training ended by the rule", scores(rule, None), FIRST_STYLE)
    return Panel(f"until {rule} the previous two", (*pale, ended), (TARGET,))


FOUR = Curves(
    tuple(map(panel_of, runs.RULES)), f"score of {runs.EVALUATED} games", log_x=False,
    xlim=(0, SHOWN_GAMES), ylim=(0, runs.EVALUATED),
)  # fmt: skip


def ended(rule: str) -> Points:
    """Per cent of pairs that a rule has ended, over games: a step for each."""

    def points(data: Data) -> list[Point]:
        both = {one: data.row(**{**pairs, "rule": one}) for one in runs.RULES}
        row = both[rule]
        if row is None:
            return []
        longest = max(
            games for other in both.values() if other for games in other["finals"]["games"]
        )
        found: list[Point] = [(runs.EVERY, 0.0, None, None)]
        for games in sorted(extra.of_ended(row, "games")):
            height = found[-1][1]
            found.append((games, height, None, None))
            found.append((games, height + 100 / row["runs"], None, None))
        return [*found, (longest, found[-1][1], None, None)]

    return points


ENDS = Curves(
    (Panel("", tuple(Line(f"score {rule} the previous two", ended(rule)) for rule in runs.RULES)),),
    "pairs whose training has ended", percent=True,
)  # fmt: skip
FIGURES = (
    Figure("figure-2-time", "Figure 2. Time by board", TIME, TIME.has, (9.0, 4.4)),
    Figure("figure-3-memory", "Figure 3. Memory by board", MEMORY, MEMORY.has, (8.0, 4.2)),
    Figure("depths", "Time by search depth", DEPTH_CURVES, DEPTH_CURVES.has),
    Figure(
        "figure-4-scores",
        f"Figure 4. Scores over the first {SHOWN_GAMES:,} training games",
        FOUR,
        FOUR.has,
        (9.0, 4.0),
        "tdl",
    ),
    Figure("ends", "Pairs whose training has ended, by rule", ENDS, ENDS.has, part="tdl"),
)

# What the prose asks for


def about_games(data: Data) -> Stored:
    """Of the paper's experiment."""

    def all_of(measure: Measure, **labels: Label) -> list[float]:
        found = [measure(data, board=board, **labels) for board in runs.BOARDS]
        return [measured.mean for measured in found if measured]

    deep = over("depth", DEPTHS, extra.visits(), program=OURS, board=runs.LARGEST)(data)
    steps = deep[-1][0] - deep[0][0] if deep else 0
    own = extra.growth(extra.visits(), WIDTHS, **ours)(data)
    return {
        "moves": all_of(one("moves"), **ours), "slower": all_of(SLOWER),
        "held": all_of(one("held bytes", 1e-3), **ours)[-1],
        "in_all": all_of(one("allocated bytes", 1e-3), **ours)[-1],
        "factor": (deep[-1][1] / deep[0][1]) ** (1 / steps) if steps else None,
        "columns": WIDTHS[runs.LARGEST], "exponent": own.mean if own else None,
        "scan_minutes": [seconds / 60 for seconds in all_of(SCANS)][-1:],
        "lists": all_of(extra.lists_of_moves(1e-9, runs.BOARDS, **keeping))[-1:],
        "scanned_with": (data.fact("scan") or {}).get("processor"),
    }  # fmt: skip


def about_pairs(data: Data) -> Stored:
    """Of the pairs as the paper trains them, by rule."""
    found = {rule: data.row(**{**pairs, "rule": rule}) for rule in runs.RULES}
    return {rule: about_rule(row) for rule, row in found.items() if row}


def about_rule(row: Stored) -> Stored:
    """Of the pairs that train until a rule holds."""
    finals = row["finals"]
    return {
        "runs": row["runs"], "ended": int(sum(finals["done"])), "most": max(finals["games"]),
        "seconds": max(finals["seconds"]), "score": mean(finals["perfect score"]),
        "best": max(finals["perfect score"]), "wins": int(sum(finals["wins"])),
        "games": int(sum(sum(finals[end]) for end in ("wins", "draws", "losses"))),
    }  # fmt: skip


def about_ten(data: Data) -> Stored:
    """Of the seeds that were not used to choose settings."""
    row = data.row(part="ten-seeds")
    return {name: row["finals"][name] for name in (SCORE, LAST, CPU)} if row else {}


def on_one_set(data: Data) -> dict[str, str]:
    """Scores with one set of tuples, only the output changed."""
    found = {
        name: final(SCORE, part="seeds", network=name, tuples=3)(data)
        for name in (runs.PLAIN, runs.LOGISTIC, runs.LINEAR)
    }
    return {name: values_text(scores) for name, scores in found.items() if scores}


def weights_that_arise(seed: int = 2) -> int:
    """Of an agent of the first pair: patterns that cannot lie on the board get no weight."""
    return int(runs.NETWORK.begin(game_of(runs.GAME), None, seed).arrays["weights"].size)


SETTINGS = {
    "alpha": runs.ALPHA, "epsilon": runs.EPSILON, "fall": runs.FALL, "most": runs.MOST_GAMES,
    "referee_most": runs.REFEREE_GAMES,
    "perfect_games": PERFECT_GAMES, "flat": FLAT, "small": runs.SMALL, "start": runs.START,
    "start_seed": runs.START_SEED, "more": runs.MORE_GAMES,
    "naive_boards": len(runs.NAIVE_BOARDS), "boards": len(runs.BOARDS),
    "figure_1": runs.FIGURE_1.value,
}  # fmt: skip
VALUES = {
    "set": lambda data: SETTINGS if data else {},
    "games": about_games,
    "pairs": about_pairs,
    "ten": about_ten,
    "one_set": on_one_set,
    "chance": lambda data: CHANCE if data else None,
    "minutes": lambda data: COLUMNS[0].entry.numbers[runs.LARGEST] if data else None,
    "heap": lambda data: COLUMNS[1].entry.numbers[runs.LARGEST] if data else None,
    "weights": lambda data: weights_that_arise() if data else 0,
    "figure_1": lambda data: data.fact("figure_1"),
    "most_flat": lambda data: max(
        (v for row in data.rows(part="seeds") for v in row["finals"]["own games: flat"]), default=0
    ),
}
PAPER = Paper(
    "connect-four", runs.FOLDER, runs.PUBLISHED, runs.PARTS, COLUMNS, CLAIMS, None, TABLES,
    FIGURES, VALUES,
)  # fmt: skip
