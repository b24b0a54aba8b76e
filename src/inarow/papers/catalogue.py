"""The papers that can be reproduced, by name.

A paper is a folder with a `spec.py` that says `PAPER = Paper(...)`. Specs are imported when they
are asked for, since they load compiled code.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from inarow.game import InputError
from inarow.papers.paper import Paper

SPECS = {
    "connect-four": "inarow.papers.connect_four.spec",
    "cube": "inarow.papers.cube.spec",
    "hybrid": "inarow.papers.hybrid.spec",
    "learners": "inarow.papers.learners.spec",
    "max-min": "inarow.papers.max_min.spec",
    "n-dimensional": "inarow.papers.n_dimensional.spec",
}


def names() -> list[str]:
    """All papers."""
    return sorted(SPECS)


def paper_of(name: str) -> Paper:
    """A paper by name."""
    if name not in SPECS:
        raise InputError(f"unknown paper {name!r}: there is {', '.join(names())}")
    return cast(Paper, import_module(SPECS[name]).PAPER)
