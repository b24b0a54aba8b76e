"""Two thousand mutated files, databases and questions: a result or one line for each."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from inarow.learn.registry import BUILT_IN
from tests.fuzz.__main__ import main
from tests.fuzz.targets import TARGETS
from tests.small_runs import RUNS

ROOT = Path(__file__).parents[2]


def test_two_thousand_cases():
    command = [sys.executable, "-m", "tests.fuzz", "--cases", "2000", "--seed", "1"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert " 0 findings;" in ended.stdout
    for target in TARGETS:  # each is answered at times, so what comes after reading is reached
        assert f"{target} answered: " in ended.stdout


def test_a_crash_is_seen_as_one():
    """Of the fuzzer itself: a process that dies is a finding, and the cases after it are asked."""
    command = [sys.executable, "-m", "tests.fuzz", "--cases", "40", "--crash", "7"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "case 7: the process ended with status -6" in ended.stdout
    told = re.search(r"(\d+) refused in one line, (\d+) answered, 1 findings", ended.stdout)
    assert told is not None, ended.stdout
    assert sum(map(int, told.groups())) == 39


def test_processes_that_never_begin_are_given_up(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["fuzz", "--cases", "10"])
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    assert main() == 1
    assert "given up: no process comes as far as case 0" in capsys.readouterr().out


def test_every_learner_is_mutated():
    assert {small.learner for small in RUNS.values()} == set(BUILT_IN)
