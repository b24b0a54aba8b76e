"""The page Train in a real browser: curves grow to their ends, and the agents are played."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Error, expect

from inarow.lab.training import load_run, train

EXAMPLES = Path(__file__).parents[3] / "examples"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
LONG = 240_000  # milliseconds: the first run of a learner compiles


def choose(page, mark, text):
    """Chooses what begins with a text from a list."""
    option = page.get_by_role("option").filter(has_text=re.compile(f"^{re.escape(text)}")).first
    page.get_by_test_id(mark).click()
    try:
        option.click(timeout=5000)
    except Error:  # the list was opened while it was being filled
        page.keyboard.press("Escape")
        page.get_by_test_id(mark).click()
        option.click()


def open_page(page):
    """Waits for the connection, too: what is typed before comes after what is pressed later."""
    page.goto("/train")
    page.wait_for_function("window.did_handshake")


def begin(page, games, runs=1, seed=1):
    open_page(page)
    for mark, value in (("games", games), ("runs", runs), ("seed", seed)):
        page.get_by_test_id(mark).fill(str(value))
    page.get_by_test_id("train").click()


def run(page, number):
    return page.get_by_test_id(f"run-{number}")


def expect_state(page, number, state):
    expect(run(page, number).get_by_test_id("run-state")).to_have_text(state, timeout=LONG)


def curves(page):
    """The lines of the chart: paths without area that are drawn in a run's colour."""
    return page.get_by_test_id("curves").locator('path[fill="none"][stroke-width="2"]')


def test_a_curve_reaches_its_end_and_the_agent_is_played(page, folder):
    open_page(page)
    expect(page.get_by_test_id("no-runs")).to_be_visible()
    begin(page, 2000, runs=2)
    for number in (1, 2):
        expect_state(page, number, "done")
        card = run(page, number)
        expect(card.get_by_test_id("run-progress")).to_contain_text("2,000 of 2,000 games")
        expect(card.get_by_test_id("run-marks")).to_contain_text(
            "After 2,000 games, as second against random: won"
        )
    expect(curves(page)).to_have_count(2)
    run(page, 2).get_by_test_id("play-it").click()
    name = "td-tictactoe-seed2-2000.safetensors"
    expect(page.get_by_test_id("title")).to_contain_text(name, timeout=LONG)
    expect(page.get_by_test_id("status")).to_have_text("Your move: you are X")
    page.get_by_test_id("cell-4").click()
    expect(page.locator('[data-stone="O"]')).to_have_count(1, timeout=LONG)
    assert (
        load_run(folder / name).state()
        == train("tictactoe", "td", "attack-defense", 2000, seed=2).state()
    )


def test_certified_with_one_click(page):
    begin(page, 100_000)
    expect_state(page, 1, "done")
    run(page, 1).get_by_test_id("certify").click()
    proof = run(page, 1).get_by_test_id("run-certificate")
    expect(proof).to_contain_text("As second: unbeatable: no opponent can beat it", timeout=LONG)
    expect(proof).to_contain_text("As first, where it never trained: beaten by")
    page.reload()
    expect(run(page, 1).get_by_test_id("run-certificate")).to_contain_text("As second: unbeatable")

    begin(page, 10)  # a second run, too short: a game that beats it is drawn
    expect_state(page, 2, "done")
    run(page, 2).get_by_test_id("certify").click()
    proof = run(page, 2).get_by_test_id("run-certificate")
    expect(proof).to_contain_text("As second: beaten by", timeout=LONG)
    expect(proof.locator("svg")).to_contain_text("X wins")


def test_stop_reload_resume_remove_and_nobody_else_sees_it(page, new_visitor):
    begin(page, 500_000_000)
    progress = run(page, 1).get_by_test_id("run-progress")
    expect(progress).to_have_text(re.compile("^[1-9].* a second"), timeout=LONG)
    other = new_visitor()
    open_page(other)
    expect(other.get_by_test_id("no-runs")).to_be_visible()
    expect(other.get_by_test_id("run-1")).to_have_count(0)

    page.reload()  # it went on
    expect_state(page, 1, "training")
    run(page, 1).get_by_test_id("stop").click()
    expect_state(page, 1, "stopped")
    games = progress.inner_text()
    page.reload()
    expect_state(page, 1, "stopped")
    expect(progress).to_have_text(games)
    run(page, 1).get_by_test_id("resume").click()
    expect_state(page, 1, "training")
    expect(progress).not_to_have_text(games)
    run(page, 1).get_by_test_id("save").click()
    expect(run(page, 1).get_by_test_id("run-message")).to_contain_text("Saved as td-tictactoe")
    run(page, 1).get_by_test_id("remove").click()
    expect(run(page, 1)).to_have_count(0)
    expect(page.get_by_test_id("no-runs")).to_be_visible()


