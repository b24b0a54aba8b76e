"""The pages of training, arena and boards in Chromium, as a visitor uses them."""

import json
import re

import httpx
import pytest
from playwright.sync_api import expect

import inarow
from tests.web.test_play import beat_easy

LONG = 240_000  # milliseconds: the first run of a learner compiles
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def start(page, games="2,000", runs="1", **more):
    for mark, value in {"games": games, "runs": runs, **more}.items():
        page.get_by_test_id(mark).fill(value)
    page.locator("button[data-testid=train]").click()


def state(page, number):
    return page.get_by_test_id(f"run-{number}").get_by_test_id("run-state")


def test_runs_their_curves_and_what_they_learned(page):
    page.goto("/train")
    expect(page.get_by_test_id("no-runs")).to_be_visible()
    start(page, runs="2")
    for number in (1, 2):
        expect(state(page, number)).to_have_text("done", timeout=LONG)
    chart = page.locator("inarow-curves")
    expect(chart.locator("path.line:not(li *)")).to_have_count(2)
    page.get_by_test_id("by-seed").check()
    expect(chart.locator("path.band")).to_have_count(1)
    page.get_by_test_id("measure").get_by_text("Lost", exact=True).click()
    page.get_by_test_id("log-axis").check()
    page.get_by_test_id("smoothing").focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(chart.locator("path.pale")).to_have_count(1)
    chart.locator("svg").first.focus()
    page.keyboard.press("ArrowRight")
    expect(chart.locator(".value").first).to_contain_text("% after")
    seen = page.get_by_test_id("learning-1")
    expect(seen.locator(".worth")).to_have_count(8)
    expect(seen).to_contain_text("2,000 games")
    seen.get_by_test_id("moment").focus()
    page.keyboard.press("Home")
    expect(seen).to_contain_text("Run 1: 0 games")
    expect(seen).to_contain_text("Its game against itself")
    page.keyboard.press("ArrowRight")
    expect(chart.locator("text.cursor")).to_have_text("Run 1: 2 games")
    expect(seen).to_contain_text("Run 1: 2 games")
    page.get_by_test_id("learning-moves").fill("11")
    expect(page.get_by_test_id("learning-title")).to_have_text("After 11: O to move.")
    expect(seen).to_contain_text("Run 1: 2 games")
    expect(seen).to_contain_text("Its game against itself")
    page.get_by_test_id("learning-moves").fill("")
    seen.get_by_test_id("moment").press("End")
    expect(seen).to_contain_text("2,000 games")
    expect(chart.locator("text.cursor")).to_have_count(0)
    page.get_by_test_id("learning-moves").fill("11")
    expect(page.get_by_test_id("learning-title")).to_have_text("After 11: O to move.")
    page.get_by_test_id("learning-moves").fill("11 11")
    expect(page.get_by_test_id("learning-message")).to_contain_text("is taken")
    with page.expect_download() as download:
        page.get_by_test_id("run-1").get_by_test_id("download").click()
    assert download.value.suggested_filename == "td-tictactoe-seed1-2000.safetensors"
    with page.expect_download() as download:
        page.get_by_test_id("export-csv").click()
    assert download.value.suggested_filename == "runs.csv"
    page.reload()
    expect(state(page, 2)).to_have_text("done")
    expect(page.get_by_test_id("games")).to_have_value("2,000")
    page.get_by_test_id("run-2").get_by_test_id("remove").click()
    expect(page.get_by_test_id("run-2")).to_have_count(0)


def test_stopped_resumed_saved_and_trained_further(page, folder):
    page.goto("/train")
    start(page, games="1000000000", seed="5")
    run = page.get_by_test_id("run-1")
    expect(run.get_by_test_id("run-progress")).to_have_text(re.compile("^[1-9]"), timeout=LONG)
    run.get_by_test_id("stop").click()
    expect(state(page, 1)).to_have_text("stopped", timeout=LONG)
    run.get_by_test_id("resume").click()
    expect(state(page, 1)).to_have_text("training", timeout=LONG)
    run.get_by_test_id("save").click()
    expect(run.get_by_test_id("run-message")).to_contain_text("Saved as td-tictactoe-seed5")
    (saved,) = folder.glob("td-tictactoe-seed5-*")
    run.get_by_test_id("remove").click()
    option = page.get_by_test_id("saved-agent").locator(f'option[value="{saved.name}"]')
    expect(option).to_have_count(1)
    page.get_by_test_id("saved-agent").select_option(saved.name)
    page.get_by_test_id("resume-games").fill("5")
    page.get_by_test_id("train-on").click()
    expect(page.get_by_test_id("resume-message")).to_contain_text("give a larger total")
    saved.unlink()


