"""Agents to play with: files without training state, and the one that comes with the package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from inarow.engine.streams import make_stream
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.examine_perfect import play_perfect
from inarow.lab.players import SHIPPED_NTUPLE, player, take_seat
from inarow.lab.training import Run, go_on, load_run
from inarow.learn.saved import read_agent
from inarow.ui.training import train

SMALL = {"tuples": 8, "length": 5, "average": 2.0, "average_every": 10}


@pytest.fixture(scope="module")
def run() -> Run:
    made = Run("connect4:4x5", "ntuple", SMALL, None, 3)
    made.training.play(200)
    return made


@pytest.mark.parametrize("half", [False, True])
def test_an_exported_agent_plays_and_does_not_go_on(run: Run, half: bool, tmp_path: Path) -> None:
    path = tmp_path / "agent.safetensors"
    run.export(path, half)
    header, arrays = read_agent(path)
    assert not header.resumable
    assert sorted(arrays) == ["averages", "counts"]
    assert arrays["averages"].dtype == (np.float16 if half else np.float32)
    again = load_run(path)
    assert again.games == 200
    values = run.agent.values(run.game.position("12"))
    assert again.agent.values(run.game.position("12")) == pytest.approx(
        values, abs=0.002 if half else 0
    )
    with pytest.raises(InputError, match="cannot be trained on"):
        go_on(again, 300)
    before = path.read_bytes()
    with pytest.raises(InputError, match="cannot be trained on"):
        train(resume=path, games=300)
    assert path.read_bytes() == before


def test_before_there_are_averages_the_weights_are_exported(tmp_path: Path) -> None:
    made = Run("connect4:4x5", "ntuple", SMALL, None, 3)
    made.training.play(5)
    made.export(tmp_path / "agent.safetensors")
    assert sorted(read_agent(tmp_path / "agent.safetensors")[1]) == ["counts", "weights"]
    load_run(tmp_path / "agent.safetensors").save(tmp_path / "again.safetensors")
    files = [(tmp_path / f"{name}.safetensors").read_bytes() for name in ("agent", "again")]
    assert files[0] == files[1]


def test_every_learner_can_be_exported(tmp_path: Path) -> None:
    made = Run("tictactoe", "td", None, "random", 1)
    made.training.play(50)
    made.export(tmp_path / "agent.safetensors")
    position = game_of("tictactoe").position()
    agent = load_run(tmp_path / "agent.safetensors").agent
    assert agent.values(position) == made.agent.values(position)


def test_training_state_must_be_whole(run: Run, tmp_path: Path) -> None:
    """Halved or missing arrays pass only where the header says that it is an agent alone."""
    from dataclasses import replace

    from inarow.learn.saved import write_agent

    run.export(tmp_path / "agent.safetensors", half=True)
    header, arrays = read_agent(tmp_path / "agent.safetensors")
    write_agent(tmp_path / "claims.safetensors", replace(header, resumable=True), arrays)
    with pytest.raises(InputError, match="the arrays are"):
        load_run(tmp_path / "claims.safetensors")


def test_the_shipped_agent_by_name() -> None:
    assert SHIPPED_NTUPLE.stat().st_size <= 10 * 2**20
    assert (player("ntuple").name, player("ntuple:4").name) == ("ntuple", "ntuple:4")
    assert (player("ntuple").depth, player("ntuple:4").depth) == (1, 4)
    with pytest.raises(InputError, match="ntuple plays connect4:6x7, not connect4:5x5"):
        take_seat(player("ntuple"), game_of("connect4:5x5"), make_stream(0))
    for bad in ("ntuple:", "ntuple:x", "ntuple:0", "ntuple@4"):
        with pytest.raises(InputError):
            player(bad)
    with pytest.raises(InputError, match=r"ntuple\[:DEPTH\]"):
        player("nobody")


def test_the_shipped_agent_wins() -> None:
    tally, _ = play_perfect(player("ntuple"), 20, 0, 1)
    assert tally.wins == 20
    tally, _ = play_perfect(player("ntuple:6"), 10, 0, 1)
    assert tally.wins == 10
