"""The Connect Four paper: minimax with alpha-beta on thirteen boards, and n-tuple TDL.

`runs` says what is run, `claims` what is compared, `tables` and this file what is shown.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import mean
from typing import TYPE_CHECKING, Any

from inarow.game import game as game_of
from inarow.lab.look import BLACK, BLUE, GREEN, ORANGE, VERMILION, plain_number
from inarow.papers.connect_four import extra
from inarow.papers.connect_four.claims import CHANCE, CLAIMS, COLUMNS, VISITS, WIDTHS, ours
from inarow.papers.connect_four.extra import a_move, one
from inarow.papers.connect_four.minimax import OURS
from inarow.papers.connect_four.pair import ALPHA, EPSILON, FALL, NETWORK
from inarow.papers.connect_four.runs import (
    BOARDS,
    DEPTHS,
    EVALUATED,
    EVERY,
    FIGURE_1,
    FOLDER,
    GAME,
    LARGEST,
    LINEAR,
    LOGISTIC,
    MORE_GAMES,
    MOST_GAMES,
    NAIVE_BOARDS,
    OTHER,
    PAIRS,
    PARTS,
    PLAIN,
    PUBLISHED,
    SMALL,
    START,
    START_SEED,
    TARGET,
)
from inarow.papers.connect_four.tables import SLOWER, TABLES, naive, values_text
from inarow.papers.connect_four.tdl_work import CPU, EXAMINED, FLAT, LAST, SCORE
from inarow.papers.measures import Data, Measure, final
from inarow.papers.paper import Paper
from inarow.papers.plots import Curves, Figure, Level, Line, Panel, Point, Points, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIRST_STYLE: Style = (BLUE, "-")
SECOND_STYLE: Style = (VERMILION, (0, (5, 1.5)))
PUBLISHED_STYLE: Style = (BLACK, "none")

# Figures 2 and 3, and depths


def over_boards(quantity: Measure, **labels: Any) -> Points:
    """A quantity by the columns of the board."""

    def points(data: Data) -> list[Point]:
        found = {board: quantity(data, board=board, **labels) for board in BOARDS}
        return [(WIDTHS[board], ours.mean, None, None) for board, ours in found.items() if ours]

    return points


def over_depths(board: str) -> Points:
    """Milliseconds a move by depth."""

    def points(data: Data) -> list[Point]:
        measure = a_move("seconds", 1000, program=OURS, board=board)
        found = {depth: measure(data, depth=depth) for depth in DEPTHS}
        return [(depth, ours.mean, None, None) for depth, ours in found.items() if ours]

    return points


def published_point(entry: str, label: str, factor: float) -> Line:
    """The only number that the paper gives for a figure."""
    number = PUBLISHED.entries[entry].numbers[LARGEST]
    point: Point = (WIDTHS[LARGEST], factor * number, None, None)
    return Line(f"the paper: {label}", lambda data: [point], PUBLISHED_STYLE)


def name_boards(axes: Axes) -> None:
    """Boards below the axis."""
    axes.set_xticks(list(WIDTHS.values()), list(BOARDS), rotation=60)


def boards_figure(panels: tuple[Panel, ...], ylabel: str) -> Curves:
    """Over the boards, heights logarithmic."""
    return Curves(
        panels, ylabel, "board, rows x columns", log_x=False, log_y=True, ytext=plain_number,
        xlim=(6, 32), finish=name_boards,
    )  # fmt: skip


def both_programs(quantity: Measure, *more: Line) -> tuple[Line, ...]:
    """Ours and the naive program."""
    return (
        Line("inarow", over_boards(quantity, **ours), FIRST_STYLE),
        Line("naive, scans the board", over_boards(quantity, **naive), SECOND_STYLE),
        *more,
    )


TIME = boards_figure(
    (
        Panel(
            "a whole game",
            both_programs(one("seconds"), published_point("time", "19 minutes", 60)),
        ),
        Panel("a move", both_programs(a_move("seconds"))),
    ),
    "CPU seconds",
)
MEMORY = boards_figure(
    (
        Panel(
            "",
            (
                *both_programs(one("allocated bytes", 1e-6)),
                Line(
                    "inarow, held at a time", over_boards(one("held bytes", 1e-6), **ours),
                    (GREEN, (0, (3, 1.5))),
                ),
                published_point("heap", "1.1 GB in all", 1000),
            ),
        ),
    ),
    "megabytes",
)  # fmt: skip
DEPTH_CURVES = Curves(
    (Panel("", tuple(Line(b, over_depths(b)) for b in ("6x7", "14x15", "22x23", LARGEST))),),
    "CPU milliseconds a move", "depth of the search, in moves", log_x=False, log_y=True,
    xlim=(1.8, 8.2), ytext=plain_number,
)  # fmt: skip

# Figure 4


def scores(number: int | None) -> Points:
    """The scores of a pair; of None those of the first that ended by the rule."""

    def points(data: Data) -> list[Point]:
        row = data.row(part="tdl", referee=OTHER)
        if row is None:
            return []
        ended = [run for run, done in enumerate(row["finals"]["done"]) if done]
        run = (ended or [0])[0] if number is None else number
        found = row["scores"][run] if run < row["runs"] else []
        return [(EVERY * (n + 1), score, None, None) for n, score in enumerate(found)]

    return points


PALE_STYLE: Style = ("#00000022", "-")
FOUR = Curves(
    (
        Panel(
            "",
            (
                *(Line("_", scores(number), PALE_STYLE) for number in range(PAIRS)),
                Line("the first pair whose training ended by the rule", scores(None), FIRST_STYLE),
            ),
            (Level("the paper's target", lambda data: TARGET, (ORANGE, "--")),),
        ),
    ),
    f"score of {EVALUATED} games", log_x=False, ylim=(0, EVALUATED),
)  # fmt: skip
FIGURES = (
    Figure("figure-2-time", "Figure 2. Time by board", TIME, TIME.has, (9.0, 4.4)),
    Figure("figure-3-memory", "Figure 3. Memory by board", MEMORY, MEMORY.has, (8.0, 4.2)),
    Figure("depths", "Time by depth of the search", DEPTH_CURVES, DEPTH_CURVES.has),
    Figure("figure-4-scores", "Figure 4. Scores over training games", FOUR, FOUR.has, part="tdl"),
)

# What the prose asks for


def about_games(data: Data) -> dict[str, Any]:
    """Of the paper's experiment."""
    boards = [b for b in BOARDS if data.row(board=b, **ours)]

    def all_of(measure: Measure, **labels: Any) -> list[float]:
        return [found.mean for b in boards if (found := measure(data, board=b, **labels))]

    def falls(quantity: Measure) -> int:
        return sum(after < before for before, after in pairwise(all_of(quantity, **ours)))

    seconds, moves = all_of(one("seconds"), **ours), all_of(one("moves"), **ours)
    deep = [extra.visits(program=OURS, board=boards[-1], depth=d)(data) for d in DEPTHS]
    visited = [found.mean for found in deep if found]
    fits = [VISITS(data), extra.growth(extra.visits(), WIDTHS, **ours)(data)]
    return {
        "slowest": max(seconds), "slowest_board": boards[seconds.index(max(seconds))],
        "falls": falls(one("seconds")), "falls_a_move": falls(a_move("seconds")),
        "steps": len(boards) - 1, "shortest": min(moves), "longest": max(moves),
        "largest": boards[-1], "held": all_of(one("held bytes"), **ours)[-1],
        "in_all": all_of(one("allocated bytes"), **ours)[-1],
        "held_by_depth": [
            found.mean
            for d in (DEPTHS[0], DEPTHS[-1])
            if (found := one("held bytes", program=OURS, board=boards[-1], depth=d)(data))
        ],
        "slower": all_of(SLOWER), "exponents": [fit.mean for fit in fits if fit],
        "factor": (visited[-1] / visited[0]) ** (1 / (DEPTHS[-1] - DEPTHS[0])),
        "columns": WIDTHS[boards[-1]],
    }  # fmt: skip


