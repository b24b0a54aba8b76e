"""What mkdocs calls while it builds the site."""

from __future__ import annotations

import re
from typing import Any

from mkdocs.structure.files import File, Files
from site_pages import pages

LINK = re.compile(r"(?<!!)\[([^\]\n]+)\]\(([^)\s]+)\)")
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
