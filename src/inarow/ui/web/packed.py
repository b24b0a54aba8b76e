"""Scripts, styles and pages in fewer bytes: what never changes is packed once, and kept.

Packing costs more time than sending on this machine, but a page on a slow network waits for every
byte of it. So the scripts are packed the first time that somebody asks for them, and pages
quickly, each time.
"""

from __future__ import annotations

import asyncio
import gzip
from typing import NamedTuple

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FIXED = "/_nicegui/"  # paths that name a version: what they lead to stays as it is
KINDS = ("text/html", "text/css", "text/javascript", "application/javascript", "application/json")
LEAST = 1000  # bytes; less is sent as it is
MOST_KEPT = 32 * 2**20  # bytes of packed files in memory


class Kept(NamedTuple):
    """An answer that was packed."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes


class Packed:
    """Stands before an application; whoever cannot unpack gets its answers as they are."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.kept: dict[str, Kept] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers from what is kept, else packs what the application answers."""
        if scope["type"] != "http" or scope["method"] != "GET" or not _wanted(scope):
            await self.app(scope, receive, send)
            return
        fixed, path = scope["path"].startswith(FIXED), scope["path"]
        if fixed and path in self.kept:
            await _answer(self.kept[path], send)
            return
        answer = await self._ask(scope, receive, send)
        if answer is None:
            return
        body = await asyncio.to_thread(gzip.compress, answer.body, 9 if fixed else 4)
        headers = MutableHeaders(raw=answer.headers)
        headers["content-encoding"], headers["content-length"] = "gzip", str(len(body))
        headers.add_vary_header("Accept-Encoding")
        packed = Kept(answer.status, headers.raw, body)
        if fixed and sum(len(one.body) for one in self.kept.values()) < MOST_KEPT:
            self.kept[path] = packed
        await _answer(packed, send)

    async def _ask(self, scope: Scope, receive: Receive, send: Send) -> Kept | None:
        """The whole answer, if it is one to pack; any other is sent as it comes."""
        start: Message = {}
        parts: list[bytes] = []
        packs = done = False

        async def take(message: Message) -> None:
            nonlocal start, packs, done
            if message["type"] == "http.response.start":
                start, packs = message, _packs(message)
                if packs:
                    return
            elif packs and message["type"] == "http.response.body":
                parts.append(message.get("body", b""))
                done = not message.get("more_body", False)
                return
            await send(message)

        await self.app(scope, receive, take)
        return Kept(start["status"], list(start["headers"]), b"".join(parts)) if done else None


def _wanted(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return "gzip" in headers.get("accept-encoding", "") and "range" not in headers


def _packs(start: Message) -> bool:
    headers = Headers(raw=start.get("headers", []))
    kind = headers.get("content-type", "").partition(";")[0]
    length = int(headers.get("content-length", LEAST))
    plain = "content-encoding" not in headers
    return start["status"] in (200, 404) and plain and kind in KINDS and length >= LEAST


async def _answer(kept: Kept, send: Send) -> None:
    await send({"type": "http.response.start", "status": kept.status, "headers": kept.headers})
    await send({"type": "http.response.body", "body": kept.body})
