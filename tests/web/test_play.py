"""What people do at a board, in Chromium: looking back, links, records, hints, reviews, mends."""

from __future__ import annotations

import gzip
import re

import pytest

from inarow.game import game as game_of
from inarow.web.package import folder_of, package
from tests.web.test_pages import (
    PHONE,
    READY,
    from_menu,
    middle,
    page,  # noqa: F401 - fixtures
    phone,  # noqa: F401
    state,
    wait_for_turn,
)

MOST_BYTES = 60_000  # of the first load, packed
GOING = "4435"  # a game of 6x7 that is not over
# X throws a win away with move 31: so late that the solver has all of it at once on any machine.
LATE_MISTAKE = "66642575564355776361225472223111"
DAMAGED = (
    "?game=nonsense",
    "?game=tictactoe&against=nobody",
    "?game=tictactoe&moves=99&against=human",
    "?game=tictactoe&moves=11%2011&against=human",
    "?game=board:99x99&against=human",
    "?game=connect4:6x7&against=human&side=third",
    "?game=connect4:6x7&against=human&moves=44&set_up=9",
)
SAID = {  # what an address says is wrong, by what it asks for
    "?game=connect4:6x7&against=human&moves=4444444444": "move 7, 4, cannot be played: its column",
    "?game=tictactoe&against=human&moves=11%2011": "move 2, 11, cannot be played: its cell is",
    "?game=connect4:6x7&against=human&moves=12121212": "move 8, 2, cannot be played: the game is",
    "?game=nonsense&against=human": "there is no board “nonsense” here",
    "?game=connect4:6x7&against=nosuch": "nobody here plays connect4:6x7 as “nosuch”",
    "?game=connect4:6x7&against=human&side=third": "a side is first, second, both, not “third”",
    "?game=connect4:6x7&against=human&moves=44&set_up=9": "are 0 to 2 of those given",
}


def show(page, site, game="connect4:6x7", against="human", moves="", **more):  # noqa: F811
    """The start page with a game on it."""
    asked = {"game": game, "against": against, "moves": moves, **more}
    page.goto(f"{site}/?{'&'.join(f'{name}={value}' for name, value in asked.items() if value)}")
    page.wait_for_selector(READY)


def status(page):  # noqa: F811
    return page.inner_text("inarow-board p.status")


def plies(page, number):  # noqa: F811
    page.wait_for_function(
        f"document.querySelector('inarow-board').game.moves.length === {number}"
        " && !document.querySelector('inarow-board').game.thinking"
    )


def test_the_end_is_told_when_the_last_stone_lies(browser, site):
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()  # noqa: F811
    show(page, site, moves="121212")
    falls = "document.querySelector('.grid').getAnimations({subtree: true}).length > 0"
    told = "document.querySelector('.status').textContent.includes('won')"
    seen = f"[{falls}, {told}, document.querySelectorAll('.stroke').length]"
    page.evaluate(f"addEventListener('inarow-move', () => (window.early = {seen}))")  # just played
    page.mouse.click(*middle(page, 0))
    page.wait_for_selector(".end:not([hidden])")
    assert page.evaluate("window.early") == [True, False, 0]
    assert page.evaluate(f"[{falls}, {told}, document.querySelectorAll('.stroke').length]") == [
        False,
        True,
        1,
    ]
    page.context.close()


def test_nothing_stays_lit_after_a_touch(phone, site):  # noqa: F811
    for name in ("cube", "ntictactoe:3%5E4"):
        show(phone, site, name)
        place = middle(phone, 5)
        phone.touchscreen.tap(*place)
        phone.wait_for_function(
            "document.querySelector('inarow-board').game.moves.length === 1"
            " || document.querySelector('.status').textContent.includes('Tap again')"
        )
        if "Tap again" in status(phone):  # as on small cells
            phone.touchscreen.tap(*place)
        plies(phone, 1)
        assert phone.locator(".cell.lit, .ghost .stone, .stroke.aim").count() == 0


