"""The benchmarks' own parts, with turns too short to measure anything: no time is ever checked."""

from __future__ import annotations

import json
import os
import sys
import time
from types import SimpleNamespace

import httpx
import numpy as np
import pytest

from benchmarks import cube, deep, environments, ntuple, playouts, rescan, solver_boards, workers
from benchmarks.serve import MEETINGS, Row, Server, look_around
from inarow.game import game as game_of
from inarow.lab.players.names import player
from inarow.web.opponents import opponents_of
from tests.ui.server.live import serving

PEERS = ("pyspiel", "pgx", "pettingzoo")


@pytest.fixture
def no_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in PEERS:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(playouts, "CHECKED_GAMES", 500)


@pytest.mark.parametrize("game_name", ["ntictactoe:3^3", "ntictactoe:3^4"])
def test_rescan_plays_like_the_engine(game_name: str) -> None:
    check = rescan.agreement(game_name, 3000)
    assert check["games"] == 3000
    assert sum(check["table"]) == pytest.approx(1)
    assert sum(check["rescan"]) == pytest.approx(1)
    assert check["sigmas"] < 5


def test_agreement_sees_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    def always_first(game_name: str, seed: int) -> rescan.Count:  # noqa: ARG001
        return lambda games: np.array([games, 0, 0], dtype=np.int64)

    monkeypatch.setattr(rescan, "count_by_rescan", always_first)
    assert rescan.agreement("ntictactoe:3^3", 1000)["sigmas"] > 5


