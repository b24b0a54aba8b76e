"""What a linear value of k-in-a-row games sees: lines by kind and stones, and threats.

Lines that a symmetry of the game takes to each other are of one *kind* (an orbit), so a k^n board
has few kinds however many lines it has. A feature counts the lines of a kind with so many stones
of either side; a line with stones of both, or a full one, can no longer be completed, and its
weight is 0 for good. Further features count *threats*, the cells where a side would complete a
line: by side, by whether the cell can be played now, and by how many lines it would complete; and
how many cells of either side can be played now, none, one or more, as a pair.

A position is seen by the side that has just moved. Features stand in one vector:

    0            always 1
    1 to 9       1 for one of them: playable threats (0, 1, 2 or more), own * 3 + other
    10 to 21     cells with threats: (other * 2 + not playable) * 3 + lines (1, 2, 3 or more) - 1
    from 22 on   lines: kind * (k + 1)^2 + own stones * (k + 1) + other stones
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import (
    OPEN,
    PLY,
    THREATS,
    Board,
    Cells,
    Int64s,
    Tables,
    is_open,
    reward_of_lines,
)
from inarow.engine.jit import inline
from inarow.game import Game
from inarow.game.symmetry import orbits_of

PAIRS, CELLS, LINES = 1, 10, 22  # where the parts of the vector begin

Values = npt.NDArray[np.float64]


class Features(NamedTuple):
    """The features of a game's lines. Here lines count first and second, not own and other."""

    phases: int  # a game is cut into so many parts, each with weights of its own
    threats: bool  # whether threats are seen
    size: int  # of the vector
    start: Cells  # [lines] the feature of each line on the empty board
    first_counts: Int64s  # [size] the counts of the empty board
    live: Cells  # [2, live] line features that learn, for the first side; the same for the second
    step: Cells  # [2] what a stone of each side adds to the feature of its lines
    lacks_two: npt.NDArray[np.bool_]  # [2, size] lines that a stone of the side makes a threat


class Accumulator(NamedTuple):
    """The features of the board in play, followed stone by stone; one for each loop."""

    features: Features
    seen: Cells  # [lines] the feature of each line
    counts: Int64s  # [size] lines with each feature: of the board, as the first side sees it
    threats: Int64s  # [LINES] the features of threats, as the side in question sees them
    gains: Values  # [size] what one more stone of the side to move adds on a line with a feature
    move_values: Values  # [cells] of the moves just looked at
    made: Cells  # [lines] cells where the stone looked at makes a threat


def line_orbits(game: Game) -> npt.NDArray[np.int64]:
    """Return the kind of each line, numbered in order of their first lines.

    The group's generators connect the lines of a kind, so the group is never written out (3^7
    has 645,120 symmetries).
    """
    lines = np.sort(game.lines, axis=1)
    number = {row.tobytes(): line for line, row in enumerate(lines)}
    generators = [
        np.array([number[row.tobytes()] for row in np.sort(cells[lines], axis=1)], dtype=np.int32)
        for cells in game.symmetry_group.generators
    ]
    lowest = orbits_of(generators, len(lines))
    return np.unique(lowest, return_inverse=True)[1].astype(np.int64)


def count_features(game: Game, kinds: int | None = None) -> int:
    """Return the size of the vector, of a game with so many kinds of lines."""
    found = int(line_orbits(game).max(initial=-1)) + 1 if kinds is None else kinds
    return LINES + found * (game.k + 1) ** 2


def find_features(game: Game, phases: int, threats: bool) -> Features:
    """Return the features of a game."""
    k, orbits = game.k, line_orbits(game)
    stones = np.array([(own, 0) for own in range(k)] + [(0, other) for other in range(1, k)])
    square = (k + 1) ** 2
    start = (LINES + orbits * square).astype(np.uint32)
    size = count_features(game, int(orbits.max(initial=-1)) + 1)
    kinds = np.arange(LINES, size, square).reshape(-1, 1)
    steps = np.array([[k + 1, 1], [1, k + 1]])  # of the side's own stones, of the other's
    lacks_two = np.zeros((2, size), dtype=np.bool_)
    for side in range(2):
        if k >= 2:
            lacks_two[side, kinds + (k - 2) * steps[side, 0]] = True
    return Features(
        phases=phases,
        threats=threats,
        size=size,
        start=start,
        first_counts=np.bincount(start, minlength=size).astype(np.int64),
        live=np.array([(kinds + stones @ step).ravel() for step in steps], dtype=np.uint32),
        step=steps[0].astype(np.uint32),
        lacks_two=lacks_two,
    )


def new_accumulator(tables: Tables, features: Features) -> Accumulator:
    """Return an accumulator for the empty board."""
    return Accumulator(
        features,
        features.start.copy(),
        features.first_counts.copy(),
        np.zeros(LINES, dtype=np.int64),
        np.zeros(features.size),
        np.zeros(tables.cells),
        np.zeros(len(features.start) + 1, dtype=np.uint32),
    )


