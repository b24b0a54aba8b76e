"""Options of learners: declared once, with a sentence and what they may be, and checked by that.

    alpha: str = option("0.25", "step size", schedule_between(0, 1))
    side: str = option("second", "which player learns", one_of(*OWN_SIDES))

Commands, forms and error messages are made from these declarations. A learner is checked when it
is made, so whatever is wrong with it is said before a run begins.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from inarow.engine.jit import inline
from inarow.game import InputError
from inarow.game.errors import suggestion

if TYPE_CHECKING:
    from inarow.learn.learner import Learner


OptionValue = bool | int | float | str
Value = TypeVar("Value", bool, int, float, str)
Made = TypeVar("Made", bound="Learner")

LARGEST = 2**63 - 1  # of a whole number
LONGEST = 100_000  # characters of a text
YES = {"true": True, "yes": True, "false": False, "no": False}
TYPES = {bool: "yes or no", int: "a whole number", float: "a number", str: "text"}


@dataclass(frozen=True)
class Allowed:
    """A constraint on an option, besides its type."""

    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    scheduled: bool = False  # a number, or text that says how it falls: see `schedule`
    read: Callable[[str], object] | None = None  # refuses text that means nothing
    optional: bool = False  # whether it may be empty, which means what its sentence says

    @property
    def text(self) -> str:
        """The constraint as text, for messages like "must be between 0 and 1"."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.high < math.inf:
            return f"between {_plain(self.low)} and {_plain(self.high)}"
        return f"{_plain(self.low)} or more" if self.low > -math.inf else ""

    def check(self, name: str, value: OptionValue) -> None:
        """Raise InputError for a value of the right type that is not allowed."""
        if self.optional and value == "":
            return
        number: object = value
        if self.choices and value not in self.choices:
            raise InputError(f"option {name} must be {self.text}, not {value!r}")
        if self.scheduled or self.read is not None:
            try:
                number = schedule(value).start if self.read is None else self.read(str(value))
            except (ValueError, ArithmeticError) as error:  # InputError is one
                raise InputError(f"option {name}: {error}") from None
        if isinstance(number, int | float) and not self.low <= number <= self.high:
            raise InputError(f"option {name} must be {self.text}, not {value}")


def between(low: float, high: float) -> Allowed:
    """Return a number in a range, its ends included."""
    return Allowed(low, high)


def at_least(low: float) -> Allowed:
    """Return a number without an upper end."""
    return Allowed(low)


def one_of(*choices: str) -> Allowed:
    """Return the constraint that an option is one of a few words."""
    return Allowed(choices=choices)


def schedule_between(low: float, high: float = math.inf, optional: bool = False) -> Allowed:
    """Return a number, or a schedule that begins in the range and falls."""
    return Allowed(low, high, scheduled=True, optional=optional)


def written(
    read: Callable[[str], object], low: float = -math.inf, high: float = math.inf
) -> Allowed:
    """Return the constraint that a function reads the text, perhaps as a number in a range."""
    return Allowed(low, high, read=read)


class Option(NamedTuple):
    """An option as people see it."""

    name: str
    default: OptionValue
    about: str  # one sentence
    allowed: Allowed
    unit: str
    planned: bool  # whether it is the number of games that a run is planned for; 0: not given
    main: bool  # whether forms show it among the first choices

    @property
    def hint(self) -> str:
        """The description with the constraint."""
        form = "a number or a schedule" if self.allowed.scheduled else ""
        range_text = f"{self.allowed.text} {self.unit}".strip()
        parts = [part for part in (form, range_text) if part]
        return f"{self.about} ({', '.join(parts)})" if parts else self.about

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
        allowed = self.allowed
        return {
            "default": self.default,
            "type": type(self.default).__name__,
            "about": self.about,
            "least": allowed.low if allowed.low > -math.inf else None,
            "greatest": allowed.high if allowed.high < math.inf else None,
            "choices": list(allowed.choices) or None,
            "schedule": allowed.scheduled,
            "unit": self.unit or None,
        }


