"""Quantities read from stored results: `Measured`, a value with its interval, and `Measure`.

A measure is asked with labels (`game`, `against`, ...) and finds the row of results that has them
all. It answers None where nothing was run. Labels given with `where` hold until the measure is
asked with others; so one measure serves a whole table. The label `part` says of which part of the
paper's study, where it is not the first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from inarow.lab.statistics import Floats, Summary, student, summary, wilson

if TYPE_CHECKING:
    from inarow.papers.claims import ClaimTest
    from inarow.papers.study import Results

Label = str | float | None  # what tells a condition from others
Labels = Mapping[str, Label]
# What is stored of a condition (its labels, runs, final values, curves): as open as JSON, which
# gives it back.
ResultRow = dict[str, Any]


@dataclass(frozen=True)
class Measured:
    """A mean over runs with its 95% interval, or a number that is exact."""

    mean: float
    runs: int = 0  # 0: exact, nothing was sampled
    stderr: float | None = None
    low: float | None = None
    high: float | None = None
    freedom: float = math.inf  # degrees of freedom of the standard error
    values: tuple[float, ...] = ()  # by run, where they are stored
    count: int | None = None  # of runs, if the mean is a share of runs in per cent

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval; None if the stored results have no standard error."""
        if not self.runs:
            return self.mean, self.mean
        return None if self.low is None or self.high is None else (self.low, self.high)

    def times(self, factor: float) -> Measured:
        """Return the quantity in another unit, such as per cent for a share."""

        def scaled(number: float | None) -> float | None:
            return None if number is None else factor * number

        return replace(
            self,
            mean=factor * self.mean,
            stderr=scaled(self.stderr),
            low=scaled(self.low),
            high=scaled(self.high),
            values=tuple(factor * value for value in self.values),
            count=None,
        )


def exactly(value: float) -> Measured:
    """Return an exact number, without sampling error."""
    return Measured(float(value))


def from_values(values: Sequence[float]) -> Measured:
    """Return the mean over runs."""
    found = _summary(tuple(float(value) for value in values))
    low, high = (found.low, found.high) if len(values) > 1 else (None, None)
    return Measured(
        found.mean, found.runs, found.stderr, low, high, found.runs - 1, tuple(map(float, values))
    )


def from_count(count: int, runs: int) -> Measured:
    """Return a share of runs in per cent, with Wilson's interval."""
    low, high = (100 * bound for bound in wilson(count, runs))
    share = count / runs
    error = 100 * math.sqrt(share * (1 - share) / max(1, runs - 1))
    return Measured(100 * share, runs, error, low, high, count=count)


def from_summary(mean: float, stderr: float | None, runs: int) -> Measured:
    """Return a mean with its standard error, where the runs themselves are not stored."""
    if stderr is None or runs < 2:
        return Measured(mean, runs)
    half = student(runs - 1) * stderr
    return Measured(mean, runs, stderr, mean - half, mean + half, runs - 1)


def mean_and_error(values: Floats) -> list[list[float]]:
    """Return the mean and standard error of an array [runs, points] at each point."""
    error = values.std(axis=0, ddof=1) / len(values) ** 0.5 if len(values) > 1 else 0 * values[0]
    return [
        [float(f"{number:.7g}") for number in pair]
        for pair in zip(values.mean(axis=0), error, strict=True)
    ]


@lru_cache(maxsize=4096)
def _summary(values: tuple[float, ...]) -> Summary:
    """Summarise runs once: tables, claims and pages use the same, and resampling is slow."""
    return summary(values)


def smallest_run_count(*measured: Measured) -> int:
    """Return the smallest number of runs; 0 if all are exact."""
    return min((m.runs for m in measured if m.runs), default=0)


def subtract(one: Measured, other: Measured) -> Measured:
    """Return the difference of two means (Welch) or of two shares (Agresti and Caffo)."""
    mean, runs = one.mean - other.mean, smallest_run_count(one, other)
    if not runs:
        return exactly(mean)
    if one.count is not None and other.count is not None:
        pairs = [((m.count or 0) + 1, m.runs + 2) for m in (one, other)]
        shares = [100 * count / number for count, number in pairs]
        error = math.sqrt(sum(s * (100 - s) / n for s, (_, n) in zip(shares, pairs, strict=True)))
        centre, half = shares[0] - shares[1], student(math.inf) * error
        return Measured(mean, runs, error, centre - half, centre + half)
    errors = [(0.0 if not m.runs else m.stderr, m.freedom) for m in (one, other)]
    known = [(error, freedom) for error, freedom in errors if error is not None]
    if len(known) < len(errors):
        return Measured(mean, runs)
    error, freedom = welch(*((error**2, freedom) for error, freedom in known))
    if not error:
        return Measured(mean, runs, 0.0, mean, mean)
    half = student(freedom) * error
    return Measured(mean, runs, error, mean - half, mean + half, freedom)


