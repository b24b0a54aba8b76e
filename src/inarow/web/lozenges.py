"""Boards of three dimensions as pages draw them: lozenges above each other, or one with pegs.

Each layer is seen from a corner, so that nothing is hidden: where stones fall they pile up on the
pegs of one lozenge, elsewhere each layer is a lozenge of its own. Everything is spanned by two
steps, to the next column and to the next row, as in the pictures of the package (`game.svg`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inarow.game import Game
from inarow.game.drawing import Slice, column_labels, find_slices, row_labels
from inarow.game.position import Position
from inarow.game.svg import GREY, STONE_STYLES, _Frame, _n, _ring, _text

FONT = 14.0
MARGIN = 12.0
PEG_STEP = (50.0, 28.0)  # half a cell where stones fall: a pile is as high as two cells are deep
PILE = 13.0  # how high a stone lies on the one below
FLAT_STEP = (46.0, 19.0)  # half a cell of a layer of its own
GAP = 8.0  # between two layers
STONE = 0.5  # of half a cell: half as wide is a stone
PEG = 5.0  # how wide


def lozenge_frame(game: Game) -> _Frame:
    """Where everything lies on a board of three dimensions."""
    levels, rows, columns = game.shape
    wide, high = PEG_STEP if game.gravity else FLAT_STEP
    across, down = np.array([wide, high]), np.array([-wide, high])
    corner = np.array([rows * wide + 2 * FONT, MARGIN + FONT])  # the one that is farthest away
    inside = [
        (row + 0.5) * down + (column + 0.5) * across for row, column in np.ndindex(rows, columns)
    ]
    depth = (rows + columns) * high
    width = (rows + columns) * wide + 4 * FONT
    centres = np.empty((game.cells, 2))
    if game.gravity:
        corner = corner + np.array([0, levels * PILE])
        for level in range(levels):
            places = corner + inside - np.array([0, (level + 0.5) * PILE])
            centres[level * game.columns : (level + 1) * game.columns] = places
        ground = Slice("", np.arange(game.columns).reshape(rows, columns))
        height = corner[1] + depth + 1.6 * FONT
        return _Frame([ground], [corner], centres, across, down, width, height, FONT, True)
    slices = find_slices(game)
    corners = [corner + np.array([0, level * (depth + GAP)]) for level in range(levels)]
    for part, start in zip(slices, corners, strict=True):
        centres[part.cells] = start + np.reshape(inside, (rows, columns, 2))
    height = corners[-1][1] + depth + MARGIN
    return _Frame(slices, corners, centres, across, down, width, height, FONT, True)


def pegs(game: Game, frame: _Frame) -> str:
    """The pegs that stones fall on."""
    high = _n((game.shape[0] + 0.3) * PILE)
    feet = frame.centres[: game.columns] + np.array([0, PILE / 2])
    lines = "".join(f"M{_n(x)} {_n(y)}v-{high}" for x, y in feet)
    style = f'fill="none" stroke="{GREY}" stroke-width="{PEG:g}" stroke-linecap="round"'
    return f'<path class="pegs" d="{lines}" {style}/>'


def lozenge_labels(game: Game, frame: _Frame) -> str:
    """Numbers along the sides; the first layer says which side counts rows and which columns."""
    rows, columns = frame.slices[0].cells.shape
    texts = list[str]()
    end, start = ' text-anchor="end"', ' text-anchor="start"'
    for number, corner in enumerate(frame.corners):
        if game.gravity:  # along the sides that are nearest
            column, row = corner + rows * frame.down, corner + columns * frame.across
            beside, anchors = np.array([0.5 * FONT, 0.9 * FONT]), (end, start)
        else:
            column, row = corner, corner
            beside, anchors = np.array([-0.5 * FONT, -0.3 * FONT]), (start, end)
        for side, step, names, sign, anchor, word in (
            (column, frame.across, column_labels(game), -1, anchors[0], "column"),
            (row, frame.down, row_labels(game), 1, anchors[1], "row"),
        ):
            middle = side + len(names) / 2 * step
            for place, name in enumerate(names):
                offset = beside * np.array([sign, 1])
                texts.append(_text(side + (place + 0.5) * step + offset, name, anchor))
            if not number:
                away = beside * np.array([3.2 * sign, 1.6])
                texts.append(_text(middle + away, word, anchor))
        if not game.gravity:
            left = np.array([2.0, (corner + rows * frame.down)[1] + 2.2 * FONT])
            texts.append(_text(left, f"slice {number + 1}", f' font-weight="bold"{start}'))
    style = f'fill="{GREY}" font-family="sans-serif" font-size="{FONT:g}"'
    return f"<g {style}>{''.join(texts)}</g>"


def lozenge_stones(position: Position, frame: _Frame) -> Iterator[str]:
    """The stones of a position, those behind first: discs with an edge, piled where they fall."""
    game = position.game
    wide, high = STONE * frame.across
    edge = PILE - 2 if game.gravity else 4.0
    order = sorted(np.flatnonzero(position.stones), key=lambda cell: _depth(game, int(cell)))
    for cell in order:
        style, (x, y) = STONE_STYLES[position.stones[cell]], frame.centres[cell]
        top = y - edge / 2
        front = f"a{_n(wide)} {_n(high)} 0 0 0 {_n(2 * wide)} 0"
        side = f"M{_n(x - wide)} {_n(top)}v{_n(edge)}{front}v{_n(-edge)}z"
        mark = style.mark(x, top, 0.42 * wide, 0.42 * high)
        yield (
            f'<g class="{style.name}"><g class="stone" stroke="{style.rim}" stroke-width="1.2">'
            f'<path d="{side}" fill="{style.rim}"/>'
            f'<path d="{_ring(x, top, wide, high)}" fill="{style.colour}"/>'
            f'<path d="{mark}" stroke="{style.ink}" stroke-width="3" fill="none"/></g></g>'
        )


def _depth(game: Game, cell: int) -> tuple[int, int]:
    """How near a cell is to who looks, then how high."""
    level, row, column = np.unravel_index(cell, game.shape)
    return int(row + column), int(level)
