"""What people stumbled over: each of these did something else once."""

import io
import shlex
import subprocess
import sys

import pytest

import inarow
from inarow.graph.counting import positions_at_least
from inarow.lab.matches import match as match_module
from inarow.learn.registry import learners

STUDY = """
name = "typo"
work = "own_work:Own"
[fixed]
number = {number}
"""
OWN_WORK = """
from inarow.game import InputError
from tests.lab.counting_work import CountingWork

class Own(CountingWork):
    @classmethod
    def check(cls, config):
        pass

    @classmethod
    def begin(cls, config, seed):
        if config["number"] != 3:
            raise InputError("the number is 3")
        return super().begin({"points": 2, "step": 1}, seed)
"""


def test_ctrl_c_is_heard_in_compiled_code():
    for command in ("perft connect4:6x7 16", "match connect4:6x7 minimax:30 minimax:30 --games 4"):
        program = (
            "import signal, sys\n"
            "signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))\n"
            "from inarow.ui.main import main\n"
            f"sys.argv = {['inarow', *command.split()]}\n"
            "signal.alarm(3)\n"
            "main()\n"
        )
        ended = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert (ended.returncode, ended.stderr) == (130, "stopped\n")


def test_slow_games_of_one_chunk_show_how_far_they_are(monkeypatch):
    monkeypatch.setattr(match_module, "LOOK_SECONDS", 0.001)
    told = list[int]()
    inarow.match("tictactoe", "minimax:9", "random", 400, 1, told.append)
    assert sum(told) == 400
    assert len(told) > 2


def test_what_fails_in_a_thread_is_raised():
    class Broken:
        name = "broken"

        def compiled(self, tables):
            raise ZeroDivisionError(tables.cells)

    with pytest.raises(ZeroDivisionError):
        inarow.match("tictactoe", Broken(), "random", 10)


def test_a_run_goes_on_with_its_own_seed(run, tmp_path):
    path = str(tmp_path / "some [agent].safetensors")
    status, out, _ = run("train", "tictactoe", "q", "--games", "50", "--seed", "3", "--out", path)
    assert status == 0
    suggested = [shlex.split(line) for line in out.splitlines() if line.startswith("   inarow")]
    assert [words[1] for words in suggested] == ["certify", "match"]
    assert all(path in words for words in suggested)  # they can be typed as they stand
    status, _, err = run("train", "--resume", path, "--games", "60", "--seed", "4")
    assert (status, err) == (2, f"error: {path} goes on with its own random numbers, of seed 3\n")
    assert run("train", "--resume", path, "--games", "60", "--seed", "3")[0] == 0
    assert run("train", "--resume", path, "--games", "70")[0] == 0


def test_training_says_which_side_it_was(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, out, _ = run("train", "tictactoe", "td", "--against", "attack", "--games", "50")
    assert "It has learned to play second, and never played first." in out
    _, out, _ = run("train", "tictactoe", "q", "--against", "attack", "--games", "50")
    assert "never played" not in out


def test_a_table_refuses_a_large_game_at_once(run, monkeypatch):
    for module in ("graph", "counting"):
        name = f"inarow.graph.{module}.next_layer"
        monkeypatch.setattr(name, lambda *_: pytest.fail("enumerated"))
    status, _, err = run("train", "connect4", "q", "--games", "10")
    assert status == 2
    assert "more positions than a table holds" in err
    assert all(n in err for n, kind in learners().items() if not kind.needs_graph)


def test_the_number_of_positions_is_not_overrated():
    known = {"tictactoe": 5_478, "connect4:4x4": 161_029, "connect4:4x5": 1_706_255}
    for name, positions in known.items():
        assert positions / 200 < positions_at_least(inarow.game(name)) <= positions
    assert positions_at_least(inarow.game("mnk:7x7x2")) <= 49 * 48 * 47
    assert 10**9 < positions_at_least(inarow.game("connect4:6x7")) <= 4_531_985_219_092


@pytest.mark.parametrize("option", [["--games", "10"], ["--seed", "1"], ["--record", "x.txt"]])
def test_exact_odds_play_no_games(run, option):
    status, _, err = run("match", "tictactoe", "random", "attack", "--exact", *option)
    assert (status, err) == (2, f"error: --exact plays no games, so it takes no {option[0]}\n")


def test_games_cannot_be_saved_in_a_folder(run, tmp_path):
    status, _, err = run("play", "--watch", "random", "random", "--save", str(tmp_path))
    assert status == 2
    assert f"cannot write games to {tmp_path}: it is a folder" in err


def test_the_forms_of_games_are_shown_as_they_are_written(run):
    status, out, _ = run("games")
    assert status == 0
    assert "connect4[:ROWSxCOLS]" in out
    assert "\\" not in out


def test_a_study_of_own_work_that_failed_can_be_corrected(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    (tmp_path / "own_work.py").write_text(OWN_WORK)  # beside the study, and nowhere installed
    (tmp_path / "some.toml").write_text(STUDY.format(number=2))
    status, _, err = run("study", "run", "some.toml", "--runs", "1")
    assert status == 2
    assert "the number is 3" in err
    (tmp_path / "some.toml").write_text(STUDY.format(number=3))
    status, _, err = run("study", "run", "some.toml", "--runs", "1")
    assert (status, err) == (0, "")
    (tmp_path / "some.toml").write_text(STUDY.format(number=4))
    status, _, err = run("study", "run", "some.toml", "--runs", "1")
    assert status == 2
    assert "choose another file" in err  # what was measured is kept


def test_a_game_begins_at_a_level_and_after_moves(run, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("undo\n?\nq\n"))
    status, out, err = run("play", "tictactoe", "--level", "3", "--moves", "22 11", "--seed", "1")
    assert (status, err) == (0, "")
    assert "level:3 is O" in out
    assert "There is no move of yours to take back." in out
    assert "quit, q" in out
    assert out.endswith("Goodbye.\n")
    for wrong, said in (
        (["--level", "11"], "level 11 must be between 1 and 10"),
        (["--level", "3", "--against", "random"], "--level chooses your opponent"),
        (["--moves", "22 11 21 12 23"], "the game is over after these moves"),
        (["--moves", "22 22"], "cell 22 is taken"),
    ):
        status, _, err = run("play", "tictactoe", *wrong)
        assert status == 2
        assert said in err
