"""How published numbers and claims are tested, and the rows that come of it.

A claim is a region for our value, a property of every run, or an order of conditions. A number is
compared with ours alone and with the whole column of its table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from inarow.game import InputError
from inarow.lab.statistics import smallest_difference, student
from inarow.papers import verdicts
from inarow.papers.measures import (
    Data,
    Measure,
    Measured,
    smallest_run_count,
    subtract,
    welch,
)
from inarow.papers.published import OWN, Entry, PublishedValue
from inarow.papers.verdicts import (
    LEVEL,
    Judged,
    Row,
    Sample,
    Share,
    compare_means,
    compare_shares,
    fisher,
    judged_as,
    margin_of_shares,
    tail,
)

NOTHING, ANY_VALUE = "", "a value"
ONE_NUMBER, TWO_NUMBERS = "a number as value", "two numbers as value"


@dataclass(frozen=True)
class ClaimTest:
    """A test of a claim, and what of the claim's entry it needs."""

    judge: Callable[[Data, Entry], Judged]
    needs: str = NOTHING

    def __call__(self, data: Data, entry: Entry) -> Judged:
        """Judge the claim of an entry."""
        return self.judge(data, entry)

    def check(self, entry: Entry) -> None:
        """Refuse an entry that lacks what the test needs."""
        value = entry.value
        found = {
            NOTHING: True,
            ANY_VALUE: value is not None,
            ONE_NUMBER: _is_number(value),
            TWO_NUMBERS: isinstance(value, list)
            and len(value) == 2
            and all(map(_is_number, value)),
        }
        if not found[self.needs]:
            raise InputError(f"the test of {entry.name} needs {self.needs} in published.toml")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def between(measure: Measure, low: float | None = None, high: float | None = None) -> ClaimTest:
    """Test whether our value lies in an interval: the entry's two values if none is given."""
    if (low is None) != (high is None):
        raise InputError("between has two bounds or none: above and below have one")
    if low is None or high is None:
        return ClaimTest(lambda data, entry: _region(measure(data), *entry.value), TWO_NUMBERS)
    return ClaimTest(lambda data, entry: _region(measure(data), low, high))


def above(measure: Measure, bound: float | None = None) -> ClaimTest:
    """Test whether our value is more than a bound: the entry's value if none is given."""
    return ClaimTest(
        lambda data, entry: _region(
            measure(data), entry.value if bound is None else bound, math.inf
        ),
        ONE_NUMBER if bound is None else NOTHING,
    )


def below(measure: Measure, bound: float | None = None) -> ClaimTest:
    """Test whether our value is less than a bound: the entry's value if none is given."""
    return ClaimTest(
        lambda data, entry: _region(
            measure(data), -math.inf, entry.value if bound is None else bound
        ),
        ONE_NUMBER if bound is None else NOTHING,
    )


def equal(measure: Measure, test: Test | None = None) -> ClaimTest:
    """Test whether our value is the entry's: counted, or by a test of numbers with a margin."""

    def judge(data: Data, entry: Entry) -> Judged:
        ours = measure(data)
        return (
            Judged(verdicts.NOT_RUN)
            if ours is None
            else (test or Exactly())(entry.value, ours, 0.0)
        )

    return ClaimTest(judge, ANY_VALUE)


def always(measure: Measure, least: float = 95.0) -> ClaimTest:
    """Test every run: one failure refutes the claim, and a match needs enough runs without one."""

    def judge(data: Data, _: Entry) -> Judged:
        ours = measure(data)
        if ours is None or ours.count is None:
            return Judged(verdicts.NOT_RUN)
        if ours.count < ours.runs:
            return replace(judged_as(verdicts.DIFFERS, ours), p=0.0)
        if ours.runs < verdicts.LEAST_RUNS:
            return judged_as(verdicts.TOO_FEW, ours)
        enough = (ours.low or 0.0) >= least
        return replace(judged_as(verdicts.MATCHES if enough else verdicts.UNDECIDED, ours), p=1.0)

    return ClaimTest(judge)


def ordered(measure: Measure, by: str, higher: Sequence[str], lower: Sequence[str]) -> ClaimTest:
    """Test whether each of some conditions is above each of some others.

    For a match all comparisons must be significant, each at 5%. One in the other direction
    refutes the claim, at 5% divided by their number. The weakest comparison is shown.
    """

    def judge(data: Data, _: Entry) -> Judged:
        found = {name: measure(data, **{by: name}) for name in (*higher, *lower)}
        pairs = [
            (f"{one} minus {other}", subtract(ours, theirs))
            for one in higher
            for other in lower
            if (ours := found[one]) is not None and (theirs := found[other]) is not None
        ]
        if len(pairs) < len(higher) * len(lower):
            return Judged(verdicts.NOT_RUN)
        return _all_above(pairs)

    return ClaimTest(judge)


