"""What stored results say of a quantity: `Measured`, and the measures that make one.

A measure is asked with labels (`game`, `against`, ...) and finds the row of results that has them
all. It answers None where nothing was run. Labels given to a measure hold always; those it is
asked with add to them, so one measure serves a whole table. The label `part` says of which part
of the paper's study, where it is not the first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from inarow.lab.statistics import Floats, Summary, student, summary, wilson
from inarow.papers.results import Results, Stored

Label = str | float | None  # what tells a condition from others
Labels = Mapping[str, Label]


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
        """The same in another unit, such as per cent for a share."""

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
    """An exact number, without sampling error."""
    return Measured(float(value))


def from_values(values: Sequence[float]) -> Measured:
    """The mean over runs."""
    found = _summary(tuple(float(value) for value in values))
    low, high = (found.low, found.high) if len(values) > 1 else (None, None)
    return Measured(
        found.mean, found.runs, found.stderr, low, high, found.runs - 1, tuple(map(float, values))
    )


def from_count(count: int, runs: int) -> Measured:
    """A share of runs in per cent, with Wilson's interval."""
    low, high = (100 * bound for bound in wilson(count, runs))
    share = count / runs
    error = 100 * math.sqrt(share * (1 - share) / max(1, runs - 1))
    return Measured(100 * share, runs, error, low, high, count=count)


def from_summary(mean: float, stderr: float | None, runs: int) -> Measured:
    """A mean and its standard error, where the runs themselves are not stored."""
    if stderr is None or runs < 2:
        return Measured(mean, runs)
    half = student(runs - 1) * stderr
    return Measured(mean, runs, stderr, mean - half, mean + half, runs - 1)


def mean_and_error(values: Floats) -> list[list[float]]:
    """Of an array [runs, points], at each point: what `curve_at` reads."""
    error = values.std(axis=0, ddof=1) / len(values) ** 0.5 if len(values) > 1 else 0 * values[0]
    return [
        [float(f"{number:.7g}") for number in pair]
        for pair in zip(values.mean(axis=0), error, strict=True)
    ]


@lru_cache(maxsize=4096)
def _summary(values: tuple[float, ...]) -> Summary:
    """Cached, since tables, claims and pages use the same runs and resampling is slow."""
    return summary(values)


class Data:
    """The results of a paper, by part; those in `short` are of runs too short for verdicts.

    `joins` names the parts whose rows belong to another one: these are found with its rows.
    """

    def __init__(
        self,
        parts: Mapping[str, Results],
        first: str,
        short: Sequence[str] = (),
        joins: Mapping[str, str] | None = None,
    ) -> None:
        self.parts, self.first, self.short = dict(parts), first, tuple(short)
        self.joins = dict(joins or {})

    def results(self, part: str | None = None) -> Results | None:
        """Of a part; of the first if none is named."""
        return self.parts.get(part or self.first)

    def rows(self, **labels: Label) -> list[Stored]:
        """All rows with these labels."""
        part = str(labels.pop("part", None) or self.first)
        return [
            row
            for name, results in self.parts.items()
            if name == part or (self.joins.get(name) == part and self._alike(name, part))
            for row in results.rows
            if all(row.get(name) == value for name, value in labels.items())
        ]

    def _alike(self, part: str, other: str) -> bool:
        """Whether both are long enough for verdicts, or neither is."""
        return (part in self.short) == (other in self.short)

    def row(self, **labels: Label) -> Stored | None:
        """The row with these labels, if it was run."""
        found = self.rows(**labels)
        if len(found) > 1:
            raise LookupError(f"{len(found)} rows of results have {labels}")
        return found[0] if found else None

    def fact(self, *path: str, part: str | None = None) -> Any:
        """A stored fact that is not a row; None if it is not stored."""
        results = self.results(part)
        found: Any = None if results is None else results.facts
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        return found


Measure = Callable[..., Measured | None]  # (data, **labels)


def of_row(number: Callable[[Stored], Measured | None], **bound: Label) -> Measure:
    """A number of the row of results that has the labels."""

    def measure(data: Data, **labels: Label) -> Measured | None:
        row = data.row(**{**bound, **labels})
        return None if row is None else number(row)

    return measure


def final(metric: str, **bound: Label) -> Measure:
    """The mean of a final value over runs."""
    return of_row(
        lambda row: from_values(row["finals"][metric]) if metric in row["finals"] else None,
        **bound,
    )


