"""Slices of a study on a GPU: the runs of a config go on side by side, and so do the configs.

A run goes on while its last slice is being stored: nothing that is computed waits for a disk. Each
slice ends as it would on a thread, with the same states and rows, so that a study may go on
elsewhere. What stays on the GPU is not sent there again.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from inarow.cuda.groups import Group, OnGPU, Order, Shared
from inarow.cuda.kernels import free_bytes, gpu_name, require_gpu
from inarow.cuda.networks import check_mlp
from inarow.engine.rules import RuleList
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.game.files import machine_bytes
from inarow.lab.studies.runner import Executor
from inarow.lab.studies.study import DEFAULT_WORK, Config, Slice, Study, config_key
from inarow.lab.training.driver import KNOWN, options_in
from inarow.lab.training.run import opponent_of
from inarow.learn.learner import Learner, layout_of
from inarow.learn.mlp.learner import MLP
from inarow.learn.registry import learner as learner_of
from inarow.learn.saved import bytes_of
from inarow.learn.tabular.table import TabularLearner

MOST_RUNS = 200_000  # handed out at a time
MOST_GROUPS = 96  # configs at a time: a GPU has launches of some 128 under way
MEMORY_SHARE = 0.8  # of the GPU's free memory that runs may take


def check_runs(study: Study) -> None:
    """Raise InputError for what does not run on a GPU, or if there is none."""
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
        self.orders = dict[Future[Slice], Order]()  # that no run is made of yet
        self.runs = dict[tuple[str, int], OnGPU]()  # that are there, by config and seed
        self.groups = list[Group]()
        self.room = int(min(MEMORY_SHARE * free_bytes(), machine_bytes() / 2))
        self.sizes = dict[str, int]()  # of a run of each config
        self.shared = Shared()

    def capacity(self) -> int:
        """Return how many slices to hand out: as many as wanted."""
        return self.most

    def keeps(self, config: Config, seed: int) -> bool:
        """Return whether a unit is there, as far as it was stored or farther."""
        return (config_key(config), seed) in self.runs

    def submit(
        self, work: str, config: Config, seed: int, state: bytes | None, seconds: float
    ) -> Future[Slice]:
        """Take note of a slice that is wanted."""
        assert work == DEFAULT_WORK, "check_runs has been asked"
        order = Order(config, seed, state, seconds, Future())
        self.orders[order.future] = order
        return order.future

    def withdraw(self, future: Future[Slice]) -> None:
        """Take back what waits for room; what is under way ends with its slice."""
        if self.orders.pop(future, None) is not None:
            future.cancel()
        self.shared.stopping.set()

    def start(self) -> None:
        """Let runs go on and others begin as far as there is room; the rest waits."""
        self.groups = [group for group in self.groups if group.alive]
        self.runs = {run.key: run for group in self.groups for run in group.runs if run.here}
        new: dict[str, list[OnGPU]] = {}
        used = sum(group.size for group in self.groups)
        for order in list(self.orders.values()):
            run, config = self.runs.get(order.key), order.key[0]
            if run is not None and order.state is None:
                run.attach(order.future)
            elif used < self.room and (config in new or len(self.groups) + len(new) < MOST_GROUPS):
                if run is not None:
                    run.here = False  # another process went on with it, and this one from there
                used += self._size(order)
                new.setdefault(config, []).append(OnGPU(order))
            else:
                continue
            del self.orders[order.future]
        groups = [Group(runs, self._size(runs[0].order), self.shared) for runs in new.values()]
        self.groups += groups
        self.runs |= {run.key: run for group in groups for run in group.runs}
        self.shared.runs = sum(len(group.runs) for group in self.groups)
        self.shared.size = sum(group.size for group in self.groups)
        # The largest first: they take longest, and each finds a multiprocessor of its own.
        for group in sorted(groups, key=lambda group: -group.size / len(group.runs)):
            group.thread.start()

    def _size(self, order: Order) -> int:
        """Return the bytes that a run takes, known before it is made."""
        config, given = order.key[0], {**KNOWN, **order.config}
        if config not in self.sizes:
            learner = learner_of(given["learner"], options_in(order.config))
            self.sizes[config] = bytes_of(layout_of(learner, game_of(given["game"]), order.seed))
        return self.sizes[config]


@contextmanager
def cuda_pool(workers: int | None) -> Iterator[CudaPool]:
    """Yield the GPU of this machine as a pool of slices."""
    require_gpu()
    pool = CudaPool(workers)
    try:
        yield pool
    finally:
        pool.shared.closed.set()
        for group in pool.groups:
            group.thread.join()


def _made_with() -> dict[str, str]:
    return {"gpu": gpu_name()}


CUDA = Executor(cuda_pool, check_runs, _made_with)
