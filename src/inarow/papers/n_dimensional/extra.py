"""What only the n-dimensional paper needs: measures of its two studies, the best that can be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from inarow.papers.measures import (
    Data,
    Measure,
    Measured,
    computed,
    curve_at,
    exactly,
    from_count,
    from_summary,
    from_values,
)
from inarow.papers.n_dimensional import exact
from inarow.papers.n_dimensional.runs import BASE, EPISODES, POLICY, SPEED, VARIANTS
from inarow.papers.plots import Point, Points
from inarow.papers.speed import SPEED as RATE
from inarow.papers.tables import Table


def of_row(number: Callable[[dict[str, Any]], Measured | None], **bound: Any) -> Measure:
    """A number of a row of results."""

    def measure(data: Data, **labels: Any) -> Measured | None:
        row = data.row(**{**bound, **labels})
        return None if row is None else number(row)

    return measure


# SARSA: a row for each number of episodes


def share(metric: str, **bound: Any) -> Measure:
    """Per cent of games, as of `won as first against advanced`, computed exactly for each run."""

    def number(row: dict[str, Any]) -> Measured:
        mean, error = row["shares"][metric][:2]
        return from_summary(mean, error, row["runs"]).times(100)

    return of_row(number, **{"variant": BASE, **bound})


def runs_that(kind: str, seat: str, **bound: Any) -> Measure:
    """Per cent of runs of which something is certain."""
    return of_row(
        lambda row: from_count(row["certain"][kind][seat], row["runs"]),
        **{"variant": BASE, **bound},
    )


def most(metric: str, **bound: Any) -> Measure:
    """The highest share of all numbers of episodes."""

    def measure(data: Data, **labels: Any) -> Measured | None:
        found = (share(metric, **bound)(data, episodes=n, **labels) for n in EPISODES)
        return max(found, key=lambda one: one.mean if one else -math.inf)

    return measure


def over_episodes(measure: Measure, **labels: Any) -> Points:
    """The points of a curve, with the intervals of the measure."""

    def points(data: Data) -> list[Point]:
        found = [(n, measure(data, episodes=n, **labels)) for n in EPISODES]
        return [(n, one.mean, one.low, one.high) for n, one in found if one is not None]

    return points


# The policy gradient: a row for each learner


def policy(path: str, games: int, game: str, variant: str) -> Measure:
    """Per cent of games (`shares.advanced.won`) or lines ahead (`lines.advanced`)."""
    return curve_at(path, games, part=POLICY, game=game, variant=variant)


def by_games(path: str) -> Measure:
    """The same with the number of games as a label; without it, after the last game."""

    def measure(data: Data, games: int = 0, **labels: Any) -> Measured | None:
        row = data.row(part=POLICY, **labels)
        if row is None or not row[path.partition(".")[0]]:  # no lines are counted in 2-D
            return None
        return curve_at(path, games or row["games"][-1], part=POLICY)(data, **labels)

    return measure


games_played = of_row(lambda row: exactly(row["games"][-1]), part=POLICY)


def seconds(games: float, **bound: Any) -> Measure:
    """CPU-seconds of so many games of training, at the speed measured on one core."""
    return of_row(
        lambda row: exactly(games / from_values(row["finals"][RATE]).mean), part=SPEED, **bound
    )


def baseline(what: str, opponent: str, **bound: Any) -> Measure:
    """What a player that learned nothing does: `won` in per cent, or `lines` ahead."""

    def measure(data: Data, **labels: Any) -> Measured | None:
        wanted = {**bound, **labels, "opponent": opponent}
        for row in data.fact("baselines", part=POLICY) or ():
            if wanted.items() <= row.items() and row[what] is not None:
                return exactly(row[what])
        return None

    return measure


# The best that can be, tables, and what the prose asks for

most_wins = computed(lambda: exact.most_wins(exact.PLAIN, "random")["both"])


def best(opponent: str, seat: str, end: str) -> Measure:
    """Per cent of games that end so, if play is best by the paper's rewards."""
    return computed(lambda: exact.best_by_rewards(opponent, seat)[end])


def ceiling_table(data: Data, rows: Any) -> Table | None:
    """The best that can be, in fractions."""
    lines = tuple(
        (*labels, *best.values(), *(f"{exact.per_cent(best[e]):.1f}" for e in ("won", "lost")))
        for (board, *labels), best in exact.ceilings().items()
        if board == exact.PLAIN
    )
    heads = ("against", "as", "aim", *exact.ENDS, "won, %", "lost, %")
    title = "The best that can be, by dynamic programming"
    return Table(heads, lines, title, (0, 1, 2)) if data.parts or rows else None


def variant_table(data: Data, rows: Any) -> Table | None:
    """What each is."""
    return VARIANTS.table() if data.parts or rows else None


def interval_text(measured: Measured) -> str:
    """As in 73.4 (70.1-76.5): a share, which cannot leave 0 to 100."""
    low, high = measured.low, measured.high
    between = "" if low is None or high is None else f" ({max(low, 0):.1f}-{min(high, 100):.1f})"
    return f"{measured.mean:.1f}{between}"


def mean(found: Measured | None) -> float:
    """For a sentence, and for a level line."""
    return math.nan if found is None else found.mean


LAST = {"episodes": EPISODES[-1]}
VALUES = {
    "exact": lambda _: exact,
    "episodes": lambda _: EPISODES,
    "share": lambda data: lambda metric, **at: mean(share(metric, **LAST)(data, **at)),
    "runs_that": lambda data: lambda kind, **at: mean(runs_that(kind, "first", **LAST)(data, **at)),
    "policy": lambda data: lambda *at: mean(policy(*at)(data)),
    "seconds": lambda data: lambda games, **at: mean(seconds(games)(data, **at)),
}
