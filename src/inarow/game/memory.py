"""How much memory there is, for people and for programs."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

UNKNOWN = 2**32  # bytes of a machine that does not say how much memory it has
CONTAINER = Path("/sys/fs/cgroup/memory.max")  # where Linux says what a container may take


def machine_bytes() -> int:
    """The memory of this machine, or of the container that this runs in."""
    known = UNKNOWN
    with suppress(AttributeError, ValueError, OSError):  # not every system tells
        known = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(ValueError, OSError):
        known = min(known, int(CONTAINER.read_text()))
    return known


def bytes_text(size: int) -> str:
    """A number of bytes for people, of any size."""
    for unit, word in ((2**40, "TB"), (2**30, "GB")):
        if size >= unit:
            # A whole number of hundreds of digits has no quotient that is a float.
            return f"{size // unit:,} {word}" if size < 1000 * unit else f"over 1,000 {word}"
    return f"{max(1, size // 2**20):,} MB"
