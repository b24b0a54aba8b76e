"""Every number of the hybrid paper's tables held against ours: interval, verdict, reason.

A published mean of 100 runs is itself a sample. So the interval that decides is the one in which
the mean of another 100 runs would lie, 19 times of 20, judged by ours: wider than the interval of
our mean by the factor sqrt(1 + runs / 100), and with few runs wider still (`few_runs`). Why a
number differs is looked up among the readings that were tried (`hybrid_readings`), where their
results are at hand.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from inarow.lab.statistics import Z95, Summary, summary
from inarow.papers.hybrid import (
    GAMES,
    GAMES_METRIC,
    LOST_EXPERT,
    LOST_RANDOM,
    MOST_GAMES,
    PAPER_RUNS,
    STATED,
    STRATEGIES,
    Stated,
)
from inarow.papers.page import list_text
from inarow.papers.results import DIFFERS, MATCHES, NOT_RUN, Results

RARE = 3.69  # with no event seen in n runs, 95% of the time fewer than 3.69 in n are expected

SECONDS_REASON = (
    "another program on another machine: the game is written out as a graph before training, and "
    "a trainer's move is looked up, not searched for"
)


@dataclass(frozen=True)
class Metric:
    """A column of the paper's tables."""

    name: str
    table: int
    stated: str  # the field of `Stated`
    final: str  # the figure of a run; none for the seconds, which come from a measured speed
    digits: int
    most: float = math.inf  # what no run can exceed


METRICS = (
    Metric("training games", 1, "games", GAMES_METRIC, 0, MOST_GAMES),
    Metric("seconds", 1, "seconds", "", 2),
    Metric("perfect runs, %", 2, "perfect", "perfect", 0),
    Metric("lost to random, of 1M", 3, "lost_random", LOST_RANDOM, 1),
    Metric("lost to the expert", 4, "lost_expert", LOST_EXPERT, 2),
)
JUDGED = tuple(metric for metric in METRICS if metric.final)  # what does not hang on the machine
BASE = "as in the tables"  # the reading that all other results are made with


@dataclass(frozen=True)
class Row:
    """A published number with ours beside it."""

    game: str
    strategy: str
    metric: str
    table: int
    published: float
    mean: float | None
    stderr: float | None
    low: float | None
    high: float | None
    runs: int
    verdict: str
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """The row for programs."""
        return asdict(self)


def rows(results: Results) -> list[Row]:
    """Every number of Tables 1 to 4, with ours where it was run."""
    found = {(row["game"], row["strategy"]): row for row in results.rows}
    return [
        _row(game, strategy, metric, found.get((game, strategy)), results)
        for metric in METRICS
        for game in GAMES
        for strategy in STRATEGIES
    ]


def judged_rows(results: Results) -> list[Row]:
    """Those that were run and do not hang on the machine."""
    names = {metric.name for metric in JUDGED}
    return [row for row in rows(results) if row.mean is not None and row.metric in names]


def _row(
    game: str, strategy: str, metric: Metric, cell: dict[str, Any] | None, results: Results
) -> Row:
    published = float(getattr(STATED[game][strategy], metric.stated))
    start = (game, strategy, metric.name, metric.table, published)
    if cell is None:
        return Row(*start, None, None, None, None, 0, NOT_RUN)
    if not metric.final:
        seconds = _seconds(cell, results)
        return Row(*start, seconds, None, None, None, cell["runs"], DIFFERS, SECONDS_REASON)
    found = judge_runs(metric, STATED[game][strategy], cell["finals"][metric.final])
    reason = ""
    if found["verdict"] == DIFFERS:
        tried = results.facts.get("readings", [])
        reason = reason_of(game, strategy, metric, tried)
    return Row(*start, **found, reason=reason)


def judge_runs(metric: Metric, stated: Stated, values: Sequence[float]) -> dict[str, Any]:
    """Mean, standard error, the interval that decides, and the verdict."""
    published, share = getattr(stated, metric.stated), metric.final == "perfect"
    event = 1.0
    if metric.final == LOST_RANDOM and stated.perfect < 100:
        event = stated.lost_random / (1 - stated.perfect / 100)  # lost in a run that is not perfect
    mean, stderr, low, high = interval(np.array(values), share, event)
    high = max(mean, min(high, metric.most))
    verdict = MATCHES if low <= published <= high else DIFFERS
    return {
        "mean": mean,
        "stderr": stderr,
        "low": low,
        "high": high,
        "runs": len(values),
        "verdict": verdict,
    }


