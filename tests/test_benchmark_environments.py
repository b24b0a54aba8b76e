"""The benchmark's own parts, with turns too short to measure anything: no time is ever checked."""

import json
import sys

import numpy as np
import pytest

from benchmarks import environments


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(environments, "ROWS", {1: 40, 64: 3, 4096: 2})
    monkeypatch.setitem(sys.modules, "pgx", None)


def test_it_measures_whoever_is_there(capsys):
    arguments = ["--only", "tictactoe", "--sizes", "1", "--rounds", "1", "--seconds", "0.001"]
    assert environments.main([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["differing"] == []
    assert {row["contender"] for row in result["rows"]} >= {environments.OURS}
    assert any("left out" in line for line in result["left_out"])
    assert result["targets"][0]["met"] is None  # nothing of Pgx, nothing measured


def test_it_sees_who_plays_something_else():
    def never_over(game, n, actions):  # noqa: ARG001
        return (lambda start, stop: None), (lambda: np.zeros(n, dtype=bool))

    actions = environments.record("tictactoe", 1)
    assert environments.agrees("tictactoe", environments.ours, 1, actions)
    assert not environments.agrees("tictactoe", never_over, 1, actions)


def test_bars():
    def row(name, n, ratio):
        return {"game": "tictactoe", "n": n, "contender": name, "ratio": ratio}

    rows = [row(environments.OURS, 4096, 1.0), row(environments.PGX, 4096, 19.0)]
    assert [target["met"] for target in environments.judge(rows)] == [False, None, True]
    rows[1]["ratio"] = 20.0
    rows.append(row(environments.OPEN_SPIEL, 1, 0.9))
    assert [target["met"] for target in environments.judge(rows)] == [True, None, False]
