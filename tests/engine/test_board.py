"""The compiled board: after every move what a plain re-scan finds, and undone without a trace."""

import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.engine import board as boards
from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
    GOING_ON,
    OPEN,
    PLY,
    SCORE,
    SECOND_WON,
    STATE,
    THREATS,
    Board,
    tables_of,
)
from inarow.game import Game, Outcome, Position
from inarow.game import game as make_game
from tests.engine.reference import PlainBoard, line_words, threat_counts
from tests.oracle import GAMES, OracleBoard

STATES = {
    None: GOING_ON,
    Outcome.FIRST: FIRST_WON,
    Outcome.SECOND: SECOND_WON,
    Outcome.DRAW: DRAWN,
}
SMALL = ["tictactoe", "connect4:4x4", "cube", "ntictactoe:3^3", "board:3x3,k=1", "board:3x3,k=2"]
LARGE = ["connect4:9x12", "mnk:15x15x5", "ntictactoe:3^4", "board:12x12x2,k=4"]

game = cache(make_game)
every_game = pytest.mark.parametrize("name", GAMES)


def open_list(board: Board) -> list[int]:
    return board.open_cells[: board.counters[OPEN]].tolist()


def threat_list(board: Board, side: int) -> list[int]:
    return board.threat_cells[side, : board.counters[THREATS + side]].tolist()


def snapshot(board: Board) -> dict[str, list]:
    """All that is alive in a board: whole arrays, and of lists the part that counts."""
    ply = board.counters[PLY]
    live = {
        "stones": board.stones.tolist(),
        "lines": board.lines.tolist(),
        "threat": board.threat.tolist(),
        "counters": board.counters.tolist(),
        "history": board.history[:ply].tolist(),
        "open": open_list(board),
        "open place": board.open_place[open_list(board) + board.history[:ply].tolist()].tolist(),
    }
    for side in (0, 1):
        cells = threat_list(board, side)
        live[f"threats {side}"] = cells
        live[f"threat place {side}"] = board.threat_place[side, cells].tolist()
    return live


def check(board: Board, position: Position) -> None:
    """Compares everything with the plain position and with a re-scan of the stones."""
    game, counters = position.game, board.counters
    stones = np.array(position.stones)
    assert board.stones.tolist() == stones.tolist()
    assert board.lines.tolist() == line_words(game, stones).tolist()
    expected = threat_counts(game, stones)
    empty = stones == 0
    assert (board.threat[:, empty] == expected[:, empty]).all()
    for side in (0, 1):
        cells = threat_list(board, side)
        assert sorted(cells) == np.flatnonzero(expected[side]).tolist()
        assert board.threat_place[side, cells].tolist() == list(range(len(cells)))
    played = [position.cell_of(move) for move in position.legal_moves]
    assert counters[PLY] == position.ply
    assert tuple(counters[SCORE : SCORE + 2]) == position.score
    assert counters[STATE] == STATES[position.outcome]
    if position.outcome is None:
        assert sorted(open_list(board)) == sorted(played)
    cells = open_list(board)
    assert board.open_place[cells].tolist() == list(range(len(cells)))


def play(name: str, seed: int) -> tuple[Board, list[int]]:
    """A whole random game on the compiled board alone: the board and the cells played."""
    tables, generator = tables_of(game(name)), random.Random(seed)
    board, cells = boards.new_board(tables), []
    while board.counters[STATE] == GOING_ON:
        cells.append(generator.choice(open_list(board)))
        boards.place(tables, board, cells[-1])
    return board, cells


@every_game
@pytest.mark.parametrize("seed", [1, 2])
def test_every_move_and_back(name, seed):
    tables, generator = tables_of(game(name)), random.Random(seed)
    board, plain = boards.new_board(tables), PlainBoard(game(name))
    check(board, plain.position)
    taken = []
    while plain.position.outcome is None:
        taken.append(snapshot(board))
        cell = generator.choice(open_list(board))
        boards.place(tables, board, cell)
        plain.place(cell)
        check(board, plain.position)
        assert open_list(board) == plain.open
        assert [threat_list(board, side) for side in (0, 1)] == plain.threats
        assert board.history[: board.counters[PLY]].tolist() == plain.cells
    for before in reversed(taken):
        boards.undo(tables, board)
        assert snapshot(board) == before
    assert snapshot(board) == snapshot(boards.new_board(tables))


