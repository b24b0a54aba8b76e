"""Games analysed: values against plain search, bounds that hold, what people and programs see."""

import random

import pytest

import inarow
from inarow.game import InputError, Position
from inarow.game.records import record
from inarow.lab import bounds as bounds_module
from inarow.lab.analysis import analyse
from inarow.lab.bounds import Bounds, Budget, bound_moves
from inarow.lab.move_values import Verdict
from inarow.search.solution import NotSolved
from inarow.search.solver import EVERY_SCORE, Solver

ENOUGH = 600.0  # seconds: more than any of these positions takes
LOST = "22 12 21 23 11 33 31"  # at tic-tac-toe, by the reply on an edge


def plain_value(position, seen):
    """The value for the side to move and the stones until the end, in the obvious way."""
    if position.outcome is not None:
        winner = position.outcome.winner
        return Verdict(0 if winner is None else 1 if winner == position.to_move else -1, 0)
    if position.stones not in seen:
        found = plain_moves(position, seen).values()
        seen[position.stones] = max(found, key=lambda verdict: verdict.rank)
    return seen[position.stones]


def plain_moves(position, seen):
    """The value of each move for the side that plays it."""
    found = {}
    for move in position.legal_moves:
        position.push(move)
        after = plain_value(position, seen)
        position.pop()
        stones = None if position.game.scoring or after.value == 0 else (after.stones or 0) + 1
        found[move] = Verdict(-after.value, stones)
    return found


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
    seen = {}
    for seed in range(3):
        position = random_game(name, seed)
        found, place = analyse(position, seconds=ENOUGH), Position(position.game)
        assert (found.unknown, found.ahead, found.outcome) == (0, None, position.outcome)
        for move, played in zip(found.moves, position.moves, strict=True):
            plain = plain_moves(place, seen)
            best = max(plain.values(), key=lambda verdict: verdict.rank)
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
    seen, open_ends = {}, 0
    for seed, nodes in enumerate((1, 2, 4, 8, 16, 40, 100, 300)):
        game = inarow.game(name)
        monkeypatch.setattr(bounds_module, "solver_for", lambda g: Solver(g, table_bits=10))
        position, choose = Position(game), random.Random(seed)
        while game.cells - position.ply > 8 and position.outcome is None:
            position.push(choose.choice(position.legal_moves))
        if position.outcome is not None:
            continue
        found, plain = bound_moves(position, Budget(nodes=nodes)), plain_moves(position, seen)
        for move, bounds in found.moves.items():
            assert bounds.low <= plain[move].value <= bounds.high
            assert bounds.stones in (None, plain[move].stones)
            open_ends += not bounds.exact
        value = plain_value(position, seen)
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
