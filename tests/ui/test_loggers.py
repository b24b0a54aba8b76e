"""Callbacks and loggers: what they are told, what they write once, and how they fail."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import inarow
from inarow.game import InputError
from inarow.lab.training import loggers
from inarow.lab.training.driver import Callback, CallbackError, Plan, Trainer
from inarow.lab.training.run import Run, continue_training

PLANNED = {"games": 300, "seed": 1, "evaluations": ["score:random"]}


@pytest.fixture
def run(run):
    """Runs a command; its arguments may be paths."""
    return lambda *arguments: run(*map(str, arguments))


class Events(Callback):
    """Keeps what it is told, and fails at one of it."""

    def __init__(self, at: str = "") -> None:
        self.told, self.at = list[str](), at

    def _told(self, event: str) -> None:
        self.told.append(event)
        if event == self.at:
            raise ValueError("it is broken")

    def on_begin(self, trainer):  # noqa: ARG002
        self._told("begin")

    def on_chunk(self, trainer, games):  # noqa: ARG002
        self._told("chunk")

    def on_point(self, trainer, measured):  # noqa: ARG002
        self._told("point")

    def on_end(self, trainer):  # noqa: ARG002
        self._told("end")


def rows_of(path: Path) -> list[tuple[int, str, float]]:
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text().splitlines()]
    else:
        rows = list(csv.DictReader(path.read_text().splitlines()))
    return [(int(row["games"]), row["metric"], float(row["value"])) for row in rows]


def test_a_callback_is_told_of_the_run():
    told = Events()
    inarow.train("tictactoe", "q", callback=told, **PLANNED)
    assert told.told[0] == "begin"
    assert told.told[-1] == "end"
    assert {"chunk", "point"} < set(told.told)
    with pytest.raises(InputError, match="is not a callback: derive one from"):
        inarow.train("tictactoe", "q", games=10, callback=print)


@pytest.mark.parametrize("at", ["begin", "chunk", "point", "end"])
def test_what_a_callback_raises_is_one_line(at):
    trainer, told = Run("tictactoe", "q", seed=1), Events(at)
    with pytest.raises(CallbackError, match=rf"Events.on_{at} failed after .* ValueError: it is"):
        Trainer(trainer, Plan(100), [told]).train()
    assert told.told[-1] == "end"
    continue_training(trainer, 100)  # nothing of what it has learned is lost
    assert trainer.games == 100


def test_rows_are_written_once(tmp_path):
    texts = [f"csv:{tmp_path}/log.csv", f"jsonl:{tmp_path}/log.jsonl"]
    found = inarow.train("tictactoe", "q", log=texts, **PLANNED)
    expected = [tuple(m) for m in sorted(found.recording.measurements)]
    for name in ("log.csv", "log.jsonl"):
        path = tmp_path / name
        assert sorted(rows_of(path)) == expected
        whole = path.read_bytes()
        path.write_bytes(whole[:-20])  # killed in the midst of a line
        inarow.train("tictactoe", "q", log=texts, **PLANNED)
        assert path.read_bytes() == whole
    inarow.train("tictactoe", "q", alpha="0.2", log=texts, **PLANNED)  # another run
    assert len(rows_of(tmp_path / "log.csv")) == 2 * len(expected)


def test_a_resumed_run_logs_what_is_new(run, tmp_path):
    agent, other, log, whole = (tmp_path / n for n in ("a.safetensors", "b.safetensors", "l", "w"))
    first = ("train", "tictactoe", "q", "--games", "200", "--out", agent)
    assert run(*first, "--log", f"jsonl:{log}")[0] == 0
    assert run("train", "--resume", agent, "--games", "400", "--log", f"jsonl:{log}")[0] == 0
    assert run(*first[:4], "400", "--out", other, "--log", f"jsonl:{whole}")[0] == 0
    games = [json.loads(line)["games"] for line in log.read_text().splitlines()]
    keys = [(r["games"], r["metric"]) for r in map(json.loads, log.read_text().splitlines())]
    assert len(set(keys)) == len(keys)
    assert max(games) == 400
    wanted = [row for row in map(json.loads, whole.read_text().splitlines()) if row["games"] > 200]
    assert [row for row in map(json.loads, log.read_text().splitlines()) if row in wanted] == wanted


def test_logs_are_checked_before_training(run, tmp_path):
    (tmp_path / "text").write_text("something else\n")
    agent = tmp_path / "a.safetensors"
    for text, said in (
        (f"csv:{tmp_path}/text", "not a log of runs as CSV"),
        (f"jsonl:{tmp_path}/text", "not a log of runs as JSON lines"),
        ("tensorbord:x", "did you mean tensorboard?"),
        ("csv", "there is csv:FILE, jsonl:FILE, tensorboard:DIR"),
        (f"csv:{tmp_path}/text/x.csv", "cannot write"),
    ):
        status, _, error = run("train", "tictactoe", "q", "--out", agent, "--log", text)
        assert status == 2
        assert said in error
        assert not agent.exists()


def test_a_logger_that_fails_ends_the_run_and_keeps_its_state(run, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(loggers.CSVLogger, "write", full)
    agent = tmp_path / "a.safetensors"
    arguments = ("train", "tictactoe", "q", "--games", "400", "--out", agent)
    status, _, error = run(*arguments, "--log", f"csv:{tmp_path}/log.csv")
    assert status == 2
    assert len(error.splitlines()) == 1
    assert "CSVLogger.on_point failed after 1 games: OSError" in error
    assert f"saved as {agent}" in error
    monkeypatch.undo()
    assert run("train", "--resume", agent, "--games", "400")[0] == 0


def test_without_tensorboard_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tensorboard", None)
    with pytest.raises(InputError, match=r"pip install 'inarow\[tensorboard\]'"):
        inarow.train("tictactoe", "q", log=f"tensorboard:{tmp_path}", **PLANNED)


def test_tensorboard_reads_what_was_logged(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = f"tensorboard:{tmp_path}/q"
    for games in (300, 300, 700):
        found = inarow.train("tictactoe", "q", log=log, **{**PLANNED, "games": games})
    read = EventAccumulator(f"{tmp_path}/q", {"scalars": 0}).Reload()
    steps = [event.step for event in read.Scalars("score against random")]
    assert sorted(set(steps)) == sorted(steps)
    assert {m.games for m in found.recording.measurements if "score" in m.metric} <= {*steps}
    with pytest.raises(InputError, match="holds another run"):
        inarow.train("tictactoe", "q", log=log, **{**PLANNED, "seed": 2})


def test_tables_of_pandas_and_parquet(run, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    found = inarow.train("tictactoe", "q", record=str(tmp_path / "q.db"), **PLANNED)
    curves = found.curves()
    assert curves.index.name == "games"
    assert "score against random" in curves.columns
    results = inarow.StudyResults(tmp_path / "q.db").frame()
    assert run("study", "export", tmp_path / "q.db", tmp_path / "q.parquet")[0] == 0
    assert run("study", "export", tmp_path / "q.db", tmp_path / "q.csv")[0] == 0
    assert pandas.read_parquet(tmp_path / "q.parquet").equals(results)
    assert len(pandas.read_csv(tmp_path / "q.csv")) == len(results)


def test_the_suffix_says_the_format_of_an_export(run, tmp_path):
    inarow.train("tictactoe", "q", record=str(tmp_path / "q.db"), **PLANNED)
    status, _, error = run("study", "export", tmp_path / "q.db", tmp_path / "q.xlsx")
    assert status == 2
    assert "must end in .csv or .parquet" in error
