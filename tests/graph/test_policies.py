"""Players as policies: rule players move by move, and the expert that never loses."""

from __future__ import annotations

import math
import random
from functools import cache

import numpy as np
import pytest

import inarow
from inarow.engine.board import GOING_ON
from inarow.engine.rules import RuleList, Scan
from inarow.engine.streams import FIRST, SECOND, make_stream
from inarow.game import InputError, Position
from inarow.game import game as make_game
from inarow.graph.graph import Graph, graph_of, values_of
from inarow.graph.odds import odds, uniform_policy
from inarow.graph.policies import (
    FORCED,
    all_moves,
    expert_policy,
    policy_lists,
    rule_policies,
    sample_games,
)
from inarow.lab.players.names import RULE_PLAYERS
from inarow.plain.random_stream import RandomStream
from tests.engine.reference import PlainBoard, PlainRulePlayer, plain_choose
from tests.oracle import random_game

game = cache(make_game)
both_kinds = pytest.mark.parametrize("reduced", [False, True])
RULE_GAMES = ["tictactoe", "connect4:4x4", "board:3x3,gravity,scoring", "board:2x4,k=2,scoring"]


def chosen(graph: Graph, policy: np.ndarray, position: Position) -> set[int]:
    """The moves that have any weight in a position of a raw graph."""
    number, _ = graph.find(position)
    edges = range(graph.edge_start[number], graph.edge_start[number + 1])
    return {int(graph.move[edge]) for edge in edges if policy[edge] > 0}


@pytest.mark.parametrize("scan", [Scan.RANDOM, Scan.LINES, Scan.CELLS])
@pytest.mark.parametrize("name", RULE_GAMES)
def test_the_plain_twin_chooses_among_the_same_moves(name, scan):
    graph, stream = graph_of(game(name)), RandomStream([1, 2, 3, 4])
    for entry in RULE_PLAYERS.values():
        rules = RuleList(entry.rules.variants, scan)
        policies = rule_policies(graph, rules)
        assert len(policies) == len(rules.variants)
        for seed in range(2):
            board = PlainBoard(game(name))
            for move in random_game(game(name), seed):
                for variant, policy in enumerate(policies):
                    player = PlainRulePlayer(rules, stream)
                    player.variant = variant
                    seen = {
                        plain_choose(board, player) % board.game.columns
                        for _ in range(8 * len(board.open))
                    }
                    allowed = chosen(graph, policy, board.position)
                    assert seen <= allowed
                    # All of them come up, unless a draw so rare was missed.
                    assert len(allowed - seen) <= 1
                board.place(board.position.cell_of(move))


@pytest.mark.parametrize("name", RULE_GAMES)
def test_weights_are_ones_in_every_position(name):
    graph = graph_of(game(name))
    going_on = graph.edge_start[:-1][graph.state == GOING_ON]
    for entry in RULE_PLAYERS.values():
        for policy in rule_policies(graph, entry.rules):
            assert set(np.unique(policy)) <= {0.0, 1.0}
            assert (np.add.reduceat(policy, going_on) > 0).all()
    (random_player,) = rule_policies(graph, RULE_PLAYERS["random"].rules)
    assert (random_player == uniform_policy(graph)).all()


@pytest.mark.parametrize("player", ["random", "benchmark", "advanced", "greedy-lines"])
@pytest.mark.parametrize("name", ["tictactoe", "board:3x3,gravity"])
def test_up_to_symmetry_the_odds_are_the_same(name, player):
    results = []
    for reduced in (False, True):
        graph = graph_of(game(name), reduced)
        (policy,) = rule_policies(graph, RULE_PLAYERS[player].rules)
        results.append(odds(graph, policy, uniform_policy(graph), exact=True))
        results.append(odds(graph, uniform_policy(graph), policy, exact=True))
    assert results[:2] == results[2:]


@pytest.mark.parametrize("scan", [Scan.LINES, Scan.CELLS])
def test_a_fixed_order_on_a_reduced_graph_is_refused(scan):
    rules = RuleList(RULE_PLAYERS["attack"].rules.variants, scan)
    with pytest.raises(InputError, match=r"not symmetric: take the graph that is not reduced"):
        rule_policies(graph_of(game("tictactoe"), reduced=True), rules)


@both_kinds
def test_an_order_kept_for_a_game_is_refused(reduced):
    rules = RuleList(RULE_PLAYERS["attack"].rules.variants, Scan.GAME)
    with pytest.raises(InputError, match="is not a policy"):
        rule_policies(graph_of(game("tictactoe"), reduced), rules)


# The expert

EXPERT_GAMES = ["tictactoe", "connect4:4x4", "board:3x3,k=2", "board:2x4,k=2,scoring"]


