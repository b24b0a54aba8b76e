"""Every figure of the cube paper's tables held against ours, in two ways.

*Within two deviations*: the published mean is no farther from ours than two published standard
deviations. *Interval*: Welch's t-test, from our trials and from the published mean and deviation
of ten, does not tell the two apart at 5%. The second is the stricter one: with ten trials each it
allows about one deviation. Figures of shorter trials than the paper's are not judged.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from inarow.lab.statistics import Summary, summary
from inarow.papers.cube import (
    MEASURES,
    PAPER_TRIALS,
    PUBLISHED,
    TABLE_I,
    WAYS,
    Win,
)
from inarow.papers.cube_readings import BASE
from inarow.papers.page import list_text
from inarow.papers.results import DIFFERS, MATCHES, NOT_RUN, Results

WITHIN, OUTSIDE = "within", "outside"
LEVEL = 0.05
TABLES = dict(zip(WAYS, ("II", "III"), strict=True))


@dataclass(frozen=True)
class Row:
    """A published figure with ours beside it, in per cent of games won."""

    way: str
    network: str
    measure: str
    table: str
    published: float
    published_deviation: float
    mean: float
    deviation: float
    low: float  # of the 95% interval of our mean
    high: float
    trials: int
    two_deviations: str
    verdict: str
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """The row for programs."""
        return asdict(self)


def rows(results: Results) -> list[Row]:
    """Every figure of Tables II and III."""
    found = {(row["way"], row["network"]): row for row in results.rows}
    return [
        _row(way, network, place, found[way, network], results)
        for way in WAYS
        for place in range(len(MEASURES))
        for network in TABLE_I
    ]


def _row(way: str, network: str, place: int, cell: Mapping[str, Any], results: Results) -> Row:
    measure, stated = MEASURES[place], PUBLISHED[way][network][place]
    found = judge_trials(stated, cell[measure], is_whole(results))
    reason = ""
    if found["verdict"] == DIFFERS:
        reason = reason_of(way, network, measure, results.facts.get("readings", []))
    start = (way, network, measure, TABLES[way], stated.mean, stated.deviation)
    return Row(*start, **found, reason=reason)


def is_whole(results: Results) -> bool:
    """Whether trials were as long as the paper's."""
    return results.scale == "paper"


def judge_trials(stated: Win, values: Sequence[float], whole: bool = True) -> dict[str, Any]:
    """Ours, and both verdicts."""
    ours, deviation = _summary(tuple(values)), spread(values)
    within = WITHIN if abs(ours.mean - stated.mean) <= 2 * stated.deviation else OUTSIDE
    agrees = MATCHES if likeness(stated, values) > LEVEL else DIFFERS
    return {
        "mean": ours.mean,
        "deviation": deviation,
        "low": ours.low,
        "high": ours.high,
        "trials": len(values),
        "two_deviations": within if whole else NOT_RUN,
        "verdict": agrees if whole else NOT_RUN,
    }


@lru_cache(maxsize=4096)
def _summary(values: tuple[float, ...]) -> Summary:
    """Tables, notes and pages ask for the same trials again, and resampling takes its time."""
    return summary(values)


def spread(values: Sequence[float]) -> float:
    """The standard deviation over the trials; 0 for one."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def likeness(stated: Win, values: Sequence[float]) -> float:
    """The p-value of Welch's test; a single trial is taken to spread as the paper's do."""
    from scipy.stats import t, ttest_ind_from_stats

    mean, deviation, trials = float(np.mean(values)), spread(values), len(values)
    if trials == 1:
        away = abs(mean - stated.mean) / (stated.deviation * math.sqrt(1 + 1 / PAPER_TRIALS))
        return 2 * float(t.sf(away, PAPER_TRIALS - 1))
    found = ttest_ind_from_stats(
        mean, deviation, trials, stated.mean, stated.deviation, PAPER_TRIALS, equal_var=False
    )
    return float(found.pvalue)


def counts(judged: Sequence[Any]) -> tuple[int, int]:
    """How many rows are within two deviations, and how many match; rows as objects."""
    return (
        sum(row.two_deviations == WITHIN for row in judged),
        sum(row.verdict == MATCHES for row in judged),
    )


# Readings


def judged_readings(readings: Results) -> list[dict[str, Any]]:
    """Each figure under each reading, with ours beside it."""
    return [
        {
            "reading": row["reading"],
            "way": row["way"],
            "network": row["network"],
            "measure": measure,
            "published": PUBLISHED[row["way"]][row["network"]][place].mean,
            "published_deviation": PUBLISHED[row["way"]][row["network"]][place].deviation,
            **judge_trials(
                PUBLISHED[row["way"]][row["network"]][place], row[measure], is_whole(readings)
            ),
        }
        for row in readings.rows
        for place, measure in enumerate(MEASURES)
    ]


def with_readings(results: Results, readings: Results | None) -> Results:
    """The base's results, with what other readings gave: reasons are found there."""
    if readings is None or not is_whole(readings):
        return results
    return replace(results, facts={**results.facts, "readings": judged_readings(readings)})


def reason_of(way: str, network: str, measure: str, tried: Sequence[Mapping[str, Any]]) -> str:
    """What the readings tried say of a figure that differs.

    A reading explains it if it matches, and differs from the base by more than chance.
    """
    here = {
        row["reading"]: row
        for row in tried
        if (row["way"], row["network"], row["measure"]) == (way, network, measure)
    }
    base = here.pop(BASE, None)
    if base is None or not here:
        return "no other reading was tried for it"

    def said(row: Mapping[str, Any]) -> str:
        return f"“{row['reading']}” ({plus_minus(row)})"

    number = f"{len(here)} other readings, {base['trials']} trials each"
    explaining = [
        row for row in here.values() if row["verdict"] == MATCHES and are_apart(row, base)
    ]
    if explaining:
        explaining.sort(key=lambda row: abs(row["mean"] - row["published"]))
        return (
            f"of {number}, {list_text([said(row) for row in explaining[:3]])} would explain it, "
            f"where the base has {plus_minus(base)}"
        )
    nearest = min(here.values(), key=lambda row: abs(row["mean"] - row["published"]))
    return (
        f"none of {number}, brings it there by more than chance; the nearest is {said(nearest)}, "
        f"where the base has {plus_minus(base)}"
    )


def are_apart(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two readings differ by more than chance (Welch's test, 5%)."""
    from scipy.stats import ttest_ind_from_stats

    if one["mean"] == other["mean"]:
        return False
    if not one["deviation"] and not other["deviation"]:
        return bool(one["trials"] > 1)
    found = ttest_ind_from_stats(
        one["mean"], one["deviation"], one["trials"],
        other["mean"], other["deviation"], other["trials"], equal_var=False,
    )  # fmt: skip
    return bool(found.pvalue < LEVEL)


def plus_minus(row: Mapping[str, Any]) -> str:
    """Mean and deviation."""
    return f"{row['mean']:.1f} ± {row['deviation']:.1f}"
