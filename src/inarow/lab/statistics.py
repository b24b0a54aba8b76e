"""Intervals and ratings from counted results, and summaries of repeated runs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.game import InputError
from inarow.lab.numbers import FEW_RUNS, Scale

Floats = npt.NDArray[np.float64]

Z95 = 1.959963984540054  # the normal quantile of 95% intervals
ELO = 400 / math.log(10)  # a rating difference of 400 is odds of ten to one


class Interval(NamedTuple):
    """A 95% interval."""

    low: float
    high: float


def wilson(successes: float, trials: float, z: float = Z95) -> Interval:
    """Return Wilson's interval for a share.

    For a score in which draws count half it is on the safe side: draws make the score vary less
    than wins and losses alone would.
    """
    share, z2 = successes / trials, z * z
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = z * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    half /= 1 + z2 / trials
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return Interval(low, high)


def pairs_interval(pairs: Sequence[int]) -> Interval:
    """Of a score, from half points (0 to 4) in pairs of games that begin alike.

    The two games of a pair are not independent of each other. It is Wilson's interval, of as many
    games as pairs that vary so much amount to. Pairs that vary more than two independent games
    would count for fewer games; where they vary less, for no more games than were played.
    """
    shares, games = np.array(pairs) / 4, 2 * len(pairs)
    score = float(shares.mean())
    alone = score * (1 - score) / 2  # the variance of two independent games' mean
    seen = float(shares.var())
    effective = games if seen <= alone or alone == 0 else games * alone / seen
    return wilson(score * effective, effective)


class Rating(NamedTuple):
    """A player's strength on the scale of Elo, 0 the mean of the field."""

    rating: float
    low: float
    high: float


def bradley_terry(scores: npt.NDArray[np.float64]) -> list[Rating]:
    """Return ratings by the model of Bradley and Terry, with 95% intervals.

    `scores[i, j]` is what player i scored against j, draws as half. One drawn game for each pair
    is added, so that a player who always wins gets a finite rating. Fitted by Newton's method;
    the intervals come from the curvature of the likelihood.
    """
    players = len(scores)
    played = (scores + scores.T) > 0
    scores = scores + np.where(played, 0.5, 0.0)
    games = scores + scores.T
    strength = np.zeros(players)
    for _ in range(100):
        expected = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        gradient = (scores - games * expected).sum(axis=1)
        spread = games * expected * (1 - expected)
        information = np.diag(spread.sum(axis=1)) - spread
        step = np.linalg.pinv(information) @ gradient
        strength = strength + np.clip(step, -2, 2)
        strength -= strength.mean()
        if np.abs(step).max() < 1e-10:
            break
    deviation = np.sqrt(np.diag(np.linalg.pinv(information)).clip(min=0))
    return [
        Rating(ELO * s, ELO * (s - Z95 * d), ELO * (s + Z95 * d))
        for s, d in zip(strength, deviation, strict=True)
    ]


class Summary(NamedTuple):
    """What a number of runs say of a mean."""

    mean: float
    stderr: float  # of the mean; 0 for a single run, which says nothing of the spread
    low: float  # of the 95% interval; the mean itself for a single run
    high: float
    runs: int


class Estimate(NamedTuple):
    """A value with its 95% interval."""

    value: float
    low: float
    high: float


def summary(values: npt.ArrayLike, scale: Scale | None = None) -> Summary:
    """Return mean, standard error and an interval of the mean that is honest for few runs too.

    Student's of fewer than ten runs, else the bootstrap's (BCa), widened by what it leaves out:
    it takes the spread of the sample for the true one, and the normal for Student's distribution.
    Wilson's where the scale says that a run has 0 or 1; without a scale, where every value does.
    The interval is cut to the scale, unless a value lies beyond it.
    """
    data = _sample(values)
    runs, mean = len(data), float(data.mean())
    if runs > 1 and _are_verdicts(data, scale):
        return Summary(mean, _stderr(data), *wilson(float(data.sum()), runs), runs)
    if data.min() == data.max():  # where rounding must not make a spread
        return Summary(float(data[0]), 0.0, float(data[0]), float(data[0]), runs)
    stderr, quantile = _stderr(data), student(runs - 1)
    if runs < FEW_RUNS:
        low, high = mean - quantile * stderr, mean + quantile * stderr
    else:
        found = bootstrap_interval(data)
        wider = quantile / Z95 * math.sqrt(runs / (runs - 1))
        low, high = mean - wider * (mean - found.low), mean + wider * (found.high - mean)
    if scale is not None and scale.low <= data.min() and data.max() <= scale.high:
        low, high = max(low, scale.low), min(high, scale.high)
    return Summary(mean, stderr, low, high, runs)


def _are_verdicts(data: Floats, scale: Scale | None) -> bool:
    """Whether each value is 0 or 1 because a run can have no other."""
    return (scale is None or scale.verdict) and bool(np.isin(data, (0.0, 1.0)).all())


@lru_cache(maxsize=1024)
def student(freedom: float, comparisons: int = 1) -> float:
    """Return the quantile of 95% intervals of Student's distribution.

    Of several comparisons all intervals hold together, 19 times of 20 (Bonferroni).
    """
    from scipy.stats import t

    return float(t.ppf(1 - 0.025 / comparisons, freedom))


