"""Random games: the plain reference's on the same random numbers, and the known frequencies."""

from functools import cache

import numpy as np
import pytest

from inarow.engine import play_games as playouts
from inarow.engine.board import MAX_MASK_CELLS, new_board, tables_of
from inarow.engine.play_games import (
    Pairing,
    Playouts,
    play_at_random,
    play_games,
    play_random_games,
)
from inarow.engine.rules import RuleList, moves_at_random
from inarow.engine.streams import FIRST, SECOND, make_stream
from inarow.game import Game, InputError
from inarow.game import game as make_game
from inarow.lab.players.names import player
from inarow.plain.random_stream import RandomStream
from tests.engine.reference import plain_random_games, tallied
from tests.oracle import GAMES

game = cache(make_game)


def play_one(kernel: str, this: Game, moves, streams, counts) -> None:
    """One game by one of the two kernels, whatever the size of the board."""
    tables, heights = tables_of(this), np.zeros(this.columns, dtype=np.int32)
    left_over = np.full(len(this.lines), 7, dtype=np.int64)  # from some other game
    counters = left_over if kernel == "counters" else None
    playouts._play(tables, moves, heights, counters, streams, 1, counts)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("kernel", ["masks", "counters"])
def test_every_game_is_the_plain_one(kernel, name):
    this = game(name)
    if kernel == "masks" and this.cells > MAX_MASK_CELLS:
        assert tables_of(this).masks.size == 0  # no mask of this size can be had by mistake
        return
    games = 2 if this.cells > MAX_MASK_CELLS else 12
    stream, counts = make_stream(3), np.zeros(8, dtype=np.int64)
    expected = plain_random_games(this, RandomStream(stream), games)
    moves = np.arange(this.columns, dtype=np.int32)
    for number in range(games):
        play_one(kernel, this, moves, (stream,), counts)
        assert [0, *counts[1:5].tolist()] == tallied(expected[: number + 1])
    assert sorted(moves.tolist()) == list(range(this.columns))


@pytest.mark.parametrize("name", ["tictactoe", "cube", "ntictactoe:3^3", "connect4:9x12"])
def test_the_whole_of_it(name):
    """The stream of the seed itself, and one order of moves from game to game."""
    played = play_random_games(game(name), 15, seed=4)
    expected = tallied(plain_random_games(game(name), RandomStream(make_stream(4)), 15))
    assert [played.first, played.second, played.drawn, played.plies] == expected[1:]
    assert played.games == 15
    assert play_random_games(game(name), 15, seed=4) == played


@pytest.mark.parametrize("name", GAMES)
def test_two_random_players_play_the_same_games_without_a_board(name):
    tables, games = tables_of(game(name)), 20
    players = [RuleList(((),)).compiled(tables) for _ in range(2)]
    counted = []
    for way in ("board", "playouts"):
        streams = make_stream(5, FIRST), make_stream(5, SECOND)
        counts = np.zeros(8, dtype=np.int64)
        if way == "board":
            play_games(tables, new_board(tables), Pairing(*players, *streams), games, counts)
        else:
            assert all(map(moves_at_random, players))
            play_at_random(tables, streams, games, counts)
        counted.append((counts.tolist(), [stream.tolist() for stream in streams]))
    assert counted[0] == counted[1]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("random", True), ("random@lines", True), ("random@game", False), ("combined", False)],
)
def test_who_moves_at_random(name, expected):
    """An order kept for a game is drawn from before it, and so are variants."""
    assert moves_at_random(player(name).compiled(tables_of(game("tictactoe")))) == expected


def within(count: int, games: int, chance: float, slack: float = 0.0) -> bool:
    """Whether a count is within five standard deviations, and the last digit of a sampled share."""
    return abs(count / games - chance) <= 5 * (chance * (1 - chance) / games) ** 0.5 + slack