@inline
def clear_stones(accumulator: Accumulator) -> None:
    """Set the features to those of the empty board."""
    for line in range(len(accumulator.seen)):
        accumulator.seen[line] = accumulator.features.start[line]
    for feature in range(len(accumulator.counts)):
        accumulator.counts[feature] = accumulator.features.first_counts[feature]


@inline
def add_stone(tables: Tables, accumulator: Accumulator, cell: int, side: int) -> None:
    """Place a stone, and change the features of the lines through its cell."""
    _step(tables, accumulator, cell, accumulator.features.step[side])


@inline
def remove_stone(tables: Tables, accumulator: Accumulator, cell: int, side: int) -> None:
    """Undo `add_stone`."""
    _step(tables, accumulator, cell, np.uint32(-np.int64(accumulator.features.step[side])))


@inline
def _step(tables: Tables, accumulator: Accumulator, cell: int, step: np.uint32) -> None:
    """Move the features of the lines through a cell by a step, which counts modulo 2^32."""
    seen, counts = accumulator.seen, accumulator.counts
    for i in range(tables.line_start[cell], tables.line_start[cell + 1]):
        line = np.uint32(tables.line_at[np.uint32(i)])
        feature = seen[line]
        counts[feature] -= 1
        feature = np.uint32(feature + step)
        counts[feature] += 1
        seen[line] = feature


@inline
def add_stones(tables: Tables, board: Board, accumulator: Accumulator) -> None:
    """Set the features to those of any board."""
    clear_stones(accumulator)
    for cell in range(tables.cells):
        if board.stones[cell] != 0:
            add_stone(tables, accumulator, cell, board.stones[cell] - 1)


@inline
def threat_feature(other: int, playable: bool, lines: int | np.int32) -> np.uint32:
    """Return the feature of a cell where a side would complete so many lines, one at least."""
    air = np.uint32(0) if playable else np.uint32(3)
    many = np.uint32(2) if lines > 2 else np.uint32(lines - 1)
    return np.uint32(CELLS) + np.uint32(other) * np.uint32(6) + air + many


@inline
def pair_feature(own: int, other: int) -> np.uint32:
    """Return the feature of so many playable threats of either side."""
    return np.uint32(PAIRS + min(own, 2) * 3 + min(other, 2))


@inline
def count_threats(
    tables: Tables, board: Board, accumulator: Accumulator, view: int
) -> tuple[int, int]:
    """Count the cells with threats as a side sees them; return the numbers of playable ones."""
    threats = accumulator.threats
    threats[:] = 0
    playable_own, playable_other = 0, 0
    for other in range(2):
        side = view ^ other
        for i in range(board.counters[THREATS + side]):
            cell = board.threat_cells[side, np.uint32(i)]
            playable = not tables.gravity or is_open(board, cell)
            threats[threat_feature(other, playable, board.threat[side, cell])] += 1
            if playable:
                playable_own += 1 - other
                playable_other += other
    return playable_own, playable_other


# The values of positions and moves by line features: linear, followed stone by stone.
#
# A stone changes only the lines through its cell, so the values of all moves cost the sum of the
# lines through the open cells, and not a look at the whole board for each.

# Adding and subtracting this rounds to a multiple of 2^-20. Moves that a symmetry takes to each
# other then have exactly the same value, in whatever order their lines were added up.
ROUND = 1.5 * 2.0**32


@inline
def value_of_lines(accumulator: Accumulator, weights: Values, view: int) -> float:
    """Return the part of a value that comes from the lines, and the constant."""
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
    """Return the part of a value that comes from the cells just counted by `count_threats`."""
    total = 0.0
    for feature in range(CELLS, LINES):
        total += accumulator.threats[np.uint32(feature)] * weights[np.uint32(feature)]
    return total


@inline
def phase_of(tables: Tables, features: Features, stones: int) -> int:
    """Return the part of the game that a position with so many stones belongs to."""
    return min(stones * features.phases // tables.cells, features.phases - 1)


@inline
def value_moves(tables: Tables, board: Board, accumulator: Accumulator, table: Values) -> None:
    """Write the value of each open cell for the side to move into `accumulator.move_values`.

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
    """Return a value without its last bits."""
    return (value + ROUND) - ROUND


@inline
def change_by_lines(tables: Tables, accumulator: Accumulator, cell: np.uint32) -> float:
    """Return what a stone of the side to move changes in the part of the value that lines have."""
    change = 0.0
    for i in range(tables.line_start[cell], tables.line_start[cell + np.uint32(1)]):
        change += accumulator.gains[accumulator.seen[np.uint32(tables.line_at[np.uint32(i)])]]
    return change


@inline
def _find_gains(accumulator: Accumulator, weights: Values, view: int) -> None:
    """Write what one more stone of the side adds on a line, for the features that lines can have.

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
    """Return what a stone of the side to move changes in the value, with lines and threats.

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
