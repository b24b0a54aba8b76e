"""The command line: JSON for programs, tables for people, one line for what is wrong."""

import json
import subprocess
import sys

import pytest

from inarow.game import EXAMPLES, FORMS, game
from inarow.lab.players.names import rule_players_for

STARTED = [sys.executable, "-m", "inarow"]


# For programs


@pytest.mark.parametrize(
    ("name", "nodes"),
    [
        ("connect4:6x7", [7, 49, 343, 2401, 16807, 117649, 823536, 5673234]),
        ("cube", [16, 256, 4096, 65536, 1048560, 16775760]),
        ("qubic", [64, 4032, 249984, 15249024]),
    ],
)
def test_perft(answer, name, nodes):
    assert answer("perft", name, str(len(nodes))) == {
        "game": name,
        "depth": len(nodes),
        "nodes": nodes,
    }


def test_perft_stops_with_the_game(answer):
    tictactoe = answer("perft", "tictactoe", "99")
    assert tictactoe["depth"] == 9
    assert tictactoe["nodes"][-1] == 127872


def test_count(answer):
    tictactoe = answer("count", "tictactoe")
    assert tictactoe["positions"] == 5478
    assert tictactoe["by_ply"] == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert tictactoe["up_to_symmetry"] == 765
    assert tictactoe["unfinished_up_to_symmetry"] == 627
    assert tictactoe["value"] == "draw"
    assert tictactoe["complete"] is True
    games = {"total": 255168, "first": 131184, "second": 77904, "draw": 46080}
    assert tictactoe["games"] == games
    connect4 = answer("count", "connect4:4x4")
    assert connect4["positions"] == 161_029
    assert connect4["values"] == {"first": 36_499, "draw": 90_120, "second": 34_410}


def test_count_to_a_ply(answer):
    cube = answer("count", "cube", "--plies", "4")
    assert cube["by_ply"] == [1, 16, 256, 2416, 22576]
    assert cube["complete"] is False
    assert cube["values"] is None


def test_match(answer):
    result = answer("match", "tictactoe", "random", "attack", "--games", "2001", "--seed", "3")
    assert result["game"] == "tictactoe"
    assert result["players"] == ["random", "attack"]
    assert (result["games"], result["seed"]) == (2001, 3)
    assert (result["as_first"]["games"], result["as_second"]["games"]) == (1001, 1000)
    for side in (result, result["as_first"], result["as_second"]):
        assert side["wins"] + side["draws"] + side["losses"] == side["games"]
        assert side["score"] == pytest.approx((side["wins"] + side["draws"] / 2) / side["games"])
        assert set(side["intervals"]) == {"score", "wins", "draws", "losses"}
        assert all(0 <= low <= high <= 1 for low, high in side["intervals"].values())
        assert 5 <= side["mean_plies"] <= 9
        assert side["repeated"] is False
    assert result["score"] < 0.4
    same = answer("match", "tictactoe", "random", "attack", "--games", "2001", "--seed", "3")
    assert same == result
    other = answer("match", "tictactoe", "random", "attack", "--games", "2001", "--seed", "4")
    assert other != result


def test_exact_match(answer):
    result = answer("match", "tictactoe", "random", "random", "--exact")
    assert result == {
        "game": "tictactoe",
        "players": ["random", "random"],
        "as_first": {"win": "737/1260", "draw": "8/63", "loss": "121/420"},
        "as_second": {"win": "121/420", "draw": "8/63", "loss": "737/1260"},
    }


def test_arena(answer):
    result = answer("arena", "tictactoe", "random", "advanced", "attack@cells", "--games", "400")
    assert result["game"] == "tictactoe"
    assert (result["games"], result["seed"]) == (400, 0)
    assert [row["player"] for row in result["ranking"]] == ["advanced", "attack@cells", "random"]
    for row in result["ranking"]:
        assert set(row) == {"player", "rating", "low", "high", "score"}
    table = result["crosstable"]
    for one, row in table.items():
        for other, tally in row.items():
            assert tally["games"] == 400
            assert tally["wins"] == table[other][one]["losses"]


def test_an_arena_of_all_players(answer):
    result = answer("arena", "tictactoe", "--games", "20")
    assert {row["player"] for row in result["ranking"]} == set(rule_players_for(game("tictactoe")))


