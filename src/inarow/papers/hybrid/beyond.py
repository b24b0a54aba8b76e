"""Beyond the hybrid paper: larger boards, memory, its own kind of interval, what fits it best.

The paper names hybridness on larger Connect-4 boards as future work. On 4x5 and 5x4 (rows x
columns) a table still holds every position, so that the chance of losing is exact. The share of
random games goes from none to all of them; the paper's is one in seven.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from inarow.graph.memory_cache import size_of
from inarow.lab.numbers import Scale
from inarow.lab.statistics import bootstrap_interval, summary
from inarow.lab.training.run import Run, Stop, continue_training
from inarow.learn.tabular.table import TabularTraining
from inarow.papers.figures import Curves, Figure, Line, Panel, Point
from inarow.papers.hybrid.claims import SAMPLED
from inarow.papers.hybrid.study import (
    BASE_CORNER,
    BEST,
    CONNECT4,
    CORNERS,
    GAMES,
    MAX_GAMES,
    RUNS,
    STOP_GAMES,
    TESTS,
    TICTACTOE,
    TRAINERS,
)
from inarow.papers.measures import Data, Measure, Measured, ResultRow, final, subtract
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, TINY, Condition, Part, Request, shorter
from inarow.papers.tables import (
    Grid,
    Made,
    PaperTable,
    Table,
    bytes_text,
    list_text,
    plus_minus,
    significant,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The share of random games, on four boards

LARGER = "larger"
LARGER_GAMES = {  # of training
    TICTACTOE: 100_000, CONNECT4: 500_000, "connect4:4x5": 1_000_000, "connect4:5x4": 1_000_000,
}  # fmt: skip
NONE, PAPERS, ALL = "0", "1/7", "1"
BOARDS = {game: game.removeprefix("connect4:") for game in LARGER_GAMES}
SHARES = (NONE, "1/20", PAPERS, "1/3", "2/3", "9/10", ALL)
LARGER_CONDITIONS = [
    Condition(
        {"game": game, "share": share},
        {
            "game": game, "learner": "td", "against": BEST, "games": games,
            "random_games": share, "evaluations": ["exact:random", "expert"],
        },
    )
    for game, games in LARGER_GAMES.items()
    for share in SHARES
]  # fmt: skip
EXPERT = "lost against expert"
LOST = final("chance lost as second against random", part=LARGER) * 1e6
LOST_TO_EXPERT = final(EXPERT, part=LARGER)


def only_small(condition: Condition) -> ResultRow | None:
    """Cut to a few games of tic-tac-toe: the graphs of larger boards take seconds to build."""
    return shorter(1_000)(condition) if condition.game == TICTACTOE else None


def points(game: str, data: Data) -> list[Point]:
    """Return games lost to random, of a million, and the standard error, over the shares."""
    found = [(share, LOST(data, game=game, share=share)) for share in SHARES]
    return [
        (_number(share), one.mean, max(0.0, one.mean - error), one.mean + error)
        for share, one in found
        if one is not None
        for error in (one.stderr or 0.0,)
    ]


def _number(share: str) -> float:
    above, _, below = share.partition("/")
    return float(above) / float(below or 1)


def least_lost(data: Data) -> dict[str, ResultRow]:
    """Return by board after which share least is lost to random, and where the paper's stands.

    Shares are alike where the interval of their difference has zero in it.
    """
    found: dict[str, ResultRow] = {}
    for game, board in BOARDS.items():
        asked = {share: LOST(data, game=game, share=share) for share in SHARES}
        lost = {share: one for share, one in asked.items() if one is not None}
        if len(lost) < len(SHARES):
            continue
        best = min(lost, key=lambda share: lost[share].mean)
        alike = [s for s in SHARES if s != best and not _is_less(lost[best], lost[s])]
        found[board] = {
            "games": LARGER_GAMES[game],
            "best": best,
            "lost": {share: one.mean for share, one in lost.items()},
            "alike": list_text(alike),
            "with_best": best == PAPERS or PAPERS in alike,
            "helps": _is_less(lost[PAPERS], lost[NONE]) and _is_less(lost[PAPERS], lost[ALL]),
        }
    return found


def _is_less(one: Measured, other: Measured) -> bool:
    interval = subtract(one, other).interval
    return interval is not None and interval[1] < 0


def share_grid(title: str, measure: Measure, digits: int) -> Grid:
    """Return a table of a measure: shares down, boards across."""
    return Grid(
        title, "share", {share: {"share": share} for share in SHARES},
        {board: measure.where(game=game) for game, board in BOARDS.items()},
        partial(plus_minus, digits=digits), part=LARGER,
    )  # fmt: skip


def with_zero(axes: Axes) -> None:
    """Draw a logarithmic axis that goes on to zero: where nothing is lost the curve lies there."""
    axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(0, None)


CURVES = Curves(
    (Panel("", tuple(Line(board, partial(points, game)) for game, board in BOARDS.items())),),
    "games lost to random, of a million", "share of random games in training", log_x=False,
    xlim=(0.0, 1.0), beside=True, finish=with_zero,
)  # fmt: skip
LARGER_FIGURE = Figure(
    "share-of-random-games",
    "Games lost to random after training, by the share of random games; mean and standard error",
    CURVES, CURVES.has, (8.0, 4.0), LARGER,
)  # fmt: skip

# The memory of training: a run of each trainer, until the paper's rule ends it

MEMORY = "memory"


def memory_facts(request: Request) -> ResultRow:
    """Return what runs hold in memory, and how many positions they have written."""
    games = [TICTACTOE] if request.scale == TINY else list(GAMES)
    most = 1_000 if request.scale == TINY else MAX_GAMES
    return {"memory": [memory_of(game, trainer, most) for game in games for trainer in TRAINERS]}


def memory_of(game: str, trainer: str, most: int) -> ResultRow:
    """Return the memory of one run in bytes."""
    run = Run(game, "td", {}, trainer, 0)
    continue_training(run, most, Stop(STOP_GAMES))
    training = run.training
    assert isinstance(training, TabularTraining)
    arrays, table = training.arrays, training.arrays["utilities"]
    return {
        "game": game, "trainer": trainer, "games": run.games,
        "positions": training.graph.positions,
        "written": int((table != 0).any(axis=0).sum()),
        "table": table.nbytes,
        "held": size_of([training.graph, training.transitions, *arrays.values()]),
    }  # fmt: skip


def memory_table(game: str, data: Data) -> Table | None:
    """Return the memory of training by trainer."""
    rows = [row for row in data.fact("memory", part=MEMORY) or () if row["game"] == game]
    heads = ("trainer", "games", "positions written", "table", "held")
    lines = (
        (row["trainer"], f"{row['games']:,}", f"{row['written']:,} of {row['positions']:,}",
         *(bytes_text(row[name]) for name in heads[3:]))
        for row in rows
    )  # fmt: skip
    return Table(heads, tuple(lines), f"{GAMES[game]}: memory of one run") if rows else None


def written(data: Data) -> dict[str, ResultRow]:
    """Return by game how many positions the paper's best trainer and random led to, and its place.

    The place counts the trainers from the one that led to the fewest.
    """
    found: dict[str, ResultRow] = {}
    for game, title in GAMES.items():
        rows = data.fact("memory", part=MEMORY) or ()
        counts = {row["trainer"]: row["written"] for row in rows if row["game"] == game}
        if counts:
            found[title] = {
                "best": counts[BEST],
                "random": counts["random"],
                "more": counts[BEST] > counts["random"],
                "place": 1 + sum(count < counts[BEST] for count in counts.values()),
                "of": len(counts),
            }
    return found


# The intervals of the paper, by its method and by ours

QUANTITIES = {  # by heading: the metric, digits after the point, and the most that it can be
    "training games": ("games", 0, MAX_GAMES),
    "lost to random": ("lost against random", 1, TESTS),
    "lost to the expert": (EXPERT, 3, math.inf),
}


def intervals_table(game: str, data: Data) -> Table | None:
    """Return means over runs with the bootstrap's 95% intervals, and with those used here."""
    lines = []
    for head, (metric, digits, most) in QUANTITIES.items():
        for row in data.rows(game=game):
            values = np.array(row["finals"][metric])
            if len(values) > 1:
                found, plain = summary(values, Scale(0.0, most)), bootstrap_interval(values)
                pairs = (plain, (found.low, found.high))
                texts = (" to ".join(significant(end, digits) for end in pair) for pair in pairs)
                lines.append((head, str(row["trainer"]), significant(found.mean, digits), *texts))
    heads = ("", "trainer", "mean", "bootstrap (BCa)", "ours")
    title = f"{GAMES[game]}: 95% intervals of the mean"
    return Table(heads, tuple(lines), title, (0, 1)) if lines else None


