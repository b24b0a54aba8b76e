"""Commands with players of one's own, which run because they are named there."""

import pytest

from inarow.lab.players import outside
from inarow.lab.players.outside import allow

MINE, PROGRAM = "planted:Mine", "cmd:./planted.sh"
STUDY = """
name = "against my own"
[fixed]
learner = "td"
games = 40
against = "planted:Mine"
"""


@pytest.fixture
def forget(planted, monkeypatch):
    """What has been named so far is named no more."""

    def call():
        monkeypatch.setattr(outside, "_allowed", {})
        planted.mark.unlink(missing_ok=True)

    return call


def test_matches_and_certificates(answer, run, planted):
    result = answer("match", "tictactoe", MINE, PROGRAM, "--games", "4")
    assert (result["players"], result["wins"]) == ([MINE, PROGRAM], 2)  # whoever begins
    assert planted.ran
    assert answer("arena", "mnk:2x2x2", MINE, "random", "--games", "4")["ranking"]
    found = answer("certify", "planted:lowest", "mnk:2x2x2")
    assert (found["player"], found["proven"]) == ("planted:lowest", False)
    status, out, _ = run("play", "mnk:2x2x2", "--watch", MINE, PROGRAM)
    assert (status, f"{MINE} is X, {PROGRAM} is O" in out) == (0, True)
    status, out, err = run("match", "tictactoe", "planted:Nobody", "random")
    assert (status, out) == (2, "")
    assert err.startswith("error: planted:Nobody: the module planted has no Nobody; it has Mine, ")


def test_a_run_goes_on_only_with_its_opponent_named_again(answer, run, planted, forget):
    trained = ("train", "mnk:2x2x2", "td", "--against", MINE, "--games", "20", "--out")
    assert answer(*trained, "a.safetensors")["against"] == MINE
    forget()
    on = ("train", "--resume", "a.safetensors", "--games", "30")
    status, _, err = run(*on)
    assert (status, "planted:Mine runs code" in err, planted.mark.exists()) == (2, True, False)
    status, _, err = run(*on, "--against", "random")
    assert (status, "give only --games" in err) == (2, True)
    assert answer(*on, "--against", MINE)["games"] == 30


def test_a_study_may_name_them(answer, run, planted, forget):
    (planted.folder / "own.toml").write_text(STUDY)
    shown = answer("study", "run", "own.toml", "--runs", "1")
    assert (shown["finished"], planted.ran) == (1, True)
    forget()
    assert answer("study", "show", "own.db")["finished"] == 1
    assert answer("study", "check", "own.db")["sound"]
    assert run("study", "export", "own.db", "own.csv")[0] == 0
    assert not outside._allowed
    status, _, err = run("study", "run", "own.toml", "--on", "ray")
    assert (status, "planted:Mine plays on threads only" in err) == (2, True)
    assert not planted.mark.exists()


def test_a_player_typed_twice_is_loaded_once(planted):
    allow(MINE)
    planted.mark.unlink()
    allow(f" {MINE} ")
    assert not planted.mark.exists()
