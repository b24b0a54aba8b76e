"""The cube benchmark's own parts, with turns too short to measure anything: no time is checked."""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks import cube
from benchmarks.playouts import OURS

NETWORK = "small-structured"


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials of a few games, and no libraries."""
    monkeypatch.setitem(sys.modules, "jax", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(cube, "TRIAL_GAMES", 20)


@pytest.mark.usefixtures("short")
def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--rounds", "1", "--seconds", "0.001", "--only", NETWORK, "--json"]
    assert cube.main(arguments) == 0
    result = json.loads(capsys.readouterr().out)
    assert {row["contender"] for row in result["rows"]} == {OURS, cube.DOUBLE, cube.PLAIN}
    assert all(row["games_per_cpu_second"] > 0 for row in result["rows"])
    assert result["weights"] == {NETWORK: 1520}
    assert len(result["trials"]) == 2
    assert all(row["network"] == NETWORK and row["seconds"] > 0 for row in result["trials"])
    assert len(result["targets"]) == 3


@pytest.mark.usefixtures("short")
def test_missing_libraries_are_named() -> None:
    contenders, left_out = cube.enter([cube.LIBRARY_NETWORK], 1e-6)
    assert [contender.name for contender in contenders] == [OURS, cube.DOUBLE, cube.PLAIN]
    assert len(left_out) == 2
    for line, name in zip(left_out, cube.LIBRARIES, strict=True):
        assert line.startswith(f"{name}: left out (")


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_libraries_play(library: str) -> None:
    pytest.importorskip(library)
    assert {"jax": cube.jax_games, "torch": cube.torch_games}[library]("lines:2,5")(1) == 1


@pytest.mark.parametrize(
    ("network", "contender", "ratio", "met"),
    [
        ("deep-structured", cube.PLAIN, 15.0, True),
        ("deep-structured", cube.PLAIN, 14.9, False),
        ("deep-structured", cube.JAX, 100.0, True),
        ("deep-structured", cube.JAX, 99.9, False),
        ("deep-structured", cube.TORCH, 99.9, False),
        ("small-structured", cube.PLAIN, 19.9, False),
        ("wide-unstructured", cube.PLAIN, 8.0, True),
    ],
)
def test_bars(network: str, contender: str, ratio: float, met: bool) -> None:
    (target,) = cube.judge([{"game": network, "contender": contender, "ratio": ratio}], [])
    assert target["met"] is met


def test_bars_of_trials() -> None:
    trials = [{"network": NETWORK, "trained": "itself", "seconds": s} for s in (120.0, 120.1)]
    assert [target["met"] for target in cube.judge([], trials)] == [True, False]
    assert cube.judge([{"game": NETWORK, "contender": OURS, "ratio": 1.0}], []) == []


@pytest.mark.parametrize("options", [["--rounds", "0"], ["--seconds", "-1"], ["--only", "chess"]])
def test_bad_options(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cube.main(options)
    assert stopped.value.code == 2
    assert "error:" in capsys.readouterr().err
