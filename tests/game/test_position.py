"""Positions: the one check that every game passes by random play, and cases by hand."""

from __future__ import annotations

import itertools
import random
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from inarow.game import Game, InputError, Outcome, Position
from inarow.game import game as make_game
from inarow.game.position import is_compact, move_text, moves_text, parse_moves
from tests.oracle import GAMES, OracleBoard, lines_of, random_game

CALM = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
SEEDS = [1, 2, 3]
RESULTS = {None: None, "first": Outcome.FIRST, "second": Outcome.SECOND, "draw": Outcome.DRAW}

game = cache(make_game)

every_game = pytest.mark.parametrize("name", GAMES)
every_seed = pytest.mark.parametrize("seed", SEEDS)


@cache
def moves_of(name: str, seed: int) -> list[int]:
    return random_game(game(name), seed)


def played(name: str, seed: int, plies: int | None = None) -> Position:
    position = Position(game(name))
    for move in moves_of(name, seed)[:plies]:
        position.push(move)
    return position


def state(position: Position) -> tuple:
    """Everything that a position says of itself."""
    return (
        position.game,
        position.moves,
        position.ply,
        position.to_move,
        position.stones,
        position.score,
        position.outcome,
        position.legal_moves,
        [position.cell_of(move) for move in position.legal_moves],
        position.notation,
    )


def refuses(position: Position, move: object) -> str:
    """Pushes what must be refused with one line and without any change; returns that line."""
    before = state(position)
    with pytest.raises(InputError) as caught:
        position.push(move)
    assert state(position) == before
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    return message


# The shared check


@every_game
@every_seed
def test_each_ply_is_what_the_oracle_says(name, seed):
    position, board = Position(game(name)), OracleBoard(game(name))
    for move in [*moves_of(name, seed), None]:
        assert position.legal_moves == board.legal_moves()
        assert position.stones == tuple(board.stones)
        assert position.score == board.score()
        assert position.outcome is RESULTS[board.result()]
        assert position.to_move == board.to_move()
        assert position.moves == tuple(board.moves)
        assert position.ply == len(board.moves)
        if move is not None:
            landing = position.cell_of(move)
            position.push(move)
            assert board.play(move) == landing
    assert position.outcome is not None


@every_game
@every_seed
def test_pop_restores_everything(name, seed):
    generator = random.Random(seed)
    position, states = Position(game(name)), []
    for move in moves_of(name, seed):
        before = state(position)
        states.append(before)
        tries = 2 if position.ply < 20 else generator.random() < 0.2
        for other in generator.sample(position.legal_moves, min(tries, len(position.legal_moves))):
            position.push(other)
            assert state(position) != before
            assert position.pop() == other
            assert state(position) == before
        position.push(move)
    for move, before in zip(reversed(moves_of(name, seed)), reversed(states), strict=True):
        assert position.pop() == move
        assert state(position) == before
    assert state(position) == state(Position(game(name)))
    with pytest.raises(InputError, match="no move to take back"):
        position.pop()
    assert state(position) == state(Position(game(name)))


