"""Takes the pictures of docs/screens from the real pages, wide and on a phone: `make screenshots`.

A server is started with an empty folder; a Chromium without a screen plays, trains and lets players
meet on it as a visitor would. Seeds are fixed, so the games in the pictures stay the same.
"""

from __future__ import annotations

import io
import re
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


def play(
    page: Page,
    game: str,
    against: str,
    cells: list[int],
    values: str | None = None,
    seed: int = 1,
) -> None:
    """A game in progress: the cells are pressed one after another, each after the answer."""
    page.goto("/?" + urlencode({"game": game, "against": against, "seed": seed}))
    expect(page.get_by_test_id("title")).to_contain_text(against, timeout=LONG)
    stones = page.locator('button.cell:not([data-stone=""])')
    for number, cell in enumerate(cells):
        page.get_by_test_id(f"cell-{cell}").click()
        expect(stones).to_have_count(2 * number + 2, timeout=LONG)
    if values is not None:
        page.get_by_test_id("values").get_by_role("button", name=values).click()
        page.get_by_test_id("hints").click()
        expect(page.get_by_test_id("values-table")).to_contain_text("Move", timeout=LONG)
        expect(page.get_by_test_id("advice")).to_contain_text("Best", timeout=LONG)
    page.evaluate("scrollTo(0, 0)")
    page.mouse.move(0, 0)  # no stone hovers over the board


def cube(page: Page) -> None:
    """The scene beside its layers."""
    play(page, "cube", "benchmark", [5, 10, 37, 6, 9, 26], seed=3)
    expect(page.get_by_test_id("scene").locator("canvas")).to_be_visible()
    page.wait_for_timeout(1500)  # the scene draws its stones one by one


def train(page: Page) -> None:
    """Three runs that have ended, one of them certified."""
    page.goto("/train")
    for mark, value in (("games", "200000"), ("runs", "3"), ("seed", "1")):
        page.get_by_test_id(mark).fill(value)
    page.get_by_test_id("train").click()
    for number in (1, 2, 3):
        state = page.get_by_test_id(f"run-{number}").get_by_test_id("run-state")
        expect(state).to_have_text("done", timeout=LONG)
    page.get_by_test_id("run-3").get_by_test_id("certify").click()
    proof = page.get_by_test_id("run-3").get_by_test_id("run-certificate")
    expect(proof).to_contain_text("As second", timeout=LONG)
    page.get_by_test_id("curves").scroll_into_view_if_needed()
    page.wait_for_timeout(1500)  # the curves are drawn


def learning(share: float) -> Callable[[Page], None]:
    """Three learners on the same position, at a moment of their training."""

    def scene(page: Page) -> None:
        page.goto("/train")
        page.wait_for_function("window.did_handshake")
        page.get_by_test_id("runs").fill("1")
        page.get_by_test_id("games").fill(str(round(LEARNING_GAMES * share)))
        for number, learner in enumerate(("td:", "q:", "sarsa:"), 1):
            page.get_by_test_id("learner").click()
            option = page.get_by_role("option").filter(has_text=re.compile(f"^{learner}"))
            option.first.click()
            page.wait_for_timeout(500)  # the form follows
            page.get_by_test_id("train").click()
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
    expect(page.get_by_test_id("paper-title")).to_be_visible()
    page.locator(".paper table").first.scroll_into_view_if_needed()


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
    "play-tictactoe": lambda page: play(page, "tictactoe", "random", [4], "Exact"),
    "play-connect4": lambda page: play(page, "connect4:6x7", "ntuple", [38, 37, 37, 38], "Exact"),
    "play-cube": cube,
    "play-four-dimensions": lambda page: play(
        page, "ntictactoe:3^4", "advanced", [40, 31, 4, 10, 67], "Estimate", seed=3
    ),
    "train": train,
    "learning-early": learning(0.002),
    "learning-later": learning(0.05),
    "learning-end": learning(1.0),
    "papers": papers,
    "paper": paper,
    "arena": arena,
}


def take(browser: Browser, address: str, scene: Callable[[Page], None], width: str) -> bytes:
    """A picture of what a new visitor comes to see."""
    context = browser.new_context(base_url=address, reduced_motion="reduce", **WIDTHS[width])
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
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--enable-unsafe-swiftshader"]
        )
        for name in wanted or SCENES:
            for width in WIDTHS if not name.startswith("learning") else ("desktop",):
                content = packed(take(browser, server.address, SCENES[name], width))
                if len(content) > MOST_BYTES:
                    raise SystemExit(f"{name}-{width} has {len(content)} bytes: too many")
                write_whole(FOLDER / f"{name}-{width}.png", content)
                print(f"{name}-{width}.png {len(content) // 1000} kB", flush=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