def test_digits_work_after_a_button_was_pressed(page, site):  # noqa: F811
    show(page, site, moves="44")
    page.get_by_role("button", name="Undo").click()
    plies(page, 1)
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    plies(page, 2)
    assert state(page)["stones"][1] == 2


def test_print_shows_board_and_moves_alone(page, site):  # noqa: F811
    show(page, site, "cube", moves="11 22 33")
    page.emulate_media(media="print")
    for hidden in (".bar", ".choices", ".top", ".others", ".arrows"):
        assert not page.locator(hidden).first.is_visible(), hidden
    page.set_viewport_size({"width": 700, "height": 1000})  # a sheet
    for box in [grid.bounding_box() for grid in page.locator(".grid").all()]:
        assert box["width"] > 100
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 700
    head, grid = page.locator("p.status").bounding_box(), page.locator(".grid").first.bounding_box()
    assert head["y"] + head["height"] <= grid["y"] + 1
    assert page.get_by_text("33", exact=True).count()


def colours(page):  # noqa: F811
    return page.evaluate(
        "['body', '.back .board', '.card'].map((s) => {"
        "  const style = getComputedStyle(document.querySelector(s));"
        "  return s === '.back .board' ? style.fill : style.backgroundColor; })"
    )


def test_light_and_dark_by_a_switch(page, site):  # noqa: F811
    show(page, site, "tictactoe", moves="22 11")
    light = colours(page)
    page.get_by_role("button", name="light or dark").click()
    dark = colours(page)
    assert all(one != other for one, other in zip(light, dark, strict=True))
    page.reload()
    page.wait_for_selector(READY)
    assert colours(page) == dark
    page.get_by_role("button", name="light or dark").click()
    assert colours(page) == light


def test_large_boards_on_a_phone(phone, site):  # noqa: F811
    show(phone, site, "mnk:15x15x5", "strength:4", "8,8 1,1 8,9 1,3 8,10 15,15")
    phone.get_by_role("button", name="Show good moves").click()
    phone.wait_for_selector(".value.best")
    assert "Good" in phone.inner_text(".advice") or "stands out" in phone.inner_text(".advice")
    box = phone.locator(".grid").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    phone.touchscreen.tap(*middle(phone, 16))
    phone.wait_for_selector("[data-cell='16'] .ghost .stone", state="attached")
    assert state(phone)["ply"] == 6
    assert "Tap again" in status(phone)
    phone.touchscreen.tap(*middle(phone, 33))  # a slip: another cell is shown, nothing is played
    phone.wait_for_selector("[data-cell='33'] .ghost .stone", state="attached")
    assert state(phone)["ply"] == 6
    phone.touchscreen.tap(*middle(phone, 33))
    plies(phone, 8)


def test_forced_colours_show_what_is_chosen(browser, site):
    context = browser.new_context(forced_colors="active", viewport={"width": 1280, "height": 900})
    page = context.new_page()  # noqa: F811
    show(page, site, "tictactoe", "strength:1")
    chosen, other = page.evaluate(
        "[':checked + span', ':not(:checked) + span'].map((s) => {"
        "  const style = getComputedStyle(document.querySelector(`.segments ${s}`));"
        "  return `${style.backgroundColor} ${style.outlineStyle}`; })"
    )
    assert chosen != other
    page.locator("[data-cell][tabindex='0']").focus()
    page.keyboard.press("ArrowLeft")
    widths = page.evaluate(
        "[...document.querySelectorAll('.cell .hit')].map((c) => getComputedStyle(c).strokeWidth"
        " + getComputedStyle(c).stroke)"
    )
    assert len(set(widths)) == 2
    context.close()


def test_the_wheel_scrolls_the_page_over_a_board_of_three_dimensions(page, site):  # noqa: F811
    page.set_viewport_size({"width": 1000, "height": 600})
    show(page, site, "qubic")
    page.mouse.move(*middle(page, 20))
    page.mouse.wheel(0, 300)
    page.wait_for_function("scrollY > 200")


