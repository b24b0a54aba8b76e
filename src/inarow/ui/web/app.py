"""The one application: four pages by NiceGUI and the API, on a socket that already listens."""

from __future__ import annotations

import secrets
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from socket import socket

import uvicorn
from fastapi import FastAPI
from nicegui import ui

from inarow.ui.web import api, arena_page, look, papers_page, play_page, train_page
from inarow.ui.web.guard import LOOPBACK, Guard
from inarow.ui.web.site import Site
from inarow.ui.web.warm_up import warm_up

CLOSING = 2  # seconds that open connections are given when the server ends


def run_server(folder: Path, listener: socket, names: Sequence[str] = ()) -> None:
    """Serves until a signal ends it; on loopback only under its own names and those given."""
    site = Site(folder)
    local = ip_address(listener.getsockname()[0]).is_loopback
    config = uvicorn.Config(
        Guard(make_app(site), (*LOOPBACK, *names), any_host=not local),
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
        yield

    app = FastAPI(title="inarow", lifespan=lifespan, openapi_url=None, docs_url=None)
    api.add_to(app, site)
    _add_pages(site)
    papers_page.add_figures()
    ui.run_with(
        app,
        title="inarow",
        favicon=look.ICON,
        storage_secret=secrets.token_hex(32),  # another at each start: nothing is kept beyond it
        reconnect_timeout=30.0,
        gzip_middleware_factory=None,  # browsers keep the scripts: packing them costs more time
        show_welcome_message=False,
    )
    return app


def _add_pages(site: Site) -> None:
    builders = {
        "/": ("Play", play_page.build),
        "/train": ("Train", train_page.build),
        "/papers": ("Papers", papers_page.build),
        "/arena": ("Arena", arena_page.build),
    }
    for path, (name, build) in builders.items():
        look.add_page(path, name, partial(build, site))
