"""Every page in a real browser, read by axe-core: wide and light, on a phone and dark.

axe-core is not part of the project: npm fetches it into a folder of the system's. Without npm, or
without a network, the test is skipped, and says so.
"""

import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest
from playwright.sync_api import expect

AXE = "axe-core@4.14.0"
# What axe asks only if told to: space around what is pressed, names that hold what is shown.
RULES = "{'target-size': {enabled: true}, 'label-content-name-mismatch': {enabled: true}}"
LOOKS = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "color_scheme": "dark",
    },
}
LONG = 240_000  # milliseconds: the first run of a learner compiles


@pytest.fixture(scope="module")
def axe():
    """The text of axe-core, fetched once for this machine."""
    kept = Path(tempfile.gettempdir()) / f"inarow-tests-{AXE}.js"
    if not kept.is_file():
        npm = shutil.which("npm")
        with tempfile.TemporaryDirectory() as folder:
            fetch = [npm or "npm", "pack", AXE, "--pack-destination", folder]
            if npm is None or subprocess.run(fetch, capture_output=True, timeout=60).returncode:
                pytest.skip(f"npm does not give {AXE}: accessibility is not tested")
            with tarfile.open(next(Path(folder).glob("*.tgz"))) as packed:
                kept.write_bytes(packed.extractfile("package/axe.min.js").read())
    return kept.read_text(encoding="utf-8")


def problems(page, axe):
    """What axe calls serious or critical, and whatever it says of headings and the language."""
    page.evaluate(axe)
    found = page.evaluate(f"axe.run(document, {{resultTypes: ['violations'], rules: {RULES}}})")
    return [
        (one["id"], node["html"], node["failureSummary"])
        for one in found["violations"]
        for node in one["nodes"]
        if one["impact"] in ("serious", "critical") or "heading" in one["id"]
    ]


def train(page):
    page.goto("/train")
    page.get_by_test_id("games").fill("20")
    page.locator("button[data-testid=train]").click()
    page.get_by_text("Options of the learner").click()
    page.locator("#train .about summary").click()
    run = page.get_by_test_id("run-2")
    expect(run.get_by_test_id("run-state")).to_have_text("done", timeout=LONG)
    run.get_by_test_id("certify").click()
    expect(run.get_by_test_id("run-certificate")).to_contain_text("As second", timeout=LONG)
    expect(page.get_by_test_id("learning-2")).to_contain_text("First mistake")
    slider = page.get_by_test_id("learning-2").get_by_test_id("moment")
    expect(slider).to_have_attribute("max", re.compile("[1-9]"))
    slider.focus()
    slider.press("Home")  # an earlier moment, with a game
    expect(page.get_by_test_id("learning-2")).to_contain_text("Its game against itself")


def arena(page):
    page.goto("/arena")
    page.get_by_test_id("arena-games").fill("2")
    expect(page.locator("#players input")).not_to_have_count(0)
    page.get_by_test_id("begin-arena").click()
    expect(page.get_by_test_id("arena-state")).to_contain_text("Done.", timeout=LONG)
    page.get_by_test_id("cell-attack-random").click()
    expect(page.get_by_test_id("replay-board").locator("svg")).to_be_visible()
    page.get_by_test_id("technical-names").click()
    place = page.get_by_test_id("crosstable").locator("..")
    place.evaluate("place => place.scrollLeft = 150")  # the names stay in sight
    name = page.get_by_test_id("row-attack").locator("th").first
    assert name.bounding_box()["x"] == pytest.approx(place.bounding_box()["x"], abs=1)


def boards(page):
    page.goto("/boards?game=ntictactoe:3^4")
    expect(page.get_by_test_id("board-facts")).to_contain_text("lines")
    expect(page.locator("inarow-board[data-ready]")).to_be_visible()
    page.get_by_text("How games are named").click()
    page.get_by_test_id("side-0").fill("99")
    expect(page.get_by_test_id("board-message")).to_contain_text("cells")


def start(page):
    page.goto("/")
    expect(page.locator("inarow-board[data-ready]")).to_be_visible(timeout=LONG)
    page.get_by_text("Other opponents").click()
    expect(page.get_by_test_id("other-player").locator("option")).not_to_have_count(0)


def papers(page):
    page.goto("/papers")


def paper(page):
    page.goto("/papers?paper=hybrid")
    expect(page.locator("h1")).to_be_visible()


def api(page):
    page.goto("/api")


def proof(page):
    page.goto("/proof")


def learn(page):
    page.goto("/learn?learner=td_lambda")
    expect(page.locator("inarow-learn[data-ready]")).to_be_visible(timeout=LONG)
    page.get_by_role("slider").fill("100")
    page.get_by_role("button", name="Learn", exact=True).click()
    expect(page.locator("inarow-curves text").first).to_be_visible()
    page.get_by_role("button", name="Pause").click()


def missing(page):
    page.goto("/nothing")


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_serious(new_visitor, axe, look):
    page = new_visitor(**LOOKS[look])
    found = {}
    for visit in (start, boards, train, papers, paper, arena, api, learn, proof, missing):
        visit(page)
        page.mouse.move(0, 0)
        found[visit.__name__] = problems(page, axe)
        assert page.locator("html").get_attribute("lang") == "en"
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wider <= 0, visit.__name__
    assert not any(found.values()), found