def test_a_finished_game_of_lines_can_be_read(page, site):  # noqa: F811
    game = game_of("ntictactoe:3^3")
    position = game.position()
    while position.outcome is None:
        position.push(position.legal_moves[0])
    show(page, site, "ntictactoe:3%5E3", moves=position.notation)
    page.wait_for_selector(".end:not([hidden])")
    first, second = position.score
    assert page.inner_text(".score").split() == ["Lines:", "X", str(first), "O", str(second)]
    high, low = max(first, second), min(first, second)
    assert f"{high} lines to {low}" in page.inner_text(".end")
    assert page.locator(".picture .stroke").count() == first + second
    assert page.locator(".tint").count() == 0  # of so many lines, only strokes can be told apart


def test_long_thinking_says_for_how_long(page, site, site_folder):  # noqa: F811
    deep = "minimax:14"
    package("cube", deep).write(site_folder / "packages" / folder_of("cube", deep))
    show(page, site, "cube", deep)
    page.mouse.click(*middle(page, 5))
    page.wait_for_function("document.querySelector('.status').textContent.includes('seconds')")
    assert re.search(r"is thinking: \d+ seconds\.", status(page))


def test_pictures_of_three_dimensions_are_one_board(page, phone, site):  # noqa: F811
    show(page, site, "qubic")
    for here, there in ((".picture", ".layers"), (".layers", ".picture")):
        box = page.locator(f"{here} [data-cell='21'] .hit").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert page.locator(f"{there} .cell.aimed").get_attribute("data-cell") == "21"
    texts = page.locator(".picture text").all_text_contents()
    assert {"row", "column", "slice 1"} <= set(texts)
    show(phone, site, "qubic")
    assert phone.locator(".picture").is_visible()
    assert not phone.locator(".layers").is_visible()
    phone.get_by_role("radio", name="Layers").check()
    assert phone.locator(".layers").is_visible()
    assert not phone.locator(".picture").is_visible()


def test_a_game_in_progress_is_not_replaced_unasked(page, site):  # noqa: F811
    show(page, site, moves=GOING)
    page.get_by_role("button", name="New game").click()
    page.get_by_role("button", name="Go on playing").click()
    assert state(page)["ply"] == 4
    page.locator("a[data-play]", has_text="Tic-Tac-Toe").click()
    page.get_by_role("button", name="Go on playing").click()
    assert state(page)["ply"] == 4
    page.get_by_role("combobox", name="game").select_option("tictactoe")
    page.get_by_role("button", name="Go on playing").click()
    assert page.get_by_role("combobox", name="game").input_value() == "connect4:6x7"
    page.locator("a[data-play]", has_text="Tic-Tac-Toe").click()
    page.get_by_role("button", name="Leave it").click()
    page.wait_for_function(
        "document.querySelector('inarow-board').description.name === 'tictactoe'"
    )


def test_the_address_follows_the_game_and_back_leads_back(page, site):  # noqa: F811
    page.goto(site)
    page.wait_for_selector(READY)
    assert page.url.rstrip("/") == site
    page.mouse.click(*middle(page, 3))
    plies(page, 2)
    assert "against=strength%3A1" in page.url
    assert re.search(r"moves=4\d$", page.url)
    before = page.url
    page.get_by_role("radio", name="Medium").check()
    page.wait_for_function("location.search.includes('strength%3A4')")
    page.go_back()
    page.wait_for_function("document.querySelector('inarow-board').wish.player === 'strength:1'")
    plies(page, 2)
    assert page.url == before
    page.reload()
    page.wait_for_selector(READY)
    plies(page, 2)


def test_looking_back_and_playing_on_from_there(page, site):  # noqa: F811
    show(page, site, moves=GOING)
    entries = page.locator(".moves button")
    assert entries.all_inner_texts() == list(GOING)
    assert entries.nth(3).get_attribute("aria-current") == "step"
    entries.nth(1).click()
    assert entries.nth(1).get_attribute("aria-current") == "step"
    assert "Move 2 of 4" in status(page)
    page.mouse.click(*middle(page, 0))
    assert "2 moves after it" in page.inner_text("dialog")
    page.get_by_role("button", name="Play on", exact=True).click()
    plies(page, 3)
    assert page.locator(".moves button").all_inner_texts() == ["4", "4", "1"]
    page.get_by_role("button", name="first position").click()
    page.get_by_role("button", name="Go on from here").click()
    plies(page, 0)


