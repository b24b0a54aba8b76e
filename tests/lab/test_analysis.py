"""Games analysed: values against plain search, bounds that hold, what people and programs see."""

from __future__ import annotations

import random

import pytest

import inarow
from inarow.engine.players import BoundPlayer
from inarow.engine.streams import make_stream
from inarow.game import InputError, Position, game
from inarow.game.records import record
from inarow.lab.training.run import train
from inarow.lab.values import move_values as bounds_module
from inarow.lab.values.analysis import analyse, exact_at_once, first_mistake, principal_variation
from inarow.lab.values.move_values import Bounds, Budget, bound_moves, exact_by_graph
from inarow.search.solver import EVERY_SCORE, NotSolved, Solver
from tests.lab.brute_force import BruteForce

ENOUGH = 600.0  # seconds: more than any of these positions takes
LOST = "22 12 21 23 11 33 31"  # at tic-tac-toe, by the reply on an edge


def random_game(name, seed):
    """The last position of a game of random moves."""
    position, choose = Position(inarow.game(name)), random.Random(seed)
    while position.outcome is None:
        position.push(choose.choice(position.legal_moves))
    return position


@pytest.mark.parametrize(
    "name",
    [
        "tictactoe",
        "tictactoe,misere",
        "tictactoe,wrap",
        "board:3x3,k=3,scoring",
        "board:3x3,k=3,gravity",
        "board:2x2x2,k=2,gravity,misere",
        "board:3x4,k=3,gravity,scoring",
    ],
)
def test_values_best_moves_and_mistakes_are_those_of_plain_search(name):
    brute = BruteForce(inarow.game(name))
    for seed in range(3):
        position = random_game(name, seed)
        found, place = analyse(position, seconds=ENOUGH), Position(position.game)
        assert (found.unknown, found.ahead, found.outcome) == (0, None, position.outcome)
        for move, played in zip(found.moves, position.moves, strict=True):
            plain, best = brute.moves(place.stones), brute.best(place.stones)
            assert (move.ply, move.player) == (place.ply + 1, place.to_move)
            assert (move.value, move.best_value) == (Bounds.of(plain[played]), Bounds.of(best))
            names = [inarow.game(name).position(list_move) for list_move in move.best]
            assert [n.moves[0] for n in names] == [m for m, v in plain.items() if v == best]
            assert move.cost == best.value - plain[played].value
            assert (move.mark == "") == (plain[played] == best)
            place.push(played)
        assert [m.ply for m in found.mistakes] == [m.ply for m in found.moves if m.cost]


@pytest.mark.parametrize("name", ["tictactoe", "mnk:3x4x3", "connect4:4x4", "tictactoe,misere"])
def test_what_little_time_finds_out_holds(name, monkeypatch):
    brute, open_ends = BruteForce(inarow.game(name)), 0
    for seed, nodes in enumerate((1, 2, 4, 8, 16, 40, 100, 300)):
        game = inarow.game(name)
        monkeypatch.setattr(bounds_module, "solver_for", lambda g: Solver(g, table_bits=10))
        position, choose = Position(game), random.Random(seed)
        while game.cells - position.ply > 8 and position.outcome is None:
            position.push(choose.choice(position.legal_moves))
        if position.outcome is not None:
            continue
        found, plain = bound_moves(position, Budget(nodes=nodes)), brute.moves(position.stones)
        for move, bounds in found.moves.items():
            assert bounds.low <= plain[move].value <= bounds.high
            assert bounds.stones in (None, plain[move].stones)
            open_ends += not bounds.exact
        value = brute.best(position.stones)
        assert found.position.low <= value.value <= found.position.high
        assert found.position.stones in (None, value.stones)
    assert open_ends  # some were given up, or this says nothing


def test_a_solver_that_gives_up_says_what_it_knows():
    solver = Solver("connect4:6x7", table_bits=12)
    words = [solver.pack(moves) for moves in ("444444", "")]
    own, every = zip(*words, strict=True)
    with pytest.raises(NotSolved, match="not solved within 1e-09 seconds") as given_up:
        solver.score_words(own, every, seconds=1e-9)
    assert given_up.value.bounds == [EVERY_SCORE, EVERY_SCORE]
    with pytest.raises(NotSolved) as given_up:
        solver.score_words(own, every, limit=1_000)
    (low, high), later = given_up.value.bounds
    assert -18 <= low < high <= 18
    assert later == EVERY_SCORE


def test_what_is_not_known_is_said():
    found = analyse("connect4:7x8", "44", seconds=1e-6)
    assert found.unknown == 2
    assert found.mistakes == []
    assert str(found.moves[0].value) == "unknown"
    text = str(found)
    assert "2 of 2 moves have no exact value: more seconds may find it." in text
    assert "no mistake found" in text
    assert found.as_json()["moves"][0]["value"] is None
    # Beyond the solver a win that is near is certain all the same, and so is the mistake.
    far = analyse("mnk:9x9x3", "11 99 12 98 55", seconds=0.2)
    last = far.moves[-1]
    assert (str(last.best_value), last.best, last.cost) == ("wins in 1", ("13",), 2)
    assert str(far.ahead.position) == "wins in 1"


