"""The agents of a paper: the best, median and worst of each condition, without training state."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from inarow.lab.players.names import player
from inarow.lab.training.run import Run, Stop, continue_training
from inarow.learn.saved import read_agent, read_header
from inarow.papers.agents import ALL, KeptAgent, keep_agents, kept_agents
from inarow.papers.connect_four import tdl
from inarow.papers.paper import paper_of
from inarow.papers.study import TINY, Request


def run(folder: Path, which: str = "best", runs: int = 4) -> list[KeptAgent]:
    paper = paper_of("hybrid")
    part, request = paper.part("all"), Request(TINY, folder, runs=runs, game="tictactoe")
    paper.run(part, request)
    return keep_agents(paper, part, request, which)


def test_best_median_and_worst(tmp_path: Path) -> None:
    kept = run(tmp_path)
    assert kept == kept_agents(tmp_path)
    by_trainer: dict[object, list[KeptAgent]] = {}
    for one in kept:
        by_trainer.setdefault(one.labels["trainer"], []).append(one)
    assert len(by_trainer) == 6
    for found in by_trainer.values():
        assert [one.rank for one in found] == ["best", "median", "worst"]
        values = [one.value for one in found]
        assert values == sorted(values) or values == sorted(values, reverse=True)
    one = kept[0]
    assert one.file == f"agents/tictactoe/attack-defense-{one.seed}.safetensors"
    header = read_header(tmp_path / one.file)
    assert (header.game, header.learner, header.resumable) == ("tictactoe", "td", False)
    player(str(tmp_path / one.file))  # it plays


def test_an_agent_is_that_of_the_study(tmp_path: Path) -> None:
    kept = run(tmp_path)[0]
    condition = next(c for c in paper_of("hybrid").part("all").conditions_at(TINY)
                     if c.labels == kept.labels)  # fmt: skip
    given = condition.parameters
    trained = Run("tictactoe", "td", {}, given["against"], kept.seed)
    continue_training(trained, given["games"], Stop(given["stop_games"]))
    _, arrays = read_agent(tmp_path / kept.file)
    for name, array in trained.agent.arrays.items():
        assert np.array_equal(array, arrays[name])


def test_all_of_them_and_none(tmp_path: Path) -> None:
    assert len(run(tmp_path)) == 18
    assert len(run(tmp_path, ALL)) == 24
    assert len(list((tmp_path / "agents").rglob("*.safetensors"))) == 24
    assert len(run(tmp_path)) == 18  # those that were only among all are removed
    assert len(list((tmp_path / "agents").rglob("*.safetensors"))) == 18
    assert run(tmp_path, "none") == []


def test_pairs_are_saved_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tdl, "SAVED_EVERY", 100)
    paper = paper_of("connect-four")
    part, request = paper.part("tdl"), Request(TINY, tmp_path)
    results = paper.run(part, request)
    kept = keep_agents(paper, part, request)
    assert {one.rank for one in kept} == {"best", "worst"}  # of two pairs
    names = {path.name for path in (tmp_path / "agents").rglob("*.safetensors")}
    for one in kept:
        name = Path(one.file).stem
        assert {f"{name}.safetensors", f"{name}-1M-first.safetensors",
                f"{name}-1M-second.safetensors"} <= names  # fmt: skip
        player(str(tmp_path / one.file))  # it plays
    row = next(row for row in results.rows if row["rule"] == "at most")
    assert {"alpha", "epsilon"} <= {*row["finals"]}


def test_killed_it_goes_on(tmp_path: Path) -> None:
    """With the same command, to the same results."""

    def command(out: Path) -> list[str]:
        given = ["reproduce", "max-min", "--scale", TINY, "--out", str(out), "--workers", "1"]
        return [sys.executable, "-m", "inarow", *given]

    killed, whole = tmp_path / "killed", tmp_path / "whole"
    process = subprocess.Popen(
        command(killed), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + 240
    while not list(killed.rglob("*.db")) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    process.wait()
    for out in (killed, whole):
        subprocess.run(command(out), check=True, stdout=subprocess.DEVNULL, timeout=500)
    for part in ("tabular", "deep"):
        one, other = (
            json.loads((out / "max-min" / f"max-min-{part}.json").read_text())
            for out in (killed, whole)
        )
        assert one["rows"] == other["rows"]
    files = [sorted(path.name for path in out.rglob("*.safetensors")) for out in (killed, whole)]
    assert files[0] == files[1]
    assert files[0]
