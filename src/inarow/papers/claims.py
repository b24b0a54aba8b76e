"""Claims and columns of numbers: how each is tested, and the resulting rows.

A claim is a region for our value, a property of every run, or an order of conditions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from inarow.papers import verdicts
from inarow.papers.measures import Data, Label, Measure, Measured, fewest, subtract
from inarow.papers.number_tests import Exactly, Means, Shares, Test, joint, mean_of, two_sided
from inarow.papers.published import Entry, PublishedValue
from inarow.papers.verdicts import Judged, Row, bare

ClaimTest = Callable[[Data, Entry], Judged]


def between(measure: Measure, low: float | None = None, high: float | None = None) -> ClaimTest:
    """Our value lies in an interval; without a bound it is open on that side."""

    def test(data: Data, entry: Entry) -> Judged:
        del entry
        return _region(
            measure(data), -math.inf if low is None else low, math.inf if high is None else high
        )

    return test


def above(measure: Measure, bound: float | None = None) -> ClaimTest:
    """More than a bound: the entry's value if none is given."""
    return lambda data, entry: _region(
        measure(data), entry.value if bound is None else bound, math.inf
    )


def below(measure: Measure, bound: float | None = None) -> ClaimTest:
    """Less than a bound: the entry's value if none is given."""
    return lambda data, entry: _region(
        measure(data), -math.inf, entry.value if bound is None else bound
    )


def equal(measure: Measure, test: Test | None = None) -> ClaimTest:
    """The entry's value: counted, or by a test of numbers with a margin of its own."""

    def judged(data: Data, entry: Entry) -> Judged:
        ours = measure(data)
        return (
            Judged(verdicts.NOT_RUN)
            if ours is None
            else (test or Exactly())(entry.value, ours, 0.0)
        )

    return judged


def always(measure: Measure, least: float = 95.0) -> ClaimTest:
    """Every run: one failure refutes it, and a match needs enough runs without a failure."""

    def test(data: Data, entry: Entry) -> Judged:
        del entry
        ours = measure(data)
        if ours is None or ours.count is None:
            return Judged(verdicts.NOT_RUN)
        if ours.count < ours.runs:
            return bare(verdicts.DIFFERS, ours)
        if ours.runs < verdicts.LEAST_RUNS:
            return bare(verdicts.TOO_FEW, ours)
        return bare(verdicts.MATCHES if (ours.low or 0.0) >= least else verdicts.UNDECIDED, ours)

    return test


def apart(
    measure: Measure, label: str, higher: Sequence[str], lower: Sequence[str], **labels: Label
) -> ClaimTest:
    """Each of some conditions is above each of some others.

    For a match all comparisons must be significant, each at 5%. One in the other direction
    refutes the claim, at 5% divided by their number. The weakest comparison is shown.
    """

    def test(data: Data, entry: Entry) -> Judged:
        del entry
        found = {name: measure(data, **labels, **{label: name}) for name in (*higher, *lower)}
        pairs = [
            (f"{one} minus {other}", subtract(ours, theirs))
            for one in higher
            for other in lower
            if (ours := found[one]) is not None and (theirs := found[other]) is not None
        ]
        if len(pairs) < len(higher) * len(lower):
            return Judged(verdicts.NOT_RUN)
        return _all_above(pairs)

    return test


def _all_above(pairs: Sequence[tuple[str, Measured]]) -> Judged:
    note, weakest = min(pairs, key=lambda pair: _score(pair[1]))
    judged = replace(bare(verdicts.UNDECIDED, weakest), note=note)
    if 0 < fewest(*(found for _, found in pairs)) < verdicts.LEAST_RUNS:
        return replace(judged, verdict=verdicts.TOO_FEW)
    if any(found.interval is None for _, found in pairs):
        return replace(judged, note=f"{note}; {verdicts.NO_SPREAD}")
    if all(found.interval and found.interval[0] > 0 for _, found in pairs):
        return replace(judged, verdict=verdicts.MATCHES)
    wrong = two_sided(_score(weakest), weakest.freedom) < verdicts.LEVEL / len(pairs)
    return replace(judged, verdict=verdicts.DIFFERS) if wrong and weakest.mean < 0 else judged