def _all_above(pairs: Sequence[tuple[str, Measured]]) -> Judged:
    note, weakest = min(pairs, key=lambda pair: _score(pair[1]))
    judged = replace(judged_as(verdicts.UNDECIDED, weakest), note=note)
    if 0 < smallest_run_count(*(found for _, found in pairs)) < verdicts.LEAST_RUNS:
        return replace(judged, verdict=verdicts.TOO_FEW)
    if any(found.interval is None for _, found in pairs):
        return replace(judged, note=f"{note}; {verdicts.NO_SPREAD}")
    p = 1.0
    if weakest.mean < 0:
        p = min(1.0, len(pairs) * two_sided(_score(weakest), weakest.freedom))
    if all(found.interval and found.interval[0] > 0 for _, found in pairs):
        return replace(judged, verdict=verdicts.MATCHES, p=p)
    if p < LEVEL:
        return replace(judged, verdict=verdicts.DIFFERS, p=p)
    if weakest.interval and weakest.interval[1] < 0:  # as one of many comparisons it is not enough
        said = (
            f"alone it differs, but not with Bonferroni's correction for {len(pairs)} comparisons"
        )
        judged = verdicts.withdrawn(judged, LEVEL / len(pairs), said)
    return replace(judged, p=p)


def _score(found: Measured) -> float:
    """Return a difference in standard errors."""
    if found.stderr:
        return found.mean / found.stderr
    return math.copysign(1e9, found.mean) if found.mean else 0.0


def _region(ours: Measured | None, low: float, high: float) -> Judged:
    if ours is None:
        return Judged(verdicts.NOT_RUN)
    if 0 < ours.runs < verdicts.LEAST_RUNS:
        return judged_as(verdicts.TOO_FEW, ours)
    if ours.interval is None:
        return replace(judged_as(verdicts.UNDECIDED, ours), note=verdicts.NO_SPREAD)
    least, most = ours.interval
    p = _p_of_region(ours, low, high)
    if low < least and most < high:
        return replace(judged_as(verdicts.MATCHES, ours), p=p)
    outside = most <= low or least >= high
    return replace(judged_as(verdicts.DIFFERS if outside else verdicts.UNDECIDED, ours), p=p)


def _p_of_region(ours: Measured, low: float, high: float) -> float:
    """Return the p-value of our value lying in a region; 1 if it does."""
    if low < ours.mean < high:
        return 1.0
    if not ours.runs:
        return 0.0  # counted, not sampled
    bound = low if ours.mean <= low else high
    if ours.count is not None:
        from scipy.stats import binomtest

        return float(binomtest(ours.count, ours.runs, bound / 100).pvalue)
    return two_sided(_score(replace(ours, mean=ours.mean - bound)), ours.freedom)


# Tests of numbers


SURELY = 1e-6  # p-value of a difference between runs that are all alike
RARE = 3.69  # with no event in n runs, 95% of the time fewer than 3.69 in n are expected

Test = Callable[
    [PublishedValue, Measured, float], Judged
]  # published, ours, and the range of the column


