"""Positions that are not solved: what is known of them is shown; and books of a person's own."""

from __future__ import annotations

import pytest

import inarow
from inarow.game.names import published_value
from inarow.search import opening_book as books
from inarow.search import perfect
from inarow.search.solver import Solver, solver_for
from inarow.ui import play as play_command
from inarow.ui import solving

LARGE = "connect4:8x8"


@pytest.fixture
def soon(monkeypatch):
    """What takes minutes is given up at once."""
    monkeypatch.setattr(solving, "FIRST_NODES", 1000)
    monkeypatch.setattr(solving, "FIRST_SECONDS", 0.1)
    monkeypatch.setattr(solving, "LAST_SECONDS", 0.1)
    monkeypatch.setattr(solving, "LINE", 2)
    monkeypatch.setattr(solver_for(inarow.game(LARGE)), "limit", 2000)


@pytest.mark.usefixtures("soon")
def test_what_is_known_is_shown_when_a_search_is_given_up(run):
    status, out, err = run("solve", LARGE)
    assert status == 2
    assert "not solved within 2,000 nodes" in err
    assert "nothing is known of who wins" in out
    assert "Perhaps, by a search that looks a few moves ahead: 4" in out
    assert "Published: the second player wins (source: John Tromp" in out
    assert "Published" not in run("solve", LARGE, "44")[1]


@pytest.mark.usefixtures("soon")
def test_ctrl_c_shows_what_is_known(run, monkeypatch):
    asked = []

    def solve(position):
        if asked:
            raise KeyboardInterrupt
        asked.append(position)
        raise perfect.NotSolved("given up")

    monkeypatch.setattr(perfect, "solve_or_decide", solve)
    status, out, _ = run("solve", LARGE)
    assert status == 130
    assert "nothing is known of who wins" in out
    assert "Published: the second player wins" in out


def test_nodes_are_told_from_the_first_second():
    told, solver = [], Solver(LARGE, limit=1_000_000)
    solver.progress = told.append
    with pytest.raises(inarow.InputError):
        solver.score("")
    assert told[0] <= 200_000


def test_published_values_have_sources():
    for name, value in {LARGE: "second", "connect4": "first", "qubic": "first"}.items():
        known = published_value(inarow.game(name))
        assert known is not None
        assert known.value == value
        assert known.source
    for name in ("cube", "connect4:8x9", "connect4:6x7,wrap", "mnk:9x9x5"):
        assert published_value(inarow.game(name)) is None


def test_a_game_that_perfect_cannot_begin_is_not_watched(run, monkeypatch):
    monkeypatch.setattr(play_command, "WATCH_SECONDS", 0.2)
    status, out, err = run("play", LARGE, "--watch", "perfect", "random")
    assert (status, out) == (2, "")
    assert f"perfect finds no move of {LARGE} soon" in err


@pytest.fixture
def small(monkeypatch, tmp_path, run):
    """A book of a person's own, of a game without a shipped one."""
    monkeypatch.setattr(books, "_in_use", {})
    path = tmp_path / "small.book"
    assert run("book", "make", "connect4:4x4", "--ply", "2", "--out", str(path))[0] == 0
    return path


def test_books_are_used_and_checked(run, answer, small):
    whole = answer("solve", "connect4:4x4")
    assert whole["nodes"] > 0
    found = answer("solve", "connect4:4x4", "--book", str(small))
    assert found["nodes"] == 0
    assert found["moves"] == whole["moves"]
    for words in (
        ("match", "connect4:4x4", "perfect", "random", "--games", "2"),
        ("arena", "connect4:4x4", "perfect", "random", "--games", "2"),
        ("play", "connect4:4x4", "--watch", "perfect", "perfect"),
        ("analyse", "connect4:4x4", "12"),
    ):
        books._in_use.clear()
        assert run(*words, "--book", str(small))[0] == 0
        assert books._in_use
    assert answer("book", "check", str(small), "--sample", "4")["wrong"] == 0
    status, _, err = run("solve", "connect4:4x5", "--book", str(small))
    assert (status, "is a book of connect4:4x4, not of connect4:4x5" in err) == (2, True)


def test_a_book_that_is_not_whole_gives_no_answer(run, small):
    held = books.load_book(small)
    books.save_book(books.Book(held.game, held.ply, held.keys[:2], held.scores[:2]), small)
    status, _, err = run("solve", "connect4:4x4", "--book", str(small))
    assert (status, "is not whole" in err) == (2, True)


def test_a_wrong_book_is_found(run, small):
    held = books.load_book(small)
    books.save_book(books.Book(held.game, held.ply, held.keys, 1 - abs(held.scores)), small)
    assert run("book", "check", str(small), "--sample", str(len(held.keys)))[0] == 1