def test_games(answer):
    listed = answer("games")
    assert listed["forms"] == FORMS
    facts = {game["game"]: game for game in listed["examples"]}
    assert list(facts) == [example.name for example in EXAMPLES]
    assert list(listed["variants"]) == ["wrap", "wrap=AXIS", "misere"]
    assert facts["tictactoe,misere"]["value"] == "draw"
    assert facts["tictactoe"]["lines"] == 8
    assert facts["connect4:6x7"]["lines"] == 69
    assert facts["ntictactoe:3^7"]["lines"] == 37_969
    assert answer("games", "qubic") == {
        "game": "qubic",
        "shape": [4, 4, 4],
        "k": 4,
        "gravity": False,
        "scoring": False,
        "wrap": [],
        "misere": False,
        "cells": 64,
        "moves": 64,
        "lines": 76,
        "symmetries": 192,
    }


def test_bench(answer):
    (row,) = answer("bench", "tictactoe", "--seconds", "0.02")
    assert row["game"] == "tictactoe"
    assert set(row) == {
        "game",
        "games_per_second",
        "nanoseconds_per_move",
        "python_games_per_second",
        "ratio",
    }
    assert all(number > 0 for name, number in row.items() if name != "game")
    assert row["ratio"] > 10


# For people


@pytest.mark.parametrize(
    "arguments",
    [
        "games",
        "games cube",
        "games connect4:4x5,wrap,misere",
        "solve tictactoe,misere",
        "count tictactoe,wrap,misere",
        "games ntictactoe:3^4",
        "games mnk:19x19x5",
        "perft tictactoe 9",
        "count tictactoe",
        "count connect4:6x7 --plies 6",
        "match tictactoe random attack --games 100000",
        "match ntictactoe:3^3 attack-defense@random defense-attack@random --games 100",
        "match tictactoe random attack --games 1",
        "match tictactoe combined attack-defense@cells --exact",
        "arena tictactoe --games 100",
        "arena connect4:6x7 attack-defense@random defense-attack@random random --games 10",
        "bench tictactoe ntictactoe:3^3 --seconds 0.01",
        "--help",
        "match --help",
        "",
    ],
)
def test_output_fits_80_columns(run, arguments):
    status, out, err = run(*arguments.split())
    assert (status, err) == (0, "")
    assert out.strip()
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80


def test_tables_say_the_numbers(run):
    _, out, _ = run("count", "tictactoe")
    for text in ("5,478", "765", "627", "255,168", "131,184", "The game is a draw."):
        assert text in out
    _, out, _ = run("perft", "tictactoe", "9")
    assert "127,872" in out
    _, out, _ = run("match", "tictactoe", "random", "random", "--exact")
    assert "As first: win 737/1260, draw 8/63, loss 121/420." in out
    _, out, _ = run("match", "tictactoe", *2 * ("greedy-lines@cells",), "--openings", "0")
    assert "As first, all 500 games were one and the same." in out
    _, out, _ = run("match", "tictactoe", "random", "attack")
    assert "one and the same" not in out
    assert "as first" in out
    assert "as second" in out
    _, out, _ = run("games", "connect4:6x7")
    assert "42 cells, 69 lines, 2 symmetries" in out
    _, out, _ = run("games", "connect4:6x7,wrap,misere")
    assert "axis 1 wraps around, and whoever completes a line loses." in " ".join(out.split())


