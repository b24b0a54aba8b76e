"""Who is told when functions begin to be compiled, and when all of them are.

It imports nothing, so that a command can ask to be told before it knows whether it needs Numba.
"""

from __future__ import annotations

from collections.abc import Callable

# Called with True when a compilation begins, with False when it ends. There is one at a time.
watchers: list[Callable[[bool], None]] = []
