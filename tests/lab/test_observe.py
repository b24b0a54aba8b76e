"""Players that answer one question at a time: declared deterministic, or observed only.

Each player here tried to get a certificate that is not true.
"""

from __future__ import annotations

import itertools
import json
import random
import time

import pytest

from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.lab.against_perfect import traverse_plainly
from inarow.lab.certify import certify, policies_of
from inarow.lab.match import match
from inarow.lab.observe import ASKED, Observer
from inarow.lab.players import player
from inarow.search.perfect import Perfect

POSITIONS = 4_520  # of tic-tac-toe that go on
TRAVERSED = "board:7x3,k=3,gravity"  # drawn, and too large to be a graph here


class Good:
    """Perfect play, one move in each position."""

    name = "good"

    def __init__(self) -> None:
        self.inner = Perfect("first")

    def move(self, position: Position) -> int:
        """What perfect play does."""
        return self.inner.move(position)


class Careless(Good):
    """Perfect but for a random move with probability 0.02."""

    name = "careless"

    def __init__(self) -> None:
        super().__init__()
        self.random = random.Random(1)

    def move(self, position: Position) -> int:
        """Mostly what perfect play does."""
        if self.random.random() < 0.02:
            return self.random.choice(list(position.legal_moves))
        return super().move(position)


class OnceDeep(Careless):
    """Random in one position alone, and only sometimes."""

    name = "once"
    where = "11 12 22"

    def move(self, position: Position) -> int:
        """Perfect play's move but there."""
        if position.stones == position.game.position(self.where).stones:
            return self.random.choice(list(position.legal_moves))
        return self.inner.move(position)


class ByTheClock(Good):
    """Random by the clock."""

    name = "clock"

    def move(self, position: Position) -> int:
        """Any move at every third nanosecond."""
        moves = list(position.legal_moves)
        return moves[time.perf_counter_ns() % len(moves)]


class Counting(Good):
    """Plays well for as often as a certificate asks, and then does not."""

    name = "counting"

    def __init__(self, well: int) -> None:
        super().__init__()
        self.asked, self.well = itertools.count(), well

    def move(self, position: Position) -> int:
        """The last legal move, when it has been asked often enough."""
        if next(self.asked) >= self.well:
            return position.legal_moves[-1]
        return super().move(position)


class Historian(Good):
    """Looks at how a position came about and not at the position."""

    name = "historian"

    def move(self, position: Position) -> int:
        """The first or the last move, by the order of the moves so far."""
        return position.legal_moves[-1 if position.moves != tuple(sorted(position.moves)) else 0]


class Meddler(Good):
    """Plays on in the position that it is given."""

    name = "meddler"

    def move(self, position: Position) -> int:
        """Its move, which it makes itself as well."""
        move = super().move(position)
        position.push(move)
        return move


def declared(some_player):
    """The same player, called deterministic."""
    some_player.deterministic = True
    return some_player


@pytest.mark.parametrize("kind", [Good, Careless, OnceDeep, ByTheClock, Historian])
def test_an_observation_is_not_a_proof(kind):
    certificate = certify(kind(), "tictactoe")
    assert not certificate.proven
    assert certificate.unbeatable is None
    assert [side.unbeatable for side in certificate.sides.values()] == [None, None]
    basis = certificate.basis
    assert (basis.kind, basis.positions) == ("observed", POSITIONS)
    assert (basis.alike == POSITIONS) == (kind is Good) or kind is OnceDeep
    unbeaten = all(side.refutation is None for side in certificate.sides.values())
    assert certificate.not_beaten_in_observation is unbeaten
    assert basis.text == (
        "observed, not proven: it did not say that it is deterministic. Asked twice in each of "
        f"4,520 positions, it answered alike in {basis.alike:,}."
    )
    answer = json.loads(json.dumps(certificate.as_json()))
    assert (answer["proven"], answer["unbeatable"]) == (False, None)
    assert answer["not_beaten_in_observation"] is unbeaten
    assert answer["basis"] == {
        "kind": "observed", "asked": ASKED, "positions": POSITIONS, "alike": basis.alike,
    }  # fmt: skip
    for name, side in certificate.sides.items():
        assert "unbeatable" not in certificate.side_text(name)
        assert ("no proof" in certificate.side_text(name)) == (side.refutation is None)


def test_a_player_that_is_perfect_but_for_two_percent_loses_and_is_not_called_unbeatable():
    assert certify(Careless(), "tictactoe").unbeatable is not True
    lost = match("tictactoe", Careless(), "random", 2000, 1).total.losses
    assert lost > 0


def test_a_deterministic_player_that_says_so_is_proven():
    certificate = certify(declared(Good()), "tictactoe")
    assert (certificate.proven, certificate.unbeatable) == (True, True)
    assert certificate.not_beaten_in_observation is None
    basis = certificate.basis
    assert (basis.kind, basis.positions, basis.alike) == ("declared", POSITIONS, POSITIONS)
    assert "if it is deterministic, as its author declares" in basis.text
    assert certificate.sides == certify("perfect@first", "tictactoe").sides
    for name in certificate.sides:
        text = "unbeatable if it is deterministic, as its author declares."
        assert certificate.side_text(name) == text


@pytest.mark.parametrize("kind", [Careless, ByTheClock, Historian])
def test_one_that_says_so_and_is_not_gets_no_certificate(kind):
    with pytest.raises(InputError, match=r"is declared deterministic, but after .* it chose") as c:
        certify(declared(kind()), "tictactoe")
    assert len(str(c.value).splitlines()) == 1