@dataclass(frozen=True)
class Means:
    """A published mean over `runs` runs, with its deviation where the paper gives it."""

    runs: int
    margin: float | None = None  # None: what a repetition of the paper's study would detect
    least: float = -math.inf  # what no run can be below, or above
    most: float = math.inf
    step: float = 1.0  # what a run that is not like the others differs by, at least

    def __call__(self, published: PublishedValue, ours: Measured, span: float) -> Judged:
        """Judge whether the means are equivalent, or differ."""
        if ours.runs < verdicts.LEAST_RUNS:
            return judged_as(verdicts.TOO_FEW, ours)
        if ours.interval is None or ours.stderr is None:
            return replace(judged_as(verdicts.UNDECIDED, ours), note=verdicts.NO_SPREAD)
        mean, deviation = mean_of(published)
        sign = (ours.mean > mean) - (ours.mean < mean)
        if deviation is None and not ours.stderr:
            return self._all_alike(mean, ours, span, sign)
        low, high = self._interval(ours, deviation)
        own = ours.stderr * math.sqrt(ours.runs)
        theirs = own if deviation is None else deviation
        margin = smallest_difference(theirs, self.runs) if self.margin is None else self.margin
        found = compare_means(
            Sample(ours.mean, own, ours.runs), Sample(mean, theirs, self.runs), margin,
            ours.runs - 1 if deviation is None else None,
        )  # fmt: skip
        return Judged(
            verdicts.decided(found.differs, found.equivalent), ours.mean,
            max(low, self.least), min(high, self.most), ours.runs, found.differs, sign, "",
            margin, found.equivalent, found.power,
        )  # fmt: skip

    def _interval(self, ours: Measured, deviation: float | None) -> tuple[float, float]:
        """Return our 95% prediction interval for a mean of as many runs as the paper has."""
        low, high = ours.interval or (ours.mean, ours.mean)
        if deviation is None:
            wider = math.sqrt(1 + ours.runs / self.runs)
            return ours.mean - wider * (ours.mean - low), ours.mean + wider * (high - ours.mean)
        error, freedom = self._welch(ours, deviation)
        half = student(freedom) * error
        return ours.mean - half, ours.mean + half

    def _welch(self, ours: Measured, deviation: float) -> tuple[float, float]:
        theirs = deviation**2 / self.runs, self.runs - 1
        return welch(((ours.stderr or 0.0) ** 2, ours.runs - 1), theirs)

    def _all_alike(self, mean: float, ours: Measured, span: float, sign: int) -> Judged:
        """Judge by what one rare run that is not like the others would do.

        Nothing says how runs spread, so the margin is a quarter of the range of the column.
        """
        half = max(span, self.step) * RARE * (1 / ours.runs + 1 / self.runs)
        low, high = max(ours.mean - half, self.least), min(ours.mean + half, self.most)
        margin = span / 4 if self.margin is None else self.margin
        inside, near = low <= mean <= high, max(high - ours.mean, ours.mean - low) <= margin
        verdict = verdicts.decided(1.0 if inside else 0.0, 0.0 if near else 1.0)
        p = 1.0 if inside else SURELY
        return Judged(
            verdict, ours.mean, low, high, ours.runs, p, sign, verdicts.ALIKE, margin
        )  # fmt: skip


@dataclass(frozen=True)
class Shares:
    """A published share of `runs` runs, in per cent: Fisher's exact test, Newcombe's intervals."""

    runs: int
    margin: float | None = None

    def __call__(self, published: PublishedValue, ours: Measured, span: float) -> Judged:
        """Judge whether the shares are equivalent, or differ."""
        del span
        if ours.runs < verdicts.LEAST_RUNS or ours.count is None:
            return judged_as(verdicts.TOO_FEW, ours)
        low, high = _like_shares(ours.count, ours.runs, self.runs)
        theirs = Share(round(published * self.runs / 100), self.runs)
        margin = margin_of_shares(theirs) if self.margin is None else self.margin / 100
        found = compare_shares(Share(ours.count, ours.runs), theirs, margin)
        sign = (ours.mean > published) - (ours.mean < published)
        return Judged(
            verdicts.decided(found.differs, found.equivalent), ours.mean, low, high, ours.runs,
            found.differs, sign, "", 100 * margin, found.equivalent, found.power,
        )  # fmt: skip


@dataclass(frozen=True)
class Costs:
    """Seconds or bytes of another program on another machine: no agreement is expected."""

    less: str = verdicts.FASTER

    def __call__(self, published: PublishedValue, ours: Measured, span: float) -> Judged:
        """Judge whether ours takes less."""
        del span
        return judged_as(self.less if ours.mean < published else verdicts.DIFFERS, ours)


@dataclass(frozen=True)
class Exactly:
    """A number that is counted, not sampled; the printed one may be rounded to `digits`."""

    digits: int = 0

    def __call__(self, published: PublishedValue, ours: Measured, span: float) -> Judged:
        """Judge whether it is the same."""
        del span
        same = round(ours.mean, self.digits) == round(float(published), self.digits)
        return judged_as(verdicts.MATCHES if same else verdicts.DIFFERS, ours)


def mean_of(published: PublishedValue) -> tuple[float, float | None]:
    """Return a published mean, and its deviation where there is one."""
    if isinstance(published, Mapping):
        return float(published["mean"]), published.get("deviation")
    return float(published), None


def two_sided(score: float, freedom: float) -> float:
    """Return the p-value of Student's t."""
    return 2 * tail(abs(score), freedom)


