"""Slices of a study on a GPU: all runs that are handed out go on side by side.

When the time of a slice is over, arrays come back, and each run ends its slice as it would on a
thread: the same states and rows, so that a study may go on elsewhere. What stays on the GPU is not
sent there again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from inarow.engine.cuda import free_bytes, require_gpu, wait
from inarow.engine.rules import RuleList
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.memory import machine_bytes
from inarow.lab.cuda_evaluate import evaluate_all
from inarow.lab.cuda_runs import Group, OnGPU, Order
from inarow.lab.study import DEFAULT_WORK, Config, Slice, Study, config_key
from inarow.lab.training import opponent_of
from inarow.lab.training_work import KNOWN, options_in
from inarow.learn.learner import Learner
from inarow.learn.mlp.cuda import check_mlp
from inarow.learn.mlp.learner import MLP
from inarow.learn.registry import learner as learner_of
from inarow.learn.tabular.learner import TabularLearner

MOST_RUNS = 200_000  # handed out at a time
STATE_RATE = 5e7  # bytes of all states a second: the larger they are, the more rarely they come
MOST_GAMES = 2**30  # of a launch
LAUNCH_SECONDS = 0.5  # about what a launch may take
MEMORY_SHARE = 0.8  # of the GPU's free memory that runs may take


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


class CudaPool:
    """A GPU, as the runner sees it."""

    def __init__(self, workers: int | None) -> None:
        self.most = workers or MOST_RUNS
        self.orders = list[Order]()
        self.runs = dict[tuple[str, int], OnGPU]()  # that are here, by config and seed
        self.groups = dict[str, Group]()
        self.room = int(min(MEMORY_SHARE * free_bytes(), machine_bytes() / 2))
        self.games = 64  # of a launch

    def capacity(self) -> int:
        """All that there are, or as many as wanted."""
        return self.most

    def keeps(self, config: Config, seed: int) -> bool:
        """Whether a unit is here as it was when its last slice ended."""
        return (config_key(config), seed) in self.runs

    def submit(
        self, work: str, config: Config, seed: int, state: bytes | None, seconds: float
    ) -> Future[Slice]:
        """Takes note of a slice."""
        assert work == DEFAULT_WORK, "check_runs has been asked"
        order = Order(config, seed, state, seconds, Future())
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
            groups = list(self.groups.values())
            for group in groups:
                group.begin_slice()
            while busy := [group for group in groups if group.busy]:
                self._advance(busy)
                if time.monotonic() >= until:
                    break
            self._finish(busy)
            _evaluate([run for group in groups for run in group.end_slice()])
        except Exception as error:
            for run in self.runs.values():
                run.fail(error)
            self.runs.clear()
            self.groups.clear()
            return
        for group in groups:
            for run, points in zip(group.runs, group.points.tolist(), strict=True):
                run.end_slice(points)

    def _advance(self, groups: list[Group]) -> None:
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
        _evaluate([run for group in groups for run in group.collect()])

    def _finish(self, groups: list[Group]) -> None:
        """A slice ends at points: what is between two of them is played to the next."""
        while between := [group for group in groups if group.left.any()]:
            self._advance(between)

    def _take_orders(self) -> float:
        """Runs for the orders, as many as there is room for; the seconds that a slice takes."""
        wanted = [order for order in self.orders if not order.future.cancelled()]
        here = {order.key for order in wanted if order.state is None} & self.runs.keys()
        self.runs = {key: run for key, run in self.runs.items() if key in here}
        used, waiting, seconds = sum(run.size for run in self.runs.values()), list[Order](), 0.0
        for order in sorted(wanted, key=lambda order: order.key not in here):
            run = self.runs.get(order.key)
            if run is None:
                if self.runs and used >= self.room:
                    waiting.append(order)
                    continue
                try:
                    run = OnGPU(order)
                except InputError as error:
                    order.future.set_exception(error)
                    continue
                used += run.size
            run.future = order.future
            self.runs[order.key] = run
            seconds = max(seconds, order.seconds)
        self.orders = waiting
        return seconds

    def _group(self) -> None:
        """Sends new runs to the GPU; a config's are sent anew where half of them have ended."""
        by_config: dict[str, list[OnGPU]] = {}
        for (config, _), run in self.runs.items():
            by_config.setdefault(config, []).append(run)
        kept = {}
        for config, runs in by_config.items():
            group = self.groups.pop(config, None)
            if group and 2 * len(runs) >= len(group.runs) and set(runs) <= set(group.runs):
                kept[config] = group
        self.groups.clear()  # frees what they had
        for config, runs in by_config.items():
            self.groups[config] = kept.get(config) or Group(runs)


def _evaluate(due: list[OnGPU]) -> None:
    """Runs of all groups together."""
    sound = {id(run.work): run for run in due if run.is_sound()}
    for work, found in evaluate_all([run.work for run in sound.values()]):
        sound[id(work)].measure(found)


@contextmanager
def cuda_pool(workers: int | None) -> Iterator[CudaPool]:
    """The GPU of this machine."""
    require_gpu()
    yield CudaPool(workers)
