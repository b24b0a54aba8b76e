"""The element in Chromium: a game by mouse, touch and keys, and what goes wrong."""

from __future__ import annotations

import json
import shutil

import pytest

from inarow.game import game as game_of
from inarow.web.describe import describe
from inarow.web.package import folder_of, package

READY = "inarow-board[data-ready]"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
AGAINST = "&against=strength:4"
GAMES = ["tictactoe", "connect4:6x7", "cube", "qubic", "ntictactoe:3^4", "mnk:9x9x5"]


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    opened = context.new_page()
    opened.problems = []
    opened.on("pageerror", lambda error: opened.problems.append(str(error)))
    yield opened
    context.close()
    assert opened.problems == []


@pytest.fixture
def phone(browser):
    context = browser.new_context(**PHONE, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def show(page, site, attributes):
    """A page with one board."""
    page.goto(f"{site}/blank.html")
    page.evaluate(
        """([attributes, inside]) => {
            const board = document.createElement("inarow-board");
            for (const [name, value] of Object.entries(attributes)) board.setAttribute(name, value);
            board.innerHTML = inside;
            document.querySelector("main").replaceChildren(board);
        }""",
        [attributes, "<svg class='picture'></svg>"],
    )


def state(page):
    return page.evaluate("document.querySelector('inarow-board').game.state")


def wait_for_turn(page):
    page.wait_for_function(
        "(() => { const {game} = document.querySelector('inarow-board');"
        " return game && (game.waits || game.end); })()"
    )


def middle(page, cell):
    """Where a cell is on the screen."""
    box = page.locator(f"[data-cell='{cell}'] .hit").first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def from_menu(page, item):
    """Presses what is used less often."""
    page.locator("summary", has_text="More").click()
    page.get_by_role("button", name=item).click()


def play_out(page, act):
    """Plays the lowest or highest open cell until the game is over; returns the last state."""
    for turn in range(400):
        wait_for_turn(page)
        now = state(page)
        if now["end"]:
            return now
        act(page, (min, max)[turn % 2](now["open"]))
    raise AssertionError("the game does not end")


def check_outcome(game, now):
    """The package says the same of the moves that were played."""
    position = game.position()
    for cell in now["history"]:
        position.push(cell % game.columns)
    assert list(position.stones) == now["stones"]
    winner = position.outcome.winner
    assert now["end"] == (3 if winner is None else winner)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_by_mouse(page, site, name):
    game = game_of(name)
    page.goto(f"{site}/?game={name.replace('^', '%5E')}{AGAINST}")
    page.wait_for_selector(READY)
    if game.cells > 64:  # a few moves of the large ones
        for _ in range(2):
            wait_for_turn(page)
            page.mouse.click(*middle(page, state(page)["open"][-1]))
        wait_for_turn(page)
        assert state(page)["ply"] == 4
    else:
        check_outcome(
            game, play_out(page, lambda page, cell: page.mouse.click(*middle(page, cell)))
        )


def test_every_game_of_the_catalogue_opens(page, site, site_folder):
    for entry in json.loads((site_folder / "games.json").read_text()):
        page.goto(f"{site}/?game={entry['name'].replace('^', '%5E')}&side=second{AGAINST}")
        page.wait_for_selector(READY)
        wait_for_turn(page)
        assert state(page)["ply"] == 1


def test_a_game_by_keys(page, site):
    page.goto(f"{site}/?game=connect4:6x7{AGAINST}")
    page.wait_for_selector(READY)
    page.locator("[data-cell][tabindex='0']").focus()

    def act(page, cell):
        page.keyboard.press(str(cell % 7 + 1))
        page.keyboard.press("Enter")

    check_outcome(game_of("connect4:6x7"), play_out(page, act))
    assert "won" in page.inner_text(".status")


def test_arrows_reach_every_cell(page, site):
    page.goto(f"{site}/?game=cube&against=human")
    page.wait_for_selector(READY)
    seen, waiting = set(), [int(page.get_attribute("[data-cell][tabindex='0']", "data-cell"))]
    while waiting:
        cell = waiting.pop()
        if cell in seen:
            continue
        seen.add(cell)
        for arrow in ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"):
            page.locator(f"[data-cell='{cell}']").first.focus()
            page.keyboard.press(arrow)
            waiting.append(int(page.evaluate("document.activeElement.dataset.cell")))
    assert seen == set(range(64))


def test_a_game_by_touch(phone, site):
    phone.goto(f"{site}/?game=tictactoe&side=second{AGAINST}")
    phone.wait_for_selector(READY)
    now = play_out(phone, lambda page, cell: page.touchscreen.tap(*middle(page, cell)))
    check_outcome(game_of("tictactoe"), now)


def test_small_cells_are_tapped_twice(phone, site):
    phone.goto(f"{site}/?game=mnk:15x15x5&against=human")
    phone.wait_for_selector(READY)
    place = middle(phone, 16)
    phone.touchscreen.tap(*place)
    phone.wait_for_selector("[data-cell='16'] .ghost .stone", state="attached")
    assert state(phone)["ply"] == 0
    phone.touchscreen.tap(*place)
    phone.wait_for_function("document.querySelector('inarow-board').game.moves.length === 1")


def test_taking_back_swapping_resigning(page, site):
    page.goto(f"{site}/?game=connect4:6x7{AGAINST}")
    page.wait_for_selector(READY)
    page.mouse.click(*middle(page, 3))
    wait_for_turn(page)
    assert state(page)["ply"] == 2
    page.get_by_role("button", name="Undo").click()
    wait_for_turn(page)
    assert state(page)["ply"] == 0
    from_menu(page, "Swap sides")
    page.wait_for_function("document.querySelector('inarow-board').game.moves.length === 1")
    wait_for_turn(page)
    from_menu(page, "Resign")
    assert "resigned" in page.inner_text(".end")
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_function("document.querySelector('inarow-board').game.moves.length === 1")


def test_taking_back_while_the_player_thinks(page, site, site_folder):
    deep = "minimax:14"  # minutes
    package("cube", deep).write(site_folder / "packages" / folder_of("cube", deep))
    show(page, site, {"game": "cube", "player": deep})
    page.wait_for_selector(READY)
    page.mouse.click(*middle(page, 5))
    page.wait_for_selector("inarow-board.thinking")
    page.get_by_role("button", name="Undo").click()
    wait_for_turn(page)
    assert state(page)["ply"] == 0


def test_two_people(page, site):
    page.goto(f"{site}/?game=tictactoe&against=human")
    page.wait_for_selector(READY)
    for cell in (0, 3, 1, 4, 2):
        page.mouse.click(*middle(page, cell))
        page.wait_for_function(
            f"document.querySelector('inarow-board').game.state.stones[{cell}] > 0"
        )
    page.wait_for_selector(".end:not([hidden])")
    assert page.inner_text(".status") == "X has won."
    assert "Three in a row, after 5 moves." in page.inner_text(".end")
    assert page.locator(".stroke").count() == 1


def test_the_engine_on_the_page(page, site):
    page.add_init_script(
        "globalThis.Worker = class {"
        "  constructor() { throw new DOMException('no', 'SecurityError'); }"
        "}"
    )
    page.goto(f"{site}/?game=tictactoe&side=second{AGAINST}")
    page.wait_for_selector(READY)
    wait_for_turn(page)
    assert state(page)["ply"] == 1


def test_a_player_on_a_server(page, site):
    asked = []

    def answer(route):
        asked.append(route.request.post_data_json)
        route.fulfill(json={"player": "level:3", "move": "22", "cell": 4})

    page.route("**/api/move", answer)
    page.route(
        "**/tictactoe/level-3/package.json", lambda route: route.fulfill(status=409, json={})
    )
    show(page, site, {"game": "tictactoe", "player": "level:3", "server": "/api"})
    page.wait_for_selector(READY)
    page.mouse.click(*middle(page, 2))
    page.wait_for_function("document.querySelector('inarow-board').game.moves.length === 2")
    assert asked == [{"game": "tictactoe", "moves": "13", "player": "level:3"}]
    page.unroute("**/api/move")
    page.route("**/api/move", lambda route: route.fulfill(status=422, json={"error": "not today"}))
    page.mouse.click(*middle(page, 0))
    page.wait_for_function("document.querySelector('inarow-board').game.problem")
    assert page.inner_text(".status") == "The game cannot go on: not today."
    page.get_by_role("button", name="Undo").click()
    wait_for_turn(page)
    assert state(page)["ply"] == 2


def test_a_server_that_compiles_says_so(page, site):
    page.route(
        "**/tictactoe/level-3/package.json", lambda route: route.fulfill(status=409, json={})
    )
    page.route("**/api/move", lambda route: None)  # it takes its time
    page.clock.install()
    show(page, site, {"game": "tictactoe", "player": "level:3", "server": "/api"})
    page.wait_for_selector(READY)
    page.mouse.click(*middle(page, 2))
    page.wait_for_selector("inarow-board.thinking")
    page.clock.run_for(8000)
    status = page.inner_text(".status")
    assert "is thinking: 8 seconds" in status or "is thinking: 7 seconds" in status
    assert "The server may have to compile this player first" in status


def test_the_tab_key_comes_to_one_cell(page, site):
    page.goto(f"{site}/?game=connect4:6x7{AGAINST}")
    page.wait_for_selector(READY)
    page.locator(".about summary").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.cell") == "3"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "BUTTON"


def complaint(page):
    page.wait_for_selector("inarow-board[data-failed]")
    assert page.locator(".picture").count() == 1
    (line,) = page.locator(".problem").all_inner_texts()
    assert "\n" not in line
    return line


def test_what_goes_wrong_is_one_line(page, site, site_folder):
    whole = site_folder / "packages" / folder_of("tictactoe", None)
    show(page, site, {"src": "packages/none"})
    assert complaint(page) == "This board cannot be played here: package.json cannot be loaded."

    for file, content, line in (
        ("package.json", b"{", "package.json is damaged"),
        ("image.bin", b"nonsense", "the file of this player is damaged"),
        ("rules.wasm", b"\0asm", "the module rules is damaged"),
    ):
        shutil.copytree(whole, site_folder / "packages" / f"broken-{file}")
        (site_folder / "packages" / f"broken-{file}" / file).write_bytes(content)
        show(page, site, {"src": f"packages/broken-{file}"})
        assert complaint(page) == f"This board cannot be played here: {line}."

    other = json.loads((whole / "package.json").read_text())
    other["engine"]["modules"]["rules"]["layout"] = "0" * 16
    shutil.copytree(whole, site_folder / "packages" / "other")
    (site_folder / "packages" / "other" / "package.json").write_text(json.dumps(other))
    show(page, site, {"src": "packages/other"})
    assert "this file is for another version of its module" in complaint(page)


def test_no_webassembly_is_one_line(page, site):
    page.add_init_script("delete globalThis.WebAssembly")
    show(page, site, {"game": "tictactoe", "engine": "page"})
    assert "does not run WebAssembly" in complaint(page)


def test_places_are_those_of_the_picture():
    for name in GAMES:
        game = game_of(name)
        places = describe(game)["cells"]
        assert len({tuple(place) for place in places}) == game.cells
        wide, high = describe(game)["size"]
        assert all(0 < x < wide and 0 < y < high for x, y in places)


def test_pointing_shows_one_line_after_the_other(page, site):
    page.goto(f"{site}/?game=ntictactoe:3%5E4&against=human")
    page.wait_for_selector(READY)
    page.locator("[data-cell='0']").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    through = {tuple(map(int, line)) for line in game_of("ntictactoe:3^4").lines if 0 in line}
    seen = set()
    for _ in through:
        lit = page.evaluate(
            "[...document.querySelectorAll('.cell.lit')].map((c) => +c.dataset.cell)"
        )
        assert tuple(lit) in through
        assert page.locator(".stroke.aim").count() == 1
        seen.add(tuple(lit))
        page.keyboard.press("l")
    assert seen == through
    page.locator(".about, select").first.focus()
    assert page.locator(".cell.lit, .ghost .stone").count() == 0