def test_the_list_of_moves_follows_the_game(page, site):  # noqa: F811
    page.set_viewport_size({"width": 390, "height": 844})
    show(page, site, moves="1234567" * 2 + "2143657" + "17")
    rows = "[document.querySelector('.moves'), document.querySelector('.moves [aria-current]')]"
    (top, bottom), (first, last) = page.evaluate(
        f"{rows}.map((n) => n.getBoundingClientRect()).map(({{top, bottom}}) => [top, bottom])"
    )
    assert top - 1 <= first < last <= bottom + 1
    assert page.evaluate("document.querySelector('.moves').scrollTop") > 0


def test_records_and_links(page, site):  # noqa: F811
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site)
    show(page, site, "connect4:6x7", "strength:4", "44", side="second", set_up="2")
    wait_for_turn(page)
    ply = state(page)["ply"]
    assert ply == 3
    page.locator("summary", has_text="More").click()
    page.get_by_role("button", name="Copy record").click()
    page.wait_for_selector("[data-item='Copy record']:text('Copied')")
    record = page.evaluate("navigator.clipboard.readText()")
    assert '[First "strength:4"]' in record
    assert '[SetUp "2"]' in record
    page.get_by_role("button", name="Copy link").click()
    page.wait_for_selector("[data-item='Copy link']:text('Copied')")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url
    page.goto(site)
    page.wait_for_selector(READY)
    from_menu(page, "Open a record or moves")
    page.get_by_role("textbox").fill(record)
    page.get_by_role("button", name="Open", exact=True).click()
    plies(page, 3)
    assert page.evaluate("document.querySelector('inarow-board').setting.player") == "strength:4"
    assert page.locator(".segments[aria-label='opponent'] :checked").get_attribute("value") == (
        "strength:4"
    )
    from_menu(page, "Open a record or moves")
    page.get_by_role("textbox").fill("4 9")
    page.get_by_role("button", name="Open", exact=True).click()
    assert "not a column of this board" in page.inner_text(".card .problem")


def test_last_games(page, site):  # noqa: F811
    show(page, site, moves="4455")
    page.get_by_role("button", name="Undo").click()
    plies(page, 3)
    page.goto(f"{site}/?game=tictactoe&against=human&moves=22")
    page.wait_for_selector(READY)
    from_menu(page, "Last games")
    page.get_by_role("link", name=re.compile("Connect Four.*3 moves")).click()
    plies(page, 3)


def test_setting_up_a_position(page, site):  # noqa: F811
    show(page, site)
    from_menu(page, "Set up a position")
    page.mouse.click(*middle(page, 3))
    page.mouse.click(*middle(page, 4))
    page.get_by_role("button", name="Play from here").click()
    assert "X has 2 stones and O has 0" in page.inner_text(".card .problem")
    page.locator(".setup").get_by_role("radio", name="O", exact=True).check()
    page.mouse.click(*middle(page, 3))
    page.mouse.click(*middle(page, 3))
    page.mouse.click(*middle(page, 3))
    page.get_by_role("button", name="Play from here").click()
    page.wait_for_function("document.querySelector('inarow-board').game?.setUp > 0")
    now = state(page)
    assert now["stones"][4] == 1
    assert "set_up=" in page.url
    assert page.get_by_role("button", name="Undo").is_disabled()