def choices(graph: Graph, policy: np.ndarray) -> np.ndarray:
    """The one edge that a deterministic policy takes in each position that goes on."""
    edges = np.flatnonzero(policy)
    assert (policy[edges] == 1).all()
    going_on = np.flatnonzero(graph.state == GOING_ON)
    parent = np.repeat(np.arange(graph.positions), np.diff(graph.edge_start))
    assert parent[edges].tolist() == going_on.tolist()
    return edges


@both_kinds
@pytest.mark.parametrize("quickest", [False, True])
@pytest.mark.parametrize("name", EXPERT_GAMES)
def test_the_expert_keeps_the_value_in_every_position(name, quickest, reduced):
    graph = graph_of(game(name), reduced)
    values = values_of(graph)
    edges = choices(graph, expert_policy(graph, quickest=quickest))
    going_on = graph.state == GOING_ON
    assert (values.value[graph.child[edges]] == values.value[going_on]).all()
    if quickest:
        assert (values.distance[graph.child[edges]] + 1 == values.distance[going_on]).all()


@pytest.mark.parametrize("name", ["tictactoe", "board:3x3,gravity", "board:2x4,k=2,scoring"])
def test_the_expert_never_loses(name):
    graph = graph_of(game(name))
    expert, value = expert_policy(graph), int(values_of(graph).value[0])
    for entry in RULE_PLAYERS.values():
        for policy in rule_policies(graph, entry.rules):
            if value >= 0:
                assert odds(graph, expert, policy).second == 0
            if value <= 0:
                assert odds(graph, policy, expert).first == 0


@pytest.mark.parametrize("quickest", [False, True])
@pytest.mark.parametrize("seed", [1, 2, None])
@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x4"])
def test_among_equals_the_first_in_the_order(name, seed, quickest):
    graph = graph_of(game(name))
    values, order = values_of(graph), list(range(game(name).columns))
    if seed is not None:
        random.Random(seed).shuffle(order)
    edges = choices(graph, expert_policy(graph, order=order, quickest=quickest)).tolist()
    going_on = np.flatnonzero(graph.state == GOING_ON).tolist()
    sample = random.Random(3).sample(range(len(edges)), 1500)
    for edge, number in ((edges[i], going_on[i]) for i in sample):
        children = range(graph.edge_start[number], graph.edge_start[number + 1])
        keep = [e for e in children if values.value[graph.child[e]] == values.value[number]]
        if quickest:
            steps = {e: values.distance[graph.child[e]] for e in keep}
            wins = values.value[number] == (1 if graph.to_move[number] == 0 else -1)
            aim = min(steps.values()) if wins else max(steps.values())
            keep = [e for e in keep if steps[e] == aim]
        assert edge == min(keep, key=lambda e: order.index(int(graph.move[e])))


def test_the_order_by_hand():
    graph, position = graph_of(game("tictactoe")), Position(game("tictactoe"))
    assert chosen(graph, expert_policy(graph), position) == {0}
    backwards = expert_policy(graph, order=range(8, -1, -1))
    assert chosen(graph, backwards, position) == {8}
    centre = expert_policy(graph, order=[4, 0, 2, 6, 8, 1, 3, 5, 7])
    assert chosen(graph, centre, position) == {4}
    # After a corner only the centre holds, whatever the order.
    position.push(0)
    assert chosen(graph, backwards, position) == {4}


def test_the_quickest_win_by_hand():
    # First 0 4 against 1 2: wins at once on 8; the expert in no hurry may take a longer way.
    graph, position = graph_of(game("tictactoe")), Position(game("tictactoe"))
    for cell in (0, 1, 4, 2):
        position.push(cell)
    assert chosen(graph, expert_policy(graph, quickest=True), position) == {8}
    slow = chosen(graph, expert_policy(graph, order=[3, 0, 1, 2, 4, 5, 6, 7, 8]), position)
    assert slow == {3}
    quick = expert_policy(graph, order=[3, 0, 1, 2, 4, 5, 6, 7, 8], quickest=True)
    assert chosen(graph, quick, position) == {8}


@pytest.mark.parametrize("order", [[], [0, 1, 2], list(range(1, 10)), [0] * 9, list(range(10))])
def test_a_bad_order_is_refused(order):
    with pytest.raises(InputError, match=r"the order of tictactoe lists every move from 0 to 8"):
        expert_policy(graph_of(game("tictactoe")), order=order)


# Lists to draw moves from, and games sampled from them against the exact odds.


@pytest.mark.parametrize("name", ["attack-defense", "advanced", "combined", "random"])
def test_lists_hold_the_moves_of_the_policies(name):
    graph = graph_of(inarow.game("connect4:3x4"))
    policies = rule_policies(graph, RULE_PLAYERS[name].rules)
    targets, choices = policy_lists(graph, all_moves(graph), policies)
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
        policy_lists(graph, all_moves(graph), [0.5 * uniform_policy(graph)])