def _score(found: Measured) -> float:
    """A difference in standard errors."""
    if found.stderr:
        return found.mean / found.stderr
    return math.copysign(1e9, found.mean) if found.mean else 0.0


def _region(ours: Measured | None, low: float, high: float) -> Judged:
    if ours is None:
        return Judged(verdicts.NOT_RUN)
    if 0 < ours.runs < verdicts.LEAST_RUNS:
        return bare(verdicts.TOO_FEW, ours)
    if ours.interval is None:
        return replace(bare(verdicts.UNDECIDED, ours), note=verdicts.NO_SPREAD)
    least, most = ours.interval
    if low < least and most < high:
        return bare(verdicts.MATCHES, ours)
    return bare(verdicts.DIFFERS if most <= low or least >= high else verdicts.UNDECIDED, ours)


# From a paper's entries to rows


@dataclass(frozen=True)
class Column:
    """The numbers of a published table that belong together, how they are measured and tested.

    `labels` name the levels of the entry's numbers, outermost first. The numbers that share all
    but the innermost are judged jointly too.
    """

    entry: Entry
    labels: tuple[str, ...]
    measure: Measure
    test: Test
    digits: int = 0
    part: str = ""
    kind: str = verdicts.NUMBER

    def rows(self, data: Data) -> list[Row]:
        """A row for each number, then one for each group."""
        groups: dict[tuple[str, ...], list[tuple[dict[str, str], PublishedValue]]] = {}
        for path, number in self.entry.leaves():
            labels = dict(zip(self.labels, path, strict=True))
            groups.setdefault(path[:-1], []).append((labels, number))
        singles, together = list[Row](), list[Row]()
        for group, leaves in groups.items():
            rows = [self._row(data, labels, number) for labels, number in leaves]
            singles += rows
            if len(rows) > 1 and isinstance(self.test, Means | Shares):
                shared = dict(zip(self.labels, group, strict=False))
                together.append(
                    replace(
                        rows[0],
                        name="/".join((self.entry.name, *group, verdicts.JOINT)),
                        kind=verdicts.JOINT,
                        labels=shared,
                        published=None,
                        judged=joint([row.judged for row in rows]),
                    )
                )
        return [*singles, *together]

    def span(self, labels: Mapping[str, str]) -> float:
        """The range of a group's numbers: largest minus smallest."""
        group = tuple(labels[name] for name in self.labels[:-1])
        means = [
            mean_of(number)[0]
            for path, number in self.entry.leaves()
            if path[:-1] == group and not isinstance(number, str)
        ]
        return max(means) - min(means) if means else 0.0

    def _row(self, data: Data, labels: dict[str, str], number: PublishedValue) -> Row:
        ours = self.measure(data, **labels)
        test = self.test
        judged = Judged(verdicts.NOT_RUN) if ours is None else test(number, ours, self.span(labels))
        return Row(
            "/".join((self.entry.name, *labels.values())),
            self.kind,
            self.part or data.first,
            self.entry.title,
            self.entry.source,
            labels,
            number,
            judged,
            self.entry.unit,
            self.digits,
        )


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, and its test."""

    entry: Entry
    test: ClaimTest
    unit: str = ""
    digits: int = 0
    reason: str | Callable[[Data], str] = ""  # what was found, by a test, where ours differs
    part: str = ""
    kind: str = verdicts.CLAIM
    labels: Mapping[str, str] = field(default_factory=dict)

    def rows(self, data: Data) -> list[Row]:
        """One."""
        judged = self.test(data, self.entry)
        found = self.reason(data) if callable(self.reason) else self.reason
        reason = found if judged.verdict == verdicts.DIFFERS else ""
        return [
            Row(
                self.entry.name,
                self.kind,
                self.part or data.first,
                self.entry.text,
                self.entry.source,
                self.labels,
                self.entry.value,
                judged,
                self.unit or self.entry.unit,
                self.digits,
                self.entry.headline,
                reason,
            )
        ]
