"""Functions compiled by another process while this one compiles others, so that two cores help.

Threads would gain nothing, for the compiler runs in Python. The other process is a copy of this
one, made when the types of arguments are known; it stores what it compiles in the cache, where
this one finds it, and ends with its last task or with this process. Without a cache, on another
system than Linux, or if it fails, everything is compiled here: what comes out is the same. Only
a command that has a terminal to itself switches it on (`allow`): a copy of a server, with its many
threads, could wait for a lock that nobody holds any more.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple, NoReturn

from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.types import Type

from inarow.engine.compile_events import watchers

Call = tuple[Callable[..., object], tuple[object, ...]]  # a compiled function, and its arguments
Typed = tuple[Dispatcher, tuple[Type, ...]]  # the same function, and the types of these

PATIENCE = 60.0  # seconds that a file of the other process is waited for
LOOK_SECONDS = 0.005
BEGUN, TAKEN_BACK = 1, 2  # by the other process, by this one
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class _Task(NamedTuple):
    """A function that another process compiles."""

    process: int
    states: mmap.mmap  # a byte for each of its tasks, which both processes see: 0, or as above
    place: int  # of this one


_tasks: dict[Path, _Task] = {}  # by the file that will hold the code
_allowed = False


def allow() -> None:
    """From now on another process may be started."""
    global _allowed
    _allowed = sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1


def compile_aside(calls: Iterable[Call], here: Iterable[Call] = ()) -> None:
    """Begins to compile functions for arguments of such types elsewhere, in this order.

    Those to be compiled `here` meanwhile are, before it comes back; others when they are called.
    """
    if not _allowed:
        return
    with global_compiler_lock, warnings.catch_warnings():
        # No other thread is in the compiler now, and the copy needs nothing else that has locks.
        warnings.simplefilter("ignore", DeprecationWarning)
        wanted = {path: task for path, task in _missing(calls).items() if path not in _tasks}
        if not wanted:
            return
        states = mmap.mmap(-1, len(wanted))
        process = os.fork()
        if process == 0:
            _work(list(wanted.values()), states)
        _tasks.update((path, _Task(process, states, place)) for place, path in enumerate(wanted))
    for function, kinds in _missing(here).values():
        function.compile(kinds)


def _missing(calls: Iterable[Call]) -> dict[Path, Typed]:
    """What the cache does not hold yet, by the file in which it will."""
    wanted: dict[Path, Typed] = {}
    for function, arguments in calls:
        path_for = getattr(getattr(function, "_cache", None), "path_for", None)
        if isinstance(function, Dispatcher) and path_for is not None:
            kinds = tuple(function.typeof_pyval(argument) for argument in arguments)
            path = path_for(kinds, function.targetctx.codegen())
            if path is not None and not path.exists():
                wanted[path] = function, kinds
    return wanted


def _work(wanted: list[Typed], states: mmap.mmap) -> NoReturn:
    """The other process: nothing of it is ever shown."""
    try:
        ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
        _tasks.clear()
        watchers.clear()
        for place, (function, kinds) in enumerate(wanted):
            if states[place] != TAKEN_BACK:
                states[place] = BEGUN
                function.compile(kinds)
    finally:
        os._exit(0)


def wait_for(path: Path) -> None:
    """Waits for a file that the other process has begun with; what it has not is taken back."""
    task = _tasks.pop(path, None)
    if task is None:
        return
    if task.states[task.place] != BEGUN:
        task.states[task.place] = TAKEN_BACK
        return
    end = time.monotonic() + PATIENCE
    while not path.exists() and time.monotonic() < end and _works(task.process):
        time.sleep(LOOK_SECONDS)


def _works(process: int) -> bool:
    try:
        return os.waitpid(process, os.WNOHANG) == (0, 0)
    except ChildProcessError:
        return False  # it was waited for before
