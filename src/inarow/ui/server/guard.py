"""What the server refuses before anything looks at it: foreign pages, and more bytes than work.

A page of somebody else's that is open in the same browser can reach this server too. It names its
own address as the origin of what it sends; or as the host, where it has made its name point to
this machine (DNS rebinding). It can also show this server's pages in a frame and let a visitor
click on what is not seen (clickjacking), unless an answer forbids frames.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inarow.ui.serve import LOOPBACK, is_address
from inarow.ui.server.answers import MAX_BODY
from inarow.ui.server.players import MOST_BYTES

UPLOADS = "/api/uploads"  # where files are sent to
RUNNING_OUT = 2**20  # bytes of what is too long that are read before the refusal
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?")
ONCE = (b"host", b"content-length", b"transfer-encoding", b"origin")

CORP = b"cross-origin-resource-policy"
# What every answer tells a browser: scripts of this server alone, no frames, no guesses at types,
# nothing for other sites.
HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' "
        b"'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'self'; "
        b"form-action 'self'; object-src 'none'",
    ),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (CORP, b"same-origin"),
)


# What a browser is told that asks whether it may send a question in JSON from another origin.
PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Max-Age": "600",
}

# Of files that no browser shows as a page, so that small files stay small.
SCRIPTS = (b"text/javascript", b"text/css", b"application/wasm", b"application/octet-stream")
FILES = tuple(one for one in HEADERS if one[0] in (b"x-content-type-options", CORP))


class Guard:
    """Stands before an application that is called by some names, proxies' among them.

    With `addresses` it is also called by any IP address: nobody can make one of these point
    elsewhere, so a browser that names one has asked for this server. Pages of `origins`, or of all
    with "*", may ask for the paths that are `shared`: without cookies, so in nobody's name.
    """

    def __init__(
        self,
        app: ASGIApp,
        names: Collection[str] = LOOPBACK,
        proxies: Collection[str] = (),
        addresses: bool = False,
        origins: Collection[str] = (),
        shared: Collection[str] = (),
    ) -> None:
        self.app, self.addresses = app, addresses
        self.origins, self.shared = frozenset(origins), frozenset(shared)
        self.proxies = frozenset(name.lower() for name in proxies)
        self.names = self.proxies | {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets a request through, or answers it in a line."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        names = [name for name, _ in scope["headers"]]
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        sharing = self._sharing(headers, scope["path"])

        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [*message.get("headers", ()), *sharing]
                kind = dict(own).get(b"content-type", b"").partition(b";")[0]
                message = {**message, "headers": own + list(FILES if kind in SCRIPTS else HEADERS)}
            await send(message)

        malformed, foreign = _malformed(names), self._origin_problem(headers, scope["path"])
        if malformed or foreign:
            # What else comes by this connection may not be what it looks like.
            response = JSONResponse(
                {"error": malformed or foreign}, 400 if malformed else 403, {"Connection": "close"}
            )
            await response(scope, receive, protected)
        elif sharing and b"access-control-request-method" in headers:
            await Response(status_code=204, headers=PREFLIGHT)(scope, receive, protected)
        else:
            if scope.get("method") == "HEAD" and not scope["path"].startswith("/api/"):
                scope = {**scope, "method": "GET"}  # a server sends no body to who asks so
            await self._limit_body(scope, receive, protected)

    def _sharing(self, headers: dict[bytes, str], path: str) -> list[tuple[bytes, bytes]]:
        """What tells a browser that a page of another origin may read the answer; else nothing."""
        origin = headers.get(b"origin")
        if path not in self.shared or not self.origins & {origin, "*"}:
            return []
        readers = "*" if origin is None or "*" in self.origins else origin
        return [(b"access-control-allow-origin", readers.encode("latin-1")), (b"vary", b"Origin")]

    def _origin_problem(self, headers: dict[bytes, str], path: str) -> str:
        """Say what is wrong with where a request comes from; empty if nothing is."""
        host, origin = headers.get(b"host", ""), headers.get(b"origin")
        if not self._is_own(_name(host)):
            known = ", ".join([*sorted(self.names), *["any IP address"] * self.addresses])
            return f"{host[:80]!r} is not a name of this server, which answers to {known}"
        if origin is None:
            return ""
        place = origin.partition("://")[2]
        if place == host or _name(place) in self.proxies:
            return ""  # the latter where a proxy does not pass the host on
        if self.origins & {origin, "*"}:
            said = f"pages of {origin[:80]!r} may ask for what GET /api lists, not for this"
            return "" if path in self.shared else said
        return f"pages of {origin[:80]!r} have no business here"

    def _is_own(self, name: str) -> bool:
        return name in self.names or (self.addresses and is_address(name))

    async def _limit_body(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves until more bytes come than work, whether or not that was said beforehand."""
        question = scope["path"] != UPLOADS
        most = MAX_BODY if question else MOST_BYTES
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
    """Read a little more of the body so that the client receives the refusal."""
    left = RUNNING_OUT
    while message.get("more_body", False) and left > 0:
        message = await receive()
        left -= len(message.get("body", b""))


def _malformed(names: list[bytes]) -> str:
    """Say what is wrong with the headers of a request; empty if nothing is."""
    doubled = next((name for name in ONCE if names.count(name) > 1), None)
    if doubled:
        return f"a request has one {doubled.decode()}, not {names.count(doubled)}"
    if b"content-length" in names and b"transfer-encoding" in names:
        return "a request has content-length or transfer-encoding, not both"
    return ""


def _name(place: str) -> str:
    """A host without its port; empty if it is not written as one."""
    if not HOST.fullmatch(place):
        return ""
    try:
        parts = urlsplit(f"//{place}")
        return (parts.hostname or "") if parts.port != 0 else ""
    except ValueError:  # no port is above 65535
        return ""
