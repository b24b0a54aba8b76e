"""Functions compiled by another process: they are found in the cache, and nothing hangs on it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.engine import aside, jit
from inarow.engine.cache_folder import private_folder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no other process")


def add_up(numbers: np.ndarray) -> int:
    total = 0
    for number in numbers:
        total += number
    return total


def count(numbers: np.ndarray) -> int:
    return len(numbers)


@pytest.fixture
def functions(tmp_path, monkeypatch) -> tuple[Any, Any]:
    """Two functions with a cache of their own."""
    monkeypatch.setattr(jit, "CACHE_FOLDER", str(private_folder(tmp_path / "code")))
    monkeypatch.setattr(aside, "_allowed", True)
    monkeypatch.setattr(aside, "_tasks", {})
    return jit.jit(add_up), jit.jit(count)


def hits(function: Any) -> int:
    return sum(function.stats.cache_hits.values())


def wait_until_begun() -> None:
    """Until the other process has begun with its first task."""
    task = next(iter(aside._tasks.values()))
    end = time.monotonic() + 60
    while task.states[0] != aside.BEGUN:
        assert time.monotonic() < end
        time.sleep(0.001)


def test_what_another_process_compiles_is_read(functions):
    one, other = functions
    aside.compile_aside([(one, (np.arange(3),))])
    wait_until_begun()
    assert one(np.arange(10)) == 45
    assert hits(one) == 1
    assert not aside._tasks
    aside.compile_aside([(one, (np.arange(3),))])
    assert not aside._tasks  # it is there already
    assert other(np.arange(10)) == 10


def test_what_it_has_not_begun_is_compiled_here(functions, monkeypatch):
    one, other = functions
    monkeypatch.setattr(aside, "_work", lambda *_: os._exit(0))
    aside.compile_aside([(one, (np.arange(3),))], here=[(other, (np.arange(3),))])
    assert len(other.overloads) == 1
    (task,) = aside._tasks.values()
    assert one(np.arange(10)) == 45
    assert hits(one) == 0
    assert task.states[0] == aside.TAKEN_BACK


def test_a_process_that_dies_is_not_waited_for(functions, monkeypatch):
    one, _ = functions

    def die(_: object, states: Any) -> None:
        states[0] = aside.BEGUN
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(aside, "_work", die)
    aside.compile_aside([(one, (np.arange(3),))])
    wait_until_begun()
    assert one(np.arange(10)) == 45
    assert hits(one) == 0


def test_none_is_started_unless_a_command_allows_it(functions, monkeypatch):
    one, _ = functions
    monkeypatch.setattr(aside, "_allowed", False)
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("a process was started"))
    aside.compile_aside([(one, (np.arange(3),))])
    monkeypatch.setattr(jit, "CACHE_FOLDER", None)
    monkeypatch.setattr(aside, "_allowed", True)
    aside.compile_aside([(jit.jit(add_up), (np.arange(3),)), (add_up, (np.arange(3),))])


PROGRAM = """
import mmap, os, sys, time
from inarow.engine import aside
class Slow:
    def compile(self, kinds):
        print(os.getpid(), flush=True)
        time.sleep(60)
if os.fork() == 0:
    aside._work([(Slow(), ())], mmap.mmap(-1, 1))
time.sleep(60)
"""


def test_it_ends_with_the_program():
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        other = int(program.stdout.readline())
        program.kill()
        program.wait()
        program.stdout.read()  # ends when the other process has closed it, too
    end = time.monotonic() + 10
    while _lives(other):
        assert time.monotonic() < end
        time.sleep(0.01)


def _lives(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"
