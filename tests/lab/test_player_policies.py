"""What compiled players write as their policy, beside what they choose, in every kind of player.

A choice takes one random word at most. So `choose` is asked with every word there is, in effect:
each move has the words of one interval, whose ends are found by bisection. The policy must be the
shares of these intervals, exactly; and the same however the stones came to lie where they are.
"""

from __future__ import annotations

import itertools
import json
import random
import time
from functools import cache
from typing import Any

import numpy as np
import pytest

from inarow.engine.board import clear, new_board, place, tables_of
from inarow.engine.jit import jit
from inarow.engine.play_games import Pairing, play_games
from inarow.engine.players import Side, write_policy_in, write_policy_on
from inarow.engine.rules import RuleList
from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.lab.certificates.by_solver import traverse_plainly
from inarow.lab.certificates.certify import certify
from inarow.lab.matches.match import match
from inarow.lab.players.names import RULE_PLAYERS, SCANS, BoundPlayer, player
from inarow.lab.players.policies import ASKED, Observer, policies_of
from inarow.lab.training.run import Run
from inarow.search.perfect import Perfect, compiled_perfect

WORDS = 2**64
GAMES = {"tictactoe": "tictactoe", "4x4": "connect4:4x4", "lines": "board:3x3x3,gravity,scoring"}
LEARNERS: dict[str, tuple[str, dict[str, Any], int]] = {
    "td": ("td", {}, 200),
    "td, first of ties": ("td", {"ties": "first"}, 200),
    "ntuple": ("ntuple", {"tuples": 6, "length": 3}, 5),
    "ntuple, no shield": ("ntuple", {"tuples": 4, "length": 3, "shield": False}, 5),
    "ntuple, nothing learned": ("ntuple", {"tuples": 4, "length": 3}, 0),
    "ntuple, search": ("ntuple", {"tuples": 6, "length": 3, "depth": 3}, 5),
    "ntuple, search of nothing": ("ntuple", {"tuples": 4, "length": 3, "depth": 2}, 0),
    "mlp": ("mlp", {"network": "8"}, 50),
    "mlp, lines": ("mlp", {"network": "lines:2,8"}, 50),
    "mlp, nothing learned": ("mlp", {"network": "lines:2", "init_scale": 0.0}, 0),
    "line_td": ("line_td", {}, 20),
    "line_td, nothing learned": ("line_td", {}, 0),
    "monte_carlo": ("monte_carlo", {"hidden": 12}, 50),
    "reinforce": ("reinforce", {}, 500),
    "reinforce, drawn": ("reinforce", {"play": "drawn"}, 500),
}


@cache
def learned(board: str, name: str) -> Any:
    """A compiled agent that has learned a little, or nothing yet."""
    learner, options, games = LEARNERS[name]
    against = "random" if learner == "td" else None
    run = Run(board, learner, options, against, 1)
    if games:
        run.training.play(games)
    return run.agent.compiled(tables_of(game_of(board)))


def kinds() -> list[tuple[str, Any]]:
    """Every kind of player on every game that it plays: its name, and how to make it."""
    found: list[tuple[str, Any]] = []
    for short, board in GAMES.items():
        tables = tables_of(game_of(board))
        for name in LEARNERS:
            if short == "lines" and name.startswith(("td", "mlp, no")):
                continue  # no graph, and all the same in the first position
            found.append((f"{short}: {name}", (board, lambda b=board, n=name: learned(b, n))))
        for name, entry in RULE_PLAYERS.items():
            for scan in SCANS:
                rules = player(f"{name}@{scan}").rules
                if scan != "game" and len(entry.rules.variants) == 1:
                    made = lambda r=rules, t=tables: r.compiled(t)  # noqa: E731
                    found.append((f"{short}: {name}@{scan}", (board, made)))
        for name in ("minimax:1", "minimax:3@central", "minimax:2@descending"):
            made = lambda n=name, t=tables: player(n).compiled(t)  # noqa: E731
            found.append((f"{short}: {name}", (board, made)))
    for choice in ("best", "first", "value"):
        made = lambda c=choice: compiled_perfect(game_of("connect4:4x4"), c)  # noqa: E731
        found.append((f"4x4: perfect@{choice}", ("connect4:4x4", made)))
    return found