def test_twice_the_games(page):
    begin(page, 300)
    expect_state(page, 1, "done")
    run(page, 1).get_by_test_id("twice-the-games").click()
    expect(run(page, 1).get_by_test_id("run-progress")).to_contain_text("600 of 600 games")
    expect_state(page, 1, "done")


def test_the_form_follows_the_learner(page):
    open_page(page)
    share = page.get_by_test_id("option-random_games")
    expect(share).to_have_value("1/7")
    choose(page, "learner", "q:")
    expect(share).to_have_count(0)
    expect(page.get_by_test_id("trainer")).to_have_value("itself")
    page.get_by_test_id("options").get_by_text("Options of the learner").click()
    expect(
        page.get_by_text("share of random moves (a number or a schedule, between 0 and 1)")
    ).to_be_visible()
    page.get_by_test_id("option-epsilon").fill("much")
    page.get_by_test_id("games").fill("100")
    page.get_by_test_id("runs").fill("1")
    page.get_by_test_id("train").click()
    expect(page.get_by_test_id("train-message")).to_contain_text(
        "option epsilon: 'much' is neither"
    )
    page.get_by_test_id("option-epsilon").fill("0.2")
    choose(page, "option-ties", "first")
    page.get_by_test_id("train").click()
    expect_state(page, 1, "done")
    expect(run(page, 1)).to_contain_text(
        "q learns tictactoe against itself, seed 1, epsilon=0.2, ties=first"
    )


@pytest.mark.parametrize(
    ("mark", "value", "line"),
    [
        ("games", "0", "between 1 and 1,000,000,000"),
        ("games", "", "Games: say a whole number"),
        ("runs", "9", "start 1 to 8 runs"),
        ("option-random_games", "3", "a share of games must be between 0 and 1, not '3'"),
    ],
)
def test_what_does_not_work_is_said_in_a_line(page, mark, value, line):
    open_page(page)
    page.get_by_test_id(mark).fill(value)
    page.get_by_test_id("train").click()
    expect(page.get_by_test_id("train-message")).to_contain_text(line)
    expect(page.get_by_test_id("no-runs")).to_be_visible()


