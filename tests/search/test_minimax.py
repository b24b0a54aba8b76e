"""Minimax: the same moves and values as the plain reference, and what it promises as a player."""

from __future__ import annotations

import json
import random
import time

import numpy as np
import pytest

from benchmarks import minimax
from inarow.engine.board import new_board, tables_of
from inarow.engine.play_games import Pairing, play_games
from inarow.engine.streams import make_stream
from inarow.game import Game, InputError, Position, game
from inarow.graph.graph import graph_of, values_of
from inarow.lab.matches.match import match
from inarow.papers.connect_four import minimax as program_of_the_study
from inarow.search.minimax import ORDERS, WIN, Minimax, Searcher, TimedMinimax, search, win_value
from tests.search import naive

# Games, the deepest search that the reference can follow, and positions for each depth.
TWINS = [
    ("tictactoe", 4, 8),
    ("connect4:6x7", 4, 3),
    ("connect4:4x4", 4, 8),
    ("connect4:9x12", 2, 3),
    ("cube", 2, 4),
    ("qubic", 1, 4),
    ("mnk:5x4x3", 3, 4),
    ("mnk:4x4x4", 3, 3),
    ("mnk:9x9x5", 1, 4),
    ("ntictactoe:3^3", 2, 6),
    ("ntictactoe:2^4", 3, 4),
    ("board:3x3,k=1", 2, 4),
    ("board:3x3,k=2", 4, 4),
    ("board:3x3,k=1,scoring", 3, 4),
    ("board:3x3,k=2,scoring", 4, 4),
    ("board:3x4,k=3,scoring", 3, 4),
    ("board:4x4,k=3,gravity,scoring", 4, 6),
    ("board:2x3x4,k=3,gravity", 3, 4),
    ("board:7,k=4", 4, 6),
    ("board:5,k=3,gravity", 4, 4),
    ("board:2x2x2x2,k=2", 3, 3),
    ("tictactoe,misere", 5, 8),
    ("tictactoe,wrap", 4, 4),
    ("connect4:4x4,wrap", 4, 4),
    ("connect4:4x4,misere", 5, 8),
    ("connect4:5x5,wrap,misere", 4, 4),
    ("mnk:4x4x3,wrap,misere", 3, 4),
    ("board:3x3,k=1,misere", 2, 4),
    ("board:3x3,k=2,misere", 4, 6),
    ("board:2x3x4,k=3,gravity,misere", 3, 4),
]
LEAVES = 4_000  # at most, for the reference


def random_position(some_game: Game, rng: random.Random, stones: int) -> Position:
    """A position that goes on, after so many random moves."""
    while True:
        position = Position(some_game)
        while position.outcome is None and position.ply < stones:
            position.push(rng.choice(position.legal_moves))
        if position.outcome is None:
            return position
        stones = max(0, stones - 1)


def order_of(some_game: Game, name: str) -> list[int]:
    return [int(move) for move in ORDERS[name](tables_of(some_game))]


def play(some_game: Game, depth: int, order: str = "ascending") -> Position:
    """A whole game between two minimax players."""
    position, searcher = Position(some_game), Searcher(tables_of(some_game), depth, order)
    while position.outcome is None:
        position.push(searcher.run(np.array(position.stones, dtype=np.int8)).move)
    return position


