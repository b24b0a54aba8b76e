"""Waiting for work that Ctrl-C does not reach by itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

R = TypeVar("R")


def wait_for(work: Callable[[], R], patience: float | None, explain: Callable[[], None]) -> R:
    """What some work finds; `explain` is called if it takes longer than so many seconds.

    It goes on in a thread of its own: Ctrl-C does not reach compiled code, but it does reach
    whoever waits, and the thread ends with the program.
    """
    done: Future[R] = Future()
    threading.Thread(target=_do, args=(work, done), daemon=True).start()
    try:
        return done.result(patience)
    except TimeoutError:
        if done.done():
            raise  # the work's own
    explain()
    return done.result()


def _do(work: Callable[[], R], done: Future[R]) -> None:
    try:
        done.set_result(work())
    except BaseException as error:  # whoever waits gets it
        done.set_exception(error)
