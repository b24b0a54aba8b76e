"""What only the Connect Four paper needs: one game's numbers, growth, and why seeds differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from statistics import mean
from typing import Any

import numpy as np
import numpy.typing as npt

from inarow.engine.streams import LEARNER, make_stream
from inarow.game import Game
from inarow.game import game as game_of
from inarow.lab.statistics import student
from inarow.learn.tuples import draw_tuples
from inarow.papers.measures import Data, Measure, Measured, exactly, final, from_values, ratio
from inarow.papers.tables import Table

Floats = npt.NDArray[np.float64]
SIGNS = {0: "=", 1: "+", 2: "-"}  # of a game: drawn, won by the first, by the second

# Measures of games: each is played once and always the same, so that there is no spread

Rows = Sequence[Mapping[str, Any]]


def of_rows(read: Callable[[Rows], Measured | None], **bound: Any) -> Measure:
    """Something of all rows that have the labels; None where there is none."""

    def measure(data: Data, **labels: Any) -> Measured | None:
        rows = data.rows(**{**bound, **labels})
        return read(rows) if rows else None

    return measure


def of_row(read: Callable[[Mapping[str, Any]], Measured | None], **bound: Any) -> Measure:
    """Something of the one row that has the labels."""
    return of_rows(lambda rows: read(*rows), **bound)


def chosen(metric: str, choose: Callable[[Sequence[float]], float], **bound: Any) -> Measure:
    """One of the values that runs had at their end, as the highest."""
    return of_row(lambda row: exactly(choose(row["finals"][metric])), **bound)


def one(metric: str, factor: float = 1.0, **bound: Any) -> Measure:
    """Of a game; of its repetitions the least, since only times differ."""
    return chosen(metric, lambda values: factor * min(values), **bound)


def a_move(metric: str, factor: float = 1.0, **bound: Any) -> Measure:
    """The same by the move."""
    return ratio(one(metric, factor, **bound), one("moves", **bound))


def visits(**bound: Any) -> Measure:
    """Positions visited for a move: those whose moves were looked at, and leaves."""

    def read(row: Mapping[str, Any]) -> Measured:
        nodes, leaves, moves = (row["finals"][name][0] for name in ("nodes", "leaves", "moves"))
        return exactly((nodes + leaves) / moves)

    return of_row(read, **bound)


def same_game(boards: Sequence[str], programs: Sequence[str], depth: int) -> Measure:
    """On how many of the boards, or on the one that is asked for, programs play the same game."""

    def measure(data: Data, board: str | None = None) -> Measured | None:
        pairs = [
            [data.row(program=program, depth=depth, board=name) for program in programs]
            for name in (boards if board is None else (board,))
        ]
        games = [[row["game"] for row in pair if row] for pair in pairs]
        both = [pair for pair in games if len(pair) == len(programs)]
        return exactly(sum(len(set(pair)) == 1 for pair in both)) if both else None

    return measure


def growth(quantity: Measure, boards: Mapping[str, float], **labels: Any) -> Measure:
    """The x of size^x that fits a quantity best over the boards, and its 95% interval."""

    def measure(data: Data, **more: Any) -> Measured | None:
        found = {board: quantity(data, board=board, **labels, **more) for board in boards}
        points = [(boards[board], ours.mean) for board, ours in found.items() if ours]
        if len(points) < 3:
            return None
        sizes, heights = np.log(np.array(points)).T
        slope, start = np.polyfit(sizes, heights, 1)
        rest = ((heights - start - slope * sizes) ** 2).sum() / (len(points) - 2)
        error = float(np.sqrt(rest / ((sizes - sizes.mean()) ** 2).sum()))
        half, freedom = student(len(points) - 2) * error, len(points) - 2
        return Measured(
            float(slope), len(points), error, float(slope) - half, float(slope) + half, freedom
        )

    return measure


def length_table(data: Data, rows: Any, boards: Sequence[str], depths: Sequence[int]) -> Table:
    """Moves and winner by board and depth."""
    del rows
    lines = []
    for board in boards:
        games = [data.row(program="inarow", board=board, depth=depth) for depth in depths]
        finals = [game["finals"] if game else None for game in games]
        texts = [f"{f['moves'][0]:.0f} {SIGNS[f['winner'][0]]}" if f else "" for f in finals]
        if any(texts):
            lines.append((board, *texts))
    title = "Moves of the game, by depth; the first wins +, the second -, draw ="
    return Table(("board", *map(str, depths)), tuple(lines), title)


# Measures of runs


def by_seed(
    columns: Mapping[str, Callable[[Mapping[str, float]], str]], first: int, title: str, **at: Any
) -> Callable[..., Table | None]:
    """A table with a line for each seed of a condition."""

    def make(data: Data, rows: Any) -> Table | None:
        del rows
        row = data.row(**at)
        if row is None:
            return None
        lines = [
            (
                str(first + run),
                *(text({n: v[run] for n, v in row["finals"].items()}) for text in columns.values()),
            )
            for run in range(row["runs"])
        ]
        return Table(("seed", *columns), tuple(lines), title, texts=())

    return make


def mean_change(**bound: Any) -> Measure:
    """By how much the score of a pair changes from one evaluation to the next."""
    return of_row(
        lambda row: from_values([float(np.abs(np.diff(s)).mean()) for s in row["scores"]]), **bound
    )


def better(metric: str, one_of: Mapping[str, Any], other: Mapping[str, Any]) -> Measure:
    """By how much a condition's runs are higher than another's with the same seeds."""

    def measure(data: Data) -> Measured | None:
        pair = [final(metric, **side)(data) for side in (one_of, other)]
        values = [found.values for found in pair if found]
        if len(values) < len(pair):
            return None
        return from_values([a - b for a, b in zip(*values, strict=True)])

    return measure


def _all_runs(rows: Rows, metric: str) -> list[float]:
    return [value for row in rows for value in row["finals"][metric]]


def pooled(metric: str, **bound: Any) -> Measure:
    """Over all sets of tuples and seeds of a network."""
    return of_rows(lambda rows: from_values(_all_runs(rows, metric)), **bound)


def correlation(some: str, other: str, **bound: Any) -> Measure:
    """Pearson's, of two metrics over all runs of a network."""

    def read(rows: Rows) -> Measured | None:
        from scipy.stats import pearsonr

        values = [_all_runs(rows, metric) for metric in (some, other)]
        if len(values[0]) < 4 or any(len(set(side)) == 1 for side in values):
            return None
        found = pearsonr(*values)
        low, high = found.confidence_interval()
        return Measured(float(found.statistic), len(values[0]), low=float(low), high=float(high))

    return of_rows(read, **bound)


