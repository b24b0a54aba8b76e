"""Curves of runs for other programs.

One description, in the forms that the command line knows: a database as `train --record` writes
it and `inarow plot` reads it, the CSV of `study export`, and as JSON a list of what `plot --json`
prints, one for each metric.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from inarow.game import InputError
from inarow.lab.plots.plot import plot
from inarow.lab.studies.results import export_csv
from inarow.lab.studies.store import Key, Store
from inarow.lab.studies.study import Config, Measurement, Slice, Study, config_text
from inarow.learn.learner import ITSELF
from inarow.ui.server.curves import Point, sampled_games
from inarow.ui.server.jobs import State
from inarow.ui.server.run_jobs import TrainingJob

KINDS = {"db": "database", "csv": "CSV", "json": "JSON"}  # by the ending of the file
NAME = "runs of the browser"


def export(jobs: Sequence[TrainingJob], kind: str) -> bytes:
    """A file of all curves, those of runs that go on as far as they are."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.db"
        _write(jobs, path)
        if kind == "json":
            first = plot(path)
            others = [plot(path, metric=metric) for metric in first.others]
            return json.dumps([drawn.as_json() for drawn in (first, *others)], indent=1).encode()
        if kind == "csv":
            with Store.open(path) as store:
                export_csv(store, path := path.with_suffix(".csv"))
        return path.read_bytes()


def metric_of(measure: str, side: str, tester: str) -> str:
    """What a measure of the page is called, as evaluations are."""
    if measure == "training":
        return "share lost in training"
    where = "" if side == "both" else f"as {side} "
    return f"{'' if measure == 'score' else 'share '}{measure} {where}against {tester}"


def _write(jobs: Sequence[TrainingJob], path: Path) -> None:
    """The study that the runs are: those that differ by their seed alone share a config."""
    configs, units = dict[str, Config](), dict[Key, TrainingJob]()
    for job in jobs:
        if job.points:
            config = _config(job)
            text = config_text(config)
            configs.setdefault(text, config)
            units.setdefault(Key(list(configs).index(text), job.order.seed), job)
    if not configs:
        raise InputError("nothing has been measured yet: wait for the first point of a curve")
    with Store.create(path, Study(NAME, tuple(configs.values()))) as store:
        store.commit([(key, 0, _slice(job)) for key, job in units.items()])


def _config(job: TrainingJob) -> Config:
    """The parameters of a run, as a study has them."""
    order = job.order
    sampled = (
        f":{sampled_games(order.game)}"
        if any(point.outcomes.sampled for point in job.points)
        else ""
    )
    where = "" if order.side == "both" else f":{order.side}"
    return {
        "game": order.game.name,
        "learner": order.learner,
        **({} if order.against == ITSELF else {"against": order.against}),
        "games": order.games,
        **order.options,
        "evaluations": [f"score:{order.tester}{sampled}{where}"],
    }


def _slice(job: TrainingJob) -> Slice:
    done = job.state is State.DONE
    measured = [one for point in job.points for one in _measurements(point, job)]
    return Slice(1, measured, None, done, 1.0 if done else job.games / job.order.games)


def _measurements(point: Point, job: TrainingJob) -> list[Measurement]:
    values = {name: getattr(point.outcomes, name) for name in ("score", "won", "drawn", "lost")}
    if point.training_lost is not None:
        values["training"] = point.training_lost
    side, tester = job.order.side, job.order.tester
    return [
        Measurement(point.games, metric_of(name, side, tester), float(value))
        for name, value in values.items()
    ]
