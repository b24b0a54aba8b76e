"""A work for tests: it adds up random numbers, so that every bit depends on all before it.

What happens around it is said by environment variables, not by the config: a pause at each point,
a file that every point is written to, and a file whose absence makes it kill its own process.
"""

from __future__ import annotations

import os
import signal
import struct
import time
from pathlib import Path
from typing import Any

import numpy as np

from inarow.engine.streams import LEARNER, make_stream, uniform
from inarow.game import InputError
from inarow.lab.studies.study import Measurement

NAME = f"{__name__}:CountingWork"
uniform(make_stream(0))  # compiled now, and so for all processes that are forked from this one


class CountingWork:
    """Adds `step` random numbers a point, for `points` points."""

    def __init__(self, config: dict[str, Any], seed: int) -> None:
        self.config, self.seed = config, seed
        self.point, self.total = 0, 0.0
        self.stream = make_stream(seed, LEARNER)

    @classmethod
    def begin(cls, config: dict[str, Any], seed: int) -> CountingWork:
        """At the start."""
        return cls(config, seed)

    @classmethod
    def resume(cls, config: dict[str, Any], seed: int, state: bytes) -> CountingWork:
        """From a state."""
        work = cls(config, seed)
        work.point, work.total = struct.unpack_from("<qd", state)
        work.stream = np.frombuffer(state, np.uint64, 4, 16).copy()
        return work

    def advance(self) -> list[Measurement]:
        """Adds up, and says the total."""
        if self.point >= self.config.get("fails_at", 1 << 60):
            raise InputError("weights are not finite")
        time.sleep(float(os.environ.get("COUNTING_PAUSE", "0")))
        self._write_down()
        for _ in range(self.config["step"]):
            self.total = self.total * 0.999 + uniform(self.stream)
        self.point += 1
        games = self.point * self.config["step"]
        measurements = [Measurement(games, "total", self.total)]
        if self.finished:
            measurements.append(Measurement(games, "rest", self.total % 1))
        return measurements

    def _write_down(self) -> None:
        if log := os.environ.get("COUNTING_LOG"):
            with Path(log).open("a") as file:
                file.write(f"{self.config['step']} {self.seed} {self.point} {os.getpid()}\n")
        flag = os.environ.get("COUNTING_KILL")
        if flag and self.point == 7 and not Path(flag).exists():
            Path(flag).touch()
            os.kill(os.getpid(), signal.SIGKILL)

    @property
    def finished(self) -> bool:
        """After all points."""
        return self.point >= int(self.config["points"])

    @property
    def share(self) -> float:
        """Of the points."""
        return self.point / int(self.config["points"])

    def state(self) -> bytes:
        """Where it is."""
        return struct.pack("<qd", self.point, self.total) + self.stream.tobytes()
