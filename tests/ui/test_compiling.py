"""Whoever waits for functions to be compiled is told, on a terminal and nowhere else."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from inarow.engine import jit
from inarow.engine.code_folder import watchers
from inarow.ui import compiling, terminal


def add_one(numbers: np.ndarray) -> None:
    for i in range(len(numbers)):
        numbers[i] = plus_one(numbers[i])


@jit.inline
def plus_one(number: int) -> int:
    return number + 1


class Screen(io.StringIO):
    """An error output that is a terminal, or not."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


@pytest.fixture
def compile_something(monkeypatch):
    """Compiles a function; what was written to the error output meanwhile."""

    def compile_now(is_terminal: bool, within=lambda work: work()) -> str:
        monkeypatch.setattr(jit, "CACHE_FOLDER", None)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(sys, "stderr", screen := Screen(is_terminal))
        notice = compiling.Notice()
        watchers.append(notice)
        try:
            within(lambda: jit.jit(add_one)(np.arange(3)))
        finally:
            watchers.remove(notice)
        assert not notice.shown
        return screen.getvalue()

    return compile_now


def test_it_is_said_on_a_terminal(compile_something) -> None:
    assert compiling.TEXT in compile_something(is_terminal=True)


def test_beneath_a_bar_if_there_is_one(compile_something) -> None:
    def with_bar(work) -> None:
        with terminal.progress_bar("playing", 10):
            assert terminal.bar_in_use is not None
            work()
        assert terminal.bar_in_use is None

    said = compile_something(True, with_bar)
    assert compiling.TEXT in said
    assert "playing" in said


def test_nothing_is_said_to_a_program(compile_something) -> None:
    assert compile_something(is_terminal=False) == ""


def test_what_is_compiled_for_another_is_a_part_of_it() -> None:
    told: list[bool] = []
    watchers.append(told.append)
    try:
        jit.jit_uncached(add_one)(np.arange(3))
        assert told == [True, False]
        made = jit.jit_uncached(add_one)
        made(np.arange(3))
        made(np.arange(3))
        assert told == [True, False] * 2
    finally:
        watchers.pop()


def test_the_command_line_asks_to_be_told(monkeypatch) -> None:
    monkeypatch.setattr("inarow.ui.compiling.watchers", asked := [])
    monkeypatch.setattr(terminal, "before_bar", [])
    compiling.announce()
    compiling.announce()
    assert asked == [compiling.notice]


@pytest.fixture
def expect(monkeypatch):
    """Expects to compile, with code in a folder or without; the error output."""

    def expect_now(folder: Path | None) -> Screen:
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(sys, "stderr", screen := Screen(True))
        monkeypatch.setattr("inarow.engine.code_folder.CACHE_FOLDER", folder and str(folder))
        monkeypatch.setattr(terminal, "before_bar", [compiling.notice.hide])
        compiling.expect()
        return screen

    yield expect_now
    compiling.notice.hide()


def test_it_is_said_before_the_compiler_is_loaded(expect, tmp_path) -> None:
    screen = expect(tmp_path)
    assert compiling.notice.shown
    compiling.notice(True)  # something is compiled now
    compiling.notice(False)
    assert not compiling.notice.shown
    assert compiling.TEXT in screen.getvalue()


def test_a_bar_takes_its_place(expect) -> None:
    screen = expect(None)
    assert compiling.notice.shown
    with terminal.progress_bar("playing", 10):
        assert not compiling.notice.shown
    assert compiling.TEXT in screen.getvalue()


def test_nothing_is_said_where_there_is_code_already(expect, tmp_path) -> None:
    (tmp_path / "some.code").touch()
    assert expect(tmp_path).getvalue() == ""
    assert not compiling.notice.shown


def test_commands_start_without_the_compiler() -> None:
    loaded = "import sys, inarow.ui.main; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0
