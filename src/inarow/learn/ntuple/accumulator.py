"""An n-tuple network at a board: indices that follow the stones, and the values of moves.

The value of a position after a move is the sum of one weight a feature. Of two positions a move
apart, most features have the same index; so the sum over all features is taken once in a
position, and for each move only what its stone changes.

Sums are taken in four parts, side by side, so that an addition need not wait for the one before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import PLY, Board, Cells
from inarow.engine.jit import inline
from inarow.engine.rules import Rule, rules_in
from inarow.engine.streams import Stream, below
from inarow.engine.tables import Int64s, Tables
from inarow.learn.ntuple.tuples import Features, Indices

Weights = npt.NDArray[np.float32]  # [tables, weights] one table, or one by the side to move
Sums = npt.NDArray[np.float32]

SHIELD = (Rule.WIN, Rule.BLOCK, Rule.SAFE)
WON = np.float32(np.inf)  # a move that wins: more than any sum


class Accumulator(NamedTuple):
    """The indices of a board, followed stone by stone, and the values of its moves."""

    features: Features
    indices: Indices  # [features] of the position on the board
    seen: Sums  # [features] their weights in the table for the next position
    sums: Sums  # [cells] the values of the moves just looked at, for the first side, before tanh
    found: Indices  # [cells] the moves that the rules leave
    rules: Int64s  # [4] the shield, or no rules


def new_accumulator(tables: Tables, features: Features, shield: bool) -> Accumulator:
    """For one loop: its memory is its own."""
    rules = np.zeros(len(SHIELD) + 1, dtype=np.int64)
    if shield:
        meant = rules_in(SHIELD, tables.misere)
        rules[: len(meant)] = meant
    return Accumulator(
        features,
        features.start.copy(),
        np.zeros(len(features.start), dtype=np.float32),
        np.zeros(tables.cells, dtype=np.float32),
        np.zeros(tables.cells, dtype=np.uint32),
        rules,
    )


@inline
def clear_stones(accumulator: Accumulator) -> None:
    """The indices of the empty board."""
    for feature in range(len(accumulator.indices)):
        accumulator.indices[feature] = accumulator.features.start[feature]


@inline
def add_stone(accumulator: Accumulator, cell: int, side: int) -> None:
    """A stone is placed: the indices that it touches change."""
    _change_indices(accumulator, cell, side, np.uint32(1))


@inline
def remove_stone(accumulator: Accumulator, cell: int, side: int) -> None:
    """The reverse of `add_stone`."""
    _change_indices(accumulator, cell, side, np.uint32(0xFFFFFFFF))


@inline
def _change_indices(accumulator: Accumulator, cell: int, side: int, sign: np.uint32) -> None:
    """Adds the changes by a stone, or takes them off: `sign` is 1 or -1, modulo 2^32."""
    features, indices = accumulator.features, accumulator.indices
    at = np.uint64(cell)
    changes = features.changes[side]
    for i in range(features.touched_start[at], features.touched_start[at + np.uint64(1)]):
        entry = np.uint64(i)
        feature = features.touched[entry]
        indices[feature] = np.uint32(indices[feature] + sign * changes[entry])


@inline
def add_stones(tables: Tables, board: Board, accumulator: Accumulator) -> None:
    """The indices of any board: in which order its stones came does not matter."""
    clear_stones(accumulator)
    for cell in range(tables.cells):
        if board.stones[cell] != 0:
            add_stone(accumulator, cell, board.stones[cell] - 1)


@inline
def table_for(weights: Weights, ply: int) -> int:
    """The number of the table for positions with so many stones."""
    return ply & (len(weights) - 1)


@inline
def sum_of(indices: Indices, table: Sums, seen: Sums) -> np.float32:
    """The sum over all features of a position, each weight kept in `seen`."""
    sum_0, sum_1 = np.float32(0), np.float32(0)
    sum_2, sum_3 = np.float32(0), np.float32(0)
    for i in range(0, len(indices), 4):
        at = np.uint64(i)
        weight_0, weight_1 = table[indices[at]], table[indices[at + np.uint64(1)]]
        weight_2 = table[indices[at + np.uint64(2)]]
        weight_3 = table[indices[at + np.uint64(3)]]
        seen[at], seen[at + np.uint64(1)] = weight_0, weight_1
        seen[at + np.uint64(2)], seen[at + np.uint64(3)] = weight_2, weight_3
        sum_0 += weight_0
        sum_1 += weight_1
        sum_2 += weight_2
        sum_3 += weight_3
    return (sum_0 + sum_1) + (sum_2 + sum_3)


@inline
def change_by(accumulator: Accumulator, table: Sums, cell: int, side: int) -> np.float32:
    """By how much a stone would change the sum that was just taken in the same table."""
    features, indices, seen = accumulator.features, accumulator.indices, accumulator.seen
    touched, changes = features.touched, features.changes[side]
    sum_0, sum_1 = np.float32(0), np.float32(0)
    sum_2, sum_3 = np.float32(0), np.float32(0)
    at = np.uint64(cell)
    for i in range(features.touched_start[at], features.touched_start[at + np.uint64(1)], 4):
        e0 = np.uint64(i)
        e1, e2, e3 = e0 + np.uint64(1), e0 + np.uint64(2), e0 + np.uint64(3)
        f0, f1, f2, f3 = touched[e0], touched[e1], touched[e2], touched[e3]
        sum_0 += table[np.uint32(indices[f0] + changes[e0])] - seen[f0]
        sum_1 += table[np.uint32(indices[f1] + changes[e1])] - seen[f1]
        sum_2 += table[np.uint32(indices[f2] + changes[e2])] - seen[f2]
        sum_3 += table[np.uint32(indices[f3] + changes[e3])] - seen[f3]
    return (sum_0 + sum_1) + (sum_2 + sum_3)


@inline
def sum_moves(
    tables: Tables,
    board: Board,
    accumulator: Accumulator,
    weights: Weights,
    cells: Cells,
    count: int,
) -> None:
    """Writes the sum after each of the moves into `accumulator.sums`; a win is more than any."""
    ply = board.counters[PLY]
    side = ply & 1
    table = weights[table_for(weights, ply + 1)]
    base = sum_of(accumulator.indices, table, accumulator.seen)
    for i in range(count):
        if board.threat[side, cells[i]] > 0 and not tables.scoring:
            accumulator.sums[i] = WON if (side ^ tables.misere) == 0 else -WON
        else:
            accumulator.sums[i] = base + change_by(accumulator, table, cells[i], side)


@inline
def draw_best_move(accumulator: Accumulator, count: int, side: int, stream: Stream) -> int:
    """The place of the best of the moves just looked at; any of several equally good ones."""
    sign = np.float32(1 - 2 * side)
    best, place, equal = sign * accumulator.sums[0], 0, 1
    for i in range(1, count):
        value = sign * accumulator.sums[i]
        if value > best:
            best, place, equal = value, i, 1
        elif value == best:
            equal += 1
    if equal > 1:
        skipped = np.int64(below(stream, equal))
        while skipped > 0:  # `place` is the first of them
            place += 1
            skipped -= np.int64(sign * accumulator.sums[place] == best)
    return place
