"""A study: a grid of configs, each run with many seeds, and what such a run must be able to do.

A config is a set of parameters; a config with a seed is a *unit*. What a unit does is said by a
`Work`, found by a dotted name, so that any process on any machine can import it. Nothing here
knows about games or learning.
"""

from __future__ import annotations

import importlib
import itertools
import json
import math
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

from inarow.game import InputError
from inarow.game.errors import suggestion
from inarow.game.files import read_whole
from inarow.game.plugins import load_address, look_in

DEFAULT_WORK = "inarow.lab.training.driver:TrainingWork"
# Works that have moved: databases of studies hold the names they were begun with.
MOVED = {
    "inarow.lab.training_work:TrainingWork": DEFAULT_WORK,
    "inarow.lab.minimax_work:GameWork": "inarow.papers.connect_four.minimax:GameWork",
    "inarow.lab.ntuple_work:TDLWork": "inarow.papers.connect_four.tdl:TDLWork",
    "inarow.lab.ntuple_work:TrainedOnWork": "inarow.papers.connect_four.tdl:TrainedOnWork",
    "inarow.lab.pair_work:PairWork": "inarow.papers.connect_four.tdl:PairWork",
    "inarow.lab.speed:SpeedWork": "inarow.papers.speed:SpeedWork",
}
AS_IN = "as_in"  # a parameter of a study file: the settings of a paper, by name
NAMED_SETTINGS = "inarow.papers.addresses:settings"  # found late: papers are made of this room
LARGEST_FILE = 2**24  # bytes of a study's description
MAX_CONFIGS = 100_000

# The parameters of a unit, as JSON gives them back: what they may be is its work's to say.
Config = dict[str, Any]


class Measurement(NamedTuple):
    """Something measured. A unit measures a metric once at each number of games."""

    games: int  # how far the run was: games played (its x axis)
    metric: str
    value: float


class Work(Protocol):
    """One config with one seed, in progress.

    A work may have a class method `check(config)` that refuses what no run can be made of.

    A function of both: however it is cut in pieces, it goes through the same points and measures
    the same bits. Where it runs matters for networks only, which give the same bits where code is
    compiled for the same kind of processor (`lab.machine`).
    """

    @classmethod
    def begin(cls, config: Config, seed: int) -> Self:
        """Begin the unit."""

    @classmethod
    def resume(cls, config: Config, seed: int, state: bytes) -> Self:
        """Go on where `state` was taken."""

    def advance(self) -> list[Measurement] | None:
        """Advance to the next point and return its measurements.

        Points should be a second or so apart. A work of which some are not may have an attribute
        `deadline`: it is set to the time (of `time.monotonic`) at which the slice should end, and
        None says that the time came before the point.
        """

    @property
    def finished(self) -> bool:
        """Whether there is no next point."""

    @property
    def share(self) -> float:
        """Share of the work that is done, from 0 to 1: for progress."""

    def state(self) -> bytes:
        """Return all that is needed to resume."""


class Slice(NamedTuple):
    """A piece of a unit's work that was done in one go."""

    points: int  # how many it went on; a slice may end between two
    measurements: list[Measurement]
    state: bytes | None  # where to resume; None at the end
    finished: bool
    share: float


def run_slice(work: str, config: Config, seed: int, state: bytes | None, seconds: float) -> Slice:
    """Begin or resume a unit and advance it for that long, at least once."""
    until = time.monotonic() + seconds
    kind = work_of(work)
    unit = kind.begin(config, seed) if state is None else kind.resume(config, seed, state)
    points, measurements = 0, list[Measurement]()
    if hasattr(unit, "deadline"):
        unit.deadline = until
    while not unit.finished:
        measured = unit.advance()
        if measured is not None:
            measurements += [_checked(measurement) for measurement in measured]
            points += 1
        if time.monotonic() >= until:
            break
    finished = unit.finished
    share = 1.0 if finished else min(max(float(unit.share), 0.0), 1.0)
    return Slice(points, measurements, None if finished else unit.state(), finished, share)


def _checked(measurement: Measurement) -> Measurement:
    """Return a measurement in plain numbers, which every database and every statistic can hold."""
    games, metric, value = int(measurement.games), str(measurement.metric), float(measurement.value)
    if not math.isfinite(value):
        raise InputError(f"{metric} after {games} games is {value}, which is not a number")
    return Measurement(games, metric, value)


def check_configs(study: Study) -> None:
    """Raise InputError for a config that no run can be made of, before anything is run."""
    check = getattr(work_of(study.work), "check", lambda config: None)
    for number, config in enumerate(study.configs):
        try:
            check(config)
        except Exception as error:  # whatever a work stumbles over: a parameter that is not there
            kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
            text = f"config {number} {config_text(config)} cannot be run: {kind}{error}"
            raise InputError(text) from (error if kind else None)


