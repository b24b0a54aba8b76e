"""Whoever waits for functions to be compiled is told, on a terminal and nowhere else."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from inarow.engine import jit
from inarow.engine.compile_events import watchers
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
        jit.jit_anew(add_one)(np.arange(3))
        assert told == [True, False]
        made = jit.jit_anew(add_one)
        made(np.arange(3))
        made(np.arange(3))
        assert told == [True, False] * 2
    finally:
        watchers.pop()


def test_the_command_line_asks_to_be_told(monkeypatch) -> None:
    monkeypatch.setattr("inarow.ui.compiling.watchers", asked := [])
    compiling.announce()
    compiling.announce()
    assert asked == [compiling.notice]
