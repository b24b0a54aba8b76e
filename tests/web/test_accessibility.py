"""The page with every kind of board, read by axe-core: wide and light, on a phone and dark."""

from __future__ import annotations

import pytest

from tests.ui.server.test_accessibility import LOOKS, axe, problems  # noqa: F401 - axe is a fixture
from tests.web.test_pages import READY

GAMES = ["connect4:6x7", "cube", "ntictactoe:3^4", "mnk:15x15x5"]


@pytest.mark.parametrize("look", LOOKS)
def test_boards_are_accessible(browser, site, axe, look):  # noqa: F811
    context = browser.new_context(**LOOKS[look])
    page = context.new_page()
    for name in GAMES:
        page.goto(f"{site}/?game={name.replace('^', '%5E')}&side=second&against=strength:4")
        page.wait_for_selector(READY)
        page.wait_for_selector("inarow-board.waiting")
        assert problems(page, axe) == []
    context.close()


@pytest.mark.parametrize("look", LOOKS)
def test_what_opens_at_a_board_is_accessible(browser, site, axe, look):  # noqa: F811
    context = browser.new_context(**LOOKS[look])
    page = context.new_page()
    page.goto(f"{site}/?game=connect4:6x7&against=strength:1&moves=4455")
    page.wait_for_selector("inarow-board.waiting")
    page.get_by_role("button", name="Show good moves").click()
    page.wait_for_selector(".value.best")
    page.get_by_role("button", name="Details").click()
    assert problems(page, axe) == []
    for item in ("Set up a position", "Open a record or moves", "Last games"):
        page.locator("summary", has_text="More").click()
        assert problems(page, axe) == []
        page.get_by_role("button", name=item).click()
        assert problems(page, axe) == []
    page.goto(f"{site}/?game=connect4:6x7&against=human&moves=1727374")
    page.wait_for_selector(".end:not([hidden])")
    page.locator(".end").get_by_role("button", name="Review").click()
    page.wait_for_selector(".course")
    assert problems(page, axe) == []
    page.locator(".about summary, .bar summary").first.click()
    assert problems(page, axe) == []
    context.close()
