"""Boards of at most 64 cells as 64-bit words: lines as masks, symmetries as tables.

Cell c of the game is bit c, whatever the shape of the board. A position is two words, the stones
of the side to move and those of the side that waits.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from inarow.engine.board import Int32s, Int64s, Words
from inarow.engine.jit import inline
from inarow.game import Game
from inarow.game.symmetry import MAX_LISTED
from inarow.graph.graph import images_of
from inarow.search.bitboard import ONE, ZERO, Word, popcount

MAX_SYMMETRIES = 192  # of those that exist, so many are used
FEW_SYMMETRIES = 8  # with more, only positions with a few stones are turned


class Lines(NamedTuple):
    """A board as masks of cells."""

    cells: int
    k: int
    gravity: bool
    misere: bool  # whether a line loses
    layer: np.uint64  # with gravity, from a cell to the one above it; else 1
    board: np.uint64  # every cell
    bottom: np.uint64  # the cells that can be played on the empty board
    rows: int  # with gravity, the cells of a column
    top: np.uint64  # with gravity, the highest cell of each column
    uppers: np.uint64  # the upper cell of each pair, counted in twos from the top of a column
    masks: Words  # [lines] the cells of each line
    start: Int64s  # [cells + 1] the lines through cell c are through[start[c]:start[c + 1]]
    through: Words  # their masks
    images: Words  # [symmetries, bytes, 256] where the cells of each byte of a word go
    turn_cells: int  # with fewer empty cells a position is not turned: it costs more than it saves


@lru_cache(maxsize=16)
def lines_of(game: Game) -> Lines:
    """The masks of a game of at most 64 cells."""
    masks = np.bitwise_or.reduce(ONE << game.lines.astype(np.uint64), axis=1)
    start, through = game.lines_by_cell
    symmetries = symmetries_in_use(game)
    bottom, pair = (1 << game.columns) - 1, 2 * game.columns
    return Lines(
        cells=game.cells,
        k=game.k,
        gravity=game.gravity,
        misere=game.misere,
        layer=Word(game.columns if game.gravity and game.shape[0] > 1 else 1),
        board=Word((1 << game.cells) - 1),
        bottom=Word(bottom),
        rows=game.shape[0],
        top=Word(bottom << (game.cells - game.columns)),
        uppers=Word(sum(bottom << start for start in range(game.cells - game.columns, -1, -pair))),
        masks=masks,
        start=start.astype(np.int64),
        through=masks[through],
        images=images_of(game, symmetries),
        turn_cells=8 if len(symmetries) <= FEW_SYMMETRIES else game.cells - 10,
    )


def symmetries_in_use(game: Game) -> Int32s:
    """Return some symmetries, the identity first; no other where they are too many to list."""
    if game.symmetry_group.listed > MAX_LISTED:
        return np.arange(game.cells, dtype=np.int32)[None]
    return game.symmetries[:MAX_SYMMETRIES]


@inline
def open_cells(lines: Lines, stones: np.uint64) -> np.uint64:
    """The cells that can be played."""
    if lines.gravity:
        return ((stones << lines.layer) | lines.bottom) & lines.board & ~stones
    return lines.board & ~stones


@inline
def cells_below(lines: Lines, word: np.uint64) -> np.uint64:
    """Return the cells under the given ones, where stones fall."""
    return word >> lines.layer if lines.gravity else ZERO


@inline
def upwards(lines: Lines, cells: np.uint64) -> np.uint64:
    """Return the given cells and all above them, where stones fall."""
    for _ in range(lines.rows - 1):
        cells |= cells << lines.layer
    return cells & lines.board


@inline
def downwards(lines: Lines, cells: np.uint64) -> np.uint64:
    """Return the given cells and all below them, where stones fall."""
    for _ in range(lines.rows - 1):
        cells |= cells >> lines.layer
    return cells


@inline
def is_lost(lines: Lines, free: np.uint64, threats: np.uint64, mine: np.uint64) -> bool:
    """Return whether the side to move, which cannot win at once, loses to the next move.

    Where a line loses: whether it must complete one, on one of the cells `mine`.
    """
    if lines.misere:
        return free != ZERO and (free & ~mine) == ZERO
    forced = free & threats
    choice = forced if forced != ZERO else free
    return (forced & (forced - ONE)) != ZERO or (choice & ~cells_below(lines, threats)) == ZERO


@inline
def completing(lines: Lines, own: np.uint64, other: np.uint64) -> np.uint64:
    """The empty cells where one more stone would complete a line."""
    found = ZERO
    for line in range(len(lines.masks)):
        missing = lines.masks[line] & ~own
        if (missing & other) == ZERO and (missing & (missing - ONE)) == ZERO:
            found |= missing
    return found


@inline
def threats_after(lines: Lines, own: np.uint64, other: np.uint64, cell: np.uint64) -> np.uint64:
    """The cells where a line could be completed that the stone on this cell is part of."""
    found = ZERO
    for place in range(lines.start[cell], lines.start[cell + ONE]):
        missing = lines.through[place] & ~own
        if (missing & other) == ZERO and (missing & (missing - ONE)) == ZERO:
            found |= missing
    return found


@inline
def has_line(lines: Lines, stones: np.uint64) -> bool:
    """Return whether these cells hold a line."""
    found = False
    for line in range(len(lines.masks)):
        found |= (lines.masks[line] & ~stones) == ZERO
    return found


@inline
def is_going_on(lines: Lines, own: np.uint64, mask: np.uint64) -> bool:
    """Return whether two words, own stones and all stones, are a position that is not over."""
    stands = (mask & ~lines.board) == ZERO
    if lines.gravity:
        stands = stands and (mask & ~((mask << lines.layer) | lines.bottom)) == ZERO
    in_turn = (own & ~mask) == ZERO and popcount(own) == popcount(mask) >> ONE
    over = mask == lines.board or has_line(lines, own) or has_line(lines, own ^ mask)
    return stands and in_turn and not over
