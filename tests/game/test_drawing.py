"""Positions as text: what exactly is drawn, and that every cell is drawn in its place."""

import random
import textwrap

import pytest

from inarow.game import Position, game
from inarow.game.drawing import Spacing, find_slices, last_cell, place_slices

ODD_SHAPES = [
    "board:2x2x2x2",
    "board:1x5",
    "board:5x1,gravity",
    "board:7,k=3",
    "board:5,gravity",
    "ntictactoe:2^5",
    "ntictactoe:3^5",
    "ntictactoe:2^9",
    "board:2x3x4,k=3,gravity",
    "board:2x2x3x3,gravity",
    "board:13x2x5",
    "board:12x11,k=5",
]


def play_at_random(name: str, moves: int, seed: int = 1) -> Position:
    position, generator = game(name).position(), random.Random(seed)
    while position.ply < moves and position.outcome is None:
        position.push(generator.choice(position.legal_moves))
    return position


def drawing(text: str) -> str:
    """An expected drawing, written with a margin; a `|` stands where a line begins."""
    return "\n".join(line.lstrip()[1:] for line in textwrap.dedent(text).strip().splitlines())


def test_tictactoe_has_rows_at_the_left_and_columns_on_top() -> None:
    assert str(game("tictactoe").position("22 11 13 31")) == drawing("""
        |   1 2 3
        |1  O . X
        |2  . X .
        |3 [O]. .
        |
        |X to move
    """)


def test_connect_four_stands_on_its_column_numbers() -> None:
    assert str(game("connect4:6x7").position("4453")) == drawing("""
        | . . . . . . .
        | . . . . . . .
        | . . . . . . .
        | . . . . . . .
        | . . . O . . .
        | . .[O]X X . .
        | 1 2 3 4 5 6 7
        |
        |X to move
    """)


def test_cube_is_drawn_by_levels_from_the_bottom() -> None:
    assert str(game("cube").position("11 11 23 44 44 11")) == drawing("""
        |level 1       level 2       level 3       level 4
        |   1 2 3 4       1 2 3 4       1 2 3 4       1 2 3 4
        |1  X . . .    1  O . . .    1 [O]. . .    1  . . . .
        |2  . . X .    2  . . . .    2  . . . .    2  . . . .
        |3  . . . .    3  . . . .    3  . . . .    3  . . . .
        |4  . . . O    4  . . . X    4  . . . .    4  . . . .
        |
        |X to move
    """)


def test_four_dimensions_are_a_grid_of_slices_with_the_score_below() -> None:
    assert str(game("ntictactoe:3^4").position("1111 1211 1112 3233 1113")) == drawing("""
        |1,1,_,_     1,2,_,_     1,3,_,_
        |   1 2 3       1 2 3       1 2 3
        |1  X X[X]   1  O . .    1  . . .
        |2  . . .    2  . . .    2  . . .
        |3  . . .    3  . . .    3  . . .
        |
        |2,1,_,_     2,2,_,_     2,3,_,_
        |   1 2 3       1 2 3       1 2 3
        |1  . . .    1  . . .    1  . . .
        |2  . . .    2  . . .    2  . . .
        |3  . . .    3  . . .    3  . . .
        |
        |3,1,_,_     3,2,_,_     3,3,_,_
        |   1 2 3       1 2 3       1 2 3
        |1  . . .    1  . . .    1  . . .
        |2  . . .    2  . . .    2  . . .
        |3  . . .    3  . . O    3  . . .
        |
        |X 1, O 0; O to move
    """)


def test_five_dimensions_are_blocks_further_apart() -> None:
    assert str(game("ntictactoe:2^5").position("12112 21221")) == drawing("""
        |1,1,1,_,_   1,1,2,_,_      2,1,1,_,_   2,1,2,_,_
        |   1 2         1 2            1 2         1 2
        |1  . .      1  . .         1  . .      1  . .
        |2  . .      2  . .         2  . .      2 [O].
        |
        |1,2,1,_,_   1,2,2,_,_      2,2,1,_,_   2,2,2,_,_
        |   1 2         1 2            1 2         1 2
        |1  . X      1  . .         1  . .      1  . .
        |2  . .      2  . .         2  . .      2  . .
        |
        |X 0, O 0; X to move
    """)


