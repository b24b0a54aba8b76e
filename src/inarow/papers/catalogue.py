"""The papers that can be reproduced, by name.

A paper is a folder with a `spec.py` that says `PAPER = Paper(...)`. Specs are imported when they
are asked for, since they load compiled code.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from inarow.game import InputError
from inarow.papers.old import OldPaper, old_papers
from inarow.papers.paper import Paper

SPECS = {
    "connect-four": "inarow.papers.connect_four.spec",
    "hybrid": "inarow.papers.hybrid.spec",
    "max-min": "inarow.papers.max_min.spec",
}


def names() -> list[str]:
    """All papers."""
    return sorted({*SPECS, *old_papers()})


def paper_of(name: str) -> Paper | OldPaper:
    """A paper by name."""
    if name in SPECS:
        return cast(Paper, import_module(SPECS[name]).PAPER)
    if name in old_papers():
        return OldPaper(name)
    raise InputError(f"unknown paper {name!r}: there is {', '.join(names())}")