KINDS = dict(kinds())
STOCHASTIC = {  # some of those that have several moves in some position: the test sees them
    "tictactoe: td", "tictactoe: ntuple", "tictactoe: ntuple, nothing learned",
    "tictactoe: line_td", "lines: line_td, nothing learned", "tictactoe: reinforce, drawn",
    "4x4: reinforce, drawn", "4x4: perfect@best", "4x4: perfect@value", "4x4: random@lines",
    "lines: benchmark@random",
}  # fmt: skip


def stream_of(word: int) -> Any:
    """A stream whose next word is this one. As long as it is not drawn from, it begins with 0."""
    turned = (word >> 23) | (word << 41) % WORDS
    return np.array([0, 1, 1, turned], dtype=np.uint64)


class Chooser:
    """What a player chooses in one position, by the random word that it draws."""

    def __init__(self, board: str, arrays: Any, position: Position) -> None:
        tables = tables_of(game_of(board))
        self.stream = stream_of(0)
        self.side = Side(tables, new_board(tables), arrays, self.stream)
        self.stones = np.array(position.stones, dtype=np.int8)
        self.known: dict[int, int] = {}

    def move(self, word: int) -> int:
        if word not in self.known:
            self.stream[:] = stream_of(word)
            self.known[word] = self.side.choose_in(self.stones)
        return self.known[word]

    def words(self) -> dict[int, int]:
        """How many words choose each move."""
        counts: dict[int, int] = {}

        def count(low: int, high: int) -> None:
            """Adds the words from low to high, both among them."""
            if self.move(low) == self.move(high):
                counts[self.move(low)] = counts.get(self.move(low), 0) + high - low + 1
                return
            middle = (low + high) // 2
            count(low, middle)
            count(middle + 1, high)

        count(0, WORDS - 1)
        return counts


def written(board: str, arrays: Any, position: Position) -> dict[int, float]:
    tables = tables_of(game_of(board))
    weights = np.ones(tables.columns)  # emptied first
    stones = np.array(position.stones, dtype=np.int8)
    write_policy_in(tables, new_board(tables), stones, arrays, weights)
    return {int(move): float(weights[move]) for move in np.flatnonzero(weights)}


def some_positions(board: str, number: int, seed: int) -> list[Position]:
    """Positions that go on, after random moves."""
    drawn, found = random.Random(seed), [Position(game_of(board))]
    while len(found) < number:
        position = Position(game_of(board))
        for _ in range(drawn.randrange(position.game.cells)):
            position.push(drawn.choice(list(position.legal_moves)))
            if position.outcome is not None:
                break
        if position.outcome is None:
            found.append(position)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_the_policy_is_the_share_of_words_that_choose_each_move(kind: str) -> None:
    board, make = KINDS[kind]
    arrays, drawn, several = make(), random.Random(2), 0
    for position in some_positions(board, 40, 1):
        chooser, policy = Chooser(board, arrays, position), written(board, arrays, position)
        counts = chooser.words()
        assert set(counts) == set(policy)
        assert set(policy) <= set(position.legal_moves)
        several += len(policy) > 1
        if "drawn" in kind:
            assert {move: weight * 2**11 for move, weight in policy.items()} == counts
        else:  # equally likely, as far as one part in 2^32 goes
            assert set(policy.values()) == {1.0}
            for count in counts.values():
                assert abs(count - WORDS / len(counts)) <= 2**33
        for _ in range(20):  # no move is hidden within an interval of another
            assert chooser.move(drawn.randrange(WORDS)) in policy
    assert several > 0 or kind not in STOCHASTIC


@jit
def place_all(tables, board, history):  # type: ignore[no-untyped-def]
    """Places stones in that order."""
    clear(tables, board)
    for cell in history:
        place(tables, board, cell)


