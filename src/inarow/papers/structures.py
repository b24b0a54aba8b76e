"""Drawings of what a paper shows beside its results: finished boards, networks, lines of cells.

A board is drawn from its game, a network from its connections, lines from their cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from inarow.game import Position
from inarow.game import game as game_of
from inarow.lab.plots.plot import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from inarow.papers.measures import Data

Connections = npt.NDArray[np.bool_]  # [units before, units]
PLAYERS = {1: BLUE, 2: VERMILION}
LINES = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK)


def always(data: Data) -> bool:  # noqa: ARG001 - it needs no results
    """Tell that a drawing of a structure can always be made."""
    return True


# Boards


def board(game: str, moves: str) -> Callable[[Canvas, Data], None]:
    """Return what draws a board after some moves, without any results."""
    return lambda canvas, data: draw_board(canvas, game, moves)


def draw_board(canvas: Canvas, game: str, moves: str) -> None:
    """Draw a board after some moves; one with stones on top of each other from above."""
    position = game_of(game).position(moves)
    axes = canvas.subplots()
    if len(position.game.shape) == 3:
        _draw_from_above(axes, position)
    else:
        _draw_flat(axes, position)


def draw_rows(canvas: Canvas, rows: Sequence[str]) -> None:
    """Draw a board of falling stones from its printed rows: 1, 2, and a point where it is free."""
    axes = canvas.subplots()
    _frame(axes, len(rows), len(rows[0]))
    for row, text in enumerate(rows):
        for column, cell in enumerate(text):
            _disc(axes, row, column, int(cell.replace(".", "0")))
    stones = np.array([[int(cell.replace(".", "0")) for cell in row] for row in rows])
    for line in game_of(f"connect4:{len(rows)}x{len(rows[0])}").lines:
        cells = [divmod(int(cell), len(rows[0])) for cell in line]
        cells = [(len(rows) - 1 - row, column) for row, column in cells]
        found = {int(stones[cell]) for cell in cells}
        if found in ({1}, {2}):
            _strike(axes, cells, PLAYERS[found.pop()])


def _draw_flat(axes: Axes, position: Position) -> None:
    """Draw crosses and rings, or discs where stones fall, each with the number of its move."""
    game = position.game
    rows, columns = game.shape
    _frame(axes, rows, columns)
    stones = np.array(position.stones).reshape(rows, columns)
    stones = stones[::-1] if game.gravity else stones
    order = _order(position)
    for row in range(rows):
        for column in range(columns):
            side = int(stones[row, column])
            number = order.get(((rows - 1 - row) if game.gravity else row) * columns + column, "")
            if game.gravity:
                _disc(axes, row, column, side, str(number))
            elif side:
                mark, size = ("x", 20) if side == 1 else ("o", 22)
                axes.plot(
                    column + 0.5, row + 0.5, mark, color=PLAYERS[side], markersize=size,
                    markeredgewidth=3, fillstyle="none",
                )  # fmt: skip
                axes.text(column + 0.08, row + 0.2, str(number), fontsize=8, color=GREY)
    for line in game.lines:
        if len({int(position.stones[cell]) for cell in line} - {0}) == 1 and all(
            position.stones[cell] for cell in line
        ):
            cells = [divmod(int(cell), columns) for cell in line]
            if game.gravity:
                cells = [(rows - 1 - row, column) for row, column in cells]
            _strike(axes, cells, PLAYERS[int(position.stones[line[0]])])


def _order(position: Position) -> dict[int, int]:
    """Return the number of the move that placed the stone in each cell."""
    replay, found = position.game.position(), dict[int, int]()
    for number, move in enumerate(position.moves, start=1):
        before = np.array(replay.stones)
        replay.push(move)
        (cell,) = np.flatnonzero(np.array(replay.stones) != before)
        found[int(cell)] = number
    return found


def _frame(axes: Axes, rows: int, columns: int) -> None:
    from matplotlib.patches import Rectangle

    axes.set(xlim=(-0.04, columns + 0.04), ylim=(rows + 0.04, -0.04), aspect="equal")
    axes.set_axis_off()
    for row in range(rows):
        for column in range(columns):
            box = Rectangle((column, row), 1, 1, facecolor="none", edgecolor=GREY, linewidth=0.7)
            axes.add_patch(box)


def _disc(axes: Axes, row: int, column: int, side: int, text: str = "") -> None:
    from matplotlib.patches import Circle

    if not side:
        return
    middle = (column + 0.5, row + 0.5)
    fill = PLAYERS[1] if side == 1 else "none"  # full and open, so that it reads in grey
    disc = Circle(middle, 0.36, facecolor=fill, edgecolor=PLAYERS[side], linewidth=3)
    axes.add_patch(disc)
    colour = "#ffffff" if side == 1 else BLACK
    axes.text(*middle, text, ha="center", va="center", fontsize=9, color=colour)


def _strike(axes: Axes, cells: Sequence[tuple[int, int]], colour: str) -> None:
    (first_row, first), (last_row, last) = cells[0], cells[-1]
    axes.plot(
        [first + 0.5, last + 0.5], [first_row + 0.5, last_row + 0.5], color=colour, linewidth=9,
        alpha=0.25, solid_capstyle="round",
    )  # fmt: skip


def _draw_from_above(axes: Axes, position: Position) -> None:
    """Draw columns of stones as rings within each other: the larger, the lower."""
    from matplotlib.patches import Circle

    game = position.game
    levels, rows, columns = game.shape
    _frame(axes, rows, columns)
    stones = np.array(position.stones).reshape(game.shape)
    for row in range(rows):
        for column in range(columns):
            for level in range(levels):
                side = int(stones[level, row, column])
                if side:
                    radius = 0.44 - 0.1 * level
                    ring = Circle(
                        (column + 0.5, row + 0.5), radius, edgecolor=PLAYERS[side], linewidth=2.6,
                        facecolor="none", linestyle="-" if side == 1 else (0, (2.2, 1.1)),
                    )  # fmt: skip
                    axes.add_patch(ring)
    for line in game.lines:
        sides = {int(position.stones[cell]) for cell in line}
        if sides in ({1}, {2}):
            cells = [np.unravel_index(int(cell), game.shape) for cell in line]
            _strike(
                axes, [(int(row), int(column)) for _, row, column in cells], PLAYERS[sides.pop()]
            )


# Networks


def draw_network(
    canvas: Canvas, layers: Sequence[Connections], names: Sequence[str], most: int = 16
) -> None:
    """Draw the first units of each layer, and every connection between those that are drawn.

    `layers` are the connections from each layer to the next; `names` has one more, the inputs'.
    """
    axes = canvas.subplots()
    axes.set_axis_off()
    sizes = [len(layers[0]), *(connections.shape[1] for connections in layers)]
    shown = [min(size, most) for size in sizes]
    places = [
        [(layer, 0.5 + (unit - (count - 1) / 2) / most) for unit in range(count)]
        for layer, count in enumerate(shown)
    ]
    for layer, connections in enumerate(layers):
        part = connections[: shown[layer], : shown[layer + 1]]
        for before, after in zip(*np.nonzero(part), strict=True):
            (x, y), (to_x, to_y) = places[layer][before], places[layer + 1][after]
            shade = 0.9 if part.sum() < 150 else 0.35
            axes.plot([x, to_x], [y, to_y], color=GREY, linewidth=0.5, alpha=shade, zorder=1)
    for layer, found in enumerate(places):
        axes.plot(
            *zip(*found, strict=True), "o", color=BLUE, markersize=6.5, zorder=2,
            markerfacecolor="white", markeredgewidth=1.6, linestyle="none",
        )  # fmt: skip
        if sizes[layer] > shown[layer]:
            axes.text(layer, -0.06, "...", ha="center", fontsize=11, color=GREY)
        axes.text(layer, 1.06, names[layer], ha="center", va="bottom", fontsize=9, color=BLACK)
    axes.set(xlim=(-0.45, len(sizes) - 0.55), ylim=(-0.1, 1.22))


# Lines of cells in four dimensions


def draw_lines_of_cells(canvas: Canvas, lines: Mapping[str, Sequence[Sequence[int]]]) -> None:
    """Draw lines of 3^4 on its nine slices: a cell's first two numbers say which, the others where.

    Cells of a line that lie in different slices are joined by thin strokes.
    """
    axes = canvas.subplots()
    axes.set_axis_off()
    step = 3.6  # from slice to slice
    for row in range(9):
        for column in range(9):
            slice_row, slice_column = row // 3, column // 3
            x, y = slice_column * step + column % 3, slice_row * step + row % 3
            axes.plot(x, y, "s", color=GREY, markersize=9, fillstyle="none", markeredgewidth=0.6)
    for number, (name, cells) in enumerate(lines.items()):
        colour = LINES[number % len(LINES)]
        shift = 0.16 * ((number % 3) - 1)
        places = [(c[1] * step + c[3] + shift, c[0] * step + c[2] + shift) for c in cells]
        for (x, y), (to_x, to_y) in pairwise(places):
            axes.plot([x, to_x], [y, to_y], color=colour, linewidth=1.4, alpha=0.7)
        axes.plot(
            *zip(*places, strict=True), "o", color=colour, markersize=5.5, label=name,
            linestyle="none",
        )  # fmt: skip
    axes.set(xlim=(-0.7, 2 * step + 2.7), ylim=(2 * step + 2.7, -0.7), aspect="equal")
    canvas.legend(loc="outside right center")
