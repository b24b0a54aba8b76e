"""The page Play in a real browser: people play, look, go away and come back."""

import random
import re

import pytest
from playwright.sync_api import expect

from inarow.game import game as game_of
from inarow.lab.players import player
from inarow.lab.training import train
from inarow.ui.game_in_play import GameInPlay

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def cell(page, number):
    return page.get_by_test_id(f"cell-{number}")


def expect_stone(page, number, symbol):
    expect(cell(page, number)).to_have_attribute("data-stone", symbol)


def expect_status(page, text):
    expect(page.get_by_test_id("status")).to_have_text(text)


def open_game(page, game, against, side="first", seed=1):
    """Begins a game by a link, and waits until it is a person's turn."""
    page.goto(f"/?game={game}&against={against}&side={side}&seed={seed}")
    expect(page.get_by_test_id("title")).to_contain_text(f"{game_of(game).name}:")
    if against != "human":
        expect(page.get_by_test_id("title")).to_contain_text(against)
    expect(page.get_by_test_id("status")).to_have_text(re.compile("Your move|to move"))


def plan(against, wanted):
    """A seed, and a person's moves that end a game of tic-tac-toe as wanted: who wins, or None."""
    for seed in range(500):
        chance = random.Random(seed)
        table = GameInPlay(game_of("tictactoe"), [None, player(against)], seed)
        moves = []
        while not table.over:
            if table.waits_for_person:
                moves.append(chance.choice(table.position.legal_moves))
                table.play(moves[-1])
            else:
                table.reply(table.think(table.version), table.version)
        if table.winner == wanted:
            return seed, moves, table
    raise AssertionError(f"no game against {against} ended so")


@pytest.mark.parametrize(
    ("against", "wanted", "said"),
    [
        ("random", 1, "You win"),
        ("perfect", 2, "You lose: perfect (O) wins"),
        ("perfect", None, "A draw"),
    ],
)
def test_a_person_wins_loses_and_draws(page, against, wanted, said):
    seed, moves, planned = plan(against, wanted)
    open_game(page, "tictactoe", against, seed=seed)
    for number, move in enumerate(moves):
        if number:
            expect_status(page, "Your move: you are X")
        cell(page, move).click()
        expect_stone(page, move, "X")
    expect_status(page, said)
    for number, stone in enumerate(planned.position.stones):
        expect_stone(page, number, ".XO"[stone].replace(".", ""))
    expect(page.locator(".cell.line")).to_have_count(0 if wanted is None else 3)
    expect(page.get_by_test_id("resign")).to_be_disabled()


def test_two_people_at_one_board_undo_resign_and_again(page):
    open_game(page, "tictactoe", "human")
    for move, symbol in ((4, "X"), (0, "O"), (8, "X")):
        cell(page, move).click()
        expect_stone(page, move, symbol)
    expect(page.get_by_test_id("moves")).to_have_text(re.compile(r"1\. X 22 O 11\s*2\. X 33"))
    page.get_by_test_id("undo").click()
    expect_stone(page, 8, "")
    expect_status(page, "X to move")
    page.get_by_test_id("resign").click()
    expect_status(page, "X resigns: O wins")
    cell(page, 5).click(force=True)  # nothing happens where the game is over
    expect_stone(page, 5, "")
    page.get_by_test_id("new-game").click()
    expect_status(page, "X to move")
    expect(page.locator('.cell[data-stone="X"]')).to_have_count(0)