def about_pairs(data: Data) -> dict[str, Any]:
    """Of the pairs as the paper trains them."""
    row = data.row(part="tdl", referee=OTHER)
    if row is None:
        return {}
    finals = row["finals"]
    ended = [s for s, done in zip(finals["perfect score"], finals["done"], strict=True) if done]
    return {
        "score": mean(finals["perfect score"]), "best": max(finals["perfect score"]),
        "ended": mean(ended) if ended else None, "wins": sum(finals["wins"]),
        "games": EXAMINED * row["runs"],
    }  # fmt: skip


def about_ten(data: Data) -> dict[str, Any]:
    """Of the seeds that chose nothing."""
    row = data.row(part="ten-seeds")
    return {name: row["finals"][name] for name in (SCORE, LAST, CPU)} if row else {}


def on_one_set(data: Data) -> dict[str, str]:
    """Scores with one set of tuples, only the output changed."""
    found = {
        name: final(SCORE, part="seeds", network=name, tuples=3)(data)
        for name in (PLAIN, LOGISTIC, LINEAR)
    }
    return {name: values_text(scores) for name, scores in found.items() if scores}


def weights_that_arise(seed: int = 2) -> int:
    """Of an agent of the first pair: patterns that cannot lie on the board get no weight."""
    return int(NETWORK.begin(game_of(GAME), None, seed).arrays["weights"].size)


SETTINGS = {
    "alpha": ALPHA, "epsilon": EPSILON, "fall": FALL, "most": MOST_GAMES, "examined": EXAMINED,
    "flat": FLAT, "small": SMALL, "start": START, "start_seed": START_SEED, "more": MORE_GAMES,
    "naive_boards": len(NAIVE_BOARDS), "published_weights": PUBLISHED.value("weights"),
    "positions": PUBLISHED.value("positions"), "figure_1": FIGURE_1.value,
}  # fmt: skip
VALUES = {
    "set": lambda data: SETTINGS if data else {},
    "games": about_games,
    "pairs": about_pairs,
    "ten": about_ten,
    "one_set": on_one_set,
    "chance": lambda data: CHANCE if data else None,
    "heap": lambda data: COLUMNS[1].entry.numbers[LARGEST] if data else None,
    "weights": lambda data: weights_that_arise() if data else 0,
    "figure_1": lambda data: data.fact("figure_1"),
    "most_flat": lambda data: max(
        (v for row in data.rows(part="seeds") for v in row["finals"]["own games: flat"]), default=0
    ),
}
PAPER = Paper(
    "connect-four", FOLDER, PUBLISHED, PARTS, COLUMNS, CLAIMS, None, TABLES, FIGURES, VALUES
)  # fmt: skip
