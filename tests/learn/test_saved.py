"""Saved agents: what is written is read, and everything else is refused in one line."""

from __future__ import annotations

import contextlib
import json
import pickle
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load, save

import inarow
from inarow.game.errors import InputWarning
from inarow.lab.training.run import Run, load_run, run_from, train
from inarow.learn.saved import (
    FORMAT,
    KEY,
    SHIPPED,
    digest_of,
    digest_of_agent,
    pack,
    read_agent,
)
from inarow.ui.main import main


@pytest.fixture(scope="module")
def run() -> Run:
    return train("tictactoe", "td", against="attack-defense", games=5000, seed=4, draw_reward=0.1)


def header_of(content: bytes) -> dict[str, str]:
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length])["__metadata__"]


def test_a_saved_run_goes_on_as_if_nothing_had_happened(run, tmp_path):
    run.save(tmp_path / "agent.safetensors")
    again = load_run(tmp_path / "agent.safetensors")
    assert (again.games, again.seed, again.against) == (5000, 4, "attack-defense")
    assert again.learner == run.learner
    assert again.learner.draw_reward == 0.1
    straight = train(
        "tictactoe", "td", against="attack-defense", games=6000, seed=4, draw_reward=0.1
    )
    again.training.play(1000)
    for name, array in straight.training.arrays.items():
        assert (again.training.arrays[name] == array).all()


def test_the_same_run_gives_the_same_bytes(run):
    again = train("tictactoe", "td", against="attack-defense", games=5000, seed=4, draw_reward=0.1)
    assert run.state() == again.state() == run_from(run.state()).state()


def test_the_header_says_everything(run):
    header = json.loads(header_of(run.state())[KEY])
    assert header["format"] == FORMAT
    assert header["game"] == "tictactoe"
    assert header["learner"] == "td"
    assert header["options"]["alpha"] == "0.25"
    assert (header["seed"], header["games"], header["against"]) == (4, 5000, "attack-defense")
    assert header["version"] == inarow.__version__


