"""What mkdocs calls while it builds the site."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import boards
from mkdocs.structure.files import File, Files
from site_pages import pages

LINK = re.compile(r"(?<!!)\[([^\]\n]+)\]\(([^)\s]+)\)")
# Pages that have moved: their old addresses lead to the new ones.
MOVED = {
    "add-a-learner": "how-to/add-a-learner",
    "add-a-paper": "how-to/add-a-paper",
    "environments": "how-to/environments",
    "mcts": "explanations/mcts",
    "players": "how-to/players",
    "qubic": "explanations/qubic",
    "records": "reference/records",
    "serve": "how-to/serve",
}
REDIRECT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>This page has moved</title>
<meta http-equiv="refresh" content="0; url={to}">
<p>This page has moved: <a href="{to}">{to}</a>
</html>
"""
SEARCH = 'data-md-component="search" role="dialog"'  # a dialog that the theme does not name
FOLD = re.compile(r"^<details>", re.MULTILINE)


def on_config(config: Any) -> Any:
    """Puts the pages of a folder where the navigation names the folder."""
    for entry in config.nav:
        for title, target in entry.items():
            if isinstance(target, str) and target.endswith("/"):
                entry[title] = [address for address in pages() if address.startswith(target)]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages."""
    for address, text in pages().items():
        files.append(File.generated(config, address, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Folds hold Markdown, which GitHub knows; links out of docs are there for GitHub alone."""
    depth = page.file.src_uri.count("/")
    markdown = LINK.sub(lambda link: link[1] if _leaves(link[2], depth) else link[0], markdown)
    return FOLD.sub('<details markdown="1">', markdown)


def _leaves(address: str, depth: int) -> bool:
    """Whether a link leads out of docs from a page in a folder so deep."""
    parts = address.split("/")
    return next((i for i, part in enumerate(parts) if part != ".."), len(parts)) > depth


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Adds scripts and styles to pages with boards, learners and proofs; names the search."""
    output = output.replace(SEARCH, f'{SEARCH} aria-label="Search"')
    return boards.with_scripts(output, "../" * page.file.dest_uri.count("/"))


def on_post_build(config: Any) -> None:
    """Write boards, the start page, and a redirect at the old address of each page that moved."""
    site = Path(config.site_dir)
    boards.write(site)
    for old, new in MOVED.items():
        page = site / f"{old}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        to = os.path.relpath(site / f"{new}.html", page.parent)
        page.write_text(REDIRECT.format(to=to), encoding="utf-8")