# Why seeds differ


def share_out(scores: Floats, examined: Floats) -> tuple[float, float, float, float]:
    """Two-way analysis of variance, one run for each set of tuples (rows) and seed (columns).

    Shares of the variance that are due to tuples, to the seed of play and to both (components by
    the method of moments, none below 0), and of the last, what so few games of evaluation
    explain: `examined` is the variance that each score has from the games that measured it.
    """
    rows, columns = scores.shape
    total = scores.mean()
    by_row, by_column = scores.mean(axis=1), scores.mean(axis=0)
    rest = scores - by_row[:, None] - by_column[None, :] + total
    square = (rest**2).sum() / ((rows - 1) * (columns - 1))
    of_rows = max(((by_row - total) ** 2).sum() / (rows - 1) - square / columns, 0.0)
    of_columns = max(((by_column - total) ** 2).sum() / (columns - 1) - square / rows, 0.0)
    every = of_rows + of_columns + square
    measured = min(float(examined.mean()), square)
    parts = (float(part / every) if every else 0.0 for part in (of_rows, of_columns, square))
    return (*parts, measured / every if every else 0.0)  # type: ignore[return-value]


def component(place: int, games: int, **bound: Any) -> Measure:
    """One of these shares in per cent; None with one set of tuples."""

    def read(rows: Rows) -> Measured | None:
        if len(rows) < 2 or rows[0]["runs"] < 2:
            return None
        scores, wins, losses = (
            np.array([row["finals"][f"averaged {name}"] for row in rows])
            for name in ("score", "wins", "losses")
        )
        won, lost = wins / games, losses / games
        varied = (won + (1 - won - lost) / 4 - scores**2) / games
        return exactly(100 * share_out(scores, varied)[place])

    return of_rows(read, **bound)


def coverage(game: Game, tuples: Sequence[Sequence[int]]) -> tuple[float, float, float]:
    """Share of lines that a tuple or its image holds whole, tuples a line, the least a cell."""
    images = [{int(image[c]) for c in cells} for cells in tuples for image in game.symmetries]
    whole = [sum(set(line) <= cells for cells in images) for line in game.lines.tolist()]
    cells = [sum(cell in image for image in images) for cell in range(game.cells)]
    return mean(count > 0 for count in whole), mean(whole), min(cells)


@lru_cache
def _coverage_of(game: str, number: int, length: int, seed: int) -> tuple[float, float, float]:
    board = game_of(game)
    return coverage(
        board, draw_tuples(board, number, length, make_stream(seed, LEARNER, 1)).tolist()
    )


def seen(place: int, game: str, number: int, length: int = 8) -> Measure:
    """What the tuples of a run see: one of the three numbers of `coverage`."""
    return lambda data, tuples, **labels: exactly(_coverage_of(game, number, length, tuples)[place])