def test_earlier_values_tell_of_later_positions():
    # The book ends with this move: it knows the move's value, and so what comes after.
    found = analyse("connect4:6x7", "444444", seconds=1e-6)
    assert found.unknown == 0
    assert found.ahead.position.exact


def test_text_fits_and_names_the_mistake():
    found = analyse("tictactoe", LOST)
    for width in (40, 80, 120):
        assert max(len(line) for line in found.text(width).splitlines()) <= width
    text = found.text()
    assert " 2  O  12 ?  loses in 6  a draw becomes a loss; 11, 13, 31, 33 draw" in text
    assert "O: 1 mistake (2. 12?)." in text
    assert " X wins |    # # # # # #\n   draw |# #\n O wins |\nmistake      ?" in text
    assert repr(found) == f"<analysis of tictactoe '{LOST}': 7 moves, 1 mistake>"
    html = found._repr_html_()
    assert html.count("<tr>") == 8
    assert "a draw becomes a loss" in html


def test_a_record_has_names_and_a_result():
    position = inarow.game("tictactoe").position("22 12")
    found = analyse(record(position, "<b>", "me", resigned=2))
    assert str(found).startswith("tictactoe, <b> (X) - me (O): 2 moves, X wins, by resignation.")
    assert "&lt;b&gt;" in found._repr_html_()
    assert found.best_ahead
    empty = analyse("tictactoe")
    assert (empty.moves, len(empty.best_ahead)) == ((), 9)
    assert "X to move: draws" in str(empty)


def test_what_does_not_work():
    with pytest.raises(InputError, match="give moves to a game only"):
        analyse(inarow.game("tictactoe").position("22"), "12")
    with pytest.raises(InputError, match="must be above 0"):
        analyse("tictactoe", "22", seconds=0)
    with pytest.raises(InputError, match="the nodes must be 1 or more"):
        Budget(nodes=0)
    with pytest.raises(InputError, match="give a number of seconds"):
        bound_moves(inarow.game("mnk:9x9x3").position(), Budget(nodes=10))
    with pytest.raises(InputError, match="the game is over"):
        bound_moves(inarow.game("tictactoe").position(LOST), Budget(1))


# What an agent has learned: its first mistake is the first, and its variation is its own.

TICTACTOE = game("tictactoe")


@pytest.fixture(scope="module")
def agents():
    """Of one run: hardly trained, and unbeatable as second."""
    return [train("tictactoe", "td", "attack-defense", n, seed=1).agent for n in (400, 100_000)]


def chooses(agent):
    return BoundPlayer(agent, agent.game, make_stream(0)).moves


def plain_first_mistake(position, own, moves_of, line=()):
    """By recursion over all play, with values of the graph: the shortest line to a mistake."""
    if position.outcome is not None:
        return None
    values = {move: v.value for move, v in exact_by_graph(position).moves.items()}
    keeps = [move for move in values if values[move] == max(values.values())]
    chosen = moves_of(position) if position.to_move == own else keeps
    if set(chosen) - set(keeps):
        return line
    found = []
    for move in chosen:
        position.push(move)
        found.append(plain_first_mistake(position, own, moves_of, (*line, move)))
        position.pop()
    return min((one for one in found if one is not None), key=len, default=None)


def test_the_first_mistake_is_the_first(agents):
    weak, strong = agents
    search = first_mistake(TICTACTOE, chooses(weak), "second", seconds=60)
    plain = plain_first_mistake(Position(TICTACTOE), 2, chooses(weak))
    assert len(search.mistake.moves) == len(plain)
    position = TICTACTOE.position("")
    for move in search.mistake.moves:
        position.push(move)
    values = exact_by_graph(position).moves
    assert search.mistake.move in chooses(weak)(position)
    assert values[search.mistake.move].value == search.mistake.value.value < 0
    assert {values[move].value for move in search.mistake.better} == {search.mistake.best.value}

    assert plain_first_mistake(Position(TICTACTOE), 2, chooses(strong)) is None
    search = first_mistake(TICTACTOE, chooses(strong), "second", seconds=60)
    assert (search.mistake, search.plies) == (None, None)
    assert first_mistake(TICTACTOE, chooses(strong), "first", seconds=60).mistake is not None
    assert first_mistake(TICTACTOE, chooses(strong), "both", seconds=60).mistake is not None
    assert first_mistake(TICTACTOE, chooses(strong), "second", seconds=0).plies == 0


def test_the_principal_variation_follows_the_values(agents):
    _, strong = agents
    start = TICTACTOE.position("11")
    moves = principal_variation(strong, start, "second")
    now = start.copy()
    for move in moves:
        values = strong.values(now)
        if now.to_move == 2:
            assert values[move] == max(values.values())
        else:  # the reply that leaves it least, by its own values
            left = {}
            for reply in now.legal_moves:
                after = TICTACTOE.position(now.notation)
                after.push(reply)
                if after.outcome is None:
                    left[reply] = max(strong.values(after).values())
            assert move not in left or left[move] == min(left.values())
        now.push(move)
    assert len(moves) > 2
    assert start.notation == "11"


def test_only_where_exact_values_come_at_once():
    assert exact_at_once(game("cube").position("")) is None
    assert exact_at_once(game("connect4:6x7").position("1212343456567777")) is None
    assert exact_at_once(TICTACTOE.position("11")) is not None
