"""Corrections of n-tuple networks: steps by hand, and that they hold for the stored weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inarow.agents.making import MARGIN, Corrections, _sweep
from inarow.lab.training.run import Run
from inarow.learn.saved import from_small, to_small
from tests.learn.test_tuples import random_position

BOARD = "connect4:5x5"


@pytest.fixture(scope="module")
def agent() -> Any:
    run = Run(BOARD, "ntuple", {"tuples": 12, "length": 5, "average": 0.0}, None, 5)
    run.training.play(2000)
    return run.agent


def after_moves(plies: int, number: int) -> list[list[Any]]:
    """For some positions the stones after each of their moves."""
    found = list[list[Any]]()
    for seed in range(200):
        position = random_position(BOARD, seed, plies)
        if position.outcome is None and len(found) < number:
            moves = []
            for move in position.legal_moves:
                position.push(move)
                if position.outcome is None:
                    moves.append(np.array(position.stones, dtype=np.int8))
                position.pop()
            if len(moves) > 2:
                found.append(moves)
    return found


def total(corrections: Corrections, stones: Any) -> float:
    """The value of a position with the weights as they are stored."""
    return float(corrections.rounded.reshape(-1)[corrections._indices(stones)].sum())


def test_a_step_by_hand() -> None:
    """A lead of 0.6 is made up along (1, 1, -2): steps of 0.1, 0.1 and -0.2."""
    weights = np.zeros(4, dtype=np.float32)
    starts, places = np.array([0, 3]), np.array([0, 1, 3])
    counts = np.array([1, 1, -2], dtype=np.float32)
    assert _sweep(weights, starts, places, counts, np.float32(0.6)) == 1
    assert weights == pytest.approx([0.1, 0.1, 0, -0.2])


@pytest.mark.parametrize("plies", [6, 7])
def test_corrected_moves_are_liked_best_by_either_side(agent: Any, plies: int) -> None:
    corrections = Corrections(agent)
    sign = 1 if plies % 2 == 0 else -1
    chosen = after_moves(plies, 8)
    for moves in chosen:
        right = min(range(len(moves)), key=lambda i: sign * corrections.first_value(moves[i]))
        moves.insert(0, moves.pop(right))  # the worst liked
        corrections.add(moves[0], moves[1:])
    assert corrections.settle() > 0
    for moves in chosen:
        for other in moves[1:]:
            lead = sign * (total(corrections, moves[0]) - total(corrections, other))
            assert lead >= MARGIN - 1e-6
    assert corrections.settle() == 0  # nothing more to do
    assert (agent.weights != corrections.weights).any()  # the agent's own are left alone
    assert (corrections.agent().weights == corrections.rounded).all()


def test_what_holds_already_changes_nothing(agent: Any) -> None:
    corrections = Corrections(agent)
    moves = after_moves(6, 1)[0]
    moves.sort(key=lambda stones: -total(corrections, stones))
    if total(corrections, moves[0]) - total(corrections, moves[-1]) >= MARGIN:
        corrections.add(moves[0], moves[-1:])
        assert corrections.settle() == 0
    corrections = Corrections(agent)
    corrections.add(moves[0], [moves[0]])  # the same position: no step could help
    assert corrections.settle() == 0


def test_weights_of_8_bits() -> None:
    weights = np.array([0.0, 1 / 256, -0.0019, 0.002, 3.0, -3.0], dtype=np.float32)
    assert to_small(weights).tolist() == [0, 1, 0, 1, 127, -127]
    numbers = np.arange(-127, 128).astype(np.int8)
    assert (to_small(from_small(numbers)) == numbers).all()


def test_sums_of_stored_weights_are_the_same_in_any_order() -> None:
    generator = np.random.default_rng(1)
    weights = from_small(generator.integers(-127, 128, 100_000).astype(np.int8))
    exact = weights.astype(np.float64).sum()
    for _ in range(20):
        generator.shuffle(weights)
        assert np.cumsum(weights, dtype=np.float32)[-1] == exact
