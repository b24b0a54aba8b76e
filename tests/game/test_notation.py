"""Moves as text: every move and every sequence comes back, and other text is told what is right."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.game import InputError, game
from inarow.game.notation import is_compact, move_text, moves_text, parse_moves
from tests.oracle import GAMES


@pytest.mark.parametrize("name", GAMES)
def test_every_move_comes_back(name):
    this = game(name)
    texts = [move_text(this, move) for move in range(this.columns)]
    assert len(set(texts)) == this.columns
    for move, text in enumerate(texts):
        assert parse_moves(this, text) == [move]
        assert " " not in text


@given(st.sampled_from(GAMES), st.data())
@settings(deadline=None, max_examples=150)
def test_every_sequence_comes_back(name, data):
    this = game(name)
    moves = data.draw(st.lists(st.integers(0, this.columns - 1), max_size=20))
    assert parse_moves(this, moves_text(this, moves)) == moves
    assert parse_moves(this, " ".join(move_text(this, move) for move in moves)) == moves
    if is_compact(this):
        assert parse_moves(this, "".join(move_text(this, move) for move in moves)) == moves


@pytest.mark.parametrize(
    ("name", "move", "text"),
    [
        ("connect4:6x7", 3, "4"),
        ("connect4:6x7", 6, "7"),
        ("connect4:9x12", 9, "10"),
        ("connect4:12x9", 8, "9"),  # the height is no part of a move
        ("tictactoe", 4, "22"),
        ("tictactoe", 5, "23"),
        ("cube", 6, "23"),
        ("qubic", 63, "444"),
        ("qubic", 16, "211"),
        ("mnk:15x15x5", 0, "1,1"),
        ("mnk:15x15x5", 224, "15,15"),
        ("mnk:15x15x5", 15, "2,1"),
        ("ntictactoe:3^5", 242, "33333"),
        ("board:7,k=4", 6, "7"),
        ("board:5,k=3,gravity", 0, "1"),
        ("board:7x1,k=3,gravity", 0, "1"),
        ("board:1x7,k=3", 6, "17"),
        ("board:10,k=4", 9, "10"),
        ("board:12x12x2,k=4", 287, "12,12,2"),
        ("board:2x10x2,k=4,gravity", 19, "10,2"),
    ],
)
def test_a_move_is_written_as(name, move, text):
    assert move_text(game(name), move) == text
    assert parse_moves(game(name), text) == [move]


@pytest.mark.parametrize(
    ("name", "text", "moves"),
    [
        ("connect4:6x7", "4453", [3, 3, 4, 2]),
        ("connect4:6x7", "4 4 53", [3, 3, 4, 2]),
        ("connect4:6x7", "4,4,5,3", [3, 3, 4, 2]),
        ("connect4:6x7", "", []),
        ("connect4:6x7", " \t\n ", []),
        ("connect4:6x7", "\n4\t4\n", [3, 3]),
        ("connect4:9x12", "10 4", [9, 3]),
        ("connect4:9x12", "10,4", [9, 3]),
        ("connect4:9x12", "12", [11]),
        ("connect4:9x12", "1 2", [0, 1]),
        ("tictactoe", "2211", [4, 0]),
        ("tictactoe", "22 11", [4, 0]),
        ("tictactoe", "2,2 1,1", [4, 0]),
        ("tictactoe", "2,2,1,1", [4, 0]),
        ("qubic", "111444", [0, 63]),
        ("mnk:15x15x5", "8,8 10,3", [7 * 15 + 7, 9 * 15 + 2]),
        ("mnk:15x15x5", "8,8,10,3", [7 * 15 + 7, 9 * 15 + 2]),
        ("board:7,k=4", "1726", [0, 6, 1, 5]),
        ("board:10,k=4", "10 1", [9, 0]),
    ],
)
def test_a_sequence_is_read_as(name, text, moves):
    assert parse_moves(game(name), text) == moves


@pytest.mark.parametrize(
    ("name", "moves", "text"),
    [
        ("connect4:6x7", [3, 3, 4, 2], "4453"),
        ("connect4:9x12", [9, 3], "10 4"),
        ("tictactoe", [4, 0], "22 11"),
        ("cube", [0, 15], "11 44"),
        ("connect4:12x9", [8, 0], "91"),  # the height may pass 9
        ("board:12x4x4,k=4,gravity", [0, 15], "11 44"),
        ("mnk:15x15x5", [112, 0], "8,8 1,1"),
        ("board:7,k=4", [0, 6], "17"),
        ("tictactoe", [], ""),
    ],
)
def test_a_sequence_is_written_as(name, moves, text):
    assert moves_text(game(name), moves) == text


@pytest.mark.parametrize(
    ("name", "text", "first", "last"),
    [
        ("connect4:6x7", "8", "1", "7"),
        ("connect4:6x7", "0", "1", "7"),
        ("connect4:6x7", "44x", "1", "7"),
        ("connect4:6x7", "hello", "1", "7"),
        ("connect4:6x7", "-1", "1", "7"),
        ("connect4:6x7", "4.", "1", "7"),
        ("connect4:6x7", ",", "1", "7"),
        ("connect4:6x7", "4,", "1", "7"),
        ("connect4:6x7", "4,,4", "1", "7"),
        ("connect4:6x7", "\N{FULLWIDTH DIGIT FOUR}", "1", "7"),
        ("connect4:6x7", "²", "1", "7"),
        ("connect4:9x12", "13", "1", "12"),
        ("connect4:9x12", "0", "1", "12"),
        ("connect4:9x12", "4453", "1", "12"),
        ("connect4:9x12", "9" * 5000, "1", "12"),
        ("tictactoe", "1", "11", "33"),
        ("tictactoe", "14", "11", "33"),
        ("tictactoe", "41", "11", "33"),
        ("tictactoe", "01", "11", "33"),
        ("tictactoe", "112", "11", "33"),
        ("tictactoe", "a1", "11", "33"),
        ("tictactoe", "1;1", "11", "33"),
        ("cube", "123", "11", "44"),
        ("qubic", "1144", "111", "444"),
        ("mnk:15x15x5", "11", "1,1", "15,15"),
        ("mnk:15x15x5", "16,1", "1,1", "15,15"),
        ("mnk:15x15x5", "1,16", "1,1", "15,15"),
        ("mnk:15x15x5", "8,8,8", "1,1", "15,15"),
        ("mnk:15x15x5", "8, 8", "1,1", "15,15"),
        ("mnk:15x15x5", "1,-1", "1,1", "15,15"),
        ("board:5,k=3,gravity", "2", "1", "1"),
        ("board:1x1,k=1", "12", "11", "11"),
    ],
)
def test_text_that_is_no_move_gets_one_line_with_the_range(name, text, first, last):
    with pytest.raises(InputError) as caught:
        parse_moves(game(name), text)
    message = str(caught.value)
    assert f"from {first} to {last}" in message
    assert ("column" if game(name).gravity else "cell") in message
    assert game(name).name in message
    assert len(message.splitlines()) == 1


@given(st.sampled_from(GAMES), st.text(max_size=12))
@settings(deadline=None, max_examples=200)
def test_any_text_is_moves_or_an_input_error(name, text):
    this = game(name)
    message = ""
    try:
        moves = parse_moves(this, text)
        assert all(0 <= move < this.columns for move in moves)
        assert parse_moves(this, moves_text(this, moves)) == moves
    except InputError as error:
        message = str(error)
    assert len(message.splitlines()) <= 1
