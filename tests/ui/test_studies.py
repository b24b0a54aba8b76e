"""The command `study`: run, show, export; stopped by a signal as a whole process."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.lab.test_runner import ROOT, rows_of

FILE = """
name = "counting"
work = "tests.lab.counting_work:CountingWork"
[fixed]
step = 3
[grid]
points = [2, 40]
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "counting.toml"
    path.write_text(FILE)
    return path


def test_run_and_show(run, file: Path) -> None:
    status, out, err = run("study", "run", str(file), "--runs", "4")
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert "counting: points 2" in out
    assert "counting: points 40" in out
    assert "In all configs: step 3." in out
    assert "2 configs, 8 runs finished" in out
    total = next(line for line in out.splitlines() if line.split()[:1] == ["total"])
    assert total.split()[-1] == "4"
    assert run("study", "show", str(file.with_suffix(".db"))) == (0, out, "")


def test_json(answer, file: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "other.db")
    found = answer("study", "run", str(file), "--out", out, "--runs", "3", "--workers", "1")
    assert (found["study"], found["configs"]) == ("counting", 2)
    assert (found["finished"], found["unfinished"]) == (6, 0)
    assert [(row["config"], row["metric"]) for row in found["rows"]] == [
        (config, metric) for config in (0, 1) for metric in ("rest", "total")
    ]
    for row in found["rows"]:
        assert row["parameters"] == {"step": 3, "points": [2, 40][row["config"]]}
        assert row["runs"] == 3
        assert row["low"] < row["mean"] < row["high"]
        assert row["stderr"] > 0
    assert answer("study", "show", out) == found
    assert not file.with_suffix(".db").exists()


def test_export(run, file: Path, tmp_path: Path) -> None:
    run("study", "run", str(file), "--runs", "2")
    status, out, _ = run("study", "export", str(file.with_suffix(".db")), str(tmp_path / "out.csv"))
    assert status == 0
    assert "88 rows written" in " ".join(out.split())
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "config,step,points,seed,games,metric,value"
    assert len(lines) == 1 + 2 * (2 + 40 + 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "none.db"), "there is no study at none.db"),
        (("export", "none.db", "out.csv"), "there is no study at none.db"),
        (("run", "none.toml"), "there is no file none.toml"),
        (("run", "FILE", "--runs", "0"), "runs must be between 1 and"),
        (("run", "FILE", "--on", "moon"), "cannot run on 'moon': there is threads, ray, cuda"),
        (("run", "FILE", "--out", "FILE"), "is not a database of a study"),
        (("show", "FILE"), "is not a database of a study"),
    ],
)
def test_bad_input_is_one_line(run, file: Path, arguments: tuple[str, ...], message: str) -> None:
    given = (str(file) if argument == "FILE" else argument for argument in arguments)
    status, out, err = run("study", *given)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert len(err.splitlines()) == 1
    assert message in err
    assert file.read_text() == FILE


def test_a_study_that_is_not_finished(file: Path, run) -> None:
    """Told to end, the command stores what it has, says so, and goes on when run again."""
    path, log = file.with_suffix(".db"), file.with_suffix(".log")
    command = (sys.executable, "-m", "inarow", "study", "run", str(file), "--runs", "6")
    slow = {"PYTHONPATH": str(ROOT), "COUNTING_PAUSE": "0.07", "COUNTING_LOG": str(log)}
    process = subprocess.Popen(
        command, env={**os.environ, **slow}, text=True, stderr=subprocess.PIPE
    )
    while not log.exists() or len(log.read_text().splitlines()) < 8:
        time.sleep(0.01)
        assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.startswith("stopped: ")
    assert "of 12 runs are finished" in err
    assert "the same command goes on" in err
    status, out, _ = run("study", "show", str(path))
    assert status == 0
    assert "not finished; kept in" in " ".join(out.split())
    assert run("study", "run", str(file), "--runs", "6")[0] == 0
    run("study", "run", str(file), "--runs", "6", "--out", str(file.with_name("whole.db")))
    assert rows_of(path) == rows_of(file.with_name("whole.db"))


def test_check(run, answer, file: Path) -> None:
    assert run("study", "run", str(file), "--runs", "2")[0] == 0
    database = file.with_suffix(".db")
    sound = answer("study", "check", str(database))
    assert sound["sound"] is True
    assert (sound["finished"], sound["unfinished"]) == (4, 0)
    assert "is sound: " in run("study", "check", str(database))[1]
    assert "flipped bit" in " ".join(run("study", "check", "--help")[1].split())
    with closing(sqlite3.connect(database)) as changed, changed:
        changed.execute("PRAGMA ignore_check_constraints = ON")
        changed.execute("UPDATE measurements SET value = 'x' WHERE metric = 'total'")
    status, out, err = run("study", "check", str(database))
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert "is damaged: CHECK constraint failed in measurements" in err
    assert len(err.splitlines()) == 1
