"""The whole way of the shipped agent on a small board: learn, correct, prove against anyone."""

from __future__ import annotations

import pytest

from inarow.agents.making import correct
from inarow.lab.certificates.anyone import certify_against_anyone
from inarow.lab.training.run import train
from inarow.search.endgame import Endgame

STONES = 12


@pytest.mark.parametrize("seed", [1, 2])
def test_a_learned_agent_is_corrected_until_it_wins_against_anyone(seed: int) -> None:
    """The second player wins 4x6. What was learned from few games does not, until corrected."""
    learned = train(
        "connect4:4x6", "ntuple", games=300, seed=seed, tuples=30, length=5, average=0.0
    ).agent
    before = certify_against_anyone(Endgame(learned, STONES), sides=("second",)).sides["second"]
    assert before.every_game.lost + before.every_game.drawn > 0
    corrections, rounds = correct(learned, STONES, sides=(1,))
    assert rounds[0]["mistakes"] > 0
    assert rounds[-1]["mistakes"] == 0
    agent = Endgame(corrections.agent(), STONES)
    after = certify_against_anyone(agent, sides=("second",)).sides["second"]
    assert (after.every_game.lost, after.every_game.drawn) == (0, 0)
    assert after.result == "wins every game"
    assert after.as_json()["proven"] == "wins every game"
