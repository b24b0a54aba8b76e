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

from inarow.engine.board import PLY, Board, Cells, Int32s, Int64s, Tables
from inarow.engine.jit import inline
from inarow.engine.rules import Rule, rules_in
from inarow.engine.streams import Stream, below
from inarow.game import Game, InputError

Indices = npt.NDArray[np.uint32]

# What can lie on a cell. With three states a cell, the first two are not told apart.
WAITING, PLAYABLE, FIRST_STONE, SECOND_STONE = range(4)
MAX_WEIGHTS = 1 << 28
MAX_ENTRIES = 1 << 22  # cells of all features
RECORDED = 64  # numbers kept of a game for each of these, at most
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


def check_number(game: Game, number: int, length: int, most: int | None = None) -> None:
    """Raise InputError before tuples are drawn if so many do not work or need too many weights.

    A cell has two states at least, whatever the others are, and three where nothing falls.
    """
    if number < 1 or not 1 <= length <= game.cells:
        raise InputError(
            f"{number} tuples of {length} cells do not fit {game.name}: take at least one "
            f"tuple, of 1 to {game.cells} cells"
        )
    if number * length > MAX_DRAWN:
        raise InputError(f"{number:,} tuples of {length} cells are more than {MAX_DRAWN:,} cells")
    limit = min(MAX_WEIGHTS, MAX_WEIGHTS if most is None else most)
    if length > limit.bit_length() or number * (2 if game.gravity else 3) ** length > limit:
        raise InputError(
            f"{number:,} tuples of {length} cells have more weights than there is room for: "
            f"{limit:,}"
        )


def draw_tuples(game: Game, number: int, length: int, stream: Stream) -> Int32s:
    """Draw random walks from cell to neighbouring cell, until each has met so many cells."""
    check_number(game, number, length)
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
    """Return for each cell the cells at most one step away along every axis."""
    places = np.array(np.unravel_index(np.arange(game.cells), game.shape)).T
    near = []
    for place in places:
        distance = np.abs(places - place).max(axis=1)
        near.append([int(cell) for cell in np.flatnonzero(distance == 1)])
    return near


def parse_tuples(game: Game, text: str) -> list[list[int]]:
    """Read tuples written as cell numbers: `0,1,2,3 7,14,21`."""
    try:
        tuples = [[int(cell) for cell in part.split(",")] for part in text.split()]
    except ValueError:
        raise InputError(f"{text!r} does not list cells: write tuples as 0,1,2,3 7,14,21") from None
    for cells in tuples:
        if len(set(cells)) != len(cells) or not all(0 <= cell < game.cells for cell in cells):
            raise InputError(
                f"tuple {cells} does not fit {game.name}: it takes different cells "
                f"from 0 to {game.cells - 1}"
            )
    return tuples