@every_game
def test_the_result_is_the_oracles(name):
    board, cells = play(name, 3)
    oracle = OracleBoard(game(name))
    for cell in cells:
        assert oracle.result() is None
        assert oracle.play(cell % game(name).columns) == cell
    numbers = {"first": FIRST_WON, "second": SECOND_WON, "draw": DRAWN}
    assert board.counters[STATE] == numbers[oracle.result()]
    assert tuple(board.counters[SCORE : SCORE + 2]) == oracle.score()


@every_game
def test_clear_is_a_new_board(name):
    tables = tables_of(game(name))
    board, _ = play(name, 4)
    boards.clear(tables, board)
    assert snapshot(board) == snapshot(boards.new_board(tables))


@every_game
def test_loaded_stones_are_the_played_board(name):
    tables, generator = tables_of(game(name)), random.Random(5)
    board, loaded = boards.new_board(tables), boards.new_board(tables)
    position = Position(game(name))
    while position.outcome is None:
        boards.load(tables, loaded, board.stones)
        check(loaded, position)
        assert loaded.counters.tolist() == board.counters.tolist()
        assert open_list(loaded) == sorted(open_list(board))
        assert [set(threat_list(loaded, side)) for side in (0, 1)] == [
            set(threat_list(board, side)) for side in (0, 1)
        ]
        cell = generator.choice(open_list(loaded))
        if position.ply % 3 == 0:  # play goes on from what was loaded, too
            boards.place(tables, loaded, cell)
            position.push(cell % tables.columns)
            check(loaded, position)
            position.pop()
        boards.place(tables, board, cell)
        position.push(cell % tables.columns)