def welch(*squares: tuple[float, float]) -> tuple[float, float]:
    """Return the error of a difference of means and its degrees of freedom.

    Of each mean are given the square of its error, and the degrees of freedom of that.
    """
    total = sum(square for square, _ in squares)
    shared = sum(square**2 / max(freedom, 1) for square, freedom in squares)
    return math.sqrt(total), total**2 / shared if shared else math.inf


def divide(one: Measured, other: Measured) -> Measured | None:
    """Return the quotient of two means; the interval is from the errors of the logarithms."""
    if not other.mean:
        return None
    mean, runs = one.mean / other.mean, smallest_run_count(one, other)
    if not runs:
        return exactly(mean)
    if one.stderr is None or other.stderr is None or mean <= 0:
        return Measured(mean, runs)
    relative = math.hypot(one.stderr / one.mean, other.stderr / other.mean)
    factor = math.exp(student(runs - 1) * relative) if runs > 1 else math.inf
    return Measured(mean, runs, mean * relative, mean / factor, mean * factor, runs - 1)


class Data:
    """The results of a paper, by part; those in `unjudged_parts` are too short for verdicts.

    `shown_with` names, for a part, another one: rows of that one are found together with its own.
    """

    def __init__(
        self,
        parts: Mapping[str, Results],
        first: str,
        unjudged_parts: Sequence[str] = (),
        shown_with: Mapping[str, str] | None = None,
    ) -> None:
        self.parts, self.first = dict(parts), first
        self.unjudged_parts, self.shown_with = tuple(unjudged_parts), dict(shown_with or {})

    def results(self, part: str | None = None) -> Results | None:
        """Return the results of a part; of the first if none is named."""
        return self.parts.get(part or self.first)

    def rows(self, **labels: Label) -> list[ResultRow]:
        """Return all rows with these labels."""
        part = str(labels.pop("part", None) or self.first)
        return [
            row
            for name, results in self.parts.items()
            if name == part or (self.shown_with.get(name) == part and self._alike(name, part))
            for row in results.rows
            if all(row.get(name) == value for name, value in labels.items())
        ]

    def _alike(self, part: str, other: str) -> bool:
        """Whether both are long enough for verdicts, or neither is."""
        return (part in self.unjudged_parts) == (other in self.unjudged_parts)

    def row(self, **labels: Label) -> ResultRow | None:
        """Return the row with these labels, if it was run."""
        found = self.rows(**labels)
        if len(found) > 1:
            raise LookupError(f"{len(found)} rows of results have {labels}")
        return found[0] if found else None

    def fact(self, *path: str, part: str | None = None) -> Any:
        """Return a stored fact that is not a row; None if it is not stored."""
        results = self.results(part)
        found: Any = None if results is None else results.facts
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        return found


# Measures


@dataclass(frozen=True)
class Measure:
    """A quantity that can be read from a paper's results, for any condition."""

    read: Callable[..., Measured | None]  # (data, **labels)
    labels: Labels = field(default_factory=dict)

    def __call__(self, data: Data, **labels: Label) -> Measured | None:
        """Return the quantity of the condition with these labels; None if it was not run."""
        return self.read(data, **{**self.labels, **labels})

    def where(self, **labels: Label) -> Measure:
        """Return the quantity of a narrower set of conditions."""
        return replace(self, labels={**self.labels, **labels})

    def at(self, games: int) -> Measure:
        """Return the value of a curve after some number of games."""
        return self.where(at=games)

    def __sub__(self, other: Measure) -> Measure:
        """Return this quantity minus another."""
        return self._with(other, subtract)

    def __truediv__(self, other: Measure) -> Measure:
        """Return this quantity divided by another."""
        return self._with(other, divide)

    def __mul__(self, factor: float) -> Measure:
        """Return this quantity in another unit."""

        def read(data: Data, **labels: Label) -> Measured | None:
            found = self(data, **labels)
            return None if found is None else found.times(factor)

        return Measure(read)

    def _with(
        self, other: Measure, combined: Callable[[Measured, Measured], Measured | None]
    ) -> Measure:
        def read(data: Data, **labels: Label) -> Measured | None:
            first, second = self(data, **labels), other(data, **labels)
            return None if first is None or second is None else combined(first, second)

        return Measure(read)

    def ranked(
        self, data: Data, by: str, values: Collection[Label], **labels: Label
    ) -> list[Measured]:
        """Return the quantity for each value of a label, the lowest first; [] if one is missing."""
        found = [self(data, **labels, **{by: value}) for value in values]
        known = [ours for ours in found if ours is not None]
        return sorted(known, key=lambda ours: ours.mean) if len(known) == len(found) else []

    def among(
        self, choose: Callable[[list[Measured]], Measured | None], **over: Collection[Label]
    ) -> Measure:
        """Return one quantity made of those of several conditions, which are given ranked."""
        ((by, values),) = over.items()

        def read(data: Data, **labels: Label) -> Measured | None:
            found = self.ranked(data, by, values, **labels)
            return choose(found) if found else None

        return Measure(read)

    def lowest(self, **over: Collection[Label]) -> Measure:
        """Return the lowest quantity among some conditions, as `lowest(trainer=TRAINERS)`."""
        return self.among(lambda found: found[0], **over)

    def highest(self, **over: Collection[Label]) -> Measure:
        """Return the highest quantity among some conditions."""
        return self.among(lambda found: found[-1], **over)

    def spread(self, **over: Collection[Label]) -> Measure:
        """Return how much higher the highest quantity among some conditions is than the lowest."""
        return self.among(lambda found: subtract(found[-1], found[0]), **over)

    def apart(self, *, by: str, higher: Sequence[str], lower: Sequence[str]) -> ClaimTest:
        """Test whether each of some conditions is above each of some others."""
        from inarow.papers.claims import ordered

        return ordered(self, by, higher, lower)


