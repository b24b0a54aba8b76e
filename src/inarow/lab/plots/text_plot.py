"""Curves drawn with characters: for terminals, with or without colours.

Lines are drawn in Braille dots, two across and four down in each character. A letter on the line
tells curves apart without colours; sparse dots around it are its interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from inarow.lab.numbers import number_text, short_number
from inarow.lab.studies.conditions import Curve

ACROSS, DOWN = 2, 4  # dots of a character
BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # by row and column
LETTERS = "abcdefghijklmnopqrstuvwxyz"
LEAST, MOST = 32, 200  # characters across
TICKS = 6  # at most, of the upright axis
LARGEST = 1e300  # that an axis holds: the span of any two values is a number, too


class Segment(NamedTuple):
    """Some characters, and the number of the curve whose colour they have."""

    text: str
    curve: int | None = None


Line = list[Segment]


class Axis(NamedTuple):
    """Takes values to shares of the way along an axis."""

    low: float
    high: float
    log: bool

    def share(self, value: float) -> float:
        """Return where a value lies on the axis, from 0 to 1."""
        if self.log:
            value = math.log10(max(value, 10**self.low))
        return (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)

    def ticks(self, most: int) -> list[float]:
        """Return at most so many round values."""
        if self.log:
            powers = range(math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9) + 1)
            found = [10.0**p for p in powers[:: max(1, -(-len(powers) // most))]]
            if len(found) > 1:
                return found
            return [10**self.low, 10**self.high]
        span = self.high - self.low
        size = 10.0 ** math.floor(math.log10(span / most))
        step = next(size * m for m in (1, 2, 5, 10, 20) if span / (size * m) <= most)
        first = math.ceil(self.low / step - 1e-9)
        return [n * step for n in range(first, math.floor(self.high / step + 1e-9) + 1)]


def axis_of(values: Sequence[float], log: bool, zero: bool = False) -> Axis:
    """An axis that holds all values; from 0 on where they come near it and `zero` is asked for."""
    values = [min(max(value, -LARGEST), LARGEST) for value in values]
    if log:
        values = [value for value in values if value > 0] or [0.1, 1.0]
        low, high = math.log10(min(values)), math.log10(max(values))
    else:
        low, high = min(values), max(values)
        if zero and 0 < low < 0.4 * high:
            low = 0.0
    size = max(abs(low), abs(high), 1.0)
    if high - low < 1e-12 * size:
        room = max(0.5, 1e-9 * size)  # of a large number, 0.5 more is the same number
        low, high = low - room, high + room
    return Axis(low, high, log)


def draw_curves(
    curves: Sequence[Curve], xlabel: str, width: int, *, log_x: bool = True, log_y: bool = False
) -> list[Line]:
    """Return the curves in so many columns: a frame with ticks, then a line for each curve."""
    width = min(max(width, LEAST), MOST)
    rows = min(max(width // 5, 9), 18)
    points = [point for curve in curves for point in curve.points]
    heights = [value for point in points for value in point[1:] if value is not None]
    across = axis_of([point[0] for point in points], log_x)
    up = axis_of(heights, log_y, zero=True)
    margin = max(len(_number(tick)) for tick in up.ticks(TICKS)) + 2
    canvas = _Canvas(width - margin - 1, rows)
    for number, curve in enumerate(curves):
        canvas.band(number, curve, across, up)
    for number, curve in enumerate(curves):
        canvas.line(number, curve, across, up)
    if len(curves) > 1:
        for number, curve in enumerate(curves):
            canvas.letters(number, len(curves), curve, across, up)
    return [
        *_framed(canvas, up, margin),
        *_ticks(across, canvas.columns, margin, xlabel),
        *_legend(curves, width),
    ]


def plain(lines: Sequence[Line]) -> str:
    """Return the drawing without colours."""
    return "\n".join("".join(segment.text for segment in line).rstrip() for line in lines)


class _Canvas:
    """Dots, the curve that each character belongs to, and letters upon them."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.dots = np.zeros((rows, columns), dtype=np.int64)
        self.curve = np.full((rows, columns), -1)
        self.solid = np.zeros((rows, columns), dtype=bool)  # holds part of a line
        self.texts: dict[tuple[int, int], str] = {}

    def band(self, number: int, curve: Curve, across: Axis, up: Axis) -> None:
        """Draw sparse dots over the interval."""
        if any(point[2] is None for point in curve.points):
            return
        low, high = (self._course(curve, place, across, up) for place in (2, 3))
        for x, (bottom, top) in enumerate(zip(low, high, strict=True)):
            if math.isnan(bottom) or x % 2:
                continue
            for y in range(round(top), round(bottom) + 1):
                if y % 2 == (x // 2) % 2:
                    self._dot(number, x, y, solid=False)

    def line(self, number: int, curve: Curve, across: Axis, up: Axis) -> None:
        """The mean, without gaps from one column of dots to the next."""
        before = math.nan
        for x, y in enumerate(self._course(curve, 1, across, up)):
            if not math.isnan(y):
                start = y if math.isnan(before) else before
                steps = range(min(round(start), round(y)), max(round(start), round(y)) + 1)
                inner = [step for step in steps if step != round(start)] or [round(y)]
                for step in inner:
                    self._dot(number, x, step, solid=True)
            before = y

    def letters(self, number: int, of: int, curve: Curve, across: Axis, up: Axis) -> None:
        """The curve's letter at three places of its own."""
        course = self._course(curve, 1, across, up)
        for third in range(3):
            column = int(self.columns * (third + (number + 1) / (of + 1)) / 3)
            y = course[min(ACROSS * column, len(course) - 1)]
            if not math.isnan(y):
                row = min(int(round(y) // DOWN), self.rows - 1)
                self.texts[row, column], self.curve[row, column] = LETTERS[number % 26], number

    def _course(self, curve: Curve, place: int, across: Axis, up: Axis) -> list[float]:
        """The height in dots from the top for each column of dots; nan beyond the curve's ends."""
        width, height = ACROSS * self.columns - 1, DOWN * self.rows - 1
        xs = [across.share(point[0]) * width for point in curve.points]
        ys = [(1 - up.share(float(point[place] or 0.0))) * height for point in curve.points]
        clipped = np.clip(np.interp(range(width + 1), xs, ys), 0, height)
        inside = (np.arange(width + 1) >= round(xs[0])) & (np.arange(width + 1) <= round(xs[-1]))
        return [float(y) for y in np.where(inside, clipped, np.nan)]

    def _dot(self, number: int, x: int, y: int, solid: bool) -> None:
        row, column = y // DOWN, x // ACROSS
        if not 0 <= row < self.rows:
            return
        if not solid and (self.solid[row, column] or self.curve[row, column] not in (-1, number)):
            return
        if solid and not self.solid[row, column]:
            self.dots[row, column] = 0  # of a band
        self.solid[row, column] |= solid
        self.curve[row, column] = number
        self.dots[row, column] |= BITS[y % DOWN][x % ACROSS]

    def row(self, number: int) -> Line:
        """Return a row of characters, those of one curve together."""
        line: Line = []
        for column in range(self.columns):
            dots, curve = int(self.dots[number, column]), int(self.curve[number, column])
            text = self.texts.get((number, column)) or (chr(0x2800 + dots) if dots else " ")
            owner = curve if text != " " else None
            if line and line[-1].curve == owner:
                line[-1] = Segment(line[-1].text + text, owner)
            else:
                line.append(Segment(text, owner))
        return line


def _framed(canvas: _Canvas, up: Axis, margin: int) -> list[Line]:
    """Return the rows of the canvas, with the ticks of the upright axis on the left."""
    ticks = {
        round((1 - up.share(tick)) * (canvas.rows - 1)): _number(tick)
        for tick in up.ticks(TICKS)
        if 0 <= up.share(tick) <= 1
    }
    return [
        [
            Segment(f"{ticks.get(row, ''):>{margin - 1}} {'┤' if row in ticks else '│'}"),
            *canvas.row(row),
        ]
        for row in range(canvas.rows)
    ]


def _ticks(across: Axis, columns: int, margin: int, xlabel: str) -> list[Line]:
    """Return the level axis, its ticks, and what it counts."""
    frame, texts = ["─"] * columns, [" "] * columns
    end = -1
    for tick in across.ticks(max(2, columns // 12)):
        text, place = short_number(tick), round(across.share(tick) * (columns - 1))
        start = min(max(place - len(text) // 2, 0), columns - len(text))
        if 0 <= place < columns and start > end:
            frame[place] = "┬"
            texts[start : start + len(text)] = text
            end = start + len(text)
    left = " " * margin
    return [
        [Segment(f"{left}└{''.join(frame)}")],
        [Segment(f"{left} {''.join(texts)}")],
        [Segment(f"{left} {xlabel:^{columns}}")],
    ]


def _legend(curves: Sequence[Curve], width: int) -> list[Line]:
    """Return each curve with its last value, as fully as there is room."""
    labels = [curve.label or "at the end" for curve in curves]
    longest = max(map(len, labels))
    for digits in ("interval and runs", "interval", ""):
        values = [_last(curve, digits) for curve in curves]
        room = width - max(map(len, values)) - 6
        if room >= longest:
            break
    wide, lines = min(room, longest), list[Line]()
    for number, (label, value) in enumerate(zip(labels, values, strict=True)):
        short = label if len(label) <= wide else f"{label[: wide - 1]}…"
        letter = LETTERS[number % 26] if len(curves) > 1 else " "
        lines.append([Segment(f" {letter} {short:<{wide}}", number), Segment(f"  {value}")])
    return lines


def _last(curve: Curve, how: str) -> str:
    """Return the end of a curve in words: its mean, its interval, and the number of runs."""
    _, mean, low, high = curve.points[-1]
    if low is None or high is None:
        return f"{_number(mean)} (1 run)" if "runs" in how else _number(mean)
    runs = f", {curve.runs} runs" if "runs" in how else ""
    ends = f" ({_number(low)} to {_number(high)}{runs})"
    return f"{_number(mean)}{ends if how else ''}"


def _number(value: float) -> str:
    """Format a number with three digits that count."""
    if abs(value) >= 1000:
        return short_number(float(f"{value:.3g}"))
    return number_text(value, 3)
