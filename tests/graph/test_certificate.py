"""Certificates: against a plain walk over all lines of play, and with mistakes planted."""

import random
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from inarow.engine.board import GOING_ON
from inarow.game import InputError, Position
from inarow.game import game as make_game
from inarow.graph.certificate import SideProof, certify_side, moves_to
from inarow.graph.graph import Graph, graph_of, values_of
from inarow.graph.odds import Objective, best_response, uniform_policy
from inarow.graph.policies import expert_policy, rule_policies
from inarow.lab.players.names import RULE_PLAYERS
from tests.graph.plain import plain_values

game = cache(make_game)
sides = pytest.mark.parametrize("side", [0, 1])

POLICIES = {
    "expert": expert_policy,
    "quickest expert": lambda graph: expert_policy(graph, quickest=True),
    "uniform": uniform_policy,
    "random weights": lambda graph: np.random.default_rng(5).integers(0, 3, graph.edges) + 0.0,
}


def policy_named(name: str, graph: Graph) -> np.ndarray:
    """A policy, repaired where its random weights leave a position without a move."""
    policy = np.asarray(POLICIES[name](graph), dtype=np.float64)
    starts = graph.edge_start[:-1][graph.state == GOING_ON]
    policy[starts] += np.add.reduceat(policy, starts) == 0
    return policy


class Seen(NamedTuple):
    """A position as a plain walk meets it."""

    number: int  # in the graph
    ply: int
    winner: int | None  # 1 or 2; None for a draw, and while the game goes on
    after: dict[int, tuple[int, ...]]  # the stones that each move leads to; none at the end


class Lines:
    """All lines of play of a game, over `Position`: each position is looked at once."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.empty = (0,) * graph.game.cells
        self._moves: dict[tuple[int, ...], tuple[int, ...]] = {self.empty: ()}
        self._seen: dict[tuple[int, ...], Seen] = {}

    def visit(self, stones: tuple[int, ...]) -> Seen:
        """What can be seen of a position that a move has led to."""
        if stones not in self._seen:
            position = Position(self.graph.game)
            for move in self._moves[stones]:
                position.push(move)
            after = {}
            for move in position.legal_moves:
                position.push(move)
                after[move] = position.stones
                self._moves.setdefault(position.stones, position.moves)
                position.pop()
            winner = position.outcome.winner if position.outcome else None
            number, _ = self.graph.find(position)
            self._seen[stones] = Seen(number, position.ply, winner, after)
        return self._seen[stones]

    def weights(self, policy: np.ndarray, number: int) -> dict[int, float]:
        """The moves that have any weight in a position, and their weights."""
        edges = range(self.graph.edge_start[number], self.graph.edge_start[number + 1])
        return {int(self.graph.move[e]): float(policy[e]) for e in edges if policy[e] > 0}

    def met(self, policy: np.ndarray, side: int) -> Iterator[tuple[tuple[int, ...], Seen]]:
        """Every position that the player's own play can lead to, those with fewer stones first."""
        ply = [self.empty]
        while ply:
            following: dict[tuple[int, ...], None] = {}
            for stones in ply:
                here = self.visit(stones)
                yield stones, here
                own_turn = here.ply % 2 == side
                moves = self.weights(policy, here.number) if own_turn else here.after
                following.update((here.after[move], None) for move in moves)
            ply = list(following)


@cache
def lines_of(name: str) -> Lines:
    """The lines of a game, shared by all tests."""
    return Lines(graph_of(game(name)))


@cache
def values(name: str) -> dict[tuple[int, ...], int]:
    """The value of every position, by a recursion."""
    return {stones: value for stones, (value, _) in plain_values(game(name)).items()}


