"""How fast a learner trains, as a unit of a study: games a CPU-second on one core."""

from __future__ import annotations

import time
from typing import Self

from inarow.game import game as game_of
from inarow.lab.studies.study import Config, Measurement
from inarow.lab.training.run import Run
from inarow.learn.registry import learner

SPEED = "games a CPU-second"
SPEED_WORK = "inarow.papers.speed:SpeedWork"
TIMED_SECONDS = 0.3  # of training that is timed, unless `timed_seconds` says otherwise
NOT_OPTIONS = ("game", "learner", "against", "timed_seconds")


class SpeedWork:
    """Trains for a third of a second after compilation, and says how many games that were."""

    finished = False

    def __init__(self, parameters: Config, seed: int) -> None:
        self.parameters, self.seed = parameters, seed

    @classmethod
    def check(cls, config: Config) -> None:
        """Refuses what cannot be trained."""
        options = {name: value for name, value in config.items() if name not in NOT_OPTIONS}
        made = learner(config["learner"], options)
        made.check(game_of(config["game"]), config.get("against") is not None)

    @classmethod
    def begin(cls, config: Config, seed: int) -> Self:
        """At the start."""
        return cls(config, seed)

    @classmethod
    def resume(cls, config: Config, seed: int, state: bytes) -> Self:
        """From the start again: there is nothing to keep."""
        del state
        return cls(config, seed)

    def state(self) -> bytes:
        """Nothing."""
        return b""

    @property
    def share(self) -> float:
        """None, or all."""
        return float(self.finished)

    def advance(self) -> list[Measurement]:
        """Doubles the number of games until they take long enough."""
        given = self.parameters
        options = {name: value for name, value in given.items() if name not in NOT_OPTIONS}
        run = Run(given["game"], given["learner"], options, given.get("against"), self.seed)
        games, seconds = 8, 0.0
        run.training.play(games)  # compiles
        while seconds < given.get("timed_seconds", TIMED_SECONDS):
            games *= 2
            start = time.thread_time()
            run.training.play(games)
            seconds = time.thread_time() - start
        self.finished = True
        return [Measurement(games, SPEED, games / seconds)]
