"""What the decorators of compiled functions do."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from numba.core import config

from inarow.engine import code_folder, jit
from inarow.engine.numba_internals import IntermediateCode
from inarow.game import game
from inarow.search import solver_loop
from inarow.search.solver import Solver
from tests.engine import compiled
from tests.engine.compiled import add_constants, add_up, add_up_doubles, double


@pytest.mark.parametrize("decorate", [jit.jit, jit.inline])
def test_functions_compile_without_a_cache(decorate, monkeypatch):
    monkeypatch.setattr(jit, "CACHE_FOLDER", None)
    made = decorate(add_up)
    assert made(np.arange(10)) == 45
    assert made.stats.cache_path is None


def test_functions_compile_into_the_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "CACHE_FOLDER", str(tmp_path))
    before = config.CACHE_DIR
    made = jit.jit(add_up)
    assert made(np.arange(10)) == 45
    assert made.stats.cache_path == str(tmp_path)
    assert [path.suffix for path in tmp_path.iterdir()] == [".code"]
    assert before == config.CACHE_DIR


def test_what_is_written_into_callers_can_be_called_from_python_too():
    assert jit.jit_uncached(add_up_doubles)(np.arange(10)) == 90
    assert (double(4), double(4.5), double(4)) == (8, 9.0, 8)
    assert jit.jit_uncached(add_up_doubles)(np.arange(10.0)) == 90


def test_what_is_written_into_callers_has_no_machine_code_of_its_own(tmp_path, monkeypatch):
    """And it is read from the cache by the next caller."""
    monkeypatch.setattr(jit, "CACHE_FOLDER", str(tmp_path))
    for hits in range(2):
        monkeypatch.setattr(compiled, "double", again := jit.inline(double.py_func))
        assert jit.jit_uncached(add_up_doubles)(np.arange(10)) == 90
        (made,) = again.overloads.values()
        assert isinstance(made.library, IntermediateCode)
        assert sum(again.stats.cache_hits.values()) == hits
        assert not again.alone.overloads
        assert again(4) == 8
        assert len(list(tmp_path.iterdir())) == 2  # for callers, and for Python


def test_a_constant_needs_no_code_of_its_own(monkeypatch):
    monkeypatch.setattr(compiled, "double", again := jit.inline(double.py_func))
    assert jit.jit_uncached(add_constants)(4) == 14
    assert len(again.overloads) == 1


def test_large_functions_that_loops_call_are_compiled_with_these_alone():
    Solver(game("connect4:4x4")).solve("1")
    assert not solver_loop.search.alone.overloads
    assert solver_loop.solve_many.alone.overloads  # what Python calls


def test_garbage_is_not_collected_while_something_is_compiled():
    collecting = []
    code_folder.watchers.append(lambda begins: collecting.append((begins, gc.isenabled())))
    try:
        assert jit.jit_uncached(lambda number: number + 1)(1) == 2
    finally:
        code_folder.watchers.pop()
    assert collecting == [(True, False), (False, False)]
    assert gc.isenabled()
