"""A position as plain text, for a terminal of 80 columns.

    1  X . O     `X` is the first player, `O` the second; the coordinates along the sides are
    2  .[X].     those of the move notation. Cells stand two characters apart, and the last
    3  . . .     stone has brackets in the room between, so that marking it moves nothing.

Coordinates of two or more digits are read downwards above (or below) their column, which keeps
boards of up to 38 columns within 80 characters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inarow.game import layout

if TYPE_CHECKING:
    from inarow.game.position import Position
    from inarow.game.spec import Game

SYMBOLS = ".XO"  # an empty cell, the first player, the second
WIDTH = 80


def draw_text(position: Position) -> str:
    """The board, and below it whose move it is or how the game ended."""
    game, last = position.game, layout.last_cell(position)
    symbols = [SYMBOLS[stone] for stone in position.stones]
    drawings = [_draw_slice(game, part, symbols, last) for part in layout.find_slices(game)]
    spacing = layout.Spacing(
        width=max(len(line) for lines in drawings for line in lines),
        height=len(drawings[0]),
        gap_across=3,
        gap_down=1,
        limit=WIDTH,
    )
    rows: dict[int, str] = {}
    for lines, (x, y) in zip(drawings, layout.place_slices(game, spacing), strict=True):
        for row, line in enumerate(lines, int(y)):
            # Slices come from left to right within each row, so what is there only grows.
            rows[row] = rows.get(row, "").ljust(int(x)) + line
    board = [rows.get(row, "").rstrip() for row in range(max(rows) + 1)]
    return "\n".join([*board, "", status_text(position)])


def status_text(position: Position) -> str:
    """Whose move it is or how the game ended, after the score where lines are counted."""
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


def _draw_slice(game: Game, part: layout.Slice, symbols: list[str], last: int | None) -> list[str]:
    """The lines of one slice: its heading if it has one, coordinates, cells."""
    labels = layout.row_labels(game) or [""] * len(part.cells)
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
    board = rows + columns if layout.labels_stand_below(game) else columns + rows
    return [part.heading, *board] if part.heading else board


def _column_lines(game: Game) -> list[str]:
    """The column numbers, a digit a line, as far right in their columns as the stones."""
    labels = layout.column_labels(game)
    digits = max(map(len, labels))
    return ["".join(f" {label.rjust(digits)[i]}" for label in labels) for i in range(digits)]
