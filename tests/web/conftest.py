"""A static server with packages, and a Chromium to look at its pages."""

from __future__ import annotations

import functools
import http.server
import threading

import pytest

from inarow.web.package import write_catalogue
from tests.ui.server.conftest import browser  # noqa: F401 - the same Chromium

BLANK = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A board</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="pages.css">
<link rel="stylesheet" href="board.css"><main></main>
<script type="module" src="board.js"></script></html>"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A static server that writes no log."""

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory):
    """The page that plays every game of the catalogue, with its packages."""
    folder = tmp_path_factory.mktemp("site")
    write_catalogue(folder)
    (folder / "blank.html").write_text(BLANK)
    return folder


@pytest.fixture(scope="session")
def site(site_folder):
    """The address of that folder on a static server."""
    handler = functools.partial(Quiet, directory=str(site_folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