def of_rows(read: Callable[[list[ResultRow]], Measured | None], **bound: Label) -> Measure:
    """Return a measure of all rows of results that have the labels."""

    def measure(data: Data, **labels: Label) -> Measured | None:
        rows = data.rows(**labels)
        return read(rows) if rows else None

    return Measure(measure, bound)


def of_row(read: Callable[[ResultRow], Measured | None], **bound: Label) -> Measure:
    """Return a measure of the one row of results that has the labels."""

    def measure(data: Data, **labels: Label) -> Measured | None:
        row = data.row(**labels)
        return None if row is None else read(row)

    return Measure(measure, bound)


def final(metric: str, **bound: Label) -> Measure:
    """Return the mean of a final value over runs."""
    return of_row(
        lambda row: from_values(row["finals"][metric]) if metric in row["finals"] else None,
        **bound,
    )


def share(metric: str, holds: Callable[[float], bool] = bool, /, **bound: Label) -> Measure:
    """Return the per cent of runs whose final value satisfies a condition."""

    def read(row: ResultRow) -> Measured | None:
        values = row["finals"].get(metric)
        return from_count(sum(map(holds, values)), len(values)) if values else None

    return of_row(read, **bound)


def share_curve(name: str, key: str = "games", **bound: Label) -> Measure:
    """Return the per cent of runs that satisfy a condition, `at` some games; `row[name]` counts."""

    def read(data: Data, at: int, **labels: Label) -> Measured | None:
        row = data.row(**labels)
        count = None if row is None else _point(row, name, key, at)
        return None if row is None or count is None else from_count(count, row["runs"])

    return Measure(read, bound)


def curve(name: str, key: str = "games", **bound: Label) -> Measure:
    """Return the mean over runs of a curve, `row[name]`, `at` some number of games.

    A point is a mean alone, or a mean and its standard error (whatever follows is not used).
    """

    def read(data: Data, at: int, **labels: Label) -> Measured | None:
        row = data.row(**labels)
        point = None if row is None else _point(row, name, key, at)
        if row is None or point is None:
            return None
        mean, error = (point[0], point[1]) if isinstance(point, list) else (point, None)
        return from_summary(float(mean), error, row["runs"])

    return Measure(read, bound)


def curve_end(name: str, **bound: Label) -> Measure:
    """Return the mean over runs of a curve, `row[name]`, at its last point; None if it has none."""

    def read(row: ResultRow) -> Measured | None:
        if not row[name.partition(".")[0]]:
            return None
        mean, error = at_path(row, name)[-1][:2]
        return from_summary(mean, error, row["runs"])

    return of_row(read, **bound)


def _point(row: ResultRow, name: str, key: str, games: int) -> Any:
    """Return the point of a curve at a number of games; None if nothing was measured there."""
    known = at_path(row, key)
    return at_path(row, name)[known.index(games)] if games in known else None


def fact(*path: str, part: str | None = None) -> Measure:
    """Return a measure of a number among the stored facts."""

    def measure(data: Data, **_: Label) -> Measured | None:
        found = data.fact(*path, part=part)
        return None if found is None else exactly(found)

    return Measure(measure)


def computed(number: Callable[[], float]) -> Measure:
    """Return a measure that is computed on demand, since that is fast."""
    return Measure(lambda data, **labels: exactly(number()))


def at_path(row: ResultRow, path: str) -> Any:
    """Return what a row holds under a dotted name."""
    found: Any = row
    for name in path.split("."):
        found = found[name]
    return found
