"""What the runs say: intervals, who is ahead of whom, what a difference must be to be seen.

Probability of improvement and performance profiles are those of Agarwal et al. (2021, "Deep
reinforcement learning at the edge of the statistical precipice").
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
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
from inarow.papers.learners.study import (
    BUDGETS,
    BY_NAME,
    DIMENSIONS,
    FILTER_BUDGET,
    FILTER_GAMES,
    FILTERS,
    HYBRID,
    LEARNERS,
    NETWORKS,
    PARTS,
    Q_TAUGHT,
    SCORINGS,
    SHARING,
    SMALL,
    TAUGHT,
    TEN,
    TRAINER,
    filtered,
)
from inarow.papers.measures import Data, Measured, ResultRow, from_count, from_values
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.tables import list_text
from inarow.papers.verdicts import TOO_FEW

RESAMPLES = 1_000
FEWEST = 2  # runs of which a spread is known


class Entrant(NamedTuple):
    """A learner's runs in a game with a budget."""

    name: str
    row: ResultRow
    merit: Floats  # by seed, more is better


def entrants(data: Data, game: str, part: str) -> list[Entrant]:
    """Return those that have run, in the order of the list of learners."""
    found = ((base.name, find(data, game, part, base.name)) for base in LEARNERS)
    return [Entrant(name, row, SCORINGS[game].merit(row)) for name, row in found if row]


def find(data: Data, game: str, part: str, name: str) -> ResultRow | None:
    """Return the row of a contestant, if it has run often enough to be judged."""
    row = data.row(part=part, game=game, contestant=name)
    return row if row is not None and row["runs"] >= FEWEST else None


def shown(game: str, row: ResultRow) -> Measured:
    """Return the measure of a game in per cent."""
    return from_values(tuple(SCORINGS[game].shown(row["finals"]))).times(100)


def unbeatable(game: str, row: ResultRow) -> Measured | None:
    """Return the per cent of runs that nobody can beat."""
    proven = SCORINGS[game].unbeatable(row)
    return None if proven is None else from_count(int(proven.sum()), len(proven))


def mean_text(game: str, row: ResultRow, unit: str = "") -> str:
    """Write the measure of a game; with its interval, unless all runs are alike."""
    found = shown(game, row)
    if len({*found.values}) == 1:
        return f"{found.mean:.1f}{unit}"
    return estimate_text(found, unit=unit)


def enough(field: Sequence[Entrant], part: str) -> bool:
    """Return whether all have the planned number of runs, without which nothing is claimed."""
    planned = next(each for each in PARTS if each.name == part).runs[PAPER_SCALE]
    return len(field) > 1 and all(len(one.merit) >= planned for one in field)


def budgets(data: Data, game: str) -> list[str]:
    """Return the budgets with runs of at least two learners."""
    return [part for part in BUDGETS if len(entrants(data, game, part)) > 1]


def longest(data: Data, game: str) -> str | None:
    """Return the longest budget with which as many learners as with any have all their runs.

    Where they have them with none, as many as with any have run.
    """
    fields = {part: entrants(data, game, part) for part in budgets(data, game)}
    ready = {part: field for part, field in fields.items() if enough(field, part)} or fields
    most = max(map(len, ready.values()), default=0)
    return next((part for part in reversed(ready) if len(ready[part]) == most), None)


# Filters


def filter_row(data: Data, game: str, part: str, name: str) -> ResultRow | None:
    """Return the runs of a learner with its filter off or on; where it has none, its runs."""
    contestant = filtered(part, name) if name in FILTERS[part] else BY_NAME[name]
    where = FILTER_BUDGET if contestant.name == name else part
    return find(data, game, where, contestant.name)


