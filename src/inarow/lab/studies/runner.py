"""Runs a study: keeps all workers busy with slices of its units, and stores each as it comes.

A unit is worked on for a second or two, stored, and handed out again until it is finished. The
workers are threads of this process (compiled loops run side by side), tasks of a Ray cluster, or
a GPU: the same loop, the same rows. Whatever is killed, only slices that were under
way are lost, and the next run does them again.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, Protocol

from inarow.game import InputError
from inarow.game.progress import Progress
from inarow.lab.progress import shown
from inarow.lab.stop_signals import stop_signals
from inarow.lab.studies.results import StudyResults
from inarow.lab.studies.store import Key, Store
from inarow.lab.studies.study import Config, Slice, Study, check_configs, config_text, run_slice

SLICE_SECONDS = 2.0
STATE_RATE = 5e6  # bytes of state a second: the larger it is, the more rarely it is stored
MAX_RUNS = 1_000_000
MAX_SEED = 2**63 - 1  # what SQLite holds


class Stopped(KeyboardInterrupt):
    """The study was told to stop: what it had done is stored."""


class Pool(Protocol):
    """Something that runs slices."""

    def capacity(self) -> int:
        """Return how many slices to hand out at a time, so that no worker waits for the next."""

    def keeps(self, config: Config, seed: int) -> bool:
        """Return whether it holds a unit as its last slice left it: no state is needed then."""

    def submit(
        self, work: str, config: Config, seed: int, state: bytes | None, seconds: float
    ) -> Future[Slice]:
        """Hand out a slice."""

    def start(self) -> None:
        """Start the submitted slices; called after each round of `submit`."""

    def withdraw(self, future: Future[Slice]) -> None:
        """Take a slice back, if nobody has begun with it."""


def run_study(
    study: Study,
    path: str | Path,
    runs: int,
    workers: int | None = None,
    on: str = "threads",
    progress: Progress | None = None,
    *,
    seed: int = 0,
    seconds: float = SLICE_SECONDS,
) -> StudyResults:
    """Run every config with `runs` seeds, from `seed` on, and keep the study at `path`.

    Finished work is not repeated. When told to stop (Ctrl-C, SIGTERM), it finishes and stores the
    current slices and raises `Stopped`. If a unit fails, the study fails with one line that names
    it, and all stored results are kept.
    """
    path = Path(path)
    if not 1 <= runs <= MAX_RUNS:
        raise InputError(f"the number of runs must be between 1 and {MAX_RUNS:,}, not {runs}")
    if not 0 <= seed <= MAX_SEED - runs:
        raise InputError(f"seed {seed} must be a whole number from 0 to 2^63 - 1")
    # All configs with the first seed, then with the next: the time left is soon known well.
    units = [
        Key(config, s) for s in range(seed, seed + runs) for config in range(len(study.configs))
    ]
    return run_units(study, path, units, workers, on, progress, seconds)


def run_units(
    study: Study,
    path: Path,
    units: Sequence[Key],
    workers: int | None = None,
    on: str = "threads",
    progress: Progress | None = None,
    seconds: float = SLICE_SECONDS,
) -> StudyResults:
    """Run some configs with some seeds, in this order, as `run_study` does."""
    if workers is not None and workers < 1:
        raise InputError(f"the number of workers must be 1 or more, not {workers}")
    executor = executor_named(on)
    check_configs(study)  # before there is a database
    executor.check(study)
    with Store.create(path, study) as store, shown(progress, study.name, 1.0, steps=False) as show:
        dispatch = _Dispatch(study, store, units, seconds, show)
        if dispatch.waiting:
            with executor.open(workers) as pool, stop_signals() as stop:
                dispatch.run(pool, stop)
    return StudyResults(path)


class _Dispatch:
    """The loop that hands out slices and stores them."""

    def __init__(
        self, study: Study, store: Store, units: Sequence[Key], seconds: float, progress: Progress
    ) -> None:
        self.study, self.store, self.seconds, self.progress = study, store, seconds, progress
        ended, begun = store.ended(), store.begun()
        self.units = len(units)
        self.begun = {key: begun[key] for key in units if key in begun}
        left = [key for key in units if key not in ended]
        self.finished = self.units - len(left)
        # What is begun goes first: then the fewest states are kept.
        self.waiting = deque(sorted(left, key=lambda key: key not in begun))
        # What is under way: the unit, and the points it had before.
        self.handed: dict[Future[Slice], tuple[Key, int]] = {}
        self.points = dict[Key, int]()  # of units that went on here
        self.done: SimpleQueue[Future[Slice]] = SimpleQueue()
        self.failure: InputError | None = None
        self._tell()

    def run(self, pool: Pool, stop: threading.Event) -> None:
        """Hand out and store slices until all is finished, something fails, or it is stopped."""
        while True:
            if stop.is_set() or self.failure:
                for future in list(self.handed):
                    pool.withdraw(future)
            else:
                self._hand_out(pool)
                pool.start()
            if not self.handed:
                break
            self._store(self._collect())
            self._tell()
        if self.failure:
            raise self.failure
        if self.waiting:
            raise Stopped(
                f"stopped: {self.finished:,} of {self.units:,} runs are finished, and what is"
                f" done of the others is kept in {self.store.path}; the same command goes on"
            )

    def _hand_out(self, pool: Pool) -> None:
        capacity = pool.capacity()
        while self.waiting and len(self.handed) < capacity:
            key = self.waiting.popleft()
            config = self.study.configs[key.config]
            unit = self.store.unit(key, whole=not pool.keeps(config, key.seed))
            if unit.state is None and unit.points != self.points.get(key, 0):
                unit = self.store.unit(key)  # another process went on with it
            if unit.finished:  # by another process, meanwhile
                self._end(key)
                continue
            seconds = self.seconds + len(unit.state or b"") / STATE_RATE
            future = pool.submit(self.study.work, config, key.seed, unit.state, seconds)
            self.handed[future] = (key, unit.points)
            future.add_done_callback(self.done.put)

    def _collect(self) -> list[Future[Slice]]:
        """The slices that have ended, if any does within a moment: then look at signals again."""
        try:
            ended = [self.done.get(timeout=0.1)]
            while not self.done.empty():
                ended.append(self.done.get())
        except Empty:
            return []
        return ended

    def _store(self, ended: list[Future[Slice]]) -> None:
        """Commit the slices that went well, each whole; units that go on are first in line."""
        pieces: list[tuple[Key, int, Slice]] = []
        for future in ended:
            key, points = self.handed.pop(future)
            if future.cancelled():
                self.waiting.appendleft(key)
            elif error := future.exception():
                self.waiting.appendleft(key)
                self.failure = self.failure or self._explain(key, error)
            else:
                pieces.append((key, points, future.result()))
        if pieces:
            self.store.commit(pieces)
        for key, points, piece in pieces:
            self.points[key] = points + piece.points
            if piece.finished:
                self._end(key)
            else:
                self.begun[key] = piece.share
                self.waiting.appendleft(key)

    def _end(self, key: Key) -> None:
        self.begun.pop(key, None)
        self.finished += 1

    def _explain(self, key: Key, error: BaseException) -> InputError:
        """Return the line that says which unit failed and why."""
        kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
        config = config_text(self.study.configs[key.config])
        failure = InputError(
            f"config {key.config} {config} with seed {key.seed} failed: {kind}{error}"
        )
        failure.__cause__ = error
        return failure

    def _tell(self) -> None:
        self.progress((self.finished + sum(self.begun.values())) / self.units)


class _Threads:
    """Threads of this process."""

    def __init__(self, workers: int, executor: ThreadPoolExecutor) -> None:
        self.workers, self.executor = workers, executor

    def capacity(self) -> int:
        return 2 * self.workers

    def keeps(self, config: Config, seed: int) -> bool:  # noqa: ARG002
        return False

    def submit(
        self, work: str, config: Config, seed: int, state: bytes | None, seconds: float
    ) -> Future[Slice]:
        return self.executor.submit(run_slice, work, config, seed, state, seconds)

    def start(self) -> None:
        """Start the submitted slices; called after each round of `submit`."""

    def withdraw(self, future: Future[Slice]) -> None:
        future.cancel()


@contextmanager
def _threads(workers: int | None) -> Iterator[Pool]:
    number = workers or os.cpu_count() or 1
    executor = ThreadPoolExecutor(number)
    try:
        yield _Threads(number, executor)
    finally:
        executor.shutdown(cancel_futures=True)


def _nothing_made() -> dict[str, str]:
    return {}


def _anything(study: Study) -> None:
    pass


class Executor(NamedTuple):
    """Where slices of a study can run."""

    open: Callable[[int | None], AbstractContextManager[Pool]]  # with so many workers
    check: Callable[[Study], None] = _anything  # raises InputError for what does not run there
    made_with: Callable[[], dict[str, str]] = _nothing_made  # what its results depend on besides


def _load(address: str) -> Any:
    """Import an executor, whose module needs more than the core has: Ray, or a GPU."""
    module, _, name = address.partition(":")
    return getattr(import_module(module), name)


EXECUTORS: dict[str, Callable[[], Executor]] = {
    "threads": lambda: Executor(_threads),
    "ray": partial(_load, "inarow.lab.studies.ray:RAY"),
    "cuda": partial(_load, "inarow.cuda.executor:CUDA"),
}


def executor_named(on: str) -> Executor:
    """Return where a study can run, by its name."""
    if on not in EXECUTORS:
        raise InputError(f"cannot run on {on!r}: there is {', '.join(EXECUTORS)}")
    return EXECUTORS[on]()
