"""The n-tuple benchmark's own parts, with turns too short to measure anything."""

from __future__ import annotations

import json

import pytest

from benchmarks import ntuple


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ntuple, "TUPLES", (5, 7))
    monkeypatch.setattr(ntuple, "CHECKED_GAMES", 40)
    monkeypatch.setattr(ntuple, "WARM_GAMES", 5)


def test_both_learn_the_same_weights() -> None:
    assert ntuple.same_weights(6, 200)
    assert ntuple.same_weights(5, 100, seed=4)


def test_json_and_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert ntuple.main(["--rounds", "2", "--seconds", "0.001", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["same_weights"] is True
    assert [row["tuples"] for row in result["rows"]] == [5, 7]
    for row in result["rows"]:
        assert 0 < row["ratio_lowest"] <= row["ratio"] <= row["ratio_highest"]
    assert ntuple.main(["--quick", "--seconds", "0.001"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "bit by bit" in lines[0]
    assert len(lines) == 4


def test_a_difference_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ntuple, "same_weights", lambda tuples, games: tuples + games < 0)
    assert ntuple.main(["--quick", "--seconds", "0.001"]) == 1
    assert "DIFFERENT WEIGHTS" in capsys.readouterr().out
