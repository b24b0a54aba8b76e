"""Figures: curves over training games, with bands, in panels; drawn with the project's style."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from inarow.lab.numbers import short_number
from inarow.lab.plots.plot import BLUE, GREY, STYLES, VERMILION, draw_line, save_figures
from inarow.lab.plots.plot import Style as Style
from inarow.lab.statistics import student, wilson
from inarow.lab.studies.conditions import Point as Point
from inarow.papers.claims import Column, Means, Shares, mean_of
from inarow.papers.measures import Data, Label, ResultRow, at_path
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