def work_of(name: str) -> type[Work]:
    """Return the work with a dotted name, as `package.module:Class`, wherever it is today."""
    found = load_address(MOVED.get(name, name))
    for method in ("begin", "resume", "advance", "finished", "share", "state"):
        if not hasattr(found, method):
            raise InputError(f"{name!r} is not a work: it has no {method}")
    return found  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Study:
    """A grid of configs, and the work to do in each.

    The configs are stored as JSON would return them (lists, not tuples), so that the work gets the
    same parameters here, in another process and after a resume. A work that has moved has its name
    of today.
    """

    name: str
    configs: tuple[Config, ...]
    work: str = DEFAULT_WORK

    def __post_init__(self) -> None:
        if not self.name or self.name != " ".join(self.name.split()):
            raise InputError(f"a study cannot be called {self.name!r}: give it a name in one line")
        if not 1 <= len(self.configs) <= MAX_CONFIGS:
            raise InputError(f"a study has 1 to {MAX_CONFIGS:,} configs, not {len(self.configs):,}")
        object.__setattr__(self, "work", MOVED.get(self.work, self.work))
        texts = [config_text(config) for config in self.configs]
        object.__setattr__(self, "configs", tuple(json.loads(text) for text in texts))
        first: dict[str, int] = {}
        for number, config in enumerate(self.configs):
            before = first.setdefault(config_key(config), number)
            if before != number:
                raise InputError(f"configs {before} and {number} of the study are the same")


def config_text(config: Config) -> str:
    """Return a config as JSON, its parameters in their order."""
    if not isinstance(config, dict) or not all(isinstance(name, str) for name in config):
        raise InputError(f"a config is a set of named parameters, not {config!r}")
    try:
        text = json.dumps(config, allow_nan=False, ensure_ascii=False)
        text.encode()  # half a pair of surrogates is no text that a file could hold
        return text
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"config {str(config)[:200]} cannot be stored: {error}") from None


def config_key(config: Config) -> str:
    """Return the same text for the same parameters in any order."""
    return json.dumps(config, sort_keys=True)


def grid(**axes: object) -> tuple[Config, ...]:
    """Return configs for every combination of one value from each list; other values are shared.

    The parameters keep their order; the last list changes fastest.
    """
    lists = [values if isinstance(values, list | tuple) else [values] for values in axes.values()]
    number = math.prod(map(len, lists))
    if number > MAX_CONFIGS:
        raise InputError(f"a grid has at most {MAX_CONFIGS:,} configs, not {number:,}")
    return tuple(dict(zip(axes, choice, strict=True)) for choice in itertools.product(*lists))


def read_study(path: Path) -> Study:
    """Read the study that a TOML file describes.

    `name = "..."`, parameters that all configs share under `[fixed]`, lists to choose from under
    `[grid]`, and `work = "package.module:Class"` where it is not training. Instead of `[grid]`
    there may be several `[[grid]]`, each with configs of its own: what is no list there is one
    value for all of them.
    """
    try:
        said = tomllib.loads(read_whole(path, LARGEST_FILE).decode())
    except InputError:
        raise
    except RecursionError:
        raise InputError(f"{path} is not TOML that can be read: it is nested too deep") from None
    except ValueError as error:  # not text, not TOML, or a number of thousands of digits
        raise InputError(f"{path} is not TOML: {error}") from None
    look_in(path.parent)
    try:
        return _study_from(said)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _study_from(said: Config) -> Study:
    unknown = sorted(set(said) - {"name", "work", "fixed", "grid"})
    if unknown:
        parts = ("name", "work", "fixed", "grid")
        near = suggestion(unknown[0], parts)
        raise InputError(
            f"unknown {unknown[0]!r}{near}: a study has name, work, [fixed] and [grid]"
        )
    name, work = said.get("name", ""), said.get("work", DEFAULT_WORK)
    if not (isinstance(name, str) and isinstance(work, str)):
        raise InputError("name and work are texts")
    fixed, blocks = said.get("fixed", {}), said.get("grid", {})
    several = isinstance(blocks, list) and bool(blocks)
    if not several:
        blocks = [blocks]
    if not all(isinstance(table, dict) for table in (fixed, *blocks)):
        raise InputError("[fixed] and [grid] are tables of parameters")
    configs = list[Config]()
    for number, block in enumerate(blocks, 1):
        place = f"[[grid]] number {number}" if several else "[grid]"
        configs += _configs_of(fixed, block, place, several)
    return Study(name, tuple(configs), work)


def _configs_of(fixed: Config, block: Config, place: str, several: bool) -> tuple[Config, ...]:
    """The configs of one block: every combination of its choices."""
    choices = {}
    for parameter, given in block.items():
        values = [given] if several and not isinstance(given, list) else given
        if not isinstance(values, list) or not values:
            raise InputError(f"{parameter!r} in {place} is not a list of values to choose from")
        if parameter in fixed:
            raise InputError(f"{parameter!r} is both in [fixed] and in {place}")
        choices[parameter] = values
    configs = grid(**{p: [value] for p, value in fixed.items()}, **choices)
    return tuple(_with_named_settings(config) for config in configs)


def _with_named_settings(config: Config) -> Config:
    """A config that names the settings of a paper, with them; what it says itself counts more."""
    if AS_IN not in config:
        return config
    module, _, attribute = NAMED_SETTINGS.partition(":")
    own = {name: value for name, value in config.items() if name != AS_IN}
    return {**getattr(importlib.import_module(module), attribute)(str(config[AS_IN])), **own}
