"""Training as the work of a study: a config says what is trained, recorded and evaluated.

The parameters of a config: `game`, `learner`, `against`, `games`; `stop_games` and `check_every`
(`training.Stop`); `record`, every how many games the losses so far are kept; `evaluations`, names
that `evaluate` knows, made at the end and on the way: with `evaluate_every`, and at the numbers of
games in `evaluate_at`. Every other parameter is an option of the learner.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np

from inarow.engine.streams import EVALUATION
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.evaluate import Measurements, check_evaluation, evaluate
from inarow.lab.study import Config, Measurement
from inarow.lab.training import Run, Stop, opponent_of, run_from
from inarow.learn.agent import LearnedAgent
from inarow.learn.arrays import MAX_GAMES
from inarow.learn.learner import layout_of
from inarow.learn.registry import learner as learner_of
from inarow.learn.training import LOSSES

KNOWN: Config = {
    "game": "tictactoe",
    "learner": "td",
    "against": None,
    "games": 100_000,
    "stop_games": 0,
    "check_every": 10_000,
    "record": 0,  # or a list of [every, until] pairs: finer at the start; 0: never
    "evaluations": [],
    "evaluate_every": 0,  # 0: only at the end
    "evaluate_at": [],  # numbers of games
}


class TrainingWork:
    """A training run of a study, going from point to point."""

    def __init__(self, config: Config, seed: int, run: Run) -> None:
        self.config, self.seed, self.run = {**KNOWN, **config}, seed, run
        self.games, self.stop, self.evaluate_every, self.evaluate_at, self.record = self._read(
            self.config
        )

    @staticmethod
    def _read(given: Config) -> tuple[int, Stop, int, list[int], list[tuple[int, int]]]:
        """The numbers of a config: games, when to stop, when to evaluate, when to record."""
        return (
            _whole(given, "games", 1),
            Stop(_whole(given, "stop_games", 0), _whole(given, "check_every", 1)),
            _whole(given, "evaluate_every", 0),
            _numbers(given["evaluate_at"]),
            _pairs(given["record"]),
        )

    @classmethod
    def check(cls, config: Config) -> None:
        """Refuses a config whose game, learner, options, opponent or numbers do not work."""
        given = {**KNOWN, **config}
        game, learner = game_of(given["game"]), learner_of(given["learner"], options_in(config))
        learner.check(game, given["against"] is not None)
        opponent_of(given["against"], game)
        layout_of(learner, game, 0)
        cls._read(given)
        if not isinstance(given["evaluations"], list):
            raise InputError(f"evaluations is a list of names, not {given['evaluations']!r}")
        for evaluation in given["evaluations"]:
            check_evaluation(evaluation)

    @classmethod
    def begin(cls, config: Config, seed: int) -> Self:
        """At the start."""
        given, options = {**KNOWN, **config}, options_in(config)
        run = Run(given["game"], given["learner"], options, given["against"], seed)
        return cls(config, seed, run)

    @classmethod
    def resume(cls, config: Config, seed: int, state: bytes) -> Self:
        """Where it was when `state` was taken: a state of the same run, and of no other."""
        run, given = run_from(state), {**KNOWN, **config}
        learner = learner_of(given["learner"], options_in(config))
        game = game_of(given["game"])
        same = (run.game, run.learner, run.against, run.seed)
        if same != (game, learner, given["against"], seed) or not run.resumable:
            raise InputError("the state is that of another run")
        return cls(config, seed, run)

    def state(self) -> bytes:
        """All that is needed to resume."""
        self.run.training.check_finite()
        return self.run.state()

    @property
    def finished(self) -> bool:
        """Whether all games are played, or the stop rule holds."""
        return self.run.games >= self.games or self.stop.holds(self.run)

    @property
    def share(self) -> float:
        """Of the games played."""
        return self.run.games / self.games

    def advance(self) -> list[Measurement]:
        """Plays on to the next point and measures what is due there."""
        self.run.training.play(self.next_point(self.run.games) - self.run.games)
        return self.measure_due()

    def measure_due(self) -> list[Measurement]:
        """Measures what is due now."""
        if not self.evaluates:
            return self.measure()
        agent, seed = self.agent(), self.evaluation_seed
        return self.measure(evaluate(agent, name, seed) for name in self.config["evaluations"])

    def next_point(self, games: int) -> int:
        """The number of games, after so many, at which something is due."""
        checks = [self.games, self.stop.next_check(games), self._next_record(games)]
        checks += [number for number in self.evaluate_at if number > games]
        if self.evaluate_every:
            checks.append(_next_multiple(games, self.evaluate_every))
        return min(checks)

    @property
    def evaluates(self) -> bool:
        """Whether evaluations are due now."""
        return self.finished or self.evaluates_at(self.run.games)

    def evaluates_at(self, games: int) -> bool:
        """Whether evaluations are due after so many games, on the way."""
        every = self.evaluate_every > 0 and games % self.evaluate_every == 0
        return every or games in self.evaluate_at

    def records_at(self, games: int) -> bool:
        """Whether losses are recorded after so many games, on the way."""
        return games > 0 and self._next_record(games - 1) == games

    @property
    def evaluation_seed(self) -> int:
        """Of the evaluations that are due now."""
        source = np.random.SeedSequence(self.seed, spawn_key=(EVALUATION, self.run.games))
        return int(source.generate_state(1, np.uint64)[0])

    def agent(self) -> LearnedAgent:
        """The player learned so far, if it is one."""
        self.run.training.check_finite()
        return self.run.agent

    def measure(self, evaluated: Iterable[Measurements] = ()) -> list[Measurement]:
        """What is due at this point, with what the evaluations measured that are due."""
        games, finished = self.run.games, self.finished
        due = list[Measurement]()
        if finished or self.records_at(games):
            due.append(Measurement(games, "lost", float(self.run.training.counts[LOSSES])))
        for measured in evaluated:
            due += [Measurement(games, metric, value) for metric, value in measured.items()]
        if finished:
            due.append(Measurement(games, "games", float(games)))
        return due

    def _next_record(self, games: int) -> int:
        """The next number of games to be recorded at."""
        for every, until in self.record:
            if games < until:
                return min(_next_multiple(games, every), until)
        return MAX_GAMES


def options_in(config: Config) -> Config:
    """The parameters that the learner takes."""
    return {name: value for name, value in config.items() if name not in KNOWN}


def _next_multiple(games: int, of: int) -> int:
    return games + of - games % of


def _whole(config: Config, name: str, least: int) -> int:
    value = config[name]
    if not isinstance(value, int) or not least <= value <= MAX_GAMES:
        raise InputError(f"{name} is a whole number from {least}, not {value!r}")
    return value


def _numbers(given: object) -> list[int]:
    if not isinstance(given, list) or not all(isinstance(n, int) and n > 0 for n in given):
        raise InputError(f"evaluate_at is a list of numbers of games, not {given!r}")
    return given


def _pairs(record: int | list[list[int]]) -> list[tuple[int, int]]:
    """Every how many games until which number: a number alone holds to the end."""
    if isinstance(record, int):
        return [(record, MAX_GAMES)] if record > 0 else []
    try:
        return [(int(every), int(until) or MAX_GAMES) for every, until in record if every > 0]
    except (TypeError, ValueError):
        raise InputError(f"record is a number or [every, until] pairs, not {record!r}") from None
