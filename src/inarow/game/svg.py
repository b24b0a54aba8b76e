"""A position as an SVG picture: self-contained, readable on white and on dark pages, and in grey.

The first player is blue with a cross, the second orange with a ring: as bare marks on boards
where a stone can go anywhere, on discs where stones fall or the board has three dimensions. The
last stone stands in brackets, as in the drawing as text. Completed lines are tinted, and drawn
through where the board has at most three dimensions; where one goes over an edge that wraps, it
leaves at the one edge and comes back at the other.

A board is drawn as slices (`drawing`), flat ones or, in three dimensions, leaning ones above each
other. Both are grids spanned by two steps, to the next column and to the next row, and everything
else is drawn with these. Nothing has an id: pictures share one page in a notebook.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt

from inarow.game.drawing import (
    Slice,
    Spacing,
    column_labels,
    find_slices,
    labels_stand_below,
    last_cell,
    place_slices,
    row_labels,
    status_text,
)

if TYPE_CHECKING:
    from inarow.game.position import Position
    from inarow.game.spec import Game

Point = npt.NDArray[np.float64]

BOARD, GRID, HOLE, INK = "#F4F5F7", "#AEB6C0", "#DDE1E7", "#20252B"
GREY = "#7F7F7F"  # for what stands beside the board: as far from white as from black

CELL = 40.0
DISC = 15.5  # the radius of a disc that stands
LEANING = np.array([-15.0, 29.0])  # the step to the next row in three dimensions
FONT = 15.0
PADDING = 6.0
WIDEST = 900.0  # pixels
CROWDED = 1650.0  # units that slices side by side may take
SCALE = 1.2  # pixels a unit, if the picture is then narrow enough


class _StoneStyle(NamedTuple):
    """How the stones of a player are drawn."""

    name: str
    colour: str
    rim: str  # the same, darker
    ink: str  # of the mark on a disc
    mark: Callable[[float, float, float, float], str]


def draw_svg(position: Position, values: Mapping[int, str] | None = None) -> str:
    """The board, and below it whose move it is or how the game ended.

    The text that a move has among `values` stands where its stone would come to lie.
    """
    game, status = position.game, status_text(position)
    moves = "1 move" if position.ply == 1 else f"{position.ply} moves"
    frame = _make_frame(game)
    width = max(frame.width, _text_width(status, frame.font)) + 2 * PADDING
    height = frame.height + 1.8 * frame.font + 2 * PADDING
    pixels = min(WIDEST, SCALE * width)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'viewBox="{_n(-PADDING)} {_n(-PADDING)} {_n(width)} {_n(height)}" '
        f'width="{_n(pixels)}" height="{_n(height * pixels / width)}">',
        f"<title>{escape(f'{game.name} after {moves}: {status}')}</title>",
        f"<desc>Moves: {escape(position.notation) or 'none'}</desc>",
        *_draw_boards(game, frame),
        *_draw_labels(game, frame, status),
        *_draw_lines(position, frame),
        *_draw_stones(position, frame),
        *_draw_last(position, frame),
        *_draw_values(position, frame, values or {}),
        "</svg>",
    ]
    return "\n".join(parts)


def find_completed_lines(position: Position) -> npt.NDArray[np.int32]:
    """The lines that one player holds all of, one a row of cells."""
    lines = position.game.lines
    if not any(position.score):
        return lines[:0]
    owners = np.array(position.stones, dtype=np.int8)[lines]
    held: npt.NDArray[np.int32] = lines[(owners[:, 0] > 0) & (owners == owners[:, :1]).all(axis=1)]
    return held


@dataclass(frozen=True)
class _Frame:
    """Where everything is: slices as grids, each with its left upper corner."""

    slices: list[Slice]
    corners: list[Point]  # of the slices
    centres: Point  # of the cells, one a row
    across: Point  # the step to the next column
    down: Point  # the step to the next row
    width: float
    height: float
    font: float
    leaning: bool

    def around(self, start: Point, columns: float, rows: float) -> list[Point]:
        """The corners of that many cells, from the left upper one at `start` clockwise."""
        right, below = columns * self.across, rows * self.down
        return [start, start + right, start + right + below, start + below]


def _make_frame(game: Game, flat: bool = False, limit: float = CROWDED) -> _Frame:
    """Flat slices side by side and below each other; in three dimensions a pile of leaning ones.

    With `flat` the slices of three dimensions lie flat, too, as many side by side as `limit` takes.
    """
    slices, font = find_slices(game), _font(game)
    leaning = len(game.shape) == 3 and not flat
    if leaning and game.gravity:
        slices.reverse()  # the bottom at the bottom
    across, down = np.array([CELL, 0.0]), LEANING if leaning else np.array([0.0, CELL])
    rows, columns = slices[0].cells.shape
    label = 1.4 * font  # the height of a line of text, with air
    below = labels_stand_below(game)
    left = max((_text_width(text, font) + 0.7 * font for text in row_labels(game)), default=0)
    left -= rows * down[0]
    top = (0 if below else label) + (label if slices[0].heading and not leaning else 0)
    wide, heading = columns * CELL, max(_text_width(part.heading, font) for part in slices)
    spacing = Spacing(
        width=left + (wide + 0.5 * font + heading if leaning else max(wide, heading)),
        height=top + rows * down[1] + (label if below else 0),
        gap_across=0.6 * CELL,
        gap_down=0.4 * CELL,
        limit=0 if leaning else limit,  # 0: every slice goes below the one before
    )
    places = np.array(place_slices(game, spacing))
    width, height = np.add(places.max(axis=0), (spacing.width, spacing.height))
    corners = list(np.add(places, (left, top)))
    middles = np.indices((rows, columns)) + 0.5
    inside = middles[0][..., None] * down + middles[1][..., None] * across
    centres = np.empty((game.cells, 2))
    for part, corner in zip(slices, corners, strict=True):
        centres[part.cells] = corner + inside
    return _Frame(slices, corners, centres, across, down, width, height, font, leaning)


def _font(game: Game) -> float:
    """The size of labels: larger on boards that are shrunk, as far as columns leave room."""
    labels = column_labels(game)
    room = 0.95 * CELL / _text_width(labels[-1], 1)
    return min(room, FONT * max(1.0, len(labels) / 24))


def _draw_boards(game: Game, frame: _Frame) -> Iterator[str]:
    """The empty slices: their grids, or holes where stones fall down a flat board."""
    rows, columns = frame.slices[0].cells.shape
    if frame.leaning:  # uprights at the corners show that the slices are one board
        ends = zip(*(frame.around(frame.corners[i], columns, rows) for i in (0, -1)), strict=True)
        posts = "".join(_path(pair) for pair in ends)
        yield f'<path class="posts" d="{posts}" stroke="{GREY}" stroke-dasharray="1 4"/>'
    style = f'fill="{BOARD}" stroke="{GRID}" stroke-width="1.5" stroke-linejoin="round"'
    yield f'<g class="board" {style}>'
    for corner in frame.corners:
        path = _path(frame.around(corner, columns, rows)) + "z"
        if not labels_stand_below(game):
            for row in range(1, rows):
                path += _path(frame.around(corner + row * frame.down, columns, 0)[:2])
            for column in range(1, columns):
                path += _path(frame.around(corner + column * frame.across, 0, rows)[1:3])
        yield f'<path d="{path}"/>'
    yield "</g>"
    if labels_stand_below(game):
        holes = "".join(_ring(x, y, DISC, DISC) for x, y in frame.centres)
        yield f'<path class="holes" d="{holes}" fill="{HOLE}" stroke="{GRID}"/>'


def _draw_labels(game: Game, frame: _Frame, status: str) -> Iterator[str]:
    """Headings, coordinates along the sides, and the status below."""
    font, (rows, columns) = frame.font, frame.slices[0].cells.shape
    beside = frame.down / 2 + np.array([-0.7 * font, 0.35 * font])
    above = frame.across / 2 + np.array([0.25 * font * frame.leaning, -0.4 * font])
    if labels_stand_below(game):
        above += rows * frame.down + np.array([0, 1.5 * font])
    heading = np.array([0, -1.8 * font])
    if frame.leaning:
        heading = np.array([columns * CELL + 0.5 * font, rows * frame.down[1] / 2 + 0.35 * font])
    bold = 'font-weight="bold"'
    yield f'<g fill="{GREY}" font-family="sans-serif" font-size="{_n(font)}" text-anchor="middle">'
    for part, corner in zip(frame.slices, frame.corners, strict=True):
        if part.heading:
            yield _text(corner + heading, part.heading, f' {bold} text-anchor="start"')
        for column, label in enumerate(column_labels(game)):
            yield _text(corner + above + column * frame.across, label)
        for row, label in enumerate(row_labels(game)):
            yield _text(corner + beside + row * frame.down, label, ' text-anchor="end"')
    middle = max(frame.width, _text_width(status, font)) / 2
    foot = np.array([middle, frame.height + 1.6 * font])
    yield _text(foot, status, f' class="status" {bold}')
    yield "</g>"


def _draw_lines(position: Position, frame: _Frame) -> Iterator[str]:
    """The completed lines of both players: their cells tinted, and a stroke through them."""
    lines, half = find_completed_lines(position), (frame.across + frame.down) / 2
    owners = np.array(position.stones)[lines[:, 0]]
    for player, style in STONE_STYLES.items():
        held = lines[owners == player]
        if not len(held):
            continue
        names = f'class="completed {style.name}" opacity="0.4"'
        starts = frame.centres[np.unique(held)] - half
        tint = "".join(_path(frame.around(start, 1, 1)) + "z" for start in starts)
        yield f'<path {names} d="{tint}" fill="{style.colour}"/>'
        if len(position.game.shape) <= 3:
            strokes = "".join(
                _path(ends) for line in held for ends in _strokes(position.game, line, frame)
            )
            stroke = f'stroke="{style.colour}" stroke-width="9" stroke-linecap="round"'
            yield f'<path {names} d="{strokes}" {stroke}/>'


def _strokes(game: Game, line: npt.NDArray[np.int32], frame: _Frame) -> Iterator[list[Point]]:
    """The ends of the strokes through a line: one, or one to the edge and one from the other edge.

    On these boards a cell's place is an affine function of its coordinates.
    """
    places = np.stack(np.unravel_index(line, game.shape), axis=1)
    units = [np.eye(len(game.shape), dtype=np.int64)[axis] for axis in range(len(game.shape))]
    sides = np.array(
        [
            frame.centres[np.ravel_multi_index(tuple(unit), game.shape)] - frame.centres[0]
            if side > 1
            else np.zeros(2)
            for unit, side in zip(units, game.shape, strict=True)
        ]
    )
    steps = np.diff(places, axis=0)
    over = np.abs(steps) > 1  # in a step of one, so it goes the other way, over the edge
    # Around an axis of two places, every other step of a line leads back: over the edge as well.
    two = np.array(game.shape) == 2
    over |= two & (steps != 0) & (steps == -steps[0])
    half = np.where(over, -np.sign(steps), steps) @ sides / 2
    start = frame.centres[line[0]]
    for number in np.flatnonzero(over.any(axis=1)):
        yield [start, frame.centres[line[number]] + half[number]]
        start = frame.centres[line[number + 1]] - half[number]
    yield [start, frame.centres[line[-1]]]


def _draw_stones(position: Position, frame: _Frame) -> Iterator[str]:
    """The stones: discs where they fall or the board leans, bare marks elsewhere."""
    stones = np.array(position.stones)
    discs = position.game.gravity or frame.leaning
    for player, style in STONE_STYLES.items():
        pen = f'fill="none" stroke="{style.colour}" stroke-width="6" stroke-linecap="round"'
        yield f'<g class="{style.name}" {pen}>'
        for x, y in frame.centres[stones == player]:
            if discs:
                yield _disc(x, y, style, frame.leaning)
            else:
                yield f'<path class="stone" d="{style.mark(x, y, 11, 11)}"/>'
        yield "</g>"


def _disc(x: float, y: float, style: _StoneStyle, leaning: bool) -> str:
    """A disc with its player's mark; on a leaning board it lies and has an edge."""
    wide, high, edge = (14.5, 9.5, 4.0) if leaning else (DISC, DISC, 0.0)
    top = y - edge / 2
    side = ""
    if leaning:
        front = f"a{_n(wide)} {_n(high)} 0 0 0 {_n(2 * wide)} 0"
        path = f"M{_n(x - wide)} {_n(top)}v{_n(edge)}{front}v{_n(-edge)}z"
        side = f'<path d="{path}" fill="{style.rim}"/>'
    mark = style.mark(x, top, 0.42 * wide, 0.42 * high)
    return (
        f'<g class="stone" stroke="{style.rim}" stroke-width="1.2">{side}'
        f'<path d="{_ring(x, top, wide, high)}" fill="{style.colour}"/>'
        f'<path d="{mark}" stroke="{style.ink}" stroke-width="3"/></g>'
    )