def smallest_difference(deviation: float, runs: int, comparisons: int = 1) -> float:
    """Return the difference of two means that a study of so many runs each sees four times of five.

    `deviation` is the standard deviation of a run; seeing means that the 95% interval of the
    difference leaves out 0.
    """
    from scipy.stats import t

    freedom = 2 * runs - 2
    quantiles = student(freedom, comparisons) + float(t.ppf(0.8, freedom))
    return quantiles * deviation * math.sqrt(2 / runs)


def _stderr(data: Floats) -> float:
    if data.min() == data.max():
        return 0.0
    return float(data.std(ddof=1)) / math.sqrt(len(data))


def probability_of_improvement(ours: npt.ArrayLike, theirs: npt.ArrayLike) -> Estimate:
    """Return how likely a run of ours is above one of theirs, ties as half (Mann and Whitney).

    The interval is Newcombe's (2006, method 5): a score interval, so that it has a width also where
    all of ours are above all of theirs, and is Wilson's for one run each.
    """
    one, other = _sample(ours), _sample(theirs)
    value = float(np.sign(one[:, None] - other[None, :]).mean() / 2 + 0.5)
    if min(one.min(), other.min()) == max(one.max(), other.max()):
        return Estimate(value, value, value)
    return Estimate(
        value,
        1 - _highest(1 - value, len(one), len(other)),
        _highest(value, len(one), len(other)),
    )


def _highest(found: float, ours: int, theirs: int) -> float:
    """The largest probability that a probability found among so many runs does not contradict."""
    low, high, extra = found, 1.0, (ours + theirs) / 2 - 1
    for _ in range(60):
        tried = (low + high) / 2
        spread = 1 + extra * ((1 - tried) / (2 - tried) + tried / (1 + tried))
        allowed = Z95 * math.sqrt(tried * (1 - tried) * spread / (ours * theirs))
        low, high = (tried, high) if tried - found <= allowed else (low, tried)
    return high


def difference(
    ours: npt.ArrayLike,
    theirs: npt.ArrayLike,
    comparisons: int = 1,
    scale: Scale | None = None,
) -> Estimate:
    """Return how far our mean is above theirs, with an interval for few runs too.

    Newcombe's where values are 0 or 1, as in `summary`; else Welch's, which lets the spreads
    differ, cut to the differences that the scale allows. A single run says nothing of its spread:
    then the interval is not a number. Of several comparisons all intervals hold together.
    """
    one, other = _sample(ours), _sample(theirs)
    value = float(one.mean() - other.mean())
    if min(len(one), len(other)) == 1:
        return Estimate(value, math.nan, math.nan)
    if _are_verdicts(np.concatenate((one, other)), scale):
        z = Z95 if comparisons == 1 else student(math.inf, comparisons)
        high, low = (wilson(float(data.sum()), len(data), z) for data in (one, other))
        below = math.hypot(one.mean() - high.low, low.high - other.mean())
        above = math.hypot(high.high - one.mean(), other.mean() - low.low)
        return Estimate(value, value - below, value + above)
    squares = np.array([_stderr(one), _stderr(other)]) ** 2
    if not squares.any():
        return Estimate(value, value, value)
    freedom = squares.sum() ** 2 / (squares**2 / (len(one) - 1, len(other) - 1)).sum()
    half = student(float(freedom), comparisons) * math.sqrt(squares.sum())
    span = math.inf if scale is None else scale.high - scale.low
    span = max(span, abs(value))  # a value beyond the scale: then it is not what the name says
    return Estimate(value, max(value - half, -span), min(value + half, span))


def _sample(values: npt.ArrayLike) -> Floats:
    data = np.asarray(values, np.float64)
    if data.ndim != 1 or not len(data) or not np.isfinite(data).all():
        raise InputError("a summary is made of one or more finite numbers in a row")
    return data


def bootstrap_interval(values: npt.ArrayLike) -> Interval:
    """Return the 95% interval of a mean, by resampling that is the same for the same data.

    BCa corrects for bias and skew. Where it cannot be worked out (too few different values), the
    interval holds the middle 95% of the resampled values.
    """
    data = _sample(values)
    if data.min() == data.max():
        return Interval(float(data[0]), float(data[0]))
    from scipy.stats import bootstrap

    for method in ("BCa", "percentile"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # where BCa fails, it says so and answers nan
            found = bootstrap(
                (data,),
                np.mean,
                vectorized=True,
                axis=-1,
                method=method,
                batch=max(1, 10**6 // len(data)),  # some megabytes
                rng=np.random.default_rng(0),
            ).confidence_interval
        if math.isfinite(found.low) and math.isfinite(found.high):
            break
    return Interval(float(found.low), float(found.high))


def share_text(share: float, interval: Sequence[float]) -> str:
    """Return a share and its interval for people: 58.5% (58.4-58.6)."""
    return f"{100 * share:.1f}% ({100 * interval[0]:.1f}-{100 * interval[1]:.1f})"