def test_good_moves_and_their_values(page, site):  # noqa: F811
    show(page, site, moves="4455")
    page.get_by_role("button", name="Show good moves").click()
    page.wait_for_selector(".value.best")
    page.wait_for_function("document.querySelector('.advice').textContent.includes('wins in 3')")
    best = page.evaluate(
        "[...document.querySelectorAll('.value.best')].map((v) => +v.parentNode.dataset.cell)"
    )
    assert sorted(best) == [2, 5]
    page.get_by_role("button", name="Details").click()
    assert "wins in 3" in page.inner_text(".values")
    assert page.locator(".value text").count() == 7
    page.get_by_role("button", name="Show good moves").click()
    assert page.locator(".value").count() == 0


@pytest.mark.parametrize(
    ("name", "moves", "exact"),
    [
        ("connect4:6x7", LATE_MISTAKE, True),
        ("cube", "11 22 12 23 13 33 14", False),
        ("mnk:15x15x5", "8,8 1,1 8,9 1,3 8,10 1,5 8,11 1,7 8,12", False),
        ("ntictactoe:3%5E3", "", False),
    ],
)
def test_a_review_of_every_board_within_five_seconds(page, site, name, moves, exact):  # noqa: F811
    if not moves:
        position = game_of("ntictactoe:3^3").position()
        while position.outcome is None:
            position.push(position.legal_moves[0])
        moves = position.notation
    show(page, site, name, moves=moves)
    page.wait_for_selector(".end:not([hidden])")
    began = page.evaluate("performance.now()")
    page.locator(".end").get_by_role("button", name="Review").click()
    page.wait_for_selector(".course", timeout=60_000)
    waited = page.evaluate("performance.now()") - began
    print(f"{name}: reviewed in {waited / 1000:.1f} s")
    text = page.inner_text(".review")
    assert "estimate" in page.inner_text(".legend")
    assert "lost the game with move" in text or "stands out" in text or "no mistake found" in text
    if exact:
        assert "exact" in text
        page.get_by_role("button", name="What would have held").click()
        page.wait_for_selector(".steps")
        page.get_by_role("button", name="one move on").last.click()
        assert "Move 2 of" in page.inner_text(".steps")
        page.get_by_role("button", name="Back to the game").click()
        page.get_by_role("button", name=re.compile("Look at move")).click()
        number = re.search(r"with move (\d+)", text)[1]
        assert f"Move {number} of" in status(page)


def test_damaged_addresses_open_the_usual_board_with_one_line(page, site):  # noqa: F811
    for asked in DAMAGED:
        page.goto(f"{site}/{asked}")
        page.wait_for_selector("[data-problem]:not([hidden])")
        assert "\n" not in page.inner_text("[data-problem]").strip()
        page.wait_for_selector(READY)
        wait_for_turn(page)
        page.mouse.click(*middle(page, 3))
        plies(page, 2)


def test_an_address_says_what_is_wrong_with_it(page, site):  # noqa: F811
    for asked, words in SAID.items():
        page.goto(f"{site}/{asked}")
        page.wait_for_selector("[data-problem]:not([hidden])")
        assert words in page.inner_text("[data-problem]")


def test_a_game_after_a_resigned_one_goes_on(page, site):  # noqa: F811
    show(page, site, against="strength:1", moves="44")
    page.locator("summary", has_text="More").click()
    page.get_by_role("button", name="Resign").click()
    page.locator(".end").get_by_role("button", name="Swap sides").click()
    plies(page, 1)
    assert page.evaluate("document.querySelector('inarow-board').game.end") == 0


def test_what_was_said_of_a_position_goes_when_another_is_set_up(page, site):  # noqa: F811
    show(page, site, moves="4455")
    page.get_by_role("button", name="Show good moves").click()
    page.wait_for_selector(".value.best")
    page.locator("summary", has_text="More").click()
    page.get_by_role("button", name="Set up a position").click()
    assert page.inner_text(".advice") == ""
    assert not page.locator(".values").is_visible()
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_selector(".value.best")
    assert page.inner_text(".advice")


def test_a_page_from_a_folder_says_why_it_has_no_board(page, site_folder):  # noqa: F811
    page.goto((site_folder / "index.html").as_uri())
    page.wait_for_selector(".late", state="visible")
    assert "serve the folder" in page.inner_text(".late")


