"""Tests of a published number against ours, alone and with its whole column.

Each is called with the published number, ours, and the range of the table's column.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from inarow.lab.statistics import student
from inarow.papers import verdicts
from inarow.papers.measures import Measured
from inarow.papers.published import PublishedValue
from inarow.papers.verdicts import Judged, bare

RARE = 3.69  # with no event in n runs, 95% of the time fewer than 3.69 in n are expected

Test = Callable[
    [PublishedValue, Measured, float], Judged
]  # published, ours, and the range of the column


@dataclass(frozen=True)
class Means:
    """A published mean over `runs` runs, with its deviation where the paper gives it."""

    runs: int
    margin: float | None = None  # a difference that matters; None: a quarter of the span
    least: float = -math.inf  # what no run can be below, or above
    most: float = math.inf
    step: float = 1.0  # what a run that is not like the others differs by, at least

    def __call__(self, published: PublishedValue, ours: Measured, span: float) -> Judged:
        """Whether both may be means from the same distribution of runs."""
        if ours.runs < verdicts.LEAST_RUNS:
            return bare(verdicts.TOO_FEW, ours)
        mean, deviation = mean_of(published)
        interval = self.interval(ours, deviation, span)
        if interval is None:
            return replace(bare(verdicts.UNDECIDED, ours), note=verdicts.NO_SPREAD)
        low, high = max(interval[0], self.least), min(interval[1], self.most)
        margin = span / 4 if self.margin is None else self.margin
        verdict = _within(low <= mean <= high, max(high - ours.mean, ours.mean - low) <= margin)
        p = self.p_value(mean, ours, deviation, low <= mean <= high)
        sign = (ours.mean > mean) - (ours.mean < mean)
        return Judged(verdict, ours.mean, low, high, ours.runs, p, sign)

    def interval(
        self, ours: Measured, deviation: float | None, span: float
    ) -> tuple[float, float] | None:
        """Our 95% prediction interval for a mean of as many runs as the paper has."""
        if ours.interval is None or ours.stderr is None:
            return None
        if deviation is not None:
            error, freedom = self._welch(ours, deviation)
            half = student(freedom) * error
            return ours.mean - half, ours.mean + half
        if not ours.stderr:  # all runs alike: what a rare one that is not would do
            half = max(span, self.step) * RARE * (1 / ours.runs + 1 / self.runs)
            return ours.mean - half, ours.mean + half
        wider = math.sqrt(1 + ours.runs / self.runs)
        low, high = ours.interval
        return ours.mean - wider * (ours.mean - low), ours.mean + wider * (high - ours.mean)

    def p_value(self, mean: float, ours: Measured, deviation: float | None, inside: bool) -> float:
        """Of the difference, by Student's distribution."""
        if deviation is not None:
            error, freedom = self._welch(ours, deviation)
        else:
            error = (ours.stderr or 0.0) * math.sqrt(1 + ours.runs / self.runs)
            freedom = ours.runs - 1
        if not error:
            return 1.0 if inside else 1e-6
        return two_sided((ours.mean - mean) / error, freedom)

    def _welch(self, ours: Measured, deviation: float) -> tuple[float, float]:
        squares = [(ours.stderr or 0.0) ** 2, deviation**2 / self.runs]
        total, less = sum(squares), (max(ours.runs - 1, 1), self.runs - 1)
        shared = sum(square**2 / n for square, n in zip(squares, less, strict=True))
        return math.sqrt(total), total**2 / shared if shared else math.inf


@dataclass(frozen=True)
class Shares:
    """A published share of `runs` runs, in per cent: Fisher's exact test."""

    runs: int
    margin: float | None = None

    def __call__(self, published: PublishedValue, ours: Measured, span: float) -> Judged:
        """Whether both may be shares from the same distribution of runs."""
        if ours.runs < verdicts.LEAST_RUNS or ours.count is None:
            return bare(verdicts.TOO_FEW, ours)
        low, high = _like_shares(ours.count, ours.runs, self.runs)
        theirs = round(published * self.runs / 100)
        margin = span / 4 if self.margin is None else self.margin
        unseen = max(high - ours.mean, ours.mean - low)
        verdict = _within(low <= published <= high, unseen <= margin)
        p = _fisher(ours.count, ours.runs, theirs, self.runs)
        sign = (ours.mean > published) - (ours.mean < published)
        return Judged(verdict, ours.mean, low, high, ours.runs, p, sign)


@dataclass(frozen=True)
class Costs:
    """Seconds or bytes of another program on another machine: no agreement is expected."""

    less: str = verdicts.FASTER

    def __call__(self, published: PublishedValue, ours: Measured, span: float) -> Judged:
        """Whether ours takes less."""
        del span
        return bare(self.less if ours.mean < published else verdicts.DIFFERS, ours)


@dataclass(frozen=True)
class Exactly:
    """A number that is counted, not sampled; the printed one may be rounded to `digits`."""

    digits: int = 0

    def __call__(self, published: PublishedValue, ours: Measured, span: float) -> Judged:
        """Whether it is the same."""
        del span
        same = round(ours.mean, self.digits) == round(float(published), self.digits)
        return bare(verdicts.MATCHES if same else verdicts.DIFFERS, ours)


def _within(inside: bool, powerful: bool) -> str:
    return verdicts.DIFFERS if not inside else verdicts.MATCHES if powerful else verdicts.UNDECIDED


def mean_of(published: PublishedValue) -> tuple[float, float | None]:
    """A published mean, and its deviation where there is one."""
    if isinstance(published, Mapping):
        return float(published["mean"]), published.get("deviation")
    return float(published), None


def two_sided(score: float, freedom: float) -> float:
    """The p-value of Student's t."""
    from scipy.stats import t

    return float(2 * t.sf(abs(score), freedom))


@lru_cache(maxsize=4096)
def _fisher(successes: int, runs: int, theirs: int, their_runs: int) -> float:
    from scipy.stats import fisher_exact

    table = [[successes, runs - successes], [theirs, their_runs - theirs]]
    return float(fisher_exact(table).pvalue)


@lru_cache(maxsize=1024)
def _like_shares(successes: int, runs: int, their_runs: int) -> tuple[float, float]:
    """The shares of the paper's runs, in per cent, that the test lets pass at 5%."""
    passing = [
        theirs
        for theirs in range(their_runs + 1)
        if _fisher(successes, runs, theirs, their_runs) > verdicts.LEVEL
    ]
    return 100 * passing[0] / their_runs, 100 * passing[-1] / their_runs


def joint(judged: Sequence[Judged]) -> Judged:
    """Tests a whole column: Fisher's method, and Stouffer's with the signs of the differences.

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
    verdict = (
        verdicts.DIFFERS
        if p < verdicts.LEVEL
        else verdicts.MATCHES
        if decided
        else verdicts.UNDECIDED
    )
    runs = min(one.runs for one in judged)
    above = sum(sign > 0 for _, sign in known)
    note = f"z {z:+.1f}, p {p_text(p)}; ours is higher in {above} of {len(known)}"
    return Judged(verdict, runs=runs, p=p, note=note)


def p_text(p: float) -> str:
    """A p-value; very small ones as `<0.001`."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"
