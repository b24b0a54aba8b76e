"""What only the Connect Four paper needs: one game's numbers, growth, and why seeds differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import product

import numpy as np

from inarow.engine.streams import LEARNER, make_stream
from inarow.engine.tables import tables_of
from inarow.game import Game, Position
from inarow.game import game as game_of
from inarow.lab.statistics import power_law, student, variance_shares
from inarow.learn.ntuple.tuples import coverage, draw_tuples
from inarow.papers.measures import (
    Data,
    Label,
    Measure,
    Measured,
    exactly,
    final,
    from_values,
    ratio,
)
from inarow.papers.results import Stored
from inarow.papers.tables import Table
from inarow.papers.verdicts import Row
from inarow.search import naive_minimax
from inarow.search.minimax import ORDERS, Searcher

# Measures of games: each is played once and always the same, so that there is no spread

Rows = Sequence[Stored]


def of_rows(read: Callable[[Rows], Measured | None], **bound: Label) -> Measure:
    """Something of all rows that have the labels; None where there is none."""

    def measure(data: Data, **labels: Label) -> Measured | None:
        rows = data.rows(**{**bound, **labels})
        return read(rows) if rows else None

    return measure


def of_row(read: Callable[[Stored], Measured | None], **bound: Label) -> Measure:
    """Something of the one row that has the labels."""
    return of_rows(lambda rows: read(*rows), **bound)


def chosen(metric: str, choose: Callable[[Sequence[float]], float], **bound: Label) -> Measure:
    """One of the values that runs had at their end, as the highest."""
    return of_row(lambda row: exactly(choose(row["finals"][metric])), **bound)


def one(metric: str, factor: float = 1.0, /, **bound: Label) -> Measure:
    """Of a game; of its repetitions the least, since only times differ."""
    return chosen(metric, lambda values: factor * min(values), **bound)


def a_move(metric: str, factor: float = 1.0, /, **bound: Label) -> Measure:
    """The same by the move."""
    return ratio(one(metric, factor, **bound), one("moves", **bound))


def ending(**bound: Label) -> Measure:
    """Moves of a game; as values, also who won: 0 nobody, 1 the first, 2 the second."""

    def read(row: Stored) -> Measured:
        (moves,), (winner,) = row["finals"]["moves"], row["finals"]["winner"]
        return Measured(moves, values=(moves, winner))

    return of_row(read, **bound)


def naive_bytes(factor: float, boards: Mapping[str, tuple[int, int]], depth: int) -> Measure:
    """What the naive program allocates, all of it before the first move: no game is needed."""

    def measure(data: Data, board: str) -> Measured | None:
        if not data.rows():
            return None
        program = naive_minimax.new_program(Game(boards[board], 4, gravity=True), depth)
        return exactly(factor * naive_minimax.held_bytes(program))

    return measure


def visits(**bound: Label) -> Measure:
    """Positions visited for a move: those whose moves were looked at, and leaves."""

    def read(row: Stored) -> Measured:
        nodes, leaves, moves = (row["finals"][name][0] for name in ("nodes", "leaves", "moves"))
        return exactly((nodes + leaves) / moves)

    return of_row(read, **bound)


def lists_of_moves(factor: float, boards: Mapping[str, tuple[int, int]], **bound: Label) -> Measure:
    """Bytes of lists of columns, four each, one list for each position whose moves were tried."""
    return lambda data, board: one("nodes", factor * 4 * boards[board][1], **bound)(
        data, board=board
    )


def scanning(factor: float = 1.0, **bound: Label) -> Measure:
    """Seconds that the naive program's leaves take: as many scans of the board as there are."""

    def measure(data: Data, board: str) -> Measured | None:
        seconds = (data.fact("scan") or {}).get("seconds", {}).get(board)
        return one("leaves", factor * seconds, **bound)(data, board=board) if seconds else None

    return measure


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


def growth(quantity: Measure, boards: Mapping[str, float], **labels: Label) -> Measure:
    """The x of size^x that fits a quantity best over the boards, and its 95% interval."""

    def measure(data: Data, **more: Label) -> Measured | None:
        found = {board: quantity(data, board=board, **labels, **more) for board in boards}
        points = [(boards[board], ours.mean) for board, ours in found.items() if ours]
        if len(points) < 3:
            return None
        slope, error = power_law(*zip(*points, strict=True))
        half, freedom = student(len(points) - 2) * error, len(points) - 2
        return Measured(slope, len(points), error, slope - half, slope + half, freedom)

    return measure


