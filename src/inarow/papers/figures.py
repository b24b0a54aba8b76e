"""Figures, drawn by Matplotlib in the project's style: curves, all numbers at a glance, structures.

Curves go over training games, with bands, in panels. A board is drawn from its game, a network from
its connections, lines from their cells.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.game import Position
from inarow.game import game as game_of
from inarow.lab.numbers import short_number
from inarow.lab.plots.plot import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    STYLES,
    VERMILION,
    draw_line,
    save_figures,
)
from inarow.lab.plots.plot import Style as Style
from inarow.lab.statistics import student, wilson
from inarow.lab.studies.conditions import Point as Point
from inarow.papers.claims import Column, Means, Shares, mean_of
from inarow.papers.measures import Data, Label, Measure, ResultRow, at_path
from inarow.papers.tables import Table
from inarow.papers.verdicts import DIFFERS, MATCHES, NUMBER, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

MANY_RUNS = 50  # below, bands would hide all else
Points = Callable[[Data], Sequence[Point]]
CurvePoint = float | list[float]  # a mean, or a mean and its standard error


@dataclass(frozen=True)
class Line:
    """A curve of a panel."""

    label: str
    points: Points
    style: Style | None = None  # None: the next one


@dataclass(frozen=True)
class Level:
    """A level line across a panel, as of a player that learned nothing."""

    label: str
    height: Callable[[Data], float | None]
    style: Style
    on_line: bool = True  # where its name stands; else in the legend


@dataclass(frozen=True)
class Note:
    """A number of games at which the text says that something happens: a vertical line."""

    at: float
    text: str
    left: bool = False  # its text stands left of the line


def no_notes(data: Data) -> Sequence[Note]:  # noqa: ARG001 - there are none
    """Return no notes."""
    return ()


@dataclass(frozen=True)
class Panel:
    """Curves that share their axes."""

    title: str
    lines: tuple[Line, ...]
    levels: tuple[Level, ...] = ()
    notes: Callable[[Data], Sequence[Note]] = no_notes  # in a report


Draw = Callable[["Canvas", Data], None]


@dataclass(frozen=True)
class Figure:
    """A figure of a page: its name (with the paper's number), caption, and how it is drawn."""

    name: str
    caption: str
    draw: Draw
    has: Callable[[Data], bool]  # whether its results are there
    size: tuple[float, float] = (8.0, 4.0)
    part: str = ""
    html: Callable[[Data], str] | None = None  # in a report; None: its curves, or the drawing

    @property
    def captioned(self) -> str:
        """Its caption without the figure's number."""
        return re.sub(r"^Figures? [0-9]+( and [0-9]+)?\. ", "", self.caption)

    def file(self, paper: str) -> str:
        """Its file, without the ending."""
        return f"{paper}-{self.name}"


def save(
    paper: str, figures: Sequence[Figure], data: Data, folder: Path, kind: str = "svg"
) -> list[Path]:
    """Draws those whose results are there."""
    shown = [figure for figure in figures if figure.has(data)]

    def draw(canvas: Canvas, figure: Figure) -> None:
        figure.draw(canvas, data)

    drawings: dict[str, Callable[[Canvas], None]] = {
        figure.file(paper): partial(draw, figure=figure) for figure in shown
    }
    sizes = {figure.file(paper): figure.size for figure in shown}
    return save_figures(drawings, folder, sizes, kind)


# In a page: colours follow the page's, and ids differ from those of the other figures

THEMED = {
    "#000000": "var(--ink)", "#ffffff": "var(--bg)", "#dddddd": "var(--rule)",
    "#555555": "var(--soft)", "#d9d9d9": "var(--rule)", "#808080": "var(--soft)",
}  # fmt: skip


def inline_svg(figure: Figure, data: Data) -> str:
    """Return the drawing of a figure, to stand in a page that is light or dark."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    from inarow.lab.plots.plot import STYLE

    with rc_context({**STYLE, "svg.fonttype": "none", "svg.hashsalt": figure.name}):
        canvas = Canvas(figsize=figure.size, layout="constrained")
        canvas.patch.set_alpha(0)
        figure.draw(canvas, data)
        stream = io.StringIO()
        canvas.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    text = re.sub(r"<metadata>.*?</metadata>", "", stream.getvalue(), flags=re.DOTALL)
    text = text[text.index("<svg") :].strip()
    text = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{figure.name}-", text)
    text = re.sub(r'width="[0-9.]+pt" height="[0-9.]+pt" ', "", text, count=1)
    for colour, themed in THEMED.items():
        text = text.replace(colour, themed)
    wide = f"max-width:{figure.size[0]:g}in"
    return text.replace("<svg ", f'<svg aria-hidden="true" class="drawn" style="{wide}" ', 1)


@dataclass(frozen=True)
class Curves:
    """Draws panels of curves side by side."""

    panels: tuple[Panel, ...]
    ylabel: str
    xlabel: str = "training games"
    percent: bool = False  # heights are per cent, from 0 to 100
    log_x: bool = True
    log_y: bool = False
    xlim: tuple[float, float] | None = None
    ylim: tuple[float | None, float | None] = (None, None)
    ytext: Callable[[float, object], str] | None = None
    beside: bool = False  # where the legend is: above, or on the right
    finish: Callable[[Axes], None] | None = None  # what else one of them needs
    xticks: tuple[float, ...] = ()  # in a report
    xtext: Callable[[float], str] | None = None  # of these

    def has(self, data: Data) -> bool:
        """Whether any curve has points."""
        return any(line.points(data) for panel in self.panels for line in panel.lines)

    def __call__(self, canvas: Canvas, data: Data) -> None:
        """Draws them."""
        shown = canvas.subplots(1, len(self.panels), sharey=True, squeeze=False)[0]
        for axes, panel in zip(shown, self.panels, strict=True):
            self._panel(axes, panel, data)
        shown[0].set_ylabel(self.ylabel)
        handles, labels = shown[0].get_legend_handles_labels()
        if self.beside:
            canvas.legend(handles, labels, loc="outside right center", handlelength=3.6)
        else:
            canvas.legend(handles, labels, loc="outside upper center", handlelength=3.6, ncols=3)

    def as_table(self, panel: int, title: str) -> Callable[[Data], Table | None]:
        """Make a panel's curves as numbers: a line for each number of games, a column a curve."""
        lines = self.panels[panel].lines

        def make(data: Data) -> Table | None:
            curves = [{p[0]: self._text(p) for p in line.points(data)} for line in lines]
            games = sorted({number for curve in curves for number in curve})
            cells = (
                (f"{number:,}", *(curve.get(number, "") for curve in curves)) for number in games
            )
            heads = (self.xlabel.removeprefix("training "), *(line.label for line in lines))
            return Table(heads, tuple(cells), title, ()) if games else None

        return make

    def _text(self, point: Point) -> str:
        """As in 73.4 (70.1-76.5); a share cannot leave 0 to 100."""
        _, height, low, high = point
        if low is None or high is None or math.isnan(low):
            return f"{height:,.1f}"
        if self.percent:
            low, high = max(low, 0.0), min(high, 100.0)
        return f"{height:,.1f} ({low:,.1f}-{high:,.1f})"

    def _panel(self, axes: Axes, panel: Panel, data: Data) -> None:
        games = set[float]()
        for number, line in enumerate(panel.lines):
            points = [p for p in line.points(data) if self._shows(p[0])]
            games |= {point[0] for point in points}
            draw_line(axes, points, line.label, line.style or STYLES[number % len(STYLES)])
        axes.set_title(panel.title, loc="left", fontsize=10)
        axes.set_xlabel(self.xlabel)
        if self.log_x:
            axes.set_xscale("log")
        if self.log_y:
            axes.set_yscale("log", nonpositive="clip")
        if games:
            axes.set_xlim(self.xlim or (min(games) / 1.05, max(games) * 1.05))
        axes.xaxis.set_major_formatter(short_number)
        axes.xaxis.set_minor_formatter(lambda value, _: "")
        if self.percent:
            axes.set_ylim(-3, 103)
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0f}%")
            axes.spines["left"].set_bounds(0, 100)
        elif self.ylim != (None, None):
            axes.set_ylim(*self.ylim)
        for number, level in enumerate(panel.levels):
            height = level.height(data)
            if height is not None:
                _draw_level(axes, level, height, number)
        if self.ytext is not None:
            axes.yaxis.set_major_formatter(self.ytext)
        if self.finish is not None:
            self.finish(axes)

    def _shows(self, games: float) -> bool:
        return self.xlim is None or self.xlim[0] <= games <= self.xlim[1]


