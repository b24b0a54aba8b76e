"""What handlers of a page wait for. Whoever has left the page by then is told nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from nicegui.element import Element

P = ParamSpec("P")
R = TypeVar("R")


async def in_thread(shown: Element, work: Callable[P, R], *args: P.args, **named: P.kwargs) -> R:
    """Works in a thread, for what `shown` is to show; the handler ends if that is gone by then.

    The work itself is done in any case. As NiceGUI cancels what its timers wait for when a page is
    left, so this cancels the handler: whatever it did next would act on elements that are deleted.
    """
    try:
        return await asyncio.to_thread(work, *args, **named)
    finally:
        if shown.is_deleted:
            raise asyncio.CancelledError