def plain_certificate(name: str, policy: np.ndarray, side: int) -> dict[str, object]:
    """What a recursion over all positions says of a player, in the most obvious way."""
    lines, value, sign = lines_of(name), values(name), 1 - 2 * side
    chances: dict[tuple[int, ...], float] = {}  # of a loss, its dice averaged
    beaten: dict[tuple[int, ...], bool] = {}  # by some opponent and some dice
    mistaken, own_positions = set(), set()

    def visit(stones: tuple[int, ...]) -> None:
        if stones in chances:
            return
        here = lines.visit(stones)
        for after in here.after.values():
            visit(after)
        if not here.after:
            beaten[stones] = here.winner == 2 - side
            chances[stones] = float(beaten[stones])
        elif here.ply % 2 == side:
            own_positions.add(stones)
            weights = {here.after[m]: w for m, w in lines.weights(policy, here.number).items()}
            total = sum(weights.values())
            chances[stones] = sum(w * chances[after] for after, w in weights.items()) / total
            beaten[stones] = any(beaten[after] for after in weights)
            if any(sign * value[after] < sign * value[stones] for after in weights):
                mistaken.add(stones)
        else:
            chances[stones] = max(chances[after] for after in here.after.values())
            beaten[stones] = any(beaten[after] for after in here.after.values())

    visit(lines.empty)
    met = {s for s, here in lines.met(policy, side) if here.after and here.ply % 2 == side}
    won = {stones for stones in met if sign * value[stones] > 0}
    return {
        "unbeatable": not beaten[lines.empty],
        "loss_chance": pytest.approx(chances[lines.empty], abs=1e-12),
        "positions": len(own_positions),
        "met": len(met),
        "mistakes": len(mistaken),
        "mistakes_met": len(mistaken & met),
        "won_met": len(won),
        "thrown_away": len(mistaken & won),
    }


def shortest_loss(name: str, policy: np.ndarray, side: int) -> int | None:
    """How many moves the shortest lost game has, breadth first."""
    met = lines_of(name).met(policy, side)
    return next((here.ply for _, here in met if here.winner == 2 - side), None)


def met_numbers(name: str, policy: np.ndarray, side: int) -> set[int]:
    """The numbers of the positions that the player's own play can lead to."""
    return {here.number for _, here in lines_of(name).met(policy, side)}


def check_refutation(certificate: SideProof, name: str, policy, side: int) -> None:
    """The line is a legal game that the player loses by moves of its own, and none is shorter."""
    shortest, lines = shortest_loss(name, policy, side), lines_of(name)
    assert certificate.unbeatable == (shortest is None)
    if shortest is None:
        assert certificate.refutation is None
        return
    line = game(name).position(certificate.refutation)
    assert line.outcome is not None
    assert line.outcome.winner == 2 - side
    assert line.ply == shortest
    replayed = Position(game(name))
    for move in line.moves:
        if replayed.ply % 2 == side:
            number, _ = lines.graph.find(replayed)
            assert move in lines.weights(policy, number)
        replayed.push(move)


@sides
@pytest.mark.parametrize("policy_name", POLICIES)
@pytest.mark.parametrize(
    "name",
    ["tictactoe", "board:2x4,k=2,scoring", "board:3x3,gravity,scoring", "board:3x3,k=2"],
)
def test_a_plain_recursion_says_the_same(name, policy_name, side):
    graph = graph_of(game(name))
    policy = policy_named(policy_name, graph)
    certificate = certify_side(graph, [policy], side)
    expected = plain_certificate(name, policy, side)
    assert {field: getattr(certificate, field) for field in expected} == expected
    assert certificate.converts == (expected["thrown_away"] == 0)
    assert (certificate.mistake is None) == (certificate.mistakes == 0)
    check_refutation(certificate, name, policy, side)


@sides
@pytest.mark.parametrize("policy_name", ["expert", "uniform"])
def test_the_shortest_line_on_4x4(policy_name, side):
    graph = graph_of(game("connect4:4x4"))
    policy = policy_named(policy_name, graph)
    certificate = certify_side(graph, [policy], side)
    check_refutation(certificate, "connect4:4x4", policy, side)
    if "expert" in policy_name:
        value, sign = values_of(graph).value, 1 - 2 * side
        met = np.array(sorted(met_numbers("connect4:4x4", policy, side)))
        own = met[(graph.state[met] == GOING_ON) & (graph.to_move[met] == side)]
        assert certificate.unbeatable
        assert certificate.converts
        assert (certificate.mistakes, certificate.mistake) == (0, None)
        assert certificate.loss_chance == 0
        assert certificate.met == len(own)
        assert certificate.won_met == int(np.count_nonzero(sign * value[own] > 0)) > 0
    else:
        assert not certificate.unbeatable


@sides
@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x4", "board:3x3,gravity,scoring"])
def test_the_chance_of_a_loss_is_that_of_the_best_response(name, side):
    graph = graph_of(game(name))
    for policy_name in POLICIES:
        policy = policy_named(policy_name, graph)
        chances, _ = best_response(graph, policy, 1 - side, Objective(win=1, draw=0, loss=0))
        lost = (chances.second, chances.first)[side]
        assert certify_side(graph, [policy], side).loss_chance == pytest.approx(float(lost))