@every_game
@every_seed
def test_notation_comes_back(name, seed):
    for plies in (None, 0, 1, len(moves_of(name, seed)) // 2):
        position = played(name, seed, plies)
        reference = game(name).position(position.notation)
        assert reference == position
        assert state(reference) == state(position)


@every_game
@every_seed
def test_symmetries_keep_score_and_outcome_and_have_inverses(name, seed):
    symmetries = game(name).symmetries
    sample = random.Random(seed).sample(range(len(symmetries)), min(8, len(symmetries)))
    for plies in (None, len(moves_of(name, seed)) // 2):
        position = played(name, seed, plies)
        assert state(position.transformed(0)) == state(position)
        for number in sample:
            image = position.transformed(number)
            assert (image.score, image.outcome) == (position.score, position.outcome)
            assert len(image.legal_moves) == len(position.legal_moves)
            for cell, stone in enumerate(position.stones):
                assert image.stones[symmetries[number][cell]] == stone
            inverse = np.flatnonzero((symmetries == np.argsort(symmetries[number])).all(axis=1))
            assert len(inverse) == 1
            assert state(image.transformed(int(inverse[0]))) == state(position)


@every_game
def test_a_copy_goes_its_own_way(name):
    position = played(name, 1, len(moves_of(name, 1)) // 2)
    before, reference = state(position), position.copy()
    assert reference == position
    assert state(reference) == before
    reference.push(reference.legal_moves[0])
    assert reference != position
    assert state(position) == before
    reference.pop()
    assert state(reference) == before
    if position.ply:
        position.pop()
        assert state(reference) == before
    finished = played(name, 1)
    assert state(finished.copy()) == state(finished)


@every_game
@every_seed
def test_illegal_moves_are_refused_all_through_a_game(name, seed):
    position = Position(game(name))
    columns = game(name).columns
    generator = random.Random(seed)
    for move in moves_of(name, seed):
        if position.ply > 20 and generator.random() > 0.1:
            position.push(move)
            continue
        barred = sorted(set(range(columns)) - set(position.legal_moves))
        for wrong in generator.sample(barred, min(2, len(barred))):
            assert ("full" if game(name).gravity else "taken") in refuses(position, wrong)
        for wrong in (-1, columns):
            assert f"count from 0 to {columns - 1}" in refuses(position, wrong)
        position.push(move)
    for wrong in {0, columns - 1, -columns, 10**30}:
        assert "over" in refuses(position, wrong)
    assert "over" in refuses(position, move_text(game(name), 0))


@every_game
def test_text_that_is_no_move_is_refused(name):
    position = played(name, 1, len(moves_of(name, 1)) // 2)
    for wrong in ("x", "0", "-1", "9999", ",", "\N{FULLWIDTH DIGIT ONE}"):
        assert "write a" in refuses(position, wrong)
    for wrong in ("", " "):
        refuses(position, wrong)


@every_game
@every_seed
def test_scores_add_up_to_the_lines_on_the_board(name, seed):
    position = played(name, seed)
    complete = [
        line
        for line in lines_of(position.game.shape, position.game.k, position.game.wrap)
        if len({position.stones[cell] for cell in line}) == 1 and position.stones[line[0]]
    ]
    assert sum(position.score) == len(complete)
    for player in (1, 2):
        owned = [line for line in complete if position.stones[line[0]] == player]
        assert position.score[player - 1] == len(owned)


@pytest.mark.parametrize("name", [name for name in GAMES if not game(name).gravity])
@every_seed
def test_equality_ignores_the_order_of_moves(name, seed):
    half = (len(moves_of(name, seed)) - 1) // 2 // 2 * 2
    position, other = played(name, seed, half), Position(game(name))
    first, second = position.moves[0::2], position.moves[1::2]
    for pair in zip(reversed(first), reversed(second), strict=True):
        for move in pair:
            other.push(move)
    assert other == position
    assert other.stones == position.stones
    if len(first) > 1:
        assert other.moves != position.moves
    other.push(other.legal_moves[0])
    assert other != position


def test_the_games_of_the_check_end_in_every_way():
    """The shared check would see too little if random play never came here."""
    seen = {(game(name).scoring, played(name, seed).outcome) for name in GAMES for seed in SEEDS}
    assert seen == set(itertools.product([False, True], Outcome))
    doubles = [played(name, seed).score for name in GAMES for seed in SEEDS]
    assert any(max(score) > 1 for score in doubles)


# Any small game


@st.composite
def finished_games(draw: st.DrawFn) -> Position:
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
    k = draw(st.integers(1, max(shape)))
    gravity, scoring = draw(st.booleans()), draw(st.booleans())
    axes = range(1 if gravity else 0, len(shape))
    wrap = tuple(axis for axis in axes if draw(st.booleans()))
    misere = not scoring and draw(st.booleans())
    this = Game(shape, k, gravity, scoring, wrap, misere)
    assume(this.cells <= 36)
    generator, position = draw(st.randoms(use_true_random=False)), Position(this)
    while position.outcome is None:
        position.push(generator.choice(position.legal_moves))
    return position


@given(finished_games())
@settings(CALM, max_examples=150)
def test_laws_of_a_finished_game(position):
    this, (first, second) = position.game, position.score
    assert position.stones.count(1) + position.stones.count(2) == position.ply
    assert position.stones.count(1) - position.stones.count(2) == position.ply % 2
    assert position.legal_moves == []
    full = 0 not in position.stones
    if this.gravity:
        for cell in range(this.columns, this.cells):
            assert not position.stones[cell] or position.stones[cell - this.columns]
    if this.scoring:
        assert full
        sign = (first > second) - (first < second)
        assert position.outcome is [Outcome.DRAW, Outcome.FIRST, Outcome.SECOND][sign]
    elif position.outcome is Outcome.DRAW:
        assert full
        assert (first, second) == (0, 0)
    else:
        mover = 2 - position.ply % 2  # nobody completes a line by the other's move
        assert position.score[mover - 1] > 0
        assert position.score[2 - mover] == 0
        assert position.outcome.winner == (3 - mover if this.misere else mover)


@given(finished_games())
@settings(CALM, max_examples=100)
def test_any_game_agrees_with_the_oracle_and_comes_back(position):
    board = OracleBoard(position.game)
    for ply, move in enumerate(position.moves):
        assert move in board.legal_moves(), f"at ply {ply}"
        board.play(move)
    assert tuple(board.stones) == position.stones
    assert board.score() == position.score
    assert RESULTS[board.result()] is position.outcome
    assert state(position.game.position(position.notation)) == state(position)
    while position.ply:
        position.pop()
    assert state(position) == state(Position(position.game))


# By hand


@pytest.mark.parametrize(
    ("name", "moves", "outcome", "score"),
    [
        ("tictactoe", "11 22 12 33 13", Outcome.FIRST, (1, 0)),
        ("tictactoe", "11 31 12 32 23 33", Outcome.SECOND, (0, 1)),
        ("tictactoe", "11 12 13 22 21 23 32 31 33", Outcome.DRAW, (0, 0)),
        ("tictactoe", "11 12 13 22 21 23 32 31", None, (0, 0)),
        ("tictactoe", "13 11 22 12 31", Outcome.FIRST, (1, 0)),
        ("connect4:6x7", "1212121", Outcome.FIRST, (1, 0)),
        ("connect4:6x7", "7121212", None, (0, 0)),
        ("connect4:6x7", "71212121", Outcome.SECOND, (0, 1)),
        ("connect4:6x7", "712233434464", Outcome.SECOND, (0, 1)),
        ("connect4:6x7", "12233434474", Outcome.FIRST, (1, 0)),
        ("board:3x3,k=1", "22", Outcome.FIRST, (1, 0)),
        ("board:5,k=3,gravity", "11111", Outcome.DRAW, (0, 0)),
        ("board:7,k=4", "1526374", Outcome.FIRST, (1, 0)),
        ("board:1x1,k=1", "11", Outcome.FIRST, (1, 0)),
        ("tictactoe,misere", "11 22 12 33 13", Outcome.SECOND, (1, 0)),
        ("tictactoe,misere", "11 31 12 32 23 33", Outcome.FIRST, (0, 1)),
        ("tictactoe,misere", "11 12 13 22 21 23 32 31 33", Outcome.DRAW, (0, 0)),
        ("tictactoe,wrap", "12 11 23 22 31", Outcome.FIRST, (1, 0)),
        ("tictactoe", "12 11 23 22 31", None, (0, 0)),
        ("connect4:6x7,wrap", "6677112", Outcome.FIRST, (1, 0)),
        ("connect4:6x7", "6677112", None, (0, 0)),
        ("connect4:6x7,wrap", "1122667", Outcome.FIRST, (1, 0)),
        ("board:3x3,k=1,misere", "22", Outcome.SECOND, (1, 0)),
    ],
)
def test_games_that_end_as_known(name, moves, outcome, score):
    position = game(name).position(moves)
    assert position.outcome is outcome
    assert position.score == score


@pytest.mark.parametrize(
    ("name", "moves", "outcome", "score"),
    [
        # A row and a column at once, with the stone that also fills the board.
        ("tictactoe", "12 22 13 23 21 32 31 33 11", Outcome.FIRST, (2, 0)),
        # The same by the second player, on a board with room left.
        ("mnk:5x5x3", "55 12 54 13 34 21 42 31 25 11", Outcome.SECOND, (0, 2)),
        # Both diagonals at once.
        ("tictactoe", "11 12 13 21 31 23 33 32 22", Outcome.FIRST, (2, 0)),
        # A stone between two pairs makes five in a row: three lines of three.
        ("mnk:5x5x3", "11 51 12 53 14 42 15 34 13", Outcome.FIRST, (3, 0)),
    ],
)
def test_a_move_that_makes_several_lines_counts_them_all(name, moves, outcome, score):
    position = game(name).position(moves)
    assert position.outcome is outcome
    assert position.score == score
    position.pop()
    assert position.outcome is None
    assert position.score == (0, 0)


def test_counting_goes_on_after_the_first_line():
    position = game("board:3x4,k=3,scoring").position("11 21 12 22 13 23")
    assert position.score == (1, 1)
    assert position.outcome is None
    position.push_text("14")
    assert position.score == (2, 1)
    position.push_text("24")
    assert position.score == (2, 2)
    position.push_text("31 32 33 34")
    assert position.ply == 12
    assert position.score == (2, 2)
    assert position.outcome is Outcome.DRAW


def test_a_draw_is_an_outcome_and_not_the_lack_of_one():
    assert Position(game("tictactoe")).outcome is None
    drawn = game("tictactoe").position("11 12 13 22 21 23 32 31 33")
    assert drawn.outcome is Outcome.DRAW
    assert drawn.outcome
    assert drawn.outcome.winner is None
    assert drawn.legal_moves == []
    assert [outcome.winner for outcome in Outcome] == [1, 2, None]
    assert len({str(outcome) for outcome in Outcome}) == 3


def test_equality_with_gravity_and_with_other_things():
    connect4 = game("connect4:6x7")
    assert connect4.position("1234") == connect4.position("3412")
    assert connect4.position("1234") != connect4.position("2143")
    assert connect4.position("11") != connect4.position("1")
    assert connect4.position("") != game("connect4:4x4").position("")
    assert game("qubic").position("") != game("ntictactoe:4^3").position("")
    assert connect4.position("") != "connect4:6x7"
    with pytest.raises(TypeError):
        hash(connect4.position(""))


@pytest.mark.parametrize(
    ("name", "depth", "nodes"),
    [
        ("tictactoe", 5, [9, 72, 504, 3024, 15120]),
        ("connect4:6x7", 4, [7, 49, 343, 2401]),
        ("cube", 2, [16, 256]),
        ("qubic", 2, [64, 4032]),
    ],
)
def test_number_of_move_sequences_is_the_known_one(name, depth, nodes):
    counted = [0] * depth
    position = Position(game(name))

    def walk(level: int) -> None:
        for move in position.legal_moves:
            counted[level] += 1
            if level + 1 < depth:
                position.push(move)
                walk(level + 1)
                position.pop()

    walk(0)
    assert counted == nodes


def test_a_full_column_names_those_with_room():
    position = game("connect4:6x7").position("444444")
    message = refuses(position, 3)
    assert message == refuses(position, "4")
    assert "column 4 is full" in message
    assert "1 2 3 5 6 7" in message


def test_a_taken_cell_names_those_that_are_free():
    message = refuses(game("tictactoe").position("22 11"), "22")
    assert "cell 22 is taken" in message
    assert "12 13 21 23 31 32 33" in message


def test_a_sequence_with_a_wrong_move_plays_nothing():
    for wrong in ("44444445", "4x", "1212121 1", "48", "444444 4"):
        position = game("connect4:6x7").position("1")
        position.pop()
        before = state(position)
        with pytest.raises(InputError) as caught:
            position.push_text(wrong)
        assert state(position) == before
        assert len(str(caught.value).splitlines()) == 1
        with pytest.raises(InputError):
            game("connect4:6x7").position(wrong)
    position = game("connect4:6x7").position("44")
    with pytest.raises(InputError):
        position.push_text("1 2 3 4 4 4 4 4")
    assert position.notation == "44"


def test_several_moves_are_not_one():
    assert "push_text" in refuses(Position(game("connect4:6x7")), "44")
    assert "push_text" in refuses(Position(game("tictactoe")), "2211")


def test_moves_on_several_lines_are_refused_in_one():
    refuses(Position(game("connect4:6x7")), "4\n4")


@pytest.mark.parametrize(
    "wrong", [1.0, 1.5, None, [1], b"11", object(), np.float64(1), np.True_, np.array([1])]
)
@pytest.mark.parametrize("name", ["tictactoe", "connect4:6x7"])
def test_what_is_neither_number_nor_text_changes_nothing(name, wrong):
    position = game(name).position("")
    before = state(position)
    with pytest.raises((InputError, TypeError)):
        position.push(wrong)
    assert state(position) == before


@pytest.mark.parametrize("name", ["tictactoe", "connect4:6x7", "cube"])
def test_true_is_no_move(name):
    position = game(name).position("")
    before = state(position)
    with pytest.raises((InputError, TypeError)):
        position.push(True)
    assert state(position) == before


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.intp, np.uint8])
@pytest.mark.parametrize("name", ["tictactoe", "connect4:6x7", "cube"])
def test_whole_numbers_of_numpy_are_moves(name, kind):
    position, reference = game(name).position(""), game(name).position("")
    for move in (3, 5, 1):
        position.push(kind(move))
        reference.push(move)
    assert state(position) == state(reference)
    assert [position.pop() for _ in range(3)] == [1, 5, 3]
    assert state(position) == state(game(name).position(""))


def test_narrow_whole_numbers_of_numpy_land_where_they_should():
    position = game("connect4:12x50").position("11 11 11 11 11")
    with np.errstate(over="ignore"):
        position.push(np.uint8(10))
    assert position.stones[5 * 50 + 10] == 2
    assert position.stones[4] == 0


def test_moves_are_plain_numbers_however_they_were_pushed():
    position = game("tictactoe").position("")
    position.push(np.int64(4))
    assert type(position.moves[0]) is int


def test_moves_are_text():
    for moves in ([0, 4], 3, None):
        with pytest.raises(InputError, match=r"^moves must be text, as in '1 2 1', not "):
            make_game("tictactoe").position(moves)


# Moves as text: every move and every sequence comes back, and other text is told what is right.


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
