"""What a study found, for people: a table of means, curves, and conditions side by side."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inarow.game import InputError
from inarow.game.report import Report, Reported
from inarow.lab.curves import check_metric, labels_of, lower_is_better, metrics_of
from inarow.lab.export import FinalRow, final_rows
from inarow.lab.plot import Measured, Plot, conditions, plot
from inarow.lab.statistics import (
    Estimate,
    Summary,
    difference,
    probability_of_improvement,
    summary,
)
from inarow.lab.store import Store
from inarow.lab.study import Config


class StudyResults(Reported):
    """A study kept in a file, with all results so far."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def rows(self) -> list[FinalRow]:
        """For each config and metric, a summary of the final values of the finished runs."""
        with Store.open(self.path) as store:
            return final_rows(store)

    def plot(self, metric: str | None = None, log: str = "x") -> Plot:
        """Its learning curves."""
        return plot(self, metric=metric, log=log)

    def compare(self, metric: str | None = None, baseline: str | int = 0) -> Comparison:
        """Its conditions side by side."""
        return compare(self, metric=metric, baseline=baseline)

    def report(self) -> Report:
        """The report: means at the end of the runs."""
        with Store.open(self.path) as store:
            name, labels = store.study.name, labels_of(store.configs())
        rows = [
            (
                f"{labels[row['config']]}: {row['metric']}" if labels[0] else row["metric"],
                number_text(row["mean"]),
                _ends(row["low"], row["high"]),
                f"{row['runs']:,}",
            )
            for row in self.rows()
        ]
        notes = () if rows else ("No run is finished.",)
        return Report(name, ("at the end", "mean", "95%", "runs"), rows, notes)


@dataclass(frozen=True)
class Compared:
    """A condition beside the baseline."""

    label: str
    parameters: Config
    result: Summary  # of the last values of its runs
    difference: Estimate | None  # of the means, to the baseline; None for the baseline itself
    improvement: Estimate | None  # how likely one of its runs is better than one of the baseline's

    def as_json(self) -> dict[str, object]:
        """For programs; what cannot be known of a single run is null."""
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
class Comparison(Reported):
    """Conditions side by side, each compared with a baseline."""

    metric: str
    lower: bool  # whether less of it is better
    baseline: str
    conditions: tuple[Compared, ...]
    others: tuple[str, ...] = ()  # what else was measured

    def report(self) -> Report:
        """What is shown of it."""
        rows = []
        for found in self.conditions:
            mean = number_text(found.result.mean, 3)
            if found.result.runs > 1:
                mean += f" ({_ends(found.result.low, found.result.high)})"
            rows.append(
                (
                    found.label,
                    mean,
                    f"{found.result.runs:,}",
                    "" if found.difference is None else _estimate(found.difference, signed=True),
                    "" if found.improvement is None else _estimate(found.improvement),
                )
            )
        better = "lower" if self.lower else "higher"
        notes = (
            f"Difference: to {self.baseline}. Better: the probability that one of its runs is "
            f"{better} than one of {self.baseline}'s. 95% intervals.",
        )
        title = f"{self.metric} at the end ({better} is better)"
        return Report(title, ("condition", "mean", "runs", "difference", "better"), rows, notes)

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "metric": self.metric,
            "better": "lower" if self.lower else "higher",
            "baseline": self.baseline,
            "conditions": [found.as_json() for found in self.conditions],
        }


def compare(
    *measured: Measured,
    metric: str | None = None,
    baseline: str | int = 0,
    lower: bool | None = None,
) -> Comparison:
    """Compares the conditions of studies and recorded runs at the end of their runs.

    Each is compared with a baseline, given by its label or its number: the difference of the means
    and the probability that a run is better than a run of the baseline. If `lower` is not given,
    the metric's name decides which direction is better.
    """
    with conditions(*measured) as found:
        known = metrics_of(found)
        metric = check_metric(metric, known, "nothing was measured yet")
        values = {c.label: c.source.final(c.config, metric) for c in found}
        parameters = {c.label: c.parameters for c in found}
    values = {label: kept for label, v in values.items() if len(kept := v[~np.isnan(v)])}
    if len(values) < 2:
        raise InputError(
            f"{metric!r} is known of {len(values)} condition: it takes two to compare, each with a "
            "finished run"
        )
    base = _baseline(baseline, list(values))
    fewer = lower_is_better(metric) if lower is None else lower
    sign = -1.0 if fewer else 1.0
    rows = [
        Compared(
            label,
            parameters[label],
            summary(own),
            None if label == base else difference(own, values[base]),
            None if label == base else probability_of_improvement(sign * own, sign * values[base]),
        )
        for label, own in values.items()
    ]
    others = tuple(name for name in known if name != metric)
    return Comparison(metric, fewer, base, tuple(rows), others)


def _baseline(wanted: str | int, labels: list[str]) -> str:
    text = str(wanted).strip()
    if text in labels:
        return text
    if text.isdigit() and int(text) < len(labels):
        return labels[int(text)]
    known = ", ".join(f"{number} ({label})" for number, label in enumerate(labels))
    raise InputError(f"no condition {text!r} to compare with: there is {known}")


def number_text(value: float, digits: int = 4) -> str:
    """The first digits that count, and never fewer than a whole number has."""
    return f"{value:,.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{number_text(low, 3)} to {number_text(high, 3)}"


def _estimate(found: Estimate, signed: bool = False) -> str:
    """A difference, or else a probability, with its interval."""
    value, low, high = (f"{number:+.2g}" if signed else f"{number:.2f}" for number in found)
    return value if math.isnan(found.low) else f"{value} ({low} to {high})"


def _finite(found: Estimate) -> list[float | None]:
    return [None if math.isnan(number) else number for number in found]
