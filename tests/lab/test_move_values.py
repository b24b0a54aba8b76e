"""Values of moves: exact ones against plain search, estimates of players, hints."""

import random

import pytest

import inarow
from inarow.engine.streams import make_stream
from inarow.game import InputError, Position
from inarow.lab.move_values import Verdict, default_opponent, estimate, exact, hint
from inarow.lab.player_protocols import bind_player
from inarow.lab.players import player


def plain_verdict(position):
    """The value for the side to move and the stones until the end, in the obvious way."""
    if position.outcome is not None:
        winner = position.outcome.winner
        return (0 if winner is None else 1 if winner == position.to_move else -1), 0
    found = []
    for move in position.legal_moves:
        position.push(move)
        value, stones = plain_verdict(position)
        position.pop()
        found.append((-value, stones + 1))
    return max(found, key=lambda f: Verdict(f[0], f[1]).rank if f[0] else (0, 0))


def some_positions(name, number, left, seed=1):
    """Positions that go on, with at most so many empty cells."""
    game, dice = inarow.game(name), random.Random(seed)
    while number:
        position = Position(game)
        while position.outcome is None and game.cells - position.ply > left:
            position.push(dice.choice(position.legal_moves))
        if position.outcome is None:
            yield position
            number -= 1


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("tictactoe", 7),
        ("connect4:4x4", 7),
        ("mnk:3x4x3", 7),
        ("board:2x2x3,k=2", 12),
        ("board:3x3x2,k=3,gravity", 8),
        ("ntictactoe:3^3", 6),
        ("board:3x3,k=3,scoring", 7),
        ("board:4x4,k=3,gravity,scoring", 6),
    ],
)
def test_exact_is_what_plain_search_finds(name, left):
    for position in some_positions(name, 5, left):
        found, before = exact(position), position.moves
        assert position.moves == before
        assert list(found.moves) == position.legal_moves
        reference = position.copy()
        for move, verdict in found.moves.items():
            reference.push(move)
            value, stones = plain_verdict(reference)
            reference.pop()
            assert verdict.value == -value
            if not position.game.scoring:
                assert verdict.stones == (stones + 1 if value else None)
        assert {max(v.rank for v in found.moves.values())} == {
            found.moves[move].rank for move in found.best
        }


def test_graph_and_search_to_the_end_agree():
    game = inarow.game("board:3x5,k=3,gravity,scoring")
    early, late = Position(game), game.position("333")
    assert exact(early).by == "the game graph"
    assert exact(late).by == "a search to the end"
    for move in late.legal_moves:
        late.push(move)
        assert exact(late).by == "a search to the end"
        late.pop()
    before = game.position("33")
    replies = exact(late).moves.values()
    assert exact(before).moves[2].value == -max(verdict.value for verdict in replies)


def test_connect_four_from_the_book_and_past_it():
    first = exact(inarow.game("connect4").position())
    assert first.by == "the book"
    assert [str(verdict) for verdict in first.moves.values()] == [
        "loses in 40", "loses in 42", "draws", "wins in 41", "draws", "loses in 42", "loses in 40"
    ]  # fmt: skip
    assert first.best == [3]
    assert exact(inarow.game("connect4").position("444444333333")).by == "the solver"


def test_nothing_exact_where_nothing_reaches():
    for name in ("cube", "ntictactoe:3^3", "mnk:15x15x5"):
        assert exact(inarow.game(name).position()) is None


def test_what_a_verdict_says():
    assert [str(v) for v in (Verdict(1, 3), Verdict(0), Verdict(-1, 2), Verdict(1))] == [
        "wins in 3", "draws", "loses in 2", "wins"
    ]  # fmt: skip
    order = [Verdict(1, 1), Verdict(1, 5), Verdict(0), Verdict(-1, 4), Verdict(-1, 2)]
    assert sorted(order, key=lambda v: v.rank, reverse=True) == order


def test_opinions():
    position = inarow.game("tictactoe").position("11 22 12 33")
    held = estimate(player("minimax:3"), position)
    assert held.by == "minimax:3"
    assert held.best == [2]
    assert held.texts[2] == "wins in 1"
    assert held.texts[3] == "wins in 3"
    assert estimate(player("random"), position) is None
    assert estimate(player("random+endgame:30"), position) is None
    assert estimate(None, position) is None


def test_the_opinion_of_a_learned_agent():
    run = inarow.train("tictactoe", "td", against="random", games=2000, seed=1)
    position = inarow.game("tictactoe").position("11 22")
    held = estimate(run.agent, position)
    assert list(held.values) == position.legal_moves
    assert held.values == run.agent.values(position)
    assert all(text[0] in "+-" for text in held.texts.values())
    assert estimate(run.agent, inarow.game("connect4").position()) is None


def test_hints():
    sure = hint(inarow.game("tictactoe").position("11 22 12 33"), player("random"))
    assert (sure.moves, sure.text, sure.exact) == ([2], "wins in 1", True)
    assert hint(inarow.game("tictactoe").position()).moves[0] == 4  # on most lines
    cube = inarow.game("cube").position("11 22 11 33")
    assert hint(cube, player("random")).by == "minimax:8@central"
    assert hint(cube, player("minimax:2")).by == "minimax:2"
    assert not hint(cube, player("minimax:2")).exact


def test_a_game_that_is_over_has_no_values():
    over = inarow.game("tictactoe").position("11 21 12 22 13")
    for ask in (exact, hint, lambda position: estimate(player("minimax:2"), position)):
        with pytest.raises(InputError, match="over"):
            ask(over)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tictactoe", "perfect"),
        ("connect4", "perfect"),
        ("connect4:5x5", "perfect"),
        ("connect4:4x5,wrap", "perfect"),
        ("board:3x3x3,gravity", "perfect"),
        ("cube", "shipped:cube"),
        ("qubic", "shipped:qubic"),
        ("ntictactoe:3^3", "shipped:ntictactoe:3^3"),
        ("mnk:15x15x5", "shipped:mnk:15x15x5"),
        ("mnk:9x9x5", "minimax:5@central"),
        ("mnk:19x19x5", "minimax:3@central"),
    ],
)
def test_a_good_opponent_plays(name, expected):
    game = inarow.game(name)
    assert default_opponent(game) == expected
    bound = bind_player(player(expected), game, make_stream(1))
    position = game.position()
    assert bound.move(position) in position.legal_moves
