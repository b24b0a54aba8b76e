"""The verdicts, and how they are counted: one rule for all papers.

*matches*: agreement is shown. *differs*: disagreement is shown. *undecided*: too little power; the
runs are compatible with both. *too few runs*: fewer than five. *faster* and *smaller*: time and
memory, where no agreement is expected. *too short*: the runs are much shorter than the paper's, so
our value has no verdict.

A published number matches if it is equivalent to ours within a margin that was fixed before, and
differs if a test of no difference fails. A claim is a region for our value, or an
order of conditions. It matches if our 95% interval lies entirely inside, and differs if entirely
outside. All differences of a paper are corrected for the number of its tests (Holm).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from inarow.lab.statistics import wilson
from inarow.papers.measures import Measured, welch
from inarow.papers.published import (
    ARITHMETIC,
    BY_CONSTRUCTION,
    LITERATURE,
    MEASURED,
    PublishedValue,
)

MATCHES, DIFFERS, UNDECIDED, TOO_FEW = "matches", "differs", "undecided", "too few runs"
FASTER, SMALLER = "faster", "smaller"
TOO_SHORT, NOT_RUN = "too short", "not run"
VERDICTS = (MATCHES, DIFFERS, UNDECIDED, TOO_FEW, TOO_SHORT, FASTER, SMALLER, NOT_RUN)
UNJUDGED = (TOO_FEW, TOO_SHORT, NOT_RUN)  # more or longer runs are needed
NUMBER, CLAIM, JOINT, OURS = "number", "claim", "joint", "ours"
REPEATED = "repeated"
KINDS = {  # how rows are counted: the measured ones apart from all others
    NUMBER: "published numbers",
    CLAIM: "claims",
    JOINT: "whole columns",
    REPEATED: "repeated statistics",
    ARITHMETIC: "arithmetic",
    BY_CONSTRUCTION: "by construction",
    LITERATURE: "said of other work",
    OURS: "our own claims",
}
TESTED = (NUMBER, CLAIM, JOINT)  # corrected together

RANGES = {"%": (0.0, 100.0), "points": (-100.0, 100.0)}  # of values, by unit
LEAST_RUNS = 5  # for a verdict
LEVEL, POWER = 0.05, 0.8  # of tests
NO_SPREAD = "the stored results have no standard error"
ALIKE = "all of our runs are alike: the interval allows for one rare run that is not"


@dataclass(frozen=True)
class Judged:
    """The verdict of a test, with our value and the interval that decides."""

    verdict: str
    ours: float | None = None
    low: float | None = None  # the interval that decides
    high: float | None = None
    runs: int = 0
    p: float | None = None  # of the difference between a published number and ours
    sign: int = 0  # whether ours is above (1) or below (-1) the published number
    note: str = ""  # which of several comparisons decides
    margin: float | None = None  # of a published number: a smaller difference is agreement
    equivalent: float | None = None  # p-value of a difference beyond the margin
    power: float | None = None  # chance to match where there is no difference
    error: float | None = None  # standard error of our value
    freedom: float = math.inf  # its degrees of freedom
    why: str = ""  # what decides, where the 95% interval alone would say something else
    decides: tuple[float, float] | None = None  # the interval that does, if there is one


@dataclass(frozen=True)
class Row:
    """A published item with our result: what every table, page and program shows."""

    name: str
    kind: str
    part: str  # of the study
    text: str  # what it is, in short
    source: str  # where in the paper
    labels: Mapping[str, str]
    published: PublishedValue
    judged: Judged
    unit: str = ""
    digits: int = 0
    headline: bool = False
    reason: str = ""  # why ours differs
    class_: str = MEASURED  # of the evidence, as its entry says
    repeats: str = ""  # an entry with the same statistic
    about: str = ""  # the game, where it is about one

    @property
    def verdict(self) -> str:
        """Return the test's verdict."""
        return self.judged.verdict

    @property
    def game(self) -> str:
        """Return the game that the row is about, or nothing."""
        return self.labels.get("game", self.about)

    @property
    def counted_as(self) -> str:
        """Return the group of `KINDS` that the row belongs to."""
        if self.kind == OURS:
            return OURS
        if self.class_ != MEASURED:
            return self.class_
        return REPEATED if self.repeats else self.kind

    @property
    def detectable(self) -> float | None:
        """Return how far the interval extends from our value: a difference found with 50% power."""
        ours, low, high = self.judged.ours, self.judged.low, self.judged.high
        if ours is None or low is None or high is None:
            return None
        return max(high - ours, ours - low)

    def as_json(self) -> dict[str, object]:
        """Return the row for programs."""
        judged = self.judged
        return {
            "name": self.name,
            "kind": self.kind,
            "counted_as": self.counted_as,
            "text": self.text,
            "source": self.source,
            **{label: value for label, value in self.labels.items() if label != "part"},
            "published": self.published,
            "ours": _rounded(judged.ours),
            "low": _rounded(judged.low),
            "high": _rounded(judged.high),
            "detectable": _rounded(self.detectable),
            "p": _rounded(judged.p),
            "margin": _rounded(judged.margin),
            "power": _rounded(judged.power),
            "runs": judged.runs,
            "unit": self.unit,
            "headline": self.headline,
            "verdict": judged.verdict,
            "note": judged.note,
            "reason": self.reason,
        }


