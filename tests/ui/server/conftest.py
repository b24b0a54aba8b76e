"""A server of its own on a free port, and a Chromium to look at it."""

import re
import shutil
import subprocess
import sys

import pytest

from inarow.engine.players import BoundPlayer
from inarow.engine.streams import make_stream
from inarow.game import EXAMPLES
from inarow.game import game as game_of
from inarow.lab.players.names import player
from inarow.lab.players.protocols import ask, bind_player
from inarow.lab.training.run import train
from inarow.lab.values.move_values import estimate, exact, hint
from inarow.ui.server.players import players_for

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE = 60_000  # milliseconds until a test gives up waiting for the page


# Players of whom each stands for a kind; they meet where the catalogue has an opening to try.
KINDS = ("perfect", "ntuple", "ntuple:4", "minimax:2@central", "mcts:1000", "benchmark")


def compile_players():
    """Lets every kind of player make a move and estimate all moves."""
    for example in EXAMPLES:
        if example.opening is not None:
            game = game_of(example.name)
            kinds = [name for name in players_for(game) if name in KINDS]
            meet(game, example.opening, [player(name) for name in kinds])
    learned = train("tictactoe", "td", against="attack-defense", games=1000).agent
    meet(learned.game, "", [learned])
    BoundPlayer(learned, learned.game, make_stream(0)).moves(learned.game.position(""))


def meet(game, moves, players):
    for some_player in players:
        position = game.position(moves)
        ask(bind_player(some_player, game, make_stream(0)), position)
        estimate(some_player, position)
    exact(game.position(moves))
    hint(game.position(moves))


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Where the server finds saved agents."""
    return tmp_path_factory.mktemp("agents")


@pytest.fixture(scope="session")
def server_process(tmp_path_factory):
    """Starts servers: the process of one, and its address. They end with the tests."""
    started = []
    compile_players()  # into the cache, so that no page has to wait for it

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
        process.wait(timeout=60)
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


@pytest.fixture
def new_visitor(browser, server):
    """Makes pages of visitors who have never been here; an error in the browser fails the test."""
    contexts, complaints = [], []

    def make(**options):
        context = browser.new_context(base_url=server, **options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def page(new_visitor):
    """The page of a visitor who has never been here."""
    return new_visitor()
