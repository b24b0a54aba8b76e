"""What mkdocs calls while it builds the site."""

from __future__ import annotations

import re
from typing import Any

from mkdocs.structure.files import File, Files
from site_pages import pages

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


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Folds hold Markdown, which GitHub knows without being told."""
    return FOLD.sub('<details markdown="1">', markdown)