# Which combination of what the paper leaves open fits Connect-4 on 4x4 best. Every combination was
# run with every trainer. It is ranked by the likelihood of the paper's 24 numbers (four tables, six
# trainers) if the paper's runs were like these: normal for means, and with the uncertainty of both
# studies. So a combination that fits some numbers and misses others by far does not win.

# By entry: the measure of a row, and what one run that is not like the others differs by.
MEASURES = {
    "table-1-games": ("games", 10_000.0),
    "table-2": ("perfect", 100.0),
    "table-3": ("lost against random", 1.0),
    "table-4": ("lost against expert", 1.0),
}
SCREEN, LONGER = "joint", "joint-best"  # parts
SHOWN = 10
FAR = 2.0  # a number is missed if it is so many standard errors away


class Fit(NamedTuple):
    """How well a combination fits."""

    corner: str
    likelihood: float  # its logarithm
    missed: int  # numbers that are more than `FAR` standard errors away
    numbers: int
    runs: int  # the fewest of a trainer


def spread_of(error: float, runs: int, step: float) -> float:
    """Return the standard deviation of a difference between a mean of the paper and ours.

    Where few runs differ from the rest, or none, their spread may be too small by chance: one more
    run that differs by `step` is included.
    """
    deviation = math.sqrt(error**2 * runs + step**2 / (runs + 1))
    return deviation * math.sqrt(1 / RUNS + 1 / runs)


