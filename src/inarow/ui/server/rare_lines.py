"""A limit on how often a line comes into the log: whoever sends junk cannot fill the disk."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

SECONDS = 10.0  # between two lines alike
MOST_KINDS = 100  # that are told apart


class RareLines(logging.Filter):
    """Lets a line pass if none alike came for a while; the next one says how many did not."""

    def __init__(
        self, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self.seconds, self.clock = seconds, clock
        self._last: dict[str, tuple[float, int]] = {}  # when it was let pass, and how many since
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written."""
        kind = str(record.msg)[:80]
        with self._lock:
            now = self.clock()
            before, left_out = self._last.get(kind, (float("-inf"), 0))
            if now - before < self.seconds:
                self._last[kind] = before, left_out + 1
                return False
            if len(self._last) >= MOST_KINDS:
                self._last.clear()
            self._last[kind] = now, 0
        if left_out:
            record.msg, record.args = f"{record.getMessage()} ({left_out:,} more alike)", ()
        return True