@every_game
def test_open_cells_and_where_moves_land(name):
    tables = tables_of(game(name))
    board, position = boards.new_board(tables), Position(game(name))
    for cell in play(name, 6)[1][:40]:
        cells = [position.cell_of(move) for move in position.legal_moves]
        landing = [boards.cell_of(tables, board, move) for move in position.legal_moves]
        assert landing == cells
        assert [c for c in range(tables.cells) if boards.is_open(board, c)] == sorted(cells)
        boards.place(tables, board, cell)
        position.push(cell % tables.columns)


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
@given(steps=st.lists(st.integers(0, 10**6), max_size=120))
@settings(max_examples=12, deadline=None, derandomize=True)
def test_any_order_of_moves_and_undos(name, steps):
    tables = tables_of(game(name))
    board, position, taken = boards.new_board(tables), Position(game(name)), []
    for step in steps:
        over = board.counters[STATE] != GOING_ON
        if position.ply and (over or step % 5 < 2):
            boards.undo(tables, board)
            position.pop()
            assert snapshot(board) == taken.pop()
        else:
            taken.append(snapshot(board))
            cell = open_list(board)[step // 5 % board.counters[OPEN]]
            boards.place(tables, board, cell)
            position.push(cell % tables.columns)
        check(board, position)
    while taken:
        boards.undo(tables, board)
        assert snapshot(board) == taken.pop()


def put(name: str, moves: str) -> Board:
    tables, position = tables_of(game(name)), Position(game(name))
    board = boards.new_board(tables)
    for move in game(name).position(moves).moves:
        boards.place(tables, board, position.cell_of(move))
        position.push(move)
    return board


# The bugs this field keeps making


def test_one_move_that_makes_two_lines_has_the_right_winner():
    # x o x      The last stone, in the middle of nine, completes both diagonals.
    # o x o
    # x o x
    position = Position(game("tictactoe"))
    board, tables = boards.new_board(tables_of(position.game)), tables_of(position.game)
    for cell in (0, 1, 2, 3, 6, 5, 8, 7, 4):
        assert board.counters[STATE] == GOING_ON
        boards.place(tables, board, cell)
    assert board.counters[STATE] == FIRST_WON
    assert board.counters[SCORE : SCORE + 2].tolist() == [2, 0]


def test_the_second_player_wins_with_two_lines_too():
    board, tables = boards.new_board(tables_of(game("mnk:5x5x3"))), tables_of(game("mnk:5x5x3"))
    for cell in (24, 1, 22, 2, 20, 5, 18, 10, 9, 0):
        assert board.counters[STATE] == GOING_ON
        boards.place(tables, board, cell)
    assert board.counters[STATE] == SECOND_WON
    assert board.counters[SCORE : SCORE + 2].tolist() == [0, 2]


def test_a_draw_is_not_a_game_that_goes_on():
    board = boards.new_board(tables_of(game("tictactoe")))
    for cell in (0, 1, 2, 4, 3, 5, 7, 6, 8):
        assert board.counters[STATE] == GOING_ON
        boards.place(tables_of(game("tictactoe")), board, cell)
    assert board.counters[STATE] == DRAWN
    assert len({GOING_ON, FIRST_WON, SECOND_WON, DRAWN}) == 4


def test_a_win_on_the_last_cell_is_no_draw():
    board = boards.new_board(tables_of(game("tictactoe")))
    for cell in (0, 1, 2, 3, 4, 5, 7, 6, 8):
        boards.place(tables_of(game("tictactoe")), board, cell)
    assert board.counters[PLY] == 9
    assert board.counters[STATE] == FIRST_WON


def test_a_full_scoring_board_is_won_by_the_lead():
    this = game("board:1x5,k=2,scoring")
    for cells, score, state in [
        ((0, 2, 1, 3, 4), [1, 1], DRAWN),
        ((0, 4, 1, 3, 2), [2, 1], FIRST_WON),
        ((0, 1, 4, 2, 3), [1, 1], DRAWN),
        ((0, 1, 2, 3, 4), [0, 0], DRAWN),
        ((0, 2, 4, 3, 1), [1, 1], DRAWN),
    ]:
        board = boards.new_board(tables_of(this))
        for cell in cells:
            assert board.counters[STATE] == GOING_ON
            boards.place(tables_of(this), board, cell)
        assert board.counters[SCORE : SCORE + 2].tolist() == score
        assert board.counters[STATE] == state


def test_lines_are_words_with_room_for_4096_cells():
    this = Game((64, 64), 64)
    tables = tables_of(this)
    board = boards.new_board(tables)
    check(board, Position(this))
    # The first player's last row from the right, the second's column 0 from the top.
    for i in range(62):
        boards.place(tables, board, 4095 - i)
        boards.place(tables, board, 64 * i)
    boards.place(tables, board, 4033)
    assert threat_list(board, 0) == [4032]
    assert board.threat[0, 4032] == 1
    boards.place(tables, board, 4032)
    assert threat_list(board, 0) == []
    for cell in (1, 64 * 62):
        boards.place(tables, board, cell)
    assert board.counters[STATE] == SECOND_WON
    assert board.counters[SCORE : SCORE + 2].tolist() == [0, 1]


def test_threats_by_hand():
    # Three of the first player in the bottom row, three of the second in the first column.
    board = put("connect4:6x7", "415161")
    assert sorted(threat_list(board, 0)) == [2, 6]
    assert board.threat[0, 2] == board.threat[0, 6] == 1
    assert threat_list(board, 1) == [21]
    # One cell can complete two lines: it is listed once and counted twice.
    board = put("tictactoe", "11 12 33 21 13 23 31")
    assert sorted(threat_list(board, 0)) == [4, 7]
    assert board.threat[0, [4, 7]].tolist() == [2, 1]
    assert threat_list(board, 1) == [4]
