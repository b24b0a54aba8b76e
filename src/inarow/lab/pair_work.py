"""Pairs of TDL agents that train each other, as the work of a study: from evaluation to evaluation.

The parameters: `game`, `network`, `games` at most, `every` how many of them an evaluation
of `evaluated` games by a `referee` (None: the other agent), the `target` of the rule that ends
training (the Connect Four paper's) and whether a score must be `below` the two before it, and how
many `perfect_games`, against perfect play, are played at the end.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Self

import numpy as np
from safetensors.numpy import save

from inarow.engine.streams import EVALUATION
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.evaluate_perfect import play_perfect
from inarow.lab.referee import referee_score
from inarow.lab.study import Config, Measurement
from inarow.learn.arrays import check_arrays, real
from inarow.learn.ntuple.learner import NTuple
from inarow.learn.ntuple.pair import Pair
from inarow.learn.registry import learner
from inarow.learn.saved import read_arrays

WORK = "inarow.lab.pair_work:PairWork"
PARAMETERS = ("game", "network", "games", "every", "evaluated", "referee", "target", "below",
              "perfect_games")  # fmt: skip


class PairWork:
    """A pair in training."""

    def __init__(self, config: Config, seed: int) -> None:
        self.config, self.seed = config, seed
        self.pair = Pair(NTuple(**config["network"]), config["game"], seed)
        self.scores = list[float]()
        self.seconds = 0.0  # of CPU time, on this thread

    @classmethod
    def check(cls, config: Config) -> None:
        """Refuses what is not whole, and a network that cannot be made."""
        missing = [name for name in PARAMETERS if name not in config]
        if missing:
            raise InputError(f"a pair needs {', '.join(missing)}")
        learner("ntuple", config["network"]).check(game_of(config["game"]), against=False)

    @classmethod
    def begin(cls, config: Config, seed: int) -> Self:
        """At the start."""
        return cls(config, seed)

    @classmethod
    def resume(cls, config: Config, seed: int, state: bytes) -> Self:
        """Where it was when `state` was taken."""
        work, arrays = cls(config, seed), read_arrays(state, "the state")
        scores = len(arrays.get("scores", ()))
        own = {"scores": real((scores,)), "seconds": real((1,), low=0)}
        given = {name: arrays.pop(name) for name in own if name in arrays}
        check_arrays(own, given, own)
        work.pair.restore(arrays)
        work.scores, work.seconds = given["scores"].tolist(), float(given["seconds"][0])
        return work

    def state(self) -> bytes:
        """All that is needed to resume."""
        own = {"scores": np.array(self.scores), "seconds": np.array([self.seconds])}
        return save({**self.pair.arrays, **own})

    @property
    def done(self) -> bool:
        """Whether the rule holds."""
        return is_done(self.scores, self.config["target"], self.config["below"])

    @property
    def finished(self) -> bool:
        """Whether the rule holds, or all games that are allowed are played."""
        return self.pair.games >= self.config["games"] or self.done

    @property
    def share(self) -> float:
        """Of the games that are allowed."""
        return float(self.pair.games / self.config["games"])

    def advance(self) -> list[Measurement]:
        """Trains until the next evaluation; after the last the first agent meets perfect play."""
        before = time.thread_time()
        self.pair.train(self.config["every"])
        self.scores.append(self._evaluate(self.config["evaluated"], self.config["referee"]))
        self.seconds += time.thread_time() - before
        found = {"score": self.scores[-1]}
        if self.finished:
            tally, _ = play_perfect(
                self.pair.agent(), self.config["perfect_games"], 0, 10_000 + self.seed
            )
            found |= {
                "games": self.pair.games,
                "done": self.done,
                "seconds": self.seconds,
                "highest score": max(self.scores),
                "perfect score": tally.score,
                "wins": tally.wins,
                "draws": tally.draws,
                "losses": tally.losses,
            }
        return [Measurement(self.pair.games, name, float(value)) for name, value in found.items()]

    def _evaluate(self, games: int, referee: str | None) -> float:
        if referee is None:
            return self.pair.evaluate(games)
        source = np.random.SeedSequence(self.seed, spawn_key=(EVALUATION, self.pair.games))
        seed = int(source.generate_state(1, np.uint64)[0])
        return referee_score(referee, self.pair.agent(), games, seed)


def is_done(scores: Sequence[float], target: float, below: bool) -> bool:
    """The paper's rule: the last score is at least the target, and not above the two before it.

    So its pseudocode; its text says `below` both. A pair that is done `below` is done either way.
    """
    if len(scores) < 3 or scores[-1] < target:
        return False
    before = min(scores[-3:-1])
    return scores[-1] < before if below else scores[-1] <= before
