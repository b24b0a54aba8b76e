"""The agents of a paper: of each condition the best, the median and the worst, ready to play.

A study keeps what it measured, and not its agents: a run is a function of its condition and seed,
so the runs that are chosen are trained again, which gives the same agents bit for bit. Files hold
what it takes to play, and no state of training.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from inarow.game import InputError
from inarow.game.files import write_whole
from inarow.lab.studies.conditions import lower_is_better
from inarow.lab.studies.study import work_of
from inarow.lab.training.driver import KNOWN, options_in
from inarow.lab.training.run import Run, Stop, continue_training
from inarow.papers.measures import Label, ResultRow
from inarow.papers.paper import Paper
from inarow.papers.study import Condition, Part, Request, RunScores, ranked_runs

FOLDER, LIST = "agents", "agents.json"
CHOSEN, ALL, NONE = "best", "all", "none"
CHOICES = (CHOSEN, ALL, NONE)
PREFERRED = ("perfect", "won", "chance won", "unbeatable", "end", "lost")  # metrics, best first


class KeptAgent(NamedTuple):
    """An agent of a finished condition."""

    file: str  # in the folder of the paper's results
    labels: dict[str, Label]
    seed: int
    rank: str  # best, median, worst; or its place among all
    metric: str
    value: float


class _Job(NamedTuple):
    kept: KeptAgent
    condition: Condition
    path: Path


def keep_agents(paper: Paper, part: Part, request: Request, which: str = CHOSEN) -> list[KeptAgent]:
    """Train the chosen runs of a part's finished conditions again and save their agents."""
    if which == NONE or part.own or request.finished:
        return []
    jobs = [job for scores in ranked_runs(paper.name, part, request)
            for job in _jobs(scores, part, request.folder, which)]  # fmt: skip
    missing = [job for job in jobs if not job.path.is_file()]
    with ThreadPoolExecutor(request.workers or os.cpu_count() or 1) as pool:
        for number, _ in enumerate(pool.map(_save, missing), start=1):
            request.report("agents", number / len(missing))
    _remember(request.folder, part.name, [job.kept for job in jobs])
    return [job.kept for job in jobs]


def _jobs(scores: RunScores, part: Part, folder: Path, which: str) -> Iterator[_Job]:
    condition = scores.condition
    if not (part.keeps(condition) and _saver(condition)):
        return
    metric = _metric(part, scores.values)
    values = scores.values[metric]
    sign = 1.0 if lower_is_better(metric) else -1.0
    order = sorted(range(len(values)), key=lambda n: (sign * values[n], scores.seeds[n]))
    if which == ALL:
        chosen = {place: f"{number} of {len(order)}" for number, place in enumerate(order, 1)}
    else:
        last = len(order) - 1
        ranks = ((last, "worst"), (last // 2, "median"), (0, "best"))
        chosen = {order[at]: rank for at, rank in ranks}
    name = Path(*map(_word, (str(label) for label in condition.labels.values())))
    for place, rank in sorted(chosen.items(), key=lambda item: order.index(item[0])):
        seed = scores.seeds[place]
        file = Path(FOLDER) / name.parent / f"{name.name}-{seed}.safetensors"
        labels = dict(condition.labels)
        kept = KeptAgent(file.as_posix(), labels, seed, rank, metric, float(values[place]))
        yield _Job(kept, condition, folder / file)


def _metric(part: Part, values: dict[str, Sequence[float]]) -> str:
    """Return what runs are ranked by: what the part says, or what all runs were tested in."""
    if part.ranked_by:
        return part.ranked_by
    for wanted in PREFERRED:
        for name in values:
            if name.startswith(wanted) and name != "lost":
                return name
    return next(iter(values))


def _word(label: str) -> str:
    return re.sub(r"[^A-Za-z0-9.+_-]+", "-", label).strip("-")


def _saver(condition: Condition) -> Callable[[_Job], None] | None:
    """Return how an agent of a condition is made; None where it trains none that plays alone."""
    kind = work_of(condition.work)
    if hasattr(kind, "save_agents"):
        return lambda job: kind.save_agents(job.condition.parameters, job.kept.seed, job.path)
    return _save_trained if condition.trains else None


def _save(job: _Job) -> None:
    saver = _saver(job.condition)
    assert saver is not None
    job.path.parent.mkdir(parents=True, exist_ok=True)
    saver(job)


def _save_trained(job: _Job) -> None:
    given = {**KNOWN, **job.condition.training}
    options = options_in(given)
    run = Run(given["game"], given["learner"], options, given["against"], job.kept.seed)
    continue_training(run, given["games"], Stop(given["stop_games"], given["check_every"]))
    run.export(job.path)


# The list of them


def _remember(folder: Path, part: str, kept: Sequence[KeptAgent]) -> None:
    """Write the list, and remove agents that were chosen once and are no longer."""
    if not kept:
        return
    known = _read(folder)
    files = {one.file for one in kept}
    for old in known.get(part, []):
        if old["file"] not in files:
            (folder / old["file"]).unlink(missing_ok=True)
    known[part] = [one._asdict() for one in kept]
    path = folder / FOLDER / LIST
    write_whole(path, (json.dumps(known, indent=1) + "\n").encode())


def _read(folder: Path) -> dict[str, list[ResultRow]]:
    path = folder / FOLDER / LIST
    if not path.is_file():
        return {}
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise InputError(f"{path} is no list of agents: {error}") from None


def kept_agents(folder: Path) -> list[KeptAgent]:
    """Return the agents that lie in a folder of results."""
    return [
        KeptAgent(**one)
        for found in _read(folder).values()
        for one in found
        if (folder / str(one["file"])).is_file()
    ]
