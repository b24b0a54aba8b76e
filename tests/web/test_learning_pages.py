"""Learning and proving in Chromium: what the page says is what the package says."""

from __future__ import annotations

import gzip

import pytest

from inarow.lab.certificates.certify import certify
from inarow.lab.training.run import train
from inarow.web.lessons import learning_package, proof_package
from tests.ui.server.test_accessibility import LOOKS, axe, problems  # noqa: F401 - axe is a fixture
from tests.web.test_lessons import lines_of

HTML = """<!doctype html><html lang="en"><meta charset="utf-8"><title>A lesson</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<link rel="stylesheet" href="pages.css"><link rel="stylesheet" href="learn.css">
<body class="inarow"><main><h1>A lesson</h1>{element}</main>
<script type="module" src="{script}"></script></html>"""
FIRST_LOAD = 150_000  # bytes, packed, until the start page's board can be moved on


@pytest.fixture(scope="module")
def lessons(site_folder, site):
    """The site with pages that learn and prove."""
    learning_package("tictactoe", "td").write(site_folder / "td")
    proof_package("qubic").write(site_folder / "qubic")
    for name, source in (("learn", "td"), ("proof", "qubic")):
        element = f'<inarow-{name} src="{source}"><p>A picture.</p></inarow-{name}>'
        page = HTML.format(element=element, script=f"{name}.js")
        (site_folder / f"{name}.html").write_text(page)
    return site


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    opened, found = context.new_page(), []
    opened.on("pageerror", lambda error: found.append(str(error)))
    yield opened
    context.close()
    assert found == []


def test_a_table_learns_and_is_certified(page, lessons):
    page.goto(f"{lessons}/learn.html")
    page.wait_for_selector("inarow-learn[data-ready]")
    page.evaluate(  # a worker that starts late: what is pressed meanwhile waits for it
        """() => {
          const { engine } = document.querySelector('inarow-learn');
          const start = engine.interrupt.bind(engine);
          engine.interrupt = () => new Promise((go) => setTimeout(go, 300)).then(start);
        }"""
    )
    page.get_by_label("Seed").fill("7")
    page.get_by_label("Seed").press("Enter")
    page.get_by_role("button", name="Learn").click()
    page.wait_for_function("document.querySelector('inarow-learn').counts[0] >= 1")
    page.evaluate("document.querySelector('inarow-learn').speed.value = 100")
    page.wait_for_function("document.querySelector('inarow-learn').counts[0] > 2000")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Certify").click()
    page.wait_for_selector("inarow-learn .certificate p")
    counts = page.evaluate("document.querySelector('inarow-learn').counts")
    run = train("tictactoe", "td", against="attack-defense", games=counts[0], seed=7)
    assert counts == run.training.counts.tolist()
    found = certify(run.agent)
    lines = page.locator("inarow-learn .certificate > p").all_inner_texts()
    assert lines == lines_of(found)
    command = page.locator("inarow-learn pre").inner_text()
    assert f"--games {counts[0]} --seed 7" in command
    page.get_by_role("button", name="Step through the game that beats it as first").click()
    moves = found.sides["first"].refutation.split()
    for _ in moves[1:]:
        page.get_by_role("button", name="one move on").click()
    stones = page.locator("inarow-learn .content .stone").count()
    assert stones == len(moves)


def test_a_click_looks_further(page, lessons):
    page.goto(f"{lessons}/learn.html")
    page.wait_for_selector("inarow-learn[data-ready]")
    assert page.locator("inarow-learn .learned text").count() == 8  # it plays second
    page.locator("inarow-learn [data-cell='4']").click()
    page.wait_for_function("document.querySelectorAll('inarow-learn .learned text').length === 7")
    assert "After 11 22" in page.locator("inarow-learn .look").inner_text()


def test_qubic_is_proved_in_the_page(page, lessons):
    page.goto(f"{lessons}/proof.html")
    page.get_by_role("button", name="Check it here").click()
    page.wait_for_selector("inarow-proof[data-proved]", timeout=120_000)
    text = page.locator("inarow-proof").inner_text()
    assert "Proven: the first player wins qubic against every defence." in text
    assert "631,451 replies" in text


def test_a_damaged_strategy_is_not_proved(page, lessons, site_folder):
    damaged = site_folder / "damaged"
    package = proof_package("qubic")
    package.write(damaged)
    other = learning_package("tictactoe", "td")
    (damaged / "image.bin").write_bytes(other.image)
    page.goto(f"{lessons}/proof.html")
    page.evaluate("document.querySelector('inarow-proof').setAttribute('src', 'damaged')")
    page.get_by_role("button", name="Check it here").click()
    page.wait_for_selector("inarow-proof[data-failed]")
    assert "Not proved here" in page.locator("inarow-proof").inner_text()


@pytest.mark.parametrize("look", LOOKS)
def test_lessons_are_accessible(browser, lessons, axe, look):  # noqa: F811
    context = browser.new_context(**LOOKS[look])
    page = context.new_page()
    for name in ("learn", "proof"):
        page.goto(f"{lessons}/{name}.html")
        page.wait_for_selector(f"inarow-{name}[data-ready]")
        assert problems(page, axe) == []
    context.close()


def test_the_start_page_is_light(page, site):
    loaded = list[int]()
    page.on("response", lambda answer: loaded.append(len(gzip.compress(answer.body()))))
    page.goto(site)
    page.wait_for_selector("inarow-board[data-ready]")
    assert 0 < sum(loaded) < FIRST_LOAD
