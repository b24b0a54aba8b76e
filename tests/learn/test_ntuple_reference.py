"""The compiled learner against its plain reference: the same games and weights, bit by bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from inarow.engine.rules import Rule, RuleList
from inarow.engine.streams import LEARNER, make_stream
from inarow.game import Game
from inarow.game import game as game_of
from inarow.learn.ntuple.learner import NTuple
from inarow.learn.options import schedule
from inarow.plain.connect_four import RESULTS, ZERO, Key, NTupleNetwork, TDLAgent
from inarow.plain.random_stream import RandomStream
from tests.learn.compiled_order import OrderedPosition, as_compiled, learners_in, opponent_of

CASES: list[tuple[str, int, dict[str, Any]]] = [
    ("connect4:6x7", 12, {"tuples": 6}),
    ("connect4:6x7", 12, {"tuples": 5, "tcl": True, "explored": "best", "epsilon": "0.5*0.9/2"}),
    ("connect4:4x5", 20, {"tuples": 5, "length": 5, "shield": False, "explored": "best"}),
    ("connect4:4x5", 20, {"tuples": 4, "length": 6, "states": 3, "by_side": False}),
    ("connect4:4x5", 20, {"tuples": 3, "length": 4, "output": "linear", "shield": False}),
    (
        "connect4:4x5",
        20,
        {"tuples": 3, "length": 4, "loss_function": "logistic", "symmetric": False},
    ),
    ("connect4:4x5", 30, {"tuples": 4, "length": 5, "average": 2.0, "average_every": 3}),
    (
        "connect4:4x5",
        20,
        {"tuples": 4, "length": 5, "opening": 4, "gamma": 0.9, "trace_decay": 0.8},
    ),
    ("tictactoe", 40, {"cells": "0,1,2 0,4,8 3,4,5,8", "trace_decay": 0.0}),
    ("cube", 5, {"tuples": 2, "length": 6}),
    ("ntictactoe:3^3", 4, {"tuples": 2, "length": 4, "shield": False}),
    ("connect4:4x5,misere", 20, {"tuples": 4, "length": 5, "shield": False}),
    ("connect4:4x5,wrap,misere", 20, {"tuples": 4, "length": 5}),
    ("connect4:4x5,wrap", 12, {"tuples": 4, "length": 5}),
]


class PlainNTuple(TDLAgent):
    """The plain agent with all options of the learner, in the order of compiled boards."""

    start = OrderedPosition

    def __init__(
        self, options: NTuple, game: Game, tuples: Any, seed: int, rules: RuleList | None = None
    ) -> None:
        network = NTupleNetwork(game, tuples, options.symmetric, options.by_side, options.states)
        super().__init__(game, network, RandomStream(make_stream(seed, LEARNER)))
        self.options, self.opponent, self.number = options, opponent_of(rules, seed), 0
        self.gamma, self.tuples = options.gamma, tuples
        self.coherence: dict[Key, tuple[np.float32, np.float32]] = {}
        self.averages: dict[Key, np.float32] = {}

    def play(self, games: int) -> None:
        for _ in range(games):
            self.alpha = schedule(self.options.alpha).at(self.number)
            self.play_one(schedule(self.options.epsilon).at(self.number))
            self.number += 1
            self.average()

    def play_one(self, epsilon: float) -> None:
        opening = self.stream.below(self.options.opening + 1) if self.options.opening else 0
        sides = learners_in(self.number, self.options.side, self.opponent is None)
        position = self.start(self.game)
        self.begin(position)
        if self.opponent is not None:
            self.opponent.begin()
        while position.outcome is None:
            if position.to_move in sides:
                position.push(self.choose(position, 1.0 if position.ply < opening else epsilon))
            else:
                position.push(self.opponent.choose(position))
            self.see(position)
        self.learn(position)

    def moves(self, position: OrderedPosition) -> list[int]:
        rules = (Rule.WIN, Rule.BLOCK, Rule.SAFE) if self.options.shield else ()
        return position.filtered(rules)[0]

    def value(self, total: float) -> float:
        return math.tanh(total) if self.options.output == "tanh" else super().value(total)

    def learn(self, position: OrderedPosition) -> None:
        self.later = RESULTS[position.outcome]
        super().learn(position)

    def target(self, t: int) -> float | None:
        options = self.options
        if t not in self.passed:
            mixed = (1.0 - options.trace_decay) * self.values[t + 1]
            self.later = options.gamma * (mixed + options.trace_decay * self.later)
        elif options.explored == "best":
            self.later = options.gamma * self.passed[t]
        else:
            self.later = self.values[t]
            return None
        return self.later

    def update(self, stones: Any, target: float) -> None:
        """By tanh and a step size for each weight, if there are such."""
        options, network = self.options, self.network
        if options.output == "linear" and not options.tcl:
            super().update(stones, target)
            return
        keys = network.keys(stones)
        value = self.value(network.sum_of(keys))
        squared = options.output == "tanh" and options.loss_function == "squared"
        error = (target - value) * (1.0 - value * value if squared else 1.0)
        for key in keys:
            own: Any = 1.0
            if options.tcl:
                change, size = self.coherence.get(key, (ZERO, ZERO))
                own = np.float32(abs(change) / size) if size > 0 else np.float32(1)
                new = np.float32(change + np.float32(error))
                self.coherence[key] = new, np.float32(size + np.float32(abs(error)))
            network.add([key], self.alpha / len(keys) * error * float(own))

    def average(self) -> None:
        """After a game, if one is due."""
        options = self.options
        if not options.average or self.number % options.average_every:
            return
        share = options.average + self.number // options.average_every
        share = np.float32((options.average + 1) / share)
        for key, weight in self.network.weights.items():
            mean = self.averages.get(key, ZERO)
            self.averages[key] = np.float32(mean + np.float32(share * np.float32(weight - mean)))

    def tables(self, weights: Any, shape: Any) -> np.ndarray:
        """Weights where the compiled run keeps them."""
        return as_compiled(self.network, weights, self.tuples, shape)


@pytest.mark.parametrize(("name", "games", "options"), CASES)
def test_same_weights_as_the_reference(name: str, games: int, options: dict[str, Any]) -> None:
    game, learner = game_of(name), NTuple(**{"epsilon": "0.3", "alpha": "0.5*0.9>0.1"} | options)
    training = learner.begin(game, None, 7)
    plain = PlainNTuple(learner, game, training.tuples, 7)
    for part in (1, games - 1):
        training.play(part)
        plain.play(part)
        weights = training.arrays["weights"]
        assert np.array_equal(plain.tables(plain.network.weights, weights.shape), weights)
        assert plain.stream.words == training.arrays["learner"].tolist()
    assert np.count_nonzero(weights) > 0
    if learner.average:
        averages = training.arrays["averages"]
        assert np.array_equal(plain.tables(plain.averages, averages.shape), averages)


@pytest.mark.parametrize("side", ["first", "second", "both"])
def test_same_weights_against_an_opponent(side: str) -> None:
    game, opponent = game_of("connect4:4x5"), RuleList(((Rule.WIN, Rule.BLOCK),))
    learner = NTuple(tuples=4, length=5, side=side)
    training = learner.begin(game, opponent, 3)
    plain = PlainNTuple(learner, game, training.tuples, 3, opponent)
    training.play(15)
    plain.play(15)
    weights = training.arrays["weights"]
    assert np.array_equal(plain.tables(plain.network.weights, weights.shape), weights)
