"""The best answer under discounted rewards: by hand, and against plain best responses."""

from __future__ import annotations

from fractions import Fraction

import pytest

from inarow.game import Game
from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.graph.odds import Objective, Odds, best_response, uniform_policy
from inarow.graph.policies import rule_policies
from inarow.lab.players.names import player
from inarow.papers.n_dimensional.exact import Rewards, discounted_response

PAPER = Rewards(Fraction(11), Fraction(5, 4), Fraction(0), Fraction(7, 10))


def test_by_hand() -> None:
    # Any two cells of 2x2 are a line: the first player wins with its second move.
    square = graph_of(Game((2, 2), 2))
    value, odds = discounted_response(square, uniform_policy(square), 0, PAPER)
    assert (value, odds) == (Fraction(77, 10), Odds(Fraction(1), Fraction(0), Fraction(0)))
    # On 1x3 with lines of two, a random first stone in the middle wins; else the second takes the
    # middle, and the last stone draws.
    row = graph_of(Game((1, 3), 2))
    value, odds = discounted_response(row, uniform_policy(row), 1, PAPER)
    assert value == Fraction(2, 3) * Fraction(5, 4)
    assert odds == Odds(Fraction(1, 3), Fraction(2, 3), Fraction(0))


@pytest.mark.parametrize("side", [0, 1])
def test_without_discount_the_rewards_are_an_objective(side: int) -> None:
    graph = graph_of(game_of("tictactoe"), reduced=True)
    (policy,) = rule_policies(graph, player("advanced").rules)
    rewards = Rewards(Fraction(1), Fraction(0), Fraction(0), Fraction(1))
    value, odds = discounted_response(graph, policy, side, rewards)
    best = best_response(graph, policy, side, Objective(1, 0, 0), exact=True)[0]
    assert odds == best
    assert value == (best.first if side == 0 else best.second)


def test_symmetry_changes_nothing() -> None:
    found = []
    for reduced in (False, True):
        graph = graph_of(game_of("tictactoe"), reduced=reduced)
        (policy,) = rule_policies(graph, player("advanced").rules)
        found.append(discounted_response(graph, policy, 1, PAPER))
    assert found[0] == found[1]
    assert found[0][1] == Odds(Fraction(4, 63), Fraction(149, 315), Fraction(146, 315))
