"""The printed minimax, as it is meant: the moves and values of the search and of the whole tree."""

from __future__ import annotations

import random

import pytest

from inarow.game import Position
from inarow.game import game as game_of
from inarow.plain.connect_four import LINE, THREE, TWO, WIN, Minimax
from inarow.search.minimax import ALMOST, COMPLETED, HALFWAY, search
from inarow.search.minimax import WIN as SEARCH_WIN
from tests.search import naive


@pytest.mark.parametrize(
    ("name", "depth"),
    [("connect4:6x7", 4), ("connect4:4x5", 6), ("tictactoe", 9), ("ntictactoe:3^3", 2),
     ("connect4:4x4,misere", 5)],
)  # fmt: skip
def test_the_same_move_and_value(name: str, depth: int) -> None:
    rng, some_game = random.Random(name), game_of(name)
    for _ in range(6):
        position = Position(some_game)
        for _ in range(rng.randrange(some_game.cells // 3, 2 * some_game.cells // 3)):
            if position.outcome is None:
                position.push(rng.choice(position.legal_moves))
        if position.outcome is not None:
            continue
        found = search(position, depth)
        assert Minimax(depth).search(position) == (found.value, found.move)
        values = naive.root_values(position, min(depth, 3), range(some_game.columns))
        assert Minimax(min(depth, 3)).choose(position) == naive.first_best(values)[0]


def test_the_order_decides_among_equals() -> None:
    position = game_of("connect4:6x7").position()
    assert Minimax(1).choose(position) == 0
    assert Minimax(1, range(6, -1, -1)).choose(position) == 6


def test_the_same_numbers() -> None:
    assert (LINE, THREE, TWO, WIN) == (COMPLETED, ALMOST, HALFWAY, SEARCH_WIN)
