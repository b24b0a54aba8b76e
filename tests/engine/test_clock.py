"""Time limits, which leave out what is spent compiling."""

import itertools
from threading import Thread

import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock

import inarow
from inarow.engine import clock
from inarow.engine.board import tables_of
from inarow.engine.clock import Stopwatch
from inarow.engine.jit import jit_uncached
from inarow.lab.values.move_values import Budget
from inarow.search import minimax, solver_loop
from inarow.search import solver as solver_module
from inarow.search.minimax import Searcher
from inarow.search.solver import Solver


class Time:
    """A clock that is moved by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch):
    moved = Time()
    monkeypatch.setattr(clock, "monotonic", moved)
    return moved


def compile_for(seconds, time):
    """Spends so much time in the compiler."""
    with global_compiler_lock:
        time.now += seconds / 2
        with global_compiler_lock:
            time.now += seconds / 2


def test_compiling_does_not_count(time):
    watch = Stopwatch()
    time.now += 1
    compile_for(60, time)
    assert watch.seconds == 1
    with global_compiler_lock:
        time.now += 60
        assert watch.seconds == 1
        later = Stopwatch()
    time.now += 2
    assert (watch.seconds, later.seconds) == (3, 2)


def test_numba_says_when_it_compiles(monkeypatch):
    watch = Stopwatch()
    monkeypatch.setattr(clock, "monotonic", itertools.count(int(clock.monotonic())).__next__)
    before = watch._record.seconds

    @jit_uncached
    def double(number):
        return 2 * number

    assert double(np.int64(4)) == 8
    compiled = watch._record.seconds
    assert compiled > before
    assert double(np.int64(5)) == 10  # this time it is there
    assert watch._record.seconds == compiled


def test_another_thread_that_compiles_stops_no_watch_but_its_own(time):
    watch, own = Stopwatch(), []

    def work():
        mine = Stopwatch()
        compile_for(60, time)
        time.now += 1
        own.extend([mine.seconds, watch.seconds])

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert own == [1, 61]
    assert watch.seconds == 61


def test_a_compilation_that_had_begun_before_is_left_out(time):
    watch = Stopwatch()
    listener = clock._Listener()
    listener.on_end(None)
    time.now += 1
    compile_for(60, time)
    assert watch.seconds == 1


def late_compilation(monkeypatch, where, name, time):
    """Lets the first call of a compiled function take an hour, all of it in the compiler."""
    function, calls = getattr(where, name), itertools.count()

    def called(*arguments):
        if next(calls) == 0:
            compile_for(3600, time)
        time.now += 0.001
        return function(*arguments)

    monkeypatch.setattr(where, name, called)


def test_a_budget_begins_after_compiling(time):
    budget = Budget(seconds=2)
    compile_for(60, time)
    assert budget.share(4) == (None, 0.5)
    time.now += 1
    assert budget.share(4) == (None, 0.25)


def test_the_solver_is_not_late_for_compiling(monkeypatch, time):
    solver = Solver("connect4:4x4", table_bits=12)
    monkeypatch.setattr(solver_module, "TIMED_CHUNK", 10)
    late_compilation(monkeypatch, solver_loop, "solve_many", time)
    own, every = ([word] for word in solver.pack("112"))
    assert solver.score_words(own, every, seconds=60).tolist() == [0]
    assert solver.nodes > 10  # it went back to the clock


def test_minimax_looks_as_far_as_without_compiling(monkeypatch, time):
    game = inarow.game("tictactoe")
    late_compilation(monkeypatch, minimax, "traverse", time)
    searcher = Searcher(tables_of(game), 5)
    assert searcher.run(np.zeros(9, dtype=np.int8), time_limit=1.0).depth == 5