def test_connect_four_against_the_perfect_player(page):
    open_game(page, "connect4:6x7", "perfect")
    page.get_by_test_id("values").get_by_text("Exact").click()
    expect(page.get_by_test_id("advice")).to_contain_text("Exact values by the book")
    expect(cell(page, 3)).to_have_text("W41")
    expect(cell(page, 0)).to_have_text("L40")
    page.get_by_test_id("values").get_by_text("Off").click()
    position = game_of("connect4:6x7").position()
    while position.outcome is None:
        move = position.legal_moves[-1]
        cell(page, 35 + move).click()  # anywhere in a column: a stone falls
        expect_stone(page, position.cell_of(move), "X")
        position.push(move)
        expect(page.get_by_test_id("status")).to_have_text(re.compile("Your move|You lose"))
        expect(page.locator('.cell[data-stone="O"]')).to_have_count(position.ply // 2 + 1)
        stones = page.locator(".cell").evaluate_all(
            "cells => cells.map(c => [+c.dataset.testid.slice(5), c.dataset.stone])"
        )
        held = {number for number, stone in stones if stone}
        reply = next(m for m in position.legal_moves if position.cell_of(m) in held)
        position.push(reply)
    assert position.outcome.winner == 2
    expect_status(page, "You lose: perfect (O) wins")
    expect(page.locator(".cell.line")).not_to_have_count(0)


def test_the_second_seat_waits_for_the_first_move(page):
    open_game(page, "connect4:6x7", "perfect", side="second")
    expect_stone(page, 3, "X")
    expect_status(page, "Your move: you are O")
    expect(page.get_by_test_id("undo")).to_be_disabled()


SPOT = """([name]) => {
    const element = document.querySelector('[data-testid=scene] .nicegui-scene');
    const scene = getElement(+element.id.slice(1));
    const thing = scene.scene.getObjectByName(name);
    if (!thing) return null;
    const at = thing.position.clone().project(scene.camera);
    const box = element.querySelector('canvas').getBoundingClientRect();
    const camera = scene.camera.position;
    return {
        x: box.left + (at.x + 1) / 2 * box.width,
        y: box.top + (1 - at.y) / 2 * box.height,
        camera: [camera.x, camera.y, camera.z],
    };
}"""


def find_in_scene(page, name):
    return page.wait_for_function(SPOT, arg=[name]).json_value()


def test_the_cube_is_turned_and_played(page):
    open_game(page, "cube", "benchmark")
    before = find_in_scene(page, "cell 12")
    page.mouse.move(before["x"], before["y"])
    page.mouse.down()
    page.mouse.move(before["x"] + 60, before["y"] + 20, steps=4)
    page.mouse.up()
    page.wait_for_function(
        f"{SPOT.replace('([name])', '(([name])')})(['cell 12']).camera[0] < "
        f"{before['camera'][0] - 0.5}"
    )
    expect(page.get_by_test_id("moves")).to_have_text("None yet.")  # a turn is not a move
    page.wait_for_timeout(300)  # the scene comes to rest
    after = find_in_scene(page, "cell 12")
    page.mouse.click(after["x"], after["y"])
    expect_stone(page, 12, "X")
    expect_status(page, "Your move: you are X")
    expect(page.locator('.cell[data-stone="O"]')).to_have_count(1)
    cell(page, 12 + 16).click()  # on top of it, in the layer beside the scene
    expect_stone(page, 28, "X")
    expect_status(page, "Your move: you are X")
    expect(page.locator('.cell[data-stone="O"]')).to_have_count(2)
    assert find_in_scene(page, "cell 28") is not None


def test_a_reload_comes_back_to_the_same_game(page):
    open_game(page, "mnk:5x5x4", "random", seed=3)
    cell(page, 12).click()
    expect_status(page, "Your move: you are X")
    page.get_by_test_id("hints").click()
    expect(page.locator(".cell.best")).not_to_have_count(0)
    moves = page.get_by_test_id("moves").inner_text()
    page.reload()
    expect_stone(page, 12, "X")
    expect(page.get_by_test_id("moves")).to_have_text(re.sub(r"\s+", " ", moves))
    expect(page.locator(".cell.best")).not_to_have_count(0)  # hints stay on
    other = page.context.new_page()  # a second window shows the same game
    other.goto("/")
    expect_stone(other, 12, "X")
    cell(other, 0 if cell(other, 0).get_attribute("data-stone") == "" else 1).click()
    expect(page.locator('.cell[data-stone="X"]')).to_have_count(2)


def test_a_lost_connection_comes_back_to_the_same_game(page):
    open_game(page, "tictactoe", "human")
    cell(page, 4).click()
    expect_stone(page, 4, "X")
    page.evaluate("window.socket.disconnect()")
    page.evaluate("window.socket.connect()")
    cell(page, 0).click()
    expect_stone(page, 0, "O")
    expect_stone(page, 4, "X")


def test_two_visitors_do_not_see_each_other(page, new_visitor):
    other = new_visitor()
    open_game(page, "tictactoe", "human")
    open_game(other, "tictactoe", "human")
    cell(page, 0).click()
    expect_stone(page, 0, "X")
    cell(other, 8).click()
    expect_stone(other, 8, "X")
    expect_stone(other, 0, "")
    other.reload()
    expect_stone(other, 8, "X")
    expect_stone(other, 0, "")
    expect_stone(page, 8, "")


def test_a_bad_agent_file_gives_a_clear_message(page):
    page.goto("/")
    file = page.locator("input[type=file]")
    message = page.get_by_test_id("message")
    file.set_input_files({"name": "bad.safetensors", "mimeType": "", "buffer": b"not an agent"})
    expect(message).to_contain_text("bad.safetensors is not a saved agent")
    good = train("tictactoe", "td", against="random", games=50, seed=1).state()
    file.set_input_files({"name": "cut.safetensors", "mimeType": "", "buffer": good[:-5]})
    expect(message).to_contain_text("cut.safetensors is not a saved agent")
    cell(page, 4).click()  # and the game goes on
    expect_stone(page, 4, "X")
    file.set_input_files({"name": "good.safetensors", "mimeType": "", "buffer": good})
    expect(message).to_contain_text("good.safetensors plays tictactoe")
    page.get_by_test_id("start").click()
    expect(page.get_by_test_id("title")).to_contain_text("O good.safetensors")
    cell(page, 4).click()
    expect(page.locator('.cell[data-stone="O"]')).to_have_count(1)


def test_an_agent_of_the_folder_and_its_estimate(page, folder):
    """Its name is shown as it is, whatever is in it."""
    name = """mine "x" 'y' <img src=x onerror=alert(1)> [b].safetensors"""
    run = train("tictactoe", "td", "attack-defense", 3000, 1, side="both")
    run.save(folder / name)
    page.goto("/")
    page.get_by_label("Against").click()
    page.get_by_role("option", name=re.compile("mine")).click()
    page.get_by_test_id("start").click()
    expect(page.get_by_test_id("title")).to_contain_text(f"O {name}")
    cell(page, 0).click()
    expect_status(page, "Your move: you are X")
    page.get_by_test_id("values").get_by_text("Estimate").click()
    table = page.get_by_test_id("values-table")
    expect(table).to_contain_text("draws")  # the exact value beside the estimate
    expect(page.get_by_test_id("advice")).to_contain_text(f"Estimate of {name}")
    free = page.locator('.cell[data-stone=""]')
    expect(free.first).to_have_text(re.compile(r"^[+-]\d\.\d{3}$"))
    assert free.count() == 7
    expect(page.locator("img[src=x]")).to_have_count(0)


def test_a_game_can_be_typed_and_an_oversize_one_is_refused(page):
    page.goto("/")
    page.get_by_label("Game", exact=True).click()
    page.get_by_role("option", name="Another game ...").click()
    text = page.get_by_label("Name of the game")
    text.fill("mnk:60x60x5")
    expect(page.get_by_test_id("message")).to_contain_text("at most 1000 cells")
    page.get_by_test_id("start").click()
    expect(page.get_by_test_id("message")).to_contain_text("at most 1000 cells")
    text.fill("ntictactoe:3^4")
    expect(page.get_by_test_id("message")).to_have_text("")
    page.get_by_test_id("start").click()
    expect(page.get_by_test_id("title")).to_contain_text("ntictactoe:3^4")
    cell(page, 80).click()
    expect_stone(page, 80, "X")
    expect(page.get_by_test_id("score")).to_have_text("Lines: X 0, O 0")


def test_a_link_may_name_a_game_alone(page):
    page.goto("/?game=qubic")
    expect(page.get_by_test_id("title")).to_contain_text(
        "qubic: four in a row. X you, O shipped:qubic."
    )
    cell(page, 63).click()
    expect_stone(page, 63, "X")
    expect(page.locator('.cell[data-stone="O"]')).to_have_count(1)


def test_a_press_right_after_a_link_is_not_lost(page):
    """The board that the visitor had before is not open while the new one is set up."""
    page.goto("/?game=connect4:6x7&against=perfect&seed=1")
    page.locator('button.cell[aria-disabled="false"]').first.wait_for()
    page.evaluate("""document.querySelector('button.cell[aria-disabled="false"]').click()""")
    expect(page.locator('[data-stone="O"]')).to_have_count(1)
    expect(page.get_by_test_id("title")).to_contain_text("connect4:6x7")


@pytest.mark.parametrize("path", ["/", "/train", "/arena"])
def test_no_field_is_overwritten_when_the_page_connects(page, path):
    """What somebody has typed by then would be lost."""
    received = []

    def keep(frame):
        received.append(str(frame))

    page.on("websocket", lambda socket: socket.on("framereceived", keep))
    page.goto(path)
    page.wait_for_function("window.did_handshake")
    page.wait_for_load_state("networkidle")  # half a second later
    assert received
    assert not [frame for frame in received if "updateValue" in frame]


def test_a_link_that_does_not_work_says_so(page):
    page.goto("/?game=nonsense&against=perfect")
    expect(page.get_by_test_id("problem")).to_contain_text("unknown game 'nonsense'")
    expect_status(page, "Your move: you are X")


def test_the_board_is_played_by_keyboard(page):
    open_game(page, "tictactoe", "human")
    expect(cell(page, 0)).to_be_visible()
    focused = "document.activeElement.dataset.testid || ''"
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate(focused).startswith("cell-"):
            break
    expect(cell(page, 0)).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(cell(page, 4)).to_be_focused()
    page.keyboard.press("Enter")
    expect_stone(page, 4, "X")
    expect(cell(page, 4)).to_be_focused()  # a redrawn board keeps its place
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    expect_stone(page, 1, "O")
    page.keyboard.press("Enter")  # taken
    expect(page.get_by_test_id("moves")).to_have_text(re.compile(r"1\. X 22 O 12$"))


@pytest.mark.parametrize("game", ["connect4:6x7", "cube", "ntictactoe:3^4", "mnk:15x15x5"])
def test_boards_fit_a_phone(new_visitor, game):
    page = new_visitor(**PHONE)
    open_game(page, game, "human")
    expect(cell(page, 0)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    board = page.get_by_test_id("board")
    room = page.locator(".board-room")
    assert board.bounding_box()["width"] <= room.bounding_box()["width"] + 1
    cell(page, 2).tap()
    expect_stone(page, 2, "X")


def test_a_double_click_and_a_key_held_down_are_one_move(page):
    open_game(page, "connect4:6x7", "human")
    moves = page.get_by_test_id("moves")
    cell(page, 3).dblclick()
    expect_stone(page, 3, "X")
    page.wait_for_timeout(300)
    expect(moves).to_have_text(re.compile(r"^1\. X 4$"))
    cell(page, 5).focus()
    for _ in range(4):
        page.keyboard.down("Enter")  # from the second on as a key that repeats
        page.wait_for_timeout(100)
    page.keyboard.up("Enter")
    expect(moves).to_have_text(re.compile(r"^1\. X 4 O 6$"))


def test_long_words_do_not_widen_the_page(new_visitor):
    page = new_visitor(**PHONE)
    width, long = "document.documentElement.scrollWidth", "x" * 150
    page.goto(f"/?game={long}")
    expect(page.get_by_test_id("problem")).to_contain_text(long)
    assert page.evaluate(width) <= 390
    content = train("tictactoe", "td", against="random", games=20, seed=1).state()
    name = f"{'my_best_agent_' * 6}.safetensors"
    page.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "", "buffer": content}
    )
    expect(page.get_by_test_id("message")).to_contain_text(name)
    assert page.evaluate(width) <= 390
    page.get_by_test_id("start").click()
    expect(page.get_by_test_id("title")).to_contain_text(name)
    assert page.evaluate(width) <= 390
