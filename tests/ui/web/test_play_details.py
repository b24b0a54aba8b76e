"""The page Play in a real browser: what people notice who look closely, and links to positions."""

import re
from functools import partial
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from inarow.game import game as game_of
from inarow.game.records import parse_records
from inarow.lab.training import train
from inarow.ui.web.theme import PAGES

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
LOW = {"width": 844, "height": 390}
FULL = {"width": 1280, "height": 800}


def cell(page, number):
    return page.get_by_test_id(f"cell-{number}")


def open_link(page, game, against="human", **asked):
    page.goto("/?" + urlencode({"game": game, "against": against, "seed": 1, **asked}))
    expect(page.get_by_test_id("title")).to_contain_text(f"{game_of(game).name}:")
    expect(page.get_by_test_id("status")).not_to_have_text(re.compile("Setting up|thinking"))


def test_the_own_stone_falls_first_and_the_answer_is_said(page):
    open_link(page, "connect4:4x4", "perfect")
    cell(page, 12).click()  # anywhere in the first column
    expect(page.locator('[data-stone="O"]')).to_have_count(1)
    expect(cell(page, 0).locator("svg.X")).to_have_class(re.compile("falls"))
    answer = page.locator('[data-stone="O"] svg')
    expect(answer).to_have_class(re.compile("falls.*answer"))
    delay = answer.evaluate("stone => parseFloat(getComputedStyle(stone).animationDelay)")
    assert delay >= 0.2
    spoken = page.get_by_role("status").filter(has_text="perfect (O) played")
    expect(spoken).to_have_text(re.compile(r"^perfect \(O\) played \d\. Your move: you are X$"))
    page.emulate_media(forced_colors="active")  # hints and values are still there
    page.get_by_test_id("hints").click()
    page.get_by_test_id("values").get_by_text("Exact").click()
    best = page.locator(".cell.best").first
    expect(best).to_have_css("outline-style", "double")
    expect(best.locator(".text")).to_have_text(re.compile("^[WDL]"))


def test_what_does_not_work_is_said_in_one_place(page):
    open_link(page, "tictactoe")
    board = page.locator(".board-room")
    for _ in range(5):  # as quick presses on a scene do
        board.evaluate("board => getElement(+board.id.slice(1)).$emit('play', 99)")
    expect(page.get_by_test_id("problem")).to_be_visible()
    expect(page.locator(".q-notification")).to_have_count(0)
    cell(page, 4).click()
    expect(page.get_by_test_id("problem")).to_be_hidden()


def test_the_button_opens_a_window_for_files(page):
    page.goto("/")
    page.wait_for_function("window.did_handshake")
    with page.expect_file_chooser() as window:
        page.get_by_test_id("upload").click()
    agent = train("tictactoe", "td", against="random", games=50, seed=1).state()
    window.value.set_files({"name": "mine.safetensors", "mimeType": "", "buffer": agent})
    expect(page.get_by_test_id("message")).to_contain_text("mine.safetensors plays tictactoe")
    page.get_by_test_id("start").click()  # it learned as second, and the person moves first
    expect(page.get_by_test_id("title")).to_contain_text("O mine.safetensors")
    page.get_by_test_id("values").get_by_text("Estimate").click()
    expect(page.get_by_test_id("advice")).to_contain_text(
        "mine.safetensors learned as second only: it has no estimate of the moves of X."
    )
    expect(page.get_by_test_id("values-table")).not_to_contain_text("+0.000")