def test_without_webassembly_or_workers(page, site):  # noqa: F811
    page.add_init_script(
        "globalThis.Worker = class {"
        "  constructor() { throw new DOMException('no', 'SecurityError'); }"
        "}"
    )
    page.goto(site)
    page.wait_for_selector(READY)
    page.mouse.click(*middle(page, 3))
    plies(page, 2)
    page.get_by_role("button", name="Show good moves").click()
    page.wait_for_selector(".advice:not(:empty)")
    page.add_init_script("delete globalThis.WebAssembly")
    page.goto(site)
    page.wait_for_selector("inarow-board[data-failed]")
    assert "does not run WebAssembly" in page.inner_text("inarow-board .problem")
    assert page.get_by_role("heading", name="Every k in a row").is_visible()


def test_a_press_is_for_the_game_that_was_chosen_just_before(page, site):  # noqa: F811
    held = list[object]()
    page.goto(site)
    page.wait_for_selector(READY)
    page.route("**/strength-4/package.json", lambda route: held.append(route))
    page.get_by_role("radio", name="Medium").check()
    while not held:
        page.wait_for_timeout(20)
    page.mouse.click(*middle(page, 3))
    held.pop().continue_()
    plies(page, 2)
    assert page.evaluate("document.querySelector('inarow-board').setting.player") == "strength:4"
    assert state(page)["history"][0] == 3


def test_a_first_game_on_a_phone_needs_no_scrolling(phone, site):  # noqa: F811
    sizes = list[int]()
    phone.on("response", lambda answer: sizes.append(len(gzip.compress(answer.body()))))
    phone.goto(site)
    phone.wait_for_selector(READY)
    wait_for_turn(phone)
    print(f"first load: {sum(sizes):,} bytes packed in {len(sizes)} files")
    assert sum(sizes) <= MOST_BYTES
    for shown in (".grid", ".segments[aria-label='opponent']", "p.status", ".bar"):
        box = phone.locator(shown).first.bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 844, shown
    phone.touchscreen.tap(*middle(phone, 3))
    plies(phone, 2)
    assert phone.evaluate("scrollY") == 0
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_person_who_knows_nothing_beats_easy(phone, site):  # noqa: F811
    phone.goto(site)
    beat_easy(phone)


def beat_easy(phone):  # noqa: F811
    """Stones on one column until it is spoiled, then on the next: that wins within a few games.

    Nothing is scrolled: what is tapped is on the screen.
    """
    phone.wait_for_selector(READY)
    for _ in range(12):
        while True:
            wait_for_turn(phone)
            now = state(phone)
            if now["end"]:
                break
            tops = {cell % 7: cell for cell in now["open"]}
            phone.touchscreen.tap(*middle(phone, tops[column_for(now["stones"], tops)]))
            phone.wait_for_function(
                f"document.querySelector('inarow-board').game.moves.length > {now['ply']}"
            )
        phone.wait_for_selector(".end:not([hidden])")
        if now["end"] == 1:
            break
        phone.get_by_role("button", name="Rematch").tap()
        phone.wait_for_selector(".end", state="hidden")  # the next game has begun
    assert "You have won!" in phone.inner_text(".end")
    box = phone.locator(".end").bounding_box()
    assert box["y"] + box["height"] <= 844
    for name in ("Rematch", "Swap sides", "Try Medium", "Review"):
        assert phone.locator(".end").get_by_role("button", name=name).is_visible()
    assert phone.evaluate("scrollY") == 0


def column_for(stones, tops):
    """Where somebody plays who wants four above each other, and looks no further."""

    def own(column):
        count, cell = 0, tops[column] - 7
        while cell >= 0 and stones[cell] == 1:
            count, cell = count + 1, cell - 7
        return count

    useful = [c for c in tops if tops[c] // 7 + 4 - own(c) <= 6]
    return max(useful or tops, key=lambda c: (own(c), -abs(c - 3)))


def test_the_window_of_a_phone_is_tested():
    assert PHONE["viewport"] == {"width": 390, "height": 844}