def _rounded(value: float | None) -> float | None:
    """Round to nine digits: the last ones of a double change with the versions of libraries."""
    if value is None or not math.isfinite(value):
        return None
    return value if float(value).is_integer() else float(f"{value:.9g}")


def counts(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """Count how often each verdict was given, by group: the one count that all views show."""
    found = Counter((row.counted_as, row.verdict) for row in rows)
    return {
        kind: {verdict: found[kind, verdict] for verdict in VERDICTS if found[kind, verdict]}
        for kind in KINDS
        if any(found[kind, verdict] for verdict in VERDICTS)
    }


def judged_as(verdict: str, ours: Measured) -> Judged:
    """Return a verdict with our value and its interval."""
    low, high = ours.interval if ours.runs and ours.interval else (None, None)
    return Judged(verdict, ours.mean, low, high, ours.runs, error=ours.stderr, freedom=ours.freedom)


def withdrawn(judged: Judged, level: float, why: str) -> Judged:
    """Return the verdict with what decides where tests are many: the interval at a lower level.

    A share of runs has none: its interval is not symmetric about our value.
    """
    if not judged.error or judged.ours is None:
        return replace(judged, why=why)
    half = quantile(1 - level / 2, judged.freedom) * judged.error
    return replace(judged, why=why, decides=(judged.ours - half, judged.ours + half))


def within_unit(judged: Judged, unit: str) -> Judged:
    """Keep the intervals of a share within 0 to 100%, and of a difference of shares likewise."""
    ends = RANGES.get(unit.partition(" ")[0])
    if ends is None or judged.low is None or judged.high is None:
        return judged
    least, most = ends
    decides = judged.decides and (max(judged.decides[0], least), min(judged.decides[1], most))
    return replace(judged, low=max(judged.low, least), high=min(judged.high, most), decides=decides)


def decided(differs: float, equivalent: float) -> str:
    """Return the verdict of two p-values: of no difference, and of one beyond the margin."""
    return DIFFERS if differs < LEVEL else MATCHES if equivalent < LEVEL else UNDECIDED


def corrected(rows: Sequence[Row]) -> list[Row]:
    """Withdraw differences that chance explains, given how many tests a paper has (Holm).

    A number that is equivalent to ours then matches; anything else is undecided.
    """
    tested = [
        number
        for number, row in enumerate(rows)
        if row.counted_as in TESTED and row.judged.p is not None
    ]
    adjusted = holm([row.judged.p or 0.0 for row in (rows[number] for number in tested)])
    found = list(rows)
    for number, p in zip(tested, adjusted, strict=True):
        row, own = rows[number], rows[number].judged.p or 0.0
        if row.verdict == DIFFERS and p >= LEVEL:
            equivalent = row.judged.equivalent
            same = equivalent is not None and equivalent < LEVEL
            alone = f"p {p_text(own)}, and {p_text(p)} among {len(tested)} tests"
            judged = replace(
                row.judged,
                verdict=MATCHES if same else UNDECIDED,
                note="; ".join(filter(None, (row.judged.note, alone))),
            )
            if row.kind == CLAIM:  # of a number, the interval is not what decides
                why = f"alone it differs, but not with Holm's correction for {len(tested)} tests"
                judged = within_unit(withdrawn(judged, LEVEL * own / p, why), row.unit)
            found[number] = replace(row, judged=judged, reason="")
    return found


def p_text(p: float) -> str:
    """Return a p-value as text; very small ones as `<0.001`."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


# Tests of equivalence with a published number: their margin, decision and power.
#
# That a test finds no difference does not say that there is none. Two numbers *match* if their
# difference is shown to be smaller than a margin: two one-sided tests, each at 5%. They *differ* if
# a two-sided test says so at 5%, corrected for how many numbers of the paper are compared (Holm).
# If neither holds the comparison is *undecided*; its power says whether that was to be expected.
#
# The margin is fixed before our runs and comes from the paper's own uncertainty: the smallest
# difference that a repetition of the paper's study, with as many runs, would call significant at 5%
# in four of five cases. Nobody could ask for closer agreement of the paper with itself.


class Sample(NamedTuple):
    """The mean of some runs, with their standard deviation."""

    mean: float
    deviation: float
    runs: int

    @property
    def variance(self) -> float:
        """Of the mean."""
        return self.deviation**2 / self.runs


@dataclass(frozen=True)
class Share:
    """How many of some runs have a property."""

    count: int
    runs: int

    @property
    def smoothed(self) -> float:
        """The share with two successes and two failures added, so that it is never 0 or 1."""
        return (self.count + 2) / (self.runs + 4)


class Comparison(NamedTuple):
    """What the tests say of the difference between ours and the published number."""

    difference: float  # ours minus the published one
    low: float  # of the interval that must lie within the margin to match: 90%
    high: float
    margin: float
    differs: float  # p-value of the two-sided test of no difference
    equivalent: float  # p-value of the two one-sided tests of a difference beyond the margin
    power: float  # chance to be found equivalent where there is no difference


def margin_of_shares(published: Share) -> float:
    """Return the smallest difference of shares that two such studies detect with 80% power."""
    share, quantiles = published.smoothed, quantile(1 - LEVEL / 2) + quantile(POWER)
    return quantiles * math.sqrt(2 * share * (1 - share) / published.runs)


def compare_means(
    ours: Sample, published: Sample, margin: float, freedom: float | None = None
) -> Comparison:
    """Compare two means of runs that may spread differently (Welch).

    `freedom` is given where the published deviation is an estimate of ours.
    """
    difference, variance = ours.mean - published.mean, ours.variance + published.variance
    if not variance:  # all runs alike, on both sides: there is nothing to test
        same = float(difference == 0)
        return Comparison(difference, difference, difference, margin, same, 1 - same, 1.0)
    error, its_freedom = welch(*((one.variance, one.runs - 1) for one in (ours, published)))
    freedom = its_freedom if freedom is None else freedom
    half = quantile(1 - LEVEL, freedom) * error
    return Comparison(
        difference,
        difference - half,
        difference + half,
        margin,
        2 * tail(abs(difference) / error, freedom),
        tail((margin - abs(difference)) / error, freedom),
        power_of_equivalence(margin, error, freedom),
    )


def compare_shares(ours: Share, published: Share, margin: float) -> Comparison:
    """Compare two shares of runs, by Newcombe's intervals of their difference."""
    difference = ours.count / ours.runs - published.count / published.runs
    low, high = difference_of_shares(ours, published, quantile(1 - LEVEL))
    spread = sum(one.smoothed * (1 - one.smoothed) / one.runs for one in (ours, published))
    return Comparison(
        difference,
        low,
        high,
        margin,
        fisher(ours, published),
        _p_of_equivalence(ours, published, margin),
        power_of_equivalence(margin, math.sqrt(spread), math.inf),
    )


def power_of_equivalence(margin: float, error: float, freedom: float) -> float:
    """Return the chance that two one-sided tests find two equal means to be equivalent."""
    reach = margin / error - quantile(1 - LEVEL, freedom)
    return max(0.0, 1 - 2 * tail(reach, freedom))


def difference_of_shares(one: Share, other: Share, z: float) -> tuple[float, float]:
    """Return an interval of the difference of two shares (Newcombe's hybrid score)."""
    first, second = (share.count / share.runs for share in (one, other))
    (low, high), (least, most) = (wilson(share.count, share.runs, z) for share in (one, other))
    difference = first - second
    down = math.hypot(first - low, most - second)
    up = math.hypot(high - first, second - least)
    return difference - down, difference + up


def _p_of_equivalence(ours: Share, published: Share, margin: float) -> float:
    """Return the level at which the interval of the difference just lies within the margin."""
    least, most = 0.0, 40.0  # quantiles of the normal distribution
    low, high = difference_of_shares(ours, published, least)
    if low <= -margin or high >= margin:
        return 1.0
    for _ in range(60):
        middle = (least + most) / 2
        low, high = difference_of_shares(ours, published, middle)
        inside = -margin < low and high < margin
        least, most = (middle, most) if inside else (least, middle)
    return tail(least)


@lru_cache(maxsize=4096)
def quantile(share: float, freedom: float = math.inf) -> float:
    """Return the quantile of Student's distribution, or of the normal one."""
    from scipy.stats import t

    return float(t.ppf(share, freedom))


@lru_cache(maxsize=4096)
def tail(score: float, freedom: float = math.inf) -> float:
    """Return how much of Student's distribution, or of the normal one, lies above a score."""
    from scipy.stats import t

    return float(t.sf(score, freedom))


@lru_cache(maxsize=8192)
def fisher(ours: Share, published: Share) -> float:
    """Return the p-value of Fisher's exact test of two equal shares."""
    from scipy.stats import fisher_exact

    table = [[one.count, one.runs - one.count] for one in (ours, published)]
    return float(fisher_exact(table).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for their number: each is compared with 5% as if it were alone (Holm)."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, highest = [0.0] * len(p_values), 0.0
    for place, number in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[number]))
        adjusted[number] = highest
    return adjusted
