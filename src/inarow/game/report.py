"""A result as people read it: a title, a table and notes; the same in a terminal and a notebook.

A class that is `HasReport` describes itself once, by `report`: `repr` prints that as text, and a
notebook shows it as HTML. Programs read `as_json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from inarow.game.errors import visible

WIDTH = 80  # columns of text


@dataclass(frozen=True)
class Report:
    """A result for people: title, table, notes."""

    title: str
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()  # the first column is text, the others are numbers
    notes: Sequence[str] = ()

    def __str__(self) -> str:
        notes = (line for note in self.notes for line in wrap(note, WIDTH))
        table = _columns([self.head, *self.rows] if self.rows else ())
        return visible("\n".join([self.title, *table, *notes]))

    def html(self) -> str:
        """Return the report for a notebook, in no style of its own."""
        parts = [f"<p><strong>{_escaped(self.title)}</strong></p>"]
        if self.rows:
            head = _row("th", self.head)
            rows = "".join(_row("td", row) for row in self.rows)
            parts.append(f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>")
        return "\n".join([*parts, *(f"<p>{_escaped(note)}</p>" for note in self.notes if note)])


class HasReport:
    """An object that shows itself by its report."""

    def report(self) -> Report:
        """Return the report of this result."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return str(self.report())

    def _repr_html_(self) -> str:
        """Return the table that a notebook shows."""
        return self.report().html()


def _columns(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    """Rows as lines: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        first, *rest = (text.ljust(width) for text, width in zip(row, widths, strict=True))
        numbers = (text.strip().rjust(width) for text, width in zip(rest, widths[1:], strict=True))
        yield "  ".join(["", first, *numbers]).rstrip()


def _row(tag: str, texts: Sequence[str]) -> str:
    sides = ["left", *["right"] * (len(texts) - 1)]
    cells = (
        f'<{tag} style="text-align: {side}">{_escaped(text)}</{tag}>'
        for side, text in zip(sides, texts, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"


def _escaped(text: str) -> str:
    return escape(visible(text))