def another_way(position: Position, drawn: random.Random) -> list[int] | None:
    """The same stones in another order of moves, as cells."""
    own = [list(position.moves[side::2]) for side in (0, 1)]
    for _ in range(20):
        for moves in own:
            drawn.shuffle(moves)
        other, cells = Position(position.game), list[int]()
        try:
            for ply in range(position.ply):
                move = own[ply % 2][ply // 2]
                cells.append(other.cell_of(move))
                other.push(move)
        except InputError:
            continue
        if other.stones == position.stones and other.outcome is None:
            return cells
    return None


@pytest.mark.parametrize("kind", [k for k in KINDS if "@" not in k or "random" in k])
def test_a_player_answers_the_position_and_not_the_way_to_it(kind: str) -> None:
    board, make = KINDS[kind]
    arrays, drawn, tables = make(), random.Random(3), tables_of(game_of(board))
    room, stream, ways = new_board(tables), stream_of(0), 0
    side = Side(tables, room, arrays, stream)
    for position in some_positions(board, 60, 4):
        policy = written(board, arrays, position)
        for _ in range(3):
            cells = another_way(position, drawn)
            if cells is None:
                continue
            ways += 1
            weights = np.ones(tables.columns)
            history = np.array(cells, dtype=np.int64)
            stream[:] = stream_of(drawn.randrange(WORDS))
            place_all(tables, room, history)
            write_policy_on(tables, room, arrays, weights)
            move = side.choose()
            assert {int(m): float(weights[m]) for m in np.flatnonzero(weights)} == policy
            assert move in policy
    assert ways > 50


def test_games_are_those_of_the_policy() -> None:
    """Whole games in compiled loops choose what the policy allows, move by move."""
    board = "tictactoe"
    tables = tables_of(game_of(board))
    for name in LEARNERS:
        arrays, other = learned(board, name), player("random").compiled(tables)
        room, counts = new_board(tables), np.zeros(8, dtype=np.int64)
        for seed in range(30):
            streams = stream_of(seed << 50), np.array([1, 2, 3, seed], dtype=np.uint64)
            play_games(tables, room, Pairing(arrays, other, *streams), 1, counts)
            position = Position(game_of(board))
            for cell in room.history[: room.counters[0]].tolist():
                if position.ply % 2 == 0:
                    assert cell in written(board, arrays, position)
                position.push(cell)


@pytest.mark.parametrize("name", ["combined", "attack@game"])
def test_what_was_drawn_before_the_game_is_no_policy(name: str) -> None:
    bound = BoundPlayer(player(name), game_of("tictactoe"), stream_of(1))
    with pytest.raises(InputError, match="polic"):
        bound.policy(Position(game_of("tictactoe")))


def test_a_variant_of_several_is_one() -> None:
    rules = RULE_PLAYERS["combined"].rules
    for variant in rules.variants:
        arrays = RuleList((variant,), rules.scan).compiled(tables_of(game_of("tictactoe")))
        for position in some_positions("tictactoe", 20, 5):
            policy = written("tictactoe", arrays, position)
            assert set(Chooser("tictactoe", arrays, position).words()) == set(policy)


def test_chances_of_a_seated_player_add_up_to_one() -> None:
    agent = Run("tictactoe", "reinforce", {"play": "drawn"}, None, 1).agent
    bound = BoundPlayer(agent, game_of("tictactoe"), stream_of(1))
    position = game_of("tictactoe").position("22 11")
    policy = bound.policy(position)
    assert sum(policy.values()) == pytest.approx(1)
    assert policy == pytest.approx(agent.values(position), abs=1e-6)
    assert bound.moves(position) == list(position.legal_moves)


@pytest.mark.parametrize("scale", [5e-324, 2.0**1023])
def test_chances_are_shares_of_weights_of_any_size(
    monkeypatch: pytest.MonkeyPatch, scale: float
) -> None:
    bound = BoundPlayer(player("attack-defense@random"), game_of("tictactoe"), stream_of(1))
    position = game_of("tictactoe").position("22 11")
    plainly = bound.policy(position)
    assert len(plainly) == 7

    def write_scaled(*given: Any) -> None:
        write_policy_in(*given)
        given[-1][:] *= scale

    monkeypatch.setattr("inarow.engine.players.write_policy_in", write_scaled)
    assert bound.policy(position) == plainly


# Players that answer one question at a time: declared deterministic, or observed only.
#
# Each player here tried to get a certificate that is not true.

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


@pytest.mark.parametrize("stated", [None, [], 1])
def test_a_player_that_states_no_policies_is_named(stated):
    class Nothing(Stating):
        move = Stating.move

        def policies(self, graph):  # noqa: ARG002
            return stated

    with pytest.raises(InputError, match="player careless must state a list of policies, not "):
        certify(Nothing("first"), "tictactoe")


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
        ([], "must state a list of policies, not none"),
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
    certificate = certify(CarelessPerfect("first"), "tictactoe")
    assert (certificate.basis.kind, certificate.unbeatable) == ("observed", None)
    for traversals in certify(
        CarelessPerfect("first"), TRAVERSED, positions=1, games=2
    ).exact.values():
        for traversal in traversals:
            assert traversal.basis.kind == "observed"
