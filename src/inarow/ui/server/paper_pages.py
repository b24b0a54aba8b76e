"""The pages of docs/papers as HTML.

They are written by a command from stored results (`docs/make_pages.py`), and nothing is added here
but a look: verdicts stand out, tables scroll on a narrow screen, headings can be linked to. How
often each verdict was given is read from the JSON file beside the page. An installed package
carries both with it; in a checkout they are read where they are.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from markdown2 import markdown  # type: ignore[import-untyped]

from inarow.game import InputError
from inarow.papers.report import REPORT_BEGINS
from inarow.papers.verdicts import (
    DIFFERS,
    FASTER,
    KINDS,
    MATCHES,
    NOT_RUN,
    SMALLER,
    TOO_FEW,
    TOO_SHORT,
    UNDECIDED,
)

FIGURES = "/papers-figures"  # where the server has them
# A sign before each verdict, so that it reads without colour, and its class.
SIGNS = {
    MATCHES: ("\u2713", "matches"),
    DIFFERS: ("\u2260", "differs"),
    UNDECIDED: ("?", "open"),
    TOO_FEW: ("\u2026", "open"),
    FASTER: ("\u226a", "less"),
    SMALLER: ("\u226a", "less"),
    TOO_SHORT: ("\u2026", "open"),
    NOT_RUN: ("\u2013", "open"),
}
EXTRAS = ["tables", "fenced-code-blocks", "header-ids"]


class Heading(NamedTuple):
    """A line of the table of contents."""

    level: int  # 2 or 3
    anchor: str
    text: str


@dataclass(frozen=True)
class PaperPage:
    """One page."""

    name: str
    title: str
    lead: str  # its first lines, as text
    html: str  # without the title
    contents: tuple[Heading, ...]
    verdicts: dict[str, dict[str, int]]  # how often each was given, by kind of row


def pages_folder() -> Path:
    """Where the pages are: in the package, else in the checkout around it."""
    package = Path(str(files("inarow")))
    packaged = package / "papers" / "pages"
    return packaged if packaged.is_dir() else package.parents[1] / "docs" / "papers"


def page_names() -> list[str]:
    """The papers that have a page."""
    return sorted(path.stem for path in pages_folder().glob("*.md"))


def read_page(name: str) -> PaperPage:
    """The page of a paper."""
    if name not in page_names():
        known = ", ".join(page_names()) or "none: the pages are not installed"
        raise InputError(f"there is no page of a paper {name!r}: there is {known}")
    path = pages_folder() / f"{name}.md"
    judged = path.with_suffix(".json")
    times = [file.stat().st_mtime_ns for file in (path, judged) if file.is_file()]
    return _read(path, max(times))


@lru_cache(maxsize=32)
def _read(path: Path, changed: int) -> PaperPage:  # noqa: ARG001 - a page that changed is read again
    text = path.read_text(encoding="utf-8")
    if REPORT_BEGINS in text:  # which is HTML already
        return _report(path, text)
    html = str(markdown(text, extras=EXTRAS))
    title = re.search(r"<h1[^>]*>(.*?)</h1>", html, re.DOTALL)
    lead = re.search(r"<p>(.*?)</p>", html, re.DOTALL)
    headings = re.findall(r'<h([23]) id="([^"]+)">(.*?)</h\1>', html, re.DOTALL)
    html = re.sub(r"<!--.*?-->|<h1.*?</h1>", "", html, flags=re.DOTALL)
    html = re.sub(r"<table>.*?</table>", lambda m: _table(m[0]), html, flags=re.DOTALL)
    html = html.replace('<img src="figures/', f'<img loading="lazy" src="{FIGURES}/')
    html = html.replace("<pre>", '<pre tabindex="0">')
    # Folds are not paragraphs.
    html = re.sub(r"<p>(<details)[^>]*(>.*?</summary>)</p>", r"\1\2", html, flags=re.DOTALL)
    html = html.replace("<p></details></p>", "</details>")
    # Files beside the pages are not here.
    html = re.sub(r'<a href="(?!#|https?:)[^"]*">(.*?)</a>', r"\1", html, flags=re.DOTALL)
    return PaperPage(
        path.stem,
        _plain(title[1]) if title else path.stem,
        _plain(lead[1]) if lead else "",
        html,
        tuple(Heading(int(level), anchor, _plain(text)) for level, anchor, text in headings),
        _counts(path.with_suffix(".json")),
    )


def _report(path: Path, text: str) -> PaperPage:
    """A paper's report: its headings stand in it."""
    html = text[text.index("<style>") :]
    title = re.search(r"<h1>(.*?)</h1>", html, re.DOTALL)
    lead = re.search(r'<p class="cite">(.*?)</p>', html, re.DOTALL)
    return PaperPage(
        path.stem,
        _plain(title[1]) if title else path.stem,
        _plain(lead[1]) if lead else "",
        re.sub(
            r'<h1>.*?</h1>|<a href="(?!#|https?:)[^"]*">(.*?)</a>', r"\1", html, flags=re.DOTALL
        ),
        (),
        _counts(path.with_suffix(".json")),
    )


def _counts(path: Path) -> dict[str, dict[str, int]]:
    """The verdicts that were stored with a page."""
    if not path.is_file():
        return {}
    counted = json.loads(path.read_text(encoding="utf-8"))["counts"]
    return {KINDS[kind]: dict(by) for kind, by in counted.items()}


def _table(table: str) -> str:
    """A table that scrolls by itself, its verdicts marked."""

    def mark(cell: re.Match[str]) -> str:
        sign, kind = SIGNS[cell[2]]
        return f'{cell[1]}<span class="verdict {kind}">{sign} {cell[2]}</span></td>'

    table = re.sub(r"<th[^>]*>\s*</th>", "<td></td>", table)  # a header that says nothing
    words = "|".join(map(re.escape, SIGNS))
    marked = re.sub(rf"(<td[^>]*>)({words})</td>", mark, table)
    return f'<div class="scroll" tabindex="0" role="group" aria-label="table">{marked}</div>'


def _plain(html: str) -> str:
    """The text of some HTML, with its few entities."""
    text = re.sub(r"<[^>]+>", "", html)
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(entity, character)
    return " ".join(text.split())