def test_an_address_fills_the_form_and_what_is_wrong_is_said(page):
    page.goto("/train?game=connect4:4x4&learner=td&against=combined&games=77&seed=3&alpha=0.5")
    expect(page.get_by_test_id("trainer")).to_have_value("combined")
    expect(page.get_by_test_id("train-game")).to_have_value("connect4:4x4")
    expect(page.get_by_test_id("option-alpha")).to_have_value("0.5")
    expect(page.get_by_test_id("runs")).to_have_value("1")
    assert page.url.endswith("/train")
    page.goto("/train?learner=td&beta=1")
    expect(page.get_by_test_id("train-message")).to_have_text('td has no option "beta"')
    page.goto("/train?learner=nobody")
    expect(page.get_by_test_id("train-message")).to_have_text('there is no learner "nobody" here')
    page.goto("/train")
    page.get_by_test_id("games").fill("many")
    page.locator("button[data-testid=train]").click()
    expect(page.get_by_test_id("train-message")).to_contain_text("give a whole number")
    page.get_by_test_id("train-game").select_option("")
    page.get_by_test_id("train-game-text").fill("mnk:3x99x3")
    expect(page.get_by_test_id("train-message")).to_contain_text("too many for a page")


def test_another_learner_has_other_options(page):
    page.goto("/train")
    expect(page.get_by_test_id("trainer")).to_have_value("attack-defense")
    trainer = page.get_by_test_id("trainer").locator("option:checked")
    expect(trainer).to_have_text("Attack defense")
    page.locator("#train .about summary").click()
    expect(page.get_by_test_id("technical")).to_have_text(
        "td in tictactoe against attack-defense, tested against random"
    )
    page.get_by_test_id("learner").select_option("q")
    expect(page.get_by_test_id("trainer")).to_have_value("itself")
    page.get_by_text("Options of the learner").click()
    expect(page.get_by_test_id("option-alpha")).to_be_visible()


