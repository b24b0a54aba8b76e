"""Two agents that train each other, on a small board."""

from __future__ import annotations

import numpy as np

from inarow.learn.ntuple.learner import NTuple
from inarow.learn.ntuple.pair import Pair

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


def test_nobody_learns_in_an_evaluation() -> None:
    pair = Pair(SMALL, BOARD, 2)
    pair.train(50)
    before = [training.arrays["weights"].copy() for training in pair.both]
    score = pair.evaluate(30)
    assert 0 <= score <= 30
    for training, weights in zip(pair.both, before, strict=True):
        assert np.array_equal(training.arrays["weights"], weights)
    assert pair.games == 50
