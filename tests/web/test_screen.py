"""What people see without scrolling, and where the address and Back lead, in Chromium."""

from __future__ import annotations

import json

import pytest

from inarow.game import game as game_of
from tests.web.test_pages import (
    READY,
    middle,
    page,  # noqa: F401 - fixtures
    phone,  # noqa: F401
    state,
    wait_for_turn,
)
from tests.web.test_play import plies, show, status

SCREENS = ((1280, 800), (1366, 650), (390, 844), (844, 390))
OUTSIDE = """size => [...document.querySelectorAll(".grid, .end .strong")].filter((part) => {
  const box = part.getBoundingClientRect();
  const isRight = box.right > size[0] + 1 || box.left < 0;
  return box.width && (isRight || box.bottom > size[1] + 1 || box.top < 0);
}).map((part) => part.getAttribute("class") + JSON.stringify(part.getBoundingClientRect()))"""
COVERED = """() => {
  const end = document.querySelector(".end").getBoundingClientRect();
  return [...document.querySelectorAll(".grid")].map((grid) => grid.getBoundingClientRect())
    .filter((box) => box.width && box.left < end.right && box.right > end.left)
    .filter((box) => box.bottom > end.top + 6 && box.top < end.bottom)
    .map((box) => `${box.bottom} ${end.top}`);
}"""
MANY = {"ntictactoe:3^5", "ntictactoe:3^6", "ntictactoe:3^7"}  # slices: such a board is scrolled


def is_at(page, name, player):  # noqa: F811
    page.wait_for_function(
        "([name, player]) => { const { wish } = document.querySelector('inarow-board');"
        " return wish.game === name && wish.player === player; }",
        arg=[name, player],
    )


def test_the_board_and_the_end_of_a_game_are_on_one_screen(page, site, site_folder):  # noqa: F811
    for entry in json.loads((site_folder / "games.json").read_text()):
        if entry["name"] in MANY:
            continue
        for wide, high in SCREENS:
            page.set_viewport_size({"width": wide, "height": high})
            show(page, site, entry["name"].replace("^", "%5E"), "strength:1")
            assert page.evaluate(OUTSIDE, [wide, high]) == [], (entry["name"], wide, high)
            page.evaluate("document.querySelector('inarow-board').game.resign()")
            page.wait_for_selector(".end:not([hidden])")
            assert page.evaluate(OUTSIDE, [wide, high]) == [], (entry["name"], wide, high, "end")
            assert page.evaluate(COVERED) == [], (entry["name"], wide, high, "covered")


def test_a_card_and_a_level_have_an_address_before_the_first_move(page, site):  # noqa: F811
    page.goto(site)
    page.wait_for_selector(READY)
    page.locator("a[data-play]", has_text="Tic-Tac-Toe").click()
    is_at(page, "tictactoe", "strength:1")
    page.get_by_role("radio", name="Hard").check()
    is_at(page, "tictactoe", "strength:7")
    assert "game=tictactoe&against=strength%3A7" in page.url
    page.reload()
    page.wait_for_selector(READY)
    is_at(page, "tictactoe", "strength:7")
    page.go_back()
    is_at(page, "tictactoe", "strength:1")
    page.go_back()
    is_at(page, "connect4:6x7", "strength:1")
    assert page.url.rstrip("/") == site


def test_digits_work_after_the_switch_of_light_and_dark(page, site):  # noqa: F811
    show(page, site)
    page.get_by_role("button", name="light or dark").click()
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    plies(page, 1)
    assert state(page)["stones"][2] == 1


def test_the_next_line_is_shown_by_its_button_and_by_its_key(page, phone, site):  # noqa: F811
    def aimed(page):
        return page.evaluate(
            "[...document.querySelectorAll('.cell.lit')].map((c) => +c.dataset.cell)"
        )

    show(page, site, "ntictactoe:3%5E4")
    page.mouse.move(*middle(page, 40))
    one = aimed(page)
    page.get_by_role("button", name="Next line").click()
    other = aimed(page)
    assert len(one) == len(other) == 3
    assert one != other
    assert "Line 2" in status(page)
    page.keyboard.press("l")
    assert aimed(page) not in ([], one, other)
    show(phone, site, "ntictactoe:3%5E4")
    phone.touchscreen.tap(*middle(phone, 40))
    phone.wait_for_selector(".cell.lit", state="attached")
    one = aimed(phone)
    phone.get_by_role("button", name="Next line").tap()
    phone.wait_for_function("document.querySelector('.status').textContent.includes('Line 2')")
    assert aimed(phone) not in ([], one)
    assert state(phone)["ply"] == 0


def test_cells_of_a_large_board_can_be_hit_on_a_phone(phone, site):  # noqa: F811
    show(phone, site, "mnk:15x15x5")
    box = phone.locator("[data-cell='0'] .hit").bounding_box()
    assert min(box["width"], box["height"]) >= 24


def test_of_many_lines_those_of_a_cell_are_shown(page, site):  # noqa: F811
    position = game_of("ntictactoe:3^4").position()
    while position.outcome is None:
        position.push(position.legal_moves[0])
    show(page, site, "ntictactoe:3%5E4", moves=position.notation)
    page.wait_for_selector(".end:not([hidden])")
    assert "Point at a cell" in status(page)
    assert page.locator(".stroke").count() == 0
    page.mouse.move(*middle(page, 40))
    assert 0 < page.locator(".stroke").count() <= 40


def test_the_sound_is_said_as_it_is(page, site):  # noqa: F811
    show(page, site)
    page.evaluate("localStorage.setItem('inarow-sound', 'on')")
    page.reload()
    page.wait_for_selector(READY)
    assert page.locator("[data-item='Sound']").text_content() == "Sound: on"


@pytest.mark.parametrize("high", [800, 500])
def test_the_menu_opens_within_the_window(page, site, high):  # noqa: F811
    page.set_viewport_size({"width": 390, "height": high})
    show(page, site)
    summary = page.locator("summary", has_text="More")
    for at in (0, 1000):
        summary.evaluate("(node, at) => scrollTo(0, at && node.getBoundingClientRect().top)", at)
        summary.click()
        box = page.locator(".items").bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= high
        page.keyboard.press("Escape")


def test_stones_are_seen_on_a_dark_system_when_printed(browser, site):
    context = browser.new_context(color_scheme="dark", viewport={"width": 1000, "height": 800})
    page = context.new_page()  # noqa: F811
    show(page, site, "tictactoe", moves="22 11")
    page.emulate_media(media="print", color_scheme="dark")
    ink, paper = page.evaluate(
        "[getComputedStyle(document.querySelector('.mark.first .ink')).stroke,"
        " getComputedStyle(document.querySelector('.back .board')).fill]"
    )
    assert ink == "rgb(11, 106, 168)"
    assert paper == "rgb(255, 255, 255)"
    context.close()


def test_who_cannot_play_a_game_is_said_and_the_usual_board_opens(page, site):  # noqa: F811
    page.goto(f"{site}/?game=qubic&against=perfect&side=second")
    page.wait_for_selector("[data-problem]:not([hidden])")
    page.wait_for_selector(READY)
    wait_for_turn(page)
    is_at(page, "connect4:6x7", "strength:1")