def test_one_that_changes_when_it_is_asked_again_gets_no_certificate():
    for well in (100, POSITIONS, POSITIONS + 100, 2 * POSITIONS - 500):
        with pytest.raises(InputError, match="is declared deterministic"):
            certify(declared(Counting(well)), "tictactoe")


def test_what_nobody_can_see_is_left_to_its_author():
    """It answers well as often as it is asked: the certificate says whose word it rests on."""
    certificate = certify(declared(Counting(2 * POSITIONS)), "tictactoe")
    assert certificate.unbeatable
    for name in certificate.sides:
        assert "as its author declares" in certificate.side_text(name)
    assert "as its author declares" in certificate.basis.text


def test_one_that_changes_the_position_is_refused():
    for some_player in (Meddler(), declared(Meddler())):
        with pytest.raises(InputError, match="changed the position it was asked about"):
            certify(some_player, "tictactoe")


def test_only_the_word_true_declares_anything():
    for said in (1, "yes", None, [True]):
        some_player = Good()
        some_player.deterministic = said
        assert not certify(some_player, "tictactoe").proven


class Stating(Careless):
    """States policies of its own."""

    def __init__(self, choice: str) -> None:
        super().__init__()
        self.choice = choice

    def policies(self, graph):
        """Those of perfect play, or any move."""
        if self.choice == "any":
            (policy,) = Perfect("value").policies(graph)
            return [policy * 0 + 1]
        return Perfect(self.choice).policies(graph)


def test_policies_that_a_python_player_states_are_held_against_its_answers():
    with pytest.raises(InputError, match=r"player careless chose .* where the policies"):
        certify(Stating("first"), "tictactoe")
    certificate = certify(Stating("any"), "tictactoe")
    assert certificate.proven
    assert not certificate.unbeatable
    assert "proven on all positions of the policy that it states." in certificate.basis.text
    assert certificate.sides == certify("random", "tictactoe").sides


@pytest.mark.parametrize(
    ("policies", "message"),
    [
        ([], "where the policies that it states do not"),
        ([[1.0, 2.0]], "a policy of tictactoe has 16,167 weights"),
        ([[0.0] * 16_167], "a policy needs weights from 0 up"),
        ([[float("nan")] * 16_167], "a policy needs weights from 0 up"),
    ],
)
def test_policies_that_are_none_are_refused(policies, message):
    some_player = Good()
    some_player.policies = lambda graph: policies
    with pytest.raises(InputError, match=message):
        certify(some_player, "tictactoe")


def test_nothing_exact_is_computed_from_an_observation():
    graph = graph_of(game_of("tictactoe"))
    with pytest.raises(InputError, match="says neither its policy nor that it is deterministic"):
        policies_of(Good(), graph)
    (policy,) = policies_of(declared(Good()), graph)
    assert (policy == Perfect("first").policies(graph)[0]).all()


def test_a_search_by_the_clock_is_observed_only():
    certificate = certify("minimax:9/0.00012s", "tictactoe")
    assert (certificate.proven, certificate.unbeatable) == (False, None)
    assert certify("minimax:9", "tictactoe").unbeatable is True
    with pytest.raises(InputError, match="says neither its policy"):
        policies_of(player("minimax:9/1s"), graph_of(game_of("tictactoe")))


# Against perfect play, where the game is no graph


def test_a_walk_of_one_that_is_observed_is_not_exact():
    certificate = certify(Good(), TRAVERSED, positions=1, games=2)
    for traversals in certificate.exact.values():
        for traversal in traversals:
            assert (traversal.basis.kind, traversal.as_json()["proven"]) == ("observed", False)
            assert traversal.basis.alike == traversal.basis.positions > 0
    certificate = certify(declared(Good()), TRAVERSED, positions=1, games=2)
    for traversals in certificate.exact.values():
        for traversal in traversals:
            assert (traversal.basis.kind, traversal.as_json()["proven"]) == ("declared", True)
            assert traversal.worst == "draw"


class Rarely(OnceDeep):
    """Random in one position of a game that is traversed: where it was looked at once before."""

    where = ""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where


def test_a_walk_asks_twice_in_every_position_that_it_meets():
    game = game_of(TRAVERSED)
    whole = traverse_plainly(declared(Good()), game, 0, "best")
    line = game.position(whole.line)
    position = Position(game)
    contradicted = 0
    for move in line.moves[:6]:
        if position.ply % 2 == 0:
            for seed in range(20):
                unsteady = Rarely(position.notation)
                unsteady.random.seed(seed)
                observed = traverse_plainly(unsteady, game, 0, "best")
                assert not observed.as_json()["proven"]
                unsteady.random.seed(seed)
                try:
                    traverse_plainly(declared(unsteady), game, 0, "best")
                except InputError:
                    contradicted += 1
        position.push(move)
    assert contradicted > 20


def test_an_observer_asks_no_more_than_it_must():
    observer = Observer(Good(), game_of("tictactoe"))
    position = game_of("tictactoe").position("22")
    assert observer.moves(position) == observer.moves(position) == [0]
    assert observer.answers == {position.stones: [0, 0]}


class CarelessPerfect(Perfect):
    """Perfect play by descent, and not by what it does."""

    def bind(self, game, stream):  # noqa: ARG002
        """Itself."""
        return self

    def move(self, position: Position) -> int:
        """The last legal move."""
        return position.legal_moves[-1]


def test_what_is_made_of_perfect_play_is_not_believed():
    with pytest.raises(InputError, match="where the policies that it states do not"):
        certify(CarelessPerfect("first"), "tictactoe")
    for traversals in certify(
        CarelessPerfect("first"), TRAVERSED, positions=1, games=2
    ).exact.values():
        for traversal in traversals:
            assert traversal.basis.kind == "observed"
