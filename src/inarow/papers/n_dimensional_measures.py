"""How the claims about the n-dimensional paper's SARSA agent are measured, from stored results.

Each measure is a function of the results; it is None where these do not hold what it needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from inarow.lab.statistics import Z95, wilson
from inarow.papers.n_dimensional_exact import PLAIN
from inarow.papers.n_dimensional_sarsa import EPISODES, NEVER_LOSES, cell_of
from inarow.papers.results import Results


class Measured(NamedTuple):
    """Ours: a mean with its 95% interval, over so many runs; exact where there is no error."""

    mean: float
    stderr: float | None = None
    low: float | None = None
    high: float | None = None
    runs: int = 0


Measure = Callable[[Results], Measured | None]


def counted(name: str) -> Measure:
    """A number of states."""
    return lambda results: Measured(float(results.facts["counts"][name]))


def certain(name: str, trainer: str, episodes: int, seat: str) -> Measure:
    """Per cent of runs of which something is certain."""

    def measure(results: Results) -> Measured | None:
        cell = cell_of(results, trainer, episodes)
        return None if cell is None else share_of(cell, name, seat)

    return measure


def share_of(cell: Mapping[str, Any], name: str, seat: str) -> Measured:
    """Per cent of a cell's runs, with Wilson's interval."""
    runs, count = cell["runs"], cell["certain"][name][seat]
    low, high = wilson(count, runs)
    share = count / runs
    stderr = math.sqrt(share * (1 - share) / (runs - 1)) if runs > 1 else 0.0
    return Measured(100 * share, 100 * stderr, 100 * low, 100 * high, runs)


def share(trainer: str, episodes: int, metric: str) -> Measure:
    """A mean share of games, as `won as first against advanced`."""

    def measure(results: Results) -> Measured | None:
        cell = cell_of(results, trainer, episodes)
        if cell is None:
            return None
        mean, stderr, low, high = (100 * number for number in cell["shares"][metric])
        return Measured(mean, stderr, low, high, cell["runs"])

    return measure


def of_the_best(trainer: str, episodes: int, metric: str) -> Measure:
    """A mean share, as per cent of the highest over all numbers of episodes."""

    def measure(results: Results) -> Measured | None:
        cells = [cell_of(results, trainer, number) for number in EPISODES]
        found = share(trainer, episodes, metric)(results)
        if found is None or None in cells:
            return None
        best = max(cell["shares"][metric][0] for cell in cells if cell is not None)
        mean, stderr, low, high = (
            None if number is None else number / best for number in found[:4]
        )
        return Measured(mean or 0.0, stderr, low, high, found.runs)

    return measure


def threshold(trainer: str, seat: str) -> Measure:
    """After how many episodes half of the runs never lose to their trainer; inf if never."""

    def measure(results: Results) -> Measured | None:
        cells = [cell_of(results, trainer, number) for number in EPISODES]
        if None in cells:
            return None
        reached = [
            cell["episodes"]
            for cell in cells
            if cell is not None and 2 * cell["certain"][NEVER_LOSES][seat] >= cell["runs"]
        ]
        runs = min(cell["runs"] for cell in cells if cell is not None)
        return Measured(float(min(reached, default=math.inf)), runs=runs)

    return measure


def difference(one: Measure, other: Measure) -> Measure:
    """How much more the first is."""

    def measure(results: Results) -> Measured | None:
        first, second = one(results), other(results)
        if first is None or second is None:
            return None
        mean = first.mean - second.mean
        if first.stderr is None or second.stderr is None:
            return Measured(mean)
        stderr = math.hypot(first.stderr, second.stderr)
        runs = min(first.runs or second.runs, second.runs or first.runs)  # 0: exact
        return Measured(mean, stderr, mean - Z95 * stderr, mean + Z95 * stderr, runs)

    return measure


def ceiling(opponent: str, seat: str, end: str, aim: str) -> Measure:
    """What the best play for some aim comes to, in per cent."""

    def measure(results: Results) -> Measured | None:
        wanted = {"board": PLAIN, "opponent": opponent, "seat": seat, "aim": aim}
        for row in results.facts["ceilings"]:
            if all(row[name] == value for name, value in wanted.items()):
                return Measured(100 * float(Fraction(row[end])))
        return None

    return measure


def opening(opponent: str, name: str) -> Measure:
    """How often the first player can win at most from an opening, in per cent."""
    return lambda results: Measured(
        100 * float(Fraction(results.facts["openings"][opponent][name]))
    )


def without_symmetry(episodes: int, seat: str) -> Measure:
    """How many runs more never lose to random if images of a position are one, in per cent."""

    def bare(results: Results) -> Measured | None:
        cell = cell_of(results, "random", episodes, "no symmetry")
        return None if cell is None else share_of(cell, NEVER_LOSES, seat)

    return difference(certain(NEVER_LOSES, "random", episodes, seat), bare)
