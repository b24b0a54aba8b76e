"""A position for a person at a terminal: in colour, and just as clear without.

       1  2  3      `X` is the first player, `O` the second. The last stone stands in brackets,
    1  .  .  O      the others of a line that it completed in parentheses. Where stones fall
    2 (X)(X)[X]     onto levels, `+` is where the next one would come to lie.
    3  .  O  .

The layout is that of `game.drawing`, with more room: three characters a cell, as long as that fits.
Of a board that is too large for a terminal, the slice of the last stone is shown and those next to
it: one step along each of the axes that place the slices.
"""

from __future__ import annotations

import math

import numpy as np
from rich.text import Text

from inarow.game import Game, InputError, Position, drawing
from inarow.game.drawing import SYMBOLS, WIDTH

MAX_CELLS, MAX_COLUMNS = 1000, 36  # what a terminal of 80 columns can show at once
INDENT = 2  # of the whole board

# Orange and blue: told apart by nearly everybody, and seen on dark and on light.
STYLES = {".": "dim", "+": "dim", "X": "bold dark_orange", "O": "bold dodger_blue1"}
LINE = "reverse"  # added to the stones of a completed line
LABEL = "dim"


def check_drawable(game: Game) -> None:
    """Raise InputError for a board of which a terminal cannot show a slice."""
    columns, cells = len(drawing.column_labels(game)), game.cells // slice_count(game)
    if cells > MAX_CELLS or columns > MAX_COLUMNS:
        raise InputError(
            f"{game.name} has {cells} cells in a slice, {columns} side by side: too many to draw "
            f"in a terminal (at most {MAX_CELLS} cells, {MAX_COLUMNS} side by side)"
        )


def slice_count(game: Game) -> int:
    """Return the number of slices that a board is drawn in."""
    return math.prod(game.shape[:-2])


def slices_near(game: Game, cell: int) -> list[int]:
    """Return the numbers of the slice of a cell and of those next to it."""
    leading = game.shape[:-2]
    number = cell // (game.cells // slice_count(game))
    apart = np.indices(leading).reshape(len(leading), -1).T - np.unravel_index(number, leading)
    near: list[int] = np.flatnonzero(np.abs(apart).sum(axis=1) <= 1).tolist()
    return near


def completed_lines(position: Position) -> list[list[int]]:
    """The lines that the last stone completed."""
    game, last = position.game, drawing.last_cell(position)
    if last is None:
        return []
    start, line = game.lines_by_cell
    lines: list[list[int]] = game.lines[line[start[last] : start[last + 1]]].tolist()
    stones = position.stones
    return [cells for cells in lines if all(stones[cell] == stones[last] for cell in cells)]


