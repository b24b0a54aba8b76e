"""Exact odds, best responses and exploitability of any players whose policies are known."""

from fractions import Fraction

import numpy as np
import pytest

import inarow
from inarow.game import InputError, Position
from inarow.graph.graph import graph_of
from inarow.lab.certificates.best_response import BestResponse
from inarow.lab.players.names import player

SMALL = "board:3x3,gravity"


class Leftmost:
    """Deterministic, as its author declares."""

    deterministic = True

    def move(self, position):
        return position.legal_moves[0]


class Halves:
    """States a policy whose weights are not whole."""

    def policies(self, graph):
        return [np.full(graph.edges, 0.5)]

    def move(self, position):
        return position.legal_moves[-1]


def plain_best(game, side, choose):
    """The most that a side can get against a deterministic player: by trying every game."""

    def best(position):
        if position.outcome is not None:
            winner = position.outcome.winner
            return 0 if winner is None else 1 if winner == side + 1 else -1
        own = position.ply % 2 == side
        values = []
        for move in position.legal_moves if own else [choose(position)]:
            position.push(move)
            values.append(best(position))
            position.pop()
        return max(values)

    return best(Position(inarow.game(game)))


def test_known_values_of_the_random_player():
    response = inarow.best_response("random", "tictactoe")
    assert response.value == pytest.approx({"first": 191 / 192, "second": 874 / 945})
    assert float(response.odds["first"].first) == pytest.approx(191 / 192)
    exact = (Fraction(191, 192) + Fraction(874, 945)) / 2  # a draw with perfect play
    assert inarow.exploitability("random", "tictactoe", exact=True) == exact
    assert inarow.exploitability("random", "tictactoe") == pytest.approx(float(exact))
    assert inarow.exploitability("perfect", "tictactoe") == 0


@pytest.mark.parametrize("game", [SMALL, f"{SMALL},misere", "board:2x4,k=3,gravity"])
def test_best_responses_are_those_of_a_plain_search(game):
    response = inarow.best_response(Leftmost(), game)
    plain = [plain_best(game, side, lambda p: p.legal_moves[0]) for side in (0, 1)]
    assert response.value == {"first": plain[0], "second": plain[1]}
    assert response.exploitability == sum(plain) / 2  # the value of the game cancels out
    assert inarow.certify(Leftmost(), game).exploitability == response.exploitability


def test_a_best_response_plays_wherever_players_do():
    response = inarow.best_response("attack", SMALL)
    assert response.name == "best-response:attack"
    odds = inarow.exact_odds(SMALL, response, "attack")
    assert float(odds.first) == pytest.approx(float(response.odds["first"].first))
    assert float(odds.first - odds.second) == pytest.approx(response.value["first"])
    certificate = inarow.certify(response)
    assert certificate.proven  # it states its policy in every position
    played = inarow.match(SMALL, response, "attack", games=40, seed=1).total
    assert (played.wins - played.losses) / 40 == pytest.approx(
        (response.value["first"] + response.value["second"]) / 2, abs=0.4
    )
    by_name = player("best-response:attack")
    assert isinstance(by_name, BestResponse)
    position = inarow.game(SMALL).position("12")
    assert by_name.move(position) == response.move(position)
    assert repr(by_name) == "<player best-response:attack>"
    assert "Exploitability of attack: " in repr(response)


def test_exact_odds_of_any_two():
    first = inarow.exact_odds(SMALL, Leftmost(), "perfect@first")
    assert {first.first, first.draw, first.second} == {Fraction(0), Fraction(1)}
    halves = inarow.exact_odds(SMALL, Halves(), "random")
    same = inarow.exact_odds(SMALL, "random", "random")
    assert isinstance(halves.first, float)
    assert isinstance(same.first, Fraction)
    assert halves.first == pytest.approx(float(same.first))
    both = inarow.exact_odds(SMALL, "best-response:random", "random")
    assert float(both.first) > float(same.first)


def test_what_is_not_known_is_refused():
    class Person:
        def move(self, position):
            return position.legal_moves[0]

    with pytest.raises(InputError, match="Person says neither its policy nor"):
        inarow.best_response(Person(), SMALL)
    with pytest.raises(InputError, match="combined draws one of 4 policies for each game"):
        inarow.best_response("combined", SMALL)
    with pytest.raises(InputError, match="say in which game"):
        inarow.best_response("random")
    with pytest.raises(InputError, match="qubic is too large for exact odds"):
        inarow.exploitability("random", "qubic")
    assert inarow.certify("combined", SMALL).exploitability is None
    assert inarow.certify(Person(), SMALL).exploitability is None


def test_it_answers_in_every_position():
    graph = graph_of(SMALL)
    (policy,) = inarow.best_response("attack", SMALL).policies(graph)
    totals = np.add.reduceat(policy, graph.edge_start[:-1][graph.state == 0])
    assert (totals == 1).all()


class Weighted:
    """States weights for the openings; draws any other move evenly."""

    def __init__(self, openings: list[float]) -> None:
        self.openings = openings

    def policies(self, graph):
        weights = [self.openings[1]] * graph.edges
        weights[: len(self.openings)] = self.openings
        return [weights]

    def move(self, position):
        return position.legal_moves[0]


OPENINGS = [8, 1, 4, 1, 1, 1, 4, 1, 1]


@pytest.mark.parametrize("scale", [1.0, 2.0**53, 2.0**63, 2**64, 2.0**1000, 2.0**1020])
def test_stated_weights_give_true_fractions_however_large(scale):
    player = Weighted([weight * scale for weight in OPENINGS])
    found = inarow.exact_odds("tictactoe", player, "random")
    assert found.first == Fraction(921, 1540)
    plainly = inarow.exact_odds("tictactoe", Weighted([float(w) for w in OPENINGS]), "random")
    assert found == plainly
    assert inarow.certify(player, "tictactoe").odds["random"]["first"].first == pytest.approx(
        921 / 1540
    )


def test_stated_weights_may_be_as_small_as_doubles_are():
    found = inarow.exact_odds("tictactoe", Weighted([w * 5e-324 for w in OPENINGS]), "random")
    assert float(found.first) == pytest.approx(921 / 1540)
    assert found.first + found.draw + found.second == pytest.approx(1)


@pytest.mark.parametrize("weight", [2**53 + 1, Fraction(1, 3), 10**400, "one", 1 + 1j])
def test_stated_weights_that_doubles_do_not_hold_are_refused(weight):
    with pytest.raises(InputError, match="Weighted are not numbers that doubles hold exactly"):
        inarow.exact_odds("tictactoe", Weighted([weight, *OPENINGS[1:]]), "random")


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float32, np.bool_])
def test_stated_weights_of_other_types_are_taken(kind):
    class Uniform:
        def policies(self, graph):
            return [np.ones(graph.edges, dtype=kind)]

        def move(self, position):
            return position.legal_moves[0]

    assert inarow.exact_odds("tictactoe", Uniform(), "random").first == Fraction(737, 1260)
