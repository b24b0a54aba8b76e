"""Scripts and styles: without comments, packed once, and asked for again only if they changed."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from typing import NamedTuple

from fastapi import FastAPI, Request
from fastapi.responses import Response

from inarow.web.modules import STATIC
from inarow.web.page import one_script
from inarow.web.shorten import shortened

TYPES = {".js": "text/javascript", ".css": "text/css"}
# Sent whole, with all that it imports: the page with a board waits for one answer, not for twenty.
WHOLE = ("start.js",)
WORKER = "worker.js"  # which a script that is sent whole looks for beside its page


class StaticFile(NamedTuple):
    """A file as it is sent."""

    content: bytes
    packed: bytes
    kind: str
    tag: str


@cache
def names() -> frozenset[str]:
    """The files that there are."""
    return frozenset(path.name for path in STATIC.iterdir() if path.suffix in TYPES)


@cache
def static_file(name: str) -> StaticFile:
    """A script or a style by its name."""
    path = STATIC / name
    text = one_script(name) if name in WHOLE else shortened(path.read_text(encoding="utf-8"))
    content = text.encode()
    packed = gzip.compress(content, 9, mtime=0)
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    return StaticFile(content, packed, TYPES[path.suffix], tag)


def answer(request: Request, name: str) -> Response:
    """The file, or that it is the one that the browser has."""
    if name not in names():
        return Response("there is no such file", 404)
    file = static_file(name)
    headers = {"Cache-Control": "no-cache", "ETag": file.tag, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(file.packed, media_type=file.kind, headers=headers)
    return Response(file.content, media_type=file.kind, headers=headers)


def add_to(app: FastAPI) -> None:
    """Adds them under /static."""

    @app.get("/static/{name}")
    async def static(request: Request, name: str) -> Response:
        return answer(request, name)

    @app.get(f"/{WORKER}")
    async def worker(request: Request) -> Response:
        return answer(request, WORKER)
