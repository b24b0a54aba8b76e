"""Parts of a paper: conditions that share runs, games, scales, seeds; and figures of nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from inarow.game import InputError
from inarow.lab.speed import SPEED, WORK
from inarow.lab.store import Store
from inarow.papers.study import Condition, Part, Request, run_part

TRAINING = {"learner": "td", "games": 200, "evaluations": ["exact:random"]}


def part(**changes: Any) -> Part:
    conditions = [
        Condition(
            {"game": game, "t": t, "reference": reference}, {**TRAINING, "game": game, "against": t}
        )
        for game in ("tictactoe", "connect4:4x4")
        for t in ("random", "attack")
        for reference in (1, 2)
    ]
    return Part("all", "made up", conditions, {"quick": 2, "paper": 3}, **changes)


def test_a_row_a_condition_and_a_database_a_game(tmp_path: Path) -> None:
    told = list[float]()
    request = Request("quick", tmp_path, lambda text, share: told.append(share))
    results = run_part("tiny", part(), request)
    assert [(row["game"], row["t"], row["reference"]) for row in results.rows] == [
        (c.labels["game"], c.labels["t"], c.labels["reference"]) for c in part().conditions
    ]  # type: ignore[union-attr]
    assert {row["runs"] for row in results.rows} == {2}
    files = sorted(path.name for path in tmp_path.glob("*.db"))
    assert files == ["tiny-all-quick-connect4-4x4.db", "tiny-all-quick-tictactoe.db"]
    with Store.open(tmp_path / files[1]) as store:
        assert len(store.configs()) == 2  # references share their runs
    pairs = Counter(str(row["finals"]) for row in results.rows)
    assert all(number % 2 == 0 for number in pairs.values())
    assert told[-1] == 1
    assert results.command == "inarow reproduce tiny --part all --scale quick"


def test_one_game_and_other_runs(tmp_path: Path) -> None:
    request = Request("quick", tmp_path, runs=1, game="tictactoe")
    results = run_part("tiny", part(), request)
    assert {row["game"] for row in results.rows} == {"tictactoe"}
    assert results.command.endswith("--runs 1")
    with pytest.raises(InputError, match="plays tictactoe and connect4:4x4, not 'qubic'"):
        run_part("tiny", part(), Request("quick", tmp_path, game="qubic"))
    with pytest.raises(InputError, match="unknown scale 'huge': there is quick, paper"):
        run_part("tiny", part(), Request("huge", tmp_path))


def test_seeds_of_before_are_not_counted(tmp_path: Path) -> None:
    several = run_part("tiny", part(), Request("quick", tmp_path, runs=3, game="tictactoe"))
    one = run_part("tiny", part(), Request("quick", tmp_path, runs=1, seed=2, game="tictactoe"))
    for all_runs, last in zip(several.rows, one.rows, strict=True):
        for metric, values in all_runs["finals"].items():
            assert last["finals"][metric] == values[2:]


def test_speed_is_a_unit_like_any_other(tmp_path: Path) -> None:
    conditions = [
        Condition(
            {"t": "random"}, {"game": "tictactoe", "learner": "td", "against": "random"}, WORK
        )
    ]
    speed = Part("speed", "made up", conditions, {"quick": 2})
    results = run_part("tiny", speed, Request("quick", tmp_path))
    assert len(results.rows[0]["finals"][SPEED]) == 2
    assert min(results.rows[0]["finals"][SPEED]) > 0
    again = run_part("tiny", speed, Request("quick", tmp_path))
    assert again.rows == results.rows  # what is stored is not measured again
