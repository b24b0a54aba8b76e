"""Readings of the cube paper's text, from the most literal one to the base, and what each gives.

The text and the base differ in when the benchmark player draws its order of columns, in biases, in
the derivative, and in how an immediate win is compared with other moves. Claims about differences
between networks are judged under the most literal reading that has the paper's number of trials of
every network; the tables' levels under the base, which was chosen because it fits them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from inarow.learn.mlp.network import NETWORKS
from inarow.papers.claims import ClaimTest
from inarow.papers.cube.study import (
    LITERAL,
    PER_MOVE,
    REGIMES,
    SLOWEST,
    TRIALS,
    Training,
)
from inarow.papers.measures import Data, Labels, Measure, ResultRow
from inarow.papers.published import MEASURED, Entry
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import Results
from inarow.papers.tables import Table, number_text, significant
from inarow.papers.verdicts import CLAIM, DIFFERS, LEAST_RUNS, NOT_RUN, NUMBER, Judged, Row

FIRST_PART = "all"  # the part that the paper's tables and claims are judged from
SEVERAL = ("readings", "variants", f"variants-{SLOWEST}")  # parts with several readings


NO_CURVE: ResultRow = {"games": [], "won": []}  # variants are stored without
NO_VERDICT = "no verdict"


@dataclass(frozen=True)
class Reading:
    """A way to read the text."""

    name: str
    about: str
    training: Training | None = None  # None: the base, which has a part of its own
    variant: str = ""  # of the base, where that is the same

    @property
    def labels(self) -> Labels:
        """The labels of its conditions in part `readings`."""
        one = self.training or LITERAL
        return {
            "wins": one.wins, "biases": one.biases, "slope": one.slope, "end": one.end,
            "order": PER_MOVE, "side": "first",
        }  # fmt: skip


BASE = Reading(
    "base", "order drawn once per game, biases, 1-y^2 as derivative, wins compared by reward"
)
READINGS = (  # the most literal first
    Reading("literal", "in every point as printed: order drawn at every move, no biases, the exact "
            "derivative, an immediate win compared by the value of its position", LITERAL),
    Reading("by reward", "the same, but an immediate win is compared by its reward (Equation 2)",
            replace(LITERAL, wins="by reward")),
    Reading("base per move", "the base with the order drawn at every move",
            Training("by reward", True, "doubled"), "order per move"),
    BASE,
)  # fmt: skip


def source_of(data: Data, reading: Reading) -> tuple[str, list[ResultRow]]:
    """Return the part that a reading is read from, and its rows: of two parts the better one.

    That is the one with more trials, among those that are long enough for verdicts.
    """
    labels = {FIRST_PART: {}, "readings": reading.labels, "variants": {"variant": reading.variant}}
    parts = (FIRST_PART,) if reading.training is None else ("readings", "variants")
    found = [(part, data.rows(part=part, **labels[part])) for part in parts]
    return max(
        found, key=lambda one: (bool(one[1]) and one[0] not in data.unjudged_parts, _runs(one[1]))
    )


def _runs(rows: Sequence[ResultRow]) -> int:
    return sum(int(row["runs"]) for row in rows)


def rows_of(data: Data, reading: Reading) -> list[ResultRow]:
    """Return the rows of a reading, by regime and network."""
    return source_of(data, reading)[1]


def is_long(data: Data, reading: Reading) -> bool:
    """Return whether the trials of a reading are long enough for verdicts."""
    return source_of(data, reading)[0] not in data.unjudged_parts


def data_of(data: Data, reading: Reading) -> Data:
    """Return the results with the trials of a reading as the part that the tables are judged from.

    Without the parts that hold several readings: nothing in it is judged under another one.
    """
    rows = [
        {**NO_CURVE, **{name: at for name, at in row.items() if name not in reading.labels}}
        for row in rows_of(data, reading)
    ]
    parts = {name: found for name, found in data.parts.items() if name not in SEVERAL}
    parts.pop(FIRST_PART, None)
    if rows:
        parts[FIRST_PART] = Results("cube", FIRST_PART, PAPER_SCALE, rows)
    unjudged = [part for part in data.unjudged_parts if part != FIRST_PART]
    unjudged += [] if is_long(data, reading) else [FIRST_PART]
    return Data(parts, FIRST_PART, unjudged)


def trials(data: Data, reading: Reading) -> tuple[int, int]:
    """Return the fewest and the most trials of a reading's ten conditions."""
    found = {(row["regime"], row["network"]): int(row["runs"]) for row in rows_of(data, reading)}
    numbers = [found.get(condition, 0) for condition in product(REGIMES, NETWORKS)]
    return min(numbers), max(numbers)


