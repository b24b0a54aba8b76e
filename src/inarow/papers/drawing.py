"""Drawings of a report as SVG: marks and curves whose width is fluid and whose text is not.

Places along the width are per cents, heights are pixels, and strokes keep their width, so one
drawing serves a phone, a wide screen and paper. Colours are classes of `report.css`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup, escape

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
    Style,
)
from inarow.lab.studies.conditions import Point
from inarow.papers.figures import Curves, Note, Panel
from inarow.papers.measures import Data
from inarow.papers.tables import games_text
from inarow.papers.verdicts import Row

Place = Callable[[float], float]  # of a value: in per cent of the width or of the height
COLOURS = (BLUE, BLACK, SKY, VERMILION, ORANGE, GREEN, PURPLE, GREY)  # classes c0 to c7
NEAR = 7.0  # pixels: points of a curve that are closer are left out
LINE = 15.5  # pixels between two labels


# Scales


def linear(low: float, high: float) -> Place:
    """Return places on a linear scale; what lies outside stands at its end."""
    return lambda value: 100 * (min(max(value, low), high) - low) / ((high - low) or 1)


def logarithmic(low: float, high: float, zero: float = 0.0) -> Place:
    """Return places on a logarithmic scale; the first `zero` per cent are for 0."""
    span = math.log(high / low) or 1.0

    def place(value: float) -> float:
        if value < low:
            return 0.0
        return zero + (100 - zero) * min(math.log(value / low) / span, 1.0)

    return place


def round_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers from `low` to `high`, at most so many, and more than half of them."""
    span = (high - low) or 1.0
    size = 10 ** math.floor(math.log10(span / most))
    step = next(size * by for by in (1, 2, 2.5, 5, 10) if span / (size * by) <= most)
    first = math.ceil(low / step - 1e-9)
    return [round(step * n, 12) for n in range(first, math.floor(high / step + 1e-9) + 1)]


