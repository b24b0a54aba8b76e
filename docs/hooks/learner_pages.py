"""The list of learners."""

from __future__ import annotations

from pieces import page as page_of
from pieces import table

from inarow.learn.names import LEARNERS


def pages() -> dict[str, str]:
    """One page for all."""
    rows = [(f"`{name}`", entry.about) for name, entry in LEARNERS.items()]
    return {"learners/index.md": page_of("# Learners", table(("learner", "what it is"), rows))}
