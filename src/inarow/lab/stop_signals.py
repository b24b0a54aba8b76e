"""Ctrl-C and SIGTERM, for work that ends where it can be gone on with."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

# What is done at a signal, as `signal.signal` gives it back.
Handler = Callable[[int, FrameType | None], object] | int | None


class StopRequest(threading.Event):
    """Set once the work is to end."""

    number = 0  # of the signal that said so


@contextmanager
def stop_signals() -> Iterator[StopRequest]:
    """Yield an event set by the first Ctrl-C or SIGTERM; a second one acts as it did before."""
    stop = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield stop  # only the main thread is told of signals
        return
    before: dict[int, Handler] = {}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def told(number: int, _frame: FrameType | None) -> None:
        stop.number = number
        stop.set()
        restore()

    for number in (signal.SIGINT, signal.SIGTERM):
        before[number] = signal.signal(number, told)
    try:
        yield stop
    finally:
        restore()