@pytest.mark.parametrize(
    ("name", "games", "first", "second", "slack"),
    [
        ("tictactoe", 1_000_000, 737 / 1260, 121 / 420, 0),
        ("connect4:6x7", 400_000, 0.5553, 0.4421, 5e-5),
        ("connect4:4x4", 1_000_000, 0.2804, 0.2358, 5e-5),
        ("cube", 200_000, 0.5535, 0.4465, 5e-5),
    ],
)
def test_known_frequencies(name, games, first, second, slack):
    played = play_random_games(game(name), games, seed=1)
    assert played.first + played.second + played.drawn == played.games == games
    assert within(played.first, games, first, slack)
    assert within(played.second, games, second, slack)
    assert within(played.drawn, games, abs(1 - first - second), 2 * slack)


@pytest.mark.parametrize(("name", "plies"), [("connect4:6x7", 21.31), ("cube", 28.6)])
def test_known_lengths(name, plies):
    played = play_random_games(game(name), 100_000, seed=2)
    digit = 0.005 if name == "connect4:6x7" else 0.05
    assert abs(played.plies / played.games - plies) < digit + 5 * 12 / 100_000**0.5


def test_both_kernels_give_the_frequencies():
    """The one for large boards, on tic-tac-toe."""
    this, streams = game("tictactoe"), (make_stream(6),)
    counts = np.zeros(8, dtype=np.int64)
    moves, heights = np.arange(9, dtype=np.int32), np.zeros(9, dtype=np.int32)
    lines = np.zeros(8, dtype=np.int64)
    args = tables_of(this), moves, heights, lines, streams
    playouts._play(*args, 200_000, counts)
    assert counts[0] == 200_000
    assert within(counts[1], 200_000, 737 / 1260)
    assert within(counts[2], 200_000, 121 / 420)
    assert within(counts[3], 200_000, 8 / 63)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("board:1x1,k=1", Playouts(50, first=50, second=0, drawn=0, plies=50)),
        ("board:3x3,k=1", Playouts(50, first=50, second=0, drawn=0, plies=50)),
        ("board:3x3,k=1,scoring", Playouts(50, first=50, second=0, drawn=0, plies=450)),
        ("board:2x2,k=1,scoring", Playouts(50, first=0, second=0, drawn=50, plies=200)),
        ("board:2x2,k=2", Playouts(50, first=50, second=0, drawn=0, plies=150)),
        ("board:7x1,k=3,gravity", Playouts(50, first=0, second=0, drawn=50, plies=350)),
        ("board:5,k=3,gravity", Playouts(50, first=0, second=0, drawn=50, plies=250)),
        ("board:9x1,k=1,gravity,scoring", Playouts(50, 50, 0, 0, plies=450)),
        ("board:65,k=1", Playouts(50, first=50, second=0, drawn=0, plies=50)),
        ("board:65,k=1,scoring", Playouts(50, first=50, second=0, drawn=0, plies=50 * 65)),
        ("board:66x1,k=2,gravity", Playouts(50, first=0, second=0, drawn=50, plies=50 * 66)),
    ],
)
def test_games_without_a_choice(name, expected):
    assert play_random_games(game(name), 50, seed=1) == expected


def test_a_line_of_cells_by_hand():
    """1x3 with k=2: first wins unless the second takes the middle or the first the ends."""
    played = play_random_games(game("board:1x3,k=2"), 120_000, seed=1)
    # First in the middle (1/3) always wins. At an end, the second takes the middle (1/2): draw;
    # else the first gets the middle and wins.
    assert played.second == 0
    assert within(played.first, played.games, 1 / 3 + 2 / 3 / 2)


def test_a_seed_is_a_result_and_games_are_counted():
    ones = {play_random_games(game("tictactoe"), 1000, seed=seed) for seed in range(10)}
    assert len(ones) > 8
    for games in (0, -1):
        with pytest.raises(InputError, match="at least 1"):
            play_random_games(game("tictactoe"), games)
    with pytest.raises(InputError, match="seed -1"):
        play_random_games(game("tictactoe"), 1, seed=-1)
