"""Positions set up by their stones, against all positions that moves lead to."""

import random
from itertools import product

import pytest

from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.game.setup import find_position


def reachable(game):
    """All positions that alternating moves lead to, by their stones: who is to move, the end."""
    found, waiting = {}, [Position(game)]
    while waiting:
        position = waiting.pop()
        if position.stones not in found:
            found[position.stones] = (position.to_move, position.outcome)
            for move in position.legal_moves:
                following = position.copy()
                following.push(move)
                waiting.append(following)
    return found


@pytest.mark.parametrize(
    "name",
    [
        "mnk:2x4x2",
        "mnk:2x4x3,misere",
        "board:2x4,k=3,gravity",
        "board:4x2,k=2,gravity",
        "board:2x4,k=2,gravity,scoring",
    ],
)
def test_exactly_the_positions_that_moves_lead_to_can_be_set_up(name):
    game = game_of(name)
    known = reachable(game)
    for stones in product((0, 1, 2), repeat=game.cells):
        try:
            position = find_position(game, stones)
        except InputError:
            assert stones not in known
            continue
        assert position.stones == stones
        assert (position.to_move, position.outcome) == known[stones]


@pytest.mark.parametrize("name", ["connect4:6x7", "cube", "connect4:12x12", "ntictactoe:3^4"])
def test_an_order_is_found_on_large_boards(name):
    game, chance = game_of(name), random.Random(1)
    for stones in (game.cells // 3, game.cells):
        played = Position(game)
        while played.outcome is None and played.ply < stones:
            played.push(chance.choice(played.legal_moves))
        assert find_position(game, played.stones) == played


@pytest.mark.parametrize(
    ("name", "stones", "said"),
    [
        ("tictactoe", "110000000", "X has 2 stones and O has 0 stones: X moves first"),
        ("tictactoe", "111222000", "X and O both have a line"),
        ("tictactoe", "111220200", "X has a line, which ends the game, but O moved last"),
        ("mnk:2x4x3", "11122021", None),
        ("board:3x3,gravity", "000100000", "a stone floats in column 1"),
        ("board:2x2,k=2,gravity", "2000", "X has 0 stones and O has 1 stone:"),
        ("mnk:3x5x3", "111222200211100", "no last move completes the lines of X"),
        ("board:4x2,k=4,gravity", "20201010", "no order of moves leads to this position"),
        ("tictactoe", "1", "the stones must be 9 numbers"),
        ("tictactoe", "300000000", "the stones must be 9 numbers"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(name, stones, said):
    held = [int(stone) for stone in stones]
    if said is None:
        assert find_position(game_of(name), held).stones == tuple(held)
        return
    with pytest.raises(InputError, match=said) as refused:
        find_position(game_of(name), held)
    assert "\n" not in str(refused.value)
