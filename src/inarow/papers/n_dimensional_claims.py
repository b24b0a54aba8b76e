"""Every claim of the n-dimensional paper about its SARSA agent, held against ours.

The paper shows its results as figures whose points are not written out, and says in words what
they show. Each claim is given a range in which ours agrees with it (`reading`), and matches if
our 95% interval reaches into that range.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from inarow.papers.n_dimensional_exact import REWARDS
from inarow.papers.n_dimensional_measures import (
    Measure,
    Measured,
    ceiling,
    certain,
    counted,
    difference,
    of_the_best,
    opening,
    share,
    threshold,
    without_symmetry,
)
from inarow.papers.n_dimensional_sarsa import NEVER_LOSES
from inarow.papers.results import DIFFERS, MATCHES, NOT_RUN, Results

ROUNDING = "half of i is rounded as Python's `round` does, to the next even number"
SECOND_SEAT = (
    "a win is worth 11 and a draw 1.25, so its own rewards do not ask the second player never to "
    "lose, and what they make best does lose; with a draw worth 10 and gamma 1 more runs get there "
    "(see the variants)"
)
TOO_FEW = (
    "for the second seat these are too few episodes whatever the rewards (see the variants), and "
    "the paper's rewards do not ask it never to lose: what they make best does lose"
)
STILL_RISING = "wins go on rising for tens of thousands of episodes"


@dataclass(frozen=True)
class Claim:
    """Something the paper says, how it is read, and how it is measured."""

    metric: str
    source: str
    published: float | str
    reading: str
    measure: Measure
    low: float = -math.inf  # where ours agrees
    high: float = math.inf
    unit: str = "%"
    reason: str = ""  # what we found where ours differs


@dataclass(frozen=True)
class Row:
    """A claim with ours beside it."""

    metric: str
    source: str
    published: float | str
    reading: str
    mean: float | None
    stderr: float | None
    low: float | None
    high: float | None
    runs: int
    unit: str
    verdict: str
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """The row for programs; null where nothing was reached."""
        reached = self.mean is not None and math.isfinite(self.mean)
        return {**asdict(self), "mean": self.mean if reached else None}


def rows(results: Results) -> list[Row]:
    """All claims, judged."""
    return [judge(claim, claim.measure(results)) for claim in CLAIMS]


def judge(claim: Claim, ours: Measured | None) -> Row:
    """Whether ours agrees."""
    start = (claim.metric, claim.source, claim.published, claim.reading)
    if ours is None:
        return Row(*start, None, None, None, None, 0, claim.unit, NOT_RUN)
    low = ours.mean if ours.low is None else ours.low
    high = ours.mean if ours.high is None else ours.high
    agrees = low <= claim.high and high >= claim.low
    verdict, reason = (MATCHES, "") if agrees else (DIFFERS, claim.reason)
    return Row(
        *start, ours.mean, ours.stderr, ours.low, ours.high, ours.runs, claim.unit, verdict, reason
    )


MAY, SURELY = "in at least 1 run of 10", "in at least 19 runs of 20"
HALF = "half of the runs never lose"
PRINTED_COUNTS = (
    ("formula 3x3", "III", 6_038, ROUNDING),
    ("formula 3x3x3", "III", 1_414_819_440_989, ROUNDING),
    ("reachable", "IV", 5_478, ""),
    ("up to symmetry", "IV", 765, ""),
    ("and unfinished", "IV", 627, ""),
)

COUNT_CLAIMS = tuple(
    Claim(f"states: {name}", source, number, "the number", counted(name), number, number, "", why)
    for name, source, number, why in PRINTED_COUNTS
)
RANDOM_CLAIMS = tuple(
    Claim(
        f"no loss: random, {episodes // 1000}k, {seat}", "Fig. 3, 4", said, reading,
        certain(NEVER_LOSES, "random", episodes, seat), low, reason=TOO_FEW,
    )
    for episodes, said, reading, low in (
        (4_000, "may", MAY, 10.0),
        (20_000, "almost surely", SURELY, 95.0),
    )
    for seat in ("first", "second")
)  # fmt: skip
THRESHOLD_CLAIMS = tuple(
    Claim(
        f"threshold: {trainer}, {seat}", "Fig. 3-6", said, f"{HALF}: within a factor of 2",
        threshold(trainer, seat), said / 2, said * 2, "episodes", SECOND_SEAT,
    )
    for trainer, said in (("random", 4_000), ("advanced", 1_000))
    for seat in ("first", "second")
)  # fmt: skip
ADVANCED_CLAIMS = tuple(
    Claim(
        f"wins at 1k, of most: {seat}", f"Fig. {figure}", "best at 1000",
        "at least 95% of the most wins", of_the_best(
            "advanced", 1_000, f"won as {seat} against advanced"
        ), 95.0, reason=STILL_RISING,
    )
    for seat, figure in (("first", 5), ("second", 6))
)  # fmt: skip
TRANSFER_CLAIMS = (
    *(
        Claim(
            f"{end} vs advanced: {episodes // 1000}k, first", "Fig. 7, App. B", said, reading,
            share("random", episodes, f"{end} as first against advanced"), low, high,
            reason="the share is still on its way there: see 40,000 episodes and more",
        )
        for episodes in (20_000, 40_000)
        for end, said, reading, low, high in (
            ("won", 50.0, "49.5 to 50.5", 49.5, 50.5),
            ("drawn", 50.0, "49.5 to 50.5", 49.5, 50.5),
        )
    ),
    *(
        Claim(
            f"lost vs advanced: 40k, {seat}", f"Fig. {figure}", "not defeated", "at most 1% lost",
            share("random", 40_000, f"lost as {seat} against advanced"), high=1.0,
            reason="against random the same agents lose far less: it seldom finds the refutation",
        )
        for seat, figure in (("first", 7), ("second", 8))
    ),
    *(
        Claim(
            f"gain by advanced: 20k, {seat}", "Fig. 5-8", "not as great", "more",
            difference(
                share("advanced", 20_000, f"won as {seat} against advanced"),
                share("random", 20_000, f"won as {seat} against advanced"),
            ), 0.001, reason="it does not",
        )
        for seat in ("first", "second")
    ),
)  # fmt: skip
EXACT_CLAIMS = (
    *(
        Claim(
            f"best loses: {opponent}, {seat}", "IV", 0.0, "should not lose a game",
            ceiling(opponent, seat, "lost", REWARDS), 0.0, 0.0,
            reason="a win is worth 11, a draw 1.25: by these rewards some risk pays",
        )
        for opponent in ("random", "advanced")
        for seat in ("first", "second")
    ),
    Claim(
        "corner wins more than centre", "App. B", "even better", "more, at best play",
        difference(opening("advanced", "corner"), opening("advanced", "centre")), 0.001,
        reason="it does not",
    ),
    Claim(
        "gain by symmetry: 4k, first", "I, VI", "essential", "more runs never lose",
        without_symmetry(4_000, "first"), 0.001, reason="they do not",
    ),
)  # fmt: skip
CLAIMS = (
    *COUNT_CLAIMS,
    *RANDOM_CLAIMS,
    *THRESHOLD_CLAIMS,
    *ADVANCED_CLAIMS,
    *TRANSFER_CLAIMS,
    *EXACT_CLAIMS,
)