def _draw_last(position: Position, frame: _Frame) -> Iterator[str]:
    """Brackets around the stone that was played last."""
    cell = last_cell(position)
    if cell is None:
        return
    start = frame.centres[cell] - 0.45 * (frame.across + frame.down)
    a, b, c, d = frame.around(start, 0.9, 0.9)
    tip = 0.16 * frame.across
    brackets = _path([a + tip, a, d, d + tip]) + _path([b - tip, b, c, c - tip])
    style = 'stroke-width="2.5" stroke-linejoin="round" stroke-linecap="round"'
    yield f'<path class="last" d="{brackets}" fill="none" stroke="{INK}" {style}/>'


def _draw_values(position: Position, frame: _Frame, values: Mapping[int, str]) -> Iterator[str]:
    """The text of each move, as large as fits between the cells beside it."""
    if not values:
        return
    longest = max(map(len, values.values()))
    font = min(FONT, 0.92 * CELL / _text_width("0" * max(longest, 1), 1))
    style = f'font-family="sans-serif" font-size="{_n(font)}" text-anchor="middle"'
    yield f'<g class="values" fill="{INK}" {style}>'
    for move, text in values.items():
        yield _text(frame.centres[position.cell_of(move)] + (0, 0.35 * font), text)
    yield "</g>"


