"""What only the n-dimensional paper needs: measures of its two studies, the best that can be."""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from statistics import fmean

from inarow.lab.speed import SPEED as RATE
from inarow.papers import measures
from inarow.papers.measures import (
    Data,
    Label,
    Measure,
    Measured,
    computed,
    exactly,
    from_count,
    of_row,
)
from inarow.papers.n_dimensional import exact
from inarow.papers.n_dimensional.runs import (
    ALPHAS,
    BASE,
    EPISODES,
    EPSILONS,
    FIRST_MOVES,
    PAPERS,
    POLICY,
    POLICY_VARIANTS,
    SEARCH,
    SEARCH_EPISODES,
    SPEED,
    VARIED,
)
from inarow.papers.n_dimensional.shares import NEVER_LOSES
from inarow.papers.plots import Point, Points
from inarow.papers.results import Stored
from inarow.papers.tables import Table

# SARSA: a row for each number of episodes


def share(metric: str, **bound: Label) -> Measure:
    """Per cent of games, as of `won as first against advanced`, computed exactly for each run."""

    def number(row: Stored) -> Measured:
        mean, error = row["shares"][metric][:2]
        return measures.from_summary(mean, error, row["runs"]).times(100)

    return of_row(number, **{"variant": BASE, **bound})


def runs_that(kind: str, side: str, **bound: Label) -> Measure:
    """Per cent of runs of which something is certain."""
    labels = {"variant": BASE, **bound}
    return of_row(lambda row: from_count(row["certain"][kind][side], row["runs"]), **labels)


in_grid = of_row(
    lambda row: from_count(row["certain"][NEVER_LOSES]["first"], row["runs"]), part=SEARCH
)


def search_result(data: Data, episodes: int) -> Stored | None:
    """How the paper's alpha and epsilon come out of the grid: their place, and the best."""
    pairs = list(product(ALPHAS, EPSILONS))
    found = {
        pair: in_grid(data, alpha=pair[0], epsilon=pair[1], episodes=episodes) for pair in pairs
    }
    shares = {pair: measured.mean for pair, measured in found.items() if measured}
    if len(shares) < len(pairs):
        return None
    ranked = sorted(shares, key=lambda pair: -shares[pair])
    best, paper = ranked[0], shares[PAPERS]
    return {
        "better": sum(share > paper for share in shares.values()), "of": len(shares) - 1,
        "paper": paper, "alpha": best[0], "epsilon": best[1], "best": shares[best],
    }  # fmt: skip


def over_episodes(measure: Measure, **labels: Label) -> Points:
    """The points of a curve, with the intervals of the measure."""

    def points(data: Data) -> list[Point]:
        found = [(n, measure(data, episodes=n, **labels)) for n in EPISODES]
        return [(n, one.mean, one.low, one.high) for n, one in found if one is not None]

    return points


# The policy gradient: a row for each learner


def policy(path: str, games: int, game: str, variant: str) -> Measure:
    """Per cent of games (`shares.advanced.won`) or lines ahead (`lines.advanced`)."""
    return measures.curve_at(path, games, part=POLICY, game=game, variant=variant)


def at_end(path: str) -> Measure:
    """The same after the last game."""

    def last(row: Stored) -> Measured | None:
        if not row[path.partition(".")[0]]:  # no lines are counted in 2-D
            return None
        mean, error = measures.at_path(row, path)[-1][:2]
        return measures.from_summary(mean, error, row["runs"])

    return of_row(last, part=POLICY)


def varied(path: str) -> Measure:
    """After the last game of a variant."""

    def last(row: Stored) -> Measured:
        mean, error = measures.at_path(row, path)[-1][:2]
        return measures.from_summary(mean, error, row["runs"])

    return of_row(last, part=VARIED)


def against_advanced(data: Data) -> dict[str, float]:
    """Per cent that each variant that was run wins then; without the base."""
    won = varied("shares.advanced.won")
    found = {v.name: won(data, variant=v.name) for v in POLICY_VARIANTS if v.name != BASE}
    return {name: ours.mean for name, ours in found.items() if ours}


games_played = of_row(lambda row: exactly(row["games"][-1]), part=POLICY)


def seconds(games: float, **bound: Label) -> Measure:
    """CPU-seconds of so many games of training, at the speed measured on one core."""
    labels = {"part": SPEED, **bound}
    return of_row(lambda row: exactly(games / fmean(row["finals"][RATE])), **labels)


def baseline(what: str, opponent: str, **bound: Label) -> Measure:
    """What a player that learned nothing does: `won` in per cent, or `lines` ahead."""

    def measure(data: Data, **labels: Label) -> Measured | None:
        wanted = {**bound, **labels, "opponent": opponent}
        for row in data.fact("baselines", part=POLICY) or ():
            if wanted.items() <= row.items() and row[what] is not None:
                return exactly(row[what])
        return None

    return measure


# First moves of trained agents, and policies that learned nothing


def opens(where: str, trainer: str) -> Measure:
    """Per cent of runs of SARSA that begin there."""

    def measure(data: Data, **labels: Label) -> Measured | None:
        del labels
        found = data.fact("openings", part=FIRST_MOVES) or ()
        rows = [row for row in found if row["trainer"] == trainer]
        return from_count(rows[0][where], rows[0]["runs"]) if rows else None

    return measure


def untrained(data: Data, **labels: Label) -> Measured | None:
    """Per cent that policies win against random before their first game."""
    del labels
    found = data.fact("untrained", part=FIRST_MOVES)
    return measures.from_values(found) if found else None


# The best that can be, tables, and what the prose asks for

most_wins = computed(lambda: exact.most_wins(exact.PLAIN, "random")["both"])


def best(opponent: str, side: str, end: str) -> Measure:
    """Per cent of games that end so, if play is best by the paper's rewards."""
    return computed(lambda: exact.best_by_rewards(opponent, side)[end])


def ceiling_table(*_: object) -> Table:
    """The best that can be, in fractions."""
    lines = tuple(
        (*labels, *best.values(), *(f"{exact.per_cent(best[e]):.1f}" for e in ("won", "lost")))
        for (board, *labels), best in exact.ceilings().items()
        if board == exact.PLAIN
    )
    heads = ("against", "as", "aim", *exact.ENDS, "won, %", "lost, %")
    return Table(heads, lines, "The best possible results, by dynamic programming", (0, 1, 2))


def mean(found: Measured | None) -> float:
    """For a sentence, and for a level line."""
    return math.nan if found is None else found.mean


LAST = {"episodes": EPISODES[-1]}
VALUES = {
    "searched": lambda data: partial(search_result, data),
    "search_episodes": lambda _: SEARCH_EPISODES,
    "openings": lambda data: data.fact(part=FIRST_MOVES),
    "exact": lambda _: exact,
    "episodes": lambda _: EPISODES,
    "share": lambda data: lambda metric, **at: mean(share(metric, **LAST)(data, **at)),
    "runs_that": lambda data: lambda kind, **at: mean(runs_that(kind, "first", **LAST)(data, **at)),
    "policy": lambda data: lambda *at: mean(policy(*at)(data)),
    "variants": against_advanced,
    "seconds": lambda data: lambda games, **at: mean(seconds(games)(data, **at)),
}
