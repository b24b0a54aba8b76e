"""A run of a study that is on a GPU: how far it is, and what it measured since it was stored."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import NamedTuple

from inarow.game import InputError
from inarow.lab.evaluate import Measurements
from inarow.lab.study import Config, Measurement, Slice, config_key
from inarow.lab.training_work import TrainingWork


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
    """A unit on the GPU. It goes on while a slice of it is stored: the next one is then longer."""

    work: TrainingWork  # once it is made

    def __init__(self, order: Order) -> None:
        self.order, self.key = order, order.key
        self.future: Future[Slice] | None = order.future  # None: no slice is wanted yet
        self.measured, self.points = list[Measurement](), 0  # since the last slice
        self.here = True  # False once its last slice was taken, or it is another process's
        self.over = False  # and measured
        self.error: Exception | None = None  # that it has failed with
        self.lock = threading.Lock()

    def make(self) -> bool:
        """Begins it, or goes on with it; false if that fails."""
        config, seed, state = self.order.config, self.order.seed, self.order.state
        try:
            self.work = (
                TrainingWork.begin(config, seed)
                if state is None
                else TrainingWork.resume(config, seed, state)
            )
        except InputError as error:
            self.fail(error)
        return self.goes_on

    @property
    def goes_on(self) -> bool:
        """Whether it is of any use to go on with it."""
        return self.here and self.error is None

    def attach(self, future: Future[Slice]) -> None:
        """The next slice is wanted."""
        with self.lock:
            self.future = future
            if self.over or self.error is not None:
                self._end_slice()

    def measure(self, evaluated: list[Measurements]) -> None:
        """Keeps what is due now, with what was evaluated."""
        self.measured += self.work.measure(evaluated)

    def is_sound(self) -> bool:
        """Whether what it learned are numbers; it fails where they are not."""
        try:
            self.work.run.training.check_finite()
        except InputError as error:
            self.fail(error)
        return self.goes_on

    def fail(self, error: Exception) -> None:
        """It alone: the others go on. It says so at once, or when it is asked for a slice."""
        with self.lock:
            self.error = self.error or error
            self._end_slice()

    def end_slice(self, over: bool) -> None:
        """As a thread would end it, where one is wanted."""
        with self.lock:
            self.over = over
            self._end_slice()

    def _end_slice(self) -> None:
        if self.future is None or not self.here:
            return
        future, over, self.future = self.future, self.over, None
        try:
            if self.error is not None:
                raise self.error
            state = None if over else self.work.state()
        except Exception as error:
            self.error, self.here = error, False
            future.set_exception(error)
            return
        self.here = not over
        points, self.points = self.points, 0
        measured, self.measured = self.measured, []
        future.set_result(Slice(points, measured, state, over, 1.0 if over else self.work.share))
