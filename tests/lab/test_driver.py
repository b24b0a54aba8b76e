"""The driver of training runs: when something is due, and what stops, states and resumes keep."""

from __future__ import annotations

import json
import time

import numba
import pytest

from inarow.game import InputError
from inarow.lab.evaluation import parse_evaluation
from inarow.lab.studies.study import DEFAULT_WORK, Measurement, run_slice
from inarow.lab.training.driver import Callback, Pace, Plan, Trainer, TrainingWork, spec_from
from inarow.lab.training.run import Run, RunSpec, Stop

SPEC = RunSpec("tictactoe", "td", {"alpha": 0.1}, "attack", 5, 3000)
CHECKED = (parse_evaluation("exact:random"), parse_evaluation("games:random:50"))
PLAN = Plan(3000, Stop(900, 250), CHECKED, Pace((70, 1000), ((400, 10**9),)), Pace.every(300))


def trained(plan: Plan = PLAN) -> tuple[Run, list[Measurement]]:
    points: list[Measurement] = []
    trainer = Trainer(SPEC.begin(), plan, [Keep(points)])
    return trainer.train(), points


class Keep(Callback):
    """Keeps what is measured."""

    def __init__(self, points: list[Measurement]) -> None:
        self.points = points

    def on_point(self, trainer: Trainer, measured: list[Measurement]) -> None:  # noqa: ARG002
        self.points += measured


class StopAtOnce(Callback):
    """Stops after each chunk."""

    def on_chunk(self, trainer: Trainer, games: int) -> None:  # noqa: ARG002
        trainer.stop()


def test_when_something_is_due() -> None:
    pace = Pace((7, 50), ((10, 30), (100, 250)))
    due = [games for games in range(400) if pace.is_due(games)]
    assert due == [7, 10, 20, 30, 50, 100, 200, 250]
    for games in range(300):
        assert pace.next_after(games) == min((g for g in due if g > games), default=10**15) or (
            games >= 250 and pace.next_after(games) > 10**9
        )
    assert Pace().next_after(0) == Pace.every(0).next_after(7) > 10**9
    assert Pace.logarithmic(3000).at[:7] == (3, 5, 7, 10, 20, 30, 50)
    assert Pace.logarithmic(3000).at[-4:] == (700, 1000, 2000, 3000)
    assert Pace.logarithmic(3000, start=1000).at == (2000, 3000)


def test_the_plan_of_a_config_is_the_plan() -> None:
    config = {
        "game": "tictactoe", "learner": "td", "against": "attack", "alpha": 0.1, "games": 3000,
        "stop_games": 900, "check_every": 250, "evaluations": ["exact:random", "games:random:50"],
        "evaluate_every": 400, "evaluate_at": [1000, 70], "record": 300,
    }  # fmt: skip
    plan = Plan.from_config(json.loads(json.dumps(config)))
    assert plan.evaluations == PLAN.evaluations
    assert spec_from(config, 5) == SPEC
    for games in range(3000):
        assert plan.next_point(games) == PLAN.next_point(games)
        assert plan.evaluates_at(games) == PLAN.evaluates_at(games)


@pytest.mark.parametrize("cut", [1, 2, 5])
def test_a_run_that_is_killed_after_any_chunk_measures_the_same(cut: int) -> None:
    """Chunks are of 64 games here, since each trainer plays a few only."""
    whole, expected = trained()
    found, state, chunks = list[Measurement](), None, 0
    while True:
        trainer = (
            Trainer(SPEC.begin(), PLAN) if state is None else Trainer.resume(SPEC, PLAN, state)
        )
        for _ in range(cut):
            if not trainer.finished:
                found += trainer.advance(deadline=0.0) or []
                chunks += 1
        state = trainer.state()
        if trainer.finished:
            break
    assert found == expected
    assert chunks > 15
    assert state == whole.state()


def test_what_was_stopped_at_a_point_is_measured_when_it_goes_on() -> None:
    _, expected = trained()
    points: list[Measurement] = []
    run, stops = SPEC.begin(), 0
    while True:
        trainer = Trainer(run, PLAN, [Keep(points), StopAtOnce()])
        run = SPEC.resume(trainer.train().state())
        if trainer.finished:
            break
        stops += 1
    assert points == expected
    assert stops > 15


def test_a_loop_that_does_not_compile_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    @numba.njit
    def loop(games: int) -> int:
        return games + nothing_of_that_name  # type: ignore[name-defined,no-any-return]  # noqa: F821

    run = SPEC.begin()
    monkeypatch.setattr(run.training, "play", loop)
    said = "compiled code of td cannot be compiled: NameError: name 'nothing_of_that_name'"
    with pytest.raises(InputError, match=said):
        Trainer(run, PLAN).train()


def test_finished_runs_are_not_trained_on() -> None:
    run, points = trained()
    trainer = Trainer(run, PLAN, measured=True)
    assert trainer.finished
    assert trainer.advance() == []
    assert run.games == points[-1].games == int(points[-1].value)
    with pytest.raises(InputError, match="of another run"):
        Trainer.resume(RunSpec("tictactoe", "td", {}, "attack", 5), PLAN, run.state())
    with pytest.raises(InputError, match="between 1 and"):
        Trainer(run, Plan(0))


def test_a_slice_of_a_long_run_without_points_ends_soon() -> None:
    config = {"against": "attack", "games": 10**12}
    begun = time.monotonic()
    piece = run_slice(DEFAULT_WORK, config, 1, None, 0.2)
    assert (piece.points, piece.measurements, piece.finished) == (0, [], False)
    assert time.monotonic() - begun < 60  # not days
    work = TrainingWork.resume(config, 1, piece.state or b"")
    assert 0 < work.run.games < 10**11
    assert piece.share == work.share == work.run.games / 10**12


def test_training_that_diverges_ends_soon() -> None:
    run = Run("tictactoe", "line_td", {"alpha": 1e300}, "random", 1)
    with pytest.raises(InputError, match="training diverged"):
        Trainer(run, Plan(10**9)).train()
