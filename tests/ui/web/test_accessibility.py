"""Every page in a real browser, read by axe-core: wide and light, on a phone and dark.

axe-core is not part of the project: npm fetches it into a folder of the system's. Without npm, or
without a network, the test is skipped, and says so.
"""

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


def play(page):
    page.goto("/?game=connect4:4x4&against=perfect&seed=1")
    expect(page.get_by_test_id("title")).to_contain_text("4x4")
    page.get_by_test_id("cell-1").click()
    page.get_by_test_id("hints").click()
    page.get_by_test_id("values").get_by_text("Exact").click()
    expect(page.get_by_test_id("values-table")).to_contain_text("Move")


def review(page):
    """With a position of the reviewed game that is being changed."""
    page.goto("/?game=connect4:4x4&against=human&moves=12132411")
    expect(page.get_by_test_id("title")).to_contain_text("4x4")
    page.get_by_test_id("review").first.click()
    page.get_by_test_id("mistake-6").click()
    expect(page.get_by_test_id("comment")).to_be_visible()
    page.get_by_test_id("set-up").click()
    page.get_by_test_id("cell-3").click()
    expect(page.get_by_test_id("set-up-problem")).to_be_visible()


def boards(page):
    page.goto("/boards?game=ntictactoe:3^4")
    expect(page.get_by_test_id("board-facts")).to_contain_text("lines")
    page.get_by_test_id("side-0").fill("99")
    expect(page.get_by_test_id("board-message")).to_contain_text("too many")
    page.get_by_text("How games are named").click()
    page.get_by_test_id("cell-1").hover()


def train(page):
    page.goto("/train")
    page.wait_for_function("window.did_handshake")
    page.get_by_test_id("games").fill("20")
    page.get_by_test_id("train").click()
    page.get_by_test_id("options").get_by_text("Options of the learner").click()
    run = page.get_by_test_id("run-2")
    expect(run.get_by_test_id("run-state")).to_have_text("done", timeout=LONG)
    run.get_by_test_id("certify").click()
    expect(run.get_by_test_id("run-certificate")).to_contain_text("As second", timeout=LONG)
    expect(page.get_by_test_id("learning-2")).to_contain_text("First mistake")


def papers(page):
    page.goto("/papers")


def paper(page):
    page.goto("/papers?paper=hybrid")
    expect(page.get_by_test_id("paper-title")).to_be_visible()


def arena(page):
    page.goto("/arena")
    page.wait_for_function("window.did_handshake")
    page.get_by_test_id("arena-games").fill("2")
    page.get_by_test_id("begin-arena").click()
    expect(page.get_by_test_id("arena-state")).to_contain_text("Done.", timeout=LONG)
    page.get_by_test_id("cell-attack-random").click()
    expect(page.get_by_test_id("replay-board").locator("svg")).to_be_visible()
    place = page.get_by_test_id("crosstable").locator("..")
    place.evaluate("place => place.scrollLeft = 150")  # the names stay in sight
    name = page.get_by_test_id("row-attack").locator("td").first
    assert name.bounding_box()["x"] == pytest.approx(place.bounding_box()["x"], abs=1)
    covers = name.evaluate(
        "cell => { const box = cell.getBoundingClientRect();"
        "return cell.contains(document.elementFromPoint(box.right - 3, box.top + 12)); }"
    )
    assert covers


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_serious(new_visitor, axe, look):
    page = new_visitor(**LOOKS[look])
    found = {}
    for visit in (play, review, boards, train, papers, paper, arena):
        visit(page)
        page.mouse.move(0, 0)
        # Quasar's own bar for what is being loaded has no name: it is gone when all is there.
        expect(page.locator(".q-loading-bar:not([aria-hidden])")).to_have_count(0)
        found[visit.__name__] = problems(page, axe)
        assert page.locator("html").get_attribute("lang") == "en-US"
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert not any(found.values()), found
