"""The project's pages as tests read them: their blocks of code, their prose, their links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
FENCE = re.compile(r"^( *)```(\w*)([^\n]*)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`[^`\n]+`")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LINK = re.compile(r'\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"')
DIRECTIVE = re.compile(r"^:::.*\n(?: {4}.*\n)*", re.MULTILINE)


class Block(NamedTuple):
    """A block of code: its language, the file that its title names, and its text."""

    language: str
    file: str
    text: str


def markdown_files() -> list[Path]:
    """All pages that are stored: those of the site, and those beside the source."""
    beside = [path for path in ROOT.glob("*.md") if path.is_file()]
    return sorted([*beside, *DOCS.rglob("*.md"), *ROOT.glob(".github/**/*.md")])


def blocks(path: Path) -> list[Block]:
    """The blocks of a page, in their order."""
    found = []
    for _, language, rest, text in FENCE.findall(path.read_text(encoding="utf-8")):
        title = re.search(r'title="([^"]+)"', rest)
        found.append(Block(language, title[1] if title else "", text))
    return found


def prose(text: str) -> str:
    """A page without code, comments and addresses of links."""
    for pattern in (FENCE, SPAN, COMMENT, DIRECTIVE):
        text = pattern.sub(" ", text)
    text = re.sub(r"^ {4}\S.*$", " ", text, flags=re.MULTILINE)  # code that is indented
    text = re.sub(r"\]\([^)]*\)", "] ", text)
    return re.sub(r"<[^>\n]+>|https?://\S+", " ", text)


def links(text: str) -> Iterator[str]:
    """The addresses that a page links to or shows, other sites left out."""
    for found in LINK.finditer(FENCE.sub(" ", text)):
        address = found[1] or found[2]
        if not re.match(r"[a-z]+:", address):
            yield address
