"""`match --record` and `arena --record`: the games that were counted, in the form of records."""

import json

from inarow.game.records import read_records
from inarow.lab.matches.games import MOST


def count(games, name):
    """Wins, draws and losses of a player, by the records alone."""
    wins = sum(g.result == ("1-0" if g.first == name else "0-1") for g in games)
    draws = sum(g.result == "1/2-1/2" for g in games)
    return wins, draws, len(games) - wins - draws


def test_a_match_is_recorded(run, tmp_path):
    for other in ("attack", "perfect"):  # one that is compiled, and one who needs Python
        file = tmp_path / f"{other}.txt"
        options = ("--games", "11", "--seed", "3", "--record", str(file), "--json")
        status, out, err = run("match", "tictactoe", "random", other, *options)
        assert (status, err) == (0, "")
        found, games = json.loads(out), read_records(file)
        assert count(games, "random") == (found["wins"], found["draws"], found["losses"])
        assert [g.first for g in games] == ["random"] * 6 + [other] * 5
        assert {g.seed for g in games} == {3}


def test_an_arena_is_recorded(run, tmp_path):
    file = tmp_path / "games.txt"
    players = ("random", "perfect", "attack")
    options = ("--games", "4", "--record", str(file), "--json")
    status, out, _ = run("arena", "tictactoe", *players, *options)
    table, games = json.loads(out)["crosstable"], read_records(file)
    assert status == 0
    assert len(games) == 12
    for one in players:
        for other in players:
            if one != other:
                met = [g for g in games if {g.first, g.second} == {one, other}]
                tally = table[one][other]
                assert count(met, one) == (tally["wins"], tally["draws"], tally["losses"])


def test_what_cannot_be_recorded_is_said_before_anything_is_played(run, tmp_path):
    match = ("match", "tictactoe", "random", "attack")
    status, _, err = run(*match, "--games", str(MOST + 1), "--record", str(tmp_path / "x"))
    assert (status, "too many to write down" in err) == (2, True)
    status, _, err = run(*match, "--record", "/proc/nowhere/x")
    assert (status, "cannot write /proc/nowhere/x" in err) == (2, True)
    status, _, err = run(*match, "--exact", "--record", str(tmp_path / "x"))
    assert (status, "--exact plays no games" in err) == (2, True)
    assert list(tmp_path.iterdir()) == []
