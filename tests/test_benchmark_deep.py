"""The parts of `benchmarks/deep.py`, with turns too short to measure anything."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from benchmarks import deep
from inarow.game import game as game_of


@pytest.mark.parametrize("name", ["ntictactoe:3^3", "ntictactoe:3^4"])
def test_all_ways_know_the_same_score(name: str) -> None:
    cells = game_of(name).cells
    for moves in (cells // 2, cells - 1, cells):
        found = deep.scores(name, moves)
        assert len(set(found.values())) == 1, found
    assert sum(deep.scores(name, cells)[deep.OURS]) > 0


def test_directions_are_all_lines() -> None:
    game = game_of("ntictactoe:3^4")
    views = deep.directions(game, np.arange(81, dtype=np.int8).reshape(3, 3, 3, 3))
    assert len(views) == (3**4 - 1) // 2
    found = {frozenset(axis) for view in views for axis in view.reshape(-1, 3).tolist()}
    lines = {frozenset(line) for line in game.lines.tolist()}
    assert found == lines


def test_it_runs_without_jax(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    arguments = ["--rounds", "1", "--seconds", "0.001", "--only", "tictactoe"]
    assert deep.main([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [row["contender"] for row in result["rows"]] == [deep.OURS]
    assert [target["met"] for target in result["targets"]] == [None]
    assert "JAX, a call a game: left out" in result["left_out"][0]
    assert deep.main(arguments) == 0
    assert "not measured" in capsys.readouterr().out


def test_jax_learns_too(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jax")
    assert deep.main(["--rounds", "1", "--seconds", "0.001", "--only", "tictactoe"]) == 0
    assert deep.JAX in capsys.readouterr().out
