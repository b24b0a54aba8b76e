"""A page of documentation: sections with text, tables and figures, written as Markdown.

Tables are the same objects that the command line prints, so that a page and a terminal cannot
disagree. A page has no number that was typed in: its sections are made from stored results.
"""

from __future__ import annotations

from dataclasses import dataclass

from inarow.papers.tables import (
    Table,
    bytes_text,
    list_text,
    markdown_of,
    ratio_text,
    seconds_text,
)

__all__ = [
    "Code", "Numbered", "Page", "Part", "Picture", "Section", "Table", "bytes_text", "list_text",
    "markdown", "ratio_text", "seconds_text",
]  # fmt: skip


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
        return markdown_of(part)
    if isinstance(part, Picture):
        return f"![{part.caption}]({part.file})"
    if isinstance(part, Code):
        return "\n".join([f"```{part.language}", *part.lines, "```"])
    if isinstance(part, Numbered):
        return "\n".join(f"{number}. {item}" for number, item in enumerate(part.items, start=1))
    return part
