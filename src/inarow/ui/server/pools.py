"""The threads that answer questions: a few for each kind, and a queue that refuses when it is full.

Moves wait for no exact values, which take seconds; what runs have learned is looked at on a
thread that rests most of the time, so that training and replies have the processors; agents from
visitors' files are read and asked on threads of their own: whatever is in such a file, nobody
else waits for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TypeVar, TypeVarTuple

MOST_WAITING = 64  # questions in a queue, those being thought about included
MOST_UPLOADS_WAITING = 16
MOST_SECONDS = 120.0  # for an answer: searches take a few at most, but the first ones compile
REST, LONGEST_REST = 3.0, 1.0  # of the thread of runs: times as long as it worked; seconds

R = TypeVar("R")
Q = TypeVarTuple("Q")


class FullError(Exception):
    """Too many questions wait."""


class LateError(Exception):
    """No answer came in time."""


class Pool:
    """Questions that wait for a few threads, and no more of them than is sensible."""

    def __init__(self, name: str, threads: int, most: int = MOST_WAITING, rest: float = 0) -> None:
        self.most, self.rest, self.waiting = most, rest, 0
        self._threads = ThreadPoolExecutor(threads, name)

    async def ask(self, answer: Callable[[*Q], R], *question: *Q) -> R:
        """The answer, or a refusal where too many wait."""
        if self.waiting >= self.most:
            raise FullError(f"{self.most} questions are being thought about: ask again in a second")
        self.waiting += 1
        work = self._threads.submit(partial(self._work, answer, *question))
        # Counted until the work itself ends: whoever hangs up early frees no place.
        loop = asyncio.get_running_loop()

        def leave() -> None:
            self.waiting -= 1

        def end(_: object) -> None:
            with suppress(RuntimeError):  # the server has ended meanwhile
                loop.call_soon_threadsafe(leave)

        work.add_done_callback(end)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(work), MOST_SECONDS)
        except TimeoutError:
            raise LateError(f"no answer after {MOST_SECONDS:g} s: ask later") from None

    def _work(self, answer: Callable[[*Q], R], *question: *Q) -> R:
        begun = time.monotonic()
        try:
            return answer(*question)
        finally:
            if self.rest:
                pause = min(self.rest * (time.monotonic() - begun), LONGEST_REST)
                with suppress(RuntimeError):  # the server has ended meanwhile
                    self._threads.submit(time.sleep, pause)

    def close(self) -> None:
        """Drops what has not begun."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class Pools:
    """All of them."""

    def __init__(self) -> None:
        self.quick = Pool("quick", 2)  # descriptions, packages, forms
        self.moves = Pool("move", 2)
        self.values = Pool("values", 1)
        self.runs = Pool("run", 1, rest=REST)
        self.uploads = Pool("file", 2, MOST_UPLOADS_WAITING)

    def close(self) -> None:
        """Drops what has not begun."""
        for pool in vars(self).values():
            pool.close()
