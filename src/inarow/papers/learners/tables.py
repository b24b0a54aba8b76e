"""The tables of the comparison: what has run, each game, each question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from inarow.lab.speed import SPEED
from inarow.lab.statistics import (
    Estimate,
    difference,
    probability_of_improvement,
    smallest_difference,
)
from inarow.papers.learners import compare
from inarow.papers.learners.games import JUDGES
from inarow.papers.learners.runs import (
    BUDGETS,
    BY_NAME,
    DIMENSIONS,
    HYBRID,
    LEARNERS,
    LONG,
    NETWORKS,
    Q_TAUGHT,
    RATES,
    SHARING,
    SMALL,
    TAUGHT,
    TEN,
    TRAINER,
)
from inarow.papers.measures import Data
from inarow.papers.paper import Of, TableMaker
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.tables import Table, games_text
from inarow.papers.verdicts import TOO_FEW, Row

Pair = tuple[str, str, str]  # a question's: game, base, variant


def there(data: Data, rows: Sequence[Row]) -> Table | None:
    """Which runs there are, and the smallest difference that they can detect."""
    del rows
    lines = []
    for game, judge in JUDGES.items():
        able = sum(base.plays(game) for base in LEARNERS)
        cells = []
        for part in BUDGETS:
            field = compare.entrants(data, game, part)
            if BUDGETS[part] > 10 and game not in LONG:
                cells += ["not planned", ""]
            elif not field:
                cells += [f"0 of {able} learners", ""]
            else:
                runs, least = compare.seen(field)
                most = max(len(one.merit) for one in field)
                several = f"{runs}" if runs == most else f"{runs} to {most}"
                cells += [f"{len(field)} of {able} learners, {several} runs", f"{100 * least:.1f}"]
        lines.append((judge.title, *cells))
    heads = [head for part in BUDGETS for head in (part, "detectable difference, points")]
    return Table(("game", *heads), tuple(lines), texts=(0, 1, 3, 5)) if data.parts else None


def rates(data: Data, rows: Sequence[Row]) -> Table | None:
    """Training games per CPU-second."""
    del rows
    lines = tuple(
        (
            compare.code(base.name),
            *(
                games_text(RATES[game][base.name]) if base.name in RATES[game] else ""
                for game in JUDGES
            ),
        )
        for base in LEARNERS
    )
    return Table(("learner", *JUDGES), lines) if data.parts else None


def of_game(game: str) -> TableMaker:
    """A line for each learner: the measure after each budget, and who cannot be beaten."""

    def make(data: Data, rows: Sequence[Row]) -> Table | None:
        del rows
        parts = compare.budgets(data, game)
        judge = JUDGES[game]
        lines = []
        for base in LEARNERS:
            cells = [compare.code(base.name)]
            for part in parts:
                row = compare.find(data, game, part, base.name)
                cells.append("" if row is None else compare.estimate_text(compare.shown(game, row)))
                if judge.beaten is not None:
                    proven = None if row is None else compare.unbeatable(game, row)
                    cells.append("" if proven is None else compare.estimate_text(proven, 0))
            if any(cells[1:]):
                lines.append(tuple(cells))
        heads = []
        for part in parts:
            heads += [f"{judge.measure}, {part}"]
            heads += [f"unbeatable, {part}"] if judge.beaten is not None else []
        title = f"{judge.title[0].upper()}{judge.title[1:]}: % (95% interval)"
        if not lines:  # said, rather than left out
            return Table(("learner", judge.measure), (("not run", ""),), title)
        return Table(("learner", *heads), tuple(lines), title)

    return make


# Questions: a variant beside its base, with a tenth of a second of CPU time each


def hybrid_pairs() -> Iterator[tuple[str, Pair]]:
    """What the random games of a trainer add; and the trainer with them, to self-play."""
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
    """Networks with lines instead of those without."""
    for game in DIMENSIONS:
        for size, ((_, structured), (_, dense)) in NETWORKS.items():
            named = f"mlp, {structured}" if structured else "mlp"
            yield f"{size} network", (game, f"mlp, {dense}", named)


def symmetry_pairs() -> Iterator[tuple[str, Pair]]:
    """Sharing instead of none: some learners share by default."""
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
        """What the interval says, of ten runs or more."""
        if self.runs < TEN[PAPER_SCALE]:
            return TOO_FEW
        if self.gain.low > 0:
            return "helps"
        return "hurts" if self.gain.high < 0 else "undecided"


def effects(data: Data, part: str) -> list[Effect]:
    """All comparisons of a question that have run."""
    found = []
    for what, (game, base, variant) in PAIRS[part]():
        rows = [compare.find(data, game, part, name) for name in (base, variant)]
        merits = [JUDGES[game].merit(row) for row in rows if row is not None]
        if len(merits) < len(rows):
            continue
        before, after = merits
        runs = min(map(len, merits))
        deviation = float(np.mean([merit.var(ddof=1) for merit in merits])) ** 0.5
        found.append(
            Effect(
                what, game, base, variant, runs,
                Estimate(*(100 * number for number in difference(after, before))),
                probability_of_improvement(after, before),
                100 * smallest_difference(deviation, runs),
            )
        )  # fmt: skip
    return found


def of_question(part: str) -> Of:
    """A line for each comparison."""

    def line(effect: Effect) -> tuple[str, ...]:
        gain, better = effect.gain, effect.better
        return (
            JUDGES[effect.game].title, compare.code(effect.variant), compare.code(effect.base),
            effect.what, f"{gain.value:+.1f} ({gain.low:+.1f} to {gain.high:+.1f})",
            f"{100 * better.value:.0f}% ({100 * better.low:.0f}-{100 * better.high:.0f})",
            str(effect.runs), f"{effect.least:.1f}" if effect.least else "identical runs",
            effect.verdict,
        )  # fmt: skip

    def make(data: Data, rows: Sequence[Row]) -> Table | None:
        del rows
        lines = tuple(map(line, effects(data, part)))
        heads = ("game", "variant", "baseline", "change", "gain, points",
                 "probability of improvement", "runs", "detectable", "verdict")  # fmt: skip
        return Table(heads, lines, texts=(0, 1, 2, 3, 8)) if lines else None

    return Of(part, make)


def answer(data: Data, part: str) -> str:
    """Which comparisons of a question came out which way."""
    found = effects(data, part)
    verdicts = [effect.verdict for effect in found]
    helps, hurts, open_, few = map(verdicts.count, ("helps", "hurts", "undecided", TOO_FEW))
    of = helps + hurts + open_
    said = f"The change helps in {helps} of {of} comparisons{named(found, 'helps')}"
    said += f" and hurts in {hurts}{named(found, 'hurts')}"
    said += f"; {open_} {'is' if open_ == 1 else 'are'} undecided"
    return f"{said}{f', and {few} more have too few runs' if few else ''}."


def named(found: Sequence[Effect], verdict: str) -> str:
    """The variants with a verdict, by game."""
    by_game: dict[str, list[str]] = {}
    for effect in found:
        if effect.verdict == verdict:
            several = by_game.setdefault(JUDGES[effect.game].title, [])
            several += [effect.variant] * (effect.variant not in several)
    texts = [f"{game}: {compare.names(several)}" for game, several in by_game.items()]
    return f" ({'; '.join(texts)})" if texts else ""


def processor(data: Data) -> str:
    """That measured the rates."""
    results = data.results("speed")
    return "a machine" if results is None else results.made_with["processor"]


def speed_ratio(data: Data) -> str:
    """How far a second measurement of speeds was from the first, at the most, where there is one.

    Budgets follow from the first.
    """
    speeds = [row["finals"][SPEED] for row in data.rows(part="speed")]
    ratios = [max(found) / min(found) for found in speeds if len(found) > 1]
    if not ratios:
        return ""
    return (
        f" A second measurement differed from the first by a factor of {np.median(ratios):.2f} in "
        f"the median and {max(ratios):.1f} at most."
    )


TABLES: dict[str, TableMaker | Of] = {
    "there": there,
    "rates": rates,
    **{game: of_game(game) for game in JUDGES},
    **{part: of_question(part) for part in PAIRS},
}
VALUES: dict[str, Callable[[Data], object]] = {
    "games": lambda data: list(JUDGES),
    "processor": processor,
    "speed-ratio": speed_ratio,
    "least-improvement": lambda data: f"{100 * compare.least_improvement(10):.0f}%",
    **{f"advice-{game}": partial(compare.advice_text, game=game) for game in JUDGES},
    **{f"answer-{part}": partial(answer, part=part) for part in PAIRS},
}
