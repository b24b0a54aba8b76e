"""What all learners have in common: parameters that begin a run, and a run that can be cut.

A learner is a frozen dataclass of parameters. `begin` makes a `Training`: everything in it that
changes is in `arrays`, so these arrays are both what is saved and what a run goes on from, and a
run gives the same bits however it is cut into pieces.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from inarow.engine.tables import Int64s
from inarow.game import Game, InputError
from inarow.game.memory import bytes_text
from inarow.learn.agent import Agent
from inarow.learn.arrays import (
    Arrays,
    Layout,
    bytes_of,
    check_arrays,
    check_bytes,
    from_small,
    game_counts,
)
from inarow.learn.schedule import schedule

MAX_LINES = 1_000_000  # of a game that is learned
COPIES = 2  # of a run's arrays: its own, and what its agent plays with
LARGEST = 2**63 - 1  # of a whole number in an option
LONGEST = 100_000  # characters of a text in an option

# What `counts` holds, for the learner (for the first player, where it plays itself): games, how
# they ended, and the number of the last one that was lost, counted from 1.
GAMES, WINS, DRAWS, LOSSES, LAST_LOSS = range(5)

# Options that mean the same wherever they are.
SCHEDULES = ("alpha", "epsilon")
SHARES = ("gamma", "trace", "trace_decay", "decay", "propagation", "baseline")


class Training(ABC):
    """A run of a learner, as far as it has come.

    A subclass calls `__init__` before it makes anything, so that what is too large is refused
    first, and `begin_with` when it has made its arrays.
    """

    def __init__(self, learner: Learner, game: Game, seed: int) -> None:
        self.game, self.layout = game, layout_of(learner, game, seed)

    def begin_with(self, arrays: Arrays) -> None:
        """Takes the arrays of a run from nothing."""
        self.arrays = {"counts": np.zeros(5, dtype=np.int64), **arrays}
        check_arrays(self.layout, self.arrays, self.layout)

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

    def restore(self, arrays: Arrays, names: Iterable[str] = (), small: bool = False) -> None:
        """Goes on from the arrays of another run with the same parameters.

        With `names` it takes over these alone, and with `small` weights of 8 bits, too.
        """
        taken = tuple(names) or tuple(self.layout)
        check_arrays(self.layout, arrays, taken, small)
        check_counts(arrays["counts"])
        for name in taken:
            given = arrays[name]
            shrunk = given.dtype == np.int8 and self.arrays[name].dtype.kind == "f"
            self.arrays[name][...] = from_small(given) if shrunk else given

    def check_finite(self) -> None:
        """Stops with a clear line if what is learned has become useless."""
        for name, array in self.arrays.items():
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                raise InputError(
                    f"training diverged: after {self.games:,} games some {name} are not finite "
                    "numbers; take a smaller step size"
                )


class Learner(ABC):
    """The parameters of a learner: a frozen dataclass whose fields are numbers, text or flags."""

    @abstractmethod
    def layout(self, game: Game, seed: int, most: int | None) -> Layout:
        """The arrays of a run besides `counts`: their shapes, types and ranges.

        It makes none of them. Where `most` is given, it may refuse parameters for which some
        array would have more numbers than that, and takes no more time than so few justify.
        """

    @abstractmethod
    def begin(self, game: Game, opponent: Any, seed: int) -> Training:
        """A run from nothing; `opponent` is None where the learner plays itself."""

    def arrays_to_play(self, games: int) -> tuple[str, ...]:  # noqa: ARG002
        """The arrays that the agent needs after so many games; empty where it is all of them."""
        return ()

    def extra_bytes(self, game: Game) -> int:  # noqa: ARG002
        """About how many bytes building a run takes besides its arrays, at once from parameters.

        A learner says so where that is more than what every run on such a board takes.
        """
        return 0

    def bytes_needed(self, game: Game, seed: int) -> int:
        """About how many bytes a run takes, at the most while it is built. It makes none of it."""
        return COPIES * bytes_of(layout_of(self, game, seed)) + self.extra_bytes(game)


def layout_of(learner: Learner, game: Game, seed: int, most: int | None = None) -> Layout:
    """All arrays of a run, if there is memory for them; with `most`, as in `Learner.layout`."""
    check_lines(game)
    layout = {"counts": game_counts(), **learner.layout(game, seed, most)}
    check_bytes(layout)
    return layout


def check_lines(game: Game) -> None:
    """Says so if a game has more lines than are learned on."""
    lines = game.line_count
    if lines > MAX_LINES:
        raise InputError(f"{game.name} has {lines:,} lines: learners take at most {MAX_LINES:,}")


def check_size(
    name: str, learner: Learner, game: Game, seed: int, most: int, place: str = ""
) -> int:
    """The bytes that a run needs, if those are at most so many; `place` is where they are.

    A few characters can ask for more than any machine has, in a file of a stranger's as well as
    by a slip of the finger.
    """
    check_lines(game)
    size = learner.extra_bytes(game)
    if size <= most:  # else the layout, too, may be much work
        size = learner.bytes_needed(game, seed)
    if size > most:
        raise InputError(
            f"{name} with these options takes {bytes_text(size)} of memory on {game.name}: "
            f"at most {bytes_text(most)} work{place}"
        )
    return size


def check_counts(counts: Int64s) -> None:
    """Says so if the counts of a run do not add up."""
    games, *ends, last_loss = (int(count) for count in counts)
    if sum(ends) != games or last_loss > games:
        raise InputError(
            f"array counts holds {games} games, of which {ends[0]} were won, {ends[1]} drawn and "
            f"{ends[2]} lost, the last in game {last_loss}: that does not add up"
        )


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
        made = kind(value)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        kinds = {bool: "yes or no", int: "a whole number", float: "a number", str: "text"}
        raise InputError(f"option {name} is {kinds.get(kind, kind)}, not {value!r}") from None
    if kind is int and abs(made) > LARGEST:
        raise InputError(f"option {name} must be between {-LARGEST} and {LARGEST}")
    if kind is str and len(made) > LONGEST:
        raise InputError(f"option {name} must have at most {LONGEST:,} characters")
    return made


def choice(name: str, value: str, known: tuple[str, ...]) -> int:
    """The place of a word among those that an option knows."""
    if value not in known:
        raise InputError(f"option {name} is one of {', '.join(known)}, not {value!r}")
    return known.index(value)
