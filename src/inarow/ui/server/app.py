"""The one application: pages, their files and the API, on a socket that already listens."""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from socket import socket

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.middleware.sessions import SessionMiddleware

from inarow.ui.server import api, pages, static_files
from inarow.ui.server.guard import Guard
from inarow.ui.server.lab_routes import FILE_TYPE, catalogue_json
from inarow.ui.server.prompt_protocol import PromptProtocol
from inarow.ui.server.rare_lines import RareLines
from inarow.ui.server.site import Site

CLOSING = 2  # seconds that open connections are given when the server ends
MOST_CONNECTIONS = 800  # a system gives a program 1024 descriptors, where nobody has asked for more
PACKED_ABOVE = 600  # bytes


class Server(uvicorn.Server):
    """A server that ends streams of events when it ends: nothing waits for their pages."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self.site = site

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """Ends streams, then connections."""
        self.site.closing = True
        await super().shutdown(sockets)


def run_server(
    folder: Path,
    listener: socket,
    names: Collection[str],
    proxies: Collection[str],
    addresses: bool,
    origins: Collection[str] = (),
) -> None:
    """Serves until a signal ends it, by the names and to the origins that a `Guard` lets pass."""
    site = Site(folder)
    config = uvicorn.Config(
        Guard(make_app(site), names, proxies, addresses, origins, api.PROGRAM_PATHS),
        http=PromptProtocol,
        ws="none",
        limit_concurrency=MOST_CONNECTIONS,
        log_level="warning",
        timeout_graceful_shutdown=CLOSING,
    )
    logging.getLogger("uvicorn.error").addFilter(RareLines())
    try:
        Server(config, site).run(sockets=[listener])
    finally:
        site.close()


def make_app(site: Site, warm: bool = True) -> FastAPI:
    """Pages and API of a site; with `warm` what the first page asks for is made at once.

    Boards play in their pages, so solvers and players are loaded only when the API is asked for
    a move or a value.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        if warm:
            threading.Thread(target=catalogue_json, name="warm-up", daemon=True).start()
        site.continue_work()
        yield

    app = FastAPI(title="inarow", lifespan=lifespan, openapi_url=None, docs_url=None)
    api.add_to(app, site)
    pages.add_to(app)
    static_files.add_to(app)

    @app.exception_handler(HTTPException)
    async def nothing(request: Request, error: HTTPException) -> Response:
        return pages.show_missing(request, error.status_code)

    app.add_middleware(SessionMiddleware, secret_key=site.store.secret())
    app.add_middleware(
        GZipMiddleware,
        minimum_size=PACKED_ABOVE,
        compresslevel=6,
        exclude_content_types=(*DEFAULT_EXCLUDED_CONTENT_TYPES, FILE_TYPE),
    )
    return app
