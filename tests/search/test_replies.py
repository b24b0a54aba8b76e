"""Replies past the book: right ones, all that perfect play meets, the same on any machine."""

from itertools import pairwise

import numpy as np
import pytest

import inarow
from inarow.search import perfect, replies
from inarow.search.opening_book import make_book
from inarow.search.perfect import kept_moves
from inarow.search.replies import Replies, load_replies, make_replies, save_replies, shipped_replies
from inarow.search.solver import Solver
from inarow.search.stored_positions import lower_key

GAME = inarow.game("connect4:4x5")
SOLVER = Solver(GAME)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    return make_book(GAME, 3, tmp_path_factory.mktemp("book") / "work")


@pytest.fixture(scope="module")
def all_replies(book):
    return list(make_replies(book, 5))


def best(position):
    return kept_moves(SOLVER.solve(position).moves, "best")


def walk(position, side, plies):
    """Every position with perfect play to move, that anybody can bring about against it."""
    if position.outcome is not None or position.ply > plies:
        return
    if position.ply % 2 == side:
        yield position.copy()
        moves = best(position)
    else:
        moves = position.legal_moves
    for move in moves:
        position.push(move)
        yield from walk(position, side, plies)
        position.pop()


def test_every_position_that_perfect_play_meets_has_its_best_moves(all_replies):
    assert len(all_replies) == 3  # for three, four and five stones
    met = [p for side in (0, 1) for p in walk(GAME.position(), side, 5) if p.ply >= 3]
    keys = {lower_key(position)[0] for position in met}
    assert set(all_replies[-1].keys.tolist()) == keys
    for position in met:
        assert all_replies[-1].find(position) == best(position), position.notation


def test_an_earlier_answer_is_part_of_the_next(all_replies):
    for fewer, more in pairwise(all_replies):
        assert set(fewer.keys.tolist()) < set(more.keys.tolist())


def test_what_nobody_can_bring_about_is_not_there(all_replies):
    lost = next(
        p
        for moves in ("15511", "55111", "11555")
        if all_replies[-1].find(p := GAME.position(moves)) is None
    )
    assert lost.outcome is None


def test_the_same_with_any_number_of_processes(book):
    (one,), (two,) = (list(make_replies(book, 3, processes)) for processes in (1, 2))
    assert len(one.keys) > 0
    assert np.array_equal(one.keys, two.keys)
    assert np.array_equal(one.moves, two.moves)


def test_taken_up_again(book, all_replies, monkeypatch):
    """After any stop, also one in the middle of a ply: nothing known is solved or lost again."""
    monkeypatch.setattr(replies, "OFTEN", 10)
    monkeypatch.setattr(replies, "CHUNK", 8)
    whole, parts = all_replies[-1], list(make_replies(book, 5))
    assert len(parts) > 10
    asked = list[int]()
    solve = replies._answer_chunk

    def count(book, chunk):
        asked.append(sum(len(moves) >= book.ply for moves in chunk))
        return solve(book, chunk)

    monkeypatch.setattr(replies, "_answer_chunk", count)
    for known in (parts[3], parts[-3], whole):
        asked.clear()
        again = list(make_replies(book, 5, known=known))
        assert sum(asked) == len(whole.keys) - len(known.keys)
        assert all(set(known.keys.tolist()) <= set(part.keys.tolist()) for part in again)
        assert np.array_equal(again[-1].keys, whole.keys)
        assert np.array_equal(again[-1].moves, whole.moves)


def test_replies_of_another_game_are_not_taken_up(book):
    other = Replies(inarow.game("connect4:5x5"), np.zeros(0, np.uint64), np.zeros(0, np.uint8))
    with pytest.raises(inarow.InputError, match="of connect4:5x5, not of"):
        next(make_replies(book, 5, known=other))


def test_saved_and_read_again(all_replies, tmp_path):
    save_replies(all_replies[-1], tmp_path / "some.replies")
    again = load_replies(tmp_path / "some.replies")
    assert again.game == GAME
    assert np.array_equal(again.keys, all_replies[-1].keys)
    assert np.array_equal(again.moves, all_replies[-1].moves)


@pytest.mark.parametrize("content", [b"", b"inarow replies 1\nconnect4:4x5 3\nxx", b"\xff\n\n\n"])
def test_a_bad_file_is_one_line(tmp_path, content):
    path = tmp_path / "bad.replies"
    path.write_bytes(content)
    with pytest.raises(inarow.InputError, match="holds no replies"):
        load_replies(path)


@pytest.mark.parametrize(("last", "words"), [(2, "from 3"), (20, "to 19")])
def test_plies_that_do_not_work(book, last, words):
    with pytest.raises(inarow.InputError, match=words):
        next(make_replies(book, last))


def test_perfect_play_takes_what_is_there(monkeypatch):
    game = inarow.game("connect4:6x7")
    position = game.position("4444443333")  # past the book
    key, mirrored = lower_key(position)
    assert not mirrored
    told = Replies(game, np.array([key], dtype=np.uint64), np.array([0b0100001], dtype=np.uint8))
    monkeypatch.setattr(perfect, "shipped_replies", lambda game: told)
    assert perfect.perfect_moves(position, "best") == [0, 5]
    assert perfect.perfect_moves(position, "first") == [0]
    image = game.position("4444445555")
    assert perfect.perfect_moves(image, "best") == [1, 6]


def test_the_shipped_file_holds_best_moves():
    game = inarow.game("connect4:6x7")
    shipped = shipped_replies(game)
    if shipped is None:
        pytest.skip("no replies are shipped")
    assert len(shipped.keys) > 900_000
    solver = Solver(game)
    chosen = np.random.default_rng(1).choice(len(shipped.keys), 3, replace=False)
    for place in chosen:
        position = position_of(game, int(shipped.keys[place]))
        assert shipped.find(position) == kept_moves(solver.solve(position).moves, "best")


def position_of(game, key):
    """Some way to bring about the position of a key; stones of a column lie below a leading one."""
    height, columns = game.shape[0] + 1, []
    total = 0
    for column in range(game.columns):
        part = (key >> (column * height)) & ((1 << height) - 1)
        number = (part + 1).bit_length() - 1
        own = part - ((1 << number) - 1)
        columns.append([own >> row & 1 for row in range(number)])
        total += number
    return order_of(game.position(), [list(c) for c in columns], total)


def order_of(position, columns, total):
    """Plays the stones of the columns in turn; whoever moves in the end owns the ones."""
    if position.ply == total:
        return position
    mine = (total - position.ply) % 2 == 0  # whether the stone is one of the side to move later
    for column, stones in enumerate(columns):
        placed = sum(1 for move in position.moves if move == column)
        if placed < len(stones) and stones[placed] == mine:
            position.push(column)
            if position.outcome is None:
                found = order_of(position, columns, total)
                if found is not None:
                    return found
            position.pop()
    return None
