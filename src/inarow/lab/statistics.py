"""Intervals and ratings from counted results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Z95 = 1.959963984540054  # the normal quantile of 95% intervals
ELO = 400 / math.log(10)  # a rating difference of 400 is odds of ten to one


class Interval(NamedTuple):
    """A 95% interval."""

    low: float
    high: float


def wilson(successes: float, trials: int) -> Interval:
    """Wilson's interval for a share.

    For a score in which draws count half it is on the safe side: draws make the score vary less
    than wins and losses alone would.
    """
    share, z2 = successes / trials, Z95 * Z95
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = Z95 * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    half /= 1 + z2 / trials
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return Interval(low, high)


class Rating(NamedTuple):
    """A player's strength on the scale of Elo, 0 the mean of the field."""

    rating: float
    low: float
    high: float


def bradley_terry(scores: npt.NDArray[np.float64]) -> list[Rating]:
    """Ratings by the model of Bradley and Terry, with 95% intervals.

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


def share_text(share: float, interval: Sequence[float]) -> str:
    """A share and its interval for people: 58.5% (58.4-58.6)."""
    return f"{100 * share:.1f}% ({100 * interval[0]:.1f}-{100 * interval[1]:.1f})"
