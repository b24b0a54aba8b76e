"""A part of a paper's study: its conditions, how they are run and read, and what is stored.

A condition is a set of parameters with labels of its own, by which its results are found again.
Conditions with the same parameters share their runs; those of one game, work and group share a
database in the folder. Everything runs on `lab.studies.runner`: with threads or Ray, resumed where
it was.
"""

from __future__ import annotations

import json
import lzma
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

import inarow
from inarow.engine.board import Int64s
from inarow.game import InputError
from inarow.game.files import read_whole, write_whole
from inarow.lab.machine import made_with
from inarow.lab.statistics import Floats
from inarow.lab.studies.runner import Stopped, run_study
from inarow.lab.studies.store import Key, Store
from inarow.lab.studies.study import (
    DEFAULT_WORK,
    Config,
    Measurement,
    Slice,
    Study,
    config_key,
    run_slice,
    work_of,
)
from inarow.papers.measures import Label, Labels, ResultRow

MEASURABLE = 0.2  # of a group's work has to be done in one go for its speed to be kept
PROBE, PROBE_SECONDS = "probe", 0.3  # of training, where no speed was kept: instead of a scale
TINY, QUICK, PAPER = "tiny", "quick", "paper"  # tiny: as short as possible, to try a study out

Progress = Callable[[str, float], None]  # what is being done now, and the share that is done


@dataclass(frozen=True)
class Request:
    """What is to be run, and where."""

    scale: str
    folder: Path  # for what is kept on the way
    report: Progress = lambda text, share: None
    runs: int | None = None  # seeds for each condition; None: as the scale says
    seed: int | None = None  # the first of them; None: as the part says
    game: str | None = None  # only this one of a paper's games
    workers: int | None = None
    on: str = "threads"
    finished: bool = False  # only reads what is finished


@dataclass(frozen=True)
class Condition:
    """What is run with many seeds."""

    labels: Labels
    parameters: Config
    work: str = DEFAULT_WORK
    runs: Mapping[str, int] = field(default_factory=dict)  # by scale, where not the part's
    group: str = ""  # conditions of another group have a database of their own

    @property
    def game(self) -> str:
        """The game in the labels, or nothing."""
        return str(self.labels.get("game", ""))

    @property
    def trains(self) -> bool:
        """Whether it is one training run of one learner, and nothing else."""
        from inarow.lab.training.driver import TrainingWork

        return issubclass(work_of(self.work), TrainingWork) and "start" not in self.parameters

    @property
    def training(self) -> Config:
        """Return the parameters of the training run, without those of its evaluations alone."""
        others = getattr(work_of(self.work), "EVALUATED_WITH", ())
        return {name: value for name, value in self.parameters.items() if name not in others}


def grid(labels: Mapping[str, Iterable[Label]], /, **parameters: Any) -> list[Condition]:
    """Return a condition for each combination of labels; the last label changes fastest.

    A parameter may be a function of the labels; all others are shared.
    """
    found = []
    for values in product(*labels.values()):
        named = dict(zip(labels, values, strict=True))
        made = {n: given(**named) if callable(given) else given for n, given in parameters.items()}
        found.append(Condition(named, made))
    return found


@dataclass(frozen=True)
class Runs:
    """The finished runs of a condition, as they are read for its row."""

    store: Store
    config: int
    number: int  # of runs
    condition: Condition

    @property
    def metrics(self) -> list[str]:
        """The names of all that was measured."""
        return self.store.metrics(self.config)

    def final(self, metric: str) -> Floats:
        """Return the last value of each run."""
        return self.store.final(self.config, metric)[: self.number]

    def curve(self, metric: str) -> tuple[Int64s, Floats]:
        """Return numbers of games, and the values of each run at them, [runs, points]."""
        games, values = self.store.curve(self.config, metric)
        return games, values[: self.number]


Read = Callable[[Runs], ResultRow]  # what a row holds
Cut = Callable[[Condition], Config | None]  # the parameters to change; None: leave it out


