"""Books and replies that anybody may have made: nothing but positions reaches a search."""

from __future__ import annotations

import lzma
import random
from pathlib import Path

import numpy as np
import pytest

from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.search.opening_book import MAGIC, Book, check_book, load_book, save_book
from inarow.search.replies import MAGIC as REPLIES
from inarow.search.replies import load_replies
from inarow.search.stored_positions import check_keys, key_of, write_keyed

GAMES = [game_of(name) for name in ("connect4:4x4", "connect4:6x7", "board:3x5,k=3,gravity")]


def random_position(game: Game, chance: random.Random) -> Position:
    position = Position(game)
    for _ in range(chance.randrange(game.cells)):
        if position.outcome is None:
            position.push(chance.choice(position.legal_moves))
    return position


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_positions_pass_and_everything_else_does_not(game):
    chance, height = random.Random(3), game.shape[0] + 1
    positions = [random_position(game, chance) for _ in range(300)]
    known = {key_of(position): position for position in positions}
    keys = np.array(sorted(known), dtype=np.uint64)
    every = check_keys(game, keys)
    for key, stones in zip(keys, every, strict=True):
        position = known[int(key)]
        assert int(stones).bit_count() == position.ply
    wrong = [
        [int(keys[-1]), int(keys[0])],
        [int(keys[1])] * 2,
        [1 << (height * game.columns)],
        [2**64 - 1],
        [(1 << height) - 1],  # a column of more stones than it has room for
        [2],  # a stone of the side to move, and none of the other
    ]
    for given in wrong:
        with pytest.raises(ValueError, match=r"keys|stones"):
            check_keys(game, np.array(given, dtype=np.uint64))


def test_no_key_outside_the_rules_is_taken():
    """Against a plain reading of the layout, for every number of a small board."""
    game = game_of("board:2x3,k=2,gravity")
    for key in range(1 << 9):
        own = every = 0
        sound = True
        for column in range(3):
            part = (key >> (3 * column)) & 7
            stones = (part + 1).bit_length() - 1
            sound = sound and stones <= 2
            every |= ((1 << stones) - 1) << (3 * column)
            own |= (part - ((1 << stones) - 1)) << (3 * column)
        sound = sound and own.bit_count() == every.bit_count() // 2
        try:
            found = int(check_keys(game, np.array([key], dtype=np.uint64))[0])
        except ValueError:
            assert not sound, key
        else:
            assert sound, key
            assert found == every


def test_books_with_adverse_numbers_are_refused(tmp_path: Path):
    game, path = GAMES[0], tmp_path / "some.book"
    keys, scores = np.array([0, 1], dtype=np.uint64), np.zeros(2, dtype=np.int8)
    save_book(Book(game, 1, keys, scores), path)
    assert load_book(path).ply == 1
    adverse = [
        (1, np.array([1, 1]), scores),
        (1, np.array([0, 2**63]), scores),
        (1, np.array([0, 31]), scores),
        (0, keys, scores),
        (-1, keys, scores),
        (16, keys, scores),
        (10**8, keys, scores),
        (1, keys, np.array([0, 9], dtype=np.int8)),
        (1, keys, np.array([-128, 0], dtype=np.int8)),
        (1, keys, np.zeros(3, dtype=np.int8)),
    ]
    for ply, wrong, values in adverse:
        save_book(Book(game, ply, wrong.astype(np.uint64), values), path)
        with pytest.raises(InputError, match="is not an opening book"):
            load_book(path)
    for name in ("tictactoe", "chess", "connect4:99x99", "\x1b[31m"):
        write_keyed(path, MAGIC, f"{name} 1", keys, scores)
        with pytest.raises(InputError, match="is not an opening book"):
            load_book(path)


def test_a_book_of_finished_games_is_wrong(tmp_path: Path):
    game = game_of("connect4:4x4")
    position = game.position("1212121")
    assert position.outcome is not None
    path = tmp_path / "some.book"
    keys = np.array([key_of(position)], dtype=np.uint64)
    save_book(Book(game, 8, keys, np.zeros(1, dtype=np.int8)), path)
    assert check_book(load_book(path), 1, 0, lambda: None) == 1


def test_replies_with_adverse_numbers_are_refused(tmp_path: Path):
    game, path = game_of("connect4:4x4"), tmp_path / "some.replies"
    full = key_of(game.position("1111"))
    keys = np.array([0, full], dtype=np.uint64)
    write_keyed(path, REPLIES, game.name, keys, np.array([1, 2], dtype=np.uint8))
    assert load_replies(path).find(game.position("1111")) == [1]
    for moves in ([0, 2], [1, 1], [16, 2], [1, 255]):
        write_keyed(path, REPLIES, game.name, keys, np.array(moves, dtype=np.uint8))
        with pytest.raises(InputError, match="holds no replies"):
            load_replies(path)
    write_keyed(path, REPLIES, "connect4:4x9", keys, np.array([1, 2], dtype=np.uint8))
    with pytest.raises(InputError, match="holds no replies"):
        load_replies(path)


def test_a_small_file_does_not_unpack_to_a_large_one(tmp_path: Path):
    path = tmp_path / "bomb.book"
    bomb = lzma.compress(bytes(300_000_000), preset=0)
    for size in (2, 10**9, 30_000_000):
        path.write_bytes(MAGIC + f"connect4:4x4 1 {size}\n".encode() + bomb)
        with pytest.raises(InputError, match="is not an opening book"):
            load_book(path)
