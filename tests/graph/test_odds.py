"""Exact odds and best responses: the known fractions, and laws that both kinds of sweep keep."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.engine.board import GOING_ON
from inarow.game import InputError
from inarow.game import game as make_game
from inarow.graph.graph import Graph, graph_of, values_of
from inarow.graph.odds import (
    Objective,
    Odds,
    best_response,
    has_integer_weights,
    is_short,
    odds,
    share_text,
    uniform_policy,
)
from inarow.graph.policies import expert_policy, rule_policies
from inarow.lab.certificates.best_response import exact_odds
from inarow.lab.matches.match import match
from inarow.lab.players.names import RULE_PLAYERS
from tests.graph.plain import within

game = cache(make_game)
both_kinds = pytest.mark.parametrize("reduced", [False, True])
ODDS_GAMES = ["tictactoe", "board:3x3,gravity", "board:2x4,k=2,scoring", "board:3x3,k=2"]


def tictactoe(reduced: bool = False) -> Graph:
    return graph_of(game("tictactoe"), reduced)


def close(one: Odds, other: Odds) -> bool:
    pairs = zip(vars(one).values(), vars(other).values(), strict=True)
    return all(abs(float(a) - float(b)) < 1e-12 for a, b in pairs)


def some_policy(graph: Graph, seed: int) -> np.ndarray:
    """Weights from 0 to 5, some moves with none, every position with some."""
    weights = np.random.default_rng(seed).integers(0, 6, graph.edges).astype(float)
    weights[graph.edge_start[:-1][graph.state == GOING_ON]] += 1
    return weights


@both_kinds
def test_random_against_random(reduced):
    graph = tictactoe(reduced)
    uniform = uniform_policy(graph)
    exact = odds(graph, uniform, uniform, exact=True)
    assert exact == Odds(first=Fraction(737, 1260), draw=Fraction(8, 63), second=Fraction(121, 420))
    assert all(isinstance(chance, Fraction) for chance in vars(exact).values())
    assert close(odds(graph, uniform, uniform), exact)


@both_kinds
def test_best_response_to_random_as_first(reduced):
    graph = tictactoe(reduced)
    answer, _ = best_response(graph, uniform_policy(graph), 0, exact=True)
    assert answer == Odds(first=Fraction(191, 192), draw=Fraction(1, 192), second=Fraction(0))


def test_best_response_to_random_as_second():
    graph = tictactoe()
    answer, policy = best_response(graph, uniform_policy(graph), 1, exact=True)
    assert answer.second == Fraction(881, 945)
    assert answer.first == Fraction(1, 135)
    assert answer.draw == 1 - Fraction(881, 945) - Fraction(1, 135)
    floats, same = best_response(graph, uniform_policy(graph), 1)
    assert close(floats, answer)
    assert (same == policy).all()


def test_a_response_may_only_count_wins_or_only_fear_losses():
    graph = tictactoe()
    uniform = uniform_policy(graph)
    wins, _ = best_response(graph, uniform, 1, Objective(1, 0, 0), exact=True)
    safe, _ = best_response(graph, uniform, 1, Objective(1, 1, 0), exact=True)
    both, _ = best_response(graph, uniform, 1, exact=True)
    assert wins.second >= both.second >= safe.second
    assert safe.first == 0  # tic-tac-toe need not be lost
    assert wins.first >= both.first >= safe.first
    worst, _ = best_response(graph, uniform, 1, Objective(0, 1, 2), exact=True)
    assert worst.first > Fraction(737, 1260)


def test_random_connect4_on_16_cells():
    graph = graph_of(game("connect4:4x4"))
    answer = odds(graph, uniform_policy(graph), uniform_policy(graph))
    # Known from a sample, so the fourth digit is not certain.
    assert list(vars(answer).values()) == pytest.approx([0.2804, 0.4838, 0.2358], abs=1e-3)


@both_kinds
@pytest.mark.parametrize("name", ODDS_GAMES)
def test_floats_are_the_fractions(name, reduced):
    graph = graph_of(game(name), reduced)
    first, second = some_policy(graph, 1), some_policy(graph, 2)
    exact = odds(graph, first, second, exact=True)
    assert sum(vars(exact).values()) == 1
    assert close(odds(graph, first, second), exact)
    # Only shares count, and each policy only in its own turns.
    assert odds(graph, first * 3, second * 7, exact=True) == exact
    turn = np.repeat(graph.to_move, np.diff(graph.edge_start))
    assert odds(graph, np.where(turn == 0, first, 5), second, exact=True) == exact
    assert odds(graph, first, np.where(turn == 1, second, 5), exact=True) == exact
    assert odds(graph, second, first, exact=True) != exact


def plain_odds(graph: Graph, first: np.ndarray, second: np.ndarray) -> Odds:
    """By a recursion over positions, in fractions of what the weights are exactly."""
    position = graph.game.position()

    @cache
    def chances(_stones: tuple[int, ...]) -> tuple[Fraction, ...]:
        if position.outcome is not None:
            ends = ["first", "draw", "second"]
            return tuple(Fraction(position.outcome.value == end) for end in ends)
        number = graph.find(position)[0]
        edges = slice(graph.edge_start[number], graph.edge_start[number + 1])
        weights = [
            Fraction(w) for w in (first if position.to_move == 1 else second)[edges].tolist()
        ]
        total = [Fraction(0)] * 3
        for move, weight in zip(position.legal_moves, weights, strict=True):
            if weight == 0:
                continue
            position.push(move)
            after = chances(position.stones)
            position.pop()
            total = [a + weight / sum(weights) * b for a, b in zip(total, after, strict=True)]
        return tuple(total)

    return Odds(*chances(position.stones))


@pytest.mark.parametrize("name", ["board:3x3,gravity", "board:2x4,k=2,scoring"])
def test_a_plain_recursion_says_the_same(name):
    graph = graph_of(game(name))
    first, second = some_policy(graph, 3), some_policy(graph, 4)
    assert odds(graph, first, second, exact=True) == plain_odds(graph, first, second)


# Weights as large and as small as doubles are

SMALLEST, GREATEST = 5e-324, 1.7e308
WIDE = {
    "2^53": [2.0**53, 2.0**53 + 2, 1.0],
    "2^63": [2.0**63, 2.0**64, 3.0, 0.0],
    "2^100": [2.0**64, 2.0**100, 2.0**101],
    "sums that overflow": [1e308, GREATEST, 1.2e308],
    "smallest": [SMALLEST, 2 * SMALLEST, 3 * SMALLEST],
    "all": [SMALLEST, 1e-160, 0.5, 1.0, 2.0**64, GREATEST],
}


def wide_policy(graph: Graph, weights: list[float], seed: int) -> np.ndarray:
    """Weights drawn from a list; every position has one above 0."""
    policy = np.random.default_rng(seed).choice(weights, graph.edges)
    starts = graph.edge_start[:-1][graph.state == GOING_ON]
    policy[starts] = np.maximum(policy[starts], max(weights))
    return policy


@pytest.mark.parametrize("weights", WIDE.values(), ids=WIDE)
@pytest.mark.parametrize("name", ["board:2x3,k=2,gravity", "board:2x3,k=3,scoring"])
def test_only_shares_count_however_large_or_small_weights_are(name, weights):
    graph = graph_of(game(name))
    first, second = (wide_policy(graph, weights, seed) for seed in (1, 2))
    expected = plain_odds(graph, first, second)
    assert close(odds(graph, first, second), expected)
    for side, policy in enumerate((second, first)):
        found, answer = best_response(graph, policy, side)
        sides = (answer, policy) if side == 0 else (policy, answer)
        filled = [np.where(_in_turn(graph, side), sides[side], 1) for side in (0, 1)]
        assert close(found, plain_odds(graph, *filled))
    if has_integer_weights(first):
        assert odds(graph, first, second, exact=True) == expected


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_whatever_the_weights_both_sweeps_say_what_fractions_do(data):
    graph = graph_of(game("board:2x2,k=2"))
    some = st.one_of(
        st.floats(0, GREATEST), st.integers(0, 2**70).map(float), st.sampled_from([SMALLEST, 1e308])
    )
    weights = st.lists(some, min_size=graph.edges, max_size=graph.edges).map(np.array)
    first, second = data.draw(weights), data.draw(weights)
    for policy in (first, second):
        starts = graph.edge_start[:-1][graph.state == GOING_ON]
        policy[starts] += np.maximum.reduceat(policy, starts) == 0
    expected = plain_odds(graph, first, second)
    assert close(odds(graph, first, second), expected)
    if has_integer_weights(first) and has_integer_weights(second):
        assert odds(graph, first, second, exact=True) == expected


def test_weights_of_2_to_the_63_are_no_other_numbers():
    """As 64-bit integers all of them were the lowest one, and the openings equally likely."""
    graph = tictactoe()
    uniform = uniform_policy(graph)
    policy = uniform * 2.0**63
    policy[:9] = np.array([8, 1, 4, 1, 1, 1, 4, 1, 1]) * 2.0**63
    found = odds(graph, policy, uniform, exact=True)
    assert found.first == Fraction(921, 1540)
    assert close(odds(graph, policy, uniform), found)
    assert odds(graph, policy / 2.0**63, uniform) == odds(graph, policy, uniform)  # to the last bit


def test_odds_that_do_not_add_up_are_refused():
    for wrong in ((0.06, 0.03, 0.02), (Fraction(1, 2), Fraction(1, 2), Fraction(1, 10**30))):
        with pytest.raises(InputError, match=r"the chances add up to .*, not to 1"):
            Odds(*wrong)
    with pytest.raises(InputError, match="the chances add up to nan"):
        Odds(np.nan, 0.0, 1.0)


def test_fractions_too_long_to_be_written_are_rounded():
    long = Fraction(1, 3**10_000)
    found = Odds(Fraction(1, 2), Fraction(1, 2) - long, long)
    assert "exactly" not in repr(found)
    assert "50.0000%" in repr(found)
    assert share_text(long) == "0.0"
    assert share_text(Fraction(1, 3**1000)) == f"1/{3**1000}"
    assert not is_short(long, 13)


@pytest.mark.parametrize("name", ODDS_GAMES)
@pytest.mark.parametrize("side", [0, 1])
def test_a_response_policy_reaches_its_odds(name, side):
    graph = graph_of(game(name))
    policy = some_policy(graph, 5)
    promised, answer = best_response(graph, policy, side, exact=True)
    sides = (answer, policy) if side == 0 else (policy, answer)
    # The answer is written for the responder's turns; any move will do in the others.
    filled = [np.where(_in_turn(graph, side), sides[side], 1) for side in (0, 1)]
    assert odds(graph, *filled, exact=True) == promised
    floats, _ = best_response(graph, policy, side)
    assert close(floats, promised)
    degree = np.add.reduceat(answer, graph.edge_start[:-1][graph.state == GOING_ON])
    turns = graph.to_move[graph.state == GOING_ON] == side
    assert (degree == turns).all()  # one move in each of its turns, none elsewhere


def _in_turn(graph: Graph, side: int) -> np.ndarray:
    return np.repeat(graph.to_move, np.diff(graph.edge_start)) == side


def value(result: Odds, side: int) -> float:
    win = result.first if side == 0 else result.second
    return win + result.draw / 2


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("against", ["random", "attack", "advanced", "greedy-lines"])
def test_a_best_response_is_as_good_as_any_named_player(against, side):
    graph = tictactoe()
    policy = rule_policies(graph, RULE_PLAYERS[against].rules)[0]
    best, _ = best_response(graph, policy, side)
    for entry in RULE_PLAYERS.values():
        for own in rule_policies(graph, entry.rules):
            sides = (own, policy) if side == 0 else (policy, own)
            assert value(odds(graph, *sides), side) <= value(best, side) + 1e-12


@pytest.mark.parametrize("side", [0, 1])
@both_kinds
@pytest.mark.parametrize("name", ODDS_GAMES)
def test_against_the_expert_a_best_response_gets_the_value(name, reduced, side):
    graph = graph_of(game(name), reduced)
    best, _ = best_response(graph, expert_policy(graph), side)
    ends = {1: Odds(1, 0, 0), 0: Odds(0, 1, 0), -1: Odds(0, 0, 1)}
    assert best == ends[int(values_of(graph).value[0])]


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("tictactoe", "random", "attack"),
        ("tictactoe", "combined", "advanced"),
        ("tictactoe", "greedy-lines", "defense-attack"),
        ("connect4:4x4", "benchmark", "random"),
        ("connect4:4x4", "attack@cells", "combined"),
        ("board:2x4,k=2,scoring", "advanced", "greedy-lines"),
        ("board:3x3,gravity,scoring", "defense@cells", "benchmark"),
    ],
)
def test_sampled_matches_come_out_like_the_odds(name, first, second):
    """Rule players as policies of the graph and as compiled loops are the same players."""
    if name == "connect4:4x4":  # fractions of this many positions take their time
        graph = graph_of(game(name))
        one, two = (_policies(graph, player) for player in (first, second))
        results = [odds(graph, a, b) for a in one for b in two]
        chances = np.mean([list(vars(result).values()) for result in results], axis=0)
    else:
        chances = [float(chance) for chance in vars(exact_odds(name, first, second)).values()]
    games = 40_000
    tally = match(name, first, second, 2 * games, seed=3).as_first
    assert tally.games == games
    for count, chance in zip((tally.wins, tally.draws, tally.losses), chances, strict=True):
        assert within(count, games, chance)


def _policies(graph: Graph, name: str) -> list[np.ndarray]:
    from inarow.lab.players.names import player

    return rule_policies(graph, player(name).rules)


def test_exact_odds_by_name():
    assert exact_odds("tictactoe", "random", "random").first == Fraction(737, 1260)
    mean = exact_odds("board:3x3,gravity", "combined", "random")
    parts = [
        exact_odds("board:3x3,gravity", name, "random").first
        for name in ("attack", "defense", "attack-defense", "defense-attack")
    ]
    assert mean.first == sum(parts) / 4
    assert sum(vars(mean).values()) == 1
    with pytest.raises(InputError, match="an order kept for a game is not a policy"):
        exact_odds("tictactoe", "random@game", "random")

    class Person:
        def move(self, position):
            return position.legal_moves[0]

    with pytest.raises(InputError, match="Person says neither its policy nor that it is determ"):
        exact_odds("tictactoe", Person(), "random")
    with pytest.raises(InputError, match=r"connect4:6x7 is too large for exact odds .* 20 cells"):
        exact_odds("connect4:6x7", "random", "attack")


@pytest.mark.parametrize("exact", [False, True])
def test_bad_weights_are_refused(exact):
    graph = tictactoe()
    good = uniform_policy(graph)
    for wrong in (-1.0, np.nan, np.inf):
        planted = good.copy()
        planted[0] = wrong
        with pytest.raises(InputError, match="weights from 0 up, and one above 0"):
            odds(graph, planted, good, exact=exact)
        with pytest.raises(InputError, match="weights from 0 up, and one above 0"):
            best_response(graph, planted, 1, exact=exact)
    nothing = good.copy()
    number = int(np.flatnonzero(graph.state == GOING_ON)[-1])
    nothing[graph.edge_start[number] : graph.edge_start[number + 1]] = 0
    with pytest.raises(InputError, match="one above 0 in every position"):
        odds(graph, nothing, nothing, exact=exact)


def test_exact_odds_need_whole_weights():
    graph = tictactoe()
    with pytest.raises(InputError, match="whole numbers"):
        odds(graph, uniform_policy(graph) / 2, uniform_policy(graph), exact=True)
    assert close(
        odds(graph, uniform_policy(graph) / 2, uniform_policy(graph)),
        Odds(737 / 1260, 8 / 63, 121 / 420),
    )


@pytest.mark.parametrize("side", [-1, 2])
def test_other_seats_do_not_exist(side):
    with pytest.raises(InputError, match=f"side {side} does not exist"):
        best_response(tictactoe(), uniform_policy(tictactoe()), side)


def test_a_policy_of_another_graph_is_refused():
    with pytest.raises(ValueError):  # noqa: PT011
        odds(tictactoe(), np.ones(3), np.ones(3))
