"""A stopwatch for time limits. It stands still while its thread compiles functions or loads them.

Compiling takes seconds, once after an installation, and loading a fraction of one, once in each
process: a limit of a second could be over before anything was asked.
"""

from __future__ import annotations

import threading
from time import monotonic

from numba.core import event


class _Compiling(threading.local):
    """The seconds that a thread has spent in the compiler, or waiting for another to leave it."""

    def __init__(self) -> None:
        self.record = _Record()


class _Record:
    """What is known of one thread, for any thread to read."""

    def __init__(self) -> None:
        self.depth, self.begun, self.before = 0, 0.0, 0.0

    @property
    def seconds(self) -> float:
        """The seconds up to now; any thread may ask."""
        return self.before + (monotonic() - self.begun if self.depth else 0.0)


class _Listener(event.Listener):  # type: ignore[misc]
    """A listener to Numba's compiler lock: who asks for it and who leaves it."""

    def on_start(self, _: event.Event) -> None:
        record = _compiling.record
        if record.depth == 0:
            record.begun = monotonic()
        record.depth += 1

    def on_end(self, _: event.Event) -> None:
        record = _compiling.record
        if record.depth == 1:
            record.before += monotonic() - record.begun
        record.depth = max(record.depth - 1, 0)  # the first may have begun before this was loaded


_compiling = _Compiling()
event.register("numba:compiler_lock", _Listener())


class Stopwatch:
    """Seconds since it was made, less those that the thread which made it spent compiling."""

    def __init__(self) -> None:
        self._record = _compiling.record
        self._start = self._working()

    @property
    def seconds(self) -> float:
        """How many there are up to now; any thread may ask."""
        return self._working() - self._start

    def _working(self) -> float:
        return monotonic() - self._record.seconds
