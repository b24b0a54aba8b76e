"""Where the cells of a board are drawn, in text and in pictures alike.

The last two axes make a flat *slice*: rows and columns of cells. The axes before them place the
slices, in pairs from the inside out: the nearest goes across, the next down, the next across
again (blocks of slices side by side), and so on:

    dimensions   3: slices side by side
                 4: a grid of slices, the first axis down and the second across
                 5: such grids side by side; 6: a grid of them; ...

What would be wider than the limit goes on below. With gravity the first axis is the height. On
boards of one or two dimensions it runs up the slice; on others each slice is a level.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from inarow.game.position import Position
    from inarow.game.spec import Game


@dataclass(frozen=True)
class Slice:
    """A flat part of a board, as it is drawn."""

    heading: str  # which part it is, in the terms of the move notation; empty if it is the whole
    cells: npt.NDArray[np.int_]  # cell numbers, from the top row down and from left to right


@dataclass(frozen=True)
class Spacing:
    """How large a slice is drawn, and how far apart; characters or picture units."""

    width: float
    height: float
    gap_across: float
    gap_down: float
    limit: float  # how wide the whole may be where it can be made narrower


def find_slices(game: Game) -> list[Slice]:
    """The slices of a board, in the order of their leading coordinates."""
    cells = np.arange(game.cells)
    if len(game.shape) <= 2:
        flat = cells.reshape(_slice_shape(game))
        return [Slice("", flat[::-1] if game.gravity else flat)]
    leading = itertools.product(*(range(side) for side in game.shape[:-2]))
    stack = cells.reshape(-1, *game.shape[-2:])
    return [Slice(_heading(game, c), s) for c, s in zip(leading, stack, strict=True)]


def row_labels(game: Game) -> list[str]:
    """What stands left of the rows of a slice: none where a move does not name its row."""
    if len(game.shape) == 1 or _height_is_drawn(game):
        return []
    return [str(row + 1) for row in range(game.shape[-2])]


def column_labels(game: Game) -> list[str]:
    """What stands above the columns of a slice, or below them where stones fall down it."""
    return [str(column + 1) for column in range(_slice_shape(game)[1])]


def labels_stand_below(game: Game) -> bool:
    """Whether columns are named below the slice: where stones fall down it."""
    return _height_is_drawn(game)


def place_slices(game: Game, spacing: Spacing) -> list[tuple[float, float]]:
    """The left upper corner of each slice, in the order of `find_slices`."""
    width, height = spacing.width, spacing.height
    places = np.zeros((1, 2))
    for outwards, side in enumerate(reversed(game.shape[:-2])):
        apart = 1 if outwards < 2 else 2  # blocks of slices stand further apart than slices
        step_across = width + apart * spacing.gap_across
        step_down = height + apart * spacing.gap_down
        in_a_row = 1
        if outwards % 2 == 0:
            fitting = int((spacing.limit + step_across - width) // step_across)
            rows = math.ceil(side / max(1, fitting))
            in_a_row = math.ceil(side / rows)  # as even as possible: 4 and 4, not 7 and 1
        down, across = np.divmod(np.arange(side), in_a_row)
        steps = np.stack([across * step_across, down * step_down], axis=1)
        places = (steps[:, None, :] + places).reshape(-1, 2)
        width += (in_a_row - 1) * step_across
        height += (math.ceil(side / in_a_row) - 1) * step_down
    return [(float(x), float(y)) for x, y in places]


def last_cell(position: Position) -> int | None:
    """The cell of the stone that was played last; None on an empty board."""
    if not position.ply:
        return None
    move = position.moves[-1]
    return position.cell_of(move) - position.game.columns if position.game.gravity else move


def _height_is_drawn(game: Game) -> bool:
    return game.gravity and len(game.shape) <= 2


def _slice_shape(game: Game) -> tuple[int, int]:
    if len(game.shape) == 1:
        return (game.shape[0], 1) if game.gravity else (1, game.shape[0])
    return game.shape[-2], game.shape[-1]


def _heading(game: Game, leading: tuple[int, ...]) -> str:
    """As `1,2,_,_`, where the row and the column fill the blanks; `level 2` where stones fall."""
    named = leading[1:] if game.gravity else leading
    move = ",".join([*(str(c + 1) for c in named), "_", "_"])
    if not game.gravity:
        return move
    return f"level {leading[0] + 1}" + (f": {move}" if named else "")
