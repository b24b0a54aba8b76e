"""Pairs of agents that train each other, as the work of a study."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from inarow.game import InputError
from inarow.papers.connect_four.tdl import PARAMETERS, PairWork, is_done

CONFIG: dict[str, Any] = {
    "game": "connect4:4x5",
    "network": {"tuples": 4, "length": 4, "shield": False, "trace_decay": 0.0, "average": 0.0},
    "every": 50, "evaluated": 100, "target": 80, "below": False, "games": 150, "perfect_games": 4,
    "referee": None,
}  # fmt: skip


def test_the_rule_by_hand() -> None:
    at_most, less = (
        partial(is_done, target=80, below=False),
        partial(is_done, target=80, below=True),
    )
    for rule in (at_most, less):
        assert rule([90, 85, 80])
        assert rule([85, 90, 80])
        assert rule([0, 100, 90, 85])
        assert not rule([90, 80])
        assert not rule([90, 79, 80])
        assert not rule([79, 90, 80])
        assert not rule([90, 85, 79.5])
    for equal in ([80, 80, 80], [90, 80, 80], [80, 90, 80]):
        assert at_most(equal)
        assert not less(equal)


@pytest.mark.parametrize(("below", "games"), [(False, 200), (True, 250)])
def test_training_ends_when_its_own_rule_holds(
    below: bool, games: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = PairWork.begin({**CONFIG, "games": 1000, "below": below}, 1)
    given = iter([0.0, 95.0, 90.0, 90.0, 85.0, 84.0])
    monkeypatch.setattr(work, "_evaluate", lambda games, referee: next(given))
    while not work.finished:
        found = {measured.metric: measured.value for measured in work.advance()}
    assert (found["games"], found["done"]) == (games, 1)
    short = PairWork.begin({**CONFIG, "games": 50, "below": below}, 1)
    found = {measured.metric: measured.value for measured in short.advance()}
    assert (found["games"], found["done"]) == (50, 0)


def test_rule_and_referee_change_nothing_in_training() -> None:
    changes: list[dict[str, Any]] = [{}, {"below": True}, {"referee": "minimax:2"}]
    works = [PairWork.begin({**CONFIG, **change}, 1) for change in changes]
    for work in works:
        work.advance()
        work.advance()
    for one in range(2):
        weights = [work.pair.arrays[f"weights {one}"] for work in works]
        assert weights[0].any()
        assert all(np.array_equal(weights[0], other) for other in weights[1:])


@pytest.mark.parametrize("referee", [None, "minimax:2"])
def test_a_pair_that_was_stopped_goes_on_with_the_same_bits(referee: str | None) -> None:
    config = {**CONFIG, "referee": referee}
    whole, cut = PairWork.begin(config, 1), PairWork.begin(config, 1)
    whole.advance()
    cut.advance()
    cut = PairWork.resume(config, 1, cut.state())
    assert cut.scores == whole.scores
    for unit in (whole, cut):
        unit.advance()
    assert cut.scores == whole.scores
    for name, array in whole.pair.arrays.items():
        assert np.array_equal(array, cut.pair.arrays[name]), name


def test_a_pair_that_is_not_whole_is_refused_in_a_line():
    with pytest.raises(InputError, match="a pair needs target, below"):
        PairWork.check({name: 1 for name in PARAMETERS if name not in ("target", "below")})
