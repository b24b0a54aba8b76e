"""Counting positions: the known numbers, whole games and first plies."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from inarow.game import InputError, Position
from inarow.game import game as make_game
from inarow.graph import counting as counting
from inarow.graph.counting import count_games, count_positions, perft
from inarow.graph.graph import graph_of, values_of
from tests.graph.plain import SMALL_GAMES
from tests.oracle import GAMES

game = cache(make_game)


def test_tictactoe():
    count = count_positions(game("tictactoe"))
    assert count.by_ply == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert sum(count.up_to_symmetry_by_ply) == 765
    assert count.unfinished_up_to_symmetry == 627
    assert count.unfinished == 4520
    assert count.complete
    assert count.value == "draw"
    assert count.games == {"total": 255_168, "first": 131_184, "second": 77_904, "draw": 46_080}
    answer = count.as_json()
    assert answer["game"] == "tictactoe"
    assert answer["positions"] == 5478
    assert answer["up_to_symmetry"] == 765
    assert answer["by_ply"] == count.by_ply
    assert answer["values"] == values_of(graph_of(game("tictactoe"))).totals()


def test_connect4_on_16_cells():
    count = count_positions(game("connect4:4x4"))
    by_ply = [1, 4, 16, 52, 160, 436, 1128, 2512, 5084, 9276, 14788, 21720, 26698, 28922]
    assert count.by_ply == [*by_ply, 24912, 18076, 7244]
    assert sum(count.by_ply) == 161_029
    assert count.values == {"first": 36_499, "draw": 90_120, "second": 34_410}
    assert count.value == "draw"


def test_connect4_four_wide_and_five_high():
    count = count_positions(game("connect4:5x4"))
    assert sum(count.by_ply) == 1_706_255
    assert count.value == "draw"


@pytest.mark.parametrize(
    ("name", "by_ply"),
    [
        ("connect4:6x7", [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275]),
        ("cube", [1, 16, 256, 2416, 22576, 153200]),
        ("qubic", [1, 64, 4032, 124992]),
    ],
)
def test_first_plies(name, by_ply):
    told = []
    count = count_positions(
        game(name), len(by_ply) - 1, lambda ply, positions: told.append((ply, positions))
    )
    assert count.by_ply == by_ply
    assert told == list(enumerate(by_ply))
    assert not count.complete
    assert (count.values, count.value, count.games) == (None, None, None)


def test_mirrored_connect4():
    """One mirror: a class has two positions, or one that is its own image."""
    count = count_positions(game("connect4:6x7"), 4)
    assert count.up_to_symmetry_by_ply == [1, 4, 25, 121, 568]


@pytest.mark.parametrize("name", [*SMALL_GAMES, "connect4:4x4"])
def test_counts_are_those_of_the_graphs(name):
    count = count_positions(game(name))
    raw, reduced = graph_of(game(name)), graph_of(game(name), reduced=True)
    assert count.complete
    assert count.by_ply == raw.by_ply
    assert count.up_to_symmetry_by_ply == reduced.by_ply
    assert count.unfinished == (raw.state == 0).sum()
    assert count.unfinished_up_to_symmetry == (reduced.state == 0).sum()
    assert count.games == count_games(raw) == count_games(reduced)
    assert count.games["total"] == sum(count.games[end] for end in ("first", "second", "draw"))
    assert sum(count.values.values()) == raw.positions


@pytest.mark.parametrize("plies", [0, 1, 5, 9, 10, 1000])
def test_plies_that_are_few_or_more_than_there_are(plies):
    whole = count_positions(game("tictactoe"))
    count = count_positions(game("tictactoe"), plies)
    assert count.by_ply == whole.by_ply[: plies + 1]
    assert count.complete == (plies >= 9)
    assert (count == whole) == count.complete


def test_too_many_games_to_count_are_left_open():
    # One column has one game, however long.
    assert count_positions(game("board:64x1,k=2,gravity")).games["total"] == 1
    # Seventeen plies of up to four moves are few; of up to 64 they could be over 2^63.
    graph = graph_of(game("connect4:4x4"))
    assert count_games(graph)["total"] > 10**6
    assert count_games(replace(graph, game=game("qubic"))) is None


def test_negative_plies_are_refused():
    with pytest.raises(InputError, match=r"plies must be 0 or more, not -1"):
        count_positions(game("tictactoe"), -1)


def test_too_large_games_are_refused(monkeypatch):
    with pytest.raises(InputError, match=r"has 225 cells: .*at most 64") as caught:
        count_positions(game("mnk:15x15x5"))
    assert len(str(caught.value).splitlines()) == 1
    monkeypatch.setattr(counting, "MAX_COUNTED", 10_000)
    with pytest.raises(InputError, match=r"^qubic has too many .* so far$"):
        count_positions(game("qubic"))
    with pytest.raises(InputError, match=r"^connect4:6x7 has too many positions"):
        count_positions(game("connect4:6x7"), 7)
    assert sum(count_positions(game("connect4:6x7"), 5).by_ply) < 10_000


def test_a_game_too_large_for_a_graph_is_still_counted(monkeypatch):
    monkeypatch.setattr(counting, "MAX_POSITIONS", 5000)
    count = count_positions(game("tictactoe"))
    assert count.complete
    assert sum(count.by_ply) == 5478
    assert (count.values, count.value, count.games) == (None, None, None)


# Sequences of moves: the published counts, and a plain recursion.


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