def draw(position: Position, width: int = WIDTH) -> Text:
    """The board, or what fits of it, without a word about whose move it is."""
    game, last = position.game, drawing.last_cell(position)
    pen = _Pen(position, width - INDENT)
    slices, note = drawing.find_slices(game), ""
    if game.cells > MAX_CELLS:
        near = slices_near(game, game.cells // 2 if last is None else last)
        where = "in the middle" if last is None else "with the last stone"
        note = f"{len(near)} of {len(slices)} slices: the one {where} and those next to it"
        slices = [slices[number] for number in near]
    drawings = [pen.draw_slice(part) for part in slices]
    spacing = drawing.Spacing(
        width=max(len(line) for lines in drawings for line in lines),
        height=len(drawings[0]),
        gap_across=2,
        gap_down=1,
        limit=width - INDENT,
    )
    places = _place_in_rows(len(slices), spacing) if note else drawing.place_slices(game, spacing)
    rows: dict[int, Text] = {}
    for lines, (x, y) in zip(drawings, places, strict=True):
        for number, line in enumerate(lines, int(y)):
            # Slices come from left to right within each row, so what is there only grows.
            row = rows.setdefault(number, Text())
            row.append(" " * (INDENT + int(x) - len(row)))
            row.append_text(line)
    board = [rows.get(number, Text()) for number in range(max(rows) + 1)]
    for line in board:
        line.rstrip()
    if note:
        board += [Text(), Text(" " * INDENT + note, style=LABEL)]
    return Text("\n").join(board)


def _place_in_rows(slices: int, spacing: drawing.Spacing) -> list[tuple[float, float]]:
    """The left upper corners of slices one after the other, as many in a row as fit."""
    across, down = spacing.width + spacing.gap_across, spacing.height + spacing.gap_down
    in_a_row = max(1, int((spacing.limit + spacing.gap_across) // across))
    return [(n % in_a_row * across, n // in_a_row * down) for n in range(slices)]


class _Pen:
    """Draws the slices of one position."""

    def __init__(self, position: Position, width: int) -> None:
        game = self.game = position.game
        self.last = drawing.last_cell(position)
        self.line = {cell for cells in completed_lines(position) for cell in cells}
        self.symbols = [SYMBOLS[stone] for stone in position.stones]
        if game.gravity and not drawing.labels_stand_below(game):
            for move in position.legal_moves:
                self.symbols[position.cell_of(move)] = "+"
        labels = drawing.row_labels(game)
        self.margin = max(map(len, labels), default=0) + 1
        columns = len(drawing.column_labels(game))
        self.pitch = 3 if self.margin + 3 * columns + 2 <= width else 2

    def draw_slice(self, part: drawing.Slice) -> list[Text]:
        """The lines of one slice: its heading if it has one, coordinates, cells."""
        labels = drawing.row_labels(self.game) or [""] * len(part.cells)
        wall = "|" if drawing.labels_stand_below(self.game) else ""
        rows = []
        for label, cells in zip(labels, part.cells.tolist(), strict=True):
            row = Text().append(f"{label.rjust(self.margin - 1)} {wall}", style=LABEL)
            row.append_text(self._draw_cells(cells))
            rows.append(row.append(wall, style=LABEL))
        room = " " * (self.margin + len(wall))
        columns = [Text(room + line, style=LABEL) for line in self._column_lines()]
        if wall:
            width = self._width(len(part.cells[0]))
            floor = Text(" " * self.margin + "+" + "-" * width + "+", style=LABEL)
            return [*rows, floor, *columns]
        heading = [Text(" " * self.margin + part.heading, style="bold")] if part.heading else []
        return [*heading, *columns, *rows]

    def _width(self, columns: int) -> int:
        return self.pitch * columns + (self.pitch == 2)

    def _draw_cells(self, cells: list[int]) -> Text:
        """A row of cells, with the marks in the room between them."""
        characters = [" "] * self._width(len(cells))
        styles = [""] * len(characters)
        # The last stone is marked last: where there is little room its brackets win.
        for cell in sorted(cells, key=lambda cell: cell == self.last):
            place = self.pitch * cells.index(cell) + 1
            symbol = characters[place] = self.symbols[cell]
            styles[place] = STYLES[symbol]
            marks = "[]" if cell == self.last else "()" if cell in self.line else ""
            for side, mark in zip((place - 1, place + 1), marks, strict=False):
                characters[side], styles[side] = mark, STYLES[symbol]
            if cell in self.line:
                for near in (place - 1, place, place + 1):
                    styles[near] = f"{STYLES[symbol]} {LINE}"
        row = Text()
        for character, style in zip(characters, styles, strict=True):
            row.append(character, style=style or None)
        return row

    def _column_lines(self) -> list[str]:
        """The column numbers; where two digits have no room side by side, a digit a line."""
        labels = drawing.column_labels(self.game)
        if self.pitch == 3:
            return ["".join(f"{label:>2} " for label in labels)]
        digits = max(map(len, labels))
        return ["".join(f" {label.rjust(digits)[i]}" for label in labels) for i in range(digits)]