@lru_cache(maxsize=1024)
def _like_shares(successes: int, runs: int, their_runs: int) -> tuple[float, float]:
    """Return the shares of the paper's runs, in per cent, that the test lets pass at 5%."""
    passing = [
        theirs
        for theirs in range(their_runs + 1)
        if fisher(Share(successes, runs), Share(theirs, their_runs)) > LEVEL
    ]
    return 100 * passing[0] / their_runs, 100 * passing[-1] / their_runs


def joint(judged: Sequence[Judged]) -> Judged:
    """Test a whole column: Fisher's method, and Stouffer's with the signs of the differences.

    The first detects a few large differences, the second a small one in the same direction
    everywhere. The lower of the two p-values is doubled, since there are two tests.
    """
    from scipy.stats import chi2, norm

    known = [(one.p, one.sign) for one in judged if one.p is not None]
    if len(known) < 2:
        few = any(one.verdict == verdicts.TOO_FEW for one in judged)
        return Judged(verdicts.TOO_FEW if few else verdicts.NOT_RUN)
    floor = 1e-300
    spread = chi2.sf(-2 * sum(math.log(max(p, floor)) for p, _ in known), 2 * len(known))
    scores = [sign * float(norm.isf(max(p, floor) / 2)) for p, sign in known]
    z = sum(scores) / math.sqrt(len(scores))
    p = min(1.0, 2 * min(float(spread), float(2 * norm.sf(abs(z)))))
    decided = any(one.verdict in (verdicts.MATCHES, verdicts.DIFFERS) for one in judged)
    verdict = verdicts.DIFFERS if p < LEVEL else verdicts.MATCHES if decided else verdicts.UNDECIDED
    runs = min(one.runs for one in judged)
    above = sum(sign > 0 for _, sign in known)
    stouffer = bool(2 * norm.sf(abs(z)) < spread)
    said = f"p {verdicts.p_text(p)} by {'Stouffer' if stouffer else 'Fisher'}'s method"
    said += f" (z {z:+.1f})" if stouffer else f" (Stouffer's z {z:+.1f})"
    note = f"{said}; ours is higher in {above} of {len(known)}"
    return Judged(verdict, runs=runs, p=p, note=note)


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

    def __post_init__(self) -> None:
        for path, _ in self.entry.leaves():
            if len(path) != len(self.labels):
                raise InputError(
                    f"{'.'.join(path)} of {self.entry.name} has {len(path)} labels, and not "
                    f"{len(self.labels)} ({', '.join(self.labels)})"
                )

    def rows(self, data: Data) -> list[Row]:
        """Return a row for each number, then one for each group."""
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
        """Return the range of a group's numbers: largest minus smallest."""
        group = tuple(labels[name] for name in self.labels[:-1])
        means = [
            mean_of(number)[0]
            for path, number in self.entry.leaves()
            if path[:-1] == group and not isinstance(number, str)
        ]
        return max(means) - min(means) if means else 0.0

    def _row(self, data: Data, labels: dict[str, str], number: PublishedValue) -> Row:
        ours, entry = self.measure(data, **labels), self.entry
        if ours is None:
            judged = Judged(verdicts.NOT_RUN)
        else:
            judged = self.test(number, ours, self.span(labels))
        return Row(
            "/".join((entry.name, *labels.values())),
            verdicts.OURS if entry.class_ == OWN else verdicts.NUMBER,
            entry.part or data.first,
            entry.title,
            entry.source,
            labels,
            number,
            judged,
            entry.unit,
            entry.digits,
            class_=entry.class_,
        )


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, or of ours, and its test."""

    entry: Entry
    test: ClaimTest
    reason: Callable[[Data], str] | None = None  # why ours differs, where results say it

    def __post_init__(self) -> None:
        self.test.check(self.entry)

    def row(self, data: Data) -> Row:
        """Return the claim's row."""
        entry, judged = (
            self.entry,
            verdicts.within_unit(self.test(data, self.entry), self.entry.unit),
        )
        found = entry.reason if self.reason is None else self.reason(data)
        return Row(
            entry.name,
            verdicts.OURS if entry.class_ == OWN else verdicts.CLAIM,
            entry.part or data.first,
            entry.text,
            entry.source,
            {},
            entry.value,
            judged,
            entry.unit,
            entry.digits,
            entry.headline,
            found if judged.verdict == verdicts.DIFFERS else "",
            entry.class_,
            entry.repeats,
            entry.game,
        )