def is_whole(data: Data, reading: Reading) -> bool:
    """Return whether a reading has the paper's number of trials of every condition."""
    return is_long(data, reading) and trials(data, reading)[0] >= int(TRIALS)


def claims_reading(data: Data) -> Reading:
    """Return the most literal reading that has enough trials: the claims are judged under it."""
    whole = (reading for reading in READINGS if is_whole(data, reading))
    return next(whole, BASE)


def under_reading(test: ClaimTest) -> ClaimTest:
    """Return a test of a claim that is judged under the reading for claims."""

    def judge(data: Data, entry: Entry) -> Judged:
        reading = claims_reading(data)
        if reading is BASE:
            return test(data, entry)
        judged = test(data_of(data, reading), entry)
        note = "; ".join(filter(None, (judged.note, f"reading: {reading.name}")))
        return replace(judged, note=note)

    return replace(test, judge=judge)


def other_readings(test: ClaimTest, entry: Entry) -> Callable[[Data], str]:
    """Return a reason: what a claim's value is under the readings that it is not judged under."""

    def said(data: Data) -> str:
        judged = claims_reading(data)
        return "; ".join(
            f"under “{reading.name}” it is {text}"
            for reading in READINGS
            if reading is not judged
            and is_long(data, reading)
            and (
                text := reading_text(test(data_of(data, reading), entry), entry.unit, entry.digits)
            )
        )

    return said


def reading_text(judged: Judged, unit: str, digits: int) -> str:
    """Return the value under a reading with its interval and trials; nothing if it was not run."""
    if judged.ours is None:
        return ""
    number = significant(judged.ours, digits)
    if unit.startswith("%"):
        said = f"{number}{unit}"
    else:
        said = f"{'+' if judged.ours > 0 else ''}{number} {unit}".rstrip()
    known = judged.low is not None and judged.high is not None and judged.runs >= LEAST_RUNS
    bounds = [judged.low or 0.0, judged.high or 0.0] if known else []
    interval = " to ".join(significant(bound, digits) for bound in bounds)
    return f"{said} ({'; '.join(filter(None, (interval, trials_text(judged.runs))))})"


def trials_text(number: int) -> str:
    """Return a number of trials; too few for a verdict are called so."""
    few = "" if number >= TRIALS else f", fewer than {TRIALS}: no verdict"
    return f"{number} trial{'s' * (number != 1)}{few}"


# Tables

Judge = Callable[[Data], Sequence[Row]]  # all that the paper publishes


def judged_rows(data: Data, judge: Judge) -> dict[Reading, dict[str, Row]]:
    """Return the rows that are judged from trials, by name, under each reading that was run."""
    return {
        reading: {
            row.name: row
            for row in judge(data_of(data, reading))
            if row.part == FIRST_PART and row.class_ == MEASURED
        }
        for reading in READINGS
        if rows_of(data, reading)
    }


def has_verdict(row: Row) -> bool:
    """Return whether a row rests on the paper's number of trials, or more."""
    return row.judged.runs >= TRIALS and row.verdict != NOT_RUN


