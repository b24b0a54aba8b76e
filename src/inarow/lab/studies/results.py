"""What a study found, for people: a table of means, curves, and conditions side by side."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from inarow.game import InputError
from inarow.game.report import HasReport, Report
from inarow.lab.numbers import interval_text, number_text, scale_of
from inarow.lab.plots.plot import Measured, Plot, conditions, plot
from inarow.lab.statistics import Estimate, Summary, difference, probability_of_improvement, summary
from inarow.lab.studies.conditions import (
    check_metric,
    differences_of,
    labels_of,
    left_out,
    lower_is_better,
    metrics_of,
)
from inarow.lab.studies.store import Store
from inarow.lab.studies.study import Config

if TYPE_CHECKING:
    from pandas import DataFrame


class StudyResults(HasReport):
    """A study kept in a file, with all results so far."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def rows(self) -> list[FinalRow]:
        """Return a summary of the final values of the finished runs, for each config and metric."""
        with Store.open(self.path) as store:
            return final_rows(store)

    def frame(self) -> DataFrame:
        """Return all measurements as a pandas table, with the parameters of their configs."""
        from inarow.lab.studies.frames import frame_of

        with Store.open(self.path) as store:
            return frame_of(store)

    def plot(self, metric: str | None = None, log: str = "x") -> Plot:
        """Plot the learning curves of the study."""
        return plot(self, metric=metric, log=log)

    def compare(self, metric: str | None = None, baseline: str | int = 0) -> Comparison:
        """Compare conditions at the end of their runs."""
        return compare(self, metric=metric, baseline=baseline)

    def report(self) -> Report:
        """Return the report: means at the end of the runs."""
        with Store.open(self.path) as store:
            name, labels, found = store.study.name, labels_of(store.configs()), final_rows(store)
        rows = [
            (
                f"{labels[row['config']]}: {row['metric']}" if labels[0] else row["metric"],
                number_text(row["mean"]),
                _ends(row["low"], row["high"]),
                f"{row['runs']:,}",
            )
            for row in found
        ]
        notes = interval_notes(found) if rows else ("No run is finished.",)
        return Report(name, ("at the end", "mean", "95%", "runs"), rows, notes)


def interval_notes(rows: Sequence[FinalRow]) -> tuple[str, ...]:
    """How the intervals of means were made."""
    several = [(scale_of(row["metric"]), row["runs"]) for row in rows if row["runs"] > 1]
    plain = dict.fromkeys(s.interval_name(n) for s, n in several if not s.verdict)
    parts = [" or ".join(plain)] if plain else []
    if any(scale.verdict for scale, _ in several):
        parts.append("Wilson's for what holds of a run or does not")
    if not parts:
        return ()
    return (f"95% intervals of the mean: {'; '.join(parts)}; cut to the values that can be.",)


@dataclass(frozen=True)
class Compared:
    """A condition beside the baseline."""

    label: str
    parameters: Config
    result: Summary  # of the last values of its runs
    difference: Estimate | None  # of the means, to the baseline; None for the baseline itself
    improvement: Estimate | None  # how likely one of its runs is better than one of the baseline's

    def as_json(self) -> dict[str, object]:
        """Return JSON data; what cannot be known of a single run is null."""
        estimates = {"difference": self.difference, "improvement": self.improvement}
        return {
            "label": self.label,
            "parameters": self.parameters,
            "mean": self.result.mean,
            "interval": [self.result.low, self.result.high] if self.result.runs > 1 else None,
            "runs": self.result.runs,
            **{name: None if e is None else _finite(e) for name, e in estimates.items()},
        }


@dataclass(frozen=True, repr=False)
class Comparison(HasReport):
    """Conditions side by side, each compared with a baseline."""

    metric: str
    lower: bool  # whether less of it is better
    baseline: str
    conditions: tuple[Compared, ...]
    others: tuple[str, ...] = ()  # what else was measured
    remarks: tuple[str, ...] = ()  # what is left out, how the conditions differ

    def report(self) -> Report:
        """Return the report."""
        rows = []
        for found in self.conditions:
            mean = number_text(found.result.mean, 3)
            if found.result.runs > 1:
                mean += f" ({interval_text(found.result.low, found.result.high)})"
            rows.append(
                (
                    found.label,
                    mean,
                    f"{found.result.runs:,}",
                    "" if found.difference is None else _estimate(found.difference, signed=True),
                    "" if found.improvement is None else _estimate(found.improvement),
                )
            )
        better, scale = "lower" if self.lower else "higher", scale_of(self.metric)
        names = {scale.interval_name(found.result.runs): None for found in self.conditions}
        apart = "Newcombe's" if scale.verdict else "Welch's t"
        notes = (
            f"Baseline: {self.baseline}. Better: the probability that a run is {better} than a "
            "run of the baseline.",
            f"95% intervals: of means {' or '.join(names)}{scale.limits}; of differences {apart}; "
            "of probabilities Newcombe's.",
            *self.remarks,
        )
        title = f"{self.metric} at the end ({better} is better)"
        return Report(title, ("condition", "mean", "runs", "difference", "better"), rows, notes)

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
        return {
            "metric": self.metric,
            "better": "lower" if self.lower else "higher",
            "baseline": self.baseline,
            "notes": list(self.remarks),
            "conditions": [found.as_json() for found in self.conditions],
        }


