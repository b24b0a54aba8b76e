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
LONG_SPAN = re.compile(r"`[^`]{1,200}`")  # also over the end of a line
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
    folders = ("*.md", "examples/*.md", "benchmarks/*.md", ".github/**/*.md")
    beside = [path for folder in folders for path in ROOT.glob(folder) if path.is_file()]
    return sorted([*beside, *DOCS.rglob("*.md")])


def blocks(path: Path) -> list[Block]:
    """The blocks of a page, in their order."""
    found = []
    for _, language, rest, text in FENCE.findall(path.read_text(encoding="utf-8")):
        title = re.search(r'title="([^"]+)"', rest)
        found.append(Block(language, title[1] if title else "", text))
    return found


def commands(text: str) -> list[str]:
    """Every command of ours that a page shows: in blocks of any kind, and within sentences."""
    lines = [line.strip().removeprefix("$ ") for line in text.splitlines()]
    spans = [" ".join(span.strip("`").split()) for span in LONG_SPAN.findall(FENCE.sub(" ", text))]
    found = [line for line in [*_joined(lines), *spans] if line.startswith("inarow ")]
    return [line.partition(" #")[0] for line in found]


def _joined(lines: list[str]) -> list[str]:
    """Lines that end in a backslash, with the next."""
    return "\n".join(lines).replace("\\\n", " ").splitlines()


def anchors(text: str) -> set[str]:
    """Where a page can be linked at: headings, as the site and GitHub name them, and HTML's ids."""
    found = {"", *re.findall(r'<[a-z]+ [^>]*\bid="([^"]+)"', text)}
    for heading in re.findall(r"^#+ +(.*?) *$", FENCE.sub(" ", text), re.MULTILINE):
        plain = re.sub(r"[^\w\s-]", "", re.sub(r"\]\([^)]*\)", "", heading)).strip().lower()
        found |= {re.sub(r"\s", "-", plain), re.sub(r"[-\s]+", "-", plain)}
    return found


def prose(text: str) -> str:
    """A page without code, styles, drawings, comments and addresses of links."""
    text = re.sub(r"<(style|svg|script|code|pre)\b.*?</\1>", " ", text, flags=re.DOTALL)
    text = re.sub(r"<q>(.*?)</q>", "“\\1”", text, flags=re.DOTALL)
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
