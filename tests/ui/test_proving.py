"""The commands `solve`, `certify` and `book`: for programs, for people, and what is wrong."""

import json

import numpy as np
import pytest

from inarow.game import game
from inarow.lab.certificates.certify import certify
from inarow.lab.players.names import rule_players_for
from inarow.search.opening_book import Book, load_book, make_book, save_book
from inarow.search.replies import load_replies
from inarow.search.solver import Solver

# Solve


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        ("connect4:5x5", "3344"),
        ("connect4:6x7", "4444443265555553"),
        ("connect4:6x7", "112233"),
        ("connect4:2x10", "9 10 10 9 3 4 1 2 5 1"),
        ("connect4:4x4", ""),
        ("tictactoe", "11 22"),
    ],
)
def test_solve(answer, name, moves):
    result = answer("solve", name, *([moves] if moves else []))
    solution = Solver(name).solve(game(name).position(moves))
    assert {"score", "value", "moves", "nodes"} <= set(result)
    assert (result["game"], result["position"]) == (name, moves)
    assert (result["score"], result["value"]) == (solution.score, solution.value)
    assert list(result["moves"].values()) == list(solution.moves.values())
    for text, score in zip(result["moves"], solution.moves.values(), strict=True):
        position = game(name).position(moves)
        position.push(text)
        assert solution.moves[position.moves[-1]] == score
    assert result["nodes"] >= 0


def test_solve_for_people(run):
    status, out, err = run("solve", "connect4:6x7", "112233")
    assert (status, err) == (0, "")
    assert "X wins in 1: 4 (score +18)\n" in out
    assert "4: +18" in out
    _, out, _ = run("solve", "connect4:6x7", "22334")
    assert "O loses in 2 at best; longest resistance: 1, 2, 3, 4, 5, 6, 7 (score -18)\n" in out
    _, out, _ = run("solve", "tictactoe")
    assert "A draw: 11, 12, 13, 21, 22, 23, 31, 32, 33 (score 0)\n" in out
    assert "22: 0" in out


# Certify

SOLVER = "certify minimax:2 connect4:5x5 --positions 2 --games 4"


def test_a_proof(answer):
    result = answer("certify", "attack-defense", "tictactoe")
    assert result == json.loads(json.dumps(certify("attack-defense", "tictactoe").as_json()))
    assert result["proven"] is True
    assert result["unbeatable"] is False
    assert set(result["odds"]) == set(rule_players_for(game("tictactoe")))
    assert game("tictactoe").position(result["sides"]["first"]["refutation"]).outcome.winner == 2
    assert answer("certify", "perfect", "tictactoe")["unbeatable"] is True


def test_a_measurement(answer):
    result = answer(*SOLVER.split(), "--seed", "2")
    expected = certify("minimax:2", "connect4:5x5", positions=2, games=4, seed=2)
    assert result == json.loads(json.dumps(expected.as_json()))
    assert (result["proven"], result["measured"], result["seed"]) == (False, "solver", 2)
    assert [side["sampled"]["games"] for side in result["against_perfect"].values()] == [2, 2]


def test_a_search(answer, monkeypatch):
    monkeypatch.setattr("inarow.lab.certificates.by_solver.DEPTHS", (2,))
    result = answer("certify", "random", "cube", "--seed", "1")
    assert (result["proven"], result["measured"], result["seed"]) == (False, "search", 1)
    assert result["games_tried"] == 10
    for loser, line in enumerate(result["refutations"].values(), start=1):
        assert game("cube").position(line).outcome.winner == 3 - loser


@pytest.mark.parametrize(
    "arguments",
    [
        "certify attack-defense tictactoe",
        "certify perfect connect4:4x4",
        "certify random connect4:4x4",
        "certify combined tictactoe",
        "certify minimax:3/0.001s tictactoe",
        SOLVER,
        "certify random board:7x3,k=3,gravity --positions 1 --games 2",
        "certify random cube",
        "certify minimax:2 connect4:9x12",
        "certify minimax:1 ntictactoe:3^5",
        "solve connect4:6x7 4444443265555553",
        "solve tictactoe",
        "certify --help",
        "solve --help",
        "book --help",
        "book make --help",
        "book check --help",
        "book replies --help",
    ],
)
def test_output_fits_80_columns(run, arguments, monkeypatch):
    monkeypatch.setattr("inarow.lab.certificates.by_solver.DEPTHS", (1, 2))
    status, out, err = run(*arguments.split())
    assert (status, err) == (0, "")
    assert out.strip()
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80


