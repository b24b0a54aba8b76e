"""Minimax against a plain reference: the same games on the thirteen boards of the paper.

    python benchmarks/minimax.py [--boards 6x7 30x31] [--depth 6] [--json]

The naive program of `papers.connect_four.minimax` looks at all lines again in each leaf, which is
too slow beyond 14x15. The reference here follows on all boards, and is still too plain to be wrong
in the ways that a fast search can be: textbook alpha-beta (fail-hard, recursive), the columns
always from left to right, the first of the best kept, a score that each stone changes through the
lines of its cell, and nothing else: no sorting, no tables, nothing special near the horizon. It
shares no code with `inarow.search`, only the list of a game's lines.

On each board both programs play both sides of one game. Time is CPU time, compiling apart; the
exit code is 1 where a move differs.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

from inarow.engine.board import tables_of
from inarow.game import Game, Position
from inarow.search.minimax import Searcher

BOARDS = tuple(f"{rows}x{rows + 1}" for rows in range(6, 31, 2))
DEPTH = 6
WIN, THREE, TWO = 9_999_999, 1_000, 100  # the paper's utility
INFINITE = 1 << 40

Choose = Callable[[Position], int]
Function = TypeVar("Function", bound=Callable[..., Any])


class Reference(NamedTuple):
    """The reference's board."""

    line_start: npt.NDArray[np.int32]  # the lines through cell c are those of
    line_at: npt.NDArray[np.int32]  # line_at[line_start[c]:line_start[c + 1]]
    counts: npt.NDArray[np.int64]  # [lines, 2] stones of either side on each line
    heights: npt.NDArray[np.int64]  # [columns] stones in each column
    cells: int


def compiled(function: Function) -> Function:
    """Compiles in each process: recursive functions crash when Numba loads them from disk."""
    return cast(Function, njit(function))


@compiled
def line_value(own: int, other: int) -> int:
    """The value of a line of four to the side with so many stones on it."""
    if own > 0 and other > 0:
        return 0
    if own == 3 or own == 2:
        return THREE if own == 3 else TWO
    if other == 3 or other == 2:
        return -THREE if other == 3 else -TWO
    return 0


@compiled
def put_stone(reference: Reference, column: int, side: int) -> tuple[int, bool]:
    """Drops a stone; returns by how much it raises the side's score, and whether it makes four."""
    cell = reference.heights[column] * len(reference.heights) + column
    reference.heights[column] += 1
    raised, four = 0, False
    for i in range(reference.line_start[cell], reference.line_start[cell + 1]):
        counts = reference.counts[reference.line_at[i]]
        raised -= line_value(counts[side], counts[1 - side])
        counts[side] += 1
        raised += line_value(counts[side], counts[1 - side])
        four = four or counts[side] == 4
    return raised, four


@compiled
def take_stone(reference: Reference, column: int, side: int) -> None:
    """Takes the topmost stone of a column away."""
    reference.heights[column] -= 1
    cell = reference.heights[column] * len(reference.heights) + column
    for i in range(reference.line_start[cell], reference.line_start[cell + 1]):
        reference.counts[reference.line_at[i], side] -= 1


@compiled
def value_of(
    reference: Reference, stones: int, depth: int, distance: int, score: int, alpha: int, beta: int
) -> int:
    """The value to the side to move of a position that is not won, held within alpha and beta.

    It has so many stones, lies so many moves from the root, and scores so much for that side.
    """
    if stones == reference.cells:
        return 0
    if depth == 0:
        return score
    for column in range(len(reference.heights)):
        if reference.heights[column] * len(reference.heights) == reference.cells:
            continue
        raised, four = put_stone(reference, column, stones & 1)
        if four:
            value = WIN - distance - 1
        else:
            after = -(score + raised)
            value = -value_of(reference, stones + 1, depth - 1, distance + 1, after, -beta, -alpha)
        take_stone(reference, column, stones & 1)
        if value >= beta:
            return beta
        alpha = max(alpha, value)
    return alpha


