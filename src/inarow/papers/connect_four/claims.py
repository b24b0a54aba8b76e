"""What the Connect Four paper publishes, and how each number and claim is tested."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from inarow.game import Game
from inarow.lab.statistics import Floats, student
from inarow.papers.claims import ClaimTest, Column, Costs, above, below, between, equal
from inarow.papers.connect_four import exact, minimax
from inarow.papers.connect_four.minimax import KEEPING, OURS
from inarow.papers.connect_four.study import (
    AT_MOST,
    BOARDS,
    CHOSEN,
    DEPTH,
    EVALUATED,
    FIGURE_1,
    GAME,
    GAMMAS,
    ITSELF,
    LESS,
    NETWORK,
    OTHER,
    PERFECT,
    PUBLISHED,
    SMALL,
    UNTRAINED,
)
from inarow.papers.connect_four.tdl import AGAINST_MINIMAX, MINIMAX, SCORE
from inarow.papers.measures import (
    Data,
    Label,
    Measure,
    Measured,
    ResultRow,
    computed,
    exactly,
    fact,
    final,
    from_values,
    of_row,
    of_rows,
    share,
)
from inarow.papers.verdicts import SMALLER

# Measures of games: each is played once and always the same, so that there is no spread


def statistic_of(
    metric: str, choose: Callable[[Sequence[float]], float], **bound: Label
) -> Measure:
    """Return one of the values that runs had at their end, as the highest."""
    return of_row(lambda row: exactly(choose(row["finals"][metric])), **bound)


def of_game(metric: str, factor: float = 1.0, /, **bound: Label) -> Measure:
    """Return a quantity of a game; of its repetitions the least, since only times differ."""
    return statistic_of(metric, lambda values: factor * min(values), **bound)


def per_move(metric: str, factor: float = 1.0, /, **bound: Label) -> Measure:
    """Return a quantity of a game per move."""
    return of_game(metric, factor, **bound) / of_game("moves", **bound)


def ending(**bound: Label) -> Measure:
    """Return the moves of a game; as values, also who won: 0 nobody, 1 the first, 2 the second."""

    def read(row: ResultRow) -> Measured:
        (moves,), (winner,) = row["finals"]["moves"], row["finals"]["winner"]
        return Measured(moves, values=(moves, winner))

    return of_row(read, **bound)


def naive_bytes(factor: float) -> Measure:
    """Return what the naive program allocates before the first move, which is all."""

    def measure(data: Data, board: str) -> Measured | None:
        if not data.rows():
            return None
        program = minimax.new_program(Game(BOARDS[board], 4, gravity=True), DEPTH)
        return exactly(factor * minimax.held_bytes(program))

    return Measure(measure)


def visits(**bound: Label) -> Measure:
    """Return the positions visited for a move: those whose moves were looked at, and leaves."""

    def read(row: ResultRow) -> Measured:
        nodes, leaves, moves = (row["finals"][name][0] for name in ("nodes", "leaves", "moves"))
        return exactly((nodes + leaves) / moves)

    return of_row(read, **bound)


def lists_of_moves(factor: float, **bound: Label) -> Measure:
    """Return bytes of lists of columns, four each, one for each position with its moves tried."""
    return Measure(
        lambda data, board, **_: of_game("nodes", factor * 4 * BOARDS[board][1], **bound)(
            data, board=board
        )
    )


def scanning(factor: float = 1.0, **bound: Label) -> Measure:
    """Return the seconds that the naive program's leaves take, each a scan of the board."""

    def measure(data: Data, board: str, **_: Label) -> Measured | None:
        seconds = (data.fact("scan") or {}).get("seconds", {}).get(board)
        return of_game("leaves", factor * seconds, **bound)(data, board=board) if seconds else None

    return Measure(measure)


def same_game(boards: Sequence[str] = ()) -> Measure:
    """Count the boards, or ask one, on which our search and the naive program play one game."""

    def measure(data: Data, board: str | None = None) -> Measured | None:
        pairs = [
            [data.row(program=program, depth=DEPTH, board=name) for program in (OURS, KEEPING)]
            for name in (boards if board is None else (board,))
        ]
        games = [[row["game"] for row in pair if row] for pair in pairs]
        both = [pair for pair in games if len(pair) == 2]
        if len(both) < len(pairs):  # of fewer boards there is no telling
            return None
        return exactly(sum(len(set(pair)) == 1 for pair in both))

    return Measure(measure)


