"""Checks the built site: nothing is loaded from elsewhere, and every link leads to something.

    python docs/check_site.py site

Links that a reader may follow to other sites are no matter; what a browser fetches by itself is.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {
    "script": ("src",),
    "link": ("href",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "object": ("data",),
    "use": ("href",),
}
IN_CSS = re.compile(r"(?:@import\s*|url\(\s*)[\"']?((?:https?:)?//[^\"')\s]+)")


class Page(HTMLParser):
    """What a page fetches, links to, and can be linked at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched, self.links = list[str](), list[str]()
        self.anchors = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes addresses and anchors."""
        values = {name: value or "" for name, value in attrs}
        self.fetched += [values[name] for name in FETCHED.get(tag, ()) if name in values]
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        self.anchors |= {values[name] for name in ("id", "name") if name in values}


def problems(site: Path) -> list[str]:
    """One line for everything that is wrong."""
    site = site.resolve()
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    found = []
    for path, page in pages.items():
        where = path.relative_to(site)
        found += [f"{where} loads {url}" for url in page.fetched if urlsplit(url).netloc]
        if path.name == "404.html":  # its links are those of a site at the root of a server
            continue
        for link in [*page.links, *page.fetched]:
            if not _leads_somewhere(link, path, pages):
                found.append(f"{where} links to {link}, which is not there")
    for path in site.rglob("*.css"):
        text = path.read_text(encoding="utf-8")
        found += [f"{path.relative_to(site)} loads {url}" for url in IN_CSS.findall(text)]
    if not pages:
        found.append(f"{site} has no pages")
    return sorted(set(found))


def _leads_somewhere(link: str, path: Path, pages: dict[Path, Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    page = pages.get(target)
    if page is None or not parts.fragment:
        return target.is_file()
    return unquote(parts.fragment) in page.anchors


def main(site: Path) -> None:
    """Prints what is wrong; exit status 1 if anything is."""
    found = problems(site)
    for line in found:
        print(line, file=sys.stderr)
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
