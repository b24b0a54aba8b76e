"""Numbers of metrics for people: how they are written, and what their intervals may hold."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

# What a metric measures follows from how its name begins, or from a scale at its end, in brackets;
# an own metric without one may be any number.
SHARES = re.compile(
    r"(chance|score|exploitability|share)\b|mistakes as \w+ (against perfect|from \d+ stones)"
)
VERDICTS = re.compile(r"(unbeatable|converts)\b")  # 1 if it holds of a run, else 0
COUNTS = re.compile(
    r"(exactly lost|won|drawn|lost|games|positions|judged|mistakes|reached|no longer won)\b"
    r"(?! share)"
)
FEW_RUNS = 10  # below, a bootstrap resamples too little: Student's interval
TINY = 1e-9  # a rounding error of a sum, not a result


class Scale(NamedTuple):
    """The values that a metric can have: no interval of its mean reaches beyond them."""

    low: float = -math.inf
    high: float = math.inf
    verdict: bool = False  # whether each run has 0 or 1, no or yes

    def interval_name(self, runs: int) -> str:
        """How the interval of a mean over so many runs is made."""
        if self.verdict:
            return "Wilson's"
        return "Student's t" if runs < FEW_RUNS else "bootstrap (BCa)"

    def holds(self, value: float) -> bool:
        """Return whether a run can have such a value."""
        return value in (0, 1) if self.verdict else self.low <= value <= self.high

    @property
    def limits(self) -> str:
        """What intervals are cut to, as it follows a name; empty where they are not."""
        if self.high < math.inf:
            return f", cut to {self.low:g} to {self.high:g}"
        return f", cut at {self.low:g}" if self.low > -math.inf else ""


ANY = Scale()
SCALES = {  # that an own evaluation may declare
    "share": Scale(0.0, 1.0),
    "count": Scale(0.0),
    "yes or no": Scale(0.0, 1.0, verdict=True),
    "points": ANY,
}
DECLARED = re.compile(rf".* \(({'|'.join(SCALES)})\)")


def scale_of(metric: str) -> Scale:
    """The scale of a metric, by its name alone: the same whatever was measured."""
    if said := DECLARED.fullmatch(metric):
        return SCALES[said[1]]
    if VERDICTS.match(metric):
        return Scale(0.0, 1.0, verdict=True)
    if SHARES.match(metric):
        return Scale(0.0, 1.0)
    return Scale(0.0) if COUNTS.match(metric) else ANY


def number_text(value: float, digits: int = 4, signed: bool = False) -> str:
    """The first digits that count, without an exponent, and all digits of a whole part."""
    if not math.isfinite(value):
        return str(value)
    if abs(value) < TINY:
        return "0"
    decimals = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
    text = f"{value:{'+' if signed else ''},.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def interval_text(low: float, high: float, digits: int = 3, signed: bool = False) -> str:
    """Both ends of an interval."""
    return f"{number_text(low, digits, signed)} to {number_text(high, digits, signed)}"


def short_number(value: float, _: object = None) -> str:
    """Format a tick of an axis of games: 100, 10k, 1M."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if abs(value) >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"
