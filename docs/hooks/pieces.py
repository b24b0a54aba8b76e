"""Small helpers for pages: tables and code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> str:
    """A table; the columns in `right` hold numbers."""
    sides = ["--:" if column in set(right) else ":--" for column in range(len(head))]
    lines = [head, sides, *([_cell(part) for part in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def code(text: str, language: str = "") -> str:
    """A block of code."""
    return f"```{language}\n{text.rstrip()}\n```"


def page(*parts: str) -> str:
    """Parts with a blank line between them."""
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"
