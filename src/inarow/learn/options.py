"""Options of learners: declared once, with a sentence and what they may be, and checked by that.

    alpha: str = option("0.25", "step size", schedule_between(0, 1))
    side: str = option("second", "which player learns", one_of(*SIDES))

Commands, forms and error messages are made from these declarations. A learner is checked when it
is made, so whatever is wrong with it is said before a run begins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from inarow.game import InputError
from inarow.learn.schedule import schedule

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
    """What an option may be, besides being of its type."""

    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    scheduled: bool = False  # a number, or text that says how it falls: see `schedule`
    read: Callable[[str], object] | None = None  # refuses text that means nothing
    optional: bool = False  # whether it may be empty, which means what its sentence says

    @property
    def text(self) -> str:
        """As it follows "must be"."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.high < math.inf:
            return f"between {_plain(self.low)} and {_plain(self.high)}"
        return f"{_plain(self.low)} or more" if self.low > -math.inf else ""

    def check(self, name: str, value: OptionValue) -> None:
        """Refuses a value of the right type that is not allowed."""
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
    """A number in a range, its ends included."""
    return Allowed(low, high)


def at_least(low: float) -> Allowed:
    """A number without an upper end."""
    return Allowed(low)


def one_of(*choices: str) -> Allowed:
    """One of a few words."""
    return Allowed(choices=choices)


def schedule_between(low: float, high: float = math.inf, optional: bool = False) -> Allowed:
    """A number, or a schedule that begins in the range and falls."""
    return Allowed(low, high, scheduled=True, optional=optional)


def written(
    read: Callable[[str], object], low: float = -math.inf, high: float = math.inf
) -> Allowed:
    """Text that a function reads; if it reads a number, one in the range."""
    return Allowed(low, high, read=read)


class Option(NamedTuple):
    """An option as people see it."""

    name: str
    default: OptionValue
    about: str  # one sentence
    allowed: Allowed
    unit: str
    planned: bool  # whether it is the number of games that a run is planned for
    main: bool  # whether forms show it among the first choices

    @property
    def hint(self) -> str:
        """The sentence, with what the option may be."""
        form = "a number or a schedule" if self.allowed.scheduled else ""
        range_text = f"{self.allowed.text} {self.unit}".strip()
        parts = [part for part in (form, range_text) if part]
        return f"{self.about} ({', '.join(parts)})" if parts else self.about

    def as_json(self) -> dict[str, object]:
        """For programs."""
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
    """Declares an option of a learner: a number, text or a flag, of the type of its default."""
    declared = Option("", default, about, allowed or Allowed(), unit, planned, main)
    return field(default=default, metadata={"option": declared})


def options_of_type(kind: type) -> dict[str, Option]:
    """The options that a learner declares, by name."""
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
    """Makes each option of a new learner one of its type, as text it may come from; checks it."""
    for name, declared in options_of_type(type(learner)).items():
        value = _of_type(name, getattr(learner, name), type(declared.default))
        declared.allowed.check(name, value)
        object.__setattr__(learner, name, value)


def with_options(kind: type[Made], options: Mapping[str, OptionValue]) -> Made:
    """A learner with some options given and the others as they are by default."""
    known = options_of_type(kind)
    for name in options:
        if name not in known:
            raise InputError(f"{kind.name} has no option {name!r}: there is {', '.join(known)}")
    return kind(**options)


def _of_type(name: str, value: Any, kind: type) -> Any:
    try:
        if kind is bool:
            return YES[str(value).lower()]
        if kind is int and isinstance(value, float) and not value.is_integer():
            raise ValueError
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