def shorter(games: int = 20, tests: int = 10, /, **changes: object) -> Cut:
    """Cut training to some games with two evaluations, and evaluations to some test games."""

    def cut(condition: Condition) -> Config:
        given = condition.parameters
        found: Config = {"games": games}
        if given.get("evaluate_every"):
            found["evaluate_every"] = games // 2
        if given.get("evaluate_at"):
            found["evaluate_at"] = [games // 2, games]
        if "evaluations" in given:
            found["evaluations"] = [_fewer(name, tests) for name in given["evaluations"]]
        return {**found, **{name: changes[name] for name in changes if name in given}}

    return cut


def _fewer(evaluation: str, tests: int) -> str:
    """Limit the first number in the name of an evaluation, which is its number of games."""
    words = evaluation.split(":")
    for place, word in enumerate(words):
        if word.isdecimal() and words[place - 1] != "level":  # level:8 is a player
            words[place] = str(min(int(word), tests))
            break
    return ":".join(words)


def read_finals(runs: Runs) -> ResultRow:
    """Return all that was measured at the end of each run, by seed."""
    return {"finals": {metric: runs.final(metric).tolist() for metric in runs.metrics}}


@dataclass(frozen=True)
class Part:
    """A study of a paper."""

    name: str
    about: str
    conditions: Sequence[Condition] | Callable[[str], Sequence[Condition]]  # by scale, or of all
    runs: Mapping[str, int]  # for each scale: seeds of each condition
    read: Read = read_finals
    facts: Callable[[Request], ResultRow] = lambda request: {}  # what is no row
    seed: int = 0  # the first
    judged: tuple[str, ...] = (QUICK, PAPER)  # scales that are long enough for verdicts
    default: str = QUICK  # the scale that is run unless another is asked for
    own: bool = False  # an addition of ours, beyond the document
    shown_with: str = ""  # another part: its labels find these rows too
    kept: tuple[str, ...] = ()  # how metrics begin that a long study keeps of finished runs
    tiny: Cut = field(default=shorter())  # how the quick conditions are cut at the tiny scale
    early: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # claims judged at a scale
    ranked_by: str = ""  # the metric that says which of its agents is the best
    keeps: Callable[[Condition], bool] = lambda condition: True  # agents of which conditions

    @property
    def scales(self) -> tuple[str, ...]:
        """The names of the scales."""
        return tuple(self.runs)

    def conditions_at(self, scale: str) -> list[Condition]:
        """Return the conditions of a scale."""
        made = self.conditions
        found = list(made(QUICK if scale == TINY else scale) if callable(made) else made)
        if scale != TINY:
            return found
        cuts = [(condition, self.tiny(condition)) for condition in found]
        return [
            replace(condition, parameters={**condition.parameters, **cut})
            for condition, cut in cuts
            if cut is not None
        ]


@dataclass
class _Group:
    """The conditions that share a database."""

    work: str
    runs: int
    conditions: list[Condition] = field(default_factory=list)

    @property
    def key(self) -> str:
        """What tells it from the other groups of a part."""
        first = self.conditions[0]
        return " ".join((first.game, self.work.rpartition(":")[2], first.group))

    @property
    def has_games(self) -> bool:
        """Whether the length of all runs is a number of games."""
        return all("games" in condition.parameters for condition in self.conditions)

    @property
    def work_in_all(self) -> int:
        """All games of all runs; runs where they are not counted in games."""
        return self.runs * sum(int(c.parameters.get("games", 1)) for c in self.conditions)

    def study(self, name: str) -> tuple[Study, list[int]]:
        """Return the study, and the number of each condition's config."""
        numbers: dict[str, int] = {}
        configs = list[Config]()
        places = list[int]()
        for condition in self.conditions:
            parameters = dict(condition.parameters)
            number = numbers.setdefault(config_key(parameters), len(configs))
            if number == len(configs):
                configs.append(parameters)
            places.append(number)
        return Study(name, tuple(configs), self.work), places


def run_part(paper: str, part: Part, request: Request) -> Results:
    """Run what is missing of a part, in databases in the folder, and read it."""
    if request.scale not in part.runs:
        raise InputError(f"unknown scale {request.scale!r}: there is {', '.join(part.runs)}")
    conditions = _chosen(part, request)
    groups = _groups(part, conditions, request)
    rows: dict[int, ResultRow] = {}
    path = request.folder / kept_name(paper, part.name)
    kept = load_kept(path) if part.kept else {}
    title = f"{paper} {part.name}"
    try:
        for number, group in enumerate(groups):
            rows |= _run_group(title, part, request, group, number, len(groups), kept)
    finally:  # what is finished is kept, also when the study is stopped
        if part.kept:
            save_kept(kept, path)
    ordered = [rows[id(condition)] for condition in conditions if id(condition) in rows]
    if request.finished:
        facts = _stored_facts(paper, part, request)
    else:
        begun = time.perf_counter()
        facts = part.facts(request)
        if facts and request.scale != TINY:
            keep_time(f"{paper} {part.name} {request.scale}", FACTS, time.perf_counter() - begun)
    if not ordered and not facts:
        raise InputError(f"{request.folder} has no finished run of part {part.name}")
    made = made_with(request.on)
    return Results(
        paper, part.name, request.scale, ordered, facts, made, request.runs, request.seed
    )


def _groups(part: Part, conditions: Sequence[Condition], request: Request) -> list[_Group]:
    """Return the conditions by the database that they share."""
    groups: dict[tuple[str, str, str], _Group] = {}
    for condition in conditions:
        runs = request.runs or {**part.runs, **condition.runs}[request.scale]
        key = (condition.game, condition.work, condition.group)
        groups.setdefault(key, _Group(condition.work, runs)).conditions.append(condition)
    return list(groups.values())


def expected_seconds(paper: str, part: Part, scale: str) -> float | None:
    """Return how long a scale of a part takes here; None if that was not measured yet.

    What other scales took says it too, where training games are all that makes the difference.
    """
    request = Request(scale, Path())
    total = 0.0
    for group in _groups(part, part.conditions_at(scale), request):
        rates = [
            (known, rate)
            for known in (scale, *(s for s in part.scales if s not in (scale, TINY)), PROBE)
            if (rate := time_of(f"{paper} {part.name} {known}", group.key)) is not None
        ]
        if not rates or (rates[0][0] != scale and not group.has_games):
            return None
        total += rates[0][1] * group.work_in_all / (os.cpu_count() or 1)
    facts = time_of(f"{paper} {part.name} {scale}", FACTS)
    return facts if facts is None and not total else total + (facts or 0.0)


def probe_speed(paper: str, part: Part, scale: str) -> None:
    """Measure the speed of what trains at a scale, and of which no speed was kept, for a moment.

    A group's speed is that of its condition with the most games; the first moment, in which code
    may be compiled, does not count.
    """
    for group in _groups(part, part.conditions_at(scale), Request(scale, Path())):
        scales = (PROBE, *(other for other in part.scales if other != TINY))
        known = [time_of(f"{paper} {part.name} {scale}", group.key) for scale in scales]
        if not group.has_games or any(seconds is not None for seconds in known):
            continue
        longest = max(group.conditions, key=lambda one: int(one.parameters["games"]))
        games, given = int(longest.parameters["games"]), dict(longest.parameters)
        first = run_slice(group.work, given, part.seed, None, 0.0)
        begun = time.perf_counter()
        second = run_slice(group.work, given, part.seed, first.state, PROBE_SECONDS)
        seconds = time.perf_counter() - begun
        played = games * (second.share - (first.share if first.state else 0.0))
        if played > 0:
            keep_time(f"{paper} {part.name} {PROBE}", group.key, seconds / played)


def _stored_facts(paper: str, part: Part, request: Request) -> ResultRow:
    """Return the facts of an earlier run at the same scale, if there was one."""
    path = request.folder / file_name(paper, part.name)
    stored = load(path) if path.is_file() else None
    return stored.facts if stored is not None and stored.scale == request.scale else {}


def _chosen(part: Part, request: Request) -> list[Condition]:
    conditions = part.conditions_at(request.scale)
    games = list(dict.fromkeys(c.game for c in conditions if c.game))
    if request.game is None:
        return conditions
    if request.game not in games:
        there = f"plays {' and '.join(games)}, not {request.game!r}" if games else "has no --game"
        raise InputError(f"this study {there}")
    return [condition for condition in conditions if condition.game == request.game]


def _database(title: str, request: Request, group: _Group) -> tuple[Path, str]:
    """Return where a group's runs are kept, and what its study is called."""
    work = "" if group.work == DEFAULT_WORK else group.work.rpartition(":")[2]
    first = group.conditions[0]
    name = " ".join(filter(None, (title, request.scale, first.game, work, first.group)))
    plain = "".join(c if c.isalnum() else "-" for c in name)  # not every system takes the others
    return request.folder / f"{plain}.db", name


@dataclass(frozen=True)
class RunScores:
    """The finished runs of a condition, and what was measured at their ends."""

    condition: Condition
    seeds: list[int]
    values: dict[str, Sequence[float]]  # by metric, in the order of the seeds


def ranked_runs(paper: str, part: Part, request: Request) -> Iterator[RunScores]:
    """Yield the finished runs of each condition of a part."""
    for group in _groups(part, _chosen(part, request), request):
        path, name = _database(f"{paper} {part.name}", request, group)
        if not path.is_file():
            continue
        _, places = group.study(name)
        first = part.seed if request.seed is None else request.seed
        with Store.open(path, range(first, first + group.runs)) as store:
            for condition, place in zip(group.conditions, places, strict=True):
                if seeds := list(store.finished(place)):
                    values = {m: store.final(place, m).tolist() for m in store.metrics(place)}
                    yield RunScores(condition, seeds, values)


def _run_group(
    title: str, part: Part, request: Request, group: _Group, number: int, groups: int, kept: Kept
) -> dict[int, ResultRow]:
    """Run a group and return its rows, by condition; its finished runs are added to those kept."""
    game = group.conditions[0].game
    path, name = _database(title, request, group)
    study, places = group.study(name)
    seed = part.seed if request.seed is None else request.seed

    shares = list[float]()

    def tell(share: float) -> None:
        shares.append(share)
        request.report(game or part.name, (number + share) / groups)

    if path.name in kept:
        with Store.create(path, study) as store:
            seed_store(store, study, kept[path.name])
    seeds = range(seed, seed + group.runs)
    if not request.finished:
        begun = time.perf_counter()
        try:
            run_study(study, path, group.runs, request.workers, request.on, tell, seed=seed)
        except Stopped:
            if part.kept:
                with Store.open(path, seeds, known=True) as store:
                    kept[path.name] = runs_of(store, study, part.kept)
            raise
        done = 1 - shares[0] if shares else 0.0
        timed = request.on == "threads" and request.scale != TINY
        if timed and done > MEASURABLE:
            cores = min(request.workers or os.cpu_count() or 1, group.runs * len(study.configs))
            seconds = cores * (time.perf_counter() - begun)
            about = f"{title} {request.scale}"
            keep_time(about, group.key, seconds / (done * group.work_in_all))
    elif not path.is_file():
        return {}
    with Store.open(path, seeds, known=not request.finished) as store:
        if part.kept:
            kept[path.name] = runs_of(store, study, part.kept)
        runs = [len(store.finished(place)) for place in places]
        return {
            id(condition): {
                **condition.labels,
                "runs": number,
                **part.read(Runs(store, place, number, condition)),
            }
            for condition, place, number in zip(group.conditions, places, runs, strict=True)
            if number
        }


# What parts took on this machine: seconds of one core for a unit of work, in the user's cache. They
# say how long a study will take, and nothing else hangs on them.

FACTS = "facts"  # of a part: seconds in all
Times = dict[str, dict[str, float]]  # by part and scale, then by group


def times_file() -> Path:
    """Return where they are kept."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(cache) / "inarow" / "study-times.json"


def _read() -> Times:
    try:
        found = json.loads(times_file().read_text(encoding="utf-8"))
        return {
            str(about): {str(group): float(seconds) for group, seconds in by_group.items()}
            for about, by_group in found.items()
        }
    except (OSError, ValueError, AttributeError, TypeError):  # none yet, or damaged: begun anew
        return {}


def time_of(about: str, group: str) -> float | None:
    """Return the seconds that were kept, if any were."""
    return _read().get(about, {}).get(group)


def keep_time(about: str, group: str, seconds: float) -> None:
    """Keep the seconds of a group of a part at a scale."""
    times = _read()
    times.setdefault(about, {})[group] = float(f"{seconds:.4g}")
    with suppress(InputError):  # a cache that cannot be written is no reason to stop
        write_whole(times_file(), json.dumps(times, indent=1).encode())


# Finished runs of a long study in one small file beside its results, from which another machine
# goes on: what a part reads of its runs. It seeds databases that lack these runs, so nothing is
# computed twice.

Kept = dict[str, ResultRow]  # the runs of each database, by its name and the run's


def kept_name(paper: str, part: str) -> str:
    """Return the name of the file that keeps the finished runs of a part."""
    return f"{paper}-{part}.runs.xz"


def load_kept(path: Path) -> Kept:
    """Read what `save_kept` wrote; nothing is kept where there is no file."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(lzma.decompress(read_whole(path)))
        version, kept = found["inarow"], found["runs"]
    except (lzma.LZMAError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} keeps no runs: {error}") from None
    if version != inarow.__version__:
        raise InputError(
            f"{path} keeps runs of inarow {version}, this is {inarow.__version__}, and"
            " measurements of the two do not mix"
        )
    return {str(name): dict(runs) for name, runs in kept.items()}


def save_kept(kept: Kept, path: Path) -> None:
    """Write the runs in a fixed order: the same runs make the same file."""
    ordered = {name: dict(sorted(kept[name].items())) for name in sorted(kept)}
    text = json.dumps({"inarow": inarow.__version__, "runs": ordered}, separators=(",", ":"))
    write_whole(path, lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def seed_store(store: Store, study: Study, runs: ResultRow) -> None:
    """Commit to a database the kept runs of its study that it has not finished."""
    places = {config_key(config): number for number, config in enumerate(study.configs)}
    ended = store.ended()
    missing = [
        (Key(places[config], run["seed"]), run)
        for run in runs.values()
        if (config := config_key(run["config"])) in places
        and (places[config], run["seed"]) not in ended
    ]
    store.commit((key, 0, _slice(run)) for key, run in missing)


def _slice(run: ResultRow) -> Slice:
    measured = [
        Measurement(games, metric, value)
        for metric, points in run["measured"].items()
        for games, value in zip(*points, strict=True)
    ]
    return Slice(run["points"], measured, None, True, 1.0)


def runs_of(store: Store, study: Study, metrics: Sequence[str]) -> ResultRow:
    """Return the finished runs of a database, with the metrics whose names begin so."""
    ended = {key: store.unit(key, whole=False).points for key in sorted(store.ended())}
    measured: dict[Key, dict[str, tuple[list[int], list[float]]]] = {key: {} for key in ended}
    for key, (games, metric, value) in store.measurements():
        if key in measured and metric.startswith(tuple(metrics)):
            points = measured[key].setdefault(metric, ([], []))
            points[0].append(games)
            points[1].append(int(value) if value == int(value) else value)
    return {
        run_name(study.configs[key.config], key.seed): {
            "config": study.configs[key.config], "seed": key.seed, "points": ended[key],
            "measured": measured[key],
        }
        for key in ended
    }  # fmt: skip


def run_name(config: Config, seed: int) -> str:
    """Return a name that sorts runs by config, then by seed."""
    return f"{config_key(config)} {seed:06}"


# Results


@dataclass(frozen=True)
class Results:
    """All that one run of a part of a study found."""

    paper: str
    part: str
    scale: str
    rows: list[ResultRow]  # one for each thing measured
    facts: ResultRow = field(default_factory=dict)  # what is no row
    made_with: dict[str, str] = field(default_factory=dict)  # versions and machine
    runs: int | None = None  # seeds for each condition, where they were not those of the scale
    seed: int | None = None  # the first of them, where it was not the study's

    @property
    def name(self) -> str:
        """Return the file name of the results."""
        return file_name(self.paper, self.part)

    def command(self, paper: str = "") -> str:
        """Return the command that makes them; `paper` is what is typed for it, if not its name."""
        chosen = f" --runs {self.runs}" if self.runs else ""
        chosen += "" if self.seed is None else f" --seed {self.seed}"
        chosen += " --on cuda" if "gpu" in self.made_with else ""
        asked = f"inarow reproduce {paper or self.paper} --part {self.part}"
        return f"{asked} --scale {self.scale}{chosen}"


def file_name(paper: str, part: str) -> str:
    """Return the name of the file with the results of a part."""
    return f"{paper}-{part}.json"


def save(results: Results, folder: Path) -> Path:
    """Store results, whole or not at all."""
    path = folder / results.name
    write_whole(path, (json.dumps(asdict(results), indent=1) + "\n").encode())
    return path


def load(path: Path) -> Results:
    """Return the results that `save` stored."""
    content = read_whole(path)
    try:
        return Results(**json.loads(content))
    except (ValueError, TypeError) as error:
        raise InputError(f"{path} holds no results: {error}") from None