def filter_effects(data: Data) -> list[str]:
    """Say for each learner with a filter, by game, what it gains from it: off, on, points."""
    found = []
    for game in FILTER_GAMES:
        for name in FILTERS["filter-on"]:
            off, on = (filter_row(data, game, part, name) for part in FILTERS)
            if off is None or on is None:
                continue
            before, after = (SCORINGS[game].merit(row) for row in (off, on))
            if min(len(before), len(after)) >= TEN[PAPER_SCALE]:
                gain = Estimate(*(100 * number for number in difference(after, before)))
                found.append(
                    f"{SCORINGS[game].title}, {code(name)}: {gain.value:+.1f} points "
                    f"({gain.low:+.1f} to {gain.high:+.1f})"
                )
    return found


# Power


def detectable(field: Sequence[Entrant]) -> tuple[int, float]:
    """Return the fewest runs of a learner, and the difference that these detect (80% power).

    Of the best and each of the others, all at once: the comparisons that advice is made of.
    """
    runs = min(len(one.merit) for one in field)
    variance = float(np.mean([one.merit.var(ddof=1) for one in field]))
    return runs, smallest_difference(math.sqrt(variance), runs, max(1, len(field) - 1))


def least_improvement(runs: int) -> float:
    """Return the smallest probability of improvement whose interval, of `runs`, is above 1/2.

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
    """Return the best mean, and all learners whose difference from it may be 0.

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
    """Return the advice as one sentence."""
    found = advise(data, game)
    if found is None:
        return f"For {SCORINGS[game].title}: too few runs for advice."
    judge, best = SCORINGS[game], found.best
    facts = f"{judge.measure} {mean_text(game, best.row, '%')}"
    proven = judge.unbeatable(best.row)
    if proven is not None:
        count, runs = int(proven.sum()), len(proven)
        least = from_count(count, runs).low or 0.0
        sure = f" (95%: at least {least:.0f}%)" if count == runs else ""
        proof = f"unbeatable in {count} of {runs} runs{sure}"
        facts = proof if count == runs else f"{facts}, {proof}"
    whom = names((best.name, *found.as_good)).replace(" and ", " or ")
    said = [f"For {judge.title} with {budget_text(found.part)}, use {whom}: {facts}"]
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
    """Write a budget, as in 10 CPU-seconds."""
    seconds = BUDGETS[part]
    return f"{seconds} CPU-second{'s' * (seconds > 1)}"


def names(several: Sequence[str]) -> str:
    """Write a list of learners."""
    return list_text([code(name) for name in several])


def code(name: str) -> str:
    """Write a learner's name as it is typed."""
    return f"`{name}`"


def estimate_text(measured: Measured, digits: int = 1, unit: str = "") -> str:
    """Write a mean and its interval, in per cent that cannot leave 0 to 100."""
    text = f"{measured.mean:.{digits}f}{unit}"
    if measured.interval is None:
        return text
    low, high = max(measured.interval[0], 0.0), min(measured.interval[1], 100.0)
    return f"{text} ({low:.{digits}f}-{high:.{digits}f})"


# Probability of improvement


