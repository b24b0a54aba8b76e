"""Opening books: every score, work stopped and taken up again, and files that are no book."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from inarow.engine.board import GOING_ON
from inarow.game import Game, InputError, Position, game
from inarow.search import opening_book as book_module
from inarow.search import perfect
from inarow.search.opening_book import (
    Book,
    check_book,
    load_book,
    make_book,
    save_book,
    shipped_book,
)
from inarow.search.perfect import solve
from inarow.search.solver import Solver
from inarow.search.stored_positions import key_of, mirrored_key, words_of_key

# In the second a line is complete before the last ply of the book; the last has symmetries that
# the lookup does not know.
BOOKS = [("connect4:4x5", 4), ("board:4x4,k=3,gravity", 6), ("connect4:5x4", 0)]
BOOKS += [("board:2x4,k=3,gravity", 5)]
SMALL = ("connect4:4x4", 4)


@cache
def plain_positions(name: str, ply: int) -> list[str]:
    """Every position that goes on with at most so many stones, mirror images once."""
    this, seen, found = game(name), set(), []
    columns = this.columns

    def visit(position: Position) -> None:
        stones = position.stones
        rows = [stones[i : i + columns] for i in range(0, len(stones), columns)]
        image = tuple(stone for row in rows for stone in reversed(row))
        if position.outcome is not None or stones in seen or image in seen:
            return
        seen.add(stones)
        found.append(position.notation)
        if position.ply < ply:
            for move in position.legal_moves:
                position.push(move)
                visit(position)
                position.pop()

    visit(this.position())
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory):
    """Books, each made once."""
    folder = tmp_path_factory.mktemp("books")

    @cache
    def make(name: str, ply: int) -> Book:
        return make_book(game(name), ply, folder / f"{name[-9:]} {ply}", threads=1)

    return make


def same(one: Book, other: Book) -> bool:
    """Whether two books say the same of the same game, entry by entry."""
    return (
        (one.game, one.ply) == (other.game, other.ply)
        and (one.keys.dtype, one.scores.dtype) == (other.keys.dtype, other.scores.dtype)
        and np.array_equal(one.keys, other.keys)
        and np.array_equal(one.scores, other.scores)
    )


@pytest.mark.parametrize(("name", "ply"), BOOKS)
def test_every_score_is_the_solver_s(made, name: str, ply: int) -> None:
    book, positions = made(name, ply), plain_positions(name, ply)
    assert (book.game, book.ply) == (game(name), ply)
    assert len(book.keys) == len(positions)
    assert (np.diff(book.keys.astype(object)) > 0).all()
    scores = Solver(name).scores(positions)
    for text, score in zip(positions, scores.tolist(), strict=True):
        position = game(name).position(text)
        assert book.find(position) == score, text
        assert book.find(position.transformed(1)) == score, text
    assert ply == 0 or len(set(scores.tolist())) > 1


def test_what_is_not_in_the_book_is_not_found(made) -> None:
    book = made("board:4x4,k=3,gravity", 6)
    assert book.find(book.game.position("112244")) is not None
    assert book.find(book.game.position("1122441")) is None  # a stone too many
    over = book.game.position("11223")
    assert over.outcome is not None
    assert book.find(over) is None


@pytest.mark.parametrize(("name", "ply"), [BOOKS[0], BOOKS[1]])
def test_solving_with_a_book_is_solving_without(made, monkeypatch, name: str, ply: int) -> None:
    monkeypatch.setattr(perfect, "shipped_book", lambda asked: made(name, ply))
    solver = Solver(name)
    for text in random.Random(1).sample(plain_positions(name, ply), 60):
        position = game(name).position(text)
        found, expected = solve(position), solver.solve(position)
        assert (found.score, found.value, found.moves) == (
            expected.score,
            expected.value,
            expected.moves,
        )
        assert position.notation == text
        assert (found.nodes == 0) or position.ply == ply
    with pytest.raises(InputError, match="the game is over"):
        solve(game("board:4x4,k=3,gravity").position("11223"))


# Stopped and taken up again


class Stopped(Exception):  # noqa: N818 - what a person did, not an error
    """Somebody had enough."""


def test_work_that_was_stopped_goes_on_where_it_was(made, monkeypatch, tmp_path) -> None:
    name, ply = SMALL
    work, solved, told = tmp_path / "work", list[int](), list[tuple[int, int]]()
    score_words = Solver.score_words

    def counted(self, owns, every):
        solved.extend(int(own + all_stones) for own, all_stones in zip(owns, every, strict=True))
        return score_words(self, owns, every)

    def stop(done: int, total: int) -> None:
        told.append((done, total))
        raise Stopped

    whole = made(name, ply)
    monkeypatch.setattr(book_module, "CHUNK", 10)
    with pytest.raises(Stopped):
        make_book(game(name), ply, work, threads=1, progress=stop)
    with sqlite3.connect(work) as database:
        kept = {key for (key,) in database.execute("select key from score")}
    database.close()
    ((done, total),) = told
    assert done == len(kept) == 10 < total - 10

    monkeypatch.setattr(Solver, "score_words", counted)
    again = make_book(game(name), ply, work, threads=2, progress=lambda *n: told.append(n))
    assert same(again, whole)
    assert len(solved) == len(set(solved)) == total - 10
    assert told[1:] == [(min(total, n), total) for n in range(20, total + 10, 10)]

    solved.clear()
    assert same(make_book(game(name), ply, work), whole)
    assert solved == []
    paths = [tmp_path / "one", tmp_path / "other"]
    for path, book in zip(paths, (whole, again), strict=True):
        save_book(book, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_a_chunk_that_fails_loses_nothing_before_it(made, monkeypatch, tmp_path) -> None:
    name, ply = SMALL
    score_words, calls = Solver.score_words, list[int]()

    def failing(self, owns, every):
        calls.append(len(owns))
        if len(calls) == 3:
            raise MemoryError
        return score_words(self, owns, every)

    monkeypatch.setattr(book_module, "CHUNK", 10)
    monkeypatch.setattr(Solver, "score_words", failing)
    with pytest.raises(MemoryError):
        make_book(game(name), ply, tmp_path / "work", threads=1)
    told = list[int]()
    again = make_book(game(name), ply, tmp_path / "work", 1, lambda done, total: told.append(done))
    assert told[0] == 30  # two chunks were kept, and the third is solved now
    assert same(again, made(name, ply))


def test_work_on_another_game_is_not_taken_over(tmp_path) -> None:
    make_book(game("connect4:4x4"), 4, tmp_path / "work", threads=1)
    try:
        book = make_book(game("board:4x4,k=3,gravity"), 4, tmp_path / "work", threads=1)
    except InputError:
        return
    solver = Solver(book.game)
    for text in plain_positions("board:4x4,k=3,gravity", 4):
        assert book.find(book.game.position(text)) == solver.score(text)


@pytest.mark.parametrize(
    ("name", "ply", "message"),
    [
        ("cube", 2, "no book for cube: only where stones fall in a plane"),
        ("tictactoe", 2, "no book for tictactoe"),
        ("connect4:4x4", -1, "a book's plies must be between 0 and 15, not -1"),
        ("connect4:4x4", 16, "a book's plies must be between 0 and 15, not 16"),
    ],
)
def test_books_that_do_not_work(tmp_path, name: str, ply: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        make_book(game(name), ply, tmp_path / "work")
    assert str(caught.value).startswith(message)
    assert list(tmp_path.iterdir()) == []


# Files


@pytest.mark.parametrize(("name", "ply"), BOOKS)
def test_a_saved_book_is_read_again(made, tmp_path, name: str, ply: int) -> None:
    path = tmp_path / "a.book"
    save_book(made(name, ply), path)
    assert same(load_book(path), made(name, ply))
    assert list(tmp_path.iterdir()) == [path]


def refused(path: Path) -> None:
    """One clear line that names the file."""
    with pytest.raises(InputError) as caught:
        load_book(path)
    assert str(caught.value) == f"{path} is not an opening book: `inarow book make` writes one"


def test_a_part_of_a_book_is_no_book(made, tmp_path) -> None:
    path = tmp_path / "a.book"
    save_book(made(*SMALL), path)
    whole = path.read_bytes()
    for length in [*range(60), *range(60, len(whole), 7), len(whole) - 1]:
        path.write_bytes(whole[:length])
        refused(path)


def test_a_damaged_book_is_no_book(made, tmp_path) -> None:
    path = tmp_path / "a.book"
    save_book(made(*SMALL), path)
    whole = bytearray(path.read_bytes())
    start = whole.index(b"\n", whole.index(b"\n") + 1) + 1
    for place in [*range(13), *range(start, len(whole), 11)]:
        damaged = whole.copy()
        damaged[place] ^= 0x55
        path.write_bytes(damaged)
        refused(path)


def with_head(made, head: str) -> bytes:
    """A book with another second line."""
    book = made(*SMALL)
    return book_module.MAGIC + head.replace("N", str(len(book.keys))).encode() + b"\n"


@pytest.mark.parametrize(
    "head",
    [
        "",
        "connect4:4x4 4",
        "connect4:4x4 4 N 1",
        "connect4:4x4 4 many",
        "connect4:4x4 4 -1",
        "connect4:4x4 4 7",
        pytest.param(
            "connect4:4x4 four N",
        ),
    ],
)
def test_a_book_with_a_wrong_head_is_no_book(made, tmp_path, head: str) -> None:
    path = tmp_path / "a.book"
    save_book(made(*SMALL), path)
    packed = path.read_bytes().split(b"\n", 2)[2]
    path.write_bytes(with_head(made, head) + packed)
    refused(path)


def test_other_files_are_no_book(tmp_path) -> None:
    refused(tmp_path / "missing.book")
    refused(tmp_path)
    for number, content in enumerate([b"", b"\n\n", b"PNG\n1 2 3\nx", bytes(range(256)) * 20]):
        path = tmp_path / f"{number}.book"
        path.write_bytes(content)
        refused(path)


def test_a_failed_save_leaves_the_old_book(made, monkeypatch, tmp_path) -> None:
    path = tmp_path / "a.book"
    save_book(made(*SMALL), path)
    before = path.read_bytes()

    def fail(aside, target):
        assert aside.parent == tmp_path
        assert target == path
        raise OSError("no room")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", fail)
        with pytest.raises(InputError, match=r"cannot write .*a\.book: no room"):
            save_book(made("connect4:4x5", 4), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    save_book(made("connect4:4x5", 4), path)
    assert load_book(path).game == game("connect4:4x5")


# Checks


def test_a_check_finds_a_wrong_score(made) -> None:
    book, told = made(*SMALL), list[int]()
    size = len(book.keys)
    assert check_book(book, size, 0, lambda: told.append(1)) == 0
    assert len(told) == size
    for place in random.Random(1).sample(range(size), 3):
        scores = book.scores.copy()
        scores[place] += 1
        planted = Book(book.game, book.ply, book.keys, scores)
        assert check_book(planted, size, 0, lambda: None) == 1
    flipped = Book(book.game, book.ply, book.keys, (book.scores + 1).astype(np.int8))
    assert check_book(flipped, 20, 1, lambda: None) == 20
    for sample in (0, -1, size + 1):
        with pytest.raises(
            InputError, match=f"a sample must be between 1 and {size}, not {sample}"
        ):
            check_book(book, sample, 0, lambda: None)


@pytest.mark.parametrize(
    "name", ["connect4:4x5", "connect4:6x7", "connect4:7x8", "board:3x9,k=3,gravity"]
)
def test_a_key_can_be_unpacked(name: str) -> None:
    this, choose, solver = game(name), random.Random(2), Solver(name)
    for _ in range(60):
        position = this.position()
        for _ in range(choose.randrange(this.cells)):
            if position.outcome is None:
                position.push(choose.choice(position.legal_moves))
        key = key_of(position)
        own, every = words_of_key(this, key)
        assert (int(own), int(every)) == solver.pack(position.moves)
        image = key_of(position.transformed(1))
        assert mirrored_key(position.game, key) == image
        assert own.dtype == every.dtype == np.uint64


def test_wrong_threads_are_refused_before_anything_is_enumerated(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(book_module, "_layers", lambda *_: pytest.fail("it enumerates"))
    with pytest.raises(InputError, match="the number of threads must be 1 or more, not 0"):
        make_book(game("connect4:4x4"), 4, tmp_path / "work", threads=0)


# The book that comes with the package

SHIPPED = Path(str(files("inarow.search").joinpath("connect4-6x7.book")))
shipped = pytest.mark.skipif(not SHIPPED.is_file(), reason="no book is shipped here")


def test_no_book_for_other_games() -> None:
    assert shipped_book(game("connect4:5x5")) is None
    assert shipped_book(game("tictactoe")) is None


@shipped
def test_the_shipped_book_answers_the_empty_board() -> None:
    assert SHIPPED.stat().st_size < 2**20
    solution = solve(game("connect4:6x7").position())
    assert (solution.score, solution.value, solution.nodes) == (1, 1, 0)
    assert list(solution.moves.values()) == [-2, -1, 0, 1, 0, -1, -2]


@shipped
def test_the_shipped_book_is_whole() -> None:
    book = shipped_book(game("connect4:6x7"))
    assert book is not None
    layers, _ = book_module._layers(book.game, book.ply)
    going_on = [int(np.count_nonzero(layer.state == GOING_ON)) for layer in layers]
    assert len(book.keys) == sum(going_on)
    assert (book.keys[1:] > book.keys[:-1]).all()
    own_and_every = [words_of_key(book.game, int(key)) for key in book.keys[::50]]
    assert max(int(every).bit_count() for _, every in own_and_every) == book.ply


@shipped
def test_a_sample_of_the_shipped_book_solves_again() -> None:
    book = shipped_book(game("connect4:6x7"))
    assert book is not None
    solver, choose, checked = Solver(book.game, table_bits=22), random.Random(1), 0
    while checked < 10:
        position = book.game.position()
        while position.outcome is None and position.ply < book.ply:
            position.push(choose.choice(position.legal_moves))
        if position.outcome is None:
            assert book.find(position) == solver.score(position), position.notation
            checked += 1


@pytest.mark.parametrize("seed", range(3))
def test_what_the_book_says_of_positions_just_past_it(made, seed: int) -> None:
    book = made(*SMALL)
    solver, chance = Solver(book.game), random.Random(seed)
    tight = 0
    for _ in range(60):
        position = random_position(book.game, book.ply + 1, chance)
        own, every = solver.pack(position.moves)
        score = solver.score(position)
        assert book.least(own, every) <= score
        tight += book.least(own, every) == score
        assert book.least(*solver.pack(position.moves[:-1])) == -book.game.cells
    assert tight > 20


def random_position(game: Game, stones: int, chance: random.Random) -> Position:
    """A position that goes on after so many random moves."""
    while True:
        position = Position(game)
        while position.outcome is None and position.ply < stones:
            position.push(chance.choice(position.legal_moves))
        if position.outcome is None:
            return position


def test_no_book_where_a_key_does_not_fit_the_database(tmp_path):
    with pytest.raises(InputError, match="a plane of 63 bits"):
        make_book(game("board:1x32,k=2,gravity"), 4, tmp_path / "work")


def test_damaged_work_on_a_book_is_one_line(tmp_path) -> None:
    small, work = game("connect4:4x4"), tmp_path / "work"
    make_book(small, 2, work, threads=1)
    with closing(sqlite3.connect(work)) as database, database:
        database.execute("update score set score = 300 where key = (select max(key) from score)")
    with pytest.raises(InputError, match="is damaged: some of its scores cannot be"):
        make_book(small, 2, work, threads=1)
    work.write_bytes(work.read_bytes()[:5000])
    with pytest.raises(InputError, match="cannot hold the work on a book"):
        make_book(small, 2, work, threads=1)


def test_work_on_a_book_that_is_no_text_is_one_line(tmp_path) -> None:
    """SQLite says what it stumbles over, in the bytes of the file."""
    small, work = game("connect4:4x4"), tmp_path / "work"
    make_book(small, 2, work, threads=1)
    content = work.read_bytes()
    assert content.count(b"CREATE TABLE book") == 1
    for byte in (b"\xd4", b"\x92", b"\xff"):
        work.write_bytes(content.replace(b"CREATE TABLE book", b"CREATE " + byte + b"ABLE book"))
        with pytest.raises(InputError, match="cannot hold the work on a book"):
            make_book(small, 2, work, threads=1)