def _draw_level(axes: Axes, level: Level, height: float, number: int) -> None:
    """A level line; names on lines stand by turns on the right and in the middle."""
    colour, dashes = level.style
    label = "_" if level.on_line else level.label
    axes.axhline(height, color=colour, linestyle=dashes, lw=1.2, label=label)
    if level.on_line:
        below = height > axes.get_ylim()[1] * 0.9
        axes.annotate(
            level.label, (0.99 if number % 2 == 0 else 0.5, height),
            xycoords=("axes fraction", "data"), xytext=(0, -2 if below else 2),
            textcoords="offset points", ha="right", va="top" if below else "bottom",
            color=colour, fontsize=8,
        )  # fmt: skip


def counted(name: str, **labels: Label) -> Points:
    """Per cent of runs over games, `row[name]` counting them; bands where runs are many."""
    group, _, counted_name = name.rpartition(".")

    def points(data: Data) -> list[Point]:
        row = data.row(**labels)
        if row is None:
            return []
        runs, found = row["runs"], (row[group] if group else row)[counted_name]
        bounds = [wilson(count, runs) for count in found]
        shown = [(100 * b.low, 100 * b.high) if runs >= MANY_RUNS else (None, None) for b in bounds]
        return [
            (games, 100 * count / runs, *bound)
            for games, count, bound in zip(row["games"], found, shown, strict=True)
        ]

    return points