def test_the_best_answer_to_random_play():
    # With half a point for a draw, 191/192 and up to 883/945 are won; here only wins count.
    graph = graph_of(game("tictactoe"))
    for side, least in ((1, 191 / 192), (0, 883 / 945)):
        certificate = certify_side(graph, [uniform_policy(graph)], side)
        assert least - 1e-12 <= certificate.loss_chance < 1


# Planted mistakes


def losing_edges(graph: Graph, side: int) -> list[int]:
    """One move that gives value away for each position that has any, by its edge."""
    value, sign = values_of(graph).value, 1 - 2 * side
    parent = np.repeat(np.arange(graph.positions), np.diff(graph.edge_start))
    loses = (graph.to_move[parent] == side) & (sign * value[graph.child] < sign * value[parent])
    edges = np.flatnonzero(loses)
    np.random.default_rng(side).shuffle(edges)
    _, first = np.unique(parent[edges], return_index=True)
    return edges[first].tolist()


def plant(graph: Graph, policy: np.ndarray, edge: int, *, beside: bool = False) -> np.ndarray:
    """The same policy with another move in one position, in place of its own or beside it."""
    number = int(np.searchsorted(graph.edge_start, edge, side="right")) - 1
    planted = policy.copy()
    if not beside:
        planted[graph.edge_start[number] : graph.edge_start[number + 1]] = 0
    planted[edge] = 1
    return planted


def check_planted(
    graph: Graph, policy: np.ndarray, edge: int, side: int, met: set[int], *, beside: bool
) -> None:
    """A mistake beside the right move, or in its place, is found and judged for what it is."""
    value, sign = values_of(graph).value, 1 - 2 * side
    number = int(np.searchsorted(graph.edge_start, edge, side="right")) - 1
    certificate = certify_side(graph, [plant(graph, policy, edge, beside=beside)], side)
    assert certificate.mistakes == 1
    assert graph.find(graph.game.position(certificate.mistake))[0] == number
    assert certificate.mistakes_met == (number in met)
    # What was won or drawn is lost now, and the adversary gets there if anybody does.
    assert certificate.unbeatable == (number not in met or sign * value[graph.child[edge]] >= 0)
    assert (certificate.loss_chance == 0) == certificate.unbeatable
    assert certificate.thrown_away == (number in met and sign * value[number] > 0)
    if not certificate.unbeatable:
        line = graph.game.position(certificate.refutation)
        assert line.outcome is not None
        assert line.outcome.winner == 2 - side


@sides
def test_a_single_mistake_anywhere_in_tictactoe_is_found(side):
    graph = graph_of(game("tictactoe"))
    expert = expert_policy(graph)
    met = met_numbers("tictactoe", expert, side)
    edges = losing_edges(graph, side)
    assert len(edges) > 1000
    for count, edge in enumerate(edges):
        check_planted(graph, expert, edge, side, met, beside=count % 2 == 1)


@sides
def test_a_single_mistake_on_4x4_is_found(side):
    graph = graph_of(game("connect4:4x4"))
    expert = expert_policy(graph)
    met = met_numbers("connect4:4x4", expert, side)
    edges = losing_edges(graph, side)
    parents = np.searchsorted(graph.edge_start, edges, side="right") - 1
    reached = [e for e, parent in zip(edges, parents, strict=True) if int(parent) in met]
    choose = random.Random(side)
    # Few positions are met by an expert's play: half of the sample comes from these.
    sample = choose.sample(edges, 25) + choose.sample(reached, 25)
    for count, edge in enumerate(sample):
        check_planted(graph, expert, edge, side, met, beside=count % 2 == 1)


@pytest.mark.parametrize("name", ["tictactoe", "board:2x4,k=2,scoring", "connect4:4x4"])
def test_moves_to_a_position_lead_there(name):
    graph = graph_of(game(name))
    for number in [0, *random.Random(1).sample(range(graph.positions), 60)]:
        position = graph.game.position(moves_to(graph, number))
        assert graph.find(position)[0] == number


@sides
def test_a_position_without_a_move_is_no_proof(side):
    """Nothing can be lost where nothing is played: such weights made any player unbeatable."""
    graph = graph_of(game("tictactoe"))
    for wrong in (uniform_policy(graph) * 0, uniform_policy(graph) * np.nan, np.ones(3)):
        with pytest.raises(InputError, match="a policy"):
            certify_side(graph, [wrong], side)


# Several policies


