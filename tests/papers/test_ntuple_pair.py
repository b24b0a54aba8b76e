"""Two agents that train each other, on a small board."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inarow.engine.streams import EVALUATION, LEARNER, make_stream
from inarow.game import game as game_of
from inarow.learn.ntuple.learner import NTuple
from inarow.papers.connect_four.tdl import Pair
from inarow.plain.connect_four import NTupleNetwork, TDLAgent, TDLPair
from inarow.plain.random_stream import RandomStream
from tests.learn.compiled_order import OrderedPosition, as_compiled

SMALL = NTuple(
    tuples=4, length=4, symmetric=False, by_side=False, alpha="0.28", epsilon="0.1",
    explored="cut", trace_decay=0.0, gamma=1.0, shield=False, average=0.0,
)  # fmt: skip
BOARD = "connect4:4x5"


def test_games_do_not_depend_on_how_they_are_cut() -> None:
    whole, cut = Pair(SMALL, BOARD, 1), Pair(SMALL, BOARD, 1)
    whole.train(300)
    cut.train(100)
    cut.evaluate(20)  # has streams of its own, and changes nothing
    cut.train(200)
    for one, other in zip(whole.both, cut.both, strict=True):
        assert np.array_equal(one.arrays["weights"], other.arrays["weights"])
        assert one.arrays["weights"].any()
    assert whole.counts.tolist() == cut.counts.tolist()
    assert whole.both[0].tuples != whole.both[1].tuples


class InCompiledOrder(TDLAgent):
    """The plain agent, in the order of compiled boards."""

    start, alpha = OrderedPosition, 0.28


def test_a_plain_pair_learns_the_same_bits_and_has_the_same_scores() -> None:
    """As the paper describes it: nothing of ours, and no tanh."""
    pair, game = Pair(replace(SMALL, output="linear"), BOARD, 3), game_of(BOARD)
    agents = [
        InCompiledOrder(
            game, NTupleNetwork(game, one.tuples), RandomStream(make_stream(3, LEARNER, 2, number))
        )
        for number, one in enumerate(pair.both)
    ]
    evaluation = [RandomStream(make_stream(3, EVALUATION, number)) for number in range(2)]
    plain = TDLPair(*agents, evaluation)
    for games in (1, 24):
        pair.train(games)
        for _ in range(games):
            plain.train_single_game()
        assert pair.evaluate(10) == plain.evaluate(10)
    for agent, one, stream in zip(plain.agents, pair.both, pair.streams, strict=True):
        weights = one.arrays["weights"]
        found = as_compiled(agent.network, agent.network.weights, one.tuples, weights.shape)
        assert np.array_equal(found, weights)
        assert np.count_nonzero(found) > 0
        assert agent.stream.words == stream.tolist()


def test_nobody_learns_in_an_evaluation() -> None:
    pair = Pair(SMALL, BOARD, 2)
    pair.train(50)
    before = [training.arrays["weights"].copy() for training in pair.both]
    score = pair.evaluate(30)
    assert 0 <= score <= 30
    for training, weights in zip(pair.both, before, strict=True):
        assert np.array_equal(training.arrays["weights"], weights)
    assert pair.games == 50
