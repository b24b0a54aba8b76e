"""What mkdocs calls while it builds the site: pages that are made from what the package knows."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import benchmark_page
import command_page
import game_pages
import learner_pages
import paper_index
import player_page
import value_page
from mkdocs.structure.files import File, Files

FOLD = re.compile(r"^<details>", re.MULTILINE)


@cache
def pages() -> dict[str, str]:
    """The text of every page that is written here, by its address in docs."""
    return {
        **game_pages.pages(),
        **learner_pages.pages(),
        "papers/index.md": paper_index.page(),
        "reference/benchmarks.md": benchmark_page.page(),
        "reference/commands.md": command_page.page(),
        "reference/players.md": player_page.page(),
        "reference/solved-values.md": value_page.page(),
    }


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
