"""The benchmark's own parts, with turns too short to measure anything: no time is ever checked."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from benchmarks import playouts, rescan, solver_boards, workers

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
def test_bars(game_name: str, contender: str, speed: float, ratio: float, met: bool) -> None:
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
