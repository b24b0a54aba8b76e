"""Step sizes and exploration rates that fall while a run goes on."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from inarow.engine.jit import inline
from inarow.game import InputError

MAX_EVERY = 10**12  # games between two steps of a schedule
Numbers = npt.NDArray[np.float64]  # a schedule for compiled loops: start, factor, every, least


@dataclass(frozen=True)
class Schedule:
    """start * factor^(games // every), never below `least`.

    A value is a function of the number of games alone, so a run can be cut anywhere.
    """

    start: float
    factor: float = 1.0
    every: int = 1
    least: float = 0.0

    def __post_init__(self) -> None:
        sound = 0 <= self.start < np.inf and 0 < self.factor <= 1
        if not 1 <= self.every <= MAX_EVERY:
            raise InputError(
                f"a schedule cannot fall every {self.every:,} games: it must be between 1 and "
                f"{MAX_EVERY:,}"
            )
        if not sound or not 0 <= self.least <= self.start:
            raise InputError(
                f"schedule {self} is not possible: it starts at 0 or more and falls by a factor of "
                "more than 0 and at most 1, to no more than its start"
            )

    def at(self, games: int) -> float:
        """The value for the game after so many."""
        return float(value_at(self.numbers(), games))

    def numbers(self) -> Numbers:
        """The schedule for compiled loops."""
        return np.array([self.start, self.factor, self.every, self.least], dtype=np.float64)

    def __str__(self) -> str:
        """As `schedule` reads it."""
        text = f"{self.start:.17g}"
        if self.factor != 1:
            text += f"*{self.factor:.17g}"
            text += f"/{self.every}" if self.every != 1 else ""
        return text + (f">{self.least:.17g}" if self.least else "")


_FORM = re.compile(r"([0-9.eE+-]+)(?:\*([0-9.eE+-]+)(?:/([0-9]+))?)?(?:>([0-9.eE+-]+))?")


def schedule(given: float | str | Schedule) -> Schedule:
    """A number, or text as `0.5*0.99/1000>0.01`: from 0.5, times 0.99 every 1000 games, to 0.01."""
    if isinstance(given, Schedule):
        return given
    match = _FORM.fullmatch(str(given).replace(" ", ""))
    try:
        if match is None:
            raise ValueError
        start, factor, every, least = match.groups()
        numbers = float(start), float(factor or 1), int(every or 1), float(least or 0)
    except ValueError:
        raise InputError(
            f"{given!r} is neither a number nor a schedule: write 0.25, or "
            "0.5*0.99/1000>0.01 for 0.5 "
            "that is multiplied by 0.99 every 1000 games, down to 0.01"
        ) from None
    return Schedule(*numbers)


def falling(start: float, end: float, games: int) -> Schedule:
    """From `start` to `end` in so many games, by the same factor each game."""
    return Schedule(start, (end / start) ** (1 / games), 1, end)


@inline
def value_at(numbers: Numbers, games: int) -> float:
    """The value for the game after so many."""
    if numbers[1] == 1.0:
        return numbers[0]
    return max(numbers[0] * numbers[1] ** (games // int(numbers[2])), numbers[3])