def _path(points: Iterable[Point]) -> str:
    return "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points)


def _cross(x: float, y: float, wide: float, high: float) -> str:
    along, back = f"{_n(2 * wide)} {_n(2 * high)}", f"{_n(-2 * wide)} {_n(2 * high)}"
    return f"M{_n(x - wide)} {_n(y - high)}l{along}m0 {_n(-2 * high)}l{back}"


def _ring(x: float, y: float, wide: float, high: float) -> str:
    half = f"a{_n(wide)} {_n(high)} 0 1 0"
    return f"M{_n(x - wide)} {_n(y)}{half} {_n(2 * wide)} 0{half} {_n(-2 * wide)} 0z"


def _text(place: Point, content: str, style: str = "") -> str:
    x, y = place
    return f'<text x="{_n(x)}" y="{_n(y)}"{style}>{escape(content)}</text>'


def _text_width(content: str, font: float) -> float:
    """About how wide a text is: the font is the reader's, so this can only be a guess."""
    return 0.6 * font * len(content)


def _n(number: float) -> str:
    """A number with at most one decimal, to keep large pictures small."""
    return f"{round(float(number), 1):.10g}"


# The blue and the orange of Okabe and Ito, which people with any colour vision tell apart.
STONE_STYLES = {
    1: _StoneStyle("first", "#0072B2", "#00456E", "#FFFFFF", _cross),
    2: _StoneStyle("second", "#E69F00", "#8F6200", "#3F2B00", _ring),
}
