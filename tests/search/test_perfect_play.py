"""Perfect play in compiled loops: the moves of the player in Python, in games and after them."""

from __future__ import annotations

import numpy as np
import pytest

from inarow.engine.board import PLY, load, new_board
from inarow.engine.contest import Side
from inarow.engine.streams import make_stream
from inarow.engine.tables import tables_of
from inarow.game import InputError, Position
from inarow.game import game as game_of
from inarow.search.perfect import CHOICES, perfect_moves
from inarow.search.perfect_play import PerfectPlayer, compiled_perfect, pack, remembered_moves


def moves_of(player: PerfectPlayer, position: Position) -> list[int]:
    """All moves that the compiled player may choose."""
    tables = tables_of(position.game)
    board = new_board(tables)
    load(tables, board, np.array(position.stones, dtype=np.int8))
    assert board.counters[PLY] == position.ply
    own, mask = (np.uint64(word) for word in pack(tables, board, player.layout))
    found = int(remembered_moves(tables, board, player, own, mask))
    return [column for column in range(tables.columns) if found >> column & 1]


@pytest.mark.parametrize("choice", CHOICES)
def test_games_on_a_small_board_move_by_move(choice: str) -> None:
    """Against replies that are random half of the time, and from both sides."""
    game, random = game_of("connect4:4x5"), np.random.default_rng(1)
    tables, player, stream = tables_of(game), compiled_perfect(game, choice), make_stream(1)
    board, asked, chosen = new_board(tables), 0, set[tuple[int, int]]()
    for number in range(40):
        position = Position(game)
        while position.outcome is None:
            best = perfect_moves(position, choice)
            if position.ply % 2 == number % 2:
                stones = np.array(position.stones, dtype=np.int8)
                move = Side(tables, board, player, stream).choose_in(stones)
                assert move in best
                asked += 1
                chosen.add((len(best), best.index(move)))
            else:
                move = int(random.choice(best if random.random() < 0.5 else position.legal_moves))
            position.push(move)
    assert asked > 200
    if choice == "first":
        assert {place for _, place in chosen} == {0}
    else:
        assert {(3, 0), (3, 1), (3, 2)} <= chosen


def test_the_first_question_of_all_is_a_lost_position() -> None:
    """Nothing is known yet of a game: the second side has lost after a stone in the centre."""
    game = game_of("connect4:6x7")
    assert moves_of(compiled_perfect(game), game.position("4")) == [3]


@pytest.mark.parametrize("moves", ["", "44", "4444", "4453", "435445364", "444444222",
                                   "44444422255", "443265417253", "4432654172533"])  # fmt: skip
def test_moves_in_and_past_the_book(moves: str) -> None:
    position = game_of("connect4:6x7").position(moves)
    player = compiled_perfect(position.game)
    for _ in range(2):  # found, then remembered
        assert moves_of(player, position) == perfect_moves(position, "best")


def test_what_it_cannot_play_is_said() -> None:
    for name in ("tictactoe", "connect4:7x7", "cube"):
        with pytest.raises(InputError, match="perfect cannot play"):
            compiled_perfect(game_of(name))
    with pytest.raises(InputError, match="unknown choice"):
        compiled_perfect(game_of("connect4:4x5"), "worst")


def test_the_memory_of_a_game_does_not_reach_into_the_next() -> None:
    """The value of the last position says nothing of one that did not come from it."""
    game = game_of("connect4:4x5")
    tables, player, stream = tables_of(game), compiled_perfect(game), make_stream(2)
    board = new_board(tables)
    for moves in ("1213", "33", "3", "2", "334", "1", "5", "55", "12345"):
        position = game.position(moves)
        stones = np.array(position.stones, dtype=np.int8)
        move = Side(tables, board, player, stream).choose_in(stones)
        assert move in perfect_moves(position, "best")