def fit(corner: str, rows: Sequence[ResultRow], game: str = CONNECT4) -> Fit:
    """Return the fit of a combination to the numbers of a game, given its row for each trainer."""
    likelihood, missed, numbers = 0.0, 0, 0
    for column in SAMPLED:
        measure, step = MEASURES[column.entry.name]
        for row in rows:
            mean, error = row[measure]
            published = column.entry.numbers[game][row["trainer"]]
            spread = spread_of(error, row["runs"], step)
            away = (published - mean) / spread
            likelihood -= away**2 / 2 + math.log(spread * math.sqrt(2 * math.pi))
            missed += abs(away) > FAR
            numbers += 1
    return Fit(corner, likelihood, missed, numbers, min(row["runs"] for row in rows))


def fits(data: Data, part: str = SCREEN, game: str = CONNECT4) -> list[Fit]:
    """Return the fits of all combinations that were run with every trainer, the best first."""
    by_corner: dict[str, list[ResultRow]] = {}
    for row in data.rows(part=part, game=game):
        if row["runs"] > 1:
            by_corner.setdefault(row["corner"], []).append(row)
    found = [fit(c, rows, game) for c, rows in by_corner.items() if len(rows) == len(TRAINERS)]
    return sorted(found, key=lambda one: -one.likelihood)


def best_corners(data: Data) -> list[str]:
    """Return the names of the combinations that fit best in the screen: for `joint-best`."""
    return [one.corner for one in fits(data)[:SHOWN]]


def missed_text(one: Fit | None) -> str:
    """Return how many numbers a combination misses; nothing if it was not run."""
    return "" if one is None else f"{one.missed} of {one.numbers}"


def joint_table(data: Data, base: str = BASE_CORNER) -> Table | None:
    """List the combinations of the screen that fit best, and the base."""
    found = fits(data)
    if not found:
        return None
    ranked = {one.corner: (place, one) for place, one in enumerate(found, start=1)}
    shown = list(ranked.values())[:SHOWN]
    if base in ranked and ranked[base] not in shown:
        shown.append(ranked[base])
    lines = tuple(
        (
            str(place),
            f"{one.corner}{' (base)' if one.corner == base else ''}",
            f"{one.likelihood - found[0].likelihood:.1f}",
            missed_text(one),
            str(one.runs),
        )
        for place, one in shown
    )
    heads = ("rank", "combination", "log-likelihood", "missed", "runs")
    every = math.prod(map(len, CORNERS.values()))
    some = f"{len(found)} combinations" + (f", of {every}" if len(found) < every else "")
    return Table(heads, lines, f"Connect-4 on 4x4: the best of {some}", (1,))


def best_table(data: Data, base: str = BASE_CORNER) -> Table | None:
    """List the combinations that were run at length, with what each misses in both games."""
    found = fits(data, LONGER)
    held = {one.corner: one for one in fits(data, LONGER, TICTACTOE)}
    lines = tuple(
        (
            f"{one.corner}{' (base)' if one.corner == base else ''}",
            f"{one.likelihood - found[0].likelihood:.1f}",
            missed_text(one),
            missed_text(held.get(one.corner)),
            str(one.runs),
        )
        for one in found
    )
    heads = (
        "combination",
        "log-likelihood",
        "missed in Connect-4",
        "missed in tic-tac-toe",
        "runs",
    )
    return Table(heads, lines, "The best combinations in both games") if lines else None


def joint_counts(data: Data) -> dict[str, int]:
    """Return for the page: combinations, those that were run, and the fewest numbers missed."""
    found = fits(data)
    return {
        "all": math.prod(map(len, CORNERS.values())),
        "run": len(found),
        "runs": min((one.runs for one in found), default=0),
        "missed": min((one.missed for one in found), default=0),
        "numbers": found[0].numbers if found else 0,
    }


PARTS_BEYOND = (
    Part(
        LARGER, "the share of random games, from none to all, on boards up to 5x4",
        LARGER_CONDITIONS, {TINY: 2, QUICK: 2, PAPER_SCALE: 5}, own=True, tiny=only_small,
        keeps=lambda condition: False,
    ),
    Part(
        MEMORY, "the memory of training", (), {TINY: 1, QUICK: 1, PAPER_SCALE: 1},
        default=PAPER_SCALE, facts=memory_facts, own=True,
    ),
)  # fmt: skip
TABLES_BEYOND: dict[str, PaperTable] = {
    "shares-random": share_grid("Games lost to random, of a million", LOST, 1),
    "shares-expert": share_grid(
        "Games lost to the expert, one for each opening", LOST_TO_EXPERT, 1
    ),
    **{f"memory-{game}": Made(partial(memory_table, game), MEMORY) for game in GAMES},
    **{f"intervals-{game}": Made(partial(intervals_table, game)) for game in GAMES},
}
