"""What the runs say: intervals, who is ahead of whom, what a difference must be to be seen.

Probability of improvement and performance profiles are those of Agarwal et al. (2021, "Deep
reinforcement learning at the edge of the statistical precipice").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from inarow.lab.statistics import (
    Estimate,
    Floats,
    difference,
    probability_of_improvement,
    smallest_difference,
)
from inarow.papers.learners.games import JUDGES
from inarow.papers.learners.runs import BUDGETS, LEARNERS, PARTS
from inarow.papers.measures import Data, Measured, from_count, from_values
from inarow.papers.results import Stored
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.tables import list_text

RESAMPLES = 1_000
FEWEST = 2  # runs of which a spread is known


class Entrant(NamedTuple):
    """A learner's runs in a game with a budget."""

    name: str
    row: Stored
    merit: Floats  # by seed, more is better


def entrants(data: Data, game: str, part: str) -> list[Entrant]:
    """Those that have run, in the order of the list of learners."""
    found = ((base.name, find(data, game, part, base.name)) for base in LEARNERS)
    return [Entrant(name, row, JUDGES[game].merit(row)) for name, row in found if row]


def find(data: Data, game: str, part: str, name: str) -> Stored | None:
    """The row of a contestant, if it has run often enough to be judged."""
    row = data.row(part=part, game=game, contestant=name)
    return row if row is not None and row["runs"] >= FEWEST else None


def shown(game: str, row: Stored) -> Measured:
    """The measure of a game in per cent."""
    return from_values(tuple(JUDGES[game].shown(row["finals"]))).times(100)


def unbeatable(game: str, row: Stored) -> Measured | None:
    """Per cent of runs that nobody can beat."""
    proven = JUDGES[game].unbeatable(row)
    return None if proven is None else from_count(int(proven.sum()), len(proven))


def enough(field: Sequence[Entrant], part: str) -> bool:
    """Whether all have the planned number of runs, without which nothing is claimed."""
    planned = next(each for each in PARTS if each.name == part).runs[PAPER_SCALE]
    return len(field) > 1 and all(len(one.merit) >= planned for one in field)


def budgets(data: Data, game: str) -> list[str]:
    """Those with runs of at least two learners."""
    return [part for part in BUDGETS if len(entrants(data, game, part)) > 1]


def longest(data: Data, game: str) -> str | None:
    """The longest budget with which as many learners as with any have all their runs.

    Where they have them with none, as many as with any have run.
    """
    fields = {part: entrants(data, game, part) for part in budgets(data, game)}
    ready = {part: field for part, field in fields.items() if enough(field, part)} or fields
    most = max(map(len, ready.values()), default=0)
    return next((part for part in reversed(ready) if len(ready[part]) == most), None)


# Power


def seen(field: Sequence[Entrant]) -> tuple[int, float]:
    """The fewest runs of a learner, and the smallest difference that those see (80% power).

    Of the best and each of the others, all at once: the comparisons that advice is made of.
    """
    runs = min(len(one.merit) for one in field)
    variance = float(np.mean([one.merit.var(ddof=1) for one in field]))
    return runs, smallest_difference(math.sqrt(variance), runs, max(1, len(field) - 1))


