"""The command `reproduce`: one line for bad input, tables, JSON, and files."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from inarow.game import InputError
from inarow.papers.catalogue import names, paper_of
from inarow.papers.results import load
from inarow.papers.study import Condition
from inarow.papers.verdicts import KINDS
from inarow.ui.reproduce import reproduce


@pytest.fixture
def two_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Connect Four paper's games on its two smallest boards."""
    paper: Any = paper_of("connect-four")
    conditions = [
        c for c in paper.parts[0].conditions("quick") if c.labels["board"] in ("6x7", "8x9")
    ]
    part: Any = replace(paper.parts[0], conditions=conditions, facts=lambda request: {})
    small = replace(paper, parts=(part, *paper.parts[1:]))
    monkeypatch.setattr("inarow.papers.catalogue.paper_of", lambda name: small)


@pytest.mark.usefixtures("two_boards")
def test_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reproduce("connect-four", "minimax", "quick", out=tmp_path)
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    for text in ("Two minimax agents, 6 moves deep", "The naive program, which scans the board"):
        assert text in out
    assert any(line.split()[:3] == ["6x7", "draw", "42"] for line in lines)
    assert (tmp_path / "connect-four-minimax.json").is_file()
    assert len(list((tmp_path / "figures").glob("*.svg"))) == 3


@pytest.mark.usefixtures("two_boards")
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
    rows = {row["name"]: row for row in answer["rows"]}
    assert (rows["time/30x31"]["published"], rows["time/30x31"]["verdict"]) == (19, "not run")
    assert rows["same-games"]["ours"] == 2
    assert len(load(tmp_path / "connect-four-minimax.json").rows) == 10
    assert all(Path(file).is_file() for file in answer["files"])


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hybrid paper's study with fewer games."""
    few = {"games": 20_000, "evaluations": ["games:random:2000:second", "expert", "exact:random",
                                             "certificate"]}  # fmt: skip
    paper: Any = paper_of("hybrid")
    conditions = [
        Condition(c.labels, {**c.parameters, **few}, c.work, c.runs)
        for c in paper.parts[0].conditions
    ]
    read: Any = partial(paper.parts[0].read, most=20_000)
    made: Any = replace(paper.parts[0], conditions=conditions, read=read)
    small = replace(paper, parts=(made, *paper.parts[1:]))
    monkeypatch.setattr("inarow.papers.catalogue.paper_of", lambda name: small)


@pytest.mark.usefixtures("short")
def test_a_specification(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reproduce("hybrid", None, "quick", out=tmp_path, runs=2, game="tictactoe", as_json=True)
    out, err = capsys.readouterr()
    assert err == ""
    answer = json.loads(out)
    assert (answer["paper"], answer["part"]) == ("hybrid", "all")  # a part that needs no name
    rows = {row["name"]: row for row in answer["rows"]}
    games = rows["table-1-games/tictactoe/attack-defense"]
    assert (games["trainer"], games["published"], games["ours"]) == (
        "attack-defense",
        99_100,
        20_000,
    )
    assert (games["runs"], games["verdict"]) == (2, "too few runs")
    assert rows["table-1-games/connect4:4x4/random"]["verdict"] == "not run"
    for kind, by in answer["counts"].items():
        of_kind = [row["verdict"] for row in answer["rows"] if row["kind"] == kind]
        assert by == {verdict: of_kind.count(verdict) for verdict in set(of_kind)}
    assert len([file for file in answer["files"] if file.endswith(".svg")]) == 7
    reproduce("hybrid", None, "quick", out=tmp_path, runs=2, game="tictactoe")
    out, err = capsys.readouterr()
    assert err == ""
    assert max(map(len, out.splitlines())) <= 80
    for kind, by in answer["counts"].items():
        (line,) = (line for line in out.splitlines() if line.strip().startswith(KINDS[kind]))
        numbers = [int(word) for word in line.replace(KINDS[kind], "").split()]
        assert sorted(n for n in numbers[:-1] if n) == sorted(by.values())


def test_the_list_of_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in names():
        reproduce(name, out=tmp_path, show_list=True, as_json=True)
        listed = json.loads(capsys.readouterr().out)
        assert [part["part"] for part in listed["parts"]] == [p.name for p in paper_of(name).parts]
        reproduce(name, out=tmp_path, show_list=True)
        out = capsys.readouterr().out
        assert all(part["part"] in out for part in listed["parts"])
    assert list(tmp_path.iterdir()) == []


def test_unknown_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown paper 'chess': there is connect-four"):
        reproduce("chess", "minimax", "quick", out=tmp_path)
    with pytest.raises(InputError, match="unknown part 'x' of connect-four: there is minimax"):
        reproduce("connect-four", "x", "quick", out=tmp_path)
    with pytest.raises(InputError, match="unknown scale 'huge': there is quick, paper"):
        reproduce("connect-four", "minimax", "huge", out=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_first_part_needs_no_name() -> None:
    for name in names():
        assert paper_of(name).part().name == paper_of(name).parts[0].name
    assert paper_of("max-min").part("deep").name == "deep"


def test_a_folder_that_cannot_be_made_is_refused_before_the_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("inarow.papers.paper.run_part", None)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write to .*file"):
        reproduce("connect-four", "minimax", "quick", out=tmp_path / "file")


def test_no_runs_are_refused(run, tmp_path):
    status, _, err = run("reproduce", "hybrid", "--runs", "0", "--out", str(tmp_path))
    assert (status, "--runs must be at least 1, not 0" in err) == (2, True)
