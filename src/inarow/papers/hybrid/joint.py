"""Which combination of what the hybrid paper leaves open fits Connect-4 on 4x4 best.

Every combination was run with every trainer. It is ranked by the likelihood of the paper's 24
numbers (four tables, six trainers) if the paper's runs were like these: normal for means, and with
the uncertainty of both studies. So a combination that fits some numbers and misses others by far
does not win.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from inarow.papers.hybrid.claims import SAMPLED
from inarow.papers.hybrid.study import (
    BASE_CORNER,
    CONNECT4,
    CORNERS,
    RUNS,
    TICTACTOE,
    TRAINERS,
)
from inarow.papers.measures import Data, ResultRow
from inarow.papers.tables import Table

# By entry: the measure of a row, and what one run that is not like the others differs by.
MEASURES = {
    "table-1-games": ("games", 10_000.0),
    "table-2": ("perfect", 100.0),
    "table-3": ("lost against random", 1.0),
    "table-4": ("lost against expert", 1.0),
}
SCREEN, BEST = "joint", "joint-best"  # parts
SHOWN = 10
FAR = 2.0  # a number is missed if it is so many standard errors away


class Fit(NamedTuple):
    """How well a combination fits."""

    corner: str
    likelihood: float  # its logarithm
    missed: int  # numbers that are more than `FAR` standard errors away
    numbers: int
    runs: int  # the fewest of a trainer


def spread_of(error: float, runs: int, step: float) -> float:
    """Return the standard deviation of a difference between a mean of the paper and ours.

    Where few runs differ from the rest, or none, their spread may be too small by chance: one more
    run that differs by `step` is included.
    """
    deviation = math.sqrt(error**2 * runs + step**2 / (runs + 1))
    return deviation * math.sqrt(1 / RUNS + 1 / runs)


def fit(corner: str, rows: Sequence[ResultRow], game: str = CONNECT4) -> Fit:
    """Return the fit of a combination to the numbers of a game, given its row for each trainer."""
    likelihood, missed, numbers = 0.0, 0, 0
    for column in SAMPLED:
        measure, step = MEASURES[column.entry.name]
        for row in rows:
            mean, error = row[measure]
            published = column.entry.numbers[game][row["trainer"]]
            spread = spread_of(error, row["runs"], step)
            away = (published - mean) / spread
            likelihood -= away**2 / 2 + math.log(spread * math.sqrt(2 * math.pi))
            missed += abs(away) > FAR
            numbers += 1
    return Fit(corner, likelihood, missed, numbers, min(row["runs"] for row in rows))


def fits(data: Data, part: str = SCREEN, game: str = CONNECT4) -> list[Fit]:
    """Return the fits of all combinations that were run with every trainer, the best first."""
    by_corner: dict[str, list[ResultRow]] = {}
    for row in data.rows(part=part, game=game):
        if row["runs"] > 1:
            by_corner.setdefault(row["corner"], []).append(row)
    found = [fit(c, rows, game) for c, rows in by_corner.items() if len(rows) == len(TRAINERS)]
    return sorted(found, key=lambda one: -one.likelihood)


def best_corners(data: Data) -> list[str]:
    """Return the names of the combinations that fit best in the screen: for `joint-best`."""
    return [one.corner for one in fits(data)[:SHOWN]]


def missed_text(one: Fit | None) -> str:
    """Return how many numbers a combination misses; nothing if it was not run."""
    return "" if one is None else f"{one.missed} of {one.numbers}"


def joint_table(data: Data, base: str = BASE_CORNER) -> Table | None:
    """List the combinations of the screen that fit best, and the base."""
    found = fits(data)
    if not found:
        return None
    ranked = {one.corner: (place, one) for place, one in enumerate(found, start=1)}
    shown = list(ranked.values())[:SHOWN]
    if base in ranked and ranked[base] not in shown:
        shown.append(ranked[base])
    lines = tuple(
        (
            str(place),
            f"{one.corner}{' (base)' if one.corner == base else ''}",
            f"{one.likelihood - found[0].likelihood:.1f}",
            missed_text(one),
            str(one.runs),
        )
        for place, one in shown
    )
    heads = ("rank", "combination", "log-likelihood", "missed", "runs")
    every = math.prod(map(len, CORNERS.values()))
    some = f"{len(found)} combinations" + (f", of {every}" if len(found) < every else "")
    return Table(heads, lines, f"Connect-4 on 4x4: the best of {some}", (1,))


def best_table(data: Data, base: str = BASE_CORNER) -> Table | None:
    """List the combinations that were run at length, with what each misses in both games."""
    found = fits(data, BEST)
    held = {one.corner: one for one in fits(data, BEST, TICTACTOE)}
    lines = tuple(
        (
            f"{one.corner}{' (base)' if one.corner == base else ''}",
            f"{one.likelihood - found[0].likelihood:.1f}",
            missed_text(one),
            missed_text(held.get(one.corner)),
            str(one.runs),
        )
        for one in found
    )
    heads = (
        "combination",
        "log-likelihood",
        "missed in Connect-4",
        "missed in tic-tac-toe",
        "runs",
    )
    return Table(heads, lines, "The best combinations in both games") if lines else None


def counts(data: Data) -> dict[str, int]:
    """Return for the page: combinations, those that were run, and the fewest numbers missed."""
    found = fits(data)
    return {
        "all": math.prod(map(len, CORNERS.values())),
        "run": len(found),
        "runs": min((one.runs for one in found), default=0),
        "missed": min((one.missed for one in found), default=0),
        "numbers": found[0].numbers if found else 0,
    }
