"""Variants: each changes one thing that a paper leaves open, and may explain a difference.

A variant explains a published number that differs from ours if the number does not differ under
it, and the variant's mean is closer than the base's by more than chance: at 5%, divided by the
number of variants tried, since one of many may come closer by luck.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path

from inarow.lab.studies.study import Config
from inarow.papers import verdicts
from inarow.papers.claims import Column, mean_of, two_sided
from inarow.papers.measures import Data, Measured, subtract
from inarow.papers.tables import Table, list_text, plus_minus
from inarow.papers.verdicts import LEVEL, Judged, Row

NO_EXPLANATION = "we do not know why"
NOT_TRIED = f"{NO_EXPLANATION}: no variants were run"
POINTS = "percentage points"  # of a difference between shares


@dataclass(frozen=True)
class Variant:
    """One option of the base changed."""

    name: str
    about: str  # what the paper leaves open, and how it is taken here
    changes: Config = field(default_factory=dict)
    without: Sequence[str] = ()  # labels of conditions for which it cannot matter


def read_variants(path: Path) -> dict[str, tuple[Variant, ...]]:
    """Read the variants of a file by group: a section of it is `[group.name]`."""
    said = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        group: tuple(Variant(name, **about) for name, about in by_name.items())
        for group, by_name in said.items()
    }


@dataclass(frozen=True)
class Variants:
    """All variants that were tried, and the part of the study that holds them."""

    all: tuple[Variant, ...]  # the base first
    part: str = "variants"

    @property
    def base(self) -> str:
        """What the paper's tables are compared with."""
        return self.all[0].name

    def explained(self, data: Data, row: Row, column: Column) -> Row:
        """Return a row of a column with the reason that the variants give, if it differs."""
        if row.kind != verdicts.NUMBER or row.verdict != verdicts.DIFFERS or row.reason:
            return row
        return replace(row, reason=self.reason(data, row, column))

    def reason(self, data: Data, row: Row, column: Column) -> str:
        """Say which variants, if any, explain a number that differs."""
        tried = {} if self.part in data.unjudged_parts else self._all_measured(data, column, row)
        found = {name: ours for name, ours in tried.items() if ours is not None}
        base = found.pop(self.base, None)
        if base is None or not found:
            return NOT_TRIED
        published, _ = mean_of(row.published)
        said = {name: f"“{name}” ({plus_minus(m, row.digits)})" for name, m in found.items()}
        nearest = min(found, key=lambda name: abs(found[name].mean - published))
        the_base = f"the base has {plus_minus(base, row.digits)}"
        number = f"{len(found)} variants ({_runs_text(found.values())})"
        if all(ours.runs < verdicts.LEAST_RUNS for ours in found.values()):
            few = f"the runs of {number} are too few for a verdict"
            return f"{few}; the closest is {said[nearest]}, {the_base}"
        explaining = [
            name
            for name, ours in found.items()
            if self.judge(data, row, column, name).verdict in (verdicts.MATCHES, verdicts.UNDECIDED)
            and is_nearer(ours, base, published, LEVEL / len(found))
        ]
        if not explaining:
            gap = abs((base.mean if row.judged.ours is None else row.judged.ours) - published)
            errors = [ours.stderr for ours in found.values() if ours.stderr is not None]
            unit = POINTS if row.unit == "%" else row.unit
            width = rounded(max(errors, default=0.0), 2, row.digits)
            return (
                f"none of {number} closes the gap of {rounded(gap, 3, row.digits)} {unit}".rstrip()
                + f"; their standard errors are up to {width}; the closest is {said[nearest]}, "
                + the_base
            )
        explaining.sort(key=lambda name: abs(found[name].mean - published))
        return (
            f"of {number}, {list_text([said[name] for name in explaining[:3]])} would explain it; "
            f"{the_base}"
        )

    def judge(self, data: Data, row: Row, column: Column, name: str) -> Judged:
        """Judge a published number under a variant; under the base where that cannot matter."""
        span = column.span(row.labels)
        ours = self._measured(data, column, row, name)
        if ours is None and {*row.labels.values()} & {*self._variant(name).without}:
            ours = self._measured(data, column, row, self.base)
        if ours is None or self.part in data.unjudged_parts:
            return Judged(verdicts.NOT_RUN)
        return column.test(row.published, ours, span)

    def _all_measured(self, data: Data, column: Column, row: Row) -> dict[str, Measured | None]:
        return {v.name: self._measured(data, column, row, v.name) for v in self.all}

    def _measured(self, data: Data, column: Column, row: Row, name: str) -> Measured | None:
        return column.measure(data, **{**row.labels, "part": self.part, "variant": name})

    def _variant(self, name: str) -> Variant:
        return next(variant for variant in self.all if variant.name == name)

    def table(self) -> Table:
        """Return a table of what each variant changes."""
        lines = tuple((variant.name, variant.about) for variant in self.all)
        return Table(("variant", "change"), lines, "Variants", texts=(0, 1))

    def summary(
        self, data: Data, columns: Sequence[Column], heads: Sequence[str], **labels: str
    ) -> Table | None:
        """Count the published numbers that differ under each variant, by column.

        An undecided number does not count against a variant.
        """
        lines = []
        for variant in self.all:
            cells, failing, tried = list[str](), 0, 0
            for column in columns:
                judged = [j for _, j in self._judged(data, column, variant.name, labels)]
                wrong = sum(one.verdict == verdicts.DIFFERS for one in judged)
                failing, tried = failing + wrong, tried + len(judged)
                cells.append(f"{wrong} of {len(judged)}" if judged else "")
            if tried:
                lines.append((variant.name, *cells, f"{failing} of {tried}"))
        title = f"Published numbers that differ, by variant{_of(labels)}"
        return Table(("variant", *heads, "total"), tuple(lines), title) if lines else None

    def _judged(
        self, data: Data, column: Column, name: str, labels: Mapping[str, str]
    ) -> Iterator[tuple[Row, Judged]]:
        for row in column.rows(data):
            if row.kind == verdicts.NUMBER and labels.items() <= row.labels.items():
                judged = self.judge(data, row, column, name)
                if judged.verdict not in (verdicts.NOT_RUN, verdicts.TOO_FEW):
                    yield row, judged

    def details(
        self, data: Data, columns: Sequence[Column], heads: Sequence[str], **labels: str
    ) -> Table | None:
        """Return mean and standard error under each, a star where the published number differs.

        Without the numbers that no variant was tried on.
        """
        rows = [
            (column, row)
            for column in columns
            for row in column.rows(data)
            if row.kind == verdicts.NUMBER and labels.items() <= row.labels.items()
        ]
        tried = [any(self._all_measured(data, *pair).values()) for pair in rows]
        rows, heads = list(compress(rows, tried)), list(compress(heads, tried))
        lines = []
        for variant in self.all:
            cells = []
            for column, row in rows:
                ours = self._measured(data, column, row, variant.name)
                differs = self.judge(data, row, column, variant.name).verdict == verdicts.DIFFERS
                star = "*" if differs else ""
                cells.append("" if ours is None else f"{plus_minus(ours, row.digits)}{star}")
            if any(cells):
                lines.append((variant.name, *cells))
        if not lines:
            return None
        paper = tuple(f"{mean_of(row.published)[0]:,.{row.digits}f}" for _, row in rows)
        title = f"Results by variant{_of(labels)}"
        return Table(("variant", *heads), (("published", *paper), *lines), title)


def rounded(number: float, count: int, digits: int) -> str:
    """Write a number with so many significant digits, and so many after the point."""
    return f"{float(f'{number:.{count}g}'):,.{digits}f}"


def _runs_text(found: Iterable[Measured]) -> str:
    """Return how many runs each of some variants has."""
    runs = {ours.runs for ours in found}
    least, most = min(runs), max(runs)
    return f"{least} runs each" if least == most else f"{least} to {most} runs each"


def _of(labels: Mapping[str, str]) -> str:
    return f": {', '.join(labels.values())}" if labels else ""


def is_nearer(ours: Measured, base: Measured, published: float, level: float) -> bool:
    """Return whether a mean is nearer to the published one than the base's, beyond chance."""
    if abs(ours.mean - published) >= abs(base.mean - published):
        return False
    apart = subtract(ours, base)
    if not apart.stderr:
        return apart.mean != 0 and apart.runs > 1
    return two_sided(apart.mean / apart.stderr, apart.freedom) < level
