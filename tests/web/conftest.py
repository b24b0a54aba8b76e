"""A static server with packages, and a Chromium to look at its pages."""

from __future__ import annotations

import pytest

from inarow.web.package import write_catalogue
from tests.ui.server.conftest import browser  # noqa: F401 - the same Chromium
from tests.web.browsers import served

BLANK = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A board</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="pages.css">
<link rel="stylesheet" href="board.css"><main></main>
<script type="module" src="board.js"></script></html>"""


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
    with served(site_folder) as address:
        yield address
