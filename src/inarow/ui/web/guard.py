"""What the server refuses before anything looks at it: foreign pages, and more bytes than work.

A page of somebody else's that is open in the same browser can reach this server too. It names its
own address as the origin of what it sends; or as the host, where it has made its name point to
this machine (DNS rebinding). It can also show this server's pages in a frame and let a visitor
click on what is not seen (clickjacking), unless an answer forbids frames.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inarow.ui.serve import LOOPBACK, is_address
from inarow.ui.web.agents import MOST_BYTES
from inarow.ui.web.api_answers import MAX_BODY

FORM = 2**20  # bytes that a form may have around a file

# What every answer tells a browser: no frames, no guesses at types, nothing for other sites.
HEADERS = (
    (b"content-security-policy", b"frame-ancestors 'none'; base-uri 'self'; object-src 'none'"),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


class Guard:
    """Stands before an application that is called by some names, proxies' among them.

    With `addresses` it is also called by any IP address: nobody can make one of these point
    elsewhere, so a browser that names one has asked for this server.
    """

    def __init__(
        self,
        app: ASGIApp,
        names: Collection[str] = LOOPBACK,
        proxies: Collection[str] = (),
        addresses: bool = False,
    ) -> None:
        self.app, self.addresses = app, addresses
        self.proxies = frozenset(name.lower() for name in proxies)
        self.names = self.proxies | {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request through, or answers it in a line."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
            await send(message)

        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        wrong = self._foreign(headers)
        if wrong and scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": wrong})
        elif wrong:
            await JSONResponse({"error": wrong}, 403)(scope, receive, protected)
        elif scope["type"] == "websocket":
            await self.app(scope, receive, send)
        else:
            await self._count(scope, receive, protected)

    def _foreign(self, headers: dict[bytes, str]) -> str:
        """What is wrong with where a request comes from, if anything is."""
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        if not self._is_own(_name(host)):
            known = ", ".join([*sorted(self.names), *["any IP address"] * self.addresses])
            return f"{host[:80]!r} is not a name of this server, which answers to {known}"
        if origin is None:
            return ""
        place = origin.partition("://")[2]
        if place == host or _name(place) in self.proxies:
            return ""  # the latter where a proxy does not pass the host on
        return f"pages of {origin[:80]!r} have no business here"

    def _is_own(self, name: str) -> bool:
        return name in self.names or (self.addresses and is_address(name))

    async def _count(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves until more bytes come than work, whether or not that was said beforehand."""
        question = scope["path"].startswith("/api")
        most = MAX_BODY if question else MOST_BYTES + FORM
        taken, answered = 0, False

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > most:
                await _let_run_out(message, receive)
                raise TooLongError
            return message

        async def watched(message: Message) -> None:
            nonlocal answered
            if taken <= most or answered:  # else the application only says that it failed
                answered = True
                await send(message)

        try:
            await self.app(scope, counted, watched)
        except asyncio.CancelledError:  # the server ends, and this took longer than it waits
            if not answered:
                refusal = {"error": "the server has ended before this was answered"}
                await JSONResponse(refusal, 503)(scope, receive, send)
        except Exception:  # it has come through several layers, each of which may wrap it
            if taken <= most:
                raise
        if taken > most and not answered:
            kind = "question" if question else "file"
            refusal = {"error": f"a {kind} has at most {most} bytes"}
            # What was not read is still on its way: nothing else can come by this connection.
            response = JSONResponse(refusal, 413, {"Connection": "close"})
            await response(scope, receive, send)


class TooLongError(Exception):
    """Ends the reading of what is too long."""


async def _let_run_out(message: Message, receive: Receive) -> None:
    """Takes a little of what else comes: who is still sending may not hear the answer."""
    left = FORM
    while message.get("more_body", False) and left > 0:
        message = await receive()
        left -= len(message.get("body", b""))


def _name(place: str) -> str:
    """A host without its port."""
    try:
        return urlsplit(f"//{place}").hostname or ""
    except ValueError:
        return ""