def test_people_are_told_what_is_proven(run):
    certificate = certify("attack-defense", "tictactoe")
    _, out, _ = run("certify", "attack-defense", "tictactoe")
    assert out.startswith("attack-defense in tictactoe: proven on all positions.\n")
    for name, side in certificate.sides.items():
        chance = f"a best response beats it in {100 * side.loss_chance:.2f}% of games."
        assert f"As {name}: beaten by {side.refutation}; {chance}" in " ".join(out.split())
        assert f"{side.mistakes_met:,} of {side.met:,} positions met" in out
        assert f"{side.mistakes:,} of all {side.positions:,}." in out
        assert f"may throw away {side.thrown_away:,} of {side.won_met:,} won positions" in out
    assert all(name in out for name in rule_players_for(game("tictactoe")))
    _, out, _ = run("certify", "perfect", "tictactoe")
    for side in ("first", "second"):
        text = f"As {side}: unbeatable: no opponent can beat it, whatever random choices it makes."
        assert text in " ".join(out.split())
    assert "beaten" not in out
    assert "The first such position" not in out
    _, out, _ = run("certify", "random", "board:3x3,k=2")
    assert "The first such position is after " in out


def test_an_observation_is_called_one(run, answer):
    """A search by the clock is no function of the position: each time it got another proof."""
    _, out, _ = run("certify", "minimax:9/0.00012s", "tictactoe")
    words = " ".join(out.split())
    assert words.startswith("minimax:9/0.00012s in tictactoe: observed, not proven: it did not say")
    assert "Asked twice in each of 4,520 positions, it answered alike in " in words
    assert "unbeatable" not in out
    result = answer("certify", "minimax:9/0.00012s", "tictactoe")
    assert (result["proven"], result["unbeatable"]) == (False, None)
    assert result["basis"]["kind"] == "observed"
    assert result["not_beaten_in_observation"] in (True, False)
    board = "board:7x3,k=3,gravity"
    _, out, _ = run("certify", "minimax:2/0.001s", board, "--positions", "1", "--games", "2")
    assert "Exactly" not in out


def test_people_are_told_what_is_measured_or_found(run, monkeypatch):
    monkeypatch.setattr("inarow.lab.certificates.by_solver.DEPTHS", (1,))
    monkeypatch.setattr("inarow.lab.certificates.by_solver.TRIES", 1)
    board = "board:7x3,k=3,gravity"
    _, out, _ = run("certify", "minimax:2", board, "--positions", "2", "--games", "4")
    assert "too large to prove whole; judged by the solver, seed 0." in " ".join(out.split())
    assert out.count("Exactly, every reply of the best distance: a ") == 2
    assert out.count("Exactly, every reply that keeps the value: a ") == 2
    measured = certify("minimax:2", board, positions=2, games=4)
    for traversals in measured.exact.values():
        for traversal in traversals:
            assert f": a {traversal.worst} at worst,\n   {traversal.line}\n" in out
    _, out, _ = run("certify", "random", board, "--positions", "1", "--games", "2")
    assert "Exactly" not in out
    _, out, _ = run("certify", "minimax:4", "cube")
    assert "minimax:4 in cube: not provable here.\n" in out
    assert "As first: no minimax player beat it in the games tried" in out
    assert " 2 games tried, seed 0.\n" in out


# Book


def test_a_book_is_made_and_checked(answer, run, tmp_path):
    path = tmp_path / "small.book"
    made = answer("book", "make", "connect4:4x4", "--ply", "3", "--out", str(path))
    book = load_book(path)
    assert made == {
        "game": "connect4:4x4",
        "ply": 3,
        "positions": len(book.keys),
        "file": str(path),
    }
    assert (book.game, book.ply) == (game("connect4:4x4"), 3)
    assert list(tmp_path.iterdir()) == [path]
    check = ["book", "check", "connect4:4x4", "--file", str(path), "--sample"]
    size = str(len(book.keys))
    assert answer(*check, size) == {
        "game": "connect4:4x4",
        "positions": len(book.keys),
        "ply": 3,
        "checked": len(book.keys),
        "wrong": 0,
    }
    status, out, err = run(*check, "5", "--seed", "3")
    assert (status, err) == (0, "")
    assert out == f"5 of {size} positions solved again: 0 wrong.\n"

    wrong = Book(book.game, book.ply, book.keys, (book.scores - 1).astype(np.int8))
    save_book(wrong, path)
    status, out, err = run(*check, "5")
    assert (status, err) == (1, "")
    assert out == f"5 of {size} positions solved again: 5 wrong.\n"
    assert run(*check, size, "--json")[0] == 1


def test_replies_begin_where_the_shipped_book_ends(answer, run, tmp_path, monkeypatch):
    path = tmp_path / "small.replies"
    small = make_book(game("connect4:4x4"), 2, tmp_path / "work")
    monkeypatch.setattr("inarow.search.opening_book.shipped_book", lambda game: small)
    command = ["book", "replies", "connect4:4x4", "--workers", "1", "--out", str(path)]
    made = answer(*command, "--ply", "3")
    assert made["positions"] == len(load_replies(path).keys) > 0
    status, out, err = run(*command, "--ply", "2")  # what is there is kept
    assert (status, err) == (0, "")
    assert out.endswith(f"small.replies: the best moves of {made['positions']} positions.\n")
    monkeypatch.setattr("inarow.search.opening_book.shipped_book", lambda game: None)
    status, out, err = run(*command)
    assert (status, out) == (2, "")
    assert "no book is shipped for connect4:4x4" in err