def changed(run: Run, **changes) -> bytes:
    header = {**json.loads(header_of(run.state())[KEY]), **changes}
    if "digest" not in changes:  # it is that of the changed header
        parts = {key: value for key, value in header.items() if key not in ("format", "digest")}
        header["digest"] = digest_of_agent(parts, run.training.arrays)
    return save(run.training.arrays, metadata={KEY: json.dumps(header)})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "inarow agent 1"}, "it is of an earlier version of inarow, so train the agent"),
        ({"format": "inarow agent 9"}, "its format is not 'inarow agent 2'"),
        ({"learner": "os:path"}, "unknown learner 'os:path': .* inarow --learner os:path COMMAND"),
        ({"game": "chess"}, "unknown game"),
        ({"game": "connect4:4x4"}, "has more positions than a table of 10,969 values"),
        ({"game": "mnk:3x3x2"}, "array utilities is float64"),
        ({"learner": "magic"}, "unknown learner 'magic'"),
        ({"options": {"gamma": "x"}}, "option gamma must be a number"),
        ({"options": {"what": 1}}, "td has no option 'what'"),
        ({"options": []}, "its options is"),
        ({"against": "nobody"}, "unknown player 'nobody'"),
        ({"against": None}, "say whom it plays"),
        ({"games": 17}, "it says 17 games, and 5000"),
        ({"seed": -1}, "seed -1 is negative"),
        ({"seed": "1"}, "its seed is '1'"),
        ({"resumable": "no"}, "its resumable is 'no'"),
        ({"resumable": None}, "its resumable is None"),
        ({"resumable": 1}, "its resumable is 1"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(run, changes, message):
    with pytest.raises(inarow.InputError, match=message):
        run_from(changed(run, **changes))


def test_foreign_and_broken_files_are_refused(run, tmp_path):
    arrays = run.training.arrays
    foreign = {
        "nothing": b"",
        "text": b"hello",
        "pickle": pickle.dumps({"a": 1}),
        "other": save({"weights": np.zeros(3)}),
        "format": save(arrays, metadata={KEY: '{"format": "inarow agent 0"}'}),
        "header": save(arrays, metadata={KEY: "{"}),
        "list": save(arrays, metadata={KEY: "[]"}),
        "missing": save(arrays, metadata={KEY: json.dumps({"format": FORMAT})}),
    }
    for name, content in foreign.items():
        path = tmp_path / f"{name}.safetensors"
        path.write_bytes(content)
        with pytest.raises(inarow.InputError, match=name):
            inarow.player(str(path))
    with pytest.raises(inarow.InputError, match="there is no file"):
        inarow.player(str(tmp_path / "absent.safetensors"))


def test_values_that_are_no_numbers_are_refused(run):
    arrays = {name: array.copy() for name, array in run.training.arrays.items()}
    arrays["utilities"][1, 5] = np.nan
    with pytest.raises(inarow.InputError, match="not finite"):
        run_from(pack(run.header, arrays))
    del arrays["learner"]
    with pytest.raises(inarow.InputError, match="the arrays are"):
        run_from(pack(run.header, arrays))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_cut_file_is_refused_and_a_changed_byte_never_crashes(run, data):
    content = run.state()
    length = data.draw(st.integers(0, len(content) - 1))
    with pytest.raises(inarow.InputError):
        run_from(content[:length])
    header_end = 8 + int.from_bytes(content[:8], "little")
    place = data.draw(st.integers(0, header_end - 1))
    broken = bytearray(content)
    broken[place] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(inarow.InputError):
        assert run_from(bytes(broken)).games == 5000


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_changed_byte_of_the_arrays_is_refused(run, data):
    """Finite values of the right range were taken for those of another agent."""
    content = run.state()
    place = data.draw(st.integers(8 + int.from_bytes(content[:8], "little"), len(content) - 1))
    broken = bytearray(content)
    broken[place] ^= data.draw(st.integers(1, 255))
    with pytest.raises(inarow.InputError, match="state is damaged: it is not what was saved"):
        run_from(bytes(broken))


def test_a_changed_bit_of_the_header_is_refused(run):
    """One digit of an option, the seed or the number of games is another agent."""
    content = run.state()
    until = 8 + int.from_bytes(content[:8], "little")
    text = run.header
    for place in range(until):
        broken = bytearray(content)
        broken[place] ^= 1 << place % 8
        with contextlib.suppress(inarow.InputError):
            assert run_from(bytes(broken)).header == text


def test_a_digest_of_the_arrays_alone_is_known(run):
    assert run_from(changed(run, digest=digest_of(run.training.arrays))).header == run.header


def test_a_digest_is_of_names_types_shapes_and_values():
    arrays = {"a": np.arange(6, dtype=np.int32), "b": np.zeros(0), "c": np.float32(2).reshape(())}
    others = [
        {**arrays, "a": arrays["a"][::-1]},
        {**arrays, "a": arrays["a"].reshape(2, 3)},
        {**arrays, "a": arrays["a"].view(np.float32)},
        {**arrays, "b": np.zeros((0, 1))},
        {"d" if name == "a" else name: array for name, array in arrays.items()},
        {name: array for name, array in arrays.items() if name != "b"},
    ]
    assert len({digest_of(some) for some in [arrays, *others]}) == 1 + len(others)
    turned = {name: arrays[name] for name in "cab"}
    turned["a"] = np.repeat(arrays["a"], 2).astype(">i4")[::2]
    assert digest_of(turned) == digest_of(arrays)


def without_digest(run: Run) -> bytes:
    header = json.loads(header_of(run.state())[KEY])
    del header["digest"]
    return save(run.training.arrays, metadata={KEY: json.dumps(header)})


def test_a_file_without_a_digest_opens_with_a_note(run, tmp_path, monkeypatch, capsys):
    path = tmp_path / "old.safetensors"
    path.write_bytes(without_digest(run))
    with pytest.warns(InputWarning, match=r"old.safetensors has no digest, so damage to it"):
        again = load_run(path)
    again.save(path)
    assert read_agent(path)[0] == run.header  # and no note
    path.write_bytes(without_digest(run))
    monkeypatch.setattr(sys, "argv", ["inarow", "certify", "tictactoe", str(path), "--json"])
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        with pytest.raises(SystemExit) as end:
            main()
    said = capsys.readouterr()
    assert not end.value.code
    assert json.loads(said.out)["proven"]
    assert (
        said.err
        == f"note: {path} has no digest, so damage to it would not be noticed: save it again\n"
    )


def test_shipped_files_need_no_digest():
    """Whoever installs the package checks them."""
    for path in SHIPPED.glob("*.safetensors"):
        read_agent(path)


def test_a_digest_is_text(run):
    with pytest.raises(inarow.InputError, match="its digest is 7"):
        run_from(changed(run, digest=7))


def test_nothing_half_written_is_left(run, tmp_path):
    run.save(tmp_path / "deep" / "agent.safetensors")
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["agent.safetensors"]
    with pytest.raises(inarow.InputError, match="cannot write"):
        run.save(tmp_path / "deep" / "agent.safetensors" / "below")
    assert load((tmp_path / "deep" / "agent.safetensors").read_bytes()).keys() == (
        run.training.arrays.keys()
    )
