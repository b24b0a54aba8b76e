"""Pairs of agents that train each other, as the work of a study."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inarow.lab.pair_work import PairWork, is_done

CONFIG: dict[str, Any] = {
    "game": "connect4:4x5",
    "network": {"tuples": 4, "length": 4, "shield": False, "trace_decay": 0.0, "average": 0.0},
    "every": 50, "evaluated": 100, "target": 80, "games": 150, "perfect_games": 4,
}  # fmt: skip


def test_the_rule_by_hand() -> None:
    assert not is_done([90, 80], 80)
    assert is_done([90, 85, 80], 80)
    assert is_done([80, 80, 80], 80)
    assert not is_done([90, 79, 80], 80)
    assert not is_done([79, 90, 80], 80)
    assert not is_done([90, 85, 79.5], 80)
    assert is_done([0, 100, 90, 85], 80)
    assert is_done([90, 85, 80], 80, below=True)
    assert not is_done([90, 80, 80], 80, below=True)
    assert not is_done([80, 90, 80], 80, below=True)


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