def decades(low: float, high: float, most: int = 7) -> list[float]:
    """Return the powers of ten from `low` to `high`; every second or third where they are many."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    step = max(1, -(-(last - first + 1) // most))
    return [10.0**power for power in range(last, first - 1, -step)][::-1]


@dataclass(frozen=True)
class Scale:
    """An axis: where values stand, and its ticks."""

    place: Place
    ticks: tuple[float, ...]


def scale_of(values: Iterable[float], percent: bool = False) -> Scale:
    """Return a scale for the marks of some published and measured numbers."""
    known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    if low > 0 and high / low > 300:
        least, most = 10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high))
        return Scale(logarithmic(least, most), tuple(decades(least, most, 5)))
    if low >= 0 and not (percent and low > 80):
        low = 0.0
    if percent and high > 60:
        high = 100.0
    if low == high:
        high = low + 1
    ticks = round_ticks(low, high)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else high - low
    if high > ticks[-1] + 1e-9 * step:
        ticks.append(round(ticks[-1] + step, 12))
    if low < ticks[0] - 1e-9 * step:
        ticks.insert(0, round(ticks[0] - step, 12))
    return Scale(linear(ticks[0], ticks[-1]), tuple(ticks))


# Marks: a tick for the published number, a dot for ours, a bar for the interval


def mark(scale: Scale, row: Row, published: float | None, factor: float = 1.0) -> Markup:
    """Draw our value with its interval, and the published value as a tick, on a shared scale."""
    judged = row.judged
    parts = [
        f'<line class="g" x1="{scale.place(t):.1f}%" x2="{scale.place(t):.1f}%" y1="0" y2="100%"/>'
        for t in scale.ticks
    ]
    if judged.low is not None and judged.high is not None:
        low, high = scale.place(judged.low * factor), scale.place(judged.high * factor)
        parts.append(f'<line class="i" x1="{low:.2f}%" x2="{high:.2f}%" y1="50%" y2="50%"/>')
    if published is not None:
        at = scale.place(published * factor)
        parts.append(f'<line class="t" x1="{at:.2f}%" x2="{at:.2f}%" y1="3" y2="21"/>')
    if judged.ours is not None:
        at = scale.place(judged.ours * factor)
        parts.append(f'<circle cx="{at:.2f}%" cy="50%" r="3.6"/>')
    return Markup(f'<svg class="mark {class_of(row)}" aria-hidden="true">{"".join(parts)}</svg>')


def class_of(row: Row) -> str:
    """Return the verdict in one word: the class of what shows it."""
    return row.verdict.split()[0]


def axis(scale: Scale, text: Callable[[float], str]) -> Markup:
    """Write the ticks of a scale, below its marks."""
    parts = []
    for tick in scale.ticks:
        at = scale.place(tick)
        parts.append(f'<text x="{at:.1f}%" y="12" text-anchor="{_anchor(at)}">{text(tick)}</text>')
    return Markup(f'<svg class="axis" aria-hidden="true">{"".join(parts)}</svg>')


def _anchor(at: float) -> str:
    return "start" if at < 4 else "end" if at > 96 else "middle"


# Curves


@dataclass
class _Plot:
    """A panel that is being drawn."""

    x: Place
    y: Place
    top: float
    bottom: float
    out: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    ends: list[tuple[float, str, str, str]] = field(default_factory=list)  # y, name, value, style

    def down(self, value: float) -> float:
        """Return the place of a height, from above."""
        return self.bottom - (self.bottom - self.top) * self.y(value) / 100


def chart(curves: Curves, panel: Panel, data: Data, height: int = 310) -> Markup:
    """Draw a panel: names and last values stand at the ends of the curves."""
    lines = [(line, _shown(curves, line.points(data))) for line in panel.lines]
    points = [point for _, found in lines for point in found]
    if not points:
        return Markup("")
    levels = [(level, level.height(data)) for level in panel.levels]
    heights = [value for _, value in levels if value is not None and math.isfinite(value)]
    xs, ys = _x_scale(curves, points), _y_scale(curves, points, heights)
    plot = _Plot(xs.place, ys.place, 8, height - 26)
    ytext, xtext = _ytext(curves), curves.xtext or games_text
    _grid(plot, xs, ys, xtext, ytext)
    least = min(point[0] for point in points)
    for number, note in enumerate(note for note in panel.notes(data) if note.at > least):
        _note(plot, note, plot.bottom - 8 - 14 * number)
    for level, value in levels:
        if value is not None and math.isfinite(value):
            _level(plot, level.label, value, level.style, ytext)
    for number, (line, found) in enumerate(lines):
        if found:
            _curve(plot, line.label, found, line.style or STYLES[number % len(STYLES)], ytext)
    return _svg(plot, height)


def _shown(curves: Curves, points: Sequence[Point]) -> list[Point]:
    low, high = curves.xlim or (-math.inf, math.inf)
    return [
        point
        for point in points
        if low <= point[0] <= high
        and math.isfinite(point[1])
        and (point[0] > 0 or not curves.log_x)
    ]


def _x_scale(curves: Curves, points: Sequence[Point]) -> Scale:
    low, high = min(p[0] for p in points), max(p[0] for p in points)
    if curves.xticks:
        low, high = curves.xlim or (low, high)
        return Scale(linear(low, high), tuple(curves.xticks))
    if low == high:
        high = low + 1
    if curves.log_x:
        ticks = decades(low, high)
        if len(ticks) < 3:
            ticks = [t for d in decades(low / 10, high) for t in (d, 2 * d, 5 * d)]
        return Scale(logarithmic(low, high), tuple(t for t in ticks if low <= t <= high))
    low = 0.0 if low < high / 5 else low
    return Scale(linear(low, high), tuple(round_ticks(low, high)))


def _y_scale(curves: Curves, points: Sequence[Point], levels: Sequence[float]) -> Scale:
    if curves.percent and curves.ylim == (None, None):
        return Scale(linear(0, 100), (0, 25, 50, 75, 100))
    heights = [p[1] for p in points] + list(levels)
    low, high = curves.ylim
    if curves.log_y:
        above = [value for value in heights if value > 0] or [1.0]
        least = low or min(above)
        most = high or max(above)
        least = 10 ** math.floor(math.log10(least) + 1e-9) if most / least < 1e3 else least
        return Scale(logarithmic(least, most * 1.02), tuple(decades(least, most)))
    least = min([*heights, 0.0]) if low is None else low
    most = max(heights) if high is None else high
    most = most if most > least else least + 1
    return Scale(linear(least, most), tuple(round_ticks(least, most)))


def _ytext(curves: Curves) -> Callable[[float], str]:
    given = curves.ytext
    if given is not None:
        return lambda value: given(float(f"{value:.3g}"), None)
    if curves.percent:
        return percent_text
    return number_text


def percent_text(value: float) -> str:
    """Write per cent with as many digits as a small or a nearly whole share needs."""
    if value in (0, 100) or round(value, 9) == round(value):
        return f"{value:.0f}%"
    if 99.95 <= value < 100:
        return f"{value:.2f}%"
    return f"{value:.1f}%" if value >= 1 else f"{value:.2g}%"


def number_text(value: float) -> str:
    """Write a number of an axis or at the end of a curve, with three digits at least."""
    if abs(value) >= 1e6:
        return f"{value / 1e6:.3g}M"
    if abs(value) >= 100 or round(value, 9) == round(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"


def _grid(
    plot: _Plot, xs: Scale, ys: Scale, xtext: Callable[[float], str], ytext: Callable[[float], str]
) -> None:
    for tick in ys.ticks:
        at = plot.down(tick)
        plot.out.append(
            f'<line class="g" x1="0" x2="100%" y1="{at:.1f}" y2="{at:.1f}"/>'
            f'<text x="0" dx="-8" y="{at + 4:.1f}" text-anchor="end">{escape(ytext(tick))}</text>'
        )
    last = len(xs.ticks) - 1
    for number, tick in enumerate(xs.ticks):
        at, odd = xs.place(tick), ' class="odd"' if (last - number) % 2 else ""
        plot.out.append(
            f'<line class="g" x1="{at:.2f}%" x2="{at:.2f}%" y1="{plot.bottom}" '
            f'y2="{plot.bottom + 5}"/><text{odd} x="{at:.2f}%" y="{plot.bottom + 18}" '
            f'text-anchor="{_anchor(at)}">{escape(xtext(tick))}</text>'
        )


def _note(plot: _Plot, note: Note, height: float) -> None:
    at = plot.x(note.at)
    side, away = ("end", -5) if note.left or at > 70 else ("start", 5)
    plot.out.append(
        f'<line class="note" x1="{at:.2f}%" x2="{at:.2f}%" y1="{plot.top}" y2="{plot.bottom}"/>'
        f'<text class="note" x="{at:.2f}%" dx="{away}" y="{height}" '
        f'text-anchor="{side}">{escape(note.text)}</text>'
    )


def _level(
    plot: _Plot, label: str, value: float, style: Style, ytext: Callable[[float], str]
) -> None:
    at = plot.down(value)
    plot.paths.append(
        f'<path class="level {_colour(style)}" d="M0,{at:.1f}H1000" {_dashes(style)}/>'
    )
    if not label.startswith("_"):
        plot.ends.append((at, label, ytext(value), _marked(style)))


def _curve(
    plot: _Plot, label: str, points: list[Point], style: Style, ytext: Callable[[float], str]
) -> None:
    if style[1] == "none":  # a published point
        for x, y, *_ in points:
            at = plot.down(y)
            plot.out.append(
                f'<svg x="{plot.x(x):.2f}%" y="{at:.1f}" width="1" height="1" overflow="visible">'
                '<path class="published" d="M-9,0h18"/></svg>'
            )
            plot.ends.append((at, label, "", 'class="published"'))
        return
    shown = _thin([(10 * plot.x(x), plot.down(y), *_band(plot, y, low, high))
                   for x, y, low, high in points])  # fmt: skip
    if any(down - up > 3 for _, _, up, down in shown):
        upper = " ".join(f"{x:.0f},{up:.1f}" for x, _, up, _ in shown)
        lower = " ".join(f"{x:.0f},{down:.1f}" for x, _, _, down in reversed(shown))
        plot.paths.append(f'<path class="band {_colour(style)}" d="M{upper} {lower}Z"/>')
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, *_ in shown)
    plot.paths.append(f'<path {_marked(style)} d="M{path}"/>')
    if not label.startswith("_"):
        last = points[-1]
        text = ytext(last[1])
        plot.ends.append((plot.down(last[1]), label, text, _marked(style)))


def _band(plot: _Plot, y: float, low: float | None, high: float | None) -> tuple[float, float]:
    """Return the upper and the lower edge of a band; bounds are kept in the plot by its scale."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return plot.down(y), plot.down(y)
    return plot.down(high), plot.down(low)


