"""A page of documentation: sections with text, tables and figures, written as Markdown.

Tables are the same objects that the command line prints, so that a page and a terminal cannot
disagree. A page has no number that was typed in: its sections are made from stored results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """Text in rows and columns, for Markdown and for the terminal."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""  # on the terminal; on a page the section has a heading
    texts: tuple[int, ...] = (0,)  # the columns that are words: they are aligned to the left


@dataclass(frozen=True)
class Picture:
    """A figure in a file, named relative to the page."""

    file: str
    caption: str


@dataclass(frozen=True)
class Code:
    """Lines to type."""

    lines: tuple[str, ...]
    language: str = "sh"


@dataclass(frozen=True)
class Numbered:
    """A numbered list, as for the differences from a paper."""

    items: tuple[str, ...]


Part = str | Table | Picture | Code | Numbered


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it."""

    heading: str
    parts: tuple[Part, ...] = ()
    level: int = 2


@dataclass(frozen=True)
class Page:
    """What a file in docs/ holds."""

    title: str
    parts: tuple[Part, ...]
    sections: tuple[Section, ...]
    made_by: str  # the command that writes it


def markdown(page: Page) -> str:
    """The page as the text of a Markdown file."""
    blocks = [f"<!-- Written by `{page.made_by}` from stored results: change those. -->"]
    blocks += _blocks(Section(page.title, page.parts, level=1))
    for section in page.sections:
        blocks += _blocks(section)
    return "\n\n".join(blocks) + "\n"


def _blocks(section: Section) -> list[str]:
    return [f"{'#' * section.level} {section.heading}", *map(_block, section.parts)]


def _block(part: Part) -> str:
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Picture):
        return f"![{part.caption}]({part.file})"
    if isinstance(part, Code):
        return "\n".join([f"```{part.language}", *part.lines, "```"])
    if isinstance(part, Numbered):
        return "\n".join(f"{number}. {item}" for number, item in enumerate(part.items, start=1))
    return part


def _table(table: Table) -> str:
    rules = [":--" if column in table.texts else "--:" for column in range(len(table.columns))]
    return "\n".join(_row(cells) for cells in (table.columns, rules, *table.rows))


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def seconds_text(seconds: float) -> str:
    """As in 0.032 s, 12.3 s, 19 min."""
    if seconds >= 600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds:.3f} s" if seconds < 1 else f"{seconds:.1f} s"


def bytes_text(number: float) -> str:
    """As in 17 kB, 1.1 GB: powers of a thousand."""
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number / 1e3:.0f} kB"


def ratio_text(ratio: float) -> str:
    """As in 3.9x, 87x, 3,600x."""
    digits = 1 if ratio < 10 else 0
    return f"{_rounded(ratio):,.{digits}f}x"


def list_text(words: Sequence[str]) -> str:
    """As in one, two and three."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _rounded(number: float) -> float:
    """To two significant digits from a hundred on: no ratio of timings has more."""
    return float(f"{number:.2g}") if number >= 100 else number