def improvement(pairs: Sequence[tuple[Floats, Floats]]) -> Estimate:
    """Return how likely a run of ours is above one of theirs, ties as half: the mean over games.

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
    """Compare each learner with each other, over the games that both have run: and how many."""
    found, fields = {}, list[dict[str, Floats]]()
    for game in SCORINGS:
        part = longest(data, game)
        fields.append({one.name: one.merit for one in entrants(data, game, part)} if part else {})
    for ours, theirs in permutations([base.name for base in LEARNERS], 2):
        pairs = [(field[ours], field[theirs]) for field in fields if {ours, theirs} <= field.keys()]
        if pairs:
            found[ours, theirs] = (improvement(pairs), len(pairs))
    return found


# Questions: a variant beside its base, with a tenth of a second of CPU time each

Pair = tuple[str, str, str]  # a question's: game, base, variant


def hybrid_pairs() -> Iterator[tuple[str, Pair]]:
    """Yield what the random games of a trainer add; and the trainer with them, to self-play."""
    for game in SMALL:
        yield "random games added", (game, "td, no random games", "td")
        yield "random games added", (game, Q_TAUGHT, f"{Q_TAUGHT}, {HYBRID}")
        for name in TAUGHT:
            base = name if BY_NAME[name].against else f"{name}, {TRAINER}"
            yield "random games added", (game, base, f"{name}, {HYBRID}")
        for name in TAUGHT:
            if BY_NAME[name].against is None:
                yield "hybrid trainer instead of self-play", (game, name, f"{name}, {HYBRID}")


def line_pairs() -> Iterator[tuple[str, Pair]]:
    """Yield networks with lines instead of those without."""
    for game in DIMENSIONS:
        for size, ((_, structured), (_, dense)) in NETWORKS.items():
            named = f"mlp, {structured}" if structured else "mlp"
            yield f"{size} network", (game, f"mlp, {dense}", named)


def symmetry_pairs() -> Iterator[tuple[str, Pair]]:
    """Yield sharing instead of none: some learners share by default."""
    for game in SMALL:
        for name, (about, _) in SHARING.items():
            pair = (name, f"{name}, {about}")
            without, shared = pair[::-1] if about.startswith("not") else pair
            yield "sharing", (game, without, shared)


PAIRS = {"hybrid": hybrid_pairs, "lines": line_pairs, "symmetry": symmetry_pairs}


class Effect(NamedTuple):
    """A variant less its base."""

    what: str  # was changed
    game: str
    base: str
    variant: str
    runs: int
    gain: Estimate  # in points
    better: Estimate  # the probability that a run of the variant is better
    least: float  # points that this number of runs can detect

    @property
    def verdict(self) -> str:
        """The verdict of the interval, of ten runs or more."""
        if self.runs < TEN[PAPER_SCALE]:
            return TOO_FEW
        if self.gain.low > 0:
            return "helps"
        return "hurts" if self.gain.high < 0 else "undecided"


def effects(data: Data, part: str) -> list[Effect]:
    """Return all comparisons of a question that have run."""
    found = []
    for what, (game, base, variant) in PAIRS[part]():
        rows = [find(data, game, part, name) for name in (base, variant)]
        merits = [SCORINGS[game].merit(row) for row in rows if row is not None]
        if len(merits) < len(rows):
            continue
        before, after = merits
        runs = min(map(len, merits))
        deviation = float(np.mean([merit.var(ddof=1) for merit in merits])) ** 0.5
        found.append(
            Effect(
                what, game, base, variant, runs,
                Estimate(*(np.clip(100 * n, -100, 100) for n in difference(after, before))),
                probability_of_improvement(after, before),
                100 * smallest_difference(deviation, runs),
            )
        )  # fmt: skip
    return found


def answer(data: Data, part: str) -> str:
    """Say which comparisons of a question came out which way."""
    found = effects(data, part)
    verdicts = [effect.verdict for effect in found]
    helps, hurts, open_, few = map(verdicts.count, ("helps", "hurts", "undecided", TOO_FEW))
    of = helps + hurts + open_
    said = f"The change helps in {helps} of {of} comparisons{named(found, 'helps')}"
    said += f" and hurts in {hurts}{named(found, 'hurts')}"
    said += f"; {open_} {'is' if open_ == 1 else 'are'} undecided"
    return f"{said}{f', and {few} more have too few runs' if few else ''}."


def named(found: Sequence[Effect], verdict: str) -> str:
    """List the variants with a verdict, by game."""
    by_game: dict[str, list[str]] = {}
    for effect in found:
        if effect.verdict == verdict:
            several = by_game.setdefault(SCORINGS[effect.game].title, [])
            several += [effect.variant] * (effect.variant not in several)
    texts = [f"{game}: {names(several)}" for game, several in by_game.items()]
    return f" ({'; '.join(texts)})" if texts else ""
