"""What a first visit costs: bytes of every page, and what is painted before the scripts arrive.

`benchmarks/serve.py` measures the seconds, at 200 kB a second.
"""

import pytest
from playwright.sync_api import expect

from inarow.ui.web.theme import PAGES

MOST = 700_000  # bytes of a page with all that it loads, packed
MOST_BEFORE = 100_000  # the same before something is painted: half a second at 200 kB a second
SENT = (
    "['navigation', 'resource'].flatMap(kind => performance.getEntriesByType(kind))"
    ".reduce((sum, entry) => sum + entry.encodedBodySize, 0)"
)


@pytest.mark.parametrize("name", [name for name in PAGES if name != "API"])
def test_a_first_visit_is_small_and_painted_before_the_scripts(new_visitor, name):
    page = new_visitor(service_workers="block")
    session = page.context.new_cdp_session(page)
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    held, let_go = [], []
    page.route("**/*.js", lambda route: route.continue_() if let_go else held.append(route))
    page.goto(PAGES[name], wait_until="commit")
    page.wait_for_function(
        "performance.getEntriesByName('first-contentful-paint').length", polling=50
    )
    assert page.evaluate(SENT) < MOST_BEFORE
    shell = page.locator("#shell")
    expect(shell.get_by_role("link")).to_have_count(len(PAGES))  # and they work
    let_go.append(True)
    for route in held:
        route.continue_()
    page.wait_for_function("window.did_handshake")
    expect(shell).to_be_hidden()
    assert 200_000 < page.evaluate(SENT) < MOST