def test_levels_of_a_four_dimensional_board_with_gravity_name_the_rest_of_the_move() -> None:
    text = str(game("board:2x2x3x3,gravity").position("211 211"))
    assert "level 1: 1,_,_   level 1: 2,_,_" in text
    assert text.index("level 2: 2,_,_") < text.index("[O]")


def test_one_dimension_is_a_row_and_with_gravity_a_stack() -> None:
    row = drawing("""
        | 1 2 3 4 5 6 7
        | . . . X[O]. .
        |
        |X to move
    """)
    assert str(game("board:7,k=3").position("4 5")) == row
    assert str(game("board:4,gravity").position("1 1")) == "\n".join(
        [" .", " .", "[O]", " X", " 1", "", "X to move"]
    )


def test_numbers_of_two_digits_are_aligned_and_read_downwards() -> None:
    lines = str(game("mnk:30x31x5").position("9,31 10,1")).splitlines()
    assert lines[0] == " " * 21 + " 1" * 10 + " 2" * 10 + " 3" * 2
    assert lines[1] == "   " + "".join(f" {column % 10}" for column in range(1, 32))
    assert lines[10] == " 9 " + " ." * 30 + " X"
    assert lines[11] == "10 [O]" + ". " * 29 + "."
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("name", "moves", "status"),
    [
        ("tictactoe", "", "X to move"),
        ("tictactoe", "11", "O to move"),
        ("tictactoe", "11 21 12 22 13", "X wins"),
        ("tictactoe", "11 21 12 22 33 23", "O wins"),
        ("tictactoe", "11 12 13 22 21 23 32 31 33", "draw"),
        ("board:2x2,scoring", "11 12", "X 0, O 0; X to move"),
        ("board:1x3,k=2,scoring", "11 13 12", "X 1, O 0; X wins"),
        ("board:1x4,k=2,scoring", "11 14 12 13", "X 1, O 1; draw"),
    ],
)
def test_last_line_says_how_the_game_stands(name: str, moves: str, status: str) -> None:
    assert str(game(name).position(moves)).endswith(f"\n\n{status}")


@pytest.mark.parametrize("name", ODD_SHAPES)
def test_slices_hold_every_cell_once(name: str) -> None:
    cells = sorted(c for part in find_slices(game(name)) for c in part.cells.ravel().tolist())
    assert cells == list(range(game(name).cells))


@pytest.mark.parametrize("name", ODD_SHAPES)
def test_every_stone_is_drawn_once(name: str) -> None:
    position = play_at_random(name, min(60, game(name).cells // 2))
    board = str(position).rsplit("\n\n", 1)[0]
    drawn = [board.count(symbol) for symbol in ".XO"]
    assert drawn == [position.stones.count(stone) for stone in (0, 1, 2)]
    last = board.index("[") + 1
    assert (board.count("["), board[last], board[last + 1]) == (1, "OX"[position.ply % 2], "]")


@pytest.mark.parametrize("name", ODD_SHAPES)
def test_slices_do_not_overlap_and_keep_to_the_limit(name: str) -> None:
    spacing = Spacing(width=20, height=6, gap_across=3, gap_down=1, limit=80)
    places = place_slices(game(name), spacing)
    assert len(set(places)) == len(find_slices(game(name)))
    assert all(x + 20 <= 80 for x, _ in places)
    for x, y in places:
        near = [(a, b) for a, b in places if abs(a - x) < 23 and abs(b - y) < 7]
        assert near == [(x, y)]


@pytest.mark.parametrize(
    "name",
    [
        "cube",
        "qubic",
        "ntictactoe:3^4",
        "ntictactoe:3^7",
        "ntictactoe:4^6",
        "ntictactoe:2^12",
        "board:13x4x4",
        "board:40x3x3,gravity",
        "board:2x9x9x9",
        "board:5x20x30",
    ],
)
def test_boards_of_three_and_more_dimensions_fit_a_terminal(name: str) -> None:
    lines = str(game(name).position()).splitlines()
    assert max(map(len, lines)) <= 80
    assert not any(line.endswith(" ") for line in lines)


@pytest.mark.parametrize("name", ["cube", "connect4:6x7", "ntictactoe:3^3"])
def test_last_cell_is_where_the_last_stone_went(name: str) -> None:
    position = game(name).position()
    assert last_cell(position) is None
    while position.ply < 12:
        move = position.legal_moves[position.ply // 4]
        expected = position.cell_of(move)
        position.push(move)
        assert last_cell(position) == expected
