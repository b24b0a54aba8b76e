"""Progress in a notebook: a bar that fills while something runs. Elsewhere nothing is shown."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from inarow.game.progress import Progress, mute

EVERY = 0.1  # seconds between two pictures of a bar


def notebook() -> Any | None:
    """Return IPython's display functions, if this is a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or "ZMQ" not in type(shell).__name__:
        return None
    from importlib import import_module

    return import_module("IPython.display")


@contextmanager
def shown(progress: Progress | None, text: str, total: float, steps: bool) -> Iterator[Progress]:
    """Yield the progress function to call: the caller's, a notebook bar, or a no-op.

    With `steps` it is called with what was just done, else with how much is done in all.
    """
    display = notebook() if progress is None else None
    if display is None:
        yield progress or mute
        return
    handle = display.display(display.HTML(_bar(text, 0.0)), display_id=True)
    done, last = 0.0, time.monotonic()

    def show(number: float) -> None:
        nonlocal done, last
        done = done + number if steps else number
        if time.monotonic() - last > EVERY:
            last = time.monotonic()
            handle.update(display.HTML(_bar(text, done / total)))

    try:
        yield show
    finally:
        handle.update(display.HTML(""))  # the result stands there next


def _bar(text: str, share: float) -> str:
    return f'{escape(text)} <progress value="{share:.3f}"></progress> {100 * share:.0f}%'