def test_a_book_in_the_folder_at_hand(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = run("book", "make", "connect4:4x4", "--ply", "2", "--workers", "1")
    assert (status, err) == (0, "")
    size = len(load_book(tmp_path / "connect4-4x4.book").keys)
    assert out == f"connect4-4x4.book: {size} positions of at most 2 stones.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["connect4-4x4.book"]


def test_a_book_that_was_stopped_goes_on(run, tmp_path, monkeypatch):
    path, calls = tmp_path / "small.book", list[int]()
    score_words = Solver.score_words

    def stop(solver, owns, every):
        calls.append(len(owns))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return score_words(solver, owns, every)

    monkeypatch.setattr("inarow.search.opening_book.CHUNK", 5)
    monkeypatch.setattr(Solver, "score_words", stop)
    make = ["book", "make", "connect4:4x4", "--ply", "3", "--workers", "1", "--out", str(path)]
    status, out, err = run(*make)
    assert (status, out) == (130, "")
    assert err == "stopped\n"
    assert [left.name for left in tmp_path.iterdir()] == ["small.3.partial"]
    before = sum(calls[:2])
    calls[:] = [0] * 3
    assert run(*make)[0] == 0
    assert before == 10
    assert list(tmp_path.iterdir()) == [path]
    assert run("book", "check", "--file", str(path), "--sample", "20")[0] == 0


# What is wrong


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("solve", "Missing argument"),
        ("solve chess", "unknown game 'chess'"),
        ("solve connect4:6x7 1122334", "the game is over (first player wins): there is nothing"),
        ("solve connect4:6x7 11223344", "the game is over (first player wins): no move can"),
        ("solve connect4:6x7 1111111", "column 1 is full: free are 2 3 4 5 6 7"),
        ("solve connect4:6x7 8", "'8' is not a move of connect4:6x7"),
        ("solve connect4:6x7 4a", "'4a' is not a move of connect4:6x7"),
        ("solve tictactoe 1111", "cell 11 is taken"),
        ("solve board:3x3,scoring", "board:3x3,scoring is out of reach: the solver reaches"),
        ("solve connect4:9x12", "connect4:9x12 is out of reach"),
        ("solve connect4:9x12 --workers 2", "connect4:9x12 is out of reach"),
        ("solve cube --workers 2", "workers must be 1 or more, and 1 where stones do not fall"),
        ("solve connect4:5x5 --workers 0", "workers must be 1 or more"),
        ("certify attack", "say in which game"),
        ("certify nobody tictactoe", "unknown player 'nobody': the players are "),
        ("certify attack chess", "unknown game 'chess'"),
        ("certify perfect@ tictactoe", "unknown choice '@': it is one of best, first, value"),
        ("certify attack@game tictactoe", "an order kept for a game is not a policy"),
        ("certify minimax:0 tictactoe", "depth 0 looks at no move"),
        ("certify random connect4:5x5 --games 1", "at least 1 position of each kind and 2 games"),
        ("certify random connect4:5x5 --positions 0", "at least 1 position of each kind"),
        ("certify random connect4:5x5 --seed -1", "seed -1 is negative"),
        ("certify random cube --seed -1", "seed -1 is negative"),
        ("certify random tictactoe --games few", "--games"),
        ("book make cube", "no book for cube"),
        ("book make connect4:4x4 --ply 16", "a book's plies must be between 0 and 15, not 16"),
        ("book make connect4:4x4 --ply -1", "plies must be between 0 and 15, not -1"),
        ("book make chess", "unknown game 'chess'"),
        ("book check connect4:5x5", "no book is shipped for connect4:5x5: name one with --file"),
        (
            "book check --file no.book",
            "no.book is not an opening book: `inarow book make` writes one",
        ),
        ("book burn", "No such command 'burn'"),
        pytest.param(
            "book make connect4:4x4 --ply 2 --out no/such/a.book",
            "no/such",
        ),
        pytest.param(
            "book make connect4:4x4 --ply 2 --workers -1",
            "-1",
        ),
    ],
)
def test_bad_input_is_one_line(run, arguments, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(*arguments.split())
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert err.endswith("\n")
    assert len(err.splitlines()) == 1
    assert says in err
    assert list(tmp_path.iterdir()) == []


def test_a_sample_larger_than_the_book(run, tmp_path):
    path = tmp_path / "small.book"
    run("book", "make", "connect4:4x4", "--ply", "1", "--out", str(path))
    status, out, err = run("book", "check", "--file", str(path), "--sample", "50")
    assert (status, out, err) == (2, "", "error: a sample must be between 1 and 3, not 50\n")
    path.write_bytes(path.read_bytes()[:-9])
    status, out, err = run("book", "check", "--file", str(path), "--sample", "1")
    assert (status, out) == (2, "")
    assert err == f"error: {path} is not an opening book: `inarow book make` writes one\n"
