"""Thoughts beside the pages: in threads, for compiled loops leave other threads alone.

There are two lanes. Moves of players come `soon`; what only explains (values, hints) is worked out
`aside`, one at a time, so that nobody waits for a reply because somebody else is curious.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Thinking:
    """The threads of a server."""

    def __init__(self) -> None:
        # More threads than processors: a quick reply need not wait for a slow one to end.
        self._soon = ThreadPoolExecutor(8 * (os.cpu_count() or 1), "move")
        self._aside = ThreadPoolExecutor(1, "aside")

    async def soon(self, work: Callable[P, R], *args: P.args, **named: P.kwargs) -> R:
        """What somebody waits for, as a player's move."""
        return await asyncio.wrap_future(self._soon.submit(work, *args, **named))

    async def aside(self, work: Callable[P, R], *args: P.args, **named: P.kwargs) -> R:
        """What is shown when it comes, as the values of moves."""
        return await asyncio.wrap_future(self._aside.submit(work, *args, **named))

    def close(self) -> None:
        """Drops what has not begun."""
        self._soon.shutdown(wait=False, cancel_futures=True)
        self._aside.shutdown(wait=False, cancel_futures=True)
