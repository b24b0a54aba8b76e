"""Tuning: a search whose worse settings stop early, kept as an ordinary study.

All settings are drawn from the seed at the start, one from each equal share of every range, and
are the configs of the study; or Optuna proposes a few at a time, from how the others did in their
first run. They are run in rounds, one more seed for each that is still in the race. After a round
those leave whose mean is worse than the best one's by more than chance allows. What is run next
follows from what is stored, so a tuning that was stopped goes on as if it had not been, on any
number of workers. The best settings are run again with fresh seeds at the end: the mean that won a
race is too good.
"""

from __future__ import annotations

import importlib
import math
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from inarow.game import InputError
from inarow.game.errors import suggestion
from inarow.game.files import read_whole
from inarow.game.plugins import look_in
from inarow.game.progress import Progress
from inarow.game.report import HasReport, Report
from inarow.lab.numbers import interval_text, number_text, scale_of
from inarow.lab.statistics import Summary, student, summary
from inarow.lab.studies.conditions import label_of, lower_is_better
from inarow.lab.studies.runner import run_units
from inarow.lab.studies.store import Key, Store
from inarow.lab.studies.study import LARGEST_FILE, Config, Study

FRESH = 1_000_000  # seeds of the last runs of the best settings, from here on
SEEDS_EACH = 4  # runs that the budget has for each setting, where their number is not given
DIGITS = 3  # of a number that is drawn
TRIES = 1000  # draws until all settings differ
MANY = 10_000  # settings of a tuning, for seeds of Optuna that differ
SAMPLERS = ("random", "optuna")
PROPOSED = 4  # settings that Optuna proposes at a time, or an eighth of all if that is more
PARTS = (
    *("metric", "better", "parameters", "settings", "runs", "seconds", "fresh", "seed"),
    "sampler",
)


class Range(NamedTuple):
    """A parameter that is drawn between two numbers."""

    low: float
    high: float
    logarithmic: bool = False
    whole: bool = False

    def at(self, share: float) -> float:
        """Return the value that so much of the range lies below."""
        if self.logarithmic:
            value = math.exp(math.log(self.low) * (1 - share) + math.log(self.high) * share)
        else:
            value = self.low * (1 - share) + self.high * share
        return self.rounded(value)

    def rounded(self, value: float) -> float:
        """Return a number of the range as settings have it: with few digits."""
        return round(value) if self.whole else float(f"{value:.{DIGITS}g}")


Choices = tuple[object, ...]
NOTHING_TRIED = "The time was too short to try others: give more seconds."


@dataclass(frozen=True)
class Tuning:
    """What is tuned: a run, the parameters to choose, the metric, and what it may cost."""

    name: str
    fixed: Config
    parameters: Mapping[str, Range | Choices]
    metric: str
    runs: int  # in all; with `seconds`, at most
    settings: int  # how many are drawn
    fresh: int = 10  # runs of the best settings with fresh seeds, among `runs`
    seconds: float = math.inf  # of processor time
    seed: int = 0
    better: str = ""  # lower or higher; empty: what the metric's name says
    sampler: str = "random"  # one of SAMPLERS: who draws the settings

    @property
    def lower(self) -> bool:
        """Whether less of the metric is better."""
        return self.better == "lower" if self.better else lower_is_better(self.metric)

    def study(self) -> Study:
        """Return the study: one config for each of the settings."""
        random = np.random.default_rng([self.seed, self.settings])
        found: dict[str, Config] = {}
        for _ in range(TRIES):
            for config in self._draw(random):
                found.setdefault(repr(config), {**self.fixed, **config})
            if len(found) >= self.settings:
                return Study(self.name, tuple(found.values())[: self.settings])
        raise InputError(f"there are only {len(found)} different settings, not {self.settings}")

    def may_have(self, config: Config) -> bool:
        """Return whether a config may be one of the settings, whoever drew it."""
        for name, space in self.parameters.items():
            value = config.get(name)
            if isinstance(space, Range):
                low, high = space.rounded(space.low), space.rounded(space.high)
                if not isinstance(value, int | float) or not low <= value <= high:
                    return False
            elif value not in space:
                return False
        return {n: v for n, v in config.items() if n not in self.parameters} == self.fixed

    def _draw(self, random: np.random.Generator) -> list[Config]:
        """Draw as many settings as there are, each parameter once from each share of its range."""
        drawn: list[Config] = [{} for _ in range(self.settings)]
        for name, space in self.parameters.items():
            places = random.permutation(self.settings)
            for config, place in zip(drawn, places.tolist(), strict=True):
                share = (place + random.random()) / self.settings
                if isinstance(space, Range):
                    config[name] = space.at(share)
                else:
                    config[name] = space[int(share * len(space))]
        return drawn


