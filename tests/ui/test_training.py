"""The commands `train` and `learners`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import inarow
from inarow.game import InputError
from inarow.lab.training.run import Run, load_run, train
from inarow.learn.saved import write_agent
from inarow.ui import rescue


def test_train_saves_an_agent_that_other_commands_take(answer, tmp_path):
    path = str(tmp_path / "agent.safetensors")
    trained = answer(
        "train", "tictactoe", "td", "--against", "attack-defense", "--games", "100000",
        "--seed", "1", "--out", path,
    )  # fmt: skip
    assert trained["file"] == path
    assert trained["games"] == trained["wins"] + trained["draws"] + trained["losses"] == 100_000
    assert answer("certify", path)["sides"]["second"]["unbeatable"]
    met = answer("match", "tictactoe", path, "random", "--games", "200")
    assert met["as_second"]["losses"] == 0
    straight = train("tictactoe", "td", against="attack-defense", games=100_000, seed=1)
    assert load_run(path).state() == straight.state()


def test_a_resumed_run_ends_as_one_left_alone(answer, tmp_path):
    path = str(tmp_path / "agent.safetensors")
    options = ["--set", "side=both", "--set", "alpha=0.5*0.9/1000>0.1"]
    answer(
        "train",
        "tictactoe",
        "td",
        "--against",
        "random",
        "--games",
        "3000",
        "--out",
        path,
        *options,
    )
    answer("train", "--resume", path, "--games", "8000")
    straight = train(
        "tictactoe", "td", against="random", games=8000, side="both", alpha="0.5*0.9/1000>0.1"
    )
    assert load_run(path).state() == straight.state()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("learner", "options"),
    [
        ("td", {}),
        # Its weights are averaged after each game: there is much to be interrupted in between.
        ("ntuple", {"average_every": 1, "tuples": 2, "length": 2}),
    ],
)
def test_a_signal_saves_what_has_been_learned(tmp_path, number, learner, options):
    path = tmp_path / "agent.safetensors"
    command = [sys.executable, "-m", "inarow", "train", "tictactoe", learner]
    command += ["--against", "random", "--games", "1000000000000", "--out", str(path)]
    command += [f"--set={name}={value}" for name, value in options.items()]
    environment = {**os.environ, "COLUMNS": "80"}
    running = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(2)
    running.send_signal(number)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 128 + number
    assert "--resume" in out
    run = load_run(path)
    assert run.games > 0
    again = train("tictactoe", learner, against="random", games=min(run.games, 10**8), **options)
    if again.games == run.games:
        assert again.state() == run.state()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tictactoe"], "say a game and a learner"),
        (["tictactoe", "magic"], "unknown learner 'magic'"),
        (["chess", "td", "--against", "random"], "unknown game"),
        (["tictactoe", "td", "--against", "nobody"], "unknown player 'nobody'"),
        (["tictactoe", "td", "--against", "random", "--set", "alpha"], "must be NAME=VALUE"),
        (["tictactoe", "td", "--against", "random", "--set", "tau=1"], "td has no option 'tau'"),
        (["tictactoe", "td", "--against", "random", "--games", "0"], "must be between 1 and"),
        (["tictactoe", "td", "--against", "random", "--out", "x.pickle"], "must end in"),
        (["--resume", "absent.safetensors"], "there is no file absent.safetensors"),
        (["connect4:6x7", "td", "--against", "random"], "more positions than a table"),
    ],
)
def test_bad_input_is_one_line(run, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = run("train", *arguments)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_left_of_a_run_that_fails_at_once(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rewards = ["--set", "win_reward=1e308", "--set", "loss_reward=-1e308"]
    status, _, err = run("train", "tictactoe", "td", "--against", "random", *rewards)
    assert (status, len(err.splitlines())) == (2, 1)
    assert "training diverged" in err
    assert list(tmp_path.iterdir()) == []


def test_a_resumed_agent_keeps_its_game(run, tmp_path):
    path = str(tmp_path / "agent.safetensors")
    train("tictactoe", "td", against="random", games=500).save(path)
    _, _, err = run("train", "tictactoe", "td", "--resume", path)
    assert "has its game, learner and options" in err
    _, _, err = run("train", "--resume", path, "--games", "500")
    assert "is already trained for 500 games" in err


def test_learners_are_listed_with_their_options(run, answer):
    listed = answer("learners")
    assert {"td", "q", "td_lambda", "sarsa"} <= listed.keys()
    for name in listed:
        options = answer("learners", name)
        assert all(option["about"] for option in options.values()), name
        status, out, _ = run("learners", name)
        assert status == 0
        assert max(map(len, out.splitlines())) <= 80
    assert answer("learners", "td")["alpha"] == {
        "default": "0.25", "type": "str", "about": "step size", "least": 0, "greatest": 1,
        "choices": None, "schedule": True, "unit": None,
    }  # fmt: skip
    assert "step size (a number or a schedule," in run("learners", "td")[1]


def test_train_from_python():
    assert inarow.train("tictactoe", "td", against="random", games=10).games == 10


def test_an_old_agent_stays_until_there_is_a_new_one(run, tmp_path):
    path = tmp_path / "a.safetensors"
    train = ("train", "tictactoe", "td", "--against", "random", "--games", "10", "--out", str(path))
    assert run(*train)[0] == 0
    before = path.read_bytes()
    values = ("initial_value=-1e308", "win_reward=1e308", "loss_reward=1e308")
    status, _, err = run(*train, "--force", *(f"--set={value}" for value in values))
    assert (status, "diverged" in err) == (2, True)
    assert path.read_bytes() == before
    assert "--stop-games must be 0" in run(*train, "--stop-games", "-1")[2]


@pytest.fixture
def full(monkeypatch, tmp_path):
    """Makes saving fail, after the first time, in some folders: as disks do that are full."""

    def fill(*folders, times=10**9):
        saved = []

        def save(self, path):
            place = Path(path).parent
            if place in folders and place in saved and saved.count(place) <= times:
                saved.append(place)
                raise InputError(f"cannot write {path}: No space left on device")
            saved.append(place)
            write_agent(Path(path), self.header, self.training.arrays)

        monkeypatch.setattr(Run, "save", save)
        return saved

    for folder in ("home", "elsewhere", "own"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(rescue, "RETRY_SECONDS", 0.01)
    return fill


def test_a_full_disk_at_the_end_does_not_lose_the_run(run, tmp_path, full):
    own = tmp_path / "own"
    full(own)
    arguments = ("--against", "random", "--games", "500", "--out", str(own / "a.safetensors"))
    status, _, err = run("train", "tictactoe", "td", *arguments)
    kept = tmp_path / "elsewhere" / "a-500-rescued.safetensors"
    assert status == 2
    assert err.count("\n") == 1
    assert f"No space left on device; the agent is saved as {kept} instead" in err
    assert load_run(kept).state() == train("tictactoe", "td", against="random", games=500).state()


def test_where_no_place_has_room_it_waits(run, tmp_path, full, monkeypatch):
    monkeypatch.setattr(rescue, "_other_places", lambda run, path: [])
    own = tmp_path / "own"
    full(own, times=4)
    arguments = ("--against", "random", "--games", "500", "--out", str(own / "a.safetensors"))
    status, _, err = run("train", "tictactoe", "td", *arguments)
    assert status == 0
    assert err.count("warning: ") == 1
    assert "no other place has room: make some" in err
    assert load_run(own / "a.safetensors").games == 500

    monkeypatch.setattr(rescue, "RESCUE_SECONDS", -1.0)
    (own / "a.safetensors").unlink()
    full(own)
    status, _, err = run("train", "tictactoe", "td", *arguments)
    assert status == 2
    assert "and the run is lost" in err


def test_a_full_disk_on_the_way_does_not_end_the_run(run, tmp_path, full, monkeypatch):
    monkeypatch.setattr("inarow.ui.training.SAVE_SECONDS", -1.0)
    own = tmp_path / "own"
    full(own, times=1)
    arguments = ("--against", "random", "--games", "500", "--out", str(own / "a.safetensors"))
    status, _, err = run("train", "tictactoe", "td", *arguments)
    assert status == 0
    assert "No space left on device; training goes on" in err
    assert load_run(own / "a.safetensors").games == 500
