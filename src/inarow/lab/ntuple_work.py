"""Training runs of n-tuple networks that perfect play evaluates, as the work of a study.

Perfect play meets the averaged weights and, beside, the last ones. At the end it is also measured
what games the agent plays against itself, and how it does against a minimax as deep as that of the
Connect Four paper.
"""

from __future__ import annotations

import json
import math
import struct
import time
from functools import lru_cache
from threading import Lock
from typing import Self

import numpy as np

from inarow.engine.streams import EVALUATION
from inarow.game import InputError
from inarow.lab.evaluate_perfect import play_perfect
from inarow.lab.own_games import play_itself
from inarow.lab.referee import referee_score
from inarow.lab.study import Config, Measurement
from inarow.lab.training import Run
from inarow.lab.training_work import TrainingWork
from inarow.learn.ntuple.agent import NTupleAgent

WORK = "inarow.lab.ntuple_work:TDLWork"
TRAINED_ON_WORK = "inarow.lab.ntuple_work:TrainedOnWork"
POINTS = 20  # pieces that a run is played in
PERFECT_GAMES = 200  # games against perfect play moving first: moving second, every agent loses
OWN_GAMES = 20  # games against itself
MINIMAX = "minimax:6"
SCORE, LAST, CPU = "averaged score", "last score", "training CPU-seconds"
AGAINST_MINIMAX = f"score against {MINIMAX}"
SECONDS = struct.Struct("<d")


class TDLWork(TrainingWork):
    """A training run of `ntuple`."""

    cpu = 0.0  # seconds of training, on this thread

    @classmethod
    def resume(cls, config: Config, seed: int, state: bytes) -> Self:
        """Where it was when `state` was taken."""
        if len(state) < SECONDS.size:
            raise InputError("the state is damaged, or something else")
        (cpu,) = SECONDS.unpack(state[: SECONDS.size])
        if not 0 <= cpu < math.inf:
            raise InputError(f"the state says that training took {cpu} s")
        work = super().resume(config, seed, state[SECONDS.size :])
        work.cpu = cpu
        return work

    def state(self) -> bytes:
        """All that is needed to resume."""
        return SECONDS.pack(self.cpu) + super().state()

    def advance(self) -> list[Measurement]:
        """Plays on; at the end the agent is evaluated."""
        before = time.thread_time()
        piece = -(-self.games // POINTS)
        self.run.training.play(min(piece, self.games - self.run.games))
        self.cpu += time.thread_time() - before
        return self._evaluate() if self.finished else []

    def _evaluate(self) -> list[Measurement]:
        """Scores moving first, and mistakes by the stones before them."""
        self.run.training.check_finite()
        games, agent = self.run.games, self.run.agent
        assert isinstance(agent, NTupleAgent)
        source = np.random.SeedSequence(self.seed, spawn_key=(EVALUATION, games))
        seed = int(source.generate_state(1, np.uint64)[0])
        found = {CPU: self.cpu}
        for kind in ("averaged", "last"):
            tally, mistakes = play_perfect(agent, PERFECT_GAMES, 0, seed)
            found[f"{kind} score"] = tally.score
            found[f"{kind} wins"], found[f"{kind} losses"] = tally.wins, tally.losses
            for stones in range(0, agent.game.cells, 6):
                asked, wrong = mistakes.get(stones, (0, 0))
                found[f"{kind} mistakes from {stones} stones"] = wrong / max(asked, 1)
            if kind == "averaged":
                found |= play_itself(agent, OWN_GAMES, seed)
                found[AGAINST_MINIMAX] = (
                    referee_score(MINIMAX, agent, PERFECT_GAMES, seed) / PERFECT_GAMES
                )
            agent.weights = self.run.training.arrays["weights"]
        return [Measurement(games, name, float(value)) for name, value in found.items()]


class TrainedOnWork(TDLWork):
    """A run that begins with the averaged weights of another, `start`, and its tuples."""

    @classmethod
    def check(cls, config: Config) -> None:
        """Refuses a run, or one to begin with, whose options cannot be used."""
        super().check(_options_of(config))
        super().check({n: value for n, value in config["start"].items() if n != "seed"})

    @classmethod
    def begin(cls, config: Config, seed: int) -> Self:
        """Trains the other first: once in a process, since all runs begin with the same."""
        start = trained(json.dumps(config["start"]))
        work = super().begin(_options_of(config), seed)
        work.run.training.arrays["weights"][...] = start.training.arrays["averages"]
        return work

    @classmethod
    def resume(cls, config: Config, seed: int, state: bytes) -> Self:
        """Where it was when `state` was taken."""
        return super().resume(_options_of(config), seed, state)


def _options_of(config: Config) -> Config:
    """The parameters of the run itself: its own, and those of the network that it begins with."""
    own = {name: value for name, value in config.items() if name != "start"}
    kept = {n: config["start"][n] for n in ("tuples", "length", "output", "explored", "gamma")}
    return {**kept, **own, "tuple_seed": config["start"]["seed"]}


_training = Lock()


def trained(config: str) -> Run:
    """A run against itself, to its end."""
    with _training:  # threads wait for the one that trains it
        return _trained(config)


@lru_cache(maxsize=2)
def _trained(config: str) -> Run:
    options = json.loads(config)
    game, games, seed = (options.pop(name) for name in ("game", "games", "seed"))
    run = Run(game, "ntuple", options, None, seed)
    run.training.play(games)
    return run