def growth(quantity: Measure, boards: Mapping[str, float], **labels: Label) -> Measure:
    """Return the x of size^x that fits a quantity best over the boards, and its 95% interval."""

    def measure(data: Data, **more: Label) -> Measured | None:
        found = {board: quantity(data, board=board, **labels, **more) for board in boards}
        points = [(boards[board], ours.mean) for board, ours in found.items() if ours]
        if len(points) < 3:
            return None
        slope, error = power_law(*zip(*points, strict=True))
        half, freedom = student(len(points) - 2) * error, len(points) - 2
        return Measured(slope, len(points), error, slope - half, slope + half, freedom)

    return Measure(measure)


# Measures of runs


def of_finished_pairs(row: ResultRow, metric: str) -> list[float]:
    """Return what the pairs whose training the rule ended had at their end."""
    finals = row["finals"]
    return [value for value, done in zip(finals[metric], finals["done"], strict=True) if done]


def among_finished(
    metric: str, choose: Callable[[Sequence[float]], float], **bound: Label
) -> Measure:
    """Return one number of these values, as the median; None if the rule ended no training."""

    def read(row: ResultRow) -> Measured | None:
        values = of_finished_pairs(row, metric)
        return exactly(choose(values)) if values else None

    return of_row(read, **bound)


def mean_change(**bound: Label) -> Measure:
    """Return by how much the score of a pair changes from one evaluation to the next."""
    return of_row(
        lambda row: from_values([float(np.abs(np.diff(s)).mean()) for s in row["scores"]]), **bound
    )


def better(metric: str, one_of: ResultRow, other: ResultRow) -> Measure:
    """Return by how much a condition's runs are higher than another's with the same seeds."""

    def measure(data: Data, **_: Label) -> Measured | None:
        pair = [final(metric, **side)(data) for side in (one_of, other)]
        values = [found.values for found in pair if found]
        if len(values) < len(pair):
            return None
        return from_values([a - b for a, b in zip(*values, strict=True)])

    return Measure(measure)


def _all_runs(rows: list[ResultRow], metric: str) -> list[float]:
    return [value for row in rows for value in row["finals"][metric]]


def pooled(metric: str, **bound: Label) -> Measure:
    """Return the mean over all sets of tuples and seeds of a network."""
    return of_rows(lambda rows: from_values(_all_runs(rows, metric)), **bound)


def correlation(some: str, other: str, **bound: Label) -> Measure:
    """Return Pearson's correlation of two metrics over all runs of a network."""

    def read(rows: list[ResultRow]) -> Measured | None:
        from scipy.stats import pearsonr

        values = [_all_runs(rows, metric) for metric in (some, other)]
        if len(values[0]) < 4 or any(len(set(side)) == 1 for side in values):
            return None
        found = pearsonr(*values)
        low, high = found.confidence_interval()
        return Measured(float(found.statistic), len(values[0]), low=float(low), high=float(high))

    return of_rows(read, **bound)


# Why seeds differ


def component(place: int, games: int, **bound: Label) -> Measure:
    """Return one share of the variance between runs, in per cent; None with one set of tuples."""

    def read(rows: list[ResultRow]) -> Measured | None:
        if len(rows) < 2 or rows[0]["runs"] < 2:
            return None
        scores, wins, losses = (
            np.array([row["finals"][f"averaged {name}"] for row in rows])
            for name in ("score", "wins", "losses")
        )
        won, lost = wins / games, losses / games
        varied = (won + (1 - won - lost) / 4 - scores**2) / games
        return exactly(100 * variance_shares(scores, varied)[place])

    return of_rows(read, **bound)


def tuple_coverage(place: int, length: int = 8) -> Measure:
    """Return what the tuples of a run cover: one of the three numbers of `exact.coverage`."""
    number = SMALL["tuples"]
    return Measure(
        lambda data, tuples, **_: exactly(exact.coverage_of(GAME, number, length, tuples)[place])
    )


def power_law(sizes: npt.ArrayLike, heights: npt.ArrayLike) -> tuple[float, float]:
    """Return the x of size^x that fits best, by least squares of logarithms, and its error."""
    across, up = np.log(sizes), np.log(heights)
    slope, start = np.polyfit(across, up, 1)
    rest = ((up - start - slope * across) ** 2).sum() / (len(across) - 2)
    return float(slope), float(np.sqrt(rest / ((across - across.mean()) ** 2).sum()))