def interval(
    values: Any, share: bool = False, event: float = 1.0
) -> tuple[float, float, float, float]:
    """Mean, standard error, and where the mean of the paper's 100 runs would lie.

    `event` is what a run counts in which something rare happens: where all values are zero they
    do not say it.
    """
    runs, mean = len(values), float(np.mean(values))
    stderr = float(np.std(values, ddof=1) / math.sqrt(runs)) if runs > 1 else 0.0
    together = 1 / (1 / runs + 1 / PAPER_RUNS)  # runs that are worth as much as the two samples
    if share:
        return mean, stderr, *like_shares(round(mean / 100 * runs), runs)
    if not values.any():
        return mean, stderr, 0.0, event * RARE / together
    found, wider = _summary(tuple(values)), math.sqrt(1 + runs / PAPER_RUNS) * few_runs(runs)
    return (
        mean,
        stderr,
        max(0.0, mean - (mean - found.low) * wider),
        mean + (found.high - mean) * wider,
    )


@lru_cache(maxsize=512)
def like_shares(successes: int, runs: int) -> tuple[float, float]:
    """The shares of the paper's 100 runs, in per cent, that Fisher's exact test lets pass at 5%."""
    from scipy.stats import fisher_exact

    ours = [successes, runs - successes]
    passing = [
        theirs
        for theirs in range(PAPER_RUNS + 1)
        if fisher_exact([ours, [theirs, PAPER_RUNS - theirs]]).pvalue > 0.05
    ]
    return 100 * passing[0] / PAPER_RUNS, 100 * passing[-1] / PAPER_RUNS


@lru_cache(maxsize=4096)
def _summary(values: tuple[float, ...]) -> Summary:
    """Tables, notes and pages ask for the same runs again, and resampling takes its time."""
    return summary(values)


def few_runs(runs: int) -> float:
    """How much too narrow a bootstrap interval of so few runs is.

    It takes the spread of the sample for the true one, and the normal for Student's distribution.
    """
    from scipy.stats import t

    return float(t.ppf(0.975, runs - 1)) / Z95 * math.sqrt(runs / (runs - 1)) if runs > 1 else 1.0


def _seconds(cell: dict[str, Any], results: Results) -> float:
    """CPU seconds of training a mean run, from the speed measured on one core."""
    speed: float = results.facts["speeds"][cell["game"]][cell["strategy"]]
    return float(np.mean(cell["finals"][GAMES_METRIC])) / speed


def reason_of(game: str, strategy: str, metric: Metric, tried: Sequence[Mapping[str, Any]]) -> str:
    """What the readings tried say of a number that differs.

    A reading explains it if its interval covers the number, and its mean is nearer to it than
    the base's, by more than chance: else it covers it only because it has fewer runs.
    """
    here = [row for row in tried if row["game"] == game]
    same = {
        row["reading"]: row
        for row in here
        if (row["strategy"], row["metric"]) == (strategy, metric.name)
    }
    base = same.pop(BASE, None)
    if base is None or not same:
        return "no other reading was tried: `inarow reproduce hybrid --part readings` does so"

    def said(row: Mapping[str, Any]) -> str:
        return f"“{row['reading']}” ({plus_minus(row, metric.digits)})"

    number = f"the {len(same)} other readings tried, {base['runs']} runs each"
    matching = matching_numbers(here)
    explaining = sorted(
        (row for row in same.values() if row["verdict"] == MATCHES and is_nearer(row, base)),
        key=lambda row: -matching[row["reading"]][0],
    )
    if not explaining:
        nearest = min(same.values(), key=lambda row: abs(row["mean"] - row["published"]))
        return (
            f"none of {number}, moves it there by more than chance; the nearest is "
            f"{said(nearest)}, where the base has {plus_minus(base, metric.digits)}"
        )
    best = explaining[0]["reading"]
    (theirs, numbers), (ours, _) = matching[best], matching[BASE]
    return (
        f"of {number}, {list_text([said(row) for row in explaining[:3]])} would explain it, where "
        f"the base has {plus_minus(base, metric.digits)}; {'but' if theirs < ours else 'and'} of "
        f"all {numbers} numbers of this game “{best}” matches {theirs}, the base {ours}"
    )


def is_nearer(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether a mean is nearer to the published one than another, by more than chance."""
    away, other_away = (abs(row["mean"] - row["published"]) for row in (one, other))
    error = math.hypot(one["stderr"], other["stderr"])
    return bool(away < other_away and abs(one["mean"] - other["mean"]) > Z95 * error)


def matching_numbers(tried: Iterable[Mapping[str, Any]]) -> dict[str, tuple[int, int]]:
    """For each reading, how many of the numbers match, of how many.

    Where a reading cannot matter for a trainer it was not run with it: then the base counts.
    """
    verdicts: dict[str, dict[tuple[str, str, str], str]] = {}
    for row in tried:
        place = (row["game"], row["strategy"], row["metric"])
        verdicts.setdefault(row["reading"], {})[place] = row["verdict"]
    base = verdicts.get(BASE, {})
    whole = {reading: {**base, **found} for reading, found in verdicts.items()}
    return {
        reading: (sum(verdict == MATCHES for verdict in found.values()), len(found))
        for reading, found in whole.items()
    }


def plus_minus(row: Mapping[str, Any], digits: int) -> str:
    """Mean and standard error."""
    return f"{row['mean']:,.{digits}f} ± {row['stderr']:,.{digits}f}"
