"""The pages that are made from what the package knows."""

from __future__ import annotations

from functools import cache

import benchmark_page
import command_page
import game_pages
import install_page
import learner_pages
import notebook_pages
import paper_index
import player_page
import value_page
import verification_page


@cache
def pages() -> dict[str, str]:
    """The text of every page that is written here, by its address in docs."""
    return {
        **game_pages.pages(),
        **learner_pages.pages(),
        "explanations/verification.md": verification_page.page(),
        "how-to/install.md": install_page.page(),
        **notebook_pages.pages(),
        "papers/index.md": paper_index.page(),
        "reference/benchmarks.md": benchmark_page.page(),
        "reference/commands.md": command_page.page(),
        "reference/players.md": player_page.page(),
        "reference/solved-values.md": value_page.page(),
    }
