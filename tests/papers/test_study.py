"""Parts of a paper: conditions that share runs, games, scales, seeds; and figures of nothing."""

from __future__ import annotations

import lzma
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from inarow.game import InputError
from inarow.lab.studies.runner import Stopped, run_study
from inarow.lab.studies.store import Store
from inarow.lab.studies.study import MOVED, Study, check_configs, work_of
from inarow.lab.training.driver import TrainingWork
from inarow.papers.paper import names, paper_of
from inarow.papers.speed import SPEED, SPEED_WORK
from inarow.papers.study import (
    Condition,
    Part,
    Request,
    _groups,
    expected_seconds,
    keep_time,
    kept_name,
    load_kept,
    probe_speed,
    run_part,
    save_kept,
)

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


@pytest.mark.parametrize("name", names())
def test_every_part_of_every_paper_can_be_begun(name: str) -> None:
    for chosen in paper_of(name).parts:
        for scale in chosen.runs:
            for number, condition in enumerate(chosen.conditions_at(scale)):
                check_configs(Study(f"{number}", (dict(condition.parameters),), condition.work))


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
    assert results.command() == "inarow reproduce tiny --part all --scale quick"


def test_one_game_and_other_runs(tmp_path: Path) -> None:
    request = Request("quick", tmp_path, runs=1, game="tictactoe")
    results = run_part("tiny", part(), request)
    assert {row["game"] for row in results.rows} == {"tictactoe"}
    assert results.command().endswith("--runs 1")
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
            {"t": "random"}, {"game": "tictactoe", "learner": "td", "against": "random"}, SPEED_WORK
        )
    ]
    speed = Part("speed", "made up", conditions, {"quick": 2})
    results = run_part("tiny", speed, Request("quick", tmp_path))
    assert len(results.rows[0]["finals"][SPEED]) == 2
    assert min(results.rows[0]["finals"][SPEED]) > 0
    again = run_part("tiny", speed, Request("quick", tmp_path))
    assert again.rows == results.rows  # what is stored is not measured again


def test_finished_runs_go_on_elsewhere_without_being_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The small file beside the results holds what the part reads; the databases stay behind."""
    kept = part(kept=("chance lost as second", "games"))
    folders = [tmp_path / "here", tmp_path / "there"]
    for folder in folders:
        folder.mkdir()
    requests = [Request("quick", folder, runs=2, game="tictactoe") for folder in folders]
    found = run_part("paper", kept, requests[0])
    here, there = (folder / kept_name("paper", "all") for folder in folders)
    there.write_bytes(here.read_bytes())
    with monkeypatch.context() as patched:
        patched.setattr(TrainingWork, "advance", lambda self: pytest.fail("it was run again"))
        shown = run_part("paper", kept, replace(requests[1], finished=True))
        again = run_part("paper", kept, requests[1])
    assert shown.rows == again.rows
    assert there.read_bytes() == here.read_bytes()
    metric = "chance lost as second against random"
    for row, copy in zip(found.rows, again.rows, strict=True):
        assert copy["finals"] == {name: row["finals"][name] for name in (metric, "games")}
    more = run_part("paper", kept, replace(requests[1], runs=3))
    assert [row["runs"] for row in more.rows] == [3] * 4
    for row, longer in zip(found.rows, more.rows, strict=True):
        assert longer["finals"][metric][:2] == row["finals"][metric]


def test_what_is_finished_is_kept_when_a_study_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = part(kept=("games",))

    def stop(described: Study, path: Path, *given: Any, **more: Any) -> None:
        run_study(described, path, *given, **more)
        if "connect4" in path.name:
            raise Stopped("stopped: the same command goes on")

    monkeypatch.setattr("inarow.papers.study.run_study", stop)
    with pytest.raises(Stopped):
        run_part("paper", kept, Request("quick", tmp_path, runs=1))
    found = load_kept(tmp_path / kept_name("paper", "all"))
    assert [len(runs) for runs in found.values()] == [2, 2]


def test_the_speed_of_what_never_ran_is_measured_for_a_moment(tmp_path: Path) -> None:
    made = replace(part(), conditions=part().conditions_at("quick")[:2])
    assert expected_seconds("made-up", made, "paper") is None
    probe_speed("made-up", made, "paper")
    probed = expected_seconds("made-up", made, "paper")
    assert probed is not None
    assert 0 < probed < 60
    (group,) = _groups(made, made.conditions_at("paper"), Request("paper", tmp_path))
    keep_time("made-up all paper", group.key, 1e6)
    assert (expected_seconds("made-up", made, "paper") or 0) > 1e6  # what ran counts more


def test_runs_of_another_version_are_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / kept_name("paper", "long")
    save_kept({}, path)
    assert load_kept(path) == {}
    path.write_bytes(lzma.compress(b'{"inarow": "0.0.0", "runs": {}}'))
    with pytest.raises(InputError, match=r"keeps runs of inarow 0\.0\.0"):
        load_kept(path)
    path.write_bytes(b"no runs")
    with pytest.raises(InputError, match="keeps no runs"):
        load_kept(path)


PAIR = {
    "game": "connect4:4x4",
    "network": {"tuples": 3, "length": 3, "shield": False, "trace_decay": 0.0, "average": 0.0},
    "every": 20, "evaluated": 10, "target": 80, "below": False, "games": 40, "perfect_games": 2,
    "referee": None,
}  # fmt: skip


def test_a_study_that_was_begun_before_its_work_moved_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, now = "inarow.lab.pair_work:PairWork", "inarow.papers.connect_four.tdl:PairWork"
    assert MOVED[before] == now
    path = tmp_path / "pairs.db"
    with monkeypatch.context() as patch:  # as it was written: under the old name
        patch.setattr("inarow.lab.studies.study.MOVED", {now: before})
        Store.create(path, Study("pairs", (PAIR,), before)).close()
        with Store.open(path) as store:
            assert store.study.work == before
    for work in (before, now):
        run_study(Study("pairs", (PAIR,), work), path, 1 + (work == now), workers=1)
    with Store.open(path) as store:
        assert store.study.work == now
        assert len(store.finished(0)) == 2


@pytest.mark.parametrize("before", MOVED)
def test_works_that_moved_are_found_and_have_the_class_names_that_databases_are_named_by(
    before: str,
) -> None:
    assert work_of(before) is work_of(MOVED[before])
    assert work_of(before).__name__ == before.partition(":")[2]
