"""The commands for stored strategies, and `solve` where only the winner is known."""

import pytest

from inarow.game import game
from inarow.search.decided import STRATEGY
from inarow.search.strategy import load_strategy, save_strategy, shipped_strategy

SMALL = "mnk:6x5x4"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("strategy") / "small.strategy"


def test_a_strategy_is_made_and_checked(answer, run, file):
    made = answer("book", "make", SMALL, "--out", str(file))
    stored = load_strategy(file)
    assert stored.game == game(SMALL)
    assert made["positions"] == len(stored.moves)
    assert made["bytes"] == file.stat().st_size
    assert made["visits"] > 0
    assert made["threat_nodes"] > 0
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    checked = answer("book", "check", SMALL, "--file", str(file))
    assert (checked["game"], checked["proven"]) == (SMALL, True)
    assert checked["positions"] == made["positions"]
    status, out, err = run("book", "check", SMALL, "--file", str(file))
    assert (status, err) == (0, "")
    assert out.startswith(f"Proven: the first player wins {SMALL} against every defence.\n")


def test_a_strategy_that_does_not_win_is_refused(run, file):
    stored = load_strategy(file)
    stored.moves[0] = 0  # a corner
    bad = file.with_name("bad.strategy")
    save_strategy(stored, bad)
    status, out, err = run("book", "check", SMALL, "--file", str(bad))
    assert status != 0
    assert out == ""
    assert "move 0 is not shown to win" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "qubic", "--file", "FILE"], "is a strategy for mnk:6x5x4, not for qubic"),
        (["check", SMALL, "--file", "no.strategy"], "no.strategy is not a strategy"),
        (["check", SMALL], "no strategy is shipped for mnk:6x5x4: name one with --file"),
        (["make", "tictactoe"], "no strategy for tictactoe: the first player does not win it"),
        (["make", "mnk:15x15x5"], "no book for mnk:15x15x5"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(run, file, arguments, message):
    status, out, err = run("book", *(str(file) if a == "FILE" else a for a in arguments))
    assert status != 0
    assert out == ""
    assert message in err
    assert len(err.splitlines()) == 1


def test_qubic_is_solved_from_the_strategy(answer, run):
    move = shipped_strategy(game("qubic")).find(0, 0)
    text = game("qubic").position().copy()
    text.push(move)
    assert answer("solve", "qubic") == {
        "game": "qubic",
        "position": "",
        "score": None,
        "value": 1,
        "best": [text.notation],
        "basis": STRATEGY,
    }
    status, out, err = run("solve", "qubic", text.notation)
    assert (status, err) == (0, "")
    assert out.endswith("The first player wins, by the stored strategy. How fast is not known.\n")


def test_a_small_book_is_checked_whole(answer, run, tmp_path):
    """The usual sample is larger than the book."""
    path = str(tmp_path / "small.book")
    assert run("book", "make", "connect4:4x4", "--ply", "2", "--out", path)[0] == 0
    found = answer("book", "check", path)
    assert found["checked"] == found["positions"] < 50
    assert found["wrong"] == 0
    status, _, err = run("book", "check", path, "--sample", "60")
    assert status == 2
    assert "a sample must be between 1 and" in err