@sides
def test_of_several_policies_one_is_drawn_for_each_game(side):
    graph = graph_of(game("tictactoe"))
    expert, uniform = expert_policy(graph), uniform_policy(graph)
    alone = certify_side(graph, [uniform], side)
    certificate = certify_side(graph, [expert, uniform], side)
    assert not certificate.unbeatable
    assert certificate.refutation == alone.refutation
    assert certificate.loss_chance == pytest.approx(alone.loss_chance / 2)
    assert certificate.mistakes == alone.mistakes
    assert certificate.mistake == alone.mistake
    assert certificate.met == alone.met
    assert not certificate.converts
    assert certify_side(graph, [uniform, expert], side) == certificate
    both = certify_side(graph, [expert, expert_policy(graph, quickest=True)], side)
    assert both.unbeatable
    assert (both.refutation, both.loss_chance, both.mistakes) == (None, 0, 0)


@sides
def test_the_combined_player_falls_to_the_shortest_of_four_lines(side):
    graph = graph_of(game("tictactoe"))
    policies = rule_policies(graph, RULE_PLAYERS["combined"].rules)
    parts = [certify_side(graph, [policy], side) for policy in policies]
    whole = certify_side(graph, policies, side)
    lines = [game("tictactoe").position(p.refutation).ply for p in parts if not p.unbeatable]
    assert game("tictactoe").position(whole.refutation).ply == min(lines)
    assert whole.refutation in [part.refutation for part in parts]
    assert whole.loss_chance == pytest.approx(sum(p.loss_chance for p in parts) / 4)


@sides
def test_positions_of_several_policies_are_those_of_any(side):
    graph, sign = graph_of(game("tictactoe")), 1 - 2 * side
    policies = rule_policies(graph, RULE_PLAYERS["combined"].rules)
    whole, value = certify_side(graph, policies, side), values_of(graph).value
    parent = np.repeat(np.arange(graph.positions), np.diff(graph.edge_start))
    worse = (graph.to_move[parent] == side) & (sign * value[graph.child] < sign * value[parent])
    met, mistakes, both = set[int](), set[int](), set[int]()
    for policy in policies:
        reached = met_numbers("tictactoe", policy, side)
        wrong = set(parent[worse & (policy > 0)].tolist())
        met |= {n for n in reached if graph.state[n] == GOING_ON and graph.to_move[n] == side}
        mistakes |= wrong
        both |= wrong & reached
    won = {number for number in met if sign * value[number] > 0}
    assert (whole.met, whole.won_met) == (len(met), len(won))
    assert (whole.mistakes, whole.mistakes_met) == (len(mistakes), len(both))
    assert whole.thrown_away == len(won & both)


# By hand


def test_a_win_thrown_away_by_hand():
    graph = graph_of(game("tictactoe"))
    order = [0, 4, 8, 2, 6, 1, 3, 5, 7]
    expert = expert_policy(graph, order=order)
    # First has a corner and the centre, and 33 wins at once; 32 lets the second player block.
    number, _ = graph.find(game("tictactoe").position("11 12 22 13"))
    edges = range(graph.edge_start[number], graph.edge_start[number + 1])
    edge = next(e for e in edges if graph.move[e] == 7)
    whole = certify_side(graph, [expert], 0)
    careless = certify_side(graph, [plant(graph, expert, edge)], 0)
    assert (whole.converts, whole.thrown_away, whole.mistakes) == (True, 0, 0)
    assert (careless.converts, careless.thrown_away, careless.mistakes_met) == (False, 1, 1)
    assert careless.unbeatable
    assert careless.refutation is None
    assert careless.loss_chance == 0
    position = game("tictactoe").position(careless.mistake)
    assert position == game("tictactoe").position("11 12 22 13")
    # The other side plays no move of these.
    assert certify_side(graph, [plant(graph, expert, edge)], 1).mistakes == 0


def test_a_longer_win_is_no_win_thrown_away():
    graph = graph_of(game("tictactoe"))
    slow = expert_policy(graph, order=[3, 0, 1, 2, 4, 5, 6, 7, 8])
    assert slow.tolist() != expert_policy(graph, quickest=True).tolist()
    for side in (0, 1):
        certificate = certify_side(graph, [slow], side)
        assert certificate.converts
        assert certificate.won_met > 0


def test_the_shortest_line_by_hand():
    # In a row of five, two neighbours win: the first player's second stone does it at the
    # soonest, and no answer of the second player's holds the game.
    graph = graph_of(game("board:5,k=2"))
    certificate = certify_side(graph, [expert_policy(graph)], 1)
    assert not certificate.unbeatable
    assert game("board:5,k=2").position(certificate.refutation).ply == 3
    assert certificate.loss_chance == 1
    assert certificate.mistakes_met == 0