def averaged(
    mean: str | Callable[[ResultRow], Sequence[CurvePoint]], key: str = "games", **labels: Label
) -> Points:
    """A mean over runs by games, in a row under a dotted name or computed from it.

    Plain numbers, or a mean and its standard error each.
    """

    def points(data: Data) -> list[Point]:
        row = data.row(**labels)
        if row is None:
            return []
        games, means = at_path(row, key), at_path(row, mean) if isinstance(mean, str) else mean(row)
        return [_point(g, p, row["runs"]) for g, p in zip(games, means, strict=True)]

    return points


def measured_points(
    measure: Measure, label: str, places: Mapping[str, float] | Mapping[int, float], **labels: Label
) -> Points:
    """Return a quantity for each value of a label, at the value's place, with its interval."""

    def points(data: Data) -> list[Point]:
        found = [(at, measure(data, **{label: value}, **labels)) for value, at in places.items()]
        return [(at, one.mean, one.low, one.high) for at, one in found if one is not None]

    return points


def _point(games: float, point: CurvePoint, runs: int) -> Point:
    if not isinstance(point, Sequence):
        return games, float(point), None, None
    mean, error = float(point[0]), float(point[1])
    half = student(runs - 1) * error if runs > 1 else math.nan
    return games, mean, mean - half, mean + half


# The whole paper at a glance: every published number beside ours

FARTHEST = 4.0  # margins: what is farther away is drawn at the edge, as an arrow
FOREST_MARKS = {MATCHES: (BLUE, "o", BLUE), DIFFERS: (VERMILION, "D", VERMILION)}
OTHER_MARK = (GREY, "o", "white")
Rows = Callable[[Data], Sequence[Row]]


class Difference(NamedTuple):
    """How far ours is from a published number, in margins of its equivalence test."""

    label: str
    value: float
    low: float
    high: float
    verdict: str


def differences(rows: Sequence[Row]) -> list[Difference]:
    """Return the differences of all measured numbers that have a margin and an interval."""
    found = []
    for row in rows:
        judged = row.judged
        if row.kind != NUMBER or row.counted_as != NUMBER or not judged.margin:
            continue
        if judged.ours is None or judged.low is None or judged.high is None:
            continue
        published, _ = mean_of(row.published)
        value, low, high = (
            (at - published) / judged.margin for at in (judged.ours, judged.low, judged.high)
        )
        label = ", ".join((row.source.partition(",")[0], *row.labels.values()))
        found.append(Difference(label, value, low, high, row.verdict))
    return found


def forest(numbers: Sequence[Column], rows: Rows) -> Figure:
    """Return a forest plot of a paper: ours minus published, in margins, with 95% intervals."""

    def draw(canvas: Canvas, data: Data) -> None:
        _draw_forest(canvas.subplots(), differences(rows(data)))

    lines = sum(len([*c.entry.leaves()]) for c in numbers if isinstance(c.test, Means | Shares))
    caption = (
        "All measured numbers of the paper: ours minus published, in margins of the equivalence "
        "test, with the 95% interval that decides. Shaded: a difference that counts as agreement; "
        f"an arrow: more than {FARTHEST:.0f} margins away"
    )
    size = (8.0, 1.3 + 0.2 * lines)
    return Figure("forest", caption, draw, lambda data: bool(differences(rows(data))), size)


def _draw_forest(axes: Axes, found: Sequence[Difference]) -> None:
    axes.axvspan(-1, 1, color=GREY, alpha=0.15, lw=0)
    axes.axvline(0, color=GREY, lw=1)
    for height, one in enumerate(found):
        colour, shape, fill = FOREST_MARKS.get(one.verdict, OTHER_MARK)
        low, value, high = (
            min(max(x, -FARTHEST), FARTHEST) for x in (one.low, one.value, one.high)
        )
        axes.plot([low, high], [height, height], color=colour, lw=1.4)
        mark = shape if abs(one.value) <= FARTHEST else "<" if one.value < 0 else ">"
        axes.plot(value, height, color=colour, marker=mark, ms=5, markerfacecolor=fill, ls="")
    axes.set_yticks(range(len(found)), [one.label for one in found], fontsize=8)
    axes.set_ylim(len(found) - 0.3, -0.7)
    axes.set_xlim(-FARTHEST - 0.2, FARTHEST + 0.2)
    axes.set_xlabel("ours minus published, in margins")
    for verdict in dict.fromkeys(one.verdict for one in found):
        colour, shape, fill = FOREST_MARKS.get(verdict, OTHER_MARK)
        axes.plot([], [], color=colour, marker=shape, ls="", markerfacecolor=fill, label=verdict)
    axes.figure.legend(loc="outside upper center", ncols=3)


# What a paper shows beside its results: finished boards, networks, lines of cells

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
    colour = "#fefefe" if side == 1 else BLACK  # white, also where a page is dark
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
