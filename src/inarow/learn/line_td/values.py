"""The values of positions and moves by line features: linear, followed stone by stone.

A stone changes only the lines through its cell, so the values of all moves cost the sum of the
lines through the open cells, and not a look at the whole board for each.
"""

from __future__ import annotations

import numpy as np

from inarow.engine.board import OPEN, PLY, Board, is_open, reward_of_lines
from inarow.engine.jit import inline
from inarow.engine.tables import Tables
from inarow.learn.line_td.features import (
    CELLS,
    LINES,
    Accumulator,
    Features,
    Values,
    count_threats,
    pair_feature,
    threat_feature,
)

# Adding and subtracting this rounds to a multiple of 2^-20. Moves that a symmetry takes to each
# other then have exactly the same value, in whatever order their lines were added up.
ROUND = 1.5 * 2.0**32


@inline
def value_of_lines(accumulator: Accumulator, weights: Values, view: int) -> float:
    """The part of a value that comes from the lines, and the constant."""
    counts, counted, seen = (
        accumulator.counts,
        accumulator.features.live[view],
        accumulator.features.live[0],
    )
    total = weights[0]
    for i in range(len(seen)):
        total += counts[counted[np.uint32(i)]] * weights[seen[np.uint32(i)]]
    return total


@inline
def value_of_threats(accumulator: Accumulator, weights: Values) -> float:
    """The part of a value that comes from the cells just counted by `count_threats`."""
    total = 0.0
    for feature in range(CELLS, LINES):
        total += accumulator.threats[np.uint32(feature)] * weights[np.uint32(feature)]
    return total


@inline
def phase_of(tables: Tables, features: Features, stones: int) -> int:
    """The part of the game that a position with so many stones belongs to."""
    return min(stones * features.phases // tables.cells, features.phases - 1)


@inline
def value_moves(tables: Tables, board: Board, accumulator: Accumulator, table: Values) -> None:
    """Writes the value of each open cell for the side to move into `accumulator.move_values`.

    That is the lines that it completes, and the value of the position after it if play goes on.
    """
    ply = board.counters[PLY]
    view = ply & 1
    features, values = accumulator.features, accumulator.move_values
    weights = table[phase_of(tables, features, ply + 1)]
    base = value_of_lines(accumulator, weights, view)
    _find_gains(accumulator, weights, view)
    own, other = 0, 0
    if features.threats:
        own, other = count_threats(tables, board, accumulator, view)
        base += value_of_threats(accumulator, weights)
    for i in range(board.counters[OPEN]):
        cell = board.open_cells[np.uint32(i)]
        completed = board.threat[view, cell]
        if ply + 1 == tables.cells or (completed > 0 and not tables.scoring):
            values[np.uint32(i)] = reward_of_lines(tables, completed)
        elif features.threats:
            change = change_with_threats(tables, board, accumulator, weights, cell, own, other)
            values[np.uint32(i)] = completed + rounded(base + change)
        else:
            change = change_by_lines(tables, accumulator, cell)
            values[np.uint32(i)] = completed + rounded(base + change)


@inline
def rounded(value: float) -> float:
    """A value without its last bits."""
    return (value + ROUND) - ROUND


@inline
def change_by_lines(tables: Tables, accumulator: Accumulator, cell: np.uint32) -> float:
    """What a stone of the side to move changes in the part of lines."""
    change = 0.0
    for i in range(tables.line_start[cell], tables.line_start[cell + np.uint32(1)]):
        change += accumulator.gains[accumulator.seen[np.uint32(tables.line_at[np.uint32(i)])]]
    return change


@inline
def _find_gains(accumulator: Accumulator, weights: Values, view: int) -> None:
    """What one more stone of the side adds on a line, for the features that lines can have.

    A line that is alive for the side goes on to the next feature, or is full and counts nothing;
    one that belonged to the other side is dead.
    """
    features, gains = accumulator.features, accumulator.gains
    counted, seen = features.live[view], features.live[0]
    step = features.step[0]
    for i in range(len(seen)):
        feature = seen[np.uint32(i)]
        gains[counted[np.uint32(i)]] = weights[np.uint32(feature + step)] - weights[feature]


@inline
def change_with_threats(
    tables: Tables,
    board: Board,
    accumulator: Accumulator,
    weights: Values,
    cell: np.uint32,
    own: int,
    other: int,
) -> float:
    """What a stone of the side to move changes in both parts.

    It makes threats on the lines that now lack one stone, covers those of its own cell, and lets
    the cell above it be played. `own` and `other` are the playable threats before it.
    """
    view = board.counters[PLY] & 1
    above, change = tables.above[cell], 0.0
    for whose in range(2):
        lines = board.threat[view ^ whose, cell]
        if lines > 0:
            change -= weights[threat_feature(whose, True, lines)]
            own -= 1 - whose
            other -= whose
        lines = board.threat[view ^ whose, np.uint32(above)] if above >= 0 else np.int32(0)
        if lines > 0:
            change += weights[threat_feature(whose, True, lines)]
            change -= weights[threat_feature(whose, False, lines)]
            own += 1 - whose
            other += whose
    threat, lacks_two, made = board.threat[view], accumulator.features.lacks_two[view], np.uint32(0)
    for i in range(tables.line_start[cell], tables.line_start[cell + np.uint32(1)]):
        line = np.uint32(tables.line_at[np.uint32(i)])
        feature = accumulator.seen[line]
        change += accumulator.gains[feature]
        if lacks_two[feature]:
            there = int(np.uint32((board.lines[line] >> 32) - np.int64(cell)))
            playable = not tables.gravity or there == above or is_open(board, there)
            lines = threat[there]
            if lines > 0:
                change -= weights[threat_feature(0, playable, lines)]
            elif playable:
                own += 1
            change += weights[threat_feature(0, playable, lines + 1)]
            threat[there] = lines + 1
            accumulator.made[made] = there
            made += np.uint32(1)
    for i in range(made):
        threat[accumulator.made[np.uint32(i)]] -= 1
    return change + weights[pair_feature(own, other)]