@compiled
def first_best(reference: Reference, stones: int, depth: int, score: int) -> int:
    """The first from the left of the best columns."""
    best, chosen = -INFINITE, -1
    for column in range(len(reference.heights)):
        if reference.heights[column] * len(reference.heights) == reference.cells:
            continue
        raised, four = put_stone(reference, column, stones & 1)
        if four:
            value = WIN - 1
        else:
            after = -(score + raised)
            value = -value_of(reference, stones + 1, depth - 1, 1, after, -INFINITE, -best)
        take_stone(reference, column, stones & 1)
        if value > best:
            best, chosen = value, column
    return chosen


def plain_minimax(game: Game, depth: int) -> Choose:
    """The reference as a player of four in a row with gravity: it replays all moves first."""
    line_start, line_at = game.lines_by_cell
    counts = np.zeros((len(game.lines), 2), dtype=np.int64)
    reference = Reference(
        line_start, line_at, counts, np.zeros(game.columns, dtype=np.int64), game.cells
    )

    def choose(position: Position) -> int:
        reference.counts[:], reference.heights[:] = 0, 0
        score = 0  # of the side to move
        for ply, column in enumerate(position.moves):
            score = -(score + put_stone(reference, column, ply & 1)[0])
        return int(first_best(reference, position.ply, depth, score))

    return choose


def our_minimax(game: Game, depth: int) -> Choose:
    """The package's search."""
    searcher = Searcher(tables_of(game), depth)
    return lambda position: searcher.run(np.array(position.stones, dtype=np.int8)).move


@dataclass(frozen=True)
class Row:
    """A game on one board by both programs."""

    board: str
    depth: int
    plies: int
    same: bool
    seconds: float
    reference_seconds: float

    @property
    def ratio(self) -> float:
        """How many times as fast as the reference the search is."""
        return self.reference_seconds / self.seconds


def play(choose: Choose, position: Position) -> float:
    """Plays a position to its end; returns the CPU seconds."""
    began = time.process_time()
    while position.outcome is None:
        position.push(choose(position))
    return time.process_time() - began


def compare(board: str, depth: int) -> Row:
    """The same game by both programs."""
    game = Game(sides_of(board), 4, gravity=True)
    ours, plain = Position(game), Position(game)
    seconds = play(our_minimax(game, depth), ours)
    reference_seconds = play(plain_minimax(game, depth), plain)
    return Row(board, depth, ours.ply, ours.moves == plain.moves, seconds, reference_seconds)


def sides_of(board: str) -> tuple[int, int]:
    """Rows and columns, as in 6x7."""
    rows, separator, columns = board.partition("x")
    if not (separator and rows.isdecimal() and columns.isdecimal()):
        raise argparse.ArgumentTypeError(f"{board!r} is no board: one is rows x columns, as in 6x7")
    if min(int(rows), int(columns)) < 1 or max(int(rows), int(columns)) < 4:
        raise argparse.ArgumentTypeError(f"{board!r} has no room for four in a row")
    return int(rows), int(columns)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", nargs="+", default=BOARDS, metavar="ROWSxCOLUMNS")
    parser.add_argument("--depth", type=int, default=DEPTH, help="moves that both look ahead")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    options = parser.parse_args(arguments)
    try:
        for board in options.boards:
            sides_of(board)
    except argparse.ArgumentTypeError as error:
        parser.error(str(error))
    if options.depth < 1:
        parser.error("--depth must be 1 or more")
    compare("4x5", 3)  # compiles both
    if not options.json:
        print("board  plies  same moves  seconds  reference seconds  ratio")
    rows = []
    for board in options.boards:
        row = compare(board, options.depth)
        rows.append(row)
        if not options.json:
            text = f"{row.board:5}  {row.plies:5}  {'yes' if row.same else 'NO':>10}"
            text += f"  {row.seconds:7.2f}  {row.reference_seconds:12.2f}  {row.ratio:5.1f}"
            print(text, flush=True)
    if options.json:
        print(json.dumps({"rows": [asdict(row) | {"ratio": row.ratio} for row in rows]}))
    return 0 if all(row.same for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
