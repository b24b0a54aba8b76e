"""Tests of equivalence with a published number: their margin, decision and power.

That a test finds no difference does not say that there is none. Two numbers *match* if their
difference is shown to be smaller than a margin: two one-sided tests, each at 5%. They *differ* if
a two-sided test says so at 5%, corrected for how many numbers of the paper are compared (Holm).
If neither holds the comparison is *undecided*, and its power says whether that was to be expected.

The margin is fixed before our runs and comes from the paper's own uncertainty: the smallest
difference that a repetition of the paper's study, with as many runs, would call significant at 5%
in four of five cases. Nobody could ask for closer agreement of the paper with itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

LEVEL, POWER = 0.05, 0.8


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


def margin_of_means(deviation: float, runs: int) -> float:
    """Return the smallest difference that two studies of so many runs detect with 80% power."""
    freedom = 2 * runs - 2
    return _sum_of_quantiles(freedom) * deviation * math.sqrt(2 / runs)


def margin_of_shares(published: Share) -> float:
    """Return the smallest difference of shares that two such studies detect with 80% power."""
    share = published.smoothed
    return _sum_of_quantiles(math.inf) * math.sqrt(2 * share * (1 - share) / published.runs)


def _sum_of_quantiles(freedom: float) -> float:
    return quantile(1 - LEVEL / 2, freedom) + quantile(POWER, freedom)


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
    error = math.sqrt(variance)
    if freedom is None:
        shares = (one.variance**2 / max(one.runs - 1, 1) for one in (ours, published))
        freedom = variance**2 / sum(shares)
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
    (first, low, high), (second, least, most) = (_wilson(share, z) for share in (one, other))
    difference = first - second
    down = math.hypot(first - low, most - second)
    up = math.hypot(high - first, second - least)
    return difference - down, difference + up


def _wilson(share: Share, z: float) -> tuple[float, float, float]:
    found, runs, square = share.count / share.runs, share.runs, z**2
    centre = (found + square / (2 * runs)) / (1 + square / runs)
    half = z * math.sqrt(found * (1 - found) / runs + square / (4 * runs**2))
    half /= 1 + square / runs
    return found, centre - half, centre + half


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
