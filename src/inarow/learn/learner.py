"""What all learners have in common: parameters that begin a run, and a run that can be cut.

A learner is a frozen dataclass of parameters. `begin` makes a `Training`: everything in it that
changes is in `arrays`, so these arrays are both what is saved and what a run goes on from, and a
run gives the same bits however it is cut into pieces.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import asdict, fields
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from inarow.engine.tables import Int64s
from inarow.game import Game, InputError
from inarow.learn.agent import Agent
from inarow.learn.schedule import schedule

Arrays = dict[str, npt.NDArray[Any]]

# What `counts` holds, for the learner (for the first player, where it plays itself): games, how
# they ended, and the number of the last one that was lost, counted from 1.
GAMES, WINS, DRAWS, LOSSES, LAST_LOSS = range(5)

# Options that mean the same wherever they are.
SCHEDULES = ("alpha", "epsilon")
SHARES = ("gamma", "trace", "trace_decay", "decay", "propagation", "baseline")


class Training(ABC):
    """A run of a learner, as far as it has come."""

    def __init__(self, game: Game, arrays: Arrays) -> None:
        self.game = game
        self.arrays = {"counts": np.zeros(5, dtype=np.int64), **arrays}

    @property
    def counts(self) -> Int64s:
        """Games played so far, and how they ended."""
        return self.arrays["counts"]

    @property
    def games(self) -> int:
        """Games played so far."""
        return int(self.counts[GAMES])

    @abstractmethod
    def play(self, games: int) -> None:
        """Plays so many more games and learns from them: changes `arrays`, `counts` among them."""

    @abstractmethod
    def agent(self) -> Agent:
        """The player that has been learned so far. It does not change when training goes on."""

    def arrays_to_play(self, games: int) -> tuple[str, ...]:  # noqa: ARG002
        """The arrays that the agent needs after so many games; the others are for going on."""
        return tuple(self.arrays)

    def restore(self, arrays: Arrays) -> None:
        """Goes on from the arrays of another run with the same parameters."""
        self._take(arrays, tuple(self.arrays), False)

    def restore_agent(self, arrays: Arrays, games: int) -> None:
        """Takes over what the agent of another run plays with; numbers may be half as precise."""
        self._take(arrays, self.arrays_to_play(games), True)

    def _take(self, arrays: Arrays, names: tuple[str, ...], half: bool) -> None:
        if arrays.keys() != set(names):
            wanted, found = sorted(names), sorted(arrays)
            raise InputError(f"the arrays are {', '.join(found)}, not {', '.join(wanted)}")
        for name in names:
            given, array = arrays[name], self.arrays[name]
            kinds = (array.dtype, np.dtype(np.float16)) if half else (array.dtype,)
            if given.dtype not in kinds or given.shape != array.shape:
                raise InputError(
                    f"array {name} is {given.dtype}{list(given.shape)}, "
                    f"not {array.dtype}{list(array.shape)}"
                )
        for name in names:
            self.arrays[name][...] = arrays[name]
        self.check_finite()

    def check_finite(self) -> None:
        """Stops with a clear line if what is learned has become useless."""
        for name, array in self.arrays.items():
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                raise InputError(
                    f"training diverged: after {self.games:,} games some {name} are not finite "
                    "numbers; take a smaller step size"
                )


class Learner(Protocol):
    """The parameters of a learner: a frozen dataclass whose fields are numbers, text or flags."""

    def begin(self, game: Game, opponent: Any, seed: int) -> Training:
        """A run from nothing; `opponent` is None where the learner plays itself."""


def options_of(learner: Any) -> dict[str, Any]:
    """The parameters as they go into files: numbers, text and flags only."""
    return asdict(learner)


def with_options(kind: type, options: dict[str, Any]) -> Any:
    """A learner with some parameters given, each checked against the type of its default.

    Values may be text, as a command line gives them.
    """
    known = {field.name: field.default for field in fields(kind)}
    made = {}
    for name, value in options.items():
        if name not in known:
            raise InputError(f"unknown option {name!r}: there is {', '.join(known)}")
        made[name] = _like(name, value, known[name])
        if made[name] != known[name]:
            _check(name, made[name])
    return kind(**made)


def _check(name: str, value: Any) -> None:
    """Says what an option can be, where that is the same in every learner."""
    if name in SCHEDULES:
        try:
            start = schedule(value).start
        except InputError as error:
            raise InputError(f"option {name}: {error}") from None
        if name == "epsilon" and start > 1:
            raise InputError(f"option epsilon is a share of moves, from 0 to 1, not {value!r}")
    elif isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"option {name} is a number, not {value}")
    elif name in SHARES and not 0 <= value <= 1:
        raise InputError(f"option {name} is from 0 to 1, not {value}")


def _like(name: str, value: Any, default: Any) -> Any:
    """The value as one of the default's type."""
    kind = type(default)
    try:
        if kind is bool:
            return {"true": True, "yes": True, "false": False, "no": False}[str(value).lower()]
        if kind is int and isinstance(value, float) and not value.is_integer():
            raise ValueError
        return kind(value)
    except (ValueError, KeyError, TypeError):
        kinds = {bool: "yes or no", int: "a whole number", float: "a number", str: "text"}
        raise InputError(f"option {name} is {kinds.get(kind, kind)}, not {value!r}") from None


def choice(name: str, value: str, known: tuple[str, ...]) -> int:
    """The place of a word among those that an option knows."""
    if value not in known:
        raise InputError(f"option {name} is one of {', '.join(known)}, not {value!r}")
    return known.index(value)
