"""The page Arena in a real browser: the crosstable fills, and any game is replayed."""

import re

from playwright.sync_api import expect

from inarow.game import game
from inarow.lab.arena import arena
from inarow.lab.players import player
from inarow.lab.replay import replay
from inarow.lab.training import train

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
LONG = 240_000  # milliseconds: the first games of a player compile


def open_page(page):
    """Waits for the connection, too: what is typed before comes after what is pressed later."""
    page.goto("/arena")
    page.wait_for_function("window.did_handshake")


def begin(page, games=30, seed=4):
    page.get_by_test_id("arena-games").fill(str(games))
    page.get_by_test_id("arena-seed").fill(str(seed))
    page.get_by_test_id("begin-arena").click()


def expect_done(page):
    expect(page.get_by_test_id("arena-state")).to_contain_text("Done.", timeout=LONG)


def test_the_crosstable_fills_and_a_game_is_replayed(page):
    open_page(page)
    expect(page.get_by_test_id("no-arena")).to_be_visible()
    begin(page)
    expect_done(page)
    names = ["perfect", "attack-defense", "attack", "random"]
    result = arena("tictactoe", names, 30, seed=4)
    rows = page.get_by_test_id("crosstable").locator("tbody tr")
    for place, name in enumerate(result.ranking):
        expect(rows.nth(place)).to_contain_text(f"{place + 1} {name}")
        expect(rows.nth(place)).to_contain_text(f"{result.ratings[name].rating:+.0f}")
        for other in names:
            if other != name:
                tally = result.tally(name, other)
                cell = page.get_by_test_id(f"cell-{name}-{other}")
                expect(cell).to_contain_text(f"{tally.wins}-{tally.draws}-{tally.losses}")

    page.get_by_test_id("cell-random-attack").click()  # the other way round: the same games
    expect(page.get_by_test_id("replay")).to_contain_text("attack - random")
    page.get_by_test_id("game-number").fill("17")
    one, other = player("attack"), player("random")
    expected = replay(result.matches["attack", "random"], one, other, 16)
    moves = page.get_by_test_id("replay-moves")
    expect(moves).to_contain_text(f"Moves: {expected.notation}", timeout=LONG)
    expect(page.get_by_test_id("replay-sides")).to_contain_text("X random, O attack")
    board = page.get_by_test_id("replay-board")
    for mark, ply in (("to-start", 0), ("forward", 1), ("forward", 2), ("back", 1)):
        page.get_by_test_id(mark).click()
        expect(moves).to_contain_text(f"Move {ply} of {expected.ply}")
        expect(board.locator(".stone")).to_have_count(ply)
    page.get_by_test_id("to-end").click()
    expect(board.locator(".stone")).to_have_count(expected.ply)
    page.get_by_test_id("run").click()  # by itself, from the start
    expect(moves).to_contain_text("Move 2 of")
    page.get_by_test_id("next-game").click()
    again = replay(result.matches["attack", "random"], one, other, 17)
    expect(moves).to_contain_text(f"Moves: {again.notation}")


def test_it_survives_a_reload_and_nobody_else_sees_it(page, new_visitor):
    open_page(page)
    begin(page, games=5)
    expect_done(page)
    page.reload()
    expect_done(page)
    expect(page.get_by_test_id("arena-games")).to_have_value("5")
    page.get_by_test_id("cell-perfect-random").click()
    expect(page.get_by_test_id("replay-board").locator("svg")).to_be_visible()
    other = new_visitor()
    open_page(other)
    expect(other.get_by_test_id("no-arena")).to_be_visible()
    expect(other.get_by_test_id("crosstable")).to_be_hidden()


def test_a_saved_agent_takes_part_and_stop_stops(page, folder):
    """Its name is shown as it is, whatever is in it."""
    name = """entrant "x" 'y' <img src=x onerror=alert(1)>.safetensors"""
    train("connect4:4x4", "q", games=2000, seed=1).save(folder / name)
    open_page(page)
    page.get_by_test_id("arena-game").click()
    page.get_by_role("option").filter(has_text="Another game").click()
    page.get_by_test_id("arena-game-text").fill("connect4:4x4")
    page.get_by_test_id("players").click()
    page.get_by_role("option").filter(has_text=name).click()
    page.keyboard.press("Escape")
    begin(page, games=9000)
    state = page.get_by_test_id("arena-state")
    expect(state).to_have_text(re.compile("^[1-9]"), timeout=LONG)
    page.get_by_test_id("stop-arena").click()
    expect(state).to_contain_text("Stopped.", timeout=LONG)
    expect(page.get_by_test_id("crosstable").locator("tbody")).to_contain_text(name)
    expect(page.locator("img[src=x]")).to_have_count(0)


def test_what_does_not_work_is_said_in_a_line(page):
    open_page(page)
    begin(page, games=0)
    expect(page.get_by_test_id("arena-message")).to_contain_text("between 1 and 10,000")
    begin(page, games="")
    expect(page.get_by_test_id("arena-message")).to_contain_text("say a whole number")
    expect(page.get_by_test_id("no-arena")).to_be_visible()


def test_on_a_phone(new_visitor):
    page = new_visitor(**PHONE)
    open_page(page)
    begin(page, games=4)
    expect_done(page)
    page.get_by_test_id("cell-attack-random").tap()
    expect(page.get_by_test_id("replay-board").locator("svg")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert game("tictactoe").name in page.get_by_test_id("replay-board").inner_html()
