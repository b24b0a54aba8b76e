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

from inarow.engine.board import THREATS, Board, Cells, is_open
from inarow.engine.jit import inline
from inarow.engine.tables import Int64s, Tables
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
    """The kind of each line, numbered in order of their first lines.

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
    """The size of the vector, of a game with so many kinds of lines."""
    found = int(line_orbits(game).max(initial=-1)) + 1 if kinds is None else kinds
    return LINES + found * (game.k + 1) ** 2


def find_features(game: Game, phases: int, threats: bool) -> Features:
    """The features of a game."""
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
    """The empty board."""
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
    """The features of the empty board."""
    for line in range(len(accumulator.seen)):
        accumulator.seen[line] = accumulator.features.start[line]
    for feature in range(len(accumulator.counts)):
        accumulator.counts[feature] = accumulator.features.first_counts[feature]


@inline
def add_stone(tables: Tables, accumulator: Accumulator, cell: int, side: int) -> None:
    """A stone is placed: the features of the lines through its cell change."""
    _step(tables, accumulator, cell, accumulator.features.step[side])


@inline
def remove_stone(tables: Tables, accumulator: Accumulator, cell: int, side: int) -> None:
    """The reverse of `add_stone`."""
    _step(tables, accumulator, cell, np.uint32(-np.int64(accumulator.features.step[side])))


@inline
def _step(tables: Tables, accumulator: Accumulator, cell: int, step: np.uint32) -> None:
    """The features of the lines through a cell move by a step, which counts modulo 2^32."""
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
    """The features of any board."""
    clear_stones(accumulator)
    for cell in range(tables.cells):
        if board.stones[cell] != 0:
            add_stone(tables, accumulator, cell, board.stones[cell] - 1)


@inline
def threat_feature(other: int, playable: bool, lines: int | np.int32) -> np.uint32:
    """The feature of a cell where a side would complete so many lines, one at least."""
    air = np.uint32(0) if playable else np.uint32(3)
    many = np.uint32(2) if lines > 2 else np.uint32(lines - 1)
    return np.uint32(CELLS) + np.uint32(other) * np.uint32(6) + air + many


@inline
def pair_feature(own: int, other: int) -> np.uint32:
    """The feature of so many playable threats of either side."""
    return np.uint32(PAIRS + min(own, 2) * 3 + min(other, 2))


@inline
def count_threats(
    tables: Tables, board: Board, accumulator: Accumulator, view: int
) -> tuple[int, int]:
    """Counts the cells with threats, as a side sees them; the numbers of playable ones."""
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
