"""The threads that work beside the pages: compiled loops leave other threads alone.

There are four lanes. Moves of players come `soon`; what only explains (values, hints) is worked
out `aside`, one at a time, so that nobody waits for a reply because somebody else is curious.
What runs have learned so far is looked at on a thread `of_runs`, which rests most of the time:
however many boards are watched, training and replies have the processors. Agents from visitors'
own files are read, and think, on threads `of_files`: whatever is in such a file, nobody else
waits for it. Games are reviewed in turns, a position of each visitor's at a time.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import ParamSpec, TypeVar

from inarow.game import InputError
from inarow.ui.web.job_queue import JobQueue

MOST_WAITING = 16  # questions about visitors' files, those under way included
REST, LONGEST_REST = 3.0, 1.0  # of the thread of runs: times as long as it worked; seconds

P = ParamSpec("P")
R = TypeVar("R")


class Executors:
    """The threads of a server."""

    def __init__(self) -> None:
        # More threads than processors: a quick reply need not wait for a slow one to end.
        self._soon = ThreadPoolExecutor(8 * (os.cpu_count() or 1), "move")
        self._aside = ThreadPoolExecutor(1, "aside")
        self._of_runs = ThreadPoolExecutor(1, "run")
        self._of_files = ThreadPoolExecutor(2, "file")
        self._waiting = 0  # for the threads of files
        self.reviews = JobQueue(1)

    async def soon(self, work: Callable[P, R], *args: P.args, **named: P.kwargs) -> R:
        """What somebody waits for, as a player's move."""
        return await asyncio.wrap_future(self._soon.submit(work, *args, **named))

    async def aside(self, work: Callable[P, R], *args: P.args, **named: P.kwargs) -> R:
        """What is shown when it comes, as the values of moves."""
        return await asyncio.wrap_future(self._aside.submit(work, *args, **named))

    async def of_runs(self, work: Callable[P, R], *args: P.args, **named: P.kwargs) -> R:
        """What is shown of agents while they train; after each answer the thread rests."""

        def timed() -> R:
            begun = time.monotonic()
            try:
                return work(*args, **named)
            finally:
                rest = min(REST * (time.monotonic() - begun), LONGEST_REST)
                with suppress(RuntimeError):  # the server has ended meanwhile
                    self._of_runs.submit(time.sleep, rest)

        return await asyncio.wrap_future(self._of_runs.submit(timed))

    async def of_files(self, work: Callable[P, R], *args: P.args, **named: P.kwargs) -> R:
        """What has to do with an agent from a visitor's file."""
        if self._waiting >= MOST_WAITING:
            raise InputError(
                f"{MOST_WAITING} agents from files are being read or asked: try again in a moment"
            )
        self._waiting += 1
        future = self._of_files.submit(work, *args, **named)
        loop = asyncio.get_running_loop()
        # Counted until the work itself ends: whoever leaves early frees no place.
        future.add_done_callback(lambda _: _call_in(loop, self._leave))
        return await asyncio.wrap_future(future)

    def _leave(self) -> None:
        self._waiting -= 1

    def close(self) -> None:
        """Drops what has not begun."""
        self._soon.shutdown(wait=False, cancel_futures=True)
        self._aside.shutdown(wait=False, cancel_futures=True)
        self._of_runs.shutdown(wait=False, cancel_futures=True)
        self._of_files.shutdown(wait=False, cancel_futures=True)
        self.reviews.close()


def _call_in(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    with suppress(RuntimeError):  # the server has ended meanwhile
        loop.call_soon_threadsafe(call)
