"""The memory of a depth-limited search: a row for each move of the depth, and the moves in it.

The tree is walked with a stack of its own, so that the walk can stop at any node, go back to
Python and go on later, and so that memory is what the Connect Four paper expects of it: O(b d).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.jit import inline
from inarow.engine.tables import Int32s, Int64s, Tables
from inarow.search.heuristic import Lines, new_lines, win_value

INFINITE = 1 << 62
UNKNOWN = INFINITE + 1  # no value: it is still to be searched for
SLOT_BITS = 13  # a key holds the gain of a move above, and below how early the move stands
SLOT_MASK = (1 << SLOT_BITS) - 1


class Row(NamedTuple):
    """Where each number of a node stands in its row of `Search.rows`."""

    score: int = 0  # the heuristic for the side to move
    best: int = 1  # the best value so far: the lower bound
    beta: int = 2  # the upper bound: at this or above, the node need not be known
    moves: int = 3  # moves still to be searched
    slot: int = 4  # the place in the explicit order of the move that is being searched
    cell: int = 5  # its cell


SCORE, BEST, BETA, MOVES, SLOT, CELL = Row()


class State(NamedTuple):
    """Where each number of a search that may be interrupted stands in `Search.state`."""

    depth: int = 0  # moves to the horizon
    row: int = 1  # the node that the walk is at
    side: int = 2  # to move at the root
    stones: int = 3  # on the board at the root
    nodes: int = 4  # positions whose moves were looked at
    all_moves: int = 5  # 1: the exact value of every move at the root, not of the best alone
    best_slot: int = 6  # the best move at the root so far
    stamp: int = 7  # the last number used in `stamps`


DEPTH, ROW, SIDE, STONES, NODES, ALL_MOVES, BEST_SLOT, STAMP = State()


class Search(NamedTuple):
    """The memory of a search. A *slot* is a move's place in the explicit order."""

    order: Int32s  # [moves] the moves, from the first to the last among equals
    spots: Int32s  # [moves] by slot, the cell that the move fills; the number of cells if none
    values: Int64s  # [moves] by slot, the values of the root's moves
    lines: Lines
    keys: Int64s  # [depth, moves] the moves still to be searched, in no order
    rows: Int64s  # [depth, 6] see Row
    stamps: Int64s  # [cells + 1] a cell shares a line with the reply of the node so numbered
    state: Int64s  # [8] see State
    win: int  # the value of a won game, less the moves until then


def new_search(tables: Tables, depth: int, order: Int32s) -> Search:
    """Memory for searches up to a depth."""
    depth = min(depth, tables.cells)
    return Search(
        order=order,
        spots=np.zeros(tables.columns, dtype=np.int32),
        values=np.zeros(tables.columns, dtype=np.int64),
        lines=new_lines(tables),
        keys=np.zeros((depth, tables.columns), dtype=np.int64),
        rows=np.zeros((depth, len(Row())), dtype=np.int64),
        stamps=np.zeros(tables.cells + 1, dtype=np.int64),
        state=np.zeros(len(State()), dtype=np.int64),
        win=win_value(tables),
    )


@inline
def list_moves(tables: Tables, search: Search, row: int, side: int) -> int:
    """Writes the keys of the possible moves into the row; returns their number."""
    count = 0
    for slot in range(tables.columns):
        cell = search.spots[slot]
        if cell != tables.cells:
            gain = search.lines.gains[cell, side]
            search.keys[row, count] = (gain << SLOT_BITS) + (SLOT_MASK - slot)
            count += 1
    return count


@inline
def next_key(search: Search, row: int, count: int) -> int:
    """Takes the highest of the row's keys out; the last one takes its place."""
    keys, highest = search.keys, 0
    for i in range(1, count):
        if keys[row, i] > keys[row, highest]:
            highest = i
    key = keys[row, highest]
    keys[row, highest] = keys[row, count - 1]
    return key
