"""In a real browser: boards built, positions set up, games reviewed; pointers, digits, levels."""

import re

from playwright.sync_api import expect

from inarow.game import game as game_of
from inarow.game.records import parse_records
from inarow.ui.web.builder_page import facts_of

PLAYED = "22 12 11 33 13 31 23"  # the second, fifth and seventh move are mistakes


def test_facts_follow_from_the_description():
    assert facts_of(game_of("tictactoe")) == (
        "9 cells, 8 lines of 3; a cell is on 2 to 4 lines. Under perfect play: a draw."
    )
    assert facts_of(game_of("board:4,k=4,wrap")) == "4 cells, 1 line of 4; every cell is on 1."


def test_a_board_is_built_and_played(page):
    page.goto("/boards?game=tictactoe")
    page.wait_for_function("window.did_handshake")
    title, name = page.get_by_test_id("board-title"), page.get_by_test_id("board-name")
    expect(title).to_have_text("tictactoe: three in a row.")
    page.get_by_test_id("side-1").fill("5")
    expect(name).to_have_value("mnk:3x5x3")
    page.get_by_test_id("gravity").click()
    page.get_by_test_id("wrap-1").click()
    page.get_by_test_id("k").fill("4")
    expect(name).to_have_value("connect4:3x5,wrap")
    expect(page.get_by_test_id("board-facts")).to_contain_text("15 cells, ")
    expect(page.locator(".board .cell")).to_have_count(15)
    for field, wrong, said in (
        ("k", "9", "k=9 does not fit the board 3x5"),
        ("side-0", "99", "too many for a page"),
        ("side-0", "", "say a whole number"),
    ):
        before = page.get_by_test_id(field).input_value()
        page.get_by_test_id(field).fill(wrong)
        expect(page.get_by_test_id("board-message")).to_contain_text(said)
        expect(page.get_by_test_id("play-board")).to_be_hidden()
        page.get_by_test_id(field).fill(before)
        expect(page.get_by_test_id("play-board")).to_be_visible()
    name.fill("board:3x2x4x3,k=3,scoring,wrap=3")
    expect(page.get_by_test_id("side-3")).to_have_value("3")
    expect(page.get_by_test_id("wrap-3")).to_be_checked()
    expect(page.get_by_test_id("scoring")).to_be_checked()
    expect(page.get_by_test_id("train-board")).to_have_attribute(
        "href", "/train?game=board%3A3x2x4x3%2Ck%3D3%2Cscoring%2Cwrap%3D3"
    )
    page.get_by_test_id("play-board").click()
    expect(page.get_by_test_id("title")).to_contain_text("board:3x2x4x3,k=3,scoring,wrap=3:")
    expect(page.get_by_test_id("status")).to_have_text("Your move: you are X")
    lights_up(page, game_of("board:3x2x4x3,k=3,scoring,wrap=3"), (0, 28, 71))


def lights_up(page, game, cells):
    """The lines through a cell are those of the engine."""
    for cell in cells:
        page.get_by_test_id(f"cell-{cell}").hover()
        expect(page.get_by_test_id(f"cell-{cell}")).to_have_class(re.compile("pointed"))
        lit = page.locator(".cell.lit").evaluate_all(
            "all => all.map(c => +c.dataset.testid.slice(5))"
        )
        together = {other for line in game.lines.tolist() if cell in line for other in line}
        assert set(lit) == together