def test_on_a_phone_the_curves_come_into_sight(new_visitor):
    page = new_visitor(**PHONE)
    page.goto("/train")
    start(page, games="100")
    expect(state(page, 1)).to_have_text("done", timeout=LONG)
    expect(page.locator("#curves")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_play_it_saves_and_opens_the_board(page, folder):
    page.goto("/train")
    start(page, games="300", seed="8")
    expect(state(page, 1)).to_have_text("done", timeout=LONG)
    page.get_by_test_id("run-1").get_by_test_id("play-it").click()
    expect(page.locator("inarow-board[data-ready]")).to_be_visible(timeout=LONG)
    assert "against=td-tictactoe-seed8-300" in page.url
    for saved in folder.glob("td-tictactoe-seed8-*"):
        saved.unlink()


def test_an_agent_of_ones_own_is_played(page, tmp_path):
    file = tmp_path / "mine.safetensors"
    inarow.train("tictactoe", "q", games=500, seed=1).save(file)
    page.goto("/")
    page.get_by_text("Other opponents").click()
    page.get_by_test_id("upload").set_input_files(file)
    expect(page.get_by_test_id("message")).to_have_text(
        "mine.safetensors plays tictactoe. Press Play to play it.", timeout=LONG
    )
    page.get_by_test_id("start").click()
    page.wait_for_url("**against=mine.safetensors**")
    expect(page.locator("inarow-board[data-ready]")).to_be_visible(timeout=LONG)
    page.goto("/")
    page.get_by_text("Other opponents").click()
    bad = tmp_path / "bad.safetensors"
    bad.write_bytes(b"nonsense")
    page.get_by_test_id("upload").set_input_files(bad)
    expect(page.get_by_test_id("message")).to_contain_text("bad.safetensors")


def test_a_file_is_chosen_before_the_first_list_has_come(page, tmp_path):
    file = tmp_path / "quick.safetensors"
    inarow.train("tictactoe", "q", games=500, seed=1).save(file)
    held = []
    page.route(
        "**/api/opponents?*", lambda route: route.continue_() if held else held.append(route)
    )
    page.goto("/")
    page.get_by_text("Other opponents").click()
    expect(page.get_by_test_id("start")).to_be_disabled()
    page.get_by_test_id("upload").set_input_files(file)
    expect(page.get_by_test_id("message")).to_contain_text("plays tictactoe", timeout=LONG)
    with page.expect_response("**/api/opponents?*"):
        held[0].continue_()
    expect(page.get_by_test_id("start")).to_be_enabled()
    expect(page.get_by_test_id("other-player")).to_have_value("quick.safetensors")


def test_an_arena_by_hand(page):
    page.goto("/arena")
    expect(page.get_by_test_id("no-arena")).to_be_visible()
    page.locator("#players input[value=perfect]").check()
    page.get_by_test_id("arena-games").fill("4")
    page.get_by_test_id("begin-arena").click()
    expect(page.get_by_test_id("arena-state")).to_contain_text("Done.", timeout=LONG)
    page.get_by_test_id("cell-perfect-random").click()
    expect(page.locator("#replay-title")).to_have_text("Perfect play - Random moves")
    row = page.get_by_test_id("row-perfect")
    expect(row).to_contain_text("Perfect play")
    expect(row.locator("code")).to_be_hidden()
    page.get_by_test_id("technical-names").click()
    expect(row.locator("code")).to_have_text("perfect")
    expect(page.locator("#players code", has_text="minimax:2@central")).to_be_visible()
    page.get_by_test_id("technical-names").click()
    expect(row.locator("code")).to_be_hidden()
    moves = page.get_by_test_id("replay-moves")
    expect(moves).to_contain_text("Moves: ")
    page.get_by_test_id("to-start").click()
    expect(moves).to_contain_text("Move 0 of")
    page.get_by_test_id("forward").click()
    expect(page.get_by_test_id("replay-board").locator(".stone")).to_have_count(1)
    page.get_by_test_id("next-game").click()
    expect(page.get_by_test_id("game-number")).to_have_value("2")
    expect(moves).to_contain_text("Moves: ")
    address = page.get_by_test_id("open-in-play").get_attribute("href")
    assert address.startswith("/?game=tictactoe&against=human&moves=")
    page.reload()
    expect(page.get_by_test_id("arena-state")).to_contain_text("Done.")
    expect(page.locator("#players input[value=perfect]")).to_be_checked()


def test_a_board_is_put_together(page):
    page.goto("/boards?game=cube")
    expect(page.get_by_test_id("board-name")).to_have_value("cube")
    expect(page.get_by_test_id("gravity")).to_be_checked()  # before the answer it shows no board
    page.get_by_test_id("gravity").uncheck()
    expect(page.get_by_test_id("board-name")).to_have_value("qubic")
    expect(page.get_by_test_id("example")).to_have_value("qubic")
    page.get_by_test_id("dimensions").select_option("2")
    page.get_by_test_id("wrap-1").check()
    expect(page.get_by_test_id("board-title")).to_contain_text("axis 2 wraps around")
    expect(page.locator("inarow-board[data-ready]")).to_be_visible()
    page.get_by_test_id("k").fill("99")
    expect(page.get_by_test_id("board-message")).not_to_be_empty()
    expect(page.get_by_test_id("play-board")).to_be_hidden()
    page.get_by_test_id("board-name").fill("tictactoe")
    expect(page.get_by_test_id("board-facts")).to_contain_text("Under perfect play: a draw.")
    assert page.get_by_test_id("play-board").get_attribute("href") == (
        "/?game=tictactoe&against=strength%3A1"
    )


def test_a_condition_of_a_paper_fills_the_form(page):
    page.goto("/papers?paper=hybrid")
    page.get_by_text("Train a condition of the study yourself").click()
    page.get_by_test_id("to-condition").click(timeout=LONG)
    expect(page.get_by_test_id("trainer")).to_have_value("attack-defense")
    expect(page.get_by_test_id("games")).to_have_value("2000000")


def test_weights_of_first_visits(page):
    """A page with a board can be moved on after 60 kB at most; the others are lighter still."""
    sent = """['navigation', 'resource'].flatMap(kind => performance.getEntriesByType(kind))
      .reduce((sum, entry) => sum + entry.transferSize, 0)"""
    for path in ("/", "/train", "/arena", "/papers", "/api"):
        page.context.clear_cookies()
        page.goto(path)
        if path == "/":
            expect(page.locator("inarow-board[data-ready]")).to_be_visible(timeout=LONG)
        if path in ("/train", "/arena"):  # what they ask first has come
            expect(page.locator("form fieldset").first).to_be_enabled()
        assert 1000 < page.evaluate(sent) <= 60_000, path


def test_a_person_beats_easy_on_a_phone(new_visitor):
    page = new_visitor(**PHONE, is_mobile=True, reduced_motion="reduce", bypass_csp=True)
    page.goto("/")
    beat_easy(page)


def test_moves_are_computed_in_the_page(page, server):
    page.goto("/?game=connect4:6x7&against=strength:1&side=second")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    expect(page.locator("inarow-board.waiting")).to_be_visible(timeout=LONG)
    asked.clear()
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    for _ in range(600):  # the visitor's move and the answer; no string may be evaluated there
        if page.evaluate("document.querySelector('inarow-board').game.moves.length") >= 3:
            break
        page.wait_for_timeout(100)
    else:
        pytest.fail("no answer within a minute")
    assert not [address for address in asked if "/api/move" in address]
    assert httpx.get(f"{server}/api/games").status_code == 200


FORMS = {  # the script that a form waits for, what it asks first, and a control of it
    "/train": ("train.js", "players-to-train", "train"),
    "/arena": ("arena.js", "opponents", "begin-arena"),
    "/boards": ("builder.js", "builder", "dimensions"),
}


def hold(page, pattern):
    """Holds back what is asked for at an address: the questions, as they come."""
    held = []
    page.route(pattern, lambda route: held.append(route))
    return held


def let_go(page, held):
    """Answers the first of the questions held back, once it was asked."""
    while not held:
        page.wait_for_timeout(20)
    held.pop().continue_()


@pytest.mark.parametrize("path", FORMS)
def test_a_form_can_be_used_once_it_is_filled_in(page, path):
    script, question, mark = FORMS[path]
    scripts = hold(page, f"**/static/{script}")
    questions = hold(page, f"**/api/{question}?*")
    page.goto(path, wait_until="commit")
    control = page.locator(f"button[data-testid={mark}], select[data-testid={mark}]")
    expect(control).to_be_disabled()
    let_go(page, scripts)
    while not questions:
        page.wait_for_timeout(20)
    expect(control).to_be_disabled()
    let_go(page, questions)
    expect(control).to_be_enabled()


def arena_told(games):
    """What a page is told of an arena of two players after so many games."""
    cell = [f"{games}%", f"{games}-0-0", 0.5]
    rows = [
        {"name": one, "title": one, "rating": "+0", "interval": "", "score": "50%"}
        for one in ("attack", "random")
    ]
    told = {"id": 1, "game": "tictactoe", "names": ["attack", "random"], "games": 100, "seed": 1}
    told |= {"title": "An arena", "share": games / 100, "state": f"{games} games", "active": True}
    cells = [[None, cell], [cell, None]]
    return told | {
        "notes": "",
        "rows": [r | {"cells": c} for r, c in zip(rows, cells, strict=True)],
    }


def test_a_press_on_a_result_counts_while_results_come_in(page):
    told = []

    def tell(route):
        told.append(route)
        line = json.dumps(arena_told(len(told)))
        route.fulfill(content_type="text/event-stream", body=f"retry: 200\ndata: {line}\n\n")

    page.route("**/api/arena/events", tell)
    page.goto("/arena")
    box = page.get_by_test_id("cell-attack-random").bounding_box()
    state_text = page.get_by_test_id("arena-state").text_content()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    expect(page.get_by_test_id("arena-state")).not_to_have_text(state_text)
    page.mouse.up()
    expect(page.get_by_test_id("replay")).to_be_visible()


def run_told(number, games):
    """What a page is told of a run after so many games."""
    told = dict.fromkeys(("name", "title", "short", "alike", "progress", "outcome", "error"), "")
    told |= {"number": number, "game": "tictactoe", "game_title": "Tic-tac-toe", "seed": number}
    told |= {"side": "second", "state": "training", "active": False, "games": games, "total": 100}
    return (
        told
        | {"actions": [], "shown": True, "looks": [], "certificate": None}
        | {
            "from": 0,
            "points": [],
        }
    )


def test_boards_stand_in_the_order_of_their_runs(page):
    """However late the first of them begins."""
    told = []

    def tell(route):
        told.append(route)
        runs = [run_told(2, 10)] if len(told) == 1 else [run_told(1, 10)]
        line = json.dumps({"numbers": [1, 2], "runs": runs})
        route.fulfill(content_type="text/event-stream", body=f"retry: 200\ndata: {line}\n\n")

    page.route("**/api/runs/events", tell)
    page.goto("/train")
    expect(page.get_by_test_id("learning-2")).to_be_visible()
    expect(page.get_by_test_id("learning-1")).to_be_visible()
    marks = page.locator("#boards > *").evaluate_all("all => all.map((one) => one.dataset.testid)")
    assert marks == ["learning-1", "learning-2"]


def test_a_chapter_that_was_opened_early_is_filled_in(page):
    held = hold(page, "**/static/papers.js")
    page.goto("/papers?paper=hybrid", wait_until="commit")
    page.get_by_text("Train a condition of the study yourself").click()
    let_go(page, held)
    expect(page.get_by_test_id("to-condition")).to_be_visible(timeout=LONG)


def test_a_report_has_the_colours_of_its_page(page):
    page.goto("/papers?paper=hybrid")
    shown = """['body', '.report'].map((part) => getComputedStyle(document.querySelector(part)))
      .map((style) => [style.color, style.backgroundColor])"""
    (body, report), before = page.evaluate(shown), page.evaluate(shown)
    assert body == report
    page.get_by_role("button", name="light or dark").click()
    body, report = page.evaluate(shown)
    assert body == report != before[1]
