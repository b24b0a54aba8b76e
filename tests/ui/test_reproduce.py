"""The command `reproduce`: papers and parts, one line for bad input, tables, JSON, and files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import typer

from inarow.game import InputError
from inarow.lab.studies.runner import Stopped
from inarow.papers.paper import Paper, names, paper_of
from inarow.papers.study import QUICK, TINY, Request, keep_time, load
from inarow.papers.tables import Table
from inarow.papers.verdicts import KINDS
from inarow.ui.reproduce import _print_table, move_old_results, reproduce, time_text
from inarow.ui.terminal import console

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _no_times_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("inarow.papers.study.times_file", lambda: tmp_path / "cache" / "times.json")


def test_tables_of_a_part(tmp_path: Path, capsys: Capture) -> None:
    reproduce("connect-four", part="minimax", scale=TINY, out=tmp_path)
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert max(len(line) for line in lines if "Report:" not in line) <= 80  # whose path is long
    for text in ("Two minimax agents, 6 moves deep", "The naive program, which scans the board"):
        assert text in out
    assert any(line.split()[:3] == ["6x7", "draw", "42"] for line in lines)
    assert (tmp_path / "connect-four" / "connect-four-minimax.json").is_file()
    assert len(list((tmp_path / "connect-four" / "figures").glob("*.svg"))) == 4


def test_all_parts_that_belong_to_the_document(tmp_path: Path, capsys: Capture) -> None:
    given = {"out": tmp_path, "runs": 2, "game": "tictactoe", "scale": TINY}
    reproduce("hybrid", **given, as_json=True)
    out, err = capsys.readouterr()
    assert err == ""
    assert len(out.splitlines()) == 1
    answer = json.loads(out)
    assert answer["paper"] == "hybrid"
    ran = [(part["part"], part["scale"]) for part in answer["parts"]]
    assert ran == [("all", TINY), ("speed", TINY)]
    rows = {row["name"]: row for row in answer["rows"]}
    games = rows["table-1-games/tictactoe/attack-defense"]
    assert (games["trainer"], games["published"], games["ours"], games["runs"]) == (
        "attack-defense", 99_100, 20_000, 2,
    )  # fmt: skip
    assert {row["game"] for row in rows.values() if "game" in row} == {"tictactoe"}
    assert not any("onnect-4" in row["text"] for row in rows.values() if row["kind"] == "claim")
    for kind, by in answer["counts"].items():
        of_kind = [row["verdict"] for row in answer["rows"] if row["counted_as"] == kind]
        assert kind in KINDS
        assert by == {verdict: of_kind.count(verdict) for verdict in set(of_kind)}
    assert len([file for file in answer["files"] if file.endswith(".svg")]) == 9
    assert all(Path(file).is_file() for file in answer["files"])
    assert len(load(tmp_path / "hybrid" / "hybrid-all.json").rows) == 6
    reproduce("hybrid", **given)
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert max(len(line) for line in lines if "Report:" not in line) <= 80  # whose path is long
    assert len(lines) <= 45
    assert "combined" in out
    assert "1. This is a quick look" in out
    assert "inarow reproduce hybrid --scale paper" in out  # judges the rest
    assert f"Report: {tmp_path / 'hybrid' / 'index.html'}" in out.replace("\n", "")
    measured = [row for row in answer["rows"] if row["ours"] is not None]
    html = (tmp_path / "hybrid" / "index.html").read_text(encoding="utf-8")
    assert html.count(">too short<") + html.count("too short</span>") >= len(measured) / 2


def test_additions_of_ours_are_asked_for(tmp_path: Path, capsys: Capture) -> None:
    reproduce("hybrid", beyond=True, scale=TINY, runs=1, game="tictactoe", out=tmp_path)
    out = capsys.readouterr().out
    assert out.startswith(" variants: ")
    assert "published numbers" not in out  # nothing of the document was run
    assert "base" in out
    assert (tmp_path / "hybrid" / "hybrid-variants.json").is_file()
    assert not (tmp_path / "hybrid" / "hybrid-all.json").exists()
    capsys.readouterr()
    with pytest.raises(InputError, match="max-min has no parts beyond the document"):
        reproduce("max-min", beyond=True, scale=TINY, out=tmp_path)


def test_numbers_of_a_wide_table_are_whole(capsys: Capture) -> None:
    numbers = [f"{10**n:,}" for n in range(6, 16)]
    columns = ("network of the n-tuples", *(f"heading {n}" for n in range(len(numbers))))
    _print_table(console(), Table(columns, (("a name", *numbers),), "Wide"))
    out = capsys.readouterr().out
    assert all(number in out for number in numbers)
    assert max(map(len, out.splitlines())) <= 80
    assert out.count("a name") == out.count("Wide") > 1


def test_a_stopped_part_says_what_is_finished(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise Stopped("stopped: 3 of 5 runs are finished; the same command goes on")

    monkeypatch.setattr("inarow.papers.paper.run_part", stop)
    with pytest.raises(typer.Exit) as ended:
        reproduce("hybrid", part="ties", scale=TINY, out=tmp_path)
    assert ended.value.exit_code == 130
    assert capsys.readouterr().err.splitlines() == [
        "stopped: 3 of 5 runs are finished; the same command goes on"
    ]


def test_finished_runs_are_shown_and_nothing_is_run(tmp_path: Path, capsys: Capture) -> None:
    with pytest.raises(InputError, match="has no finished run of part all"):
        reproduce("hybrid", scale=TINY, finished=True, out=tmp_path)
    reproduce("hybrid", part="speed", scale=TINY, out=tmp_path)
    stored = load(tmp_path / "hybrid" / "hybrid-speed.json")
    capsys.readouterr()
    reproduce("hybrid", scale=TINY, finished=True, out=tmp_path)  # of the others there is nothing
    assert (tmp_path / "hybrid" / "index.md").is_file()
    assert load(tmp_path / "hybrid" / "hybrid-speed.json").rows == stored.rows


def test_the_list_of_papers(tmp_path: Path, capsys: Capture) -> None:
    reproduce(out=tmp_path)
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    places = [out.index(f" {name}: ") for name in names()]
    assert max(places) == out.index(" learners: ")  # our own comparison is below the documents
    for name in names():
        paper = paper_of(name)
        assert str(paper.published.paper["learned"]) in out
        assert ", ".join(part.name for part in paper.parts if not part.own) in out
    assert out.count("time here: not measured yet") == len(names())
    assert not any(tmp_path.iterdir())


def test_the_list_of_parts(tmp_path: Path, capsys: Capture) -> None:
    for name in names():
        reproduce(name, out=tmp_path, show_list=True, as_json=True)
        listed = json.loads(capsys.readouterr().out)
        paper = paper_of(name)
        assert [part["part"] for part in listed["parts"]] == [p.name for p in paper.parts]
        assert [part["default"] for part in listed["parts"]] == [p.default for p in paper.parts]
        for part, of in zip(listed["parts"], paper.parts, strict=True):
            assert part["conditions"] == {s: len(of.conditions_at(s)) for s in of.scales}
            assert part["runs"] == of.runs
        reproduce(name, out=tmp_path, show_list=True)
        out = capsys.readouterr().out
        assert max(map(len, out.splitlines())) <= 80
        assert all(part["part"] in out for part in listed["parts"])
        last = paper.parts[-1]
        assert f"{len(last.conditions_at('paper'))} x {last.runs['paper']}" in out
    assert not any(tmp_path.iterdir())


def small() -> Paper:
    """A paper of one short part."""
    paper = paper_of("hybrid")
    parts = tuple(part for part in paper.parts if part.name == "ties")
    shorter = [
        replace(one, parameters={**one.parameters, "games": 200})
        for one in parts[0].conditions_at(QUICK)
    ]
    given = {"published": paper.published, "numbers": paper.numbers, "claims": paper.claims}
    return Paper("hybrid", parts=(replace(parts[0], conditions=shorter),), **given)


def test_what_a_part_took_says_how_long_it_will_take(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one scale took tells of another, by its games."""
    paper = small()
    paper.run(paper.part(), Request(QUICK, tmp_path))
    monkeypatch.setattr("inarow.papers.paper.paper_of", lambda name: paper)
    reproduce("hybrid", out=tmp_path, show_list=True, as_json=True)
    (part,) = json.loads(capsys.readouterr().out)["parts"]
    quick, whole = part["seconds"]["quick"], part["seconds"]["paper"]
    assert 0 < quick < whole
    assert whole / quick == pytest.approx(paper.part().runs["paper"] / paper.part().runs["quick"])
    keep_time("hybrid ties paper", "connect4:4x4 TrainingWork ", 1e6)
    reproduce("hybrid", out=tmp_path, show_list=True, as_json=True)
    (part,) = json.loads(capsys.readouterr().out)["parts"]
    assert part["seconds"]["paper"] > 1_000 * whole  # its own time counts first
    (tmp_path / "cache" / "times.json").write_text('{"damaged": 3}')
    reproduce("hybrid", out=tmp_path, show_list=True)
    assert "none was measured here yet" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "not measured yet"), (0.2, "1 s"), (89, "89 s"), (125, "2 min"), (7200, "2 h")],
)
def test_a_time_to_wait(seconds: float | None, text: str) -> None:
    assert time_text(seconds) == text


