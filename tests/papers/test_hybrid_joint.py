"""The fit of Connect-4 on 4x4: the combination that the paper's numbers come from is found."""

from __future__ import annotations

from typing import Any

import pytest

from inarow.game import InputError
from inarow.papers.hybrid import beyond
from inarow.papers.hybrid.claims import SAMPLED
from inarow.papers.hybrid.study import (
    BASE_CORNER,
    CONNECT4,
    CORNERS,
    TICTACTOE,
    TRAINERS,
    best_conditions,
    corner_of,
    joint_conditions,
)
from inarow.papers.measures import Data
from inarow.papers.study import Results


def row(corner: str, trainer: str, factor: float, game: str = CONNECT4) -> dict[str, Any]:
    """A row whose means are the paper's times a factor."""
    found: dict[str, Any] = {"game": game, "corner": corner, "trainer": trainer, "runs": 20}
    for column in SAMPLED:
        measure, step = beyond.MEASURES[column.entry.name]
        mean = factor * column.entry.numbers[game][trainer]
        found[measure] = [mean, max(mean, step) / 20]
    return found


def data(**factors: float) -> Data:
    rows = [row(corner, t, factor) for corner, factor in factors.items() for t in TRAINERS]
    return Data({"joint": Results("hybrid", "joint", "paper", rows)}, "all")


def test_the_combination_of_the_paper_fits_best() -> None:
    found = beyond.fits(data(half=0.5, paper=1.0, near=1.1))
    assert [one.corner for one in found] == ["paper", "near", "half"]
    assert [(one.missed, one.numbers, one.runs) for one in found[:1]] == [(0, 24, 20)]
    assert found[-1].missed > 10


def test_a_combination_without_all_trainers_is_not_ranked() -> None:
    few = data(paper=1.0)
    few.parts["joint"].rows.pop()
    assert beyond.fits(few) == []
    assert beyond.joint_table(few, "paper") is None


def test_runs_that_are_all_alike_still_allow_for_one_that_is_not() -> None:
    """No loss in 20 runs: a published mean of 0.01 in 100 runs is near, one of 1 is far."""
    spread = beyond.spread_of(0.0, 20, 1.0)
    assert 0.01 / spread < beyond.FAR < 1 / spread
    assert beyond.spread_of(1.0, 20, 0.0) == pytest.approx((20 * (1 / 100 + 1 / 20)) ** 0.5)


def test_the_table_shows_the_base_wherever_it_is() -> None:
    factors = {f"c{number}": 1 + number / 10 for number in range(12)}
    table = beyond.joint_table(data(**factors), "c11")
    assert table is not None
    assert len(table.rows) == beyond.SHOWN + 1
    assert table.rows[-1][:2] == ("12", "c11 (base)")


def test_every_combination_is_run_once_with_every_trainer() -> None:
    found = joint_conditions("paper")
    assert len(found) == 288 * len(TRAINERS)
    assert len({str(sorted(c.parameters.items(), key=str)) for c in found}) == len(found)
    assert len({(c.labels["corner"], c.labels["trainer"]) for c in found}) == len(found)
    assert len(CORNERS) == 7


def test_a_combination_is_found_by_its_name() -> None:
    assert ", ".join(corner_of(BASE_CORNER).values()) == BASE_CORNER
    for wrong in ("", "all positions", BASE_CORNER.replace("1/7", "1/8")):
        with pytest.raises(InputError, match="unknown combination"):
            corner_of(wrong)


def test_the_best_combinations_are_run_in_both_games() -> None:
    found = best_conditions("paper")
    corners = list(dict.fromkeys(condition.labels["corner"] for condition in found))
    assert BASE_CORNER in corners
    assert len(corners) <= beyond.SHOWN
    assert len(found) == len(corners) * 2 * len(TRAINERS)
    screened = {c.labels["corner"]: c for c in joint_conditions("paper")}
    for condition in found:
        if condition.game == CONNECT4 and condition.labels["trainer"] == TRAINERS[-1]:
            assert condition.parameters == screened[condition.labels["corner"]].parameters
    assert len(best_conditions("quick")) == 2 * len(TRAINERS)


def test_the_table_of_the_best_holds_tictactoe() -> None:
    screen = data(paper=1.0, far=3.0)
    assert beyond.best_corners(screen) == ["paper", "far"]
    rows = [row("paper", t, 1.0) for t in TRAINERS]
    rows += [row("paper", t, 1.0, TICTACTOE) for t in TRAINERS]
    rows += [row("far", t, 3.0) for t in TRAINERS]
    both = Data({"joint-best": Results("hybrid", "joint-best", "paper", rows)}, "all")
    table = beyond.best_table(both, "far")
    assert table is not None
    assert [line[0] for line in table.rows] == ["paper", "far (base)"]
    assert [line[3] for line in table.rows] == ["0 of 24", ""]
    assert beyond.best_table(screen) is None
    assert beyond.joint_counts(screen) == {
        "all": 288, "run": 2, "runs": 20, "missed": 0, "numbers": 24,
    }  # fmt: skip
