"""A server of its own on a free port, and a Chromium to look at it."""

import re
import shutil
import subprocess
import sys

import pytest

from inarow.ui.web.warm_up import warm_up

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE = 20_000  # milliseconds until a test gives up waiting for the page


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Where the server finds saved agents."""
    return tmp_path_factory.mktemp("agents")


@pytest.fixture(scope="session")
def server_process(tmp_path_factory):
    """Starts servers: the process of one, and its address. They end with the tests."""
    started = []
    warm_up()  # compiles into the cache, so that no page has to wait for it

    def start(folder=None, options=()):
        folder = folder or tmp_path_factory.mktemp("agents")
        command = [sys.executable, "-m", "inarow.ui.main", "serve", "--port", "0"]
        process = subprocess.Popen(
            [*command, "--folder", str(folder), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if options else None,
            text=True,
        )
        started.append(process)
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None, "the server did not start"
        return process, found[0]

    yield start
    for process in started:
        process.terminate()
    for process in started:
        process.wait(timeout=20)
        process.stdout.close()
        if process.stderr is not None:
            process.stderr.close()


@pytest.fixture(scope="session")
def server(server_process, folder):
    """The address of a server that looks for agents in `folder`."""
    return server_process(folder)[1]


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, without a screen. It ends with the file, and its event loop with it."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: the pages are not tested")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--enable-unsafe-swiftshader"]
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def contexts(browser, server):
    """Browser contexts that are free, by their options: a used one has scripts and fonts cached."""
    free = {}
    yield free, lambda options: browser.new_context(base_url=server, **options)
    for unused in free.values():
        for context in unused:
            context.close()


@pytest.fixture
def new_visitor(contexts):
    """Makes pages of visitors who have never been here; an error in the browser fails the test."""
    free, make_context = contexts
    taken, complaints = [], []

    def make(**options):
        key = repr(options)
        context = free[key].pop() if free.get(key) else make_context(options)
        taken.append((key, context))
        context.clear_cookies()
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield make
    for key, context in taken:
        for page in context.pages:
            page.close()
        free.setdefault(key, []).append(context)
    assert complaints == []


@pytest.fixture
def page(new_visitor):
    """The page of a visitor who has never been here."""
    return new_visitor()
