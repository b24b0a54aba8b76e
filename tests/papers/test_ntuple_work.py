"""Training runs of n-tuple networks that perfect play evaluates."""

from __future__ import annotations

import pytest

from inarow.game import InputError
from inarow.lab.studies.study import run_slice
from inarow.papers.connect_four import tdl
from inarow.papers.connect_four.tdl import SECONDS, TDLWork

CELL = {
    "game": "connect4:4x5", "learner": "ntuple", "games": 60, "tuples": 3, "length": 4,
    "average": 1.0, "average_every": 5, "alpha": "0.5", "epsilon": "0.2", "perfect_games": 4,
}  # fmt: skip


def test_a_run_that_was_stopped_goes_on_with_the_same_bits() -> None:
    """And with the seconds that it had."""
    piece = run_slice(tdl.TDL_WORK, CELL, 3, None, 0.0)
    assert piece.state is not None
    assert not piece.measurements
    resumed, begun = TDLWork.resume(CELL, 3, piece.state), TDLWork.begin(CELL, 3)
    assert resumed.cpu > 0
    found = []
    for unit in (begun, resumed):
        measurements = []
        while not unit.finished:
            measurements += unit.advance()
        found.append({f.metric: f.value for f in measurements if "seconds" not in f.metric})
    assert found[0] == found[1]
    for kind in ("averaged", "last"):
        assert found[0][f"{kind} wins"] + found[0][f"{kind} losses"] <= 4
    weights = [unit.run.training.arrays["weights"].tobytes() for unit in (begun, resumed)]
    assert weights[0] == weights[1]


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0])
def test_a_state_whose_training_took_no_time_that_there_is_is_refused(seconds: float) -> None:
    config = {"game": "connect4:4x4", "learner": "ntuple", "tuples": 3, "length": 3, "games": 100}
    state = TDLWork.begin(config, 0).state()
    assert TDLWork.resume(config, 0, state).cpu == 0
    for wrong in (SECONDS.pack(seconds) + state[SECONDS.size :], state[:3], b""):
        with pytest.raises(InputError, match="the state "):
            TDLWork.resume(config, 0, wrong)