@pytest.mark.parametrize(("name", "deepest", "positions"), TWINS)
def test_same_move_and_values_as_the_plain_twin(name: str, deepest: int, positions: int) -> None:
    rng, some_game = random.Random(name), game(name)
    for depth in range(1, deepest + 1):
        for _ in range(positions):
            position = random_position(some_game, rng, rng.randrange(some_game.cells))
            if len(position.legal_moves) ** min(depth, some_game.cells) > LEAVES:
                position = random_position(some_game, rng, 3 * some_game.cells // 5)
            order = rng.choice(list(ORDERS))
            values = naive.root_values(position, depth, order_of(some_game, order))
            move, value = naive.first_best(values)
            found = search(position, depth, order)
            every = search(position, depth, order, all_moves=True)
            assert (found.move, found.value) == (move, value), (position.notation, depth, order)
            assert (every.move, every.value, every.values) == (move, value, values)


@pytest.mark.parametrize(
    ("name", "depth"), [("connect4:4x5", 3), ("tictactoe", 3), ("board:3x3,scoring", 2)]
)
@pytest.mark.parametrize("order", ORDERS)
def test_same_game_as_the_plain_twin(name: str, depth: int, order: str) -> None:
    some_game = game(name)
    position = Position(some_game)
    while position.outcome is None:
        values = naive.root_values(position, depth, order_of(some_game, order))
        position.push(naive.first_best(values)[0])
    assert play(some_game, depth, order).moves == position.moves


@pytest.mark.parametrize(("rows", "depth"), [(6, 6), (8, 5), (14, 4), (30, 3)])
def test_same_game_as_the_naive_program_of_the_study(rows: int, depth: int) -> None:
    some_game = Game((rows, rows + 1), 4, gravity=True)
    program, position = program_of_the_study.new_program(some_game, depth), Position(some_game)
    keeping = program_of_the_study.new_program(some_game, depth, keeps=True)
    while position.outcome is None:
        column = int(program_of_the_study.choose_column(program, depth, position.ply))
        assert program_of_the_study.choose_column(keeping, depth, position.ply) == column
        for one in (program, keeping):
            program_of_the_study.play_column(one, column, position.to_move)
        position.push(column)
    assert play(some_game, depth).moves == position.moves
    assert program.counts.tolist() == keeping.counts.tolist()  # the same positions were visited


@pytest.mark.parametrize("name", ["tictactoe", "connect4:4x4", "board:3x3,k=2,scoring"])
def test_beyond_the_end_it_plays_perfectly(name: str) -> None:
    some_game, rng = game(name), random.Random(3)
    graph = graph_of(some_game)
    values = values_of(graph)
    for _ in range(40):
        position = random_position(some_game, rng, rng.randrange(some_game.cells))
        if len(position.legal_moves) > 3 and position.ply < 2 and name == "connect4:4x4":
            continue  # no table of positions here: from so early on it would take seconds
        found = search(position, some_game.cells)
        number, _ = graph.find(position)
        value, distance = int(values.value[number]), int(values.distance[number])
        own = value if position.to_move == 1 else -value
        assert np.sign(found.value) == own
        assert found.ending == (own * distance if own else None)
        position.push(found.move)
        assert int(values.value[graph.find(position)[0]]) == value


def test_a_win_is_taken_and_the_first_of_several() -> None:
    position = game("connect4:6x7").position("263646")  # 2 3 4 wins in 1 and 5
    for depth in (1, 2, 6):
        found = search(position, depth)
        assert (found.move, found.value, found.ending) == (0, WIN - 1, 1)
        assert search(position, depth, "descending").move == 4
        assert search(position, depth, "central").move == 4
        assert search(position, depth, all_moves=True).move == 0
    # One cell completes two lines, an earlier one completes one: a win is a win.
    position = Position(Game((3, 3), 3))
    for cell in (1, 3, 4, 5, 6, 8):
        position.push(cell)
    assert search(position, 4).move == 2
    assert search(position, 4, "descending").move == 7


def test_the_nearer_win_and_the_later_loss() -> None:
    some_game, rng = game("connect4:4x5"), random.Random(8)
    wins = losses = 0
    for _ in range(300):
        position = random_position(some_game, rng, rng.randrange(8, 16))
        found = search(position, 6, all_moves=True)
        assert found.values is not None
        if found.ending is None:
            continue
        # Deeper searches find no shorter win and no longer defence.
        deeper = search(position, 8)
        assert (deeper.ending, deeper.move) == (found.ending, found.move)
        wins += found.ending > 1
        losses += found.ending < -2
        assert found.value == max(found.values.values())
        assert found.value == (1 if found.ending > 0 else -1) * (WIN - abs(found.ending))
    assert wins > 10
    assert losses > 5


def test_the_order_decides_among_equals() -> None:
    # On an empty board, one move deep, a stone makes no open two: all columns are equal.
    position = game("connect4:6x7").position()
    assert search(position, 1).move == 0
    assert search(position, 1, "descending").move == 6
    assert search(position, 1, "central").move == 3
    assert set(search(position, 1, all_moves=True).values.values()) == {0}  # type: ignore[union-attr]


def test_the_reverse_order_plays_the_mirrored_game() -> None:
    some_game = game("connect4:7x8")
    ascending, descending = (play(some_game, 5, order) for order in ("ascending", "descending"))
    assert [7 - move for move in descending.moves] == list(ascending.moves)


@pytest.mark.parametrize(
    "name", ["connect4:20x21", "mnk:15x15x5", "ntictactoe:3^4", "board:8x8x8,k=5", "mnk:64x64x5"]
)
def test_boards_above_64_cells(name: str) -> None:
    some_game = game(name)
    depth = 1 if some_game.cells > 2000 else 2
    position = random_position(some_game, random.Random(1), 30)
    found = search(position, depth, all_moves=True)
    assert found.values is not None
    assert sorted(found.values) == position.legal_moves
    assert found.value == max(found.values.values())
    assert found.move == min(m for m, v in found.values.items() if v == found.value)
    assert search(position, depth).move == found.move
    if depth == 1:
        for move in position.legal_moves[::500]:
            position.push(move)
            assert found.values[move] == naive.utility(position, 3 - position.to_move, 1)
            position.pop()


def test_lines_never_outweigh_a_win() -> None:
    tables = tables_of(game("ntictactoe:3^7"))
    assert win_value(tables) > 10_000 * len(tables.line_words)
    assert win_value(tables_of(game("connect4:30x31"))) == WIN


def test_stopping_and_going_on_changes_nothing() -> None:
    some_game, rng = game("connect4:6x7"), random.Random(4)
    searcher, stopping = (Searcher(tables_of(some_game), 6) for _ in range(2))
    stopping.chunk = 7
    for _ in range(10):
        position = random_position(some_game, rng, 20)
        stones = np.array(position.stones, dtype=np.int8)
        assert stopping.run(stones, all_moves=True) == searcher.run(stones, all_moves=True)


def test_time_limit() -> None:
    position = game("connect4:6x7").position("4444")
    began = time.perf_counter()
    found = search(position, 42, time_limit=0.3)
    assert time.perf_counter() - began < 5  # generous: the machine may be busy
    assert 1 <= found.depth < 42
    assert search(position, found.depth).move == found.move
    assert search(position, 3, time_limit=1e9).move == search(position, 3).move
    assert search(position, 3, time_limit=1e-9).depth == 1


def test_compiled_matches() -> None:
    result = match("connect4:6x7", Minimax(4), "random", games=20, seed=1)
    assert result.players == ("minimax:4", "random")
    assert result.total.wins >= 19
    repeated = match("connect4:6x7", Minimax(4), Minimax(2), games=6)
    assert repeated.as_first.repeated
    assert repeated.as_second.repeated
    timed = TimedMinimax(3, time_limit=1e9)
    by_clock = match("tictactoe", timed, Minimax(9), games=2)
    assert by_clock.total.games == 2
    assert by_clock.total.wins == 0


def test_compiled_and_python_play_the_same_game() -> None:
    some_game = game("connect4:6x7")
    tables = tables_of(some_game)
    board, counts = new_board(tables), np.zeros(8, dtype=np.int64)
    players = Minimax(5).compiled(tables), Minimax(3).compiled(tables)
    pair = Pairing(*players, make_stream(1), make_stream(2))
    play_games(tables, board, pair, 1, counts)
    position, sides = Position(some_game), (Minimax(5), Minimax(3))
    while position.outcome is None:
        position.push(sides[position.ply % 2].move(position))
    cells = [int(cell) for cell in board.history[: board.counters[0]]]
    assert [cell % some_game.columns for cell in cells] == list(position.moves)
    assert all(int(player.nodes[0]) > 0 for player in players)


def test_names_and_refusals() -> None:
    assert Minimax(6).name == "minimax:6"
    assert Minimax(6, "central").name == "minimax:6@central"
    assert TimedMinimax(20, time_limit=0.5).name == "minimax:20/0.5s"
    with pytest.raises(InputError, match="depth 0"):
        Minimax(0)
    with pytest.raises(InputError, match="unknown order 'sideways'"):
        Minimax(6, "sideways")
    with pytest.raises(InputError, match="time limit"):
        TimedMinimax(6, time_limit=0)
    with pytest.raises(InputError, match="the game is over"):
        search(game("tictactoe").position("11 12 21 22 31"), 3)


# Minimax and the left-to-right reference of `benchmarks/minimax.py` play the same games.
#
# The benchmark shows it for the paper's thirteen boards at depth six, in minutes; here are the
# smallest of them, a larger one less deep, and games that go on from random positions.


@pytest.mark.parametrize(
    ("board", "depth"), [("6x7", 6), ("8x9", 6), ("10x11", 5), ("16x17", 4), ("4x5", 8)]
)
def test_same_game(board: str, depth: int) -> None:
    row = minimax.compare(board, depth)
    assert row.same
    assert row.plies >= 7


@pytest.mark.parametrize(("sides", "depth"), [((6, 7), 6), ((7, 4), 7), ((9, 12), 4), ((4, 4), 9)])
def test_same_moves_from_random_positions(sides: tuple[int, int], depth: int) -> None:
    rng, game = random.Random(sum(sides)), Game(sides, 4, gravity=True)
    ours, plain = minimax.our_minimax(game, depth), minimax.plain_minimax(game, depth)
    for _ in range(20):
        position = Position(game)
        for _ in range(rng.randrange(game.cells)):
            if position.outcome is None:
                position.push(rng.choice(position.legal_moves))
        while position.outcome is None:
            move = plain(position)
            assert ours(position) == move, position.notation
            position.push(move)


def test_twin_plays_like_the_whole_tree() -> None:
    """Against the reference without bounds, so that neither reference rests on the search."""
    rng, game = random.Random(3), Game((6, 7), 4, gravity=True)
    plain = minimax.plain_minimax(game, 3)
    for stones in range(0, 36, 2):
        position = Position(game)
        while position.outcome is None and position.ply < stones:
            position.push(rng.choice(position.legal_moves))
        if position.outcome is None:
            values = naive.root_values(position, 3, range(game.columns))
            assert plain(position) == naive.first_best(values)[0]


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert minimax.main(["--boards", "4x5", "6x7", "--depth", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["board", "4x5", "6x7"]
    assert [line.split()[2] for line in lines[1:]] == ["yes", "yes"]
    assert minimax.main(["--boards", "4x5", "--depth", "2", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["board"], row["depth"], row["same"]) == ("4x5", 2, True)


def test_a_difference_is_seen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def last_column(game: Game, depth: int) -> minimax.Choose:  # noqa: ARG001
        return lambda position: position.legal_moves[-1]

    monkeypatch.setattr(minimax, "plain_minimax", last_column)
    assert minimax.main(["--boards", "4x5", "--depth", "2"]) == 1
    assert capsys.readouterr().out.splitlines()[1].split()[2] == "NO"


@pytest.mark.parametrize(
    "options", [["--boards", "six"], ["--boards", "3x3"], ["--boards", "0x7"], ["--depth", "0"]]
)
def test_bad_options(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        minimax.main(options)
    assert stopped.value.code == 2
    assert "error:" in capsys.readouterr().err
