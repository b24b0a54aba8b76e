"""The command `reproduce`: one line for bad input, tables, JSON, and files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inarow.game import InputError
from inarow.papers import connect_four, hybrid, parts
from inarow.papers.connect_four import Scale
from inarow.papers.results import load
from inarow.ui.reproduce import reproduce

BOARDS = ((4, 5), (6, 7))


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connect_four.SCALES, "quick", Scale(BOARDS, BOARDS[:1], (2,), 1))


def test_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reproduce("connect-four", "minimax", "quick", out=tmp_path)
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    for text in (
        "Two minimax agents, 6 moves deep",
        "The paper's figures and ours",
        "The naive program, which scans the board at every leaf",
        "not run at this scale",
        "which agents play in Figure 1 is not said",
        "0 of 9 games",
    ):
        assert text in out
    assert any(line.split()[:3] == ["6x7", "draw", "42"] for line in lines)
    assert any(line.split()[-3:] == ["38", "42", "differs"] for line in lines)
    assert (tmp_path / "connect-four-minimax.json").is_file()
    assert len(list((tmp_path / "figures").glob("*.svg"))) == 3


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reproduce("connect-four", "minimax", "quick", out=tmp_path, as_json=True)
    out, err = capsys.readouterr()
    assert err == ""
    assert len(out.splitlines()) == 1
    answer = json.loads(out)
    assert (answer["paper"], answer["part"], answer["scale"]) == (
        "connect-four",
        "minimax",
        "quick",
    )
    for row in answer["rows"]:
        assert {"metric", "board", "published", "ours", "verdict", "reason"} <= set(row)
    moves = next(row for row in answer["rows"] if row["metric"] == "Figure 1: moves")
    assert (moves["published"], moves["ours"], moves["verdict"]) == (38, 42, "differs")
    assert len(load(tmp_path / "connect-four-minimax.json").rows) == 5
    assert all(Path(file).is_file() for file in answer["files"])


HYBRID_ROW = {
    "game", "strategy", "metric", "table", "published", "mean", "stderr", "low", "high", "runs",
    "verdict", "reason",
}  # fmt: skip


def test_json_rows_of_the_hybrid_paper(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hybrid, "MOST_GAMES", 20_000)
    monkeypatch.setattr(hybrid, "TEST_GAMES", 2_000)
    reproduce("hybrid", None, "quick", out=tmp_path, runs=2, game="tictactoe", as_json=True)
    out, err = capsys.readouterr()
    assert err == ""
    answer = json.loads(out)
    assert (answer["paper"], answer["part"]) == ("hybrid", "all")  # a part that needs no name
    assert len(answer["rows"]) == 60
    for row in answer["rows"]:
        assert set(row) == HYBRID_ROW
        run = row["game"] == "tictactoe"
        assert row["runs"] == (2 if run else 0)
        assert (row["mean"] is not None) == run
        assert (row["verdict"] == "not run at this scale") != run
        if row["verdict"] == "differs":
            assert row["reason"]
    games = answer["rows"][0]
    assert (games["strategy"], games["published"], games["mean"]) == (
        "attack-defense",
        99_100,
        20_000,
    )
    assert len([file for file in answer["files"] if file.endswith(".svg")]) == 7


def test_unknown_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown paper 'chess': there is connect-four"):
        reproduce("chess", "minimax", "quick", out=tmp_path)
    with pytest.raises(InputError, match="unknown part 'x' of connect-four: there is minimax"):
        reproduce("connect-four", "x", "quick", out=tmp_path)
    with pytest.raises(InputError, match="unknown scale 'huge': there is quick, paper"):
        reproduce("connect-four", "minimax", "huge", out=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_first_part_needs_no_name() -> None:
    for paper, known in parts.PAPERS.items():
        assert parts.part_of(paper)[0] == next(iter(known))
    assert parts.part_of("max-min", "deep")[0] == "deep"


def test_a_folder_that_cannot_be_made_is_refused_before_the_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(connect_four, "measure", None)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write to .*file"):
        reproduce("connect-four", "minimax", "quick", out=tmp_path / "file")


def test_no_runs_are_refused(run, tmp_path):
    status, _, err = run("reproduce", "hybrid", "--runs", "0", "--out", str(tmp_path))
    assert (status, "0 runs do not work: at least 1 does" in err) == (2, True)
