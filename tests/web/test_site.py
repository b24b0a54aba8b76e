"""Pages of the built site in a browser: read by axe-core, no wider than a phone, and played on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.ui.server.test_accessibility import LOOKS, axe, problems  # noqa: F401 - axe is a fixture
from tests.web.browsers import served
from tests.web.test_pages import READY

PAGES = (  # one of each kind
    "index.html",
    "overview.html",
    "learners/td.html",
    "papers/hybrid.html",
    "games/connect4.html",
    "explanations/qubic.html",
    "tutorials/study.html",
    "reference/cli.html",
)


@pytest.fixture(scope="module")
def built():
    """The address of the site that `make docs` has built: it tests the pages, too."""
    if not (folder := os.environ.get("BUILT_SITE", "")):
        pytest.skip("make docs builds the site and tests its pages")
    with served(Path(folder)) as address:
        yield address


@pytest.mark.parametrize("look", LOOKS)
def test_pages_of_the_site_are_accessible(browser, built, axe, look):  # noqa: F811
    context = browser.new_context(**LOOKS[look])
    page, found = context.new_page(), {}
    for address in PAGES:
        page.goto(f"{built}/{address}")
        if page.locator("inarow-board").count():
            page.wait_for_selector(READY)
        if page.locator("inarow-learn").count():
            page.wait_for_selector("inarow-learn[data-ready]")
        found[address] = problems(page, axe)
        wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wider <= 0, address
    context.close()
    assert not any(found.values()), found


def test_the_theme_leaves_the_menu_of_a_board_alone(browser, built):
    page = browser.new_context().new_page()
    page.goto(f"{built}/games/connect4.html")
    page.wait_for_selector(READY)
    menu = page.locator("inarow-board .menu summary").first
    edges = menu.evaluate(
        "(e) => { const s = getComputedStyle(e); return [s.borderLeftWidth, s.borderRightWidth,"
        " s.borderTopLeftRadius, s.borderTopRightRadius, s.paddingLeft, s.paddingRight]; }"
    )
    assert edges[0::2] == edges[1::2]
    page.context.close()


def test_the_drawings_of_a_report_have_room(browser, built):
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(f"{built}/papers/hybrid.html")
    widths = page.locator("td.plotcol").evaluate_all("all => all.map((one) => one.clientWidth)")
    assert widths
    assert min(widths) > 200
    page.context.close()
