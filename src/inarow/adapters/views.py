"""A position as arrays and as pictures, as the adapters hand them out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Int8s
from inarow.game import InputError, Position
from inarow.game.drawing import Spacing, find_slices, last_cell, place_slices

RENDER_MODES = ("human", "ansi", "rgb_array", "svg")
CELL = 24  # pixels
GAP = 12
COLOURS = ((244, 245, 247), (31, 119, 180), (255, 127, 14))  # empty, the first player, the second
GRID, LAST = (174, 182, 192), (32, 37, 43)

Pixels = npt.NDArray[np.uint8]
Rendered = str | Pixels | None


def planes(position: Position, player: int) -> Int8s:
    """The stones of a player, 1 or 2, and those of the other: [2, *game.shape]."""
    stones = np.array(position.stones, dtype=np.int8).reshape(position.game.shape)
    return np.stack([stones == player, stones == 3 - player]).astype(np.int8)


def action_mask(position: Position) -> Int8s:
    """1 for each legal move: [moves]."""
    mask = np.zeros(position.game.columns, dtype=np.int8)
    mask[position.legal_moves] = 1
    return mask


def check_render_mode(mode: str | None) -> None:
    """Refuses a mode that there is not."""
    if mode is not None and mode not in RENDER_MODES:
        raise InputError(f"render_mode {mode!r} must be one of {', '.join(RENDER_MODES)}, or None")


def render(position: Position, mode: str | None) -> Rendered:
    """The position as text, pixels or SVG. For `human` it is printed; None is no mode."""
    if mode is None:
        return None
    if mode == "human":
        print(position)
        return None
    if mode == "ansi":
        return f"{position}\n"
    return position.svg() if mode == "svg" else pixels(position)


def pixels(position: Position) -> Pixels:
    """A picture of the board, a disc a stone, the last one marked: [height, width, 3]."""
    game, last = position.game, last_cell(position)
    slices = find_slices(game)
    rows, columns = slices[0].cells.shape
    spacing = Spacing(columns * CELL, rows * CELL, GAP, GAP, max(columns * CELL, 900))
    places = [(int(x) + GAP, int(y) + GAP) for x, y in place_slices(game, spacing)]
    height = max(top for _, top in places) + rows * CELL + GAP
    width = max(left for left, _ in places) + columns * CELL + GAP
    picture: Pixels = np.full((height, width, 3), 255, dtype=np.uint8)
    stones = position.stones
    for part, (left, top) in zip(slices, places, strict=True):
        for (row, column), cell in np.ndenumerate(part.cells):
            tile = picture[top + row * CELL :, left + column * CELL :][:CELL, :CELL]
            tile[:] = COLOURS[0]
            tile[0], tile[:, 0], tile[-1], tile[:, -1] = GRID, GRID, GRID, GRID
            if stones[cell]:
                tile[_disc(CELL * 0.4)] = COLOURS[stones[cell]]
            if cell == last:
                tile[_disc(CELL * 0.12)] = LAST
    return picture


def _disc(radius: float) -> npt.NDArray[np.bool_]:
    """The pixels of a disc in the middle of a cell."""
    across = np.arange(CELL) - (CELL - 1) / 2
    inside: npt.NDArray[np.bool_] = across[:, None] ** 2 + across**2 <= radius**2
    return inside
