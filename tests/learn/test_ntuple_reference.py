"""The compiled learner against its plain reference: the same games and weights, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inarow.engine.rules import Rule, RuleList
from inarow.game import game as game_of
from inarow.learn.ntuple.learner import NTuple
from tests.learn.plain_ntuple import PlainNTuple, plain_table

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


@pytest.mark.parametrize(("name", "games", "options"), CASES)
def test_same_weights_as_the_reference(name: str, games: int, options: dict[str, Any]) -> None:
    game, learner = game_of(name), NTuple(**{"epsilon": "0.3", "alpha": "0.5*0.9>0.1"} | options)
    training = learner.begin(game, None, 7)
    plain = PlainNTuple(learner, game, training.tuples, 7)
    for part in (1, games - 1):
        training.play(part)
        plain.play(part)
        weights = training.arrays["weights"]
        assert np.array_equal(plain_table(plain, plain.weights, weights.shape), weights)
        assert plain.stream.words == training.arrays["learner"].tolist()
    assert np.count_nonzero(weights) > 0
    if learner.average:
        averages = training.arrays["averages"]
        assert np.array_equal(plain_table(plain, plain.averages, averages.shape), averages)


@pytest.mark.parametrize("side", ["first", "second", "both"])
def test_same_weights_against_an_opponent(side: str) -> None:
    game, opponent = game_of("connect4:4x5"), RuleList(((Rule.WIN, Rule.BLOCK),))
    learner = NTuple(tuples=4, length=5, side=side)
    training = learner.begin(game, opponent, 3)
    plain = PlainNTuple(learner, game, training.tuples, 3)
    training.play(15)
    plain.play(15, opponent)
    weights = training.arrays["weights"]
    assert np.array_equal(plain_table(plain, plain.weights, weights.shape), weights)
