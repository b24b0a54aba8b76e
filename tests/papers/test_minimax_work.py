"""Whole games of minimax, as the work of a study."""

from __future__ import annotations

import pytest

from inarow.game import InputError
from inarow.lab.studies.study import run_slice
from inarow.papers.connect_four.minimax import GAME_WORK, NAIVE, OURS, GameWork


@pytest.mark.parametrize("program", [OURS, NAIVE])
def test_a_game_that_was_stopped_goes_on_as_it_would_have(program: str) -> None:
    config = {"program": program, "board": [6, 7], "depth": 4}
    whole = run_slice(GAME_WORK, config, 0, None, float("inf"))
    state, moves = None, 0
    while True:  # a move at a time, everything read again after each
        piece = run_slice(GAME_WORK, config, 0, state, 0.0)
        state, moves = piece.state, moves + piece.points
        if piece.finished:
            break
    assert moves == whole.points
    found = [{f.metric: f.value for f in one.measurements if f.metric != "seconds"}
             for one in (whole, piece)]  # fmt: skip
    assert found[0] == found[1]
    assert GameWork.begin(config, 0).share == 0


@pytest.mark.parametrize("program", [OURS, NAIVE])
@pytest.mark.parametrize(
    "state",
    [
        b'{"moves": [7], "counts": [0, 0], "seconds": 0}',
        b'{"moves": [-1], "counts": [0, 0], "seconds": 0}',
        b'{"moves": [1000000000], "counts": [0, 0], "seconds": 0}',
        b'{"moves": [0, 0, 0, 0, 0, 0, 0], "counts": [0, 0], "seconds": 0}',
        b'{"moves": [1e999], "counts": [0, 0], "seconds": 0}',
        b'{"moves": 3, "counts": [0, 0], "seconds": 0}',
        b'{"moves": [], "counts": [0, 0, 0], "seconds": 0}',
        b'{"moves": [], "counts": [-1, 0], "seconds": 0}',
        b'{"moves": [], "counts": [0, 0], "seconds": NaN}',
        b"[" * 100_000,
        b"",
    ],
)
def test_a_state_that_no_game_has_is_refused(program: str, state: bytes) -> None:
    """Before compiled code puts a stone: it would put it outside the board."""
    with pytest.raises(InputError):
        GameWork.resume({"program": program, "board": [6, 7], "depth": 2}, 0, state)
