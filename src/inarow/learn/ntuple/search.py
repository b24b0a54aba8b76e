"""Minimax on top of an n-tuple network: its values at the horizon, alpha-beta on the way there.

For play, not for training. The tree is walked with a stack of its own, a row for each move of
the depth. The last row needs no stones: the network looks at all moves of a position at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.board import DRAWN, FIRST_WON, PLY, STATE, Board, place, undo
from inarow.engine.jit import inline, linked
from inarow.engine.rules import find_cells, ordered_cells
from inarow.engine.tables import Int64s, Tables
from inarow.learn.ntuple.accumulator import (
    Accumulator,
    Weights,
    add_stone,
    add_stones,
    remove_stone,
    sum_moves,
)
from inarow.learn.ntuple.tuples import Indices
from inarow.learn.schedule import Numbers

WIN = 1e9  # a won game, less the moves until then: more than any sum of weights
COUNT, NEXT, CHOSEN = range(3)
ALPHA, BETA, BEST = range(3)


class Stack(NamedTuple):
    """The memory of a search."""

    cells: Indices  # [depth, cells] the moves of each row
    places: Int64s  # [depth, 3] how many they are, which is next, which is the best so far
    values: Numbers  # [depth, 3] alpha, beta, the best so far, for the side to move


def new_stack(tables: Tables, depth: int) -> Stack:
    """Memory for searches of a depth."""
    return Stack(
        np.zeros((depth, tables.cells), dtype=np.uint32),
        np.zeros((depth, 3), dtype=np.int64),
        np.zeros((depth, 3)),
    )


@inline
def absorb(stack: Stack, row: int, move: int, value: float) -> None:
    """A move of a row turned out to have this value."""
    if value > stack.values[row, BEST]:
        stack.values[row, BEST] = value
        stack.places[row, CHOSEN] = move
        stack.values[row, ALPHA] = max(stack.values[row, ALPHA], value)


@inline
def end_value(board: Board, side: int, row: int) -> float:
    """The value of a finished game for a side, so many moves ahead."""
    state = board.counters[STATE]
    if state == DRAWN:
        return 0.0
    return WIN - row if state == FIRST_WON + side else row - WIN


@inline
def open_row(
    tables: Tables, board: Board, accumulator: Accumulator, weights: Weights, stack: Stack, row: int
) -> None:
    """Lists the moves of a position; at the horizon they are all looked at.

    At the root in order of cells, so that the first of equal ones hangs on the position alone.
    """
    if row == 0:
        _, count = ordered_cells(tables, board, accumulator.rules, stack.cells[0])
    else:
        _, cells, count = find_cells(tables, board, accumulator.rules, accumulator.found)
        for i in range(count):
            stack.cells[row, i] = cells[i]
    stack.places[row, COUNT], stack.places[row, NEXT] = count, 0
    stack.places[row, CHOSEN] = 0
    stack.values[row, BEST] = -np.inf
    ply = board.counters[PLY]
    if row + 1 == len(stack.cells) and ply + 1 < tables.cells:
        sign = 1 - 2 * (ply & 1)
        sum_moves(tables, board, accumulator, weights, stack.cells[row], count)
        for i in range(count):
            value = min(sign * np.float64(accumulator.sums[i]), WIN - row)
            absorb(stack, row, i, max(value, row - WIN))
        stack.places[row, NEXT] = count


@linked
def choose_by_search(
    tables: Tables, board: Board, accumulator: Accumulator, weights: Weights, stack: Stack
) -> np.int64:
    """The cell that is best after a search of the stack's depth; the first of equal ones."""
    add_stones(tables, board, accumulator)
    row = 0
    stack.values[0, ALPHA], stack.values[0, BETA] = -np.inf, np.inf
    open_row(tables, board, accumulator, weights, stack, 0)
    while True:
        known = stack.places[row, NEXT] == stack.places[row, COUNT]
        if known or stack.values[row, ALPHA] >= stack.values[row, BETA]:
            if row == 0:
                return np.int64(stack.cells[0, stack.places[0, CHOSEN]])
            row -= 1
            value = -stack.values[row + 1, BEST]
        else:
            move, side = stack.places[row, NEXT], board.counters[PLY] & 1
            cell = int(np.int64(stack.cells[row, move]))
            stack.places[row, NEXT] += 1
            place(tables, board, cell)
            add_stone(accumulator, cell, side)
            if board.counters[STATE] == 0:
                row += 1
                stack.values[row, ALPHA] = -stack.values[row - 1, BETA]
                stack.values[row, BETA] = -stack.values[row - 1, ALPHA]
                open_row(tables, board, accumulator, weights, stack, row)
                continue
            value = end_value(board, side, row)
        move = stack.places[row, NEXT] - 1
        undo(tables, board)
        taken = int(np.int64(stack.cells[row, move]))
        remove_stone(accumulator, taken, board.counters[PLY] & 1)
        absorb(stack, row, move, value)