def test_digits_choose_and_levels_play(page):
    page.goto("/?game=connect4:4x4&against=human")
    expect(page.get_by_test_id("title")).to_contain_text("4x4")
    expect(page.get_by_test_id("status")).to_have_text("X to move")
    page.keyboard.press("3")
    expect(page.get_by_test_id("cell-2")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("cell-2")).to_have_attribute("data-stone", "X")
    page.keyboard.press("3")  # where the next stone would lie
    expect(page.get_by_test_id("cell-6")).to_be_focused()
    assert page.locator(".cell.lit").count() == 0  # a flat board stays as it is
    page.get_by_label("Against", exact=True).click()
    page.get_by_role("option", name=re.compile("a level")).click()
    expect(page.get_by_test_id("about-level")).to_contain_text("Level 5 of 10: plays as perfect in")
    page.get_by_test_id("level").locator("[tabindex]").press("ArrowLeft")
    expect(page.get_by_test_id("about-level")).to_contain_text("Level 4 of 10")
    page.get_by_test_id("start").click()
    expect(page.get_by_test_id("title")).to_contain_text("O level:4")
    page.reload()
    expect(page.get_by_test_id("about-level")).to_contain_text("Level 4 of 10")


def test_a_game_is_reviewed_and_a_position_set_up(page):
    page.goto("/?game=tictactoe&against=human&moves=" + PLAYED.replace(" ", "+"))
    expect(page.get_by_test_id("title")).to_contain_text("tictactoe:")
    page.get_by_test_id("review").first.click()
    expect(page.get_by_test_id("review-state")).to_contain_text("X: 2 mistakes. O: 1 mistake.")
    expect(page.get_by_test_id("move-2")).to_have_text("O 12?")
    page.get_by_test_id("mistake-5").click()
    expect(page.get_by_test_id("status")).to_have_text("After move 4 of 7")
    expect(page.get_by_test_id("comment")).to_contain_text(
        "Played next: X 13? (a win becomes a draw; 21, 31 win in 3)"
    )
    expect(page.get_by_test_id("cell-2")).to_have_class(re.compile("next"))
    expect(page.locator(".cell.best")).to_have_count(2)
    page.get_by_test_id("hints").click()
    page.get_by_test_id("values").get_by_text("Exact").click()
    expect(page.get_by_test_id("values-table")).to_contain_text("Move")  # of the position before
    expect(page.get_by_test_id("best-line")).to_have_text(
        re.compile(r"^Best line: \d\d .* X wins\.$")
    )
    page.locator(".review-graph rect").first.click()
    expect(page.get_by_test_id("status")).to_have_text("The start")
    page.get_by_test_id("set-up").click()
    page.get_by_test_id("cell-4").click()
    expect(page.get_by_test_id("status")).to_have_text("O to move")
    page.get_by_test_id("cell-8").click()
    expect(page.get_by_test_id("set-up-problem")).to_contain_text("X has 2 stones and O has 0")
    expect(page.get_by_test_id("play-this-position")).to_be_disabled()
    page.get_by_test_id("tool").get_by_text("O", exact=True).click()
    page.get_by_test_id("cell-0").click()
    expect(page.get_by_test_id("set-up-problem")).to_be_hidden()
    page.get_by_test_id("play-this-position").click()
    expect(page.get_by_test_id("moves")).to_have_text("3 stones set up.")
    page.get_by_test_id("cell-2").click()
    expect(page.get_by_test_id("moves")).to_have_text("3 stones set up. 2. O 13")
    page.get_by_test_id("copy-link").click()
    expect(page.get_by_test_id("link")).to_have_value(re.compile("set_up=3"))
    with page.expect_download() as download:
        page.get_by_test_id("download").click()
    text = download.value.path().read_text()
    assert parse_records(text)[0].others["SetUp"] == "3"
    page.get_by_test_id("undo").click()
    expect(page.get_by_test_id("undo")).to_be_disabled()  # what was set up stays
    page.get_by_test_id("set-up").click()
    page.get_by_test_id("paste").fill("not a move")
    page.get_by_test_id("open").click()
    expect(page.get_by_test_id("set-up-problem")).to_contain_text("is not a move of tictactoe")
    page.get_by_test_id("paste").fill(text)
    page.get_by_test_id("open").click()
    expect(page.get_by_test_id("moves")).to_have_text("3 stones set up. 2. O 13")
