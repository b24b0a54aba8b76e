"""What each browser has on the server, kept over a reload or a lost connection.

A visitor is known by the id that the server gave the browser in a signed cookie, so nobody can
name another's. What a visitor has is found by its type: a game, training runs, an arena.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar, cast

from inarow.ui.web.visitor_files import VisitorFiles

MOST = 300  # visitors; of more, those without an open page are forgotten, the longest away first
IDLE = 12 * 3600.0  # seconds without an open page after which a visitor is forgotten

T = TypeVar("T")


class BrowserSession:
    """One browser. A thing with an attribute `busy` that is true keeps its visitor from leaving."""

    def __init__(self, identity: str, files: VisitorFiles) -> None:
        self.identity, self.files = identity, files
        self.seen = time.monotonic()
        self.pages: set[str] = set()  # that are open in the browser
        self.stayed = False  # whether a page was ever open, or only asked for, as by a program
        self._things: dict[type, object] = {}

    def one(self, kind: type[T], make: Callable[[], T]) -> T:
        """The visitor's one thing of a kind, made the first time."""
        if kind not in self._things:
            self._things[kind] = make()
        return cast(T, self._things[kind])

    @property
    def busy(self) -> bool:
        """Whether the visitor is here, or work goes on for them."""
        return bool(self.pages) or any(
            getattr(thing, "busy", False) for thing in self._things.values()
        )

    def close(self) -> None:
        """Ends what can be ended; what is on the disk stays there, for a visitor who comes back."""
        self.files.end()
        for thing in self._things.values():
            if hasattr(thing, "close"):
                thing.close()
        self._things.clear()


class BrowserSessions:
    """All of them, at most `most`."""

    def __init__(
        self,
        most: int = MOST,
        idle: float = IDLE,
        clock: Callable[[], float] = time.monotonic,
        files_of: Callable[[str], VisitorFiles] = lambda _: VisitorFiles(),
    ) -> None:
        self.most, self.idle, self.clock, self.files_of = most, idle, clock, files_of
        self._visitors: dict[str, BrowserSession] = {}  # the one who was away longest first

    def __len__(self) -> int:
        return len(self._visitors)

    def of(self, identity: str) -> BrowserSession:
        """The visitor of an id, who is here now."""
        visitor = self._visitors.pop(identity, None)
        visitor = visitor or BrowserSession(identity, self.files_of(identity))
        visitor.seen = self.clock()
        self._visitors[identity] = visitor
        self._forget()
        return visitor

    def come(self, visitor: BrowserSession, page: str) -> None:
        """A page of a visitor's is open."""
        visitor.pages.add(page)
        visitor.stayed = True

    def leave(self, visitor: BrowserSession, page: str) -> None:
        """It is closed, or its connection has been lost for long."""
        visitor.pages.discard(page)
        if visitor.identity in self._visitors:
            self.of(visitor.identity)  # until now

    def _forget(self) -> None:
        """Lets go of who was away too long, and of more than there is room for."""
        *others, _ = self._visitors.values()
        for visitor in sorted(others, key=lambda visitor: visitor.stayed):
            late = self.clock() - visitor.seen > self.idle
            if (late or len(self._visitors) > self.most) and not visitor.busy:
                del self._visitors[visitor.identity]
                visitor.close()

    def close(self) -> None:
        """When the server ends."""
        for visitor in self._visitors.values():
            visitor.close()
        self._visitors.clear()