# Figure 1


def games_like(shown: Sequence[str], deepest: int) -> dict[str, int]:
    """Plays all games between agents of all depths and orders, and looks for a board at the end.

    The paper does not say which agents play in Figure 1. An end may be its mirror image.
    """
    game = Game((6, 7), 4, gravity=True)
    depths = range(1, deepest + 1)
    agents = [Searcher(tables_of(game), depth, order) for depth in depths for order in ORDERS]
    rows = [[int(cell) for cell in row.replace(".", "0")] for row in reversed(shown)]
    ends = [np.ravel(rows).tolist(), np.fliplr(rows).ravel().tolist()]
    moves, games, same_end, same_length = int(np.count_nonzero(rows)), 0, 0, 0
    for pair in product(agents, agents):
        position = Position(game)
        while position.outcome is None:
            stones = np.array(position.stones, dtype=np.int8)
            position.push(pair[position.ply % 2].run(stones).move)
        games += 1
        same_end += list(position.stones) in ends
        same_length += (position.ply, position.outcome.winner) == (moves, 2)
    return {
        "deepest": deepest,
        "orders": len(ORDERS),
        "games": games,
        "same_end": same_end,
        "same_length_and_winner": same_length,
    }


def lines_won(shown: Sequence[str]) -> int:
    """Lines of four of the second player on a board, less those of the first."""
    game = Game((6, 7), 4, gravity=True)
    rows = [[int(cell) for cell in row.replace(".", "0")] for row in reversed(shown)]
    lines = np.ravel(rows)[game.lines]
    return int((lines == 2).all(axis=1).sum() - (lines == 1).all(axis=1).sum())


# Measures of runs


def of_ended(row: Stored, metric: str) -> list[float]:
    """What the pairs whose training the rule ended had at their end."""
    finals = row["finals"]
    return [value for value, done in zip(finals[metric], finals["done"], strict=True) if done]


def among_ended(metric: str, choose: Callable[[Sequence[float]], float], **bound: Label) -> Measure:
    """One number of these values, as their median; None if the rule ended no training."""

    def read(row: Stored) -> Measured | None:
        values = of_ended(row, metric)
        return exactly(choose(values)) if values else None

    return of_row(read, **bound)


def by_seed(
    title: str,
    columns: Mapping[str, str | Callable[[dict[str, float]], str]],
    first: int,
    part: str,
    **at: Label,
) -> Callable[..., Table | None]:
    """A table with a line for each seed of a condition, from the first; columns are formats."""

    def make(data: Data, rows: Sequence[Row]) -> Table | None:
        del rows
        row, results = data.row(part=part, **at), data.results(part)
        if row is None or results is None:
            return None
        seed = first if results.seed is None else results.seed
        runs = [{n: v[run] for n, v in row["finals"].items()} for run in range(row["runs"])]
        lines = (
            (str(seed + n), *(t(run) if callable(t) else t.format(**run) for t in columns.values()))
            for n, run in enumerate(runs)
        )
        return Table(("seed", *columns), tuple(lines), title, texts=())

    return make


def mean_change(**bound: Label) -> Measure:
    """By how much the score of a pair changes from one evaluation to the next."""
    return of_row(
        lambda row: from_values([float(np.abs(np.diff(s)).mean()) for s in row["scores"]]), **bound
    )


def better(metric: str, one_of: Stored, other: Stored) -> Measure:
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


def pooled(metric: str, **bound: Label) -> Measure:
    """Over all sets of tuples and seeds of a network."""
    return of_rows(lambda rows: from_values(_all_runs(rows, metric)), **bound)


def correlation(some: str, other: str, **bound: Label) -> Measure:
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


def component(place: int, games: int, **bound: Label) -> Measure:
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
        return exactly(100 * variance_shares(scores, varied)[place])

    return of_rows(read, **bound)


@lru_cache
def _coverage_of(game: str, number: int, length: int, seed: int) -> tuple[float, float, float]:
    board = game_of(game)
    return coverage(
        board, draw_tuples(board, number, length, make_stream(seed, LEARNER, 1)).tolist()
    )


def seen(place: int, game: str, number: int, length: int = 8) -> Measure:
    """What the tuples of a run see: one of the three numbers of `coverage`."""
    return lambda data, tuples, **labels: exactly(_coverage_of(game, number, length, tuples)[place])
