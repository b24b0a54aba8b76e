"""A game as arrays that compiled loops read: which lines cross a cell, and what lies above it."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.game import Game

Int8s = npt.NDArray[np.int8]
Int16s = npt.NDArray[np.int16]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

MAX_MASK_CELLS = 64  # one bit a cell: above this a mask would overflow without a word


class Tables(NamedTuple):
    """What compiled code knows of a game. Cells are numbered as in `Game`.

    The lines through cell c are `line_at[line_start[c]:line_start[c + 1]]`, ascending.
    """

    cells: int
    columns: int  # different moves; a cell's move is cell % columns
    k: int
    gravity: bool
    scoring: bool
    misere: bool
    line_start: Int32s  # [cells + 1]
    line_at: Int32s  # [lines * k]
    line_words: Int64s  # [lines] the empty board's line words: see `board`
    above: Int32s  # [cells] the cell on top of each, or -1
    start_cells: Int32s  # the cells that can be played on the empty board
    masks: Words  # [cells, most lines] the lines through each cell as bits; none above 64 cells


def same_tables(one: Tables, other: Tables) -> bool:
    """Whether two tables are of one game: a game's are made again when many others came since."""
    pairs = zip(map(np.asarray, one), map(np.asarray, other), strict=True)
    return one is other or all(np.array_equal(a, b) for a, b in pairs)


@lru_cache(maxsize=64)
def tables_of(game: Game) -> Tables:
    """The tables of a game, made once."""
    line_start, line_at = game.lines_by_cell
    cells = np.arange(game.cells, dtype=np.int32)
    above = np.full(game.cells, -1, dtype=np.int32)
    if game.gravity:
        above[: game.cells - game.columns] = cells[game.columns :]
    return Tables(
        cells=game.cells,
        columns=game.columns,
        k=game.k,
        gravity=game.gravity,
        scoring=game.scoring,
        misere=game.misere,
        line_start=line_start,
        line_at=line_at,
        line_words=game.lines.sum(axis=1, dtype=np.int64) << 32,
        above=above,
        start_cells=cells[: game.columns].copy(),
        masks=_masks(game),
    )


def _masks(game: Game) -> Words:
    """The lines through each cell as bit masks, in rows of one length.

    Rows are filled up with a mask that no player can hold, so that the loop over a row has no
    branch that depends on the cell.
    """
    if game.cells > MAX_MASK_CELLS:
        return np.zeros((0, 0), dtype=np.uint64)
    of_line = np.bitwise_or.reduce(np.uint64(1) << game.lines.astype(np.uint64), axis=1)
    line_start, line_at = game.lines_by_cell
    width = int(np.diff(line_start).max())
    masks = np.full((game.cells, width), ~np.uint64(0), dtype=np.uint64)
    for cell in range(game.cells):
        through = line_at[line_start[cell] : line_start[cell + 1]]
        masks[cell, : len(through)] = of_line[through]
    return masks
