"""The one error for input that a person can put right."""

import operator
from collections.abc import Iterable
from difflib import get_close_matches
from typing import SupportsIndex

LONGEST = 2_000  # characters of a message


class InputError(ValueError):
    """Bad input, reported in one line that says what would be right.

    The command line prints it and exits with status 2; a program catches it as a ValueError.
    Messages quote names of files, players and arrays that anybody may have chosen, so they contain
    only printable characters, and not too many: they cannot move a terminal's cursor.
    """

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class InputWarning(UserWarning):
    """Input that is taken, though something about it is not as it should be; one line."""


def whole_number(value: SupportsIndex | float, what: str) -> int:
    """A number of things as a plain number: 1e6 is a million, and 1.5 is refused."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{what} must be a whole number, not {value!r}") from None


# What others call it, where the letters alone do not lead there.
SYNONYMS = {
    "episodes": "games",
    "opponent": "against",
    "learning_rate": "alpha",
    "lr": "alpha",
    "step_size": "alpha",
    "exploration": "epsilon",
    "discount": "gamma",
    "lambda": "trace_decay",
    "algorithm": "learner",
}


def suggestion(given: object, known: Iterable[str]) -> str:
    """What was meant, as it follows what was given: " (did you mean td?)"; "" if nothing is near.

    Case, spaces, hyphens and underscores do not count.
    """
    meant = nearest(given, known)
    return f" (did you mean {meant}?)" if meant else ""


def nearest(given: object, known: Iterable[str]) -> str | None:
    """The name that was probably meant, if one is near."""
    names = {_plain(name): name for name in known}
    plain = _plain(str(given)[:100])
    synonym = {_plain(word): meant for word, meant in SYNONYMS.items()}.get(plain)
    near = [synonym] if synonym in names.values() else []
    near = near or [names[name] for name in get_close_matches(plain, names, 1, 0.7)]
    near = near or [
        name for form, name in names.items() if len(plain) > 2 and form.startswith(plain)
    ]
    return near[0] if near else None


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c not in " -_")


def visible(text: str) -> str:
    """The text with characters that cannot be printed written out; lines stay lines."""
    if text.isprintable():
        return text
    kept = (
        c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text
    )
    return "".join(kept)


def printable(text: str) -> str:
    """The text in one line, not too long, with characters that cannot be printed written out."""
    shown = visible(" ".join(text[: 4 * LONGEST].split()))
    if len(shown) > LONGEST or len(text) > 4 * LONGEST:
        return f"{shown[: LONGEST // 2]} ... {shown[-LONGEST // 4 :]}"
    return shown