def least_improvement(runs: int) -> float:
    """The smallest probability of improvement whose interval, with `runs` each, is above 1/2.

    All probabilities that can occur with this number of runs are tried.
    """
    theirs = np.arange(runs)
    for wins in range(runs * runs // 2, runs * runs + 1):
        above = [wins // runs + (one < wins % runs) for one in range(runs)]
        found = probability_of_improvement([number - 0.5 for number in above], theirs)
        if found.low > 0.5:
            return found.value
    return 1.0


# Advice


class Advice(NamedTuple):
    """Which learner is best in a game, and which ones are not significantly different."""

    game: str
    part: str
    best: Entrant  # the first of those with the best mean
    as_good: tuple[str, ...]  # others with the same mean
    equals: tuple[str, ...]  # others that are not significantly different
    behind: tuple[str, ...]


def advise(data: Data, game: str) -> Advice | None:
    """The best mean, and all learners whose difference from it has an interval that contains 0.

    The intervals have a joint confidence level. None where there are too few runs.
    """
    part = longest(data, game)
    if part is None or not enough(field := entrants(data, game, part), part):
        return None
    best = max(field, key=lambda one: float(one.merit.mean()))
    found: dict[str, list[str]] = {"as good": [], "equal": [], "behind": []}
    for one in field:
        if one is not best:
            apart = difference(best.merit, one.merit, len(field) - 1)
            kind = "behind" if apart.low > 0 else "equal" if apart.value else "as good"
            found[kind].append(one.name)
    return Advice(game, part, best, *(tuple(several) for several in found.values()))


def advice_text(data: Data, game: str) -> str:
    """One sentence."""
    found = advise(data, game)
    if found is None:
        return f"For {JUDGES[game].title}: too few runs for advice."
    judge, best = JUDGES[game], found.best
    facts = f"{judge.measure} {estimate_text(shown(game, best.row), unit='%')}"
    proven = judge.unbeatable(best.row)
    if proven is not None:
        facts += f", unbeatable in {int(proven.sum())} of {len(proven)} runs"
    whom = names((best.name, *found.as_good)).replace(" and ", " or ")
    said = [f"For {judge.title} with {budget_text(found.part)}, use {whom} ({facts})"]
    if found.equals:
        are = "is" if len(found.equals) == 1 else "are"
        said.append(f"{names(found.equals)} {are} not significantly different")
    if found.behind and len(said) == 1:
        said.append("all others are significantly worse")
    elif found.behind:
        are = "is" if len(found.behind) == 1 else "are"
        said.append(f"{names(found.behind)} {are} significantly worse")
    return f"{'; '.join(said)}."


def budget_text(part: str) -> str:
    """As in 10 CPU-seconds."""
    seconds = BUDGETS[part]
    return f"{seconds} CPU-second{'s' * (seconds > 1)}"


def names(several: Sequence[str]) -> str:
    """A list of learners."""
    return list_text([code(name) for name in several])


def code(name: str) -> str:
    """A learner's name as it is typed."""
    return f"`{name}`"


def estimate_text(measured: Measured, digits: int = 1, unit: str = "") -> str:
    """A mean and its interval, in per cent that cannot leave 0 to 100."""
    text = f"{measured.mean:.{digits}f}{unit}"
    if measured.interval is None:
        return text
    low, high = max(measured.interval[0], 0.0), min(measured.interval[1], 100.0)
    return f"{text} ({low:.{digits}f}-{high:.{digits}f})"


# Probability of improvement


def improvement(pairs: Sequence[tuple[Floats, Floats]]) -> Estimate:
    """How likely a run of ours is above one of theirs, ties as half: the mean over games.

    The interval is a percentile bootstrap that resamples the runs of each game (stratified).
    """
    stream = np.random.default_rng(0)
    means, resampled = [], np.zeros(RESAMPLES)
    for ours, theirs in pairs:
        above = np.sign(ours[:, None] - theirs[None, :]) / 2 + 0.5
        rows = stream.integers(len(ours), size=(RESAMPLES, len(ours), 1))
        columns = stream.integers(len(theirs), size=(RESAMPLES, 1, len(theirs)))
        means.append(float(above.mean()))
        resampled += above[rows, columns].mean(axis=(1, 2)) / len(pairs)
    low, high = np.quantile(resampled, (0.025, 0.975))
    return Estimate(float(np.mean(means)), float(low), float(high))


def improvements(data: Data) -> dict[tuple[str, str], tuple[Estimate, int]]:
    """Of each learner over each other, over the games that both have run: and how many."""
    found, fields = {}, list[dict[str, Floats]]()
    for game in JUDGES:
        part = longest(data, game)
        fields.append({one.name: one.merit for one in entrants(data, game, part)} if part else {})
    for ours, theirs in permutations([base.name for base in LEARNERS], 2):
        pairs = [(field[ours], field[theirs]) for field in fields if {ours, theirs} <= field.keys()]
        if pairs:
            found[ours, theirs] = (improvement(pairs), len(pairs))
    return found
