"""Results that are kept for whoever asks again, until they take too much memory together.

The graph of a game, what is known of its positions and how players move in them can take
gigabytes, and a server is asked about one game after another. So one limit holds for all such
results: of what is beyond it, the one that was asked for longest ago is dropped first, and with
it all that was made from it. Whoever still uses a result has it for as long as that takes.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import is_dataclass
from functools import update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from inarow.game.files import machine_bytes

P = ParamSpec("P")
R = TypeVar("R")
Key = tuple[Hashable, ...]  # the function, then what it was asked for

MOST_RESULTS = 64
MEMORY_SHARE = 4  # all results together take at most one such part of the machine's memory

_results: OrderedDict[Key, object] = OrderedDict()  # the one asked for longest ago first
_making: dict[Key, threading.Lock] = {}
_lock = threading.Lock()


class CachedFunction(Generic[P, R]):
    """A function whose results are kept; threads do not make one result twice."""

    def __init__(self, function: Callable[P, R]) -> None:
        self.function = function
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **named: P.kwargs) -> R:
        """Return the result, made now if it is not at hand."""
        key = (self, *args, *sorted(named.items()))
        if (found := self._look_up(key)) is not None:
            return found
        with _lock:
            making = _making.setdefault(key, threading.Lock())
        try:
            with making:
                if (found := self._look_up(key)) is not None:
                    return found
                result = self.function(*args, **named)
                with _lock:
                    _results[key] = result
                    _evict()
                return result
        finally:
            with _lock:
                _making.pop(key, None)

    def cache_clear(self) -> None:
        """Forget the results of this function."""
        with _lock:
            for key in [key for key in _results if key[0] is self]:
                del _results[key]

    @staticmethod
    def _look_up(key: Key) -> Any:
        with _lock:
            if key in _results:
                _results.move_to_end(key)
            return _results.get(key)


def cached(function: Callable[P, R]) -> CachedFunction[P, R]:
    """Keep the results of a function, which are never None, while memory allows."""
    return CachedFunction(function)


def cached_bytes() -> int:
    """What all results take."""
    return sum(size_of(result) for result in _results.values())


def size_of(thing: object) -> int:
    """The bytes of all arrays in something; what is worked out later counts when it is there."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if isinstance(thing, tuple | list):
        return sum(size_of(part) for part in thing)
    if is_dataclass(thing):
        return sum(size_of(part) for part in vars(thing).values())
    return 0


def _evict() -> None:
    """Drop the oldest results until the rest fit; the newest stays."""
    most = machine_bytes() // MEMORY_SHARE
    while len(_results) > 1 and (len(_results) > MOST_RESULTS or cached_bytes() > most):
        _, dropped = _results.popitem(last=False)
        newest = next(reversed(_results))
        for key in list(_results):
            if key != newest and any(part is dropped for part in key):
                del _results[key]
