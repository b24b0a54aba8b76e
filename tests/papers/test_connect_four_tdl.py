"""The study of n-tuple networks: cells, points and figures, on a board where games are short."""

from __future__ import annotations

from typing import Any

import pytest

from inarow.lab.study import run_slice
from inarow.learn.schedule import schedule
from inarow.papers import connect_four_tdl
from inarow.papers.connect_four_tdl import TDLWork, as_training, run_unit, study, units_of

CELL = {
    "game": "connect4:4x5", "games": 60, "tuples": 3, "length": 4, "average": 1.0,
    "alpha": [0.5, 0.05], "epsilon": [0.2, 0.2],
}  # fmt: skip


@pytest.fixture(autouse=True)
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect_four_tdl, "GAMES", 4)


def test_schedules_end_with_the_run() -> None:
    made = as_training({**CELL, "games": 1000})
    alpha = schedule(made["alpha"])
    assert alpha.at(0) == 0.5
    assert alpha.at(500) == pytest.approx(0.5 * 0.1**0.5)
    assert alpha.at(1000) == pytest.approx(0.05)
    assert made["epsilon"] == "0.2"
    assert made["average_every"] == 5


def test_figures_of_a_unit() -> None:
    row = run_unit(0, {**CELL, "examine_every": 25}, 1)
    assert sorted(row["figures"]) == [25, 50, 60]
    for figures in row["figures"].values():
        for kind in ("averaged", "last"):
            assert 0 <= figures[f"{kind} score"] <= 1
            assert figures[f"{kind} wins"] + figures[f"{kind} losses"] <= 4
    again = run_unit(0, {**CELL, "examine_every": 25}, 1)["figures"][60]
    del again["training CPU-seconds"]
    assert again.items() <= row["figures"][60].items()


def test_as_a_study() -> None:
    made = study("a test", [CELL])
    slice_ = run_slice(made.work, made.cells[0], 3, None, 0.0)
    assert slice_.points == 1
    assert slice_.state is not None
    assert not slice_.finished
    resumed = TDLWork.resume(made.cells[0], 3, slice_.state)
    begun = TDLWork.begin(made.cells[0], 3)
    while not resumed.finished:
        resumed.advance()
    while not begun.finished:
        begun.advance()
    weights = [unit.run.training.arrays["weights"].tobytes() for unit in (begun, resumed)]
    assert weights[0] == weights[1]


def test_a_cell_may_have_seeds_of_its_own() -> None:
    cells: list[dict[str, Any]] = [{"games": 1}, {"games": 2, "seeds": "11-13"}]
    assert list(units_of(cells, "1-2")) == [
        (0, {"games": 1}, 1),
        (1, {"games": 2}, 11),
        (0, {"games": 1}, 2),
        (1, {"games": 2}, 12),
        (1, {"games": 2}, 13),
    ]
