"""The table of solved values."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pieces import page as page_of
from pieces import table

FILE = Path(__file__).parents[2] / "src" / "inarow" / "game" / "known-values.toml"
VALUES: dict[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))
WORDS = {"first": "first player wins", "second": "second player wins", "draw": "draw"}


def page() -> str:
    """Connect Four by its size, then other games."""
    sizes = VALUES["connect4"]
    widths = [str(width) for width in sizes["widths"]]
    rows = [(height, *sizes[height].split()) for height in sizes if height.isdigit()]
    other = [
        (f"`{entry['game']}`", WORDS.get(entry["value"], "not known"), entry["source"])
        for entry in VALUES["other"]
    ]
    return page_of(
        "# Solved values",
        "Who wins from the empty board if both sides play perfectly. The tests of this package "
        "solve the small games again; the values of the others are quoted.",
        "## Connect Four, by the size of the board",
        "Heights down, widths across; the usual board has height 6 and width 7 (`connect4:6x7`). "
        "**+** the first player wins, **-** the second, **=** a draw, **?** not in the table.",
        table(("height", *widths), rows, range(8)),
        f"Source: {sizes['source']}.",
        "## Other games",
        table(("game", "value", "source"), other),
        "The solver gives a score, which also says how soon the game is won: see [the solver]"
        "(../explanations/solver.md).",
    )
