"""Sequences of moves: the published counts, and a plain recursion."""

from functools import cache

import pytest

from inarow.engine.perft import perft
from inarow.game import InputError, Position
from inarow.game import game as make_game
from tests.oracle import GAMES

game = cache(make_game)


def plain_perft(name: str, depth: int) -> list[int]:
    nodes, position = [0] * depth, Position(game(name))

    def visit(level: int) -> None:
        for move in position.legal_moves:
            nodes[level] += 1
            if level + 1 < depth:
                position.push(move)
                visit(level + 1)
                position.pop()

    visit(0)
    return nodes


@pytest.mark.parametrize(
    ("name", "nodes"),
    [
        ("tictactoe", [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]),
        ("connect4:6x7", [7, 49, 343, 2401, 16807, 117649, 823536, 5673234]),
        ("cube", [16, 256, 4096, 65536, 1048560, 16775760]),
        ("qubic", [64, 4032, 249984, 15249024]),
    ],
)
def test_published_counts(name, nodes):
    assert perft(game(name), len(nodes)) == nodes


@pytest.mark.parametrize("name", GAMES)
def test_a_plain_recursion_counts_the_same(name):
    this = game(name)
    depth = 4 if this.columns <= 16 else 3 if this.columns <= 27 else 2
    depth = min(depth, this.cells)
    expected = plain_perft(name, depth)
    assert perft(this, depth) == expected
    for shorter in range(1, depth):
        assert perft(this, shorter) == expected[:shorter]


@pytest.mark.parametrize(
    "name",
    [
        "board:3x3,gravity",
        "board:2x3,k=2,scoring",
        "board:2x4,k=2",
        "board:1x7,k=3",
        "board:5,k=3,gravity",
        "board:2x2,k=1,scoring",
    ],
)
def test_to_the_end_and_beyond(name):
    cells = game(name).cells
    whole = plain_perft(name, cells)
    assert perft(game(name), cells) == whole
    assert perft(game(name), cells + 1) == whole
    assert perft(game(name), 10**9) == whole


def test_games_that_end_before_the_depth():
    assert perft(game("board:3x3,k=1"), 4) == [9, 0, 0, 0]
    assert perft(game("board:1x1,k=1"), 5) == [1]
    assert perft(game("board:3x3,k=2"), 9) == plain_perft("board:3x3,k=2", 9)
    assert perft(game("board:3x3,k=2"), 9)[-1] == 0


def test_progress_is_told_up_to_the_whole():
    told: list[float] = []
    perft(game("tictactoe"), 5, told.append)
    assert told == sorted(told)
    assert len(told) == 72
    assert told[-1] == 1.0


@pytest.mark.parametrize("depth", [0, -1, -(10**9)])
def test_bad_depths_are_refused(depth):
    with pytest.raises(InputError, match=f"depth {depth} is too small"):
        perft(game("tictactoe"), depth)
