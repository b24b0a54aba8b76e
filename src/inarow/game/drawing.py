"""Where the cells of a board are drawn, and the board as plain text."""

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


# Where the cells of a board are drawn, in text and in pictures alike.
#
# The last two axes make a flat *slice*: rows and columns of cells. The axes before them place the
# slices, in pairs from the inside out: the nearest goes across, the next down, the next across
# again (blocks of slices side by side), and so on:
#
#     dimensions   3: slices side by side
#                  4: a grid of slices, the first axis down and the second across
#                  5: such grids side by side; 6: a grid of them; ...
#
# What would be wider than the limit goes on below. With gravity the first axis is the height. On
# boards of one or two dimensions it runs up the slice; on others each slice is a level.


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
    """The labels left of a slice's rows: none where a move does not name its row."""
    if len(game.shape) == 1 or _height_is_drawn(game):
        return []
    return [str(row + 1) for row in range(game.shape[-2])]


def column_labels(game: Game) -> list[str]:
    """The labels above the columns of a slice, or below where stones fall."""
    return [str(column + 1) for column in range(_slice_shape(game)[1])]


def labels_stand_below(game: Game) -> bool:
    """Return whether columns are named below the slice: where stones fall down it."""
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
    """Return a slice's name, as `1,2,_,_` or, where stones fall, `level 2`."""
    named = leading[1:] if game.gravity else leading
    move = ",".join([*(str(c + 1) for c in named), "_", "_"])
    if not game.gravity:
        return move
    return f"level {leading[0] + 1}" + (f": {move}" if named else "")


# A position as plain text, for a terminal of 80 columns.
#
#     1  X . O     `X` is the first player, `O` the second; the coordinates along the sides are
#     2  .[X].     those of the move notation. Cells stand two characters apart, and the last
#     3  . . .     stone has brackets in the room between, so that marking it moves nothing.
#
# Coordinates of two or more digits are read downwards above (or below) their column, which keeps
# boards of up to 38 columns within 80 characters.

SYMBOLS = ".XO"  # an empty cell, the first player, the second
WIDTH = 80


def draw_text(position: Position) -> str:
    """Return the board as text, and below it whose move it is or how the game ended."""
    game, last = position.game, last_cell(position)
    symbols = [SYMBOLS[stone] for stone in position.stones]
    drawings = [_draw_slice(game, part, symbols, last) for part in find_slices(game)]
    spacing = Spacing(
        width=max(len(line) for lines in drawings for line in lines),
        height=len(drawings[0]),
        gap_across=3,
        gap_down=1,
        limit=WIDTH,
    )
    rows: dict[int, str] = {}
    for lines, (x, y) in zip(drawings, place_slices(game, spacing), strict=True):
        for row, line in enumerate(lines, int(y)):
            # Slices come from left to right within each row, so what is there only grows.
            rows[row] = rows.get(row, "").ljust(int(x)) + line
    board = [rows.get(row, "").rstrip() for row in range(max(rows) + 1)]
    return "\n".join([*board, "", status_text(position)])


def status_text(position: Position) -> str:
    """Say whose move it is or how the game ended, after the score if there is one."""
    outcome = position.outcome
    if outcome is None:
        status = f"{SYMBOLS[position.to_move]} to move"
    elif outcome.winner is None:
        status = "draw"
    else:
        status = f"{SYMBOLS[outcome.winner]} wins"
    if position.game.scoring:
        first, second = position.score
        status = f"{SYMBOLS[1]} {first}, {SYMBOLS[2]} {second}; {status}"
    return status


def _draw_slice(game: Game, part: Slice, symbols: list[str], last: int | None) -> list[str]:
    """The lines of one slice: its heading if it has one, coordinates, cells."""
    labels = row_labels(game) or [""] * len(part.cells)
    margin = max(map(len, labels))
    room = margin + bool(margin)  # a space parts the row numbers from the cells
    rows = []
    for label, cells in zip(labels, part.cells.tolist(), strict=True):
        line = "".join(f" {symbols[cell]}" for cell in cells) + " "
        if last in cells:
            place = 2 * cells.index(last)
            line = f"{line[:place]}[{line[place + 1]}]{line[place + 3 :]}"
        rows.append(label.rjust(margin).ljust(room) + line)
    columns = [" " * room + line for line in _column_lines(game)]
    board = rows + columns if labels_stand_below(game) else columns + rows
    return [part.heading, *board] if part.heading else board


def _column_lines(game: Game) -> list[str]:
    """The column numbers, a digit a line, as far right in their columns as the stones."""
    labels = column_labels(game)
    digits = max(map(len, labels))
    return ["".join(f" {label.rjust(digits)[i]}" for label in labels) for i in range(digits)]
