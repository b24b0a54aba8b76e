"""The hybrid paper's tables held against ours: rows with intervals, verdicts and reasons.

A published mean of 100 runs is itself a sample. So the interval that decides is the one in which
the mean of another 100 runs would lie, 19 times of 20, judged by ours: wider than the interval of
our mean by the factor sqrt(1 + runs / 100).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from inarow.lab.statistics import summary, wilson
from inarow.papers.hybrid import (
    GAMES,
    GAMES_METRIC,
    LOST_EXPERT,
    LOST_RANDOM,
    PAPER_RUNS,
    STATED,
    STRATEGIES,
    Stated,
)
from inarow.papers.page import Table
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
    final: str  # the figure of a run
    digits: int


METRICS = (
    Metric("training games", 1, "games", GAMES_METRIC, 0),
    Metric("seconds of training", 1, "seconds", "", 2),
    Metric("perfect runs, %", 2, "perfect", "perfect", 0),
    Metric("lost to random, of 1M", 3, "lost_random", LOST_RANDOM, 1),
    Metric("lost to the expert", 4, "lost_expert", LOST_EXPERT, 2),
)


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
    values = np.array(cell["finals"][metric.final])
    mean, stderr, low, high = interval(values, share=metric.final == "perfect")
    verdict = MATCHES if low <= published <= high else DIFFERS
    reason = reasons(results).get((game, strategy, metric.name), "") if verdict == DIFFERS else ""
    return Row(*start, mean, stderr, low, high, len(values), verdict, reason)


def interval(values: Any, share: bool = False) -> tuple[float, float, float, float]:
    """Mean, standard error, and where the mean of the paper's 100 runs would lie."""
    runs, mean = len(values), float(np.mean(values))
    stderr = float(np.std(values, ddof=1) / math.sqrt(runs)) if runs > 1 else 0.0
    together = 1 / (1 / runs + 1 / PAPER_RUNS)  # runs that are worth as much as the two samples
    if share:
        low, high = wilson(mean / 100 * together, together)
        return mean, stderr, 100 * low, 100 * high
    if not values.any():
        return mean, stderr, 0.0, RARE / together
    found, wider = summary(values), math.sqrt(1 + runs / PAPER_RUNS)
    return (
        mean,
        stderr,
        max(0.0, mean - (mean - found.low) * wider),
        mean + (found.high - mean) * wider,
    )


def _seconds(cell: dict[str, Any], results: Results) -> float:
    """CPU seconds of training a mean run, from the speed measured on one core."""
    speed: float = results.facts["speeds"][cell["game"]][cell["strategy"]]
    return float(np.mean(cell["finals"][GAMES_METRIC])) / speed


def reasons(results: Results) -> dict[tuple[str, str, str], str]:
    """What the study of readings found about numbers that differ."""
    found: dict[str, str] = results.facts.get("reasons", {})
    return {tuple(key.split("|")): text for key, text in found.items()}  # type: ignore[misc]


def tables(results: Results) -> list[Table]:
    """Tables 1 to 4 with ours beside them, a table for each game that was run."""
    played = {row["game"] for row in results.rows}
    return [_game_table(results, game) for game in GAMES if game in played]


def _game_table(results: Results, game: str) -> Table:
    by_key = {(row.strategy, row.metric): row for row in rows(results) if row.game == game}
    runs = next(row["runs"] for row in results.rows if row["game"] == game)
    lines = []
    for strategy in STRATEGIES:
        for metric in METRICS:
            row = by_key[strategy, metric.name]
            lines.append(
                (
                    strategy if metric is METRICS[0] else "",
                    metric.name,
                    number(row.published, metric.digits),
                    number(row.mean, metric.digits),
                    range_text(row, metric.digits),
                    row.verdict,
                )
            )
    return Table(
        ("trainer", "", "paper", "ours", "95%", "verdict"),
        tuple(lines),
        f"{GAMES[game]}: {runs} runs of each trainer",
        (0, 1, 5),
    )


def number(value: float | None, digits: int) -> str:
    """With thousands apart."""
    return "" if value is None else f"{value:,.{digits}f}"


def range_text(row: Row, digits: int) -> str:
    """The interval that decides."""
    if row.low is None or row.high is None:
        return ""
    return f"{row.low:,.{digits}f}-{row.high:,.{digits}f}"


def exact_table(results: Results) -> Table:
    """What the sampled tests say beside what is proven of the same agents."""
    lines = []
    for row in results.rows:
        finals = row["finals"]
        sampled = np.array(finals["perfect"]) > 0
        proven = np.array(finals["unbeatable as second"]) > 0
        early = np.array(finals[GAMES_METRIC]) < 2_000_000
        lines.append(
            (
                GAMES[row["game"]],
                row["strategy"],
                f"{100 * sampled.mean():.0f}%",
                f"{100 * proven.mean():.0f}%",
                f"{np.mean(finals[LOST_RANDOM]):,.1f}",
                f"{1e6 * np.mean(finals['chance lost as second against random']):,.1f}",
                f"{int((early & ~proven).sum())} of {int(early.sum())}",
                f"{int((~proven & (np.array(finals[LOST_EXPERT]) == 0)).sum())} of "
                f"{int((~proven).sum())}",
            )
        )
    return Table(
        (
            "game", "trainer", "perfect in the test", "unbeatable, proven", "lost of 1M",
            "exactly", "stopped early, beatable", "beatable, no loss to the expert",
        ),
        tuple(lines),
        "Sampled and exact",
        (0, 1),
    )  # fmt: skip


def notes(results: Results) -> list[str]:
    """What to say below the tables."""
    judged = [
        row for row in rows(results) if row.mean is not None and row.metric != METRICS[1].name
    ]
    matching = sum(row.verdict == MATCHES for row in judged)
    said = [
        f"{matching} of {len(judged)} published numbers lie where the mean of another "
        f"{PAPER_RUNS} runs would, judged by ours."
    ]
    differing = [row for row in judged if row.verdict == DIFFERS]
    for row in differing:
        why = f": {row.reason}" if row.reason else ""
        said.append(
            f"{GAMES[row.game]}, {row.strategy}, {row.metric}: {number(row.mean, 1)} where the "
            f"paper has {number(row.published, 1)}{why}"
        )
    return said


def published_rows() -> Sequence[tuple[str, str, Stated]]:
    """All that the paper's tables state."""
    return [(game, name, stated) for game in GAMES for name, stated in STATED[game].items()]
