"""What only the max-min document has: since when runs cannot be beaten."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.papers.max_min import extra
from inarow.papers.max_min.spec import PAPER, PARTS
from inarow.papers.measures import share_at
from inarow.papers.study import Condition, Request


def test_for_good() -> None:
    games = np.array([5, 10, 20, 40])
    assert extra.for_good(games, np.array([False, True, True, True])) == 10
    assert extra.for_good(games, np.array([True, True, False, True])) == 40  # lost again at 20
    assert extra.for_good(games, np.array([True, True, True, True])) == 5
    assert extra.for_good(games, np.array([True, True, True, False])) is None


def test_the_median_counts_runs_that_never_got_there() -> None:
    assert extra.median_of([30, 10, 20]) == 20
    assert extra.median_of([10, None, 20, None]) == 20
    assert math.isinf(extra.median_of([10, None, None]))


def test_both_seats_must_hold_in_the_same_run() -> None:
    found = {
        "unbeatable as first": np.array([[1.0, 1.0], [0.0, 1.0]]),
        "unbeatable as second": np.array([[0.0, 1.0], [1.0, 1.0]]),
        "converts as first": np.array([[0.0, 1.0], [0.0, 1.0]]),
        "converts as second": np.array([[0.0, 1.0], [1.0, 0.0]]),
    }
    row = extra.summarise(np.array([5, 10]), found)
    assert row["unbeatable"] == {
        "first": [1, 2], "second": [1, 2], "both": [0, 2], "perfect": [0, 1],
    }  # fmt: skip
    assert (row["for_good"], row["perfect_for_good"]) == ([10, 10], [10, None])


def test_bars_for_brackets() -> None:
    """With alpha 0.1 a lost move's value v becomes 1.1 v + 0.1: after n games 1.1^n - 1."""
    assert extra.value_with_bars() == pytest.approx(1.1**50 - 1)


def shorter(condition: Condition) -> Condition:
    games = {"games": 10_000, "evaluate_every": 5_000, "evaluate_at": [2_500]}
    if condition.labels["game"] != "tictactoe":
        games = {"games": 400, "evaluate_every": 200, "evaluate_at": [100]}
    return replace(condition, parameters={**condition.parameters, **games})


def test_a_small_study(tmp_path: Path) -> None:
    conditions: Any = [shorter(condition) for condition in PARTS[0].conditions]  # type: ignore[union-attr]
    part = replace(PARTS[0], conditions=conditions)
    results = PAPER.run(part, Request("quick", tmp_path, runs=3))
    data = PAPER.data(tmp_path, results)

    def share(what: str, variant: str) -> float:
        measure = share_at(f"unbeatable.{what}", 10_000, game="tictactoe", variant=variant)
        found = measure(data)
        assert found is not None
        return found.mean

    assert results.rows[0]["games"] == [2_500, 5_000, 10_000]
    assert share("perfect", "Q, minimax, symmetric") == 100
    assert share("both", "TD(0.5), cut, symmetric, 0.3") == 100
    assert share("second", "Q, remark as printed") == 0
    assert share("both", "Q") == 0
    tables = {table.title: table for table in PAPER.tables_of(data, "tabular")}
    unbeatable = tables["Tic-tac-toe: unbeatable on both sides, % of runs"]
    lines = {row[0]: row[1:] for row in unbeatable.rows}
    assert lines["Q, remark as printed"] == ("0", "0", "", "", "", ">200k")
    assert len(PAPER.draw(data, tmp_path / "figures", "tabular")) == 2


def test_the_deep_player(tmp_path: Path) -> None:
    conditions: Any = [
        replace(c, parameters={**c.parameters, "games": 200, "evaluate_every": 100})
        for c in PARTS[1].conditions  # type: ignore[union-attr]
    ]
    part = replace(PARTS[1], conditions=conditions)
    results = PAPER.run(part, Request("quick", tmp_path, runs=2))
    proven, won = results.rows[0], results.rows[-1]
    assert proven["games"] == won["games"] == [100, 200]
    assert set(proven["unbeatable"]) == {"first", "second", "both", "perfect"}
    for side in ("first", "second"):
        assert all(0 <= mean <= 100 and error >= 0 for mean, error in won["won"][side])