def compare(
    *measured: Measured,
    metric: str | None = None,
    baseline: str | int = 0,
    lower: bool | None = None,
) -> Comparison:
    """Compare conditions at the end of their runs.

    Each is compared with a baseline, given by its label or its number: the difference of the means
    and the probability that a run is better than a run of the baseline. If `lower` is not given,
    the metric's name decides which direction is better.
    """
    with conditions(*measured) as found:
        known = metrics_of(found)
        metric = check_metric(metric, known, "nothing was measured yet")
        values = {c.label: c.source.final(c.config, metric) for c in found}
        parameters = {c.label: c.parameters for c in found}
        with_values = {label for label, v in values.items() if not np.isnan(v).all()}
        measured_by = [set(c.source.metrics(c.config)) for c in found]
        shared = [name for name in known if all(name in names for names in measured_by)]
        remarks = [*left_out(found, with_values, known, metric), *differences_of(found)]
    values = {label: kept for label, v in values.items() if len(kept := v[~np.isnan(v)])}
    if len(values) < 2:
        number = f"{len(values)} condition{'s' * (len(values) != 1)}"
        all_have = f"; all have {', '.join(shared)}" if shared and metric not in shared else ""
        raise InputError(
            f"{metric!r} is known of {number}: it takes two to compare, each with a finished run"
            f"{all_have}"
        )
    base = _baseline(baseline, list(values))
    fewer = lower_is_better(metric) if lower is None else lower
    sign, scale = -1.0 if fewer else 1.0, scale_of(metric)
    rows = [
        Compared(
            label,
            parameters[label],
            summary(own, scale),
            None if label == base else difference(own, values[base], scale=scale),
            None if label == base else probability_of_improvement(sign * own, sign * values[base]),
        )
        for label, own in values.items()
    ]
    others = tuple(name for name in known if name != metric)
    return Comparison(metric, fewer, base, tuple(rows), others, tuple(remarks))


def _baseline(wanted: str | int, labels: list[str]) -> str:
    text = str(wanted).strip()
    if text in labels:
        return text
    if text.isdigit() and int(text) < len(labels):
        return labels[int(text)]
    known = ", ".join(f"{number} ({label})" for number, label in enumerate(labels))
    raise InputError(f"no condition {text!r} to compare with: there is {known}")


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else interval_text(low, high)


def _estimate(found: Estimate, signed: bool = False) -> str:
    """A difference, or else a probability, with its interval."""
    if not signed:
        value, low, high = (f"{number:.2f}" for number in found)
        ends = f"{low} to {high}"
    elif not math.isnan(found.low):
        value, ends = (
            number_text(found.value, 3, True),
            interval_text(found.low, found.high, 3, True),
        )
    else:
        value = number_text(found.value, 3, True)
    return value if math.isnan(found.low) else f"{value} ({ends})"


def _finite(found: Estimate) -> list[float | None]:
    return [None if math.isnan(number) else number for number in found]


# What a stored study says: final values summed up, and everything as CSV.

COLUMNS = ("config", "seed", "games", "metric", "value")


class FinalRow(TypedDict):
    """What the finished runs of a config say of a metric."""

    config: int
    parameters: Config
    metric: str
    mean: float
    stderr: float | None  # None, as the interval, for a single run: it says nothing of the spread
    low: float | None
    high: float | None
    runs: int


def final_rows(store: Store) -> list[FinalRow]:
    """Return for each config and metric the values at the end of the finished runs, summed up."""
    rows = list[FinalRow]()
    for config, parameters in enumerate(store.configs()):
        for metric in store.metrics(config):
            values = store.final(config, metric)
            values = values[~np.isnan(values)]  # a run may end without having measured it
            if len(values):
                found, several = summary(values, scale_of(metric)), len(values) > 1
                rows.append(
                    FinalRow(
                        config=config,
                        parameters=parameters,
                        metric=metric,
                        mean=found.mean,
                        stderr=found.stderr if several else None,
                        low=found.low if several else None,
                        high=found.high if several else None,
                        runs=found.runs,
                    )
                )
    return rows


def all_rows(store: Store) -> tuple[list[str], Iterator[list[object]]]:
    """Return titles and a row for each measurement, with its config's parameters.

    Also of runs that go on. A parameter with the name of another column, as `games`, is called
    `config.games`.
    """
    configs = store.configs()
    parameters = list(dict.fromkeys(name for config in configs for name in config))
    texts = [
        [_text(config[name]) if name in config else "" for name in parameters] for config in configs
    ]
    titles = [f"config.{name}" if name in COLUMNS else name for name in parameters]
    rows = (
        [config, *texts[config], seed, games, metric, value]
        for (config, seed), (games, metric, value) in store.measurements()
    )
    return ["config", *titles, *COLUMNS[1:]], rows


def export_csv(store: Store, path: Path) -> int:
    """Write the rows of `all_rows` as CSV, whole or not at all; return how many rows."""
    titles, found = all_rows(store)
    aside, rows = path.with_name(f"{path.name}.{os.getpid()}.part"), 0
    try:
        with aside.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(titles)
            for *row, value in found:
                writer.writerow([*row, repr(value)])
                rows += 1
        aside.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    finally:
        with suppress(OSError):
            aside.unlink()  # gone if all went well
    return rows


def _text(value: object) -> str:
    """Return text as it is, and all else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)
