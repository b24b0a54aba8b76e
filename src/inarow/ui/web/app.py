"""The one application: five pages by NiceGUI and the API, on a socket that already listens."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from socket import socket

import uvicorn
from fastapi import FastAPI, Request, Response
from nicegui import Client, ui
from nicegui import app as nicegui_app
from nicegui.page import page as page_of

from inarow.ui.web import (
    api,
    arena_page,
    builder_page,
    papers_page,
    play_page,
    theme,
    train_page,
)
from inarow.ui.web.guard import Guard
from inarow.ui.web.packed import Packed
from inarow.ui.web.prompt_protocol import PromptProtocol
from inarow.ui.web.site import Site
from inarow.ui.web.warm_up import warm_up

CLOSING = 2  # seconds that open connections are given when the server ends
MOST_CONNECTIONS = 800  # a system gives a program 1024 descriptors, where nobody has asked for more


def run_server(
    folder: Path,
    listener: socket,
    names: Collection[str],
    proxies: Collection[str],
    addresses: bool,
) -> None:
    """Serves until a signal ends it, by the names that a `Guard` lets pass."""
    site = Site(folder)
    config = uvicorn.Config(
        Guard(Packed(make_app(site)), names, proxies, addresses),
        http=PromptProtocol,
        limit_concurrency=MOST_CONNECTIONS,
        log_level="warning",
        timeout_graceful_shutdown=CLOSING,
    )
    try:
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        site.close()


def make_app(site: Site) -> FastAPI:
    """Pages and API of a site."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        threading.Thread(target=warm_up, name="warm-up", daemon=True).start()
        train_page.continue_training(site)
        arena_page.continue_arenas(site)
        yield

    app = FastAPI(title="inarow", lifespan=lifespan, openapi_url=None, docs_url=None)
    api.add_to(app, site)
    _add_pages(site)
    _add_not_found()
    papers_page.add_figures()
    ui.run_with(
        app,
        title="inarow",
        favicon=theme.ICON,
        dark=None,  # as the visitor's system has it
        language="en-US",
        storage_secret=site.store.secret(),
        reconnect_timeout=30.0,
        gzip_middleware_factory=None,  # it packs the scripts anew each time: `Packed` does it once
        show_welcome_message=False,
    )
    return app


def _add_not_found() -> None:
    @nicegui_app.exception_handler(404)
    async def nothing(request: Request, _: Exception) -> Response:
        with Client(page_of("", title="Not found - inarow"), request=request) as client:
            theme.not_found(request.url.path)
        return client.build_response(request, 404)


def _add_pages(site: Site) -> None:
    builders = {
        "/": ("Play", play_page.build),
        "/boards": ("Boards", builder_page.build),
        "/train": ("Train", train_page.build),
        "/papers": ("Papers", papers_page.build),
        "/arena": ("Arena", arena_page.build),
    }
    for path, (name, build) in builders.items():
        theme.add_page(path, name, partial(build, site))
