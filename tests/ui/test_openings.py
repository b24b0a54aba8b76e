"""Matches from openings, and matches on one side."""

from __future__ import annotations

import pytest

import inarow
from inarow.game.records import read_records
from inarow.lab.matches.games import Openings, openings_named
from inarow.lab.statistics import pairs_interval, wilson

SAME = ("greedy-lines@cells", "minimax:2")  # which always answer alike


def test_players_who_repeat_one_game_begin_with_openings(answer):
    found = answer("match", "tictactoe", *SAME, "--games", "40")
    assert found["openings"] == "after up to 4 random moves"
    assert not found["repeated"]
    assert (found["as_first"]["games"], found["as_second"]["games"]) == (20, 20)
    assert answer("match", "tictactoe", *SAME, "--games", "40") == found
    asked = answer("match", "tictactoe", *SAME, "--games", "40", "--openings", "0")
    assert (asked["openings"], asked["repeated"]) == (None, True)
    usual = answer("match", "tictactoe", "random", "attack", "--games", "40")
    assert usual["openings"] is None
    matches = answer("arena", "tictactoe", *SAME, "random", "--games", "20")["crosstable"]
    assert matches[SAME[0]][SAME[1]]["games"] == 20


def test_openings_of_a_file_are_played_by_both_sides(answer, tmp_path):
    path, records = tmp_path / "openings.txt", tmp_path / "games.txt"
    path.write_text("# two openings\n11 22\n12\n")
    words = ("match", "tictactoe", "random", "attack", "--openings", str(path), "--games", "8")
    found = answer(*words, "--record", str(records))
    assert found["openings"] == "from 2 openings in turn"
    games = read_records(records)
    assert [game.first for game in games] == 4 * ["random"] + 4 * ["attack"]
    for game, opening in zip(games, 4 * ((0, 4), (1,)), strict=True):
        assert game.moves[: len(opening)] == opening


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no openings"),
        ("99", "is not a move of tictactoe"),
        ("11 21 12 22 13", "opening 1 of"),
        ('[Game "connect4:6x7"]\n[Result "*"]\n\n1. 4 *\n', "is of connect4:6x7"),
    ],
)
def test_openings_that_cannot_be(run, tmp_path, text, said):
    path = tmp_path / "openings.txt"
    path.write_text(text)
    status, _, err = run("match", "tictactoe", "random", "attack", "--openings", str(path))
    assert (status, said in err) == (2, True), err


def test_a_number_of_opening_moves():
    game = inarow.game("tictactoe")
    assert openings_named("0", game) is None
    assert openings_named("2", game) == Openings(2)
    with pytest.raises(inarow.InputError, match="fills the board"):
        openings_named("9", game)


def test_pairs_are_the_sample_of_an_interval():
    assert pairs_interval((2,) * 10) == wilson(10, 20)
    low, high = pairs_interval((4, 0) * 5)
    assert high - low > wilson(10, 20).high - wilson(10, 20).low


def test_one_side_of_a_match(run, answer):
    found = answer("match", "tictactoe", "random", "attack", "--games", "10", "--side", "second")
    assert found["as_second"]["games"] == 10
    assert "as_first" not in found
    exact = answer("match", "tictactoe", "random", "attack", "--side", "first", "--exact")
    assert set(exact) == {"game", "players", "as_first"}
    assert run("match", "tictactoe", "random", "attack", "--side", "left")[0] == 2
    assert run("match", "tictactoe", *SAME, "--side", "first", "--openings", "2")[0] == 2
