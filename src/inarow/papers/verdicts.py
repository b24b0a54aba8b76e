"""The verdicts, and the tests that give them: one rule for all papers.

*matches*: the test could have failed, and passed. *differs*: it failed. *undecided*: too little
power; the interval is compatible with agreement and with disagreement. *too few runs*: fewer than
five. *faster* and *smaller*: time and memory, where no agreement is expected.

A published number is compared with our 95% prediction interval for a mean of as many runs as the
paper has, which allows for the chance in both. To match, the number must fall inside it, and the
interval must extend no farther from our value than a difference that matters: by default a
quarter of the range of the table's column. A claim is a region for our value, or an order of
conditions. It matches if our 95% interval lies entirely inside, and differs if entirely outside.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from inarow.papers.measures import Measured
from inarow.papers.published import PublishedValue

MATCHES, DIFFERS, UNDECIDED, TOO_FEW = "matches", "differs", "undecided", "too few runs"
FASTER, SMALLER, NOT_RUN = "faster", "smaller", "not run"
VERDICTS = (MATCHES, DIFFERS, UNDECIDED, TOO_FEW, FASTER, SMALLER, NOT_RUN)
NUMBER, CLAIM, JOINT, OURS = "number", "claim", "joint", "ours"
KINDS = {
    NUMBER: "published numbers",
    CLAIM: "claims",
    JOINT: "whole columns",
    OURS: "our own claims",
}

LEVEL = 0.05
LEAST_RUNS = 5  # for a verdict
NO_SPREAD = "the stored results have no standard error"


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

    @property
    def verdict(self) -> str:
        """Of the test."""
        return self.judged.verdict

    @property
    def detectable(self) -> float | None:
        """How far the interval extends from our value: a difference found with 50% power."""
        ours, low, high = self.judged.ours, self.judged.low, self.judged.high
        if ours is None or low is None or high is None:
            return None
        return max(high - ours, ours - low)

    def as_json(self) -> dict[str, object]:
        """For programs."""
        judged = self.judged
        return {
            "name": self.name,
            "kind": self.kind,
            "text": self.text,
            "source": self.source,
            **{label: value for label, value in self.labels.items() if label != "part"},
            "published": self.published,
            "ours": _rounded(judged.ours),
            "low": _rounded(judged.low),
            "high": _rounded(judged.high),
            "detectable": _rounded(self.detectable),
            "p": _rounded(judged.p),
            "runs": judged.runs,
            "unit": self.unit,
            "headline": self.headline,
            "verdict": judged.verdict,
            "note": judged.note,
            "reason": self.reason,
        }


def _rounded(value: float | None) -> float | None:
    """Nine digits of it: the last ones of a double change with the versions of libraries."""
    if value is None or not math.isfinite(value):
        return None
    return value if float(value).is_integer() else float(f"{value:.9g}")


def counts(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """How often each verdict was given, by kind: the one count that all views show."""
    found = Counter((row.kind, row.verdict) for row in rows)
    return {
        kind: {verdict: found[kind, verdict] for verdict in VERDICTS if found[kind, verdict]}
        for kind in KINDS
        if any(found[kind, verdict] for verdict in VERDICTS)
    }


def bare(verdict: str, ours: Measured) -> Judged:
    """A verdict with the interval of ours."""
    low, high = ours.interval if ours.runs and ours.interval else (None, None)
    return Judged(verdict, ours.mean, low, high, ours.runs)
