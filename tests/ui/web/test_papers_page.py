"""The page Papers in a real browser: every paper, its contents, its figures, its verdicts."""

import re

import pytest
from playwright.sync_api import expect

from inarow.ui.web.paper_pages import page_names, read_page

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def test_all_papers_with_their_verdicts(page):
    page.goto("/papers")
    for name in page_names():
        expect(page.get_by_test_id(f"paper-{name}")).to_have_text(read_page(name).title)
    hybrid = read_page("hybrid")
    card = page.locator(".q-card").filter(has=page.get_by_test_id("paper-hybrid"))
    for kind, counts in hybrid.verdicts.items():
        for verdict, number in counts.items():
            row = card.get_by_test_id("verdicts").locator(".q-row, .row").filter(has_text=kind)
            expect(row.first).to_contain_text(f"{number} {verdict}")
    page.get_by_test_id("paper-hybrid").click()
    expect(page.get_by_test_id("paper-title")).to_have_text(hybrid.title)
    marked = hybrid.html.count('class="verdict differs"')
    expect(page.locator("td .verdict.differs")).to_have_count(marked)


@pytest.mark.parametrize("name", page_names())
def test_every_figure_loads(page, name):
    page.goto(f"/papers?paper={name}")
    figures = page.locator(".paper img")
    expect(figures).to_have_count(read_page(name).html.count("<img "))
    for number in range(figures.count()):
        figures.nth(number).scroll_into_view_if_needed()
        page.wait_for_function(
            "number => document.querySelectorAll('.paper img')[number].naturalWidth > 0", arg=number
        )


def test_the_contents_lead_to_the_headings(page):
    page.goto("/papers?paper=hybrid")
    last = read_page("hybrid").contents[-1]
    page.locator(".wide nav").get_by_text(last.text).click()
    expect(page.locator(f'[id="{last.anchor}"]')).to_be_in_viewport()


def test_a_condition_of_a_study_is_trained(page):
    page.goto("/papers?paper=max-min")
    page.wait_for_function("window.did_handshake")
    page.get_by_test_id("train-this").get_by_text("Train a condition").click()
    page.get_by_test_id("condition").fill("TD(0.5), cut")
    page.get_by_role("option").filter(has_text="tictactoe, TD(0.5), cut").first.click()
    page.get_by_test_id("to-condition").click()
    expect(page.get_by_test_id("games")).to_have_value("200000")
    expect(page.get_by_test_id("learner")).to_have_value(re.compile("^td_lambda:"))
    page.get_by_test_id("options").get_by_text("Options of the learner").click()
    expect(page.get_by_test_id("option-trace_decay")).to_have_value("0.5")
    expect(page).to_have_url(
        re.compile("/train$")
    )  # a reload comes back to the form as it is by then


@pytest.mark.parametrize("name", page_names())
def test_on_a_phone(new_visitor, name):
    page = new_visitor(**PHONE)
    page.goto(f"/papers?paper={name}")
    expect(page.get_by_test_id("paper-title")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.locator(".wide nav")).to_be_hidden()
    page.get_by_test_id("contents").get_by_text("Contents").tap()
    last = read_page(name).contents[-1]
    page.locator(".narrow nav").get_by_text(last.text, exact=True).last.tap()
    expect(page.locator(f'[id="{last.anchor}"]')).to_be_in_viewport()


def test_a_paper_that_is_not_there(page):
    page.goto("/papers?paper=../README")
    expect(page.get_by_test_id("papers-message")).to_contain_text("there is no page of a paper")
    expect(page.get_by_test_id("paper-hybrid")).to_be_visible()
    assert page.request.get("/papers-figures/../../README.md").status == 404
