"""Lists to draw moves from, and games sampled from them against the exact odds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import inarow
from inarow.engine.streams import FIRST, SECOND, make_stream
from inarow.graph.graph import graph_of
from inarow.graph.odds import odds, uniform_policy
from inarow.graph.policies import expert_policy, rule_policies
from inarow.graph.sampling import FORCED, all_moves, lists_of, sample_games
from inarow.lab.players import RULE_PLAYERS


@pytest.mark.parametrize("name", ["attack-defense", "advanced", "combined", "random"])
def test_lists_hold_the_moves_of_the_policies(name):
    graph = graph_of(inarow.game("connect4:3x4"))
    policies = rule_policies(graph, RULE_PLAYERS[name].rules)
    targets, choices = lists_of(graph, all_moves(graph), policies)
    for row, policy in zip(choices, policies, strict=True):
        for position in range(0, graph.positions, 7):
            place = int(row[position])
            if place >= FORCED:
                listed = [place - int(FORCED)]
            else:
                listed = [int(t) for t in targets[place + 1 : place + 1 + int(targets[place])]]
            edges = range(graph.edge_start[position], graph.edge_start[position + 1])
            allowed = [int(graph.child[edge]) for edge in edges if policy[edge] > 0]
            assert [target >> 2 for target in listed] == allowed
            assert all(target & 3 == graph.state[target >> 2] for target in listed)


@pytest.mark.parametrize(("first", "second"), [("random", "attack"), ("combined", "advanced")])
@pytest.mark.parametrize("name", ["tictactoe", "connect4:3x4"])
def test_sampled_games_agree_with_the_exact_odds(name, first, second):
    graph = graph_of(inarow.game(name))
    one, two = (rule_policies(graph, RULE_PLAYERS[player].rules) for player in (first, second))
    games = 40_000
    ends = sample_games(graph, one, two, games, (make_stream(1, FIRST), make_stream(1, SECOND)))
    assert sum(ends) == games
    exact = [odds(graph, a, b) for a in one for b in two]
    for place, end in enumerate(("first", "draw", "second")):
        chance = float(np.mean([float(getattr(o, end)) for o in exact]))
        sigma = math.sqrt(chance * (1 - chance) / games)
        assert abs(ends[place] / games - chance) <= 4.5 * sigma + 1e-9


def test_every_opening_is_played():
    graph = graph_of(inarow.game("tictactoe"))
    expert = [expert_policy(graph, quickest=True)]
    streams = make_stream(0, FIRST), make_stream(0, SECOND)
    assert sample_games(graph, expert, expert, 3, streams, openings=True) == (0, 27, 0)


def test_unequal_weights_are_refused():
    graph = graph_of(inarow.game("tictactoe"))
    with pytest.raises(inarow.InputError, match="0 or 1"):
        lists_of(graph, all_moves(graph), [0.5 * uniform_policy(graph)])