def readings_table(data: Data, away: Mapping[str, Measure]) -> Table | None:
    """Return what each reading is, its trials, and how far its levels are from some tables."""
    lines = []
    for reading in READINGS:
        fewest, most = trials(data, reading)
        if most:
            number = str(most) if fewest == most else f"{fewest} to {most}"
            far = [measure(data_of(data, reading)) for measure in away.values()]
            texts = ("" if one is None else f"{one.mean:.1f}" for one in far)
            lines.append((reading.name, reading.about, number, *texts))
    heads = ("reading", "what it takes", "trials", *(f"{name}, points" for name in away))
    title = "Readings of the text, and the mean absolute difference from the published numbers"
    return Table(heads, tuple(lines), title, (0, 1)) if lines else None


def claims_table(data: Data, judge: Judge, all_of_them: bool = False) -> Table | None:
    """Return the verdict of each claim under each reading.

    Only the claims that differ under one of them, or all.
    """
    found = judged_rows(data, judge)
    names = [
        name
        for name, row in found.get(BASE, {}).items()
        if row.kind == CLAIM
        and (all_of_them or any(_differs(rows.get(name)) for rows in found.values()))
    ]
    lines = tuple(
        (found[BASE][name].text, *(verdict_text(rows.get(name)) for rows in found.values()))
        for name in names
    )
    which = "all that rest on trials" if all_of_them else "those that differ under one of them"
    heads = ("claim", *(reading.name for reading in found))
    title = f"Claims by reading: {which}"
    return Table(heads, lines, title, tuple(range(len(heads)))) if lines else None


def _differs(row: Row | None) -> bool:
    return row is not None and has_verdict(row) and row.verdict == DIFFERS


def verdict_text(row: Row | None) -> str:
    """Return a verdict with the value and its trials; of too few trials, no verdict."""
    if row is None or row.judged.ours is None:
        return "not run"
    said = reading_text(row.judged, row.unit, row.digits)
    return f"{row.verdict}: {said}" if has_verdict(row) else said


def levels_table(data: Data, judge: Judge) -> Table | None:
    """Return the published numbers with the mean and trials of each reading."""
    found = judged_rows(data, judge)
    lines = [
        (
            ", ".join((row.source, *row.labels.values())),
            number_text(row.published, row.digits),
            *(_level_text(rows.get(name)) for rows in found.values()),
        )
        for name, row in found.get(BASE, {}).items()
        if row.kind == NUMBER
    ]
    heads = ("number", "published", *(reading.name for reading in found))
    title = "Levels by reading: mean win %, a star where it differs, trials where fewer than "
    return Table(heads, tuple(lines), f"{title}{TRIALS}") if lines else None


def _level_text(row: Row | None) -> str:
    if row is None or row.judged.ours is None:
        return ""
    mean = f"{row.judged.ours:.1f}"
    if not has_verdict(row):
        return f"{mean} ({row.judged.runs})"
    return f"{mean}*" if row.verdict == DIFFERS else mean


# For the sentences of the page


def nearest_reading(data: Data, away: Sequence[Measure]) -> Reading:
    """Return the reading whose levels are nearest to the tables, of those with enough trials."""

    def distance(reading: Reading) -> float:
        found = [measure(data_of(data, reading)) for measure in away]
        return sum(math.inf if one is None else one.mean for one in found)

    whole = [reading for reading in READINGS if is_whole(data, reading)]
    return min(whole, key=distance, default=BASE)


def verdict_counts(data: Data, judge: Judge, names: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return how often each verdict is given to some claims, by the name of the reading."""
    found = judged_rows(data, judge)
    return {
        reading.name: dict(
            Counter(rows[n].verdict if has_verdict(rows[n]) else NO_VERDICT for n in names)
        )
        for reading, rows in found.items()
    }


def differing_claims(data: Data, judge: Judge) -> list[str]:
    """Return the names of the claims that differ under the base."""
    rows = judged_rows(data, judge).get(BASE, {})
    return [name for name, row in rows.items() if row.kind == CLAIM and _differs(row)]