def share(metric: str, holds: Callable[[float], bool] = bool, /, **bound: Label) -> Measure:
    """Per cent of runs whose final value satisfies a condition."""

    def number(row: Stored) -> Measured | None:
        values = row["finals"].get(metric)
        return from_count(sum(map(holds, values)), len(values)) if values else None

    return of_row(number, **bound)


def share_at(name: str, games: int, key: str = "games", **bound: Label) -> Measure:
    """Per cent of runs that satisfy a condition after some games: `row[name]` counts them."""

    def number(row: Stored) -> Measured | None:
        count = _at(row, name, key, games)
        return None if count is None else from_count(count, row["runs"])

    return of_row(number, **bound)


def curve_at(name: str, games: int, key: str = "games", **bound: Label) -> Measure:
    """The mean over runs after some number of games, `row[name]` being a curve.

    A point is a mean alone, or a mean and its standard error (whatever follows is not used).
    """

    def number(row: Stored) -> Measured | None:
        point = _at(row, name, key, games)
        if point is None:
            return None
        mean, error = (point[0], point[1]) if isinstance(point, list) else (point, None)
        return from_summary(float(mean), error, row["runs"])

    return of_row(number, **bound)


def _at(row: Stored, name: str, key: str, games: int) -> Any:
    """The point of a curve at a number of games; None if nothing was measured there."""
    known = at_path(row, key)
    return at_path(row, name)[known.index(games)] if games in known else None


def fact(*path: str, part: str | None = None) -> Measure:
    """A number from the stored facts."""

    def measure(data: Data, **labels: Label) -> Measured | None:
        del labels
        found = data.fact(*path, part=part)
        return None if found is None else exactly(found)

    return measure


def computed(number: Callable[[], float]) -> Measure:
    """A number computed on demand, since that is fast."""

    def measure(data: Data, **labels: Label) -> Measured:
        del data, labels
        return exactly(number())

    return measure


def difference(one: Measure, other: Measure) -> Measure:
    """The first minus the second."""

    def measure(data: Data, **labels: Label) -> Measured | None:
        first, second = one(data, **labels), other(data, **labels)
        return None if first is None or second is None else subtract(first, second)

    return measure


def ratio(one: Measure, other: Measure) -> Measure:
    """The first divided by the second; the interval is from the errors of the logarithms."""

    def measure(data: Data, **labels: Label) -> Measured | None:
        first, second = one(data, **labels), other(data, **labels)
        if first is None or second is None or not second.mean:
            return None
        mean, runs = first.mean / second.mean, fewest(first, second)
        if not runs:
            return exactly(mean)
        if first.stderr is None or second.stderr is None or mean <= 0:
            return Measured(mean, runs)
        relative = math.hypot(first.stderr / first.mean, second.stderr / second.mean)
        factor = math.exp(student(runs - 1) * relative) if runs > 1 else math.inf
        return Measured(mean, runs, mean * relative, mean / factor, mean * factor, runs - 1)

    return measure


def subtract(one: Measured, other: Measured) -> Measured:
    """The difference of two means (Welch) or of two shares (Agresti and Caffo)."""
    mean, runs = one.mean - other.mean, fewest(one, other)
    if not runs:
        return exactly(mean)
    if one.count is not None and other.count is not None:
        pairs = [((m.count or 0) + 1, m.runs + 2) for m in (one, other)]
        shares = [100 * count / number for count, number in pairs]
        error = math.sqrt(sum(s * (100 - s) / n for s, (_, n) in zip(shares, pairs, strict=True)))
        centre, half = shares[0] - shares[1], student(math.inf) * error
        return Measured(mean, runs, error, centre - half, centre + half)
    errors = [(0.0 if not m.runs else m.stderr, m.freedom) for m in (one, other)]
    if any(error is None for error, _ in errors):
        return Measured(mean, runs)
    squares = [((error or 0.0) ** 2, freedom) for error, freedom in errors]
    total = sum(square for square, _ in squares)
    if not total:
        return Measured(mean, runs, 0.0, mean, mean)
    freedom = total**2 / max(
        sum(square**2 / max(freedom, 1) for square, freedom in squares), 1e-300
    )
    half = student(freedom) * math.sqrt(total)
    return Measured(mean, runs, math.sqrt(total), mean - half, mean + half, freedom)


def fewest(*measured: Measured) -> int:
    """The smallest number of runs; 0 if all are exact."""
    return min((m.runs for m in measured if m.runs), default=0)


def at_path(row: Stored, path: str) -> Any:
    """What a row holds under a dotted name."""
    found: Any = row
    for name in path.split("."):
        found = found[name]
    return found
