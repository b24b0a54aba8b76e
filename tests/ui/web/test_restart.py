"""A server that is killed, and started again: what visitors had seen is there."""

import re
import socket
import time
from pathlib import Path

from playwright.sync_api import expect

SLOW = """
import time
from pathlib import Path
from inarow.lab.players import player

class Slow:
    name = "slow"

    def compiled(self, tables):
        if Path("slow-now").exists():  # so its games take a while to be replayed
            time.sleep(2)
        return player("attack").compiled(tables)
"""
LONG = 240_000  # milliseconds: the first run of a learner compiles
MANY = "1,000,000,000"  # the most that may be asked for: minutes


def progress(page, number):
    return page.get_by_test_id(f"run-{number}").get_by_test_id("run-progress")


def begin_arena(page, address):
    """With a player that whoever started the server has named.

    While a game of it loads, the table is drawn anew, and with it what was pressed.
    """
    Path("slow-now").touch()
    page.goto(f"{address}/arena")
    page.wait_for_function("window.did_handshake")
    page.get_by_test_id("players").click()
    page.get_by_role("option").filter(has_text="slow:Slow").click()
    page.keyboard.press("Escape")
    page.get_by_test_id("arena-games").fill("4")
    page.get_by_test_id("begin-arena").click()
    page.get_by_test_id("cell-attack-defense-slow:Slow").click(timeout=LONG)
    expect(page.get_by_test_id("replay-board").locator("svg")).to_be_visible()
    Path("slow-now").unlink()
    expect(page.get_by_test_id("arena-state")).to_contain_text("Done.", timeout=LONG)
    return page.get_by_test_id("crosstable").inner_text()


def check_arena(page, address, table):
    """It is there again; while a game loads, no other is shown."""
    page.goto(f"{address}/arena")
    expect(page.get_by_test_id("arena-state")).to_contain_text("Done.")
    assert page.get_by_test_id("crosstable").inner_text() == table
    page.get_by_test_id("cell-attack-random").click()
    board = page.get_by_test_id("replay-board").locator("svg")
    expect(board).to_be_visible()
    Path("slow-now").touch()
    page.get_by_test_id("cell-slow:Slow-random").click()
    expect(page.get_by_test_id("replay-sides")).to_contain_text("Loading the game")
    expect(board).to_have_count(0, timeout=1000)
    expect(page.get_by_test_id("replay-moves")).to_have_text("")
    expect(board).to_be_visible()
    Path("slow-now").unlink()


def end(process, address):
    """Ends a server that somebody has sent half a request; what it has complained of."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as half:
        half.sendall(b"POST /api/move HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
        time.sleep(0.5)
        process.terminate()
        process.wait()
    return process.stderr.read()


def test_nothing_is_lost_by_a_kill(browser, server_process, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slow.py").write_text(SLOW)
    options = ("--player", "slow:Slow")
    context = browser.new_context()
    page = context.new_page()
    process, address = server_process(tmp_path, options)
    table = begin_arena(page, address)
    page.goto(f"{address}/?game=connect4:4x4&against=random&seed=3")
    expect(page.get_by_test_id("title")).to_contain_text("connect4:4x4")
    page.get_by_test_id("cell-0").click()
    expect(page.locator('[data-stone="O"]')).to_have_count(1)
    moves = page.get_by_test_id("moves").inner_text()
    page.goto(f"{address}/train")
    page.wait_for_function("window.did_handshake")
    for mark, value in (("games", MANY), ("runs", "2"), ("seed", "7")):
        page.get_by_test_id(mark).fill(value)
    page.get_by_test_id("train").click()
    for number in (1, 2):
        expect(progress(page, number)).to_have_text(re.compile("^[1-9]"), timeout=LONG)
    page.get_by_test_id("run-2").get_by_test_id("stop").click()
    state = page.get_by_test_id("run-2").get_by_test_id("run-state")
    expect(state).to_have_text("stopped", timeout=LONG)
    told = progress(page, 2).inner_text().split(" of ")[0]
    curve = page.get_by_test_id("run-1").get_by_test_id("run-marks")
    expect(curve).to_have_text(re.compile("After [1-9]"), timeout=LONG)
    points = int(re.search(r"After ([\d,]+)", curve.inner_text())[1].replace(",", ""))
    process.kill()
    process.wait()
    assert "Traceback" not in process.stderr.read()

    process, address = server_process(tmp_path, options)
    page.goto(f"{address}/")
    expect(page.get_by_test_id("moves")).to_have_text(re.sub(r"\s+", " ", moves))
    expect(page.get_by_test_id("status")).to_have_text("Your move: you are X")
    page.goto(f"{address}/train")
    expect(state).to_have_text("stopped")
    expect(progress(page, 2)).to_have_text(re.compile(f"^{told} of {MANY}"))
    first = page.get_by_test_id("run-1").get_by_test_id("run-state")
    expect(first).to_have_text("training", timeout=LONG)
    expect(curve).to_have_text(re.compile("After [1-9]"))
    assert int(re.search(r"After ([\d,]+)", curve.inner_text())[1].replace(",", "")) >= points
    for mark, value in (("games", MANY), ("runs", "2"), ("seed", "7")):
        expect(page.get_by_test_id(mark)).to_have_value(value)
    page.get_by_test_id("run-1").get_by_test_id("remove").click()
    expect(page.get_by_test_id("run-1")).to_have_count(0)
    expect(page.get_by_test_id("run-2")).to_have_count(1)
    assert not list(tmp_path.glob(".visitors/*/run-1*"))
    check_arena(page, address, table)
    context.close()
    assert "Traceback" not in end(process, address)