def test_boards_fit_the_window_and_lines_are_marked(page):
    page.set_viewport_size(FULL)
    open_link(page, "ntictactoe:3^5")
    board, card = page.get_by_test_id("board"), page.locator(".q-card").first
    expect(board).to_be_visible()
    page.wait_for_function(
        "document.querySelector('[data-testid=board]').getBoundingClientRect().height < 640"
    )
    assert board.bounding_box()["width"] > 0.7 * card.bounding_box()["width"]
    for one, other, axis in ((0, 1, "x"), (0, 3, "y")):  # grid lines: one pixel, both ways
        first, second = cell(page, one).bounding_box(), cell(page, other).bounding_box()
        size = {"x": "width", "y": "height"}[axis]
        assert first[axis] + first[size] - second[axis] == 1
    for number in (0, 81, 1, 82, 2, 83):  # three in a row each; then two stones elsewhere
        cell(page, number).click()
    for number in (40, 140):
        cell(page, number).click()
    expect(page.get_by_test_id("score")).to_have_text("Lines: X 1, O 1")
    expect(page.locator(".cell.scored")).to_have_count(6)
    page.set_viewport_size(LOW)
    open_link(page, "connect4:6x7")
    page.wait_for_function(
        "document.querySelector('[data-testid=board]').getBoundingClientRect().height < 342"
    )
    page.locator(".board .label").last.scroll_into_view_if_needed()
    expect(page.get_by_test_id("status")).to_be_in_viewport()  # it stays while the page scrolls


SCENE = "getElement(+document.querySelector('.nicegui-scene').id.slice(1))"


def test_the_camera_stays_above_and_comes_back(new_visitor):
    page = new_visitor(device_scale_factor=2)
    open_link(page, "cube")
    page.wait_for_function(f"{SCENE}.objects.size > 16 && {SCENE}.controls.maxPolarAngle < 1.58")
    assert page.evaluate(f"{SCENE}.renderer.getPixelRatio()") == 2
    canvas = page.locator("canvas")
    expect(canvas).to_have_css("touch-action", "pan-y")  # a finger scrolls the page
    height = f"Math.round({SCENE}.camera.position.z * 10)"
    before = page.evaluate(height)
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 350)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 20, steps=4)
    page.mouse.up()
    page.wait_for_function(f"{height} < {before} - 5")
    assert page.evaluate(height) > 0  # as low as it goes
    page.get_by_test_id("reset-view").click()
    page.wait_for_function(f"{height} == {before}")
    page.wait_for_function(f"{SCENE}.scene.getObjectByName('cell 5')")
    page.wait_for_timeout(500)  # the camera comes to rest
    spot = page.evaluate(
        f"(() => {{ const at = {SCENE}.scene.getObjectByName('cell 5').position.clone()"
        f".project({SCENE}.camera); return [(at.x + 1) / 2, (1 - at.y) / 2]; }})()"
    )
    box = canvas.bounding_box()
    page.mouse.click(box["x"] + spot[0] * box["width"], box["y"] + spot[1] * box["height"])
    expect(cell(page, 5)).to_have_attribute("data-stone", "X")  # found on a sharp screen, too
    page.evaluate(f"window.left = {SCENE}.renderer.getContext()")
    page.get_by_label("Game", exact=True).click()
    page.get_by_role("option", name=re.compile("Qubic")).click()
    page.get_by_test_id("start").click()
    expect(page.get_by_test_id("title")).to_contain_text("qubic")
    page.wait_for_function("window.left.isContextLost()")  # a browser has few of them


def test_a_position_has_an_address(page, new_visitor):
    open_link(page, "connect4:4x4", moves="1213")
    expect(page.get_by_test_id("moves")).to_have_text("1. X 1 O 2 2. X 1 O 3")
    page.get_by_test_id("move-2").click()
    expect(page.get_by_test_id("status")).to_have_text("After move 2 of 4")
    expect(page.locator('.cell:not([data-stone=""])')).to_have_count(2)
    cell(page, 3).click(force=True)  # only to look at
    page.get_by_test_id("copy-link").click()
    expect(page.get_by_test_id("link")).to_be_visible()
    link = page.get_by_test_id("link").input_value()
    assert link.endswith("/?game=connect4%3A4x4&against=human&side=first&moves=12")
    other = new_visitor()
    other.goto(link)
    expect(other.get_by_test_id("moves")).to_have_text("1. X 1 O 2")
    other.goto("/?game=connect4:4x4&moves=1111111")
    expect(other.get_by_test_id("problem")).to_contain_text("column 1 is full")
    page.get_by_test_id("to-the-game").click()
    expect(page.locator('.cell:not([data-stone=""])')).to_have_count(4)
    with page.expect_download() as download:
        page.get_by_test_id("download").click()
    (record,) = parse_records(download.value.path().read_text())
    assert (record.game.name, record.position.notation) == ("connect4:4x4", "1213")
    assert (record.first, record.second, record.result) == ("human", "human", "*")
    page.get_by_test_id("move-1").click()
    page.get_by_test_id("from-here").click()
    expect(page.get_by_test_id("moves")).to_have_text("1. X 1")
    cell(page, 2).click()
    expect(page.get_by_test_id("moves")).to_have_text("1. X 1 O 3")


