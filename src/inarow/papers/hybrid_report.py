"""The hybrid paper's tables with ours beside them, what is proven, and what to say of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inarow.papers.hybrid import (
    GAMES,
    GAMES_METRIC,
    LOST_EXPERT,
    LOST_RANDOM,
    MOST_GAMES,
    PAPER_RUNS,
    WINDOW,
)
from inarow.papers.hybrid_verdicts import JUDGED, METRICS, Row, judged_rows, rows
from inarow.papers.page import Table
from inarow.papers.results import DIFFERS, MATCHES, Results


def tables(results: Results) -> list[Table]:
    """Tables 1 to 4 with ours beside them, and what is proven: for each game that was run."""
    played = {row["game"] for row in results.rows}
    return [
        table
        for game in GAMES
        if game in played
        for table in (*game_tables(results, game), exact_table(results, game))
    ]


def game_tables(results: Results, game: str) -> list[Table]:
    """A table for each of the published ones."""
    found = [row for row in rows(results) if row.game == game]
    return [
        Table(
            ("trainer", "paper", "ours", "95%", "verdict"),
            tuple(
                (
                    row.strategy,
                    number(row.published, metric.digits),
                    number(row.mean, metric.digits),
                    range_text(row, metric.digits),
                    row.verdict,
                )
                for row in found
                if row.metric == metric.name
            ),
            f"{GAMES[game]}, Table {metric.table}: {metric.name}",
            (0, 4),
        )
        for metric in METRICS
    ]


def number(value: float | None, digits: int) -> str:
    """With thousands apart."""
    return "" if value is None else f"{value:,.{digits}f}"


def range_text(row: Row, digits: int) -> str:
    """The interval that decides."""
    if row.low is None or row.high is None:
        return ""
    return f"{row.low:,.{digits}f}-{row.high:,.{digits}f}"


@dataclass(frozen=True)
class Exactly:
    """What the sampled tests cannot see of a cell's runs."""

    runs: int
    perfect: int  # lost no game of the test
    unbeatable: int  # proven
    early: int  # stopped before the last game
    early_beatable: int
    unseen: int  # can be beaten, and lost no game to the expert
    sampled: float  # of a million games against the random player, lost in the test
    expected: float  # and lost on average, computed

    @property
    def beatable(self) -> int:
        """How many can be beaten."""
        return self.runs - self.unbeatable


def exactly(row: Mapping[str, Any]) -> Exactly:
    """Counted over the runs of a cell."""
    finals = {name: np.array(values) for name, values in row["finals"].items()}
    proven, early = finals["unbeatable as second"] > 0, finals[GAMES_METRIC] < MOST_GAMES
    return Exactly(
        len(proven),
        int((finals["perfect"] > 0).sum()),
        int(proven.sum()),
        int(early.sum()),
        int((early & ~proven).sum()),
        int((~proven & (finals[LOST_EXPERT] == 0)).sum()),
        float(finals[LOST_RANDOM].mean()),
        1e6 * float(finals["chance lost as second against random"].mean()),
    )


def exact_table(results: Results, game: str) -> Table:
    """What the sampled tests say beside what is proven of the same agents."""
    lines = []
    for row in results.rows:
        if row["game"] != game:
            continue
        found = exactly(row)
        lines.append(
            (
                row["strategy"], f"{found.perfect}/{found.runs}",
                f"{found.unbeatable}/{found.runs}", number(found.sampled, 1),
                number(found.expected, 1), f"{found.early_beatable}/{found.early}",
                f"{found.unseen}/{found.beatable}",
            )
        )  # fmt: skip
    return Table(
        ("trainer", "perfect", "unbeatable", "lost", "exactly", "early", "unseen"),
        tuple(lines),
        f"{GAMES[game]}: sampled tests and exact answers",
    )


def crossing(
    cells: Mapping[str, Mapping[str, Any]], window: int = WINDOW, below: str = "attack-defense"
) -> int | None:
    """After how many games one trainer's losses in a window first are fewer than random's.

    Before the window is full, all games so far count.
    """
    curves = [cells[strategy]["curve"] for strategy in (below, "random")]
    games = np.array(curves[0]["games"])
    before = np.searchsorted(games, games - window, side="right")
    ours, theirs = (
        lost - np.concatenate([[0.0], lost])[before]
        for lost in (np.array(curve["lost"]) for curve in curves)
    )
    fewer = np.flatnonzero(ours < theirs)
    return int(games[fewer[0]]) if len(fewer) else None


EXACT_WORDS = (
    "perfect: no test game lost; unbeatable: proven, no line of play beats it; lost, exactly: of a "
    "million games against random, sampled and computed; early: can still be beaten, of the runs "
    "that stopped early; unseen: lost no game to the expert, of those that can be beaten."
)


def notes(results: Results) -> list[str]:
    """What to say below the tables."""
    judged = judged_rows(results)
    said = [EXACT_WORDS, match_words(judged)]
    fewest = min(row.runs for row in judged)
    if fewest < PAPER_RUNS / 5:
        said.append(
            f"With {fewest} runs a verdict says little: the paper's {PAPER_RUNS} are "
            "`--scale paper`."
        )
    for row in judged:
        if row.verdict == DIFFERS:
            digits = next(metric.digits for metric in JUDGED if metric.name == row.metric)
            said.append(
                f"{GAMES[row.game]}, {row.strategy}, {row.metric}: {number(row.mean, digits)} "
                f"where the paper has {number(row.published, digits)}: {row.reason}."
            )
    return said


def match_words(judged: Sequence[Row]) -> str:
    """How many numbers match, and how many would not by chance alone."""
    matching = sum(row.verdict == MATCHES for row in judged)
    return (
        f"{matching} of {len(judged)} published numbers lie where the mean of another "
        f"{PAPER_RUNS} runs would, judged by ours. If all were made alike, up to "
        f"{0.05 * len(judged):.0f} would be expected outside by chance."
    )