def test_databases_of_before_are_moved_and_go_on(tmp_path: Path, capsys: Capture) -> None:
    """They once lay beside those of all other papers."""
    paper = paper_of("hybrid")
    part = paper.part("ties")
    old = paper.run(part, Request(TINY, tmp_path, runs=1))
    (tmp_path / "hybrid-ties.json").write_text("{}")
    (tmp_path / "cube-ties-tiny-x.db").touch()
    (tmp_path / "mine.db").touch()
    reproduce("hybrid", part="ties", scale=TINY, runs=1, out=tmp_path)
    capsys.readouterr()
    database = "hybrid-ties-tiny-connect4-4x4.db"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "cube-ties-tiny-x.db", "hybrid", "mine.db",
    ]  # fmt: skip
    assert (tmp_path / "hybrid" / database).is_file()
    assert load(tmp_path / "hybrid" / "hybrid-ties.json").rows == old.rows
    (tmp_path / database).touch()
    move_old_results(paper, tmp_path, tmp_path / "hybrid")
    assert (tmp_path / database).exists()  # nothing is overwritten


def test_unknown_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown paper 'chess': there is connect-four"):
        reproduce("chess", out=tmp_path)
    with pytest.raises(InputError, match="no/such is no folder with a paper"):
        reproduce("no/such", out=tmp_path)
    with pytest.raises(InputError, match="unknown part 'x' of connect-four: there is minimax"):
        reproduce("connect-four", part="x", out=tmp_path)
    with pytest.raises(InputError, match="unknown scale 'huge': there is tiny, quick, paper"):
        reproduce("connect-four", scale="huge", out=tmp_path)
    with pytest.raises(InputError, match="this study plays tictactoe and connect4:4x4, not 'cube'"):
        reproduce("hybrid", scale=TINY, game="cube", out=tmp_path)


def test_a_folder_that_cannot_be_made_is_refused_before_the_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("inarow.papers.paper.run_part", None)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write to .*file"):
        reproduce("connect-four", part="minimax", out=tmp_path / "file")


def test_no_runs_are_refused(run, tmp_path):
    status, _, err = run("reproduce", "hybrid", "--runs", "0", "--out", str(tmp_path))
    assert (status, "--runs must be at least 1, not 0" in err) == (2, True)