@pytest.mark.usefixtures("no_peers")
def test_json_without_peers(capsys: pytest.CaptureFixture[str]) -> None:
    assert playouts.main(["--rounds", "2", "--seconds", "0.001", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["rounds"] == 2
    assert {"python", "numba"} <= set(result["versions"])
    assert len(result["left_out"]) == 4
    contenders = {(row["game"], row["contender"]) for row in result["rows"]}
    assert contenders == {(name, playouts.OURS) for name in playouts.GAMES} | {
        ("ntictactoe:3^3", playouts.RESCAN),
        ("ntictactoe:3^4", playouts.RESCAN),
    }
    for row in result["rows"]:
        assert row["games_per_cpu_second"] > 0
        assert 0 < row["ratio_lowest"] <= row["ratio"] <= row["ratio_highest"]
        if row["contender"] == playouts.OURS:
            assert row["ratio_lowest"] == row["ratio_highest"] == 1
    met = {target["game"]: target["met"] for target in result["targets"]}
    assert list(met) == list(playouts.GAMES)
    assert [met[name] for name in playouts.OPEN_SPIEL] == [None] * 3
    assert None not in [met[name] for name in playouts.GAMES if name not in playouts.OPEN_SPIEL]


@pytest.mark.usefixtures("no_peers")
def test_missing_peers_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    only = ["tictactoe", "ntictactoe:3^3"]
    assert playouts.main(["--rounds", "1", "--seconds", "0.001", "--only", *only]) == 0
    lines = capsys.readouterr().out.splitlines()
    for peer in ("OpenSpiel, C++ rollouts", "Pgx, batched", "PettingZoo, AEC loop"):
        assert any(line.startswith(f"{peer}: left out (") for line in lines)
    assert any("not measured" in line for line in lines)
    assert max(map(len, lines)) <= 80


def test_ratios_are_taken_round_by_round() -> None:
    ours = playouts.Contender("qubic", playouts.OURS, int, rates=[100.0, 300.0, 200.0])
    peer = playouts.Contender("qubic", playouts.CPP, int, rates=[1.0, 2.0, 1.0])
    row = playouts.rows_of([ours, peer])[1]
    assert row["games_per_cpu_second"] == 1
    assert (row["ratio_lowest"], row["ratio"], row["ratio_highest"]) == (100, 150, 200)


@pytest.mark.parametrize(
    ("game_name", "contender", "speed", "ratio", "met"),
    [
        ("qubic", playouts.CPP, 1.0, 100.0, True),
        ("qubic", playouts.CPP, 1.0, 99.9, False),
        ("ntictactoe:3^7", playouts.OURS, 2000.0, 1.0, True),
        ("ntictactoe:3^7", playouts.OURS, 1999.0, 1.0, False),
    ],
)
def test_targets(game_name: str, contender: str, speed: float, ratio: float, met: bool) -> None:
    row = {"game": game_name, "contender": contender}
    row |= {"games_per_cpu_second": speed, "ratio": ratio}
    (target,) = playouts.judge([row], [game_name])
    assert target["met"] is met


@pytest.mark.parametrize("options", [["--rounds", "0"], ["--seconds", "-1"], ["--only", "chess"]])
def test_bad_options(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        playouts.main(options)
    assert stopped.value.code == 2
    assert "error:" in capsys.readouterr().err


def test_one_thread_and_several_solve_the_same() -> None:
    row = workers.measure("44444352622617", 2, 2, 16)
    assert row["position"] == "44444352622617"
    assert row["lowest"] <= row["speed_up"] <= row["highest"]
    assert (row["workers"], row["wanted"]) == (2, 1.7)


def test_scores_on_another_board_are_those_of_a_plain_search():
    row = solver_boards.measure_board("connect4:5x9", 36, 20, compared=True)
    assert (row["positions"], row["disagreements"]) == (20, 0)


# The parts of `benchmarks/cube.py`.

NETWORK = "small-structured"


@pytest.fixture
def short_cube(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials of a few games, and no libraries."""
    monkeypatch.setitem(sys.modules, "jax", None)
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(cube, "TRIAL_GAMES", 20)


@pytest.mark.usefixtures("short_cube")
def test_json_of_the_cube(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--rounds", "1", "--seconds", "0.001", "--only", NETWORK, "--json"]
    assert cube.main(arguments) == 0
    result = json.loads(capsys.readouterr().out)
    assert {row["contender"] for row in result["rows"]} == {playouts.OURS, cube.DOUBLE, cube.PLAIN}
    assert all(row["games_per_cpu_second"] > 0 for row in result["rows"])
    assert result["weights"] == {NETWORK: 1520}
    assert len(result["trials"]) == 2
    assert all(row["network"] == NETWORK and row["seconds"] > 0 for row in result["trials"])
    assert len(result["targets"]) == 3


@pytest.mark.usefixtures("short_cube")
def test_missing_libraries_of_the_cube_are_named() -> None:
    contenders, left_out = cube.enter([cube.LIBRARY_NETWORK], 1e-6)
    assert [contender.name for contender in contenders] == [playouts.OURS, cube.DOUBLE, cube.PLAIN]
    assert len(left_out) == 2
    for line, name in zip(left_out, cube.LIBRARIES, strict=True):
        assert line.startswith(f"{name}: left out (")


@pytest.mark.parametrize("library", ["jax", "torch"])
def test_libraries_play_the_cube(library: str) -> None:
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
def test_targets_of_the_cube(network: str, contender: str, ratio: float, met: bool) -> None:
    (target,) = cube.judge([{"game": network, "contender": contender, "ratio": ratio}], [])
    assert target["met"] is met


def test_targets_of_trials() -> None:
    trials = [{"network": NETWORK, "trained": "itself", "seconds": s} for s in (120.0, 120.1)]
    assert [target["met"] for target in cube.judge([], trials)] == [True, False]
    assert cube.judge([{"game": NETWORK, "contender": playouts.OURS, "ratio": 1.0}], []) == []


@pytest.mark.parametrize("options", [["--rounds", "0"], ["--seconds", "-1"], ["--only", "chess"]])
def test_bad_options_of_the_cube(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cube.main(options)
    assert stopped.value.code == 2
    assert "error:" in capsys.readouterr().err


# The parts of `benchmarks/deep.py`.


@pytest.mark.parametrize("name", ["ntictactoe:3^3", "ntictactoe:3^4"])
def test_all_ways_know_the_same_score(name: str) -> None:
    cells = game_of(name).cells
    for moves in (cells // 2, cells - 1, cells):
        found = deep.scores(name, moves)
        assert len(set(found.values())) == 1, found
    assert sum(deep.scores(name, cells)[deep.OURS]) > 0


def test_directions_are_all_lines() -> None:
    game = game_of("ntictactoe:3^4")
    views = deep.directions(game, np.arange(81, dtype=np.int8).reshape(3, 3, 3, 3))
    assert len(views) == (3**4 - 1) // 2
    found = {frozenset(axis) for view in views for axis in view.reshape(-1, 3).tolist()}
    lines = {frozenset(line) for line in game.lines.tolist()}
    assert found == lines


def test_it_runs_without_jax(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "jax", None)
    arguments = ["--rounds", "1", "--seconds", "0.001", "--only", "tictactoe"]
    assert deep.main([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [row["contender"] for row in result["rows"]] == [deep.OURS]
    assert [target["met"] for target in result["targets"]] == [None]
    assert "JAX, a call a game: left out" in result["left_out"][0]
    assert deep.main(arguments) == 0
    assert "not measured" in capsys.readouterr().out


def test_jax_learns_too(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jax")
    assert deep.main(["--rounds", "1", "--seconds", "0.001", "--only", "tictactoe"]) == 0
    assert deep.JAX in capsys.readouterr().out


# The parts of `benchmarks/environments.py`.


@pytest.fixture
def short_environments(monkeypatch):
    monkeypatch.setattr(environments, "ROWS", {1: 40, 64: 3, 4096: 2})
    monkeypatch.setitem(sys.modules, "pgx", None)


@pytest.mark.usefixtures("short_environments")
def test_it_measures_whoever_is_there(capsys):
    arguments = ["--only", "tictactoe", "--sizes", "1", "--rounds", "1", "--seconds", "0.001"]
    assert environments.main([*arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["differing"] == []
    assert {row["contender"] for row in result["rows"]} >= {environments.OURS}
    assert any("left out" in line for line in result["left_out"])
    assert result["targets"][0]["met"] is None  # nothing of Pgx, nothing measured


@pytest.mark.usefixtures("short_environments")
def test_it_sees_who_plays_something_else():
    def never_over(game, n, actions):  # noqa: ARG001
        return (lambda start, stop: None), (lambda: np.zeros(n, dtype=bool))

    actions = environments.record("tictactoe", 1)
    assert environments.agrees("tictactoe", environments.ours, 1, actions)
    assert not environments.agrees("tictactoe", never_over, 1, actions)


@pytest.mark.usefixtures("short_environments")
def test_targets_of_environments():
    def row(name, n, ratio):
        return {"game": "tictactoe", "n": n, "contender": name, "ratio": ratio}

    rows = [row(environments.OURS, 4096, 1.0), row(environments.PGX, 4096, 19.0)]
    assert [target["met"] for target in environments.judge(rows)] == [False, None, True]
    rows[1]["ratio"] = 20.0
    rows.append(row(environments.OPEN_SPIEL, 1, 0.9))
    assert [target["met"] for target in environments.judge(rows)] == [True, None, False]


# The parts of `benchmarks/ntuple.py`.


@pytest.fixture
def small_ntuple(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ntuple, "TUPLES", (5, 7))
    monkeypatch.setattr(ntuple, "CHECKED_GAMES", 40)
    monkeypatch.setattr(ntuple, "WARM_GAMES", 5)


@pytest.mark.usefixtures("small_ntuple")
def test_both_learn_the_same_weights() -> None:
    assert ntuple.same_weights(6, 200)
    assert ntuple.same_weights(5, 100, seed=4)


@pytest.mark.usefixtures("small_ntuple")
def test_json_and_text_of_ntuple(capsys: pytest.CaptureFixture[str]) -> None:
    assert ntuple.main(["--rounds", "2", "--seconds", "0.001", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["same_weights"] is True
    assert [row["tuples"] for row in result["rows"]] == [5, 7]
    for row in result["rows"]:
        assert 0 < row["ratio_lowest"] <= row["ratio"] <= row["ratio_highest"]
    assert ntuple.main(["--quick", "--seconds", "0.001"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "bit by bit" in lines[0]
    assert len(lines) == 4


@pytest.mark.usefixtures("small_ntuple")
def test_a_difference_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ntuple, "same_weights", lambda tuples, games: tuples + games < 0)
    assert ntuple.main(["--quick", "--seconds", "0.001"]) == 1
    assert "DIFFERENT WEIGHTS" in capsys.readouterr().out


# The parts of `benchmarks/serve.py` that need no browser.


@pytest.mark.parametrize(("value", "passes"), [(0.019, True), (0.02, True), (3.0, False)])
def test_a_figure_is_within_its_target_or_not(value, passes):
    assert Row("share of a core", value, 0.02).passes is passes


def test_cpu_time_and_memory_of_a_process():
    server = Server("", SimpleNamespace(pid=os.getpid()))
    if server.memory == 0:
        pytest.skip("the system does not say")
    before = server.cpu
    while time.process_time() < before + 0.05:
        pass
    assert server.cpu > before
    assert server.cpu == pytest.approx(time.process_time(), abs=1.0)
    assert 10 < server.memory < 100_000


def test_every_meeting_is_offered():
    for name, against in MEETINGS:
        assert player(against) is not None
        assert against in {one["player"] for one in opponents_of(game_of(name))}


def test_looking_leaves_nothing(tmp_path):
    """Two hundred requests without a cookie, after as many to warm up; here with its clients."""
    with serving(tmp_path) as address:
        httpx.get(f"{address}/api/games")
        kept = look_around(Server(address, SimpleNamespace(pid=os.getpid())), 200)
    assert kept < 20