def test_loading_dark_pages_and_addresses_that_lead_nowhere(new_visitor):
    page = new_visitor(color_scheme="dark", service_workers="block")
    held = []
    page.route(
        "**/vue.esm*", lambda route: held.append(route)
    )  # it does not come: as on a very slow network
    page.goto("/", wait_until="commit")
    fallback = page.locator("#esm-fallback")
    expect(fallback).to_have_css("font-size", "0px")
    assert "Loading" in fallback.evaluate("e => getComputedStyle(e, '::after').content")
    for route in held:
        route.continue_()
    page.unroute("**/vue.esm*")
    expect(page.locator("body")).to_have_class(re.compile("body--dark"))
    assert page.request.get("/api", max_redirects=0).status == 200  # as curl sees it
    answer = page.goto("/nothing/here")
    assert answer.status == 404
    expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
    page.get_by_role("link", name="Train").last.click()
    expect(page.get_by_test_id("train")).to_be_visible()


MOST = 700_000  # bytes of a page with all that it loads, packed
MOST_BEFORE = 100_000  # the same before something is painted: half a second at 200 kB a second
SENT = (
    "['navigation', 'resource'].flatMap(kind => performance.getEntriesByType(kind))"
    ".reduce((sum, entry) => sum + entry.encodedBodySize, 0)"
)


def hold(held, let_go, route):
    """Keeps what is asked for waiting, until it may go."""
    if let_go:
        route.continue_()
    else:
        held.append(route)


def test_first_visits_are_small_and_painted_before_the_scripts(new_visitor):
    """`benchmarks/first_load.py` measures the seconds, at 200 kB a second."""
    page = new_visitor(service_workers="block")
    session = page.context.new_cdp_session(page)
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    for path in (path for name, path in PAGES.items() if name != "API"):
        held, let_go = [], []
        page.route("**/*.js", partial(hold, held, let_go))
        page.goto(path, wait_until="commit")
        page.wait_for_function(
            "performance.getEntriesByName('first-contentful-paint').length", polling=50
        )
        assert page.evaluate(SENT) < MOST_BEFORE
        shell = page.locator("#shell")
        expect(shell.get_by_role("link")).to_have_count(len(PAGES))  # and they work
        let_go.append(True)
        for route in held:
            route.continue_()
        page.wait_for_function("window.did_handshake")
        expect(shell).to_be_hidden()
        assert 200_000 < page.evaluate(SENT) < MOST
        page.unroute("**/*.js")


@pytest.mark.parametrize("path", ["/", "/arena"])
def test_stones_have_the_same_colours_everywhere(page, path):
    page.goto(path)
    orange = "rgb(230, 159, 0)"
    if path == "/":
        open_link(page, "tictactoe", moves="22 11")
        expect(page.locator(".stone.O .mark")).to_have_css("stroke", orange)
    else:
        page.wait_for_function("window.did_handshake")
        page.get_by_test_id("arena-games").fill("2")
        page.get_by_test_id("begin-arena").click()
        page.get_by_test_id("cell-attack-random").click(timeout=240_000)
        expect(page.get_by_test_id("replay-board").locator("g.second")).to_have_css(
            "stroke", orange
        )
        link = page.get_by_test_id("open-in-play")
        expect(link).to_have_attribute("href", re.compile(r"game=tictactoe&against=human&moves=\d"))
