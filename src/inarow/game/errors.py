"""The one error for input that a person can put right."""

import operator
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


def whole_number(value: SupportsIndex | float, what: str) -> int:
    """A number of things as a plain number: 1e6 is a million, and 1.5 is refused."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InputError(f"{what} must be a whole number, not {value!r}") from None


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