def read_tuning(path: Path) -> Tuning:
    """Read a TOML file with name, [fixed] and [tune]: see docs/reference/study-files.md."""
    try:
        said = tomllib.loads(read_whole(path, LARGEST_FILE).decode())
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not TOML: {error}") from None
    look_in(path.parent)
    try:
        return _tuning(said)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _tuning(said: Config) -> Tuning:
    _only(said, ("name", "fixed", "tune"), "a tuning has")
    fixed, told = said.get("fixed", {}), said.get("tune")
    if not isinstance(fixed, dict) or not isinstance(told, dict):
        raise InputError("[fixed] and [tune] are tables; [tune] has metric, runs and parameters")
    _only(told, PARTS, "[tune] has")
    if not isinstance(told.get("metric"), str):
        raise InputError('[tune] says what is best: metric = "exploitability", for example')
    if told.get("better", "lower") not in ("lower", "higher"):
        raise InputError(f"better is lower or higher, not {told['better']!r}")
    spaces = told.get("parameters")
    if not isinstance(spaces, dict) or not spaces:
        raise InputError("[tune.parameters] says what to choose: alpha = { from = 0.01, to = 1 }")
    parameters = {name: _space(name, given) for name, given in spaces.items()}
    if both := sorted({*parameters} & {*fixed}):
        raise InputError(f"{both[0]!r} is both in [fixed] and in [tune.parameters]")
    fresh, seed = _whole(told, "fresh", 10, 2), _whole(told, "seed", 0, 0)
    runs = _whole(told, "runs", 0, 0)
    if not runs and "seconds" not in told:
        raise InputError("[tune] says what it may cost: runs = 100, or seconds of processor time")
    runs = runs or FRESH
    settings = _whole(told, "settings", 0, 0)
    if not settings:
        if runs == FRESH:
            raise InputError("with seconds alone, say how many settings: settings = 20")
        settings = max(2, (runs - fresh) // SEEDS_EACH)
    if settings < 2 or runs < settings + fresh:
        raise InputError(
            f"{runs} runs are too few: {settings} settings, at least 2, take a run each, and the "
            f"best one {fresh} more"
        )
    seconds = told.get("seconds", math.inf)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise InputError(f"seconds must be a number above 0, not {seconds!r}")
    better, sampler = told.get("better", ""), told.get("sampler", "random")
    if sampler not in SAMPLERS:
        near = suggestion(str(sampler), SAMPLERS)
        raise InputError(f"unknown sampler {sampler!r}{near}: there is {', '.join(SAMPLERS)}")
    name = said.get("name", "tuning")
    return Tuning(
        *(name, fixed, parameters, told["metric"], runs, settings, fresh, seconds, seed, better),
        sampler=sampler,
    )


def _only(said: Config, known: Sequence[str], what: str) -> None:
    for name in said:
        if name not in known:
            raise InputError(
                f"unknown {name!r}{suggestion(name, known)}: {what} {', '.join(known)}"
            )


def _whole(said: Config, name: str, default: int, least: int) -> int:
    value = said.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InputError(f"{name} must be a whole number from {least}, not {value!r}")
    return value


def _space(name: str, given: object) -> Range | Choices:
    """A list to choose from, or a table with from, to and perhaps a scale."""
    if isinstance(given, list) and len(given) > 1:
        return tuple(given)
    if not isinstance(given, dict) or not {"from", "to"} <= {*given}:
        raise InputError(f"{name} is a list to choose from, or {{ from = 0.01, to = 1 }}")
    _only(given, ("from", "to", "scale"), f"{name} has")
    low, high, scale = given["from"], given["to"], given.get("scale", "linear")
    numbers = all(isinstance(n, int | float) and not isinstance(n, bool) for n in (low, high))
    if not numbers or not low < high:
        raise InputError(f"{name} goes from a number to a larger one, not from {low!r} to {high!r}")
    if scale not in ("linear", "log"):
        raise InputError(f"the scale of {name} is linear or log, not {scale!r}")
    if scale == "log" and low <= 0:
        raise InputError(f"a log scale begins above 0, not at {low!r}: {name}")
    whole = isinstance(low, int) and isinstance(high, int) and scale == "linear"
    return Range(low, high, scale == "log", whole and high - low > 1)


class Trial(NamedTuple):
    """Settings that were tried: their config's number, and the values of their runs."""

    config: int
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean of the runs."""
        return sum(self.values) / len(self.values)


def still_racing(trials: Sequence[Trial], lower: bool) -> list[Trial]:
    """Return trials that may be the best, best first: all with as many runs.

    Whose mean is worse than the best one's by more than the 95% interval of a difference leaves.
    The deviation of a run is taken from all of them together.
    """
    ranked = sorted(trials, key=lambda t: (t.mean if lower else -t.mean, t.config))
    runs = len(ranked[0].values)
    if runs < 2:
        return ranked
    freedom = len(ranked) * (runs - 1)
    squares = sum((value - trial.mean) ** 2 for trial in ranked for value in trial.values)
    least = student(freedom) * math.sqrt(2 / runs * squares / freedom)
    return [trial for trial in ranked if abs(trial.mean - ranked[0].mean) <= least]


@dataclass(frozen=True, repr=False)
class Tuned(HasReport):
    """What a tuning found."""

    tuning: Tuning
    configs: tuple[Config, ...]
    trials: tuple[Trial, ...]  # all, those with the most runs first, of these the best first
    fresh: Summary  # of the best settings, with fresh seeds

    @property
    def best(self) -> Config:
        """The parameters that won."""
        return {name: self.configs[self.trials[0].config][name] for name in self.tuning.parameters}

    @property
    def runs(self) -> int:
        """How many runs it took."""
        return sum(len(trial.values) for trial in self.trials) + self.fresh.runs

    def report(self) -> Report:
        """Return the report: the settings, best first, and the best one on fresh seeds."""
        names, scale = list(self.tuning.parameters), scale_of(self.tuning.metric)
        tried = [trial for trial in self.trials if trial.values]
        rows = [
            (
                label_of(self.configs[trial.config], names),
                number_text(trial.mean),
                f"{len(trial.values):,}",
            )
            for trial in tried
        ]
        ends = interval_text(self.fresh.low, self.fresh.high)
        notes = (
            f"Best: {label_of(self.best, names)}.",
            f"On {self.fresh.runs} fresh seeds: {number_text(self.fresh.mean)} ({ends}; 95%, "
            f"{scale.interval_name(self.fresh.runs)}). "
            + ("The mean above, by which it won, is too good." if tried else NOTHING_TRIED),
            f"{self.runs:,} runs of {self.tuning.name}.",
        )
        better = "lower" if self.tuning.lower else "higher"
        title = f"{self.tuning.metric} at the end ({better} is better)"
        return Report(title, ("settings", "mean", "runs"), rows, notes)

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
        trials = [
            {"parameters": self.configs[t.config], "mean": t.mean, "runs": len(t.values)}
            for t in self.trials
            if t.values
        ]
        return {
            "metric": self.tuning.metric,
            "better": "lower" if self.tuning.lower else "higher",
            "best": self.best,
            "fresh": self.fresh._asdict(),
            "runs": self.runs,
            "trials": trials,
        }


def tune(
    tuning: Tuning,
    path: str | Path,
    workers: int | None = None,
    on: str = "threads",
    progress: Progress | None = None,
) -> Tuned:
    """Tune, and keep the study at `path`; a tuning that is kept there goes on.

    With a budget of runs the result is a function of the tuning; seconds of processor time are
    counted from now on, and how far they reach depends on the machine.
    """
    path, began = Path(path), time.process_time()
    if tuning.sampler == "optuna":
        check_optuna()
        until = began + tuning.seconds
        study = _proposed(tuning, path, workers, on, progress, until)
    else:
        study = tuning.study()
    racing = [Trial(config, ()) for config in range(len(study.configs))]
    out = list[Trial]()
    left, round_ = tuning.runs - tuning.fresh, 0
    while left > 0 and len(racing) > 1 and time.process_time() - began < tuning.seconds:
        out += racing[left:]  # the budget has no more runs for these
        units = [Key(trial.config, tuning.seed + round_) for trial in racing[:left]]
        values = _values(tuning, study, path, units, workers, on)
        racing = [
            Trial(trial.config, (*trial.values, value))
            for trial, value in zip(racing, values, strict=False)
        ]
        left -= len(racing)
        round_ += 1
        staying = still_racing(racing, tuning.lower)
        out += [trial for trial in racing if trial not in staying]
        racing = staying
        if progress is not None:
            progress(1 - (left + tuning.fresh) / tuning.runs)
    fresh = [Key(racing[0].config, FRESH + run) for run in range(tuning.fresh)]
    last = _values(tuning, study, path, fresh, workers, on)
    out.sort(key=lambda t: (-len(t.values), t.mean if tuning.lower else -t.mean))
    return Tuned(tuning, study.configs, (*racing, *out), summary(last, scale_of(tuning.metric)))


def _proposed(
    tuning: Tuning,
    path: Path,
    workers: int | None,
    on: str,
    progress: Progress | None,
    until: float,
) -> Study:
    """Return the settings that Optuna proposes, each of which has had its first run then.

    What is kept at `path` counts, and a proposal follows from the first runs before it: a tuning
    that was stopped goes on with the same settings if the version of Optuna is the same.
    """
    configs, step = _kept(tuning, path), max(PROPOSED, tuning.settings // 8)
    study, values = Study(tuning.name, tuple(configs or [tuning.fixed])), list[float]()
    while not values or (len(values) < tuning.settings and time.process_time() < until):
        ready = min(len(values) + step, tuning.settings)
        if len(configs) < ready:
            new = _propose(tuning, configs[: len(values)], values, ready - len(values))
            before, study = study, Study(tuning.name, (*configs, *new))
            if configs:
                with Store.create(path, before) as store:
                    store.grow(study)
            configs += new
        units = [Key(config, tuning.seed) for config in range(ready)]
        values = _values(tuning, study, path, units, workers, on)
        if progress is not None:
            progress(len(values) / tuning.runs)
    return study


def _kept(tuning: Tuning, path: Path) -> list[Config]:
    """Return the settings that were proposed before; raise InputError for those of another one."""
    if not path.exists():
        return []
    with Store.open(path) as store:
        kept = store.study
    fits = kept.name == tuning.name and len(kept.configs) <= tuning.settings
    if not fits or not all(map(tuning.may_have, kept.configs)):
        raise InputError(
            f"{path} holds other settings than those of {tuning.name!r}: choose another file"
        )
    return list(kept.configs)


def check_optuna() -> None:
    """Raise InputError where Optuna is not installed."""
    try:
        importlib.import_module("optuna")
    except ImportError:
        raise InputError(
            "Optuna is not installed: pip install 'inarow[tune]' adds it (in a checkout "
            "'.[tune]'), and sampler = \"random\" needs none"
        ) from None


def _propose(
    tuning: Tuning, tried: Sequence[Config], values: Sequence[float], count: int
) -> list[Config]:
    """Return new settings by Optuna's TPE sampler, a function of those tried and the seed."""
    optuna = importlib.import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    kinds, spaces = optuna.distributions, dict[str, object]()
    for name, space in tuning.parameters.items():
        if not isinstance(space, Range):
            spaces[name] = kinds.CategoricalDistribution(list(range(len(space))))
        elif space.whole:
            spaces[name] = kinds.IntDistribution(space.low, space.high)
        else:
            ends = (space.rounded(space.low), space.rounded(space.high))
            spaces[name] = kinds.FloatDistribution(*ends, log=space.logarithmic)
    sampler = optuna.samplers.TPESampler(
        seed=len(tried) + tuning.seed * MANY,
        n_startup_trials=PROPOSED,  # drawn at random before it proposes any
        constant_liar=True,  # those that are asked for together keep apart
    )
    search = optuna.create_study(
        direction="minimize" if tuning.lower else "maximize", sampler=sampler
    )
    for config, value in zip(tried, values, strict=True):
        search.add_trial(
            optuna.trial.create_trial(
                params={
                    n: config[n] if isinstance(s, Range) else s.index(config[n])
                    for n, s in tuning.parameters.items()
                },
                distributions=spaces,
                value=value,
            )
        )
    found = dict[str, Config]()
    known = {repr(config) for config in tried}
    for _ in range(TRIES):
        drawn = search.ask(spaces).params
        config = dict(tuning.fixed)
        for name, space in tuning.parameters.items():
            config[name] = (
                space.rounded(drawn[name]) if isinstance(space, Range) else space[drawn[name]]
            )
        if repr(config) not in known:
            found.setdefault(repr(config), config)
        if len(found) == count:
            return list(found.values())
    raise InputError(
        f"there are only {len(tried) + len(found)} different settings, not {tuning.settings}"
    )


def _values(
    tuning: Tuning,
    study: Study,
    path: Path,
    units: Sequence[Key],
    workers: int | None,
    on: str,
) -> list[float]:
    """Run units, unless they are finished, and return their metric at the end."""
    run_units(study, path, units, workers, on, lambda share: None)
    with Store.open(path, known=True) as store:
        found = {}
        for config in {unit.config for unit in units}:
            seeds, last = store.finished(config), store.final(config, tuning.metric)
            found.update({Key(config, s): v for s, v in zip(seeds, last.tolist(), strict=True)})
            if not len(last) or np.isnan(last).all():
                known = ", ".join(store.metrics(config))
                near = suggestion(tuning.metric, store.metrics(config))
                raise InputError(
                    f"no metric {tuning.metric!r} was measured{near}: there is {known}"
                )
    return [found[unit] for unit in units]