def contributions(game: Game, cells: list[int], states: int) -> tuple[Int64s, int]:
    """Return what each state of each cell adds to the index of a tuple, and the number of indices.

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
            if indices * size > MAX_WEIGHTS:
                raise InputError(
                    f"a tuple of {len(cells)} cells has more weights than work: at most "
                    f"{MAX_WEIGHTS:,}"
                )
        indices *= size
    return adds, indices


def count_weights(game: Game, tuples: list[list[int]], states: int) -> int:
    """Return how many weights the tuples need in a table; weight 0 stands for nothing."""
    if states not in (3, 4):
        raise InputError(f"states must be 3 or 4, not {states}")
    weights = 1
    for cells in tuples:
        weights += contributions(game, cells, states)[1]
        if weights > MAX_WEIGHTS:
            raise InputError(
                f"these {len(tuples)} tuples have more weights than work: at most {MAX_WEIGHTS:,}"
            )
    return weights


def find_features(
    game: Game, tuples: list[list[int]], states: int, symmetries: Int32s
) -> tuple[Features, int]:
    """The features of tuples under some symmetries, and how many weights they need in a table."""
    weights, total = 1, count_weights(game, tuples, states)
    images, number = len(symmetries), len(tuples) * len(symmetries)
    entries = sum(len(cells) for cells in tuples) * images
    if max(entries, number * game.cells // RECORDED) > MAX_ENTRIES:
        raise InputError(f"{len(tuples)} tuples with {images} images each are too many")
    start = np.zeros(PADDING * (number // PADDING + 1), dtype=np.int64)
    changes: list[tuple[Int64s, Int64s]] = []
    for place, cells in enumerate(tuples):
        adds, indices = contributions(game, cells, states)
        features = place * images + np.arange(images)
        seen = symmetries[:, cells].astype(np.int64)
        on_ground = (seen < game.columns) if game.gravity else np.ones_like(seen, dtype=bool)
        empty = np.where(on_ground, adds[:, PLAYABLE], adds[:, WAITING])
        start[features] = weights + empty.sum(axis=1)
        changes += _changes(game, adds, features * game.cells + seen.T, on_ground.T)
        weights += indices
    return _flatten(game, number, start, changes), total


def _changes(
    game: Game, adds: Int64s, keys: Int64s, on_ground: npt.NDArray[np.bool_]
) -> list[tuple[Int64s, Int64s]]:
    """Return by how much a stone of either side changes the features of a tuple, with their keys.

    A key is feature * cells + cell; `keys` are [cells, features]. A stone on a cell changes its
    state; one below it makes it playable.
    """
    stones = adds[:, None, FIRST_STONE:] - adds[:, None, PLAYABLE, None]
    lift = (adds[:, PLAYABLE] - adds[:, WAITING])[:, None].repeat(keys.shape[1], axis=1)[~on_ground]
    return [
        (keys.ravel(), stones.repeat(keys.shape[1], axis=1).reshape(-1, 2)),
        (keys[~on_ground] - game.columns, np.stack([lift, lift], axis=1)),
    ]


def _flatten(
    game: Game, number: int, start: Int64s, changes: list[tuple[Int64s, Int64s]]
) -> Features:
    """Return the lists of all cells one after another, each filled up."""
    none = (np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64))
    keys, differences = (np.concatenate(parts) for parts in zip(none, *changes, strict=True))
    features, cells = np.divmod(keys, game.cells)
    order = np.lexsort((features, cells))
    keys, differences = keys[order], differences[order]
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    if len(first):
        differences = np.add.reduceat(differences, first, axis=0)
    kept = differences.any(axis=1)
    differences, (features, cells) = differences[kept], np.divmod(keys[first][kept], game.cells)
    lengths = np.bincount(cells, minlength=game.cells)
    touched_start = np.cumsum([0, *(-(-lengths // PADDING) * PADDING)])
    # Where each entry goes: behind the others of its cell.
    places = np.arange(len(cells)) + (touched_start[:-1] - (np.cumsum(lengths) - lengths))[cells]
    touched = np.full(touched_start[-1], number, dtype=np.uint32)
    flat = np.zeros((2, touched_start[-1]), dtype=np.int64)
    touched[places], flat[:, places] = features, differences.T
    return Features(
        number,
        start.astype(np.uint32),
        touched_start.astype(np.int32),
        touched,
        np.ascontiguousarray(flat.astype(np.uint32)),
    )


# An n-tuple network at a board: indices that follow the stones, and the values of moves.
#
# The value of a position after a move is the sum of one weight a feature. Of two positions a move
# apart, most features have the same index; so the sum over all features is taken once in a
# position, and for each move only what its stone changes.
#
# Sums are taken in four parts, side by side, so that an addition need not wait for the one before.

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
    """Return an accumulator for one loop, with memory of its own."""
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
    """Set the indices to those of the empty board."""
    for feature in range(len(accumulator.indices)):
        accumulator.indices[feature] = accumulator.features.start[feature]


@inline
def add_stone(accumulator: Accumulator, cell: int, side: int) -> None:
    """Place a stone, and change the indices that it touches."""
    _change_indices(accumulator, cell, side, np.uint32(1))


@inline
def remove_stone(accumulator: Accumulator, cell: int, side: int) -> None:
    """Undo `add_stone`."""
    _change_indices(accumulator, cell, side, np.uint32(0xFFFFFFFF))


@inline
def _change_indices(accumulator: Accumulator, cell: int, side: int, sign: np.uint32) -> None:
    """Add the changes by a stone, or take them off: `sign` is 1 or -1, modulo 2^32."""
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
    """Return the number of the table for positions with so many stones."""
    return ply & (len(weights) - 1)


@inline
def sum_of(indices: Indices, table: Sums, seen: Sums) -> np.float32:
    """Return the sum over all features of a position, each weight kept in `seen`."""
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
    """Return by how much a stone would change the sum that was just taken in the same table."""
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
    """Write the sum after each of the moves into `accumulator.sums`; a win is more than any."""
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
