"""The commands `analyse` and `solve` with a budget."""

import pytest

import inarow
from inarow.game.records import record, write_records
from inarow.search.solver import solver_for


def test_analyse_moves(run, answer):
    found = answer("analyse", "tictactoe", "22 12 21")
    assert found["mistakes"] == [2]
    second = found["moves"][1]
    assert (second["value"], second["cost"], second["mark"]) == (-1, 1, "?")
    assert second["best_moves"] == ["11", "13", "31", "33"]
    assert found["ahead"]["value"] == -1
    status, out, err = run("analyse", "tictactoe", "22 12 21")
    assert (status, err) == (0, "")
    assert "a draw becomes a loss; 11, 13, 31, 33 draw" in out
    assert "O to move: loses in 4." in out


def test_analyse_a_file(run, answer, tmp_path):
    game = inarow.game("tictactoe")
    games = [record(game.position(moves), "[/b]", "two") for moves in ("22 12", "22 11 33")]
    write_records(tmp_path / "games.txt", games)
    path = str(tmp_path / "games.txt")
    assert [len(found["moves"]) for found in answer("analyse", path)] == [2, 3]
    assert [len(found["moves"]) for found in answer("analyse", path, "--number", "2")] == [3]
    status, out, _ = run("analyse", path)
    assert status == 0
    assert out.count("[/b] (X) - two (O)") == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tictactoe"], "tictactoe is not a file of game records: give one, or a game"),
        (["tictactoe", "22", "--number", "1"], "--number chooses a game of a file"),
        (["tictactoe", "22 22"], "cell 22 is taken"),
        (["tictactoe", "22", "--seconds", "0"], "the seconds must be above 0"),
        (["nothing", "22"], "unknown game"),
    ],
)
def test_what_does_not_work(run, arguments, said):
    status, out, err = run("analyse", *arguments)
    assert (status, out) == (2, "")
    assert said in err


def test_solve_within_a_budget(run, answer):
    found = answer("solve", "tictactoe", "22 12", "--seconds", "60")
    assert (found["value"], found["stones"]) == (1, 5)
    assert found["moves"]["32"]["value"] == 0
    few = answer("solve", "connect4:7x8", "44", "--nodes", "10")
    assert (few["value"], few["low"], few["high"]) == (None, -1, 1)
    few = answer("solve", "connect4:7x8", "44", "--nodes", "10", "--workers", "2")
    assert (few["value"], few["low"], few["high"]) == (None, -1, 1)
    assert solver_for(inarow.game("connect4:7x8")).workers == 1  # as it was
    status, out, _ = run("solve", "connect4:7x8", "44", "--nodes", "10")
    assert status == 0
    assert "Not solved in time: nothing is known of who wins." in out
    status, out, _ = run("solve", "tictactoe", "--seconds", "60")
    assert "A draw: 11, 12, 13, 21, 22, 23, 31, 32, 33." in out
