"""The tuples of an n-tuple network: cells drawn by random walks, and how their states are numbered.

A tuple looks at a few cells. What lies on them is one number, an index into a table of weights:
the sum over its cells of what each cell's state contributes. So a stone changes an index by a
difference that is known beforehand, and no index is ever computed anew.

Where stones fall, most combinations of states cannot arise: nothing lies on an empty cell. Such
combinations get no number. Of the paper's 4^8 = 65,536 numbers for 8 cells in 4 columns of two,
4,096 are left, and tables fit into the processor's cache (measured: most of the speed).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.streams import Stream, below
from inarow.engine.tables import Int32s, Int64s
from inarow.game import Game, InputError

Indices = npt.NDArray[np.uint32]

# What can lie on a cell. With three states a cell, the first two are not told apart.
WAITING, PLAYABLE, FIRST_STONE, SECOND_STONE = range(4)
MAX_WEIGHTS = 1 << 28
MAX_ENTRIES = 1 << 26  # features times cells
MAX_DRAWN = 1 << 20  # cells of all tuples that are drawn
PADDING = 4  # lists are filled up to multiples of this, for sums in four parts


class Features(NamedTuple):
    """How indices begin and change. A feature is an image of a tuple under a symmetry.

    A last feature, and more to fill up, stand for nothing: they always point at weight 0, which
    is always 0.
    """

    number: int  # of features that stand for something
    start: Indices  # [features, filled up] the indices of the empty board
    touched_start: Int32s  # [cells + 1] a stone on cell c touches the entries from here on
    touched: Indices  # [entries] the features whose indices it changes, ascending
    changes: Indices  # [2, entries] by how much, for a stone of either side; modulo 2^32


def draw_tuples(game: Game, number: int, length: int, stream: Stream) -> Int32s:
    """Random walks from cell to neighbouring cell, until they have met so many different cells."""
    if number < 1 or not 1 <= length <= game.cells:
        raise InputError(
            f"{number} tuples of {length} cells do not work on {game.name}: take at least one "
            f"tuple, of 1 to {game.cells} cells"
        )
    if number * length > MAX_DRAWN:
        raise InputError(f"{number:,} tuples of {length} cells are more than {MAX_DRAWN:,} cells")
    near = neighbours(game)
    tuples = np.zeros((number, length), dtype=np.int32)
    for row in tuples:
        cell = int(below(stream, game.cells))
        met = [cell]
        while len(met) < length:
            cell = near[cell][below(stream, len(near[cell]))]
            if cell not in met:
                met.append(cell)
        row[:] = met
    return tuples


def neighbours(game: Game) -> list[list[int]]:
    """For each cell the cells at most one step away along every axis."""
    places = np.array(np.unravel_index(np.arange(game.cells), game.shape)).T
    near = []
    for place in places:
        distance = np.abs(places - place).max(axis=1)
        near.append([int(cell) for cell in np.flatnonzero(distance == 1)])
    return near


def parse_tuples(game: Game, text: str) -> list[list[int]]:
    """Tuples written as cell numbers: `0,1,2,3 7,14,21`."""
    try:
        tuples = [[int(cell) for cell in part.split(",")] for part in text.split()]
    except ValueError:
        raise InputError(f"{text!r} does not list cells: write tuples as 0,1,2,3 7,14,21") from None
    for cells in tuples:
        if len(set(cells)) != len(cells) or not all(0 <= cell < game.cells for cell in cells):
            raise InputError(
                f"tuple {cells} does not work on {game.name}: it takes different cells "
                f"from 0 to {game.cells - 1}"
            )
    return tuples


def contributions(game: Game, cells: list[int], states: int) -> tuple[Int64s, int]:
    """What each state of each cell adds to the index of a tuple, and how many indices there are.

    Columns are numbered one after another, each like this: if its lowest cell is empty, all
    others are. If a stone lies on it, that is followed by what can be on the cells above.
    """
    adds = np.zeros((len(cells), 4), dtype=np.int64)
    indices = 1
    for column in sorted({cell % game.columns for cell in cells}):
        inside = [place for place in range(len(cells)) if cells[place] % game.columns == column]
        inside.sort(key=lambda place: cells[place])
        size = 1  # combinations of the cells from here up, where a stone lies below
        for i in range(len(inside) - 1, -1, -1):
            cell = cells[inside[i]]
            below_it = cell - game.columns
            rests = not game.gravity or below_it < 0 or (i > 0 and cells[inside[i - 1]] == below_it)
            empty = 1 if rests or states == 3 else 2
            adds[inside[i]] = np.array([0, empty - 1, empty, empty + size]) * indices
            size = empty + 2 * size
        indices *= size
    return adds, indices


def find_features(
    game: Game, tuples: list[list[int]], states: int, symmetries: Int32s
) -> tuple[Features, int]:
    """The features of tuples under some symmetries, and how many weights they need in a table."""
    if states not in (3, 4):
        raise InputError(f"{states} states a cell do not work: 3 or 4")
    entries = sum(len(cells) for cells in tuples) * len(symmetries)
    if entries > MAX_ENTRIES:
        raise InputError(f"{len(tuples)} tuples with {len(symmetries)} images each are too many")
    number, weights = len(tuples) * len(symmetries), 1
    start = np.zeros(PADDING * (number // PADDING + 1), dtype=np.int64)
    changes: list[dict[int, Int64s]] = [{} for _ in range(game.cells)]
    feature = 0
    for cells in tuples:
        adds, indices = contributions(game, cells, states)
        for symmetry in symmetries:
            start[feature] = weights
            for place, cell in enumerate(cells):
                _enter(game, int(symmetry[cell]), adds[place], feature, start, changes)
            feature += 1
        weights += indices
        if weights > MAX_WEIGHTS:
            raise InputError(
                f"these {len(tuples)} tuples have more weights than work: at most {MAX_WEIGHTS:,}"
            )
    return _flatten(number, start, changes), weights


def _enter(
    game: Game,
    cell: int,
    adds: Int64s,
    feature: int,
    start: Int64s,
    changes: list[dict[int, Int64s]],
) -> None:
    """What a cell of a feature adds at the start, and changes with a stone on it or below it."""
    on_ground = not game.gravity or cell < game.columns
    start[feature] += adds[PLAYABLE if on_ground else WAITING]
    stone = adds[FIRST_STONE:] - adds[PLAYABLE]
    changes[cell][feature] = changes[cell].get(feature, 0) + stone
    if not on_ground:
        below_it = changes[cell - game.columns]
        below_it[feature] = below_it.get(feature, 0) + (adds[PLAYABLE] - adds[WAITING])


def _flatten(number: int, start: Int64s, changes: list[dict[int, Int64s]]) -> Features:
    """The lists of all cells one after another, each filled up."""
    touched, differences, touched_start = list[int](), list[Int64s](), [0]
    for of_cell in changes:
        for feature in sorted(of_cell):
            difference = np.zeros(2, dtype=np.int64) + of_cell[feature]
            if difference.any():
                touched.append(feature)
                differences.append(difference)
        while len(touched) % PADDING:
            touched.append(number)
            differences.append(np.zeros(2, dtype=np.int64))
        touched_start.append(len(touched))
    flat = np.array(differences, dtype=np.int64).reshape(-1, 2).T
    return Features(
        number,
        start.astype(np.uint32),
        np.array(touched_start, dtype=np.int32),
        np.array(touched, dtype=np.uint32),
        np.ascontiguousarray(flat.astype(np.uint32)),
    )
