"""The runs of a config on a GPU: one launch, a thread or a block for each, driven by a thread here.

Between launches they are at a point of their own (`TrainingWork`), where what is due is measured.
Runs that have come to their ends are evaluated while the others go on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

import numpy as np

from inarow.engine.cuda import Flags, Queue, new_stream
from inarow.engine.tables import Int64s
from inarow.game import InputError
from inarow.lab.cuda_evaluate import evaluate_all
from inarow.lab.cuda_runs import OnGPU
from inarow.lab.study import Measurement
from inarow.learn.mlp.cuda import MLPRuns
from inarow.learn.mlp.learner import MLPTraining
from inarow.learn.tabular.cuda import TabularRuns
from inarow.learn.training import GAMES, LAST_LOSS, LOSSES, Training

STATE_RATE = 5e7  # bytes of all states a second: the larger they are, the more rarely they come
FEWEST_GAMES, MOST_GAMES = 64, 2**30  # of a launch
LAUNCH_SECONDS = 0.5  # about what a launch may take
Lost = tuple[Int64s, int, Int64s]  # runs, how far they were, and how many games each had lost


class Batch(Protocol):
    """Runs of one learner, game and opponent, with their arrays on the GPU."""

    def launch(self, games: Int64s, beside: int) -> None:
        """Lets each run play so many more games, one of so many runs on the GPU."""

    def collect(self) -> tuple[Int64s, Flags]:
        """When they are played: [runs, 5] the counts of all, and which have diverged."""

    def download(self, some: Sequence[int]) -> None:
        """What some of the runs learned and counted is in their arrays."""


class Shared:
    """What all groups know."""

    def __init__(self) -> None:
        self.runs, self.size = 0, 0  # on the GPU, and their bytes
        self.stopping = threading.Event()  # slices end at their next points, and nothing follows
        self.closed = threading.Event()  # nobody waits for anything


class Group:
    """Runs that go on together, and how far each is."""

    batch: Batch

    def __init__(self, runs: Sequence[OnGPU], size: int, shared: Shared) -> None:
        self.runs, self.shared, self.size = list(runs), shared, size * len(runs)
        self.seconds = max(run.order.seconds for run in runs)
        self.most = FEWEST_GAMES  # of a launch
        self.stream, self.thread = new_stream(), threading.Thread(target=self._run, daemon=True)
        self.lost = list[Lost]()  # not told to the runs yet
        self.endings: Future[None] | None = None  # runs at their ends that are being evaluated

    @property
    def alive(self) -> bool:
        """Whether its runs are on the GPU, or somebody waits for one."""
        return self.thread.is_alive() or any(run.here for run in self.runs)

    def _run(self) -> None:
        """The thread: all slices, until every run is over."""
        try:
            with ThreadPoolExecutor(1) as beside:
                self.beside = beside
                self._begin()
                while self.moving.any() and not self._stops():
                    self._slice()
                while self.ended.any() or self.endings is not None:
                    self._settle(wait=True)
        except Exception as error:  # of the GPU or its memory: all of them
            for run in self.runs:
                run.fail(error)
        finally:
            self.__dict__.pop("batch", None)  # frees what it had
            self.size = 0

    def _stops(self) -> bool:
        return self.shared.stopping.is_set() or self.shared.closed.is_set()

    def _begin(self) -> None:
        """Makes the runs and sends them to the GPU."""
        self.runs = [run for run in self.runs if run.make()]
        trainings: list[Training] = [run.work.run.training for run in self.runs]
        self.games = np.array([training.games for training in trainings], dtype=np.int64)
        self.left = np.zeros(len(self.runs), dtype=np.int64)  # games to the next point
        self.points = np.zeros(len(self.runs), dtype=np.int64)  # since the runs were told
        self.ended: Flags = np.zeros(len(self.runs), dtype=bool)  # and not yet evaluated
        self.moving: Flags = np.array([not run.work.finished for run in self.runs], dtype=bool)
        if trainings:
            self.work = self.runs[0].work  # which all are like, but for the seed
            kind: Any = MLPRuns if isinstance(trainings[0], MLPTraining) else TabularRuns
            self.batch = kind(trainings, self.stream)

    def _slice(self) -> None:
        """For some time, then to the next point; what goes on is then here with its state."""
        begun = looked = time.monotonic()
        until = begun + self.seconds + self.shared.size / STATE_RATE
        while self.moving.any():
            self._advance()
            if self.shared.closed.is_set():
                return
            now = time.monotonic()
            if not self.left.any() and (now >= until or self.shared.stopping.is_set()):
                break
            if now >= looked + self.seconds and self.ended.any():
                looked = now
                self._settle(wait=False)
        going = np.flatnonzero(self.moving).tolist()
        self.batch.download(going)
        self._tell()
        for number in going:
            self.runs[number].end_slice(over=False)
        self._settle(wait=False)

    def _advance(self) -> None:
        """A launch towards the next point of each run: of as many games as take half a second."""
        if not self.left.any():
            for games in np.unique(self.games[self.moving]).tolist():
                there = self.moving & (self.games == games)
                self.left[there] = self.work.next_point(games) - games
        games = np.minimum(self.left, self.most)
        self.left -= games
        before = time.perf_counter()
        self.batch.launch(games, self.shared.runs)
        counts, diverged = self.batch.collect()
        seconds = time.perf_counter() - before
        if seconds < LAUNCH_SECONDS / 2:
            self.most = min(2 * self.most, MOST_GAMES)
        elif seconds > LAUNCH_SECONDS * 2 and self.most > 1:
            self.most //= 2
        self._drop(np.flatnonzero(self.moving & diverged).tolist(), counts)
        if not self.left.any():
            self._arrive(counts)

    def _drop(self, diverged: list[int], counts: Int64s) -> None:
        """Runs that are of no use any more: the others go on."""
        for number in diverged:
            games = int(counts[number, GAMES])
            error = f"training diverged: after {games:,} games a value is not a number"
            self.runs[number].fail(InputError(error))
            self.moving[number], self.left[number] = False, 0

    def _arrive(self, counts: Int64s) -> None:
        """All are at their points: measures what is due there, on the way."""
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
            numbers = np.flatnonzero(due).tolist()
            self.batch.download(numbers)
            evaluate([self.runs[number] for number in numbers], self.stream)
        self.moving &= np.array([run.goes_on for run in self.runs], dtype=bool)

    def _tell(self) -> None:
        """The runs know what was recorded on the way."""
        for some, games, lost in self.lost:
            for number, value in zip(some.tolist(), lost.tolist(), strict=True):
                self.runs[number].measured.append(Measurement(games, "lost", float(value)))
        for run, points in zip(self.runs, self.points.tolist(), strict=True):
            run.points += points
        self.lost, self.points[:] = [], 0

    def _settle(self, wait: bool) -> None:
        """Evaluates runs that have ended, beside those that go on: one lot after the other."""
        if self.endings is not None:
            if not wait and not self.endings.done():
                return
            self.endings.result()
            self.endings = None
        if self.ended.any():
            numbers, self.ended = np.flatnonzero(self.ended).tolist(), np.zeros_like(self.ended)
            self.batch.download(numbers)
            self._tell()
            self.endings = self.beside.submit(end, [self.runs[number] for number in numbers])


def evaluate(runs: Sequence[OnGPU], stream: Queue) -> None:
    """What is due; those that are no numbers any more fail."""
    sound = {id(run.work): run for run in runs if run.is_sound()}
    for work, found in evaluate_all([run.work for run in sound.values()], stream):
        sound[id(work)].measure(found)


def end(runs: Sequence[OnGPU]) -> None:
    """The last evaluations, and the last slice."""
    evaluate(runs, new_stream())
    for run in runs:
        run.end_slice(over=True)
