"""Slices of a study on a GPU: all runs that are handed out go on side by side.

The runs of a config are one launch, a thread or a block for each. Between launches they are at a
point of their own (`TrainingWork`), where what is due is measured. When the time of a slice is
over, their arrays come back, and each ends its slice as it would on a thread: the same states and
rows, so that a study may go on elsewhere. What stays on the GPU is not sent there again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol
from zlib import crc32

import numpy as np

from inarow.engine.cuda import free_bytes, require_gpu, wait
from inarow.engine.rules import RuleList
from inarow.engine.tables import Int64s
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.memory import machine_bytes
from inarow.lab.cuda_evaluate import evaluate_all
from inarow.lab.study import DEFAULT_WORK, Config, Measurement, Slice, Study, config_key
from inarow.lab.training import opponent_of
from inarow.lab.training_work import KNOWN, TrainingWork, options_in
from inarow.learn.arrays import bytes_of
from inarow.learn.learner import Learner
from inarow.learn.mlp.cuda import MLPRuns, check_mlp
from inarow.learn.mlp.learner import MLP, MLPTraining
from inarow.learn.registry import learner as learner_of
from inarow.learn.tabular.cuda import TabularRuns
from inarow.learn.tabular.learner import TabularLearner
from inarow.learn.training import GAMES, LAST_LOSS, LOSSES, Training

MOST_RUNS = 200_000  # handed out at a time
STATE_RATE = 5e7  # bytes of all states a second: the larger they are, the more rarely they come
MOST_GAMES = 2**30  # of a launch
LAUNCH_SECONDS = 0.5  # about what a launch may take
MEMORY_SHARE = 0.8  # of the GPU's free memory that runs may take


class Runs(Protocol):
    """Runs of one learner, game and opponent, with their arrays on the GPU."""

    def launch(self, games: Int64s) -> None:
        """Lets each run play so many more games, beside whatever else was launched."""

    def collect(self) -> Int64s:
        """When they are played: [runs, 5] the counts of all."""

    def download(self) -> None:
        """What was learned and counted is in the arrays of the runs."""


def check_runs(study: Study) -> None:
    """Refuses what does not run on a GPU, or that there is none."""
    require_gpu()
    if study.work != DEFAULT_WORK:
        raise InputError(f"work {study.work!r} does not run on cuda: training does")
    for number, config in enumerate(study.configs):
        given = {**KNOWN, **config}
        try:
            _check_run(given, learner_of(given["learner"], options_in(config)))
        except InputError as error:
            raise InputError(f"config {number} cannot be run on cuda: {error}") from None


def _check_run(given: Config, learner: Learner) -> None:
    if isinstance(learner, TabularLearner):
        return
    if not isinstance(learner, MLP):
        raise InputError(f"{learner.name} does not run there, mlp and learners with a table do")
    game = game_of(given["game"])
    check_mlp(learner, game)
    if not isinstance(opponent_of(given["against"], game), RuleList | None):
        raise InputError(f"{given['against']} does not play there, players with rules do")


class _Order(NamedTuple):
    """A slice that is wanted."""

    config: Config
    seed: int
    state: bytes | None
    seconds: float
    future: Future[Slice]

    @property
    def key(self) -> tuple[str, int]:
        return config_key(self.config), self.seed


class _Run:
    """A unit on the GPU, with what it measured in the slice under way."""

    def __init__(self, order: _Order) -> None:
        config, seed, state = order.config, order.seed, order.state
        self.work = (
            TrainingWork.begin(config, seed)
            if state is None
            else TrainingWork.resume(config, seed, state)
        )
        self.points, self.measured = 0, list[Measurement]()
        self.future: Future[Slice] | None = None  # None: no slice is wanted
        self.finished = self.work.finished  # as it was at the last point
        self.checksum = 0  # of the state when the last slice ended

    @property
    def busy(self) -> bool:
        """Whether it has further to go."""
        return self.future is not None and not self.finished

    @property
    def size(self) -> int:
        """Bytes that it takes, here and there."""
        return bytes_of(self.work.run.training.layout)

    def end_slice(self) -> None:
        """As a thread would end it."""
        future, finished = self.future, self.finished
        if future is None:
            return
        self.future = None
        try:
            state = None if finished else self.work.state()
        except InputError as error:
            future.set_exception(error)
            return
        self.checksum = crc32(state or b"")
        share = 1.0 if finished else self.work.share
        points, measured, self.points, self.measured = self.points, self.measured, 0, []
        future.set_result(Slice(points, measured, state, finished, share))


class _Group:
    """The runs of a config that are on the GPU, and how far each is."""

    def __init__(self, runs: Sequence[_Run]) -> None:
        self.runs, self.work = list(runs), runs[0].work  # which all are like, but for the seed
        trainings: list[Training] = [run.work.run.training for run in self.runs]
        kind: Any = MLPRuns if isinstance(trainings[0], MLPTraining) else TabularRuns
        self.batch: Runs = kind(trainings)
        self.games = np.array([training.games for training in trainings])
        self.left = np.zeros(len(runs), dtype=np.int64)  # games to the next point
        self.begin_slice()

    def begin_slice(self) -> None:
        """Which runs have further to go."""
        self.moving = np.array([run.busy for run in self.runs])

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

    def collect(self) -> None:
        """Measures what is due, where all have come to their points."""
        counts = self.batch.collect()
        if self.left.any():
            return
        self.games = counts[:, GAMES]
        ended = self.work.stop.holds_after(self.games, counts[:, LAST_LOSS])
        ended |= self.games >= self.work.games
        due = self.moving & ended
        for games in np.unique(self.games[self.moving]).tolist():
            there = self.moving & (self.games == games)
            if self.work.evaluates_at(games):
                due |= there
            elif self.work.records_at(games):
                some = np.flatnonzero(there & ~ended)
                for number, lost in zip(some.tolist(), counts[some, LOSSES].tolist(), strict=True):
                    self.runs[number].measured.append(Measurement(games, "lost", float(lost)))
        for number in np.flatnonzero(self.moving).tolist():
            self.runs[number].points += 1
        self._measure([self.runs[number] for number in np.flatnonzero(due).tolist()])
        self.moving &= ~ended

    def _measure(self, due: list[_Run]) -> None:
        """Evaluates runs, and measures all that is due with that."""
        if not due:
            return
        self.batch.download()
        evaluated = evaluate_all([run.work for run in due])
        for run, found in zip(due, evaluated, strict=True):
            run.measured += run.work.measure(found)
            run.finished = run.work.finished


class CudaPool:
    """A GPU, as the runner sees it."""

    def __init__(self, workers: int | None) -> None:
        self.most = workers or MOST_RUNS
        self.orders = list[_Order]()
        self.runs = dict[tuple[str, int], _Run]()  # that are here, by config and seed
        self.groups = dict[str, _Group]()
        self.room = int(min(MEMORY_SHARE * free_bytes(), machine_bytes() / 2))
        self.games = 64  # of a launch

    def capacity(self) -> int:
        """All that there are, or as many as wanted."""
        return self.most

    def submit(
        self, work: str, config: Config, seed: int, state: bytes | None, seconds: float
    ) -> Future[Slice]:
        """Takes note of a slice."""
        assert work == DEFAULT_WORK, "check_runs has been asked"
        order = _Order(config, seed, state, seconds, Future())
        self.orders.append(order)
        return order.future

    def withdraw(self, future: Future[Slice]) -> None:
        """It waits for room: else it would be over."""
        future.cancel()

    def start(self) -> None:
        """A slice of all runs that there is room for; the others wait."""
        seconds = self._take_orders()
        until = time.monotonic() + seconds + sum(r.size for r in self.runs.values()) / STATE_RATE
        try:
            self._group()
            for group in self.groups.values():
                group.begin_slice()
            while busy := [group for group in self.groups.values() if group.busy]:
                self._advance(busy)
                if time.monotonic() >= until:
                    break
            self._finish(busy)
            for group in self.groups.values():
                group.batch.download()
        except Exception as error:
            for run in self.runs.values():
                if run.future is not None:
                    run.future.set_exception(error)
            self.runs.clear()
            self.groups.clear()
            return
        for run in self.runs.values():
            run.end_slice()

    def _advance(self, groups: list[_Group]) -> None:
        """A launch for each, side by side: of as many games as take a part of a second."""
        before = time.perf_counter()
        for group in groups:
            group.launch(self.games)
        wait()
        seconds = time.perf_counter() - before
        if seconds < LAUNCH_SECONDS / 2:
            self.games = min(2 * self.games, MOST_GAMES)
        elif seconds > LAUNCH_SECONDS * 2 and self.games > 1:
            self.games //= 2
        for group in groups:
            group.collect()

    def _finish(self, groups: list[_Group]) -> None:
        """A slice ends at points: what is between two of them is played to the next."""
        while between := [group for group in groups if group.left.any()]:
            self._advance(between)

    def _take_orders(self) -> float:
        """Runs for the orders, as many as there is room for; the seconds that a slice takes."""
        wanted = [order for order in self.orders if not order.future.cancelled()]
        here = {order.key for order in wanted} & self.runs.keys()
        self.runs = {key: run for key, run in self.runs.items() if key in here}
        used, waiting, seconds = sum(run.size for run in self.runs.values()), list[_Order](), 0.0
        for order in sorted(wanted, key=lambda order: order.key not in here):
            run = self.runs.get(order.key)
            try:
                if run is None or run.checksum != crc32(order.state or b""):
                    if self.runs and used >= self.room:
                        waiting.append(order)
                        continue
                    run = _Run(order)
                    used += run.size
            except InputError as error:
                order.future.set_exception(error)
                continue
            run.future = order.future
            self.runs[order.key] = run
            seconds = max(seconds, order.seconds)
        self.orders = waiting
        return seconds

    def _group(self) -> None:
        """Sends new runs to the GPU; a config's are sent anew where half of them have ended."""
        by_config: dict[str, list[_Run]] = {}
        for (config, _), run in self.runs.items():
            by_config.setdefault(config, []).append(run)
        kept = {}
        for config, runs in by_config.items():
            group = self.groups.pop(config, None)
            if group and 2 * len(runs) >= len(group.runs) and set(runs) <= set(group.runs):
                kept[config] = group
        self.groups.clear()  # frees what they had
        for config, runs in by_config.items():
            self.groups[config] = kept.get(config) or _Group(runs)


@contextmanager
def cuda_pool(workers: int | None) -> Iterator[CudaPool]:
    """The GPU of this machine."""
    require_gpu()
    yield CudaPool(workers)