def option(
    default: Value,
    about: str,
    allowed: Allowed | None = None,
    unit: str = "",
    *,
    planned: bool = False,
    main: bool = False,
) -> Value:
    """Declare an option of a learner: a number, text or flag, of the type of its default."""
    declared = Option("", default, about, allowed or Allowed(), unit, planned, main)
    return field(default=default, metadata={"option": declared})


def options_of_type(kind: type) -> dict[str, Option]:
    """Return the options that a learner declares, by name."""
    found = {}
    for each in fields(kind):
        if "option" not in each.metadata:
            raise InputError(f"{kind.__name__}.{each.name} must be declared by option(...)")
        default = each.metadata["option"].default
        if type(default) not in TYPES:
            raise InputError(
                f"option {each.name} of {kind.__name__} must have a number, text, True or False as "
                f"its default, not {default!r}"
            )
        found[each.name] = each.metadata["option"]._replace(name=each.name)
    return found


def check_options(learner: object) -> None:
    """Convert each option of a new learner to its type, perhaps from text, and check it."""
    for name, declared in options_of_type(type(learner)).items():
        value = _of_type(name, getattr(learner, name), type(declared.default))
        declared.allowed.check(name, value)
        object.__setattr__(learner, name, value)


def with_options(kind: type[Made], options: Mapping[str, OptionValue]) -> Made:
    """Return a learner with some options given and the others as they are by default."""
    known = options_of_type(kind)
    for name in options:
        if name not in known:
            near = suggestion(name, known)
            raise InputError(
                f"{kind.name} has no option {name!r}{near}: there is {', '.join(known)}"
            )
    return kind(**options)


def planned_options(learner: object, games: int) -> dict[str, OptionValue]:
    """Return the options of a learner that follow the number of games that it is trained for.

    Such an option is 0 where it is not given. A number that is given stays.
    """
    declared = options_of_type(type(learner))
    return {n: games for n, one in declared.items() if one.planned and not getattr(learner, n)}


def _of_type(name: str, value: Any, kind: type) -> Any:
    try:
        if kind is bool:
            return YES[str(value).lower()]
        if kind is int and isinstance(value, float) and not value.is_integer():
            raise ValueError
        if kind is int and isinstance(value, str) and "e" in value.lower():
            return _of_type(name, float(value), kind)  # 1e5 is a whole number, too
        made = kind(value)
        if kind is float and not math.isfinite(made):
            raise ValueError
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        raise InputError(f"option {name} must be {TYPES[kind]}, not {value!r}") from None
    if kind is int and abs(made) > LARGEST:
        raise InputError(f"option {name} must be between {-LARGEST} and {LARGEST}")
    if kind is str and len(made) > LONGEST:
        raise InputError(f"option {name} must have at most {LONGEST:,} characters")
    return made


def _plain(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"


# Step sizes and exploration rates that fall while a run goes on.

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
        """Return the value for the game after so many."""
        return float(value_at(self.numbers(), games))

    def numbers(self) -> Numbers:
        """Return the schedule for compiled loops."""
        return np.array([self.start, self.factor, self.every, self.least], dtype=np.float64)

    def __str__(self) -> str:
        """Return the schedule as `schedule` reads it."""
        text = f"{self.start:.17g}"
        if self.factor != 1:
            text += f"*{self.factor:.17g}"
            text += f"/{self.every}" if self.every != 1 else ""
        return text + (f">{self.least:.17g}" if self.least else "")


SQUARED = 65_536  # the largest exponent for which squares are multiplied
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
    """Return a schedule from `start` to `end` in so many games, by the same factor each game."""
    return Schedule(start, (end / start) ** (1 / games), 1, end)


@inline
def value_at(numbers: Numbers, games: int) -> float:
    """Return the value of a compiled schedule for the game after so many."""
    if numbers[1] == 1.0:
        return numbers[0]
    return max(numbers[0] * power(numbers[1], games // int(numbers[2])), numbers[3])


@inline
def power(base: float, exponent: int) -> float:
    """A power with an exponent from 0, by squaring: Numba's own bits, without code that raises."""
    if exponent > SQUARED:
        return math.pow(base, float(exponent))
    result = 1.0
    while exponent != 0:
        if exponent & 1:
            result *= base
        exponent >>= 1
        base *= base
    return result
