"""Curves of learning: a metric over training games, summed up over runs.

One description for every view: figures, terminals, notebooks. A source of curves is anything with
configs that were measured while they trained: a study's database, or a run that was recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from inarow.game import InputError
from inarow.lab.plot_style import Point
from inarow.lab.statistics import Floats, summary
from inarow.lab.study import Config

Games = npt.NDArray[np.int64]

# What says how a run was measured, not what it was: in a label only if nothing else differs.
ABOUT_MEASURING = (
    "games",
    "evaluations",
    "evaluate_every",
    "evaluate_at",
    "record",
    "stop_games",
    "check_every",
)
# The metrics to show if none is asked for, the first that was measured.
PREFERRED = ("score", "exploitability", "chance", "won", "lost")


class Source(Protocol):
    """Something that holds what was measured: `lab.store.Store`, `lab.recording.Recording`."""

    def configs(self) -> list[Config]:
        """The parameters of each config, by its number."""

    def metrics(self, config: int) -> list[str]:
        """What was measured in a config."""

    def finished(self, config: int) -> list[int]:
        """The seeds with which a config has run to its end."""

    def curve(self, config: int, metric: str, unfinished: bool = False) -> tuple[Games, Floats]:
        """Numbers of games, and the values there: [seeds, games], the finished runs first."""

    def final(self, config: int, metric: str) -> Floats:
        """The last value in each finished run."""


class Condition(NamedTuple):
    """A config of a source, and what to call it."""

    label: str
    source: Source
    config: int
    parameters: Config  # of the config


@dataclass(frozen=True)
class Curve:
    """A metric over training games: the mean over runs, with a 95% interval for several."""

    label: str
    points: tuple[Point, ...]
    runs: int

    def as_json(self) -> dict[str, object]:
        """For programs."""
        names = ("games", "mean", "low", "high")
        points = [dict(zip(names, point, strict=True)) for point in self.points]
        return {"label": self.label, "runs": self.runs, "points": points}


def conditions_of(sources: Sequence[tuple[str, Source]]) -> list[Condition]:
    """All configs of some sources, each with a label that no other has."""
    places = [(n, s, c, said) for n, s in sources for c, said in enumerate(s.configs())]
    labels = labels_of([said for *_, said in places])
    if len(set(labels)) < len(labels):
        both = zip(places, labels, strict=True)
        labels = [f"{place[0]}: {label}" if label else place[0] for place, label in both]
    named = zip(labels, places, strict=True)
    return [Condition(label, source, config, said) for label, (_, source, config, said) in named]


def labels_of(configs: Sequence[Config]) -> list[str]:
    """What tells configs apart: the parameters in which they differ."""
    varied = varied_parameters(configs)
    varied = [name for name in varied if name not in ABOUT_MEASURING] or varied
    if len(varied) == 1:
        return [str(config.get(varied[0], f"no {varied[0]}")) for config in configs]
    known = ("game", "learner")  # by their values
    return [
        ", ".join(
            str(config[name]) if name in known else label_of(config, [name])
            for name in varied
            if name in config
        )
        for config in configs
    ]


def varied_parameters(configs: Sequence[Config]) -> list[str]:
    """The parameters in which configs differ."""
    names, missing = dict.fromkeys(name for config in configs for name in config), object()
    return [
        name
        for name in names
        if any(config.get(name, missing) != configs[0].get(name, missing) for config in configs)
    ]


def label_of(parameters: Config, names: Sequence[str]) -> str:
    """Some of a config's parameters in one line."""
    return ", ".join(f"{name} {parameters[name]}" for name in names if name in parameters)


def curve_of(condition: Condition, metric: str) -> Curve | None:
    """The curve of a metric; None where it was not measured at two numbers of games or more."""
    games, values = condition.source.curve(condition.config, metric, unfinished=True)
    ended = np.arange(len(values)) < len(condition.source.finished(condition.config))
    measured = ~np.isnan(values)
    values, ended = values[measured.any(axis=1)], ended[measured.any(axis=1)]
    if not (measured.sum(axis=1) > 1).any():
        return None
    shown, held = _held(values, ended)
    points = tuple(
        _point(int(number), column[~np.isnan(column)])
        for number, column in zip(games[shown], held[:, shown].T, strict=True)
    )
    return Curve(condition.label, points, len(values))


def _held(values: Floats, ended: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.bool_], Floats]:
    """Which columns to show, and the values with a run that has ended keeping its last one.

    Runs that a stop rule ended early are as good as they were then; to leave them out would show
    a mean over those that learn slowly. A number of games that some run passed without measuring,
    as where another ended, is not shown: so nothing is guessed.
    """
    measured, columns = ~np.isnan(values), np.arange(values.shape[1])
    first = measured.argmax(axis=1)
    last = values.shape[1] - 1 - measured[:, ::-1].argmax(axis=1)
    between = (columns > first[:, None]) & (columns < last[:, None])
    shown = ~(between & ~measured).any(axis=0) & measured.any(axis=0)
    held = values.copy()
    for row in np.flatnonzero(ended):
        held[row, last[row] :] = values[row, last[row]]
    return shown, held


def _point(games: int, values: Floats) -> Point:
    found = summary(values)
    if found.runs == 1:
        return games, found.mean, None, None
    return games, found.mean, found.low, found.high


def metrics_of(conditions: Sequence[Condition], curves: bool = False) -> list[str]:
    """What was measured in any condition; if asked for, only what makes a curve."""
    found = list[str]()
    for condition in conditions:
        for metric in condition.source.metrics(condition.config):
            if metric not in found and (not curves or _has_curve(condition, metric)):
                found.append(metric)
    return sorted(found, key=lambda metric: (_rank(metric), metric))


def _has_curve(condition: Condition, metric: str) -> bool:
    _, values = condition.source.curve(condition.config, metric, unfinished=True)
    return bool((np.count_nonzero(~np.isnan(values), axis=1) > 1).any())


def _rank(metric: str) -> int:
    starts = [number for number, start in enumerate(PREFERRED) if metric.startswith(start)]
    return starts[0] if starts else len(PREFERRED)


def check_metric(metric: str | None, known: Sequence[str], nothing: str) -> str:
    """The metric that was asked for, or the one to show."""
    if not known:
        raise InputError(nothing)
    if metric is not None and metric not in known:
        raise InputError(f"no metric {metric!r} was measured; there is {', '.join(known)}")
    return metric or known[0]


def lower_is_better(metric: str) -> bool:
    """Whether less of a metric is an improvement, by its name."""
    words = ("exploitability", "lost", "loss", "mistake", "games")
    return any(word in metric for word in words)
