"""Takes the pictures of docs/screens from the real pages, wide and on a phone: `make screenshots`.

A server is started with an empty folder; a Chromium without a screen plays, trains and lets players
meet on it as a visitor would. Seeds are fixed, so the games in the pictures stay the same.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from inarow.game.files import write_whole

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.serve import CHROMIUM, serving

FOLDER = Path(__file__).parent / "screens"
WIDTHS = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
}
LONG = 300_000  # milliseconds: the first run of a learner compiles
LEARNING_GAMES = 200_000  # of the learners that are seen to learn
MOST_BYTES = 150_000  # of a picture


def play(page: Page, game: str, against: str, moves: str, values: bool = False) -> None:
    """A game in progress, in which a person is to move."""
    page.goto("/?" + urlencode({"game": game, "against": against, "moves": moves}))
    page.wait_for_selector("inarow-board[data-ready]", timeout=LONG)
    if values:
        page.get_by_role("button", name="Show good moves").click()
        page.wait_for_timeout(3000)
    at_rest(page)


def at_rest(page: Page) -> None:
    """The top of the page, where no stone hovers over the board."""
    page.evaluate("scrollTo(0, 0)")
    page.mouse.move(0, 0)


def over(page: Page, moves: str, reviewed: bool = False) -> None:
    """A game against *Easy* that has ended, or the review of it."""
    page.goto("/?" + urlencode({"game": "connect4:6x7", "against": "strength:1", "moves": moves}))
    page.wait_for_selector(".end:not([hidden])", timeout=LONG)
    if reviewed:
        page.locator(".end").get_by_role("button", name="Review").click()
        page.wait_for_selector(".course", timeout=LONG)
        page.mouse.move(0, 0)
    else:
        at_rest(page)


def train(page: Page) -> None:
    """Three runs that have ended, one of them certified."""
    page.goto("/train")
    for mark, value in (("games", "200000"), ("runs", "3"), ("seed", "1")):
        page.get_by_test_id(mark).fill(value)
    page.locator("button[data-testid=train]").click()
    for number in (1, 2, 3):
        state = page.get_by_test_id(f"run-{number}").get_by_test_id("run-state")
        expect(state).to_have_text("done", timeout=LONG)
    page.get_by_test_id("run-3").get_by_test_id("certify").click()
    proof = page.get_by_test_id("run-3").get_by_test_id("run-certificate")
    expect(proof).to_contain_text("As second", timeout=LONG)
    page.locator("#curves").scroll_into_view_if_needed()
    page.wait_for_timeout(1500)  # the curves are drawn


def learning(share: float) -> Callable[[Page], None]:
    """Three learners on the same position, at a moment of their training."""

    def scene(page: Page) -> None:
        page.goto("/train")
        page.get_by_test_id("runs").fill("1")
        page.get_by_test_id("games").fill(str(round(LEARNING_GAMES * share)))
        for number, learner in enumerate(("td", "q", "sarsa"), 1):
            page.get_by_test_id("learner").select_option(learner)
            page.wait_for_timeout(500)  # the form follows
            page.locator("button[data-testid=train]").click()
            state = page.get_by_test_id(f"run-{number}").get_by_test_id("run-state")
            expect(state).to_have_text("done", timeout=LONG)
        page.get_by_test_id("learning-moves").fill("11")
        expect(page.get_by_test_id("learning-title")).to_contain_text("After 11")
        expect(page.get_by_test_id("learning-3")).to_contain_text("mistake", timeout=LONG)
        page.wait_for_timeout(1500)  # all three are drawn
        page.get_by_test_id("learning").evaluate("card => card.scrollIntoView()")

    return scene


def papers(page: Page) -> None:
    """The papers and their verdicts."""
    page.goto("/papers")
    expect(page.get_by_test_id("paper-hybrid")).to_be_visible()


def paper(page: Page) -> None:
    """Ours against published."""
    page.goto("/papers?paper=hybrid")
    expect(page.locator("h1")).to_be_visible()
    page.locator(".paper table, .report table").first.scroll_into_view_if_needed()


def arena(page: Page) -> None:
    """A crosstable and one of its games."""
    page.goto("/arena")
    page.get_by_test_id("arena-games").fill("100")
    page.get_by_test_id("arena-seed").fill("1")
    page.get_by_test_id("begin-arena").click()
    expect(page.get_by_test_id("arena-state")).to_contain_text("Done.", timeout=LONG)
    page.get_by_test_id("cell-attack-random").click()
    expect(page.get_by_test_id("replay-board").locator("svg")).to_be_visible(timeout=LONG)
    page.get_by_test_id("crosstable").scroll_into_view_if_needed()
    page.evaluate("document.querySelectorAll('*').forEach(part => part.scrollLeft = 0)")


SCENES: dict[str, Callable[[Page], None]] = {
    "play-tictactoe": lambda page: play(page, "tictactoe", "strength:4", "22 11", values=True),
    "play-connect4": lambda page: play(page, "connect4:6x7", "strength:4", "443354", values=True),
    "play-connect4-dark": lambda page: play(page, "connect4:6x7", "strength:7", "44433523"),
    "play-won": lambda page: over(page, "447733552"),
    "play-review": lambda page: over(page, "3434335464", reviewed=True),
    "play-cube": lambda page: play(
        page, "cube", "strength:4", "22 33 23 32 22 44 22 33 23 31 32 32 13 14"
    ),
    "play-qubic-dark": lambda page: play(
        page, "qubic", "shipped:qubic", "122 133 213 143 242 221 224 231 412 434 343 311"
    ),
    "play-four-dimensions": lambda page: play(
        page, "ntictactoe:3^4", "strength:4", "2222 1111 2223 2221 1122 3322 1311 3133"
    ),
    "train": train,
    "learning-early": learning(0.002),
    "learning-later": learning(0.05),
    "learning-end": learning(1.0),
    "papers": papers,
    "paper": paper,
    "arena": arena,
}


def take(browser: Browser, address: str, name: str, width: str) -> bytes:
    """A picture of what a new visitor comes to see; scenes that end with `-dark` are."""
    scene = SCENES[name]
    look = "dark" if name.endswith("-dark") else "light"
    context = browser.new_context(
        base_url=address, reduced_motion="reduce", color_scheme=look, **WIDTHS[width]
    )
    context.set_default_timeout(60_000)
    page = context.new_page()
    scene(page)
    picture = page.screenshot(animations="disabled")
    context.close()
    return picture


def packed(picture: bytes) -> bytes:
    """The same picture with a palette, which drawings need no more than."""
    small = io.BytesIO()
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(256).save(small, "PNG", optimize=True)
    return small.getvalue()


def main(wanted: list[str]) -> None:
    """Writes the pictures of the scenes that are named; all without names."""
    if CHROMIUM is None:
        raise SystemExit("no Chromium is installed")
    unknown = set(wanted) - set(SCENES)
    if unknown:
        raise SystemExit(f"no scene {', '.join(unknown)}: they are {', '.join(SCENES)}")
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name in wanted or SCENES:
            for width in WIDTHS if not name.startswith("learning") else ("desktop",):
                content = packed(take(browser, server.address, name, width))
                if len(content) > MOST_BYTES:
                    raise SystemExit(f"{name}-{width} has {len(content)} bytes: too many")
                write_whole(FOLDER / f"{name}-{width}.png", content)
                print(f"{name}-{width}.png {len(content) // 1000} kB", flush=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
