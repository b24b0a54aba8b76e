"""Corrections of n-tuple networks: steps by hand, and what a search expects."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inarow.engine.streams import make_stream
from inarow.game import Position
from inarow.lab.players import take_seat
from inarow.lab.training import Run
from inarow.learn.ntuple_correct import Correction, least_step
from tests.learn.test_tuples import random_position

BOARD = "connect4:5x5"


@pytest.fixture(scope="module")
def agent() -> Any:
    run = Run(BOARD, "ntuple", {"tuples": 12, "length": 5, "average": 0.0}, None, 5)
    run.training.play(2000)
    return run.agent


def positions(number: int, plies: int) -> list[Position]:
    found = (random_position(BOARD, seed, plies) for seed in range(10 * number))
    return [position for position in found if position.outcome is None][:number]


def test_a_step_by_hand() -> None:
    """Two weights more and one weight twice less: a step of 1/2 changes the sum by 3."""
    assert least_step(3.0, np.array([1, 1, -2])) == 0.5


def test_the_better_position_looks_better_by_the_margin(agent: Any) -> None:
    correction = Correction(agent)
    one, other = positions(2, 7)
    for better, worse in ((other, one), (one, other)):
        before = correction.weights.copy()
        assert correction.prefer(better, worse, 0.1)
        assert correction.total(better) - correction.total(worse) == pytest.approx(0.1, abs=1e-4)
        # Nothing shorter would do: the change is along the difference of the two positions.
        change = (correction.weights - before).ravel()
        sizes = np.abs(change[change != 0])
        assert sizes / sizes.min() == pytest.approx(np.round(sizes / sizes.min()), abs=1e-2)
        assert not correction.prefer(better, worse, 0.09)  # it is so already
    assert not correction.prefer(one, one, 0.1)
    assert (agent.weights != correction.weights).any()  # the agent's own are left alone


def test_totals_are_what_the_agent_thinks(agent: Any) -> None:
    correction = Correction(agent)
    for position in positions(5, 8):
        for move, value in agent.values(position).items():
            after = position.copy()
            after.push(move)
            if after.outcome is None:
                assert np.tanh(correction.total(after)) == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("depth", [2, 3])
def test_a_search_chooses_for_the_sake_of_what_it_expects(agent: Any, depth: int) -> None:
    correction, compared = Correction(agent), 0
    seat = take_seat(agent.searching(depth), agent.game, make_stream(0))
    for position in positions(30, 6):
        chosen, expected = seat.move(position), {}
        for move in position.legal_moves:
            after = position.copy()
            after.push(move)
            if after.outcome is None:
                expected[move] = correction.expected(after, depth - 1)
        if len(expected) < 5 or None in expected.values():
            continue  # a game may end within the search
        totals = {move: correction.total(leaf) for move, leaf in expected.items()}
        safe = {m: t for m, t in totals.items() if expected[m].ply == position.ply + depth}
        assert totals[chosen] == pytest.approx(max(safe.values()), abs=1e-5)
        compared += 1
    assert compared > 5


def test_replies_may_be_given(agent: Any) -> None:
    correction = Correction(agent)
    position = positions(1, 4)[0]
    found = correction.expected(position, 3, lambda p: p.legal_moves[-1])
    assert found is not None
    assert found.moves[:4] == position.moves
    twin = position.copy()
    twin.push(twin.legal_moves[-1])
    twin.push(take_seat(agent.searching(2), agent.game, make_stream(0)).move(twin))
    twin.push(twin.legal_moves[-1])
    assert found.moves == twin.moves


def test_agents_play_with_numbers_of_16_bits(agent: Any) -> None:
    correction = Correction(agent)
    weights = correction.agent(2).weights
    assert np.array_equal(weights, weights.astype(np.float16).astype(np.float32))
    assert np.abs(weights - correction.weights).max() < 1e-3
    assert correction.agent(2).depth == 2
