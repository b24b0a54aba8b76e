"""What files say of indices, counts and sizes is checked before compiled code sees it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.training.run import Run, run_from
from inarow.learn import saved as declared
from inarow.learn.learner import Learner, Training, layout_of
from inarow.learn.registry import BUILT_IN
from inarow.learn.registry import learner as learner_of
from inarow.learn.saved import pack, write_agent
from tests.small_runs import RUNS, small_run

TRAIN_ON = """
import sys
from inarow.ui.main import main
sys.argv = ["inarow", "train", "--resume", sys.argv[1], "--games", "400"]
main()
"""


def test_a_crafted_file_does_not_crash_the_process(tmp_path):
    options = {"version": "paper", "replay": 50, "replay_batch": 8}
    run = Run("tictactoe", "reinforce", options, None, 0)
    run.training.play(300)
    arrays = {**run.training.arrays, "kept": np.array([-(10**9)])}
    path = tmp_path / "agent.safetensors"
    write_agent(path, run.header, arrays)
    ended = subprocess.run(
        [sys.executable, "-c", TRAIN_ON, str(path)],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
        check=False,
    )
    assert ended.returncode == 2, ended
    assert ended.stderr == (
        f"error: {path} cannot be used: array kept holds -1000000000: its values must be between 0"
        " and 9000000000000\n"
    )


def test_every_learner_is_here_with_all_its_arrays():
    assert {small.learner for small in RUNS.values()} == set(BUILT_IN)
    assert set().union(*(small_run(name).training.layout for name in RUNS)) == {
        "counts", "utilities", "values", "weights", "coherence", "averages", "squares", "gradient",
        "expected", "pending", "positions", "moves", "returns", "kept", "learner", "trainer",
        "opponent",
    }  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_every_array_is_declared_as_it_is(name):
    run = small_run(name)
    layout = layout_of(run.learner, run.game, run.seed)
    assert layout == run.training.layout
    assert layout.keys() == run.training.arrays.keys()
    for array, field in layout.items():
        assert field.dtype.kind in "fiu", array
        if field.dtype.kind != "f":
            limits = np.iinfo(field.dtype)
            assert limits.min <= field.low <= field.high <= limits.max, array
    again = run_from(run.state())
    assert again.state() == run.state()


def adverse(field: declared.Field) -> list[Any]:
    """Values that must not come through: just outside, and as far outside as the type goes."""
    if field.dtype.kind == "f":
        return [np.nan, np.inf, -np.inf] + [-1e-3] * (field.low == 0)
    limits = np.iinfo(field.dtype)
    outside = [field.low - 1, field.high + 1, limits.min, limits.max, -(10**9)]
    return [
        value
        for value in outside
        if limits.min <= value <= limits.max and not field.low <= value <= field.high
    ]


@pytest.mark.parametrize("name", RUNS)
def test_adverse_values_are_refused_in_every_array(name):
    run = small_run(name)
    for array, field in run.training.layout.items():
        for value in adverse(field):
            for place in (0, -1):
                changed = run.training.arrays[array].copy()
                changed.reshape(-1)[place] = value
                content = pack(run.header, {**run.training.arrays, array: changed})
                with pytest.raises(InputError, match=f"array {array} holds"):
                    run_from(content)
                with pytest.raises(InputError, match=f"array {array} holds"):
                    run.training.restore({**run.training.arrays, array: changed})


@pytest.mark.parametrize("name", RUNS)
def test_arrays_of_another_shape_type_or_name_are_refused(name):
    run = small_run(name)
    arrays = run.training.arrays
    for array, held in arrays.items():
        others = [
            held[:-1],
            np.concatenate([held, held]),
            np.zeros(held.shape, np.float16),
            held[None],
        ]
        for changed in [np.ascontiguousarray(other) for other in others]:
            with pytest.raises(InputError):
                run_from(pack(run.header, {**arrays, array: changed}))
        fewer = {kept: arrays[kept] for kept in arrays if kept != array}
        with pytest.raises(InputError):
            run_from(pack(run.header, fewer))
        with pytest.raises(InputError, match="the arrays are"):
            run_from(pack(run.header, {**arrays, "more": held}))


def test_counts_add_up():
    run = small_run("td")
    for counts in ([12, 12, 1, 0, 0], [12, 6, 5, 0, 0], [12, 12, 0, 0, 13]):
        with pytest.raises(InputError, match="does not add up"):
            run_from(pack(run.header, {**run.training.arrays, "counts": np.array(counts)}))


def test_a_stream_of_zeros_is_refused():
    run = small_run("q")
    zeros = np.zeros(4, dtype=np.uint64)
    with pytest.raises(InputError, match="array learner holds zeros only"):
        run_from(pack(run.header, {**run.training.arrays, "learner": zeros}))


def test_whole_numbers_need_a_range():
    with pytest.raises(TypeError, match="say their range"):
        declared.real((3,), np.int64)
    with pytest.raises(TypeError, match="missing 2 required"):
        declared.whole((3,))  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="not of type int8"):
        declared.whole((3,), 0, 1000, np.int8)


class Forgetful(Learner):
    """Declares one of its two arrays."""

    def layout(self, game, seed, most):  # noqa: ARG002
        return {"values": declared.real((2,))}

    def agent(self, game, seed, arrays):
        """Nobody."""

    def begin(self, game, opponent, seed):  # noqa: ARG002
        return Forgotten(self, game, seed)


class Forgotten(Training):
    """Has an array that is not declared."""

    def __init__(self, learner, game, seed):
        super().__init__(learner, game, None, seed)
        self.begin_with({"values": np.zeros(2), "index": np.zeros(1, dtype=np.int64)})

    def play(self, games):
        """Not at all."""


class Undeclared(Learner):
    """Declares nothing."""

    begin = Forgetful.begin


def test_a_learner_that_forgets_to_declare_an_array_cannot_begin():
    with pytest.raises(InputError, match="the arrays are counts, index, values, not"):
        Forgetful().begin(game_of("tictactoe"), None, 0)
    with pytest.raises(TypeError, match="abstract"):
        Undeclared()  # type: ignore[abstract]


# Small files, large appetites


@pytest.mark.parametrize(
    ("name", "game", "options", "message"),
    [
        ("ntuple", "qubic", {"tuples": 40_000, "length": 8}, "40,000 tuples of 8 cells have more"),
        ("ntuple", "qubic", {"tuples": 1, "length": 64}, "1 tuples of 64 cells have more weights"),
        ("ntuple", "board:32x31,k=5", {"tuples": 1057, "length": 992}, "have more weights"),
        ("ntuple", "qubic", {"cells": ",".join(map(str, range(64)))}, "a tuple of 64 cells has"),
        ("ntuple", "board:4096x1,gravity", {"cells": ",".join(map(str, range(4096)))}, "4096 cel"),
        ("mlp", "qubic", {"network": "100000,100"}, "there is room for"),
        ("mlp", "ntictactoe:16^3", {"network": "lines:9"}, "there is room for"),
        ("line_td", "mnk:64x64x64", {"phases": 4096}, "weights, not"),
        ("monte_carlo", "mnk:64x64x5", {"hidden": 4096}, "not float32"),
        ("reinforce", "mnk:64x64x5", {"hidden": 64}, "array expected is"),
        ("reinforce of the paper", "mnk:64x64x5", {"replay": 10**7}, "GiB: the limit is 1 GiB"),
        ("td", "qubic", {}, "qubic has more positions than"),
        ("td by symmetry", "mnk:4x4x4", {}, "mnk:4x4x4 has more positions than"),
        ("q", "connect4:6x7", {}, "connect4:6x7 has more positions than"),
        ("line_td", "ntictactoe:2^12", {}, "8,386,560 lines: learners take at most"),
    ],
)
def test_a_small_file_asks_for_no_more_than_it_holds(monkeypatch, name, game, options, message):
    run = small_run(name)
    options = {**run.header.options, **options}
    header = replace(run.header, game=game, options=options)

    def begin(*_):
        raise AssertionError("nothing is built for a file that does not fit")

    monkeypatch.setattr(type(run.learner), "begin", begin)
    with pytest.raises(InputError, match=message):
        run_from(pack(header, run.training.arrays))


@pytest.mark.parametrize(
    ("game", "learner", "options", "message"),
    [
        ("board:32x31,k=5", "ntuple", {"tuples": 1057, "length": 992}, "more weights than there"),
        ("qubic", "ntuple", {"length": 64}, "more weights than there is room for"),
        ("qubic", "ntuple", {"tuples": 40_000}, "more weights than there is room for: 67,1"),
        ("mnk:64x64x5", "reinforce", {"version": "paper", "replay": 10**7}, "the limit is 1 GiB"),
        ("mnk:64x64x64", "line_td", {"phases": 4096}, "the limit is 1 GiB"),
        ("tictactoe", "ntuple", {"depth": 65}, "option depth must be between 1 and 64, n"),
        (
            "tictactoe",
            "ntuple",
            {"opening": 2**62},
            "option opening must be between 0 and 1,",
        ),
        ("tictactoe", "reinforce", {"batch": 10**10}, "batch must be between 1 and"),
        ("tictactoe", "reinforce", {"hidden": 5000}, "hidden must be between 1 and 4,096"),
        ("tictactoe", "ntuple", {"length": 10**400}, "option length must be between"),
        ("tictactoe", "td", {"gamma": 10**400}, "option gamma must be a number"),
        ("tictactoe", "td", {"alpha": "0.5*0.9/" + "9" * 400}, "cannot fall every"),
        ("tictactoe", "mlp", {"network": "9" * 200_000}, "at most 100,000 characters"),
    ],
)
def test_absurd_options_are_refused_at_once(monkeypatch, game, learner, options, message):
    found = None
    monkeypatch.setattr(
        "inarow.learn.ntuple.network.neighbours", lambda game: pytest.fail("it drew them")
    )
    with pytest.raises(InputError, match=message):
        found = learner_of(learner, options).begin(game_of(game), None, 0)
    assert found is None