def _colour(style: Style) -> str:
    return f"c{COLOURS.index(style[0])}" if style[0] in COLOURS else "pale"


def _dashes(style: Style) -> str:
    dashes = {"-": "", ":": "2 2.5", "--": "6 3", "-.": "8 3 2 3"}.get(str(style[1]))
    if dashes is None:
        numbers = style[1][1] if isinstance(style[1], tuple) else ()
        dashes = " ".join(f"{1.7 * number:g}" for number in numbers)
    return f'stroke-dasharray="{dashes}"' if dashes else ""


def _marked(style: Style) -> str:
    return f'class="{_colour(style)}" {_dashes(style)}'


def _thin(points: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """Leave out points that are too close to be told apart; the last one stays."""
    kept = [points[0]]
    for point in points[1:]:
        if math.dist(point[:2], kept[-1][:2]) >= NEAR:
            kept.append(point)
    return kept if kept[-1] is points[-1] else [*kept, points[-1]]


def _spread(wanted: Sequence[float], low: float, high: float) -> list[float]:
    """Return places for labels in order, none closer than a line of text."""
    placed = list(wanted)
    gap = min(LINE, (high - low) / max(1, len(placed) - 1))
    for n in range(len(placed)):
        placed[n] = max(placed[n], low if n == 0 else placed[n - 1] + gap)
    for n in range(len(placed) - 1, -1, -1):
        placed[n] = min(placed[n], high if n == len(placed) - 1 else placed[n + 1] - gap)
    return placed


def _svg(plot: _Plot, height: int) -> Markup:
    """Put the fluid part, the text and the labels together."""
    out = [
        *plot.out,
        f'<svg viewBox="0 0 1000 {height}" preserveAspectRatio="none" width="100%" '
        f'height="{height}">{"".join(plot.paths)}</svg>'
        f'<svg class="tails" x="100%" width="1" height="{height}" overflow="visible">',
    ]
    ordered = sorted(plot.ends, key=lambda end: end[0])
    places = _spread([end[0] for end in ordered], plot.top + 4, plot.bottom + 4)
    for (at, name, value, style), label in zip(ordered, places, strict=True):
        words = f'<tspan class="val"> {escape(value)}</tspan>' if value else ""
        out.append(
            f'<path {style} d="M2,{at:.1f} L10,{label:.1f} h14"/>'
            f'<text class="label" x="28" y="{label + 4:.1f}">{escape(name)}{words}</text>'
        )
    drawn = "".join(out)
    return Markup(
        f'<svg class="plot" width="100%" height="{height}" aria-hidden="true">{drawn}</svg></svg>'
        f'<ul class="legend">{"".join(_legend(end) for end in ordered)}</ul>'
    )


def _legend(end: tuple[float, str, str, str]) -> str:
    """Write the name and the last value of a curve below a plot that has no room beside it."""
    _, name, value, style = end
    return (
        f'<li><svg width="24" height="8" aria-hidden="true"><path {style} d="M0,4h24"/></svg> '
        f'{escape(name)} <span class="val">{escape(value)}</span></li>'
    )


def panels_html(curves: Curves, data: Data, only: str = "") -> Markup:
    """Draw all panels below each other, or that of one figure of the paper, as `Figure 3`."""
    panels = (
        [panel for panel in curves.panels if panel.title.startswith(f"{only}:")] if only else []
    )
    drawn = (_panel_html(curves, panel, data) for panel in panels or curves.panels)
    return Markup("").join(drawn)


def _panel_html(curves: Curves, panel: Panel, data: Data) -> Markup:
    drawn = chart(curves, panel, data)
    if not drawn:
        return Markup("")
    title = re.sub(r"^Figure \d+: ", "", panel.title)
    axes = f"{curves.ylabel}, by {curves.xlabel}"
    head = f"{title}: {axes}" if title else axes
    logs = [name for name, on in (("across", curves.log_x), ("up", curves.log_y)) if on]
    scale = f" (logarithmic {' and '.join(logs)})" if logs else ""
    return Markup(
        '<p class="sub">{}{}</p><div class="chart" role="img" aria-label="{}">{}</div>'
    ).format(head[0].upper() + head[1:], scale, spoken(curves, panel, data), drawn)


def spoken(curves: Curves, panel: Panel, data: Data) -> str:
    """Say where the curves end, for those who do not see them."""
    ytext = _ytext(curves)
    ends = [
        f"{line.label} {ytext(points[-1][1])}"
        for line in panel.lines
        if not line.label.startswith("_") and (points := _shown(curves, line.points(data)))
    ]
    return f"{panel.title or curves.ylabel}, at the end: {', '.join(ends)}"
