"""Conditions of studies: their curves over training games, and the settings in which they differ.

One description for every view: figures, terminals, notebooks. A source of curves is a study's
database, in a file or, of a run that was recorded, in memory. Settings that differ are said with
the options that were left at their defaults.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.game import InputError
from inarow.game.errors import suggestion
from inarow.lab.numbers import Scale, scale_of
from inarow.lab.players.protocols import name_of
from inarow.lab.statistics import Floats, summary
from inarow.lab.studies.store import StudyReader
from inarow.lab.studies.study import Config
from inarow.lab.training.driver import KNOWN, options_in
from inarow.learn.agent import LearnedAgent
from inarow.learn.learner import options_of
from inarow.learn.registry import learner as learner_of

Games = npt.NDArray[np.int64]
Point = tuple[float, float, float | None, float | None]  # games, height, and its 95% interval

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
PREFERRED = ("score", "exploitability", "chance won", "won", "chance", "lost")
OF_TRAINING = ("lost", "games")


class Condition(NamedTuple):
    """A config of a source, and what to call it."""

    label: str
    source: StudyReader
    config: int
    parameters: Config  # of the config


@dataclass(frozen=True)
class Curve:
    """A metric over training games: the mean over runs, with a 95% interval for several."""

    label: str
    points: tuple[Point, ...]
    runs: int

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
        names = ("games", "mean", "low", "high")
        points = [dict(zip(names, point, strict=True)) for point in self.points]
        return {"label": self.label, "runs": self.runs, "points": points}


def conditions_of(sources: Sequence[tuple[str, StudyReader]]) -> list[Condition]:
    """Return all configs of some sources, each with a label that no other has."""
    places = [(n, s, c, said) for n, s in sources for c, said in enumerate(s.configs())]
    labels = labels_of([said for *_, said in places])
    if len(set(labels)) < len(labels):
        both = zip(places, labels, strict=True)
        labels = [f"{place[0]}: {label}" if label else place[0] for place, label in both]
    named = zip(labels, places, strict=True)
    return [Condition(label, source, config, said) for label, (_, source, config, said) in named]


def labels_of(configs: Sequence[Config]) -> list[str]:
    """Return what tells configs apart: the parameters in which they differ."""
    varied = varied_parameters(configs)
    varied = [name for name in varied if name not in ABOUT_MEASURING] or varied
    if len(varied) == 1:
        return [_value(config, varied[0]) for config in configs]
    return [", ".join(filter(None, (_part(config, name) for name in varied))) for config in configs]


def _value(config: Config, name: str) -> str:
    """A parameter alone."""
    absent = "itself" if name == "against" else f"no {name}"
    return str(absent if config.get(name) is None else config[name])


def _part(config: Config, name: str) -> str:
    """What a label of several parameters says of one: nothing where it is not given."""
    if name == "against" and "learner" in config:
        return f"against {_value(config, name)}"
    return str(config.get(name, "")) if name in ("game", "learner") else label_of(config, [name])


def varied_parameters(configs: Sequence[Config]) -> list[str]:
    """Return the parameters in which configs differ."""
    names, missing = dict.fromkeys(name for config in configs for name in config), object()
    return [
        name
        for name in names
        if any(config.get(name, missing) != configs[0].get(name, missing) for config in configs)
    ]


def label_of(parameters: Config, names: Sequence[str]) -> str:
    """Return some of a config's parameters in one line."""
    return ", ".join(f"{name} {parameters[name]}" for name in names if name in parameters)


def curve_of(condition: Condition, metric: str) -> Curve | None:
    """The curve of a metric; None where it was not measured at two numbers of games or more."""
    games, values = condition.source.curve(condition.config, metric, unfinished=True)
    ended = np.arange(len(values)) < len(condition.source.finished(condition.config))
    measured = ~np.isnan(values)
    values, ended = values[measured.any(axis=1)], ended[measured.any(axis=1)]
    if not (measured.sum(axis=1) > 1).any():
        return None
    (shown, held), scale = _held(values, ended), scale_of(metric)
    points = tuple(
        _point(int(number), column[~np.isnan(column)], scale)
        for number, column in zip(games[shown], held[:, shown].T, strict=True)
    )
    return Curve(condition.label, points, len(values))


