"""Figures: curves over training games, with bands, in panels; drawn with the project's style."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from inarow.lab.plot_style import STYLES, draw_line, save_figures, short_number
from inarow.lab.plot_style import Point as Point
from inarow.lab.plot_style import Style as Style
from inarow.lab.statistics import student, wilson
from inarow.papers.measures import Data, Label, at_path
from inarow.papers.results import Stored
from inarow.papers.tables import Table
from inarow.papers.verdicts import Row

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
class Panel:
    """Curves that share their axes."""

    title: str
    lines: tuple[Line, ...]
    levels: tuple[Level, ...] = ()


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

    def file(self, paper: str) -> str:
        """Its file, without the ending."""
        return f"{paper}-{self.name}"


def save(paper: str, figures: Sequence[Figure], data: Data, folder: Path) -> list[Path]:
    """Draws those whose results are there."""
    shown = [figure for figure in figures if figure.has(data)]

    def draw(canvas: Canvas, figure: Figure) -> None:
        figure.draw(canvas, data)

    drawings: dict[str, Callable[[Canvas], None]] = {
        figure.file(paper): partial(draw, figure=figure) for figure in shown
    }
    return save_figures(drawings, folder, {figure.file(paper): figure.size for figure in shown})


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

    def as_table(self, panel: int, title: str) -> Callable[..., Table | None]:
        """Makes a panel's curves as numbers: a line for each number of games, a column a curve."""
        lines = self.panels[panel].lines

        def make(data: Data, rows: Sequence[Row] = ()) -> Table | None:
            del rows
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
    mean: str | Callable[[Stored], Sequence[CurvePoint]], key: str = "games", **labels: Label
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


def _point(games: float, point: CurvePoint, runs: int) -> Point:
    if not isinstance(point, Sequence):
        return games, float(point), None, None
    mean, error = float(point[0]), float(point[1])
    half = student(runs - 1) * error if runs > 1 else math.nan
    return games, mean, mean - half, mean + half
