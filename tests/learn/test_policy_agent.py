"""A policy agent that learned nothing."""

from __future__ import annotations

from inarow.game import game as game_of
from inarow.learn.reinforce.learner import most_lines


def test_most_lines_takes_the_centre_whatever_happens() -> None:
    game = game_of("tictactoe")
    agent = most_lines(game)
    values = agent.values(game.position())
    assert max(values, key=lambda move: values[move]) == 4
    values = agent.values(game.position("22"))
    assert sorted(values, key=lambda move: -values[move]) == [0, 2, 6, 8, 1, 3, 5, 7]
