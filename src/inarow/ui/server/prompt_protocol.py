"""HTTP whose requests have to arrive in time: whoever sends half of one is not waited for.

Uvicorn closes connections that are idle between two requests, and no others: a client that sends
a few bytes and no more would hold its connection, and a descriptor of the server, for as long as
it likes. So does one that asks for a long answer and does not read it.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 20.0  # for a request to arrive, from its first byte or from the connection's start
RATE = 16_384  # bytes for each of which, on average, there is a second more
STUCK_SECONDS = 60.0  # that a client may leave an answer unread
LOOK_SECONDS = 1.0  # between two looks at a connection


class PromptProtocol(H11Protocol):
    """A connection with deadlines."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has connected: its first request is due."""
        super().connection_made(transport)
        self.began: float | None = self.loop.time()  # of the request that is arriving
        self.taken = 0  # bytes of it
        self.stuck: float | None = None  # since when the client has not read on
        self.watch = self.loop.call_later(LOOK_SECONDS, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client, or the server, has closed it."""
        self.watch.cancel()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """The server ends: it waits for answers that are on their way, not for half a request."""
        super().shutdown()
        if self.began is not None and self.transport.get_protocol() is self:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Some more of a request."""
        if self.began is None:
            self.began, self.taken = self.loop.time(), 0
        self.taken += len(data)
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self.began = None  # it is here, and the answer takes as long as it takes

    def _unsupported_upgrade_warning(self) -> None:
        """Notes it, and not Uvicorn's advice to install a library: no page asks for WebSockets."""
        self.logger.warning("Unsupported upgrade request.")

    def _look(self) -> None:
        """Closes the connection if it is late."""
        if self.transport.get_protocol() is not self:
            return  # it has become a WebSocket
        now = self.loop.time()
        if not self.flow.write_paused:
            self.stuck = None
        elif self.stuck is None:
            self.stuck = now
        if self.flow.read_paused and self.began is not None:
            self.began += LOOK_SECONDS  # the server is the one that does not take more
        late = self.began is not None and now - self.began > SECONDS + self.taken / RATE
        if late or (self.stuck is not None and now - self.stuck > STUCK_SECONDS):
            self.transport.abort()
        else:
            self.watch = self.loop.call_later(LOOK_SECONDS, self._look)