def variance_shares(scores: Floats, evaluated: Floats) -> tuple[float, float, float, float]:
    """Analyse variance two ways, one run for each set of tuples (rows) and seed (columns).

    Shares of the variance that are due to tuples, to the seed of play and to both (components by
    the method of moments, none below 0), and of the last, what so few games of evaluation
    explain: `evaluated` is the variance that each score has from the games that measured it.
    """
    rows, columns = scores.shape
    total = scores.mean()
    by_row, by_column = scores.mean(axis=1), scores.mean(axis=0)
    rest = scores - by_row[:, None] - by_column[None, :] + total
    square = (rest**2).sum() / ((rows - 1) * (columns - 1))
    of_rows = max(((by_row - total) ** 2).sum() / (rows - 1) - square / columns, 0.0)
    of_columns = max(((by_column - total) ** 2).sum() / (columns - 1) - square / rows, 0.0)
    every = of_rows + of_columns + square
    measured = min(float(evaluated.mean()), square)
    parts = (float(part / every) if every else 0.0 for part in (of_rows, of_columns, square))
    return (*parts, measured / every if every else 0.0)  # type: ignore[return-value]


# Numbers

PAIRED: dict[str, Label] = {"part": "tdl", "referee": OTHER, "rule": AT_MOST}
OUR_PROGRAM = {"program": OURS, "depth": DEPTH}
CELLS = {board: float(rows * columns) for board, (rows, columns) in BOARDS.items()}
WIDTHS = {board: float(columns) for board, (_, columns) in BOARDS.items()}
# What scores of the same agents differ by, on average, if every game is won half of the time.
CHANCE = 2 * math.sqrt(EVALUATED / 4 / math.pi)

TIME_COLUMN = Column(
    PUBLISHED["time"], ("board",), of_game("seconds", 1 / 60, **OUR_PROGRAM), Costs()
)
HEAP_COLUMN = Column(
    PUBLISHED["heap"],
    ("board",),
    of_game("allocated bytes", 1e-9, **OUR_PROGRAM),
    Costs(SMALLER),
)

# Claims

VISITS = growth(visits(), WIDTHS, program=KEEPING, depth=DEPTH)
IN_ALL, TIME = of_game("allocated bytes"), of_game("seconds")
POSITIONS = 4_531_985_219_092  # of 6x7 (Edelkamp and Kissmann 2008)
ABOUT_POSITIONS = PUBLISHED.value("positions")
DONE = share("done", **PAIRED)
TEN = {"part": "ten-seeds", "network": CHOSEN}
BEFORE = (UNTRAINED, ITSELF)  # trainers that are compared with others


def without_tanh(gamma: float) -> ClaimTest:
    """Test whether tanh makes networks worse: asked on tuples that did not suggest it."""
    linear, tanh = ({"part": "outputs", "gamma": gamma, "output": o} for o in ("linear", "tanh"))
    return above(better(SCORE, linear, tanh), 0)


CLAIMS: dict[str, ClaimTest] = {
    "time-grows": above(growth(TIME, CELLS, **OUR_PROGRAM), 1),
    "memory-grows": above(growth(IN_ALL, CELLS, **OUR_PROGRAM), 1),
    "time-complexity": between(VISITS, DEPTH / 2, DEPTH),
    "space-complexity": below(growth(IN_ALL, WIDTHS, **OUR_PROGRAM), 1.5),
    "figure-1": above(fact("figure_1", "same_end"), 0),
    "figure-1-winner": equal(computed(lambda: exact.lines_won(FIGURE_1.value))),
    "weights": equal(computed(lambda: NETWORK.tuples * 4**NETWORK.length)),
    "positions": between(computed(lambda: POSITIONS), ABOUT_POSITIONS, ABOUT_POSITIONS + 1e12),
    "completed": above(DONE, 50),
    "completed-less": above(DONE.where(rule=LESS), 50),
    "fluctuations": above(mean_change(**PAIRED), CHANCE),
    "minimax-stronger": below(final("score", referee=MINIMAX, part="tdl"), 50),
    "same-games": equal(same_game(list(BOARDS))),
    "ten-seeds-mean": above(final(SCORE, **TEN), 0.96),
    "ten-seeds-lowest": above(statistic_of(SCORE, min, **TEN), 0.88),
    **{f"linear-{gamma:g}": without_tanh(gamma) for gamma in GAMMAS},
    "trainer-perfect": final(SCORE, part="trainers").apart(
        by="trainer", higher=[PERFECT], lower=BEFORE
    ),
    "trainer-minimax": final(AGAINST_MINIMAX, part="trainers").apart(
        by="trainer", higher=[MINIMAX], lower=BEFORE
    ),
}