def _held(values: Floats, ended: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.bool_], Floats]:
    """Return which columns to show, and the values, with ended runs carried forward.

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


def _point(games: int, values: Floats, scale: Scale) -> Point:
    found = summary(values, scale)
    if found.runs == 1:
        return games, found.mean, None, None
    return games, found.mean, found.low, found.high


def metrics_of(conditions: Sequence[Condition], curves: bool = False) -> list[str]:
    """Return what was measured in any condition; if asked for, only what makes a curve.

    What most conditions have comes first, so that the one to show leaves out as few as can be;
    last, what counts the games of training and not the agent that it made.
    """
    found = dict[str, int]()
    for condition in conditions:
        for metric in condition.source.metrics(condition.config):
            if not curves or has_curve(condition, metric):
                found[metric] = found.get(metric, 0) + 1
    return sorted(
        found, key=lambda metric: (metric in OF_TRAINING, -found[metric], _rank(metric), metric)
    )


def has_curve(condition: Condition, metric: str) -> bool:
    """Whether a metric was measured at two numbers of games or more."""
    _, values = condition.source.curve(condition.config, metric, unfinished=True)
    return bool((np.count_nonzero(~np.isnan(values), axis=1) > 1).any())


def _rank(metric: str) -> int:
    starts = [number for number, start in enumerate(PREFERRED) if metric.startswith(start)]
    return starts[0] if starts else len(PREFERRED)


def check_metric(metric: str | None, known: Sequence[str], nothing: str) -> str:
    """Return the metric that was asked for, or the one to show."""
    if not known:
        raise InputError(nothing)
    if metric is not None and metric not in known:
        near = suggestion(metric, known)
        raise InputError(f"no metric {metric!r} was measured{near}; there is {', '.join(known)}")
    return metric or known[0]


def left_out(
    conditions: Sequence[Condition], shown: Collection[str], known: Sequence[str], metric: str
) -> list[str]:
    """A line for each condition that a metric says nothing of: why, and how it is seen."""
    lines = []
    for condition in conditions:
        if condition.label in shown:
            continue
        has = condition.source.metrics(condition.config)
        name = condition.label or "the only condition"
        if metric in has:
            why = "it has no finished run yet, or measured this only once"
        else:
            others = [other for other in known if other in has]
            why = f"it did not measure {metric}"
            why += f"; --metric {quote(others[0])} shows it" if others else ""
        lines.append(f"Left out: {name}: {why}.")
    return lines


def lower_is_better(metric: str) -> bool:
    """Return whether less of a metric is an improvement, by its name."""
    words = ("exploitability", "lost", "loss", "mistake", "games")
    return any(word in metric for word in words)


# How long a run is: it differs without being in a label.
BUDGET = ("games", "stop_games")
SHOWN = 4  # labels named for one value


def settings_of(config: Config) -> Config:
    """The budget and all options of a training run, defaults included; else what is given."""
    if "learner" not in config:
        return dict(config)
    given = {**KNOWN, **config}
    try:
        options: Config = dict(options_of(learner_of(given["learner"], options_in(config))))
    except InputError:  # a learner that is not known here
        options = options_in(config)
    # Against itself a learner learns both sides, whatever its option says.
    side = options.pop("side", "both") if given["against"] is not None else "both"
    options.pop("side", None)
    return {**{name: given[name] for name in BUDGET}, "side": side, **options}


def unknown_learners(configs: Sequence[Config]) -> list[str]:
    """The learners of configs whose options are not known here."""
    found = dict.fromkeys(str(config["learner"]) for config in configs if "learner" in config)
    unknown = []
    for name in found:
        try:
            learner_of(name)
        except InputError:
            unknown.append(name)
    return unknown


def differences_of(conditions: Sequence[Condition]) -> list[str]:
    """What their labels do not say: options left at defaults, or given to some alone."""
    configs = [condition.parameters for condition in conditions]
    said = [n for n in varied_parameters(configs) if all(n in config for config in configs)]
    unsaid = {
        condition.label: {n: v for n, v in settings_of(config).items() if n not in said}
        for condition, config in zip(conditions, configs, strict=True)
        if "learner" in config
    }
    lines = differing_settings(unsaid)
    told = [f"Options that differ, defaults included: {'; '.join(lines)}."] if lines else []
    if len(configs) > 1:
        told += [
            f"The defaults of {name} are not known here: --learner module:Class makes them known."
            for name in unknown_learners(configs)
        ]
    return told


def differences_of_agents(players: Sequence[object]) -> list[str]:
    """How the training of learned agents differed, as their files say."""
    made = {
        name_of(each): each.header
        for each in players
        if isinstance(each, LearnedAgent) and each.header is not None
    }
    settings = {
        name: {
            "learner": header.learner,
            "games": header.games,
            "against": header.against or "itself",
            "seed": header.seed,
            **header.options,
        }
        for name, header in made.items()
    }
    lines = differing_settings(settings)
    return [f"How they were trained, where it differs: {'; '.join(lines)}."] if lines else []


def differing_settings(settings: Mapping[str, Config]) -> list[str]:
    """A line for each setting that several labels have with different values."""
    lines = []
    for name in dict.fromkeys(name for config in settings.values() for name in config):
        values: dict[str, list[str]] = {}
        for label, config in settings.items():
            if name in config:
                values.setdefault(_text(config[name]), []).append(label)
        if len(values) > 1:
            said = (f"{value} ({_labels(labels)})" for value, labels in values.items())
            lines.append(f"{name}: {', '.join(said)}")
    return lines


def _text(value: object) -> str:
    """Numbers that are equal are written alike, be they given as text or not."""
    try:
        return f"{float(str(value)):g}" if not isinstance(value, bool) else _word(value)
    except ValueError:
        return str(value)


def _word(value: bool) -> str:
    return "yes" if value else "no"


def _labels(labels: list[str]) -> str:
    more = len(labels) - SHOWN
    return "; ".join(labels) if more <= 1 else f"{'; '.join(labels[:SHOWN])}; {more} more"
