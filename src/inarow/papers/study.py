"""A part of a paper's study: its conditions, and how they are run and read.

A condition is a set of parameters with labels of its own, by which its results are found again.
Conditions with the same parameters share their runs; those of one game, work and group share a
database in the folder. Everything runs on `lab.runner`: with threads or Ray, resumed where
it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inarow.game import InputError
from inarow.lab.machine import made_with
from inarow.lab.runner import run_study
from inarow.lab.store import Store
from inarow.lab.study import DEFAULT_WORK, Config, Study, config_key
from inarow.papers.measures import Labels
from inarow.papers.results import Report, Results, Stored

QUICK, PAPER = "quick", "paper"


@dataclass(frozen=True)
class Request:
    """What is to be run, and where."""

    scale: str
    folder: Path  # for what is kept on the way
    report: Report = lambda text, share: None
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
    runs: Mapping[str, int] | None = None  # by scale, where not those of the part
    group: str = ""  # conditions of another group have a database of their own

    @property
    def game(self) -> str:
        """That it is labelled with, if any."""
        return str(self.labels.get("game", ""))


Read = Callable[[Store, int, int, Condition], Stored]  # config, runs: what a row holds


def read_finals(store: Store, config: int, runs: int, condition: Condition) -> Stored:
    """All that was measured at the end of each run, by seed."""
    del condition
    return {
        "finals": {
            metric: store.final(config, metric)[:runs].tolist() for metric in store.metrics(config)
        }
    }


@dataclass(frozen=True)
class Part:
    """A study of a paper."""

    name: str
    about: str
    conditions: Sequence[Condition] | Callable[[str], Sequence[Condition]]  # by scale, or of all
    runs: Mapping[str, int]  # for each scale: seeds of each condition
    read: Read = read_finals
    facts: Callable[[Request], Stored] = lambda request: {}  # what is no row
    seed: int = 0  # the first
    judged: tuple[str, ...] = (QUICK, PAPER)  # scales that are long enough for verdicts
    joins: str = ""  # another part: its labels find these rows too

    @property
    def scales(self) -> tuple[str, ...]:
        """How much can be run."""
        return tuple(self.runs)


@dataclass
class _Group:
    """The conditions that share a database."""

    work: str
    runs: int
    conditions: list[Condition] = field(default_factory=list)

    def study(self, name: str) -> tuple[Study, list[int]]:
        """The study, and the number of each condition's config."""
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
    """Runs what is missing of a part, in databases in the folder, and reads it."""
    if request.scale not in part.runs:
        raise InputError(f"unknown scale {request.scale!r}: there is {', '.join(part.runs)}")
    conditions = _chosen(part, request)
    groups: dict[tuple[str, str, str], _Group] = {}
    for condition in conditions:
        runs = request.runs or (condition.runs or part.runs)[request.scale]
        key = (condition.game, condition.work, condition.group)
        groups.setdefault(key, _Group(condition.work, runs)).conditions.append(condition)
    rows: dict[int, Stored] = {}
    for number, group in enumerate(groups.values()):
        found = _run_group(f"{paper} {part.name}", part, request, group, number, len(groups))
        rows |= found
    ordered = [rows[id(condition)] for condition in conditions if id(condition) in rows]
    if not ordered:
        raise InputError(f"{request.folder} has no finished run of part {part.name}")
    facts = part.facts(request)
    made = made_with(request.on)
    return Results(
        paper, part.name, request.scale, ordered, facts, made, request.runs, request.seed
    )


def _chosen(part: Part, request: Request) -> list[Condition]:
    given = part.conditions
    conditions = list(given(request.scale) if callable(given) else given)
    games = list(dict.fromkeys(c.game for c in conditions if c.game))
    if request.game is None:
        return conditions
    if request.game not in games:
        there = f"plays {' and '.join(games)}, not {request.game!r}" if games else "has no --game"
        raise InputError(f"this study {there}")
    return [condition for condition in conditions if condition.game == request.game]


def _run_group(
    title: str, part: Part, request: Request, group: _Group, number: int, groups: int
) -> dict[int, Stored]:
    """The rows of a group, by condition."""
    game = group.conditions[0].game
    work = "" if group.work == DEFAULT_WORK else group.work.rpartition(":")[2]
    own = group.conditions[0].group
    name = " ".join(filter(None, (title, request.scale, game, work, own)))
    plain = "".join(c if c.isalnum() else "-" for c in name)  # not every system takes the others
    path = request.folder / f"{plain}.db"
    study, places = group.study(name)
    seed = part.seed if request.seed is None else request.seed

    def tell(share: float) -> None:
        request.report(game or part.name, (number + share) / groups)

    if not request.finished:
        run_study(study, path, group.runs, request.workers, request.on, tell, seed=seed)
    elif not path.is_file():
        return {}
    seeds = range(seed, seed + group.runs)
    with Store.open(path, seeds, known=not request.finished) as store:
        runs = [len(store.finished(place)) for place in places]
        return {
            id(condition): {
                **condition.labels,
                "runs": number,
                **part.read(store, place, number, condition),
            }
            for condition, place, number in zip(group.conditions, places, runs, strict=True)
            if number
        }
