"""How functions that take long tell how far they are."""

from __future__ import annotations

from collections.abc import Callable

# A function that is told how far some work is: the share of it that is done. Where a function that
# takes one says so, it is a number of games, positions or nodes: those done so far, or those done
# since the last call.
Progress = Callable[[float], object]


def mute(number: float) -> None:
    """Tell nobody: the default of `progress`."""
