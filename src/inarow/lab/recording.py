"""Recording a run: it is evaluated while it trains, and what is measured is kept.

A recording is a study of one config, made of the same points by the same work (`training_work`):
its file is a study's database, in which the seeds of one config come together.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from inarow.game.files import check_writable
from inarow.lab.curves import Games
from inarow.lab.evaluate import evaluate
from inarow.lab.statistics import Floats
from inarow.lab.store import Key, Store
from inarow.lab.study import Config, Measurement, Slice, Study
from inarow.lab.training import Progress, Run, Stop, continue_training
from inarow.lab.training_work import TrainingWork
from inarow.learn.learner import options_of

STEPS = (1, 2, 3, 5, 7)  # the first digits of the numbers of games at which a run is evaluated
DECADES = 3  # from a thousandth of all games on
SAMPLED = 400  # games of an evaluation that is not exact


class Recording:
    """The evaluations of a run while it trains, and the file that keeps them, if there is one."""

    def __init__(
        self,
        run: Run,
        games: int,
        stop: Stop | None = None,
        evaluations: Sequence[str] = (),
        path: str | Path | None = None,
    ) -> None:
        names = list(evaluations) or default_evaluations(run)
        for name in names:
            evaluate(run.agent, name, 0)  # says now, before anything is written, if it cannot be
        self.run, self.stop, self.path = run, stop or Stop(), None if path is None else Path(path)
        self.config = _config(run, games, self.stop, names)
        self.work = TrainingWork(self.config, run.seed, run)
        self.measurements: list[Measurement] = []
        self.points = 0
        whom = f" against {run.against}" if run.against else ""
        self.study = Study(f"{run.learner_name} in {run.game.name}{whom}", (self.config,))
        if self.path is not None and self.path.exists():
            with Store.create(self.path, self.study) as store:  # says so if it holds another
                self.points = store.unit(Key(0, run.seed)).points
        elif self.path is not None:
            check_writable(self.path)

    def train(self, progress: Progress = lambda games: None) -> None:
        """Trains to the end, with an evaluation at each point."""
        if self.work.evaluates_at(self.run.games):  # resumed where it was stopped before that
            self._keep(self.work.measure_due())
        while not self.work.finished:
            continue_training(self.run, self.work.next_point(self.run.games), self.stop, progress)
            self._keep(self.work.measure_due())

    def _keep(self, measured: list[Measurement]) -> None:
        self.measurements += measured
        if self.path is None:
            return
        done, share = self.work.finished, self.work.share
        with Store.create(self.path, self.study) as store:
            piece = Slice(1, measured, None, done, 1.0 if done else share)
            store.commit([(Key(0, self.run.seed), self.points, piece)])
        self.points += 1

    # What a source of curves has.

    def configs(self) -> list[Config]:
        """The parameters of the run."""
        return [self.config]

    def metrics(self, config: int) -> list[str]:  # noqa: ARG002 - there is one
        """What was measured."""
        return sorted({measurement.metric for measurement in self.measurements})

    def finished(self, config: int) -> list[int]:  # noqa: ARG002
        """Its seed, once it has run to its end."""
        return [self.run.seed] if self.work.finished else []

    def curve(self, config: int, metric: str, unfinished: bool = False) -> tuple[Games, Floats]:  # noqa: ARG002
        """Numbers of games, and the values there, of this run alone."""
        found = [(m.games, m.value) for m in self.measurements if m.metric == metric]
        games, values = zip(*found, strict=True) if found else ((), ())
        return np.array(games, np.int64), np.array([values], np.float64)

    def final(self, config: int, metric: str) -> Floats:
        """The last value."""
        return self.curve(config, metric)[1][0, -1:]


def default_evaluations(run: Run) -> list[str]:
    """What to know of an agent, on the side that it learns: exactly where that is quick."""
    side = getattr(run.learner, "side", "both") if run.against else "both"
    if run.learner.needs_graph:
        return [f"exploitability:{side}", f"score:random:{side}"]
    return [f"score:random:{SAMPLED}:{side}"]


def points_until(games: int) -> list[int]:
    """The numbers of games at which a run is evaluated, closer together at the start.

    Round numbers, so that runs of different lengths share them.
    """
    least = max(games // 10**DECADES, 1)
    powers = range(len(str(games)))
    found = {step * 10**power for power in powers for step in STEPS}
    return sorted({games, *(number for number in found if least <= number < games)})


def _config(run: Run, games: int, stop: Stop, evaluations: list[str]) -> Config:
    """A config of a study that does the same."""
    defaults = options_of(type(run.learner)())
    options = {n: v for n, v in options_of(run.learner).items() if v != defaults.get(n)}
    early = {"stop_games": stop.games, "check_every": stop.check_every} if stop.games else {}
    return {
        "game": run.game.name,
        "learner": run.learner_name,
        **({"against": run.against} if run.against else {}),
        "games": games,
        **early,
        **options,
        "evaluations": evaluations,
        "evaluate_at": points_until(games),
    }
