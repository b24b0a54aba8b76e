"""The runs of a study that are on a GPU: one, those of a config, and what they measured.

The runs of a config are one launch, a thread or a block for each. Between launches they are at a
point of their own (`TrainingWork`), where what is due is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple, Protocol

import numpy as np

from inarow.engine.cuda import Flags
from inarow.engine.tables import Int64s
from inarow.game import InputError
from inarow.lab.evaluate import Measurements
from inarow.lab.study import Config, Measurement, Slice, config_key
from inarow.lab.training_work import TrainingWork
from inarow.learn.arrays import bytes_of
from inarow.learn.mlp.cuda import MLPRuns
from inarow.learn.mlp.learner import MLPTraining
from inarow.learn.tabular.cuda import TabularRuns
from inarow.learn.training import GAMES, LAST_LOSS, LOSSES, Training


class Batch(Protocol):
    """Runs of one learner, game and opponent, with their arrays on the GPU."""

    def launch(self, games: Int64s) -> None:
        """Lets each run play so many more games, beside whatever else was launched."""

    def collect(self) -> tuple[Int64s, Flags]:
        """When they are played: [runs, 5] the counts of all, and which have diverged."""

    def download(self) -> None:
        """What was learned and counted is in the arrays of the runs."""


class Order(NamedTuple):
    """A slice that is wanted."""

    config: Config
    seed: int
    state: bytes | None
    seconds: float
    future: Future[Slice]

    @property
    def key(self) -> tuple[str, int]:
        """Names a unit."""
        return config_key(self.config), self.seed


class OnGPU:
    """A unit on the GPU, with what it measured in the slice under way."""

    def __init__(self, order: Order) -> None:
        config, seed, state = order.config, order.seed, order.state
        self.work = (
            TrainingWork.begin(config, seed)
            if state is None
            else TrainingWork.resume(config, seed, state)
        )
        self.measured = list[Measurement]()
        self.future: Future[Slice] | None = None  # None: no slice is wanted
        self.finished = self.work.finished  # as it was at the last point

    @property
    def busy(self) -> bool:
        """Whether it has further to go."""
        return self.future is not None and not self.finished

    @property
    def size(self) -> int:
        """Bytes that it takes, here and there."""
        return bytes_of(self.work.run.training.layout)

    def measure(self, evaluated: list[Measurements]) -> None:
        """Keeps what is due now, with what was evaluated."""
        self.measured += self.work.measure(evaluated)
        self.finished = self.work.finished

    def is_sound(self) -> bool:
        """Whether what it learned are numbers; it fails where they are not."""
        try:
            self.work.run.training.check_finite()
        except InputError as error:
            self.fail(error)
        return self.future is not None

    def fail(self, error: Exception) -> None:
        """It alone: the others go on."""
        if self.future is not None:
            self.future.set_exception(error)
            self.future = None

    def end_slice(self, points: int) -> None:
        """As a thread would end it."""
        future, finished = self.future, self.finished
        if future is None:
            return
        try:
            state = None if finished else self.work.state()
        except InputError as error:
            self.fail(error)
            return
        self.future = None
        share = 1.0 if finished else self.work.share
        measured, self.measured = self.measured, []
        future.set_result(Slice(points, measured, state, finished, share))


class Group:
    """The runs of a config that are on the GPU, and how far each is."""

    def __init__(self, runs: Sequence[OnGPU]) -> None:
        self.runs, self.work = list(runs), runs[0].work  # which all are like, but for the seed
        trainings: list[Training] = [run.work.run.training for run in self.runs]
        kind: Any = MLPRuns if isinstance(trainings[0], MLPTraining) else TabularRuns
        self.batch: Batch = kind(trainings)
        self.games = np.array([training.games for training in trainings])
        self.left = np.zeros(len(runs), dtype=np.int64)  # games to the next point
        self.begin_slice()

    def begin_slice(self) -> None:
        """Which runs have further to go."""
        self.moving: Flags = np.array([run.busy for run in self.runs])
        self.ended: Flags = np.zeros(len(self.runs), dtype=bool)  # in this slice
        self.points = np.zeros(len(self.runs), dtype=np.int64)
        # Games lost, at each point where they are recorded: the runs, how far, how many.
        self.lost = list[tuple[Int64s, int, Int64s]]()

    @property
    def busy(self) -> bool:
        """Whether any has."""
        return bool(self.moving.any())

    def launch(self, most: int) -> None:
        """So many games at most, towards the next point of each run."""
        if not self.left.any():
            for games in np.unique(self.games[self.moving]).tolist():
                there = self.moving & (self.games == games)
                self.left[there] = self.work.next_point(games) - games
        games = np.minimum(self.left, most)
        self.left -= games
        self.batch.launch(games)

    def collect(self) -> list[OnGPU]:
        """Records what is due where all have come to their points; the runs to be evaluated now.

        Those that have ended are evaluated when the slice ends.
        """
        counts, diverged = self.batch.collect()
        for number in np.flatnonzero(self.moving & diverged).tolist():
            games = int(counts[number, GAMES])
            error = f"training diverged: after {games:,} games a value is not a number"
            self.runs[number].fail(InputError(error))
            self.moving[number], self.left[number] = False, 0
        if self.left.any():
            return []
        self.games = counts[:, GAMES]
        ended = self.work.stop.holds_after(self.games, counts[:, LAST_LOSS])
        ended = self.moving & (ended | (self.games >= self.work.games))
        due = np.zeros(len(self.runs), dtype=bool)
        for games in np.unique(self.games[self.moving]).tolist():
            there = self.moving & (self.games == games) & ~ended
            if self.work.evaluates_at(games):
                due |= there
            elif self.work.records_at(games):
                some = np.flatnonzero(there)
                self.lost.append((some, games, counts[some, LOSSES]))
        self.points += self.moving
        self.moving &= ~ended
        self.ended |= ended
        if due.any():
            self.batch.download()
        return self._some(due)

    def end_slice(self) -> list[OnGPU]:
        """Everything is here again; the runs that have ended, to be evaluated."""
        self.batch.download()
        for some, games, lost in self.lost:
            for number, value in zip(some.tolist(), lost.tolist(), strict=True):
                self.runs[number].measured.append(Measurement(games, "lost", float(value)))
        return self._some(self.ended)

    def _some(self, which: Flags) -> list[OnGPU]:
        return [self.runs[number] for number in np.flatnonzero(which).tolist()]