# What is wrong


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("games chess", "unknown game 'chess': the games are tictactoe, "),
        ("perft chess 3", "unknown game 'chess'"),
        ("count chess", "unknown game 'chess'"),
        ("match chess random random", "unknown game 'chess'"),
        ("match chess random random --exact", "unknown game 'chess'"),
        ("arena chess", "unknown game 'chess'"),
        ("bench chess", "unknown game 'chess'"),
        ("games [bold]", "unknown game '[bold]'"),
        (
            "games mnk:3x3x4",
            "k=4 does not fit the board 3x3: k must be between 1 and the longest side, 3",
        ),
        ("match mnk:3x3x0 random random", "k=0 does not fit"),
        ("count board:0x3", "a board needs sides of at least 1"),
        ("perft mnk:0x0x1 2", "a board needs sides of at least 1"),
        ("match mnk:100x100x5 random random", "10000 cells: a board must have at most 4096"),
        ("games ntictactoe:3^99", "too large"),
        ("games board:99999x99999", "at most 4096"),
        ("games connect4:3x3", "a side must be 4 or more"),
        ("games tictactoe:4", "write just tictactoe"),
        ("match tictactoe nobody random", "unknown player 'nobody': the players are random, "),
        ("match tictactoe random nobody", "unknown player 'nobody'"),
        ("match tictactoe random nobody --exact", "unknown player 'nobody'"),
        ("match tictactoe random attack@rows", "unknown order '@rows'"),
        ("arena tictactoe random nobody", "unknown player 'nobody'"),
        ("arena tictactoe random", "at least 2 players, not 1"),
        ("arena tictactoe random random", "player 'random' is named twice"),
        ("match tictactoe random random --games 0", "games must be between 1 and"),
        ("match tictactoe random random --games -5", "not -5"),
        ("match tictactoe random random --games 1000000000000000", "games must be between 1 and"),
        ("match tictactoe random random --games many", "--games"),
        ("match tictactoe random random --games 1.5", "--games"),
        ("match tictactoe random random --games", "--games"),
        ("match tictactoe random random --seed -1", "seed -1 is negative"),
        ("match tictactoe random random --seed one", "--seed"),
        ("match tictactoe random@game random --exact", "is not a policy"),
        ("match mnk:15x15x5 random random --exact", "225 cells"),
        ("arena tictactoe random attack --games 0", "games must be between 1 and"),
        ("arena tictactoe random attack --seed -1", "seed -1 is negative"),
        ("perft tictactoe 0", "depth 0 is too small"),
        ("perft tictactoe -1", "depth -1 is too small"),
        ("perft tictactoe three", "Invalid value"),
        ("perft tictactoe 2.5", "Invalid value"),
        ("perft tictactoe 3 4", "unexpected extra argument"),
        ("perft tictactoe 3 --nosuch", "--nosuch"),
        ("count tictactoe --plies -1", "plies must be 0 or more, not -1"),
        ("count tictactoe --plies few", "--plies"),
        ("count mnk:15x15x5", "at most 64 cells"),
        ("bench tictactoe --seconds 0", "seconds must be between 0.01 and 60"),
        ("bench tictactoe --seconds nan", "seconds must be between 0.01 and 60"),
        ("bench tictactoe --seconds soon", "--seconds"),
        ("nosuch", "No such command 'nosuch'"),
        ("--nosuch", "No such option"),
        ("games --nosuch", "No such option"),
        ("match tictactoe random random --nosuch", "No such option"),
        ("perft", "Missing argument"),
        ("perft tictactoe", "Missing argument"),
        ("count", "Missing argument"),
        ("match tictactoe random", "a match takes two players"),
        ("arena", "Missing argument"),
    ],
)
def test_bad_input_is_one_line(run, arguments, says):
    for options in ([], ["--json"]):
        if arguments.endswith(("--games", "nosuch")):
            options = []
        status, out, err = run(*arguments.split(), *options)
        assert status == 2
        assert out == ""
        assert err.startswith("error: ")
        assert err.endswith("\n")
        assert len(err.splitlines()) == 1
        assert says in err


def test_an_interrupt_is_no_traceback(run, monkeypatch):
    def stop(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("inarow.graph.counting.perft", stop)
    status, out, err = run("perft", "tictactoe", "3")
    assert (status, out) == (130, "")
    assert err == "stopped\n"


# As people start it


def test_a_process_of_its_own():
    done = subprocess.run(
        [*STARTED, "count", "tictactoe", "--json"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["up_to_symmetry"] == 765


def test_a_process_that_gets_bad_input():
    done = subprocess.run(
        [*STARTED, "match", "tictactoe", "nobody", "random"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: unknown player 'nobody'")
    assert len(done.stderr.splitlines()) == 1


def test_a_reader_who_leaves_early():
    """`inarow games | head -1` complains about nothing."""
    with subprocess.Popen(
        [*STARTED, "games"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode in (1, 141)