def test_a_learner_that_the_server_was_started_with(new_visitor, server_process, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    _, address = server_process(options=("--learner", "expected_sarsa:ExpectedSarsa"))
    page = new_visitor()
    page.goto(f"{address}/train")
    page.wait_for_function("window.did_handshake")
    choose(page, "learner", "expected_sarsa: Expected SARSA: towards the mean value")
    page.get_by_test_id("options").get_by_text("Options of the learner").click()
    expect(page.get_by_text("share of random moves, and of their mean")).to_be_visible()
    page.get_by_test_id("option-epsilon").fill("7")
    page.get_by_test_id("games").fill("300")
    page.get_by_test_id("runs").fill("1")
    page.get_by_test_id("train").click()
    line = "option epsilon must be between 0 and 1, not 7"
    expect(page.get_by_test_id("train-message")).to_contain_text(line)
    page.get_by_test_id("option-epsilon").fill("0.3")
    page.get_by_test_id("train").click()
    expect_state(page, 1, "done")


def test_oversize_games_are_refused_with_the_limit(page):
    open_page(page)
    choose(page, "train-game", "Another game")
    page.get_by_test_id("train-game-text").fill("mnk:60x60x5")
    expect(page.get_by_test_id("train-message")).to_contain_text("at most 1000 cells")


def test_the_form_stays_as_it_was_left_and_runs_are_seen_to_learn(page):
    open_page(page)
    choose(page, "learner", "ntuple:")
    expect(page.get_by_test_id("trainer")).to_have_value("itself")  # not the one before
    choose(page, "learner", "td:")
    choose(page, "trainer", "random")
    page.get_by_test_id("option-random_games").fill("1/5")
    for mark, value in (("games", "400"), ("runs", "3"), ("seed", "5")):
        page.get_by_test_id(mark).fill(value)
    page.get_by_test_id("seed").blur()
    page.wait_for_timeout(1500)  # what was typed arrives, also on a busy machine
    page.reload()
    page.wait_for_function("window.did_handshake")
    expect(page.get_by_test_id("trainer")).to_have_value("random")
    expect(page.get_by_test_id("option-random_games")).to_have_value("1/5")
    for mark, value in (("games", "400"), ("runs", "3"), ("seed", "5")):
        expect(page.get_by_test_id(mark)).to_have_value(value)
    page.get_by_test_id("train").click()
    expect_state(page, 3, "done")
    expect(page.get_by_test_id("curves")).to_contain_text("3: td random_games=1/5, seed 7")
    board = page.get_by_test_id("learning-3")
    expect(board).to_contain_text("Run 3: td, 400 games")
    expect(board.get_by_test_id("learning-verdict")).to_have_text(re.compile("mistake"))
    expect(board.locator('[data-stone="X"]')).to_have_count(1)  # it learns to answer a move
    expect(board.get_by_test_id("learning-variation")).to_have_text(
        re.compile(r"^Principal variation: \d\d( \d\d)+")
    )
    expect(board.get_by_test_id("learning-mistake")).to_have_text(
        re.compile(
            r"^First mistake: after \d\d.* it may play \d\d, which loses in \d; .* draws?\.$"
        )
    )
    board.get_by_test_id("show-mistake").click()  # and there it is
    expect(board.get_by_test_id("learning-verdict")).to_have_text(re.compile(": a mistake"))
    page.get_by_test_id("learning-moves").fill("11 22 33")
    expect(page.get_by_test_id("learning-title")).to_have_text("After 11 22 33: O to move.")
    expect(board.locator('.cell[data-stone=""] .text')).to_have_count(6)
    page.get_by_test_id("learning-moves").fill("11 11")
    expect(page.get_by_test_id("learning-message")).to_contain_text("cell 11 is taken")
    page.get_by_test_id("log-axis").click()
    page.get_by_test_id("by-seed").click()
    expect(page.get_by_test_id("curves")).to_contain_text("td random_games=1/5: mean of 3 seeds")
    expect(curves(page)).to_have_count(1)
    page.get_by_test_id("by-seed").click()
    page.get_by_test_id("smoothing").click()  # in the middle
    pale = page.get_by_test_id("curves").locator('path[fill="none"][stroke-opacity="0.4"]')
    expect(pale).to_have_count(3)  # what was measured, behind the smoothed curves
    expect(curves(page)).to_have_count(3)


def test_games_apart_files_and_a_saved_agent(page):
    """Also: the form is filled in by the address, and no proof is offered that cannot be had."""
    page.goto("/train?game=connect4:6x7&learner=line_td&against=random&games=3&seed=8&alpha=0.2")
    page.wait_for_function("window.did_handshake")
    expect(page.get_by_test_id("trainer")).to_have_value("random")
    expect(page.get_by_test_id("about-learner")).to_contain_text("A linear value on counts")
    paper = page.get_by_test_id("about-learner").get_by_role("link")
    expect(paper).to_have_attribute("href", "/papers?paper=n-dimensional")
    page.get_by_test_id("train").click()
    expect_state(page, 1, "done")
    expect(run(page, 1)).to_contain_text("line_td learns connect4:6x7 against random, seed 8")
    expect(run(page, 1)).to_contain_text("alpha=0.2")
    expect(run(page, 1).get_by_test_id("play-it")).to_be_visible()
    expect(run(page, 1).get_by_test_id("certify")).to_be_hidden()  # 42 cells are too many

    page.goto("/train?learner=td&games=300&seed=9&nothing=1")
    expect(page.get_by_test_id("train-message")).to_have_text("td has no option 'nothing'")
    page.get_by_test_id("train").click()
    expect_state(page, 2, "done")
    expect(run(page, 2).get_by_test_id("certify")).to_be_visible()
    expect(page.get_by_test_id("curves")).to_have_count(2)  # a chart for each game
    for name in ("connect4:6x7", "tictactoe"):
        expect(page.get_by_role("heading", name=name)).to_be_visible()
    with page.expect_download() as download:
        page.get_by_test_id("export-csv").click()
    rows = download.value.path().read_text().splitlines()
    assert {row.split(",")[1] for row in rows[1:]} == {"connect4:6x7", "tictactoe"}

    run(page, 2).get_by_test_id("save").click()
    expect(run(page, 2).get_by_test_id("run-message")).to_contain_text("Saved as")
    choose(page, "saved-agent", "td-tictactoe-seed9-300.safetensors")
    expect(page.get_by_test_id("resume-games")).to_have_value("600")
    page.get_by_test_id("resume-games").fill("200")
    page.get_by_test_id("train-on").click()
    expect(page.get_by_test_id("resume-message")).to_contain_text("already trained for 300 games")
    page.get_by_test_id("resume-games").fill("500")
    page.get_by_test_id("train-on").click()
    expect_state(page, 3, "done")
    expect(run(page, 3).get_by_test_id("run-progress")).to_contain_text("500 of 500 games")


def test_measures_on_a_phone(new_visitor):
    page = new_visitor(**PHONE)
    begin(page, 1000)
    expect_state(page, 1, "done")
    chart = page.get_by_test_id("curves")
    for text in ("Won", "Lost", "Lost in training", "Score"):
        page.get_by_test_id("measure").get_by_role("button", name=text, exact=True).tap()
        expect(chart).to_contain_text(f"{text}, %")
        expect(curves(page)).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
