"""A player in one file: one script of all modules, and pages that open without a server."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from inarow.agents.one_file import NOT_PROVED, export_page
from inarow.engine.streams import make_stream
from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.certificates.certify import certify
from inarow.lab.players.names import player
from inarow.lab.players.protocols import bind_player
from inarow.lab.training.run import train
from inarow.web.modules import STATIC
from inarow.web.page import names_of, one_script, scripts_in_order, shortened, worker_text
from tests.web.files import differing, games_of_file
from tests.web.node import needs_node, node
from tests.web.test_pages import PHONE, READY

SMALL = "shipped:connect4:6x7:small"
MOST_BYTES = 260_000  # of the small agent's file


def test_scripts_stand_after_what_they_import():
    order = scripts_in_order()
    assert order[-1] == "board.js"
    for number, name in enumerate(order):
        text = (STATIC / name).read_text("utf-8")
        imported = re.findall(r'^import .*from "\./([\w-]+\.js)"', text, re.MULTILINE)
        assert set(imported) <= set(order[:number]), name


def test_names_are_unique_and_imports_gone():
    script = one_script()
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    assert "import.meta" not in script
    names = names_of("const A = 1;\nexport class B {}\nasync function c() {}\nconst [d, e] = x;\n")
    assert names == ["A", "B", "c", "d", "e"]


def test_a_name_that_stands_twice_is_found(tmp_path):
    (tmp_path / "one.js").write_text("export const a = 1;\n")
    (tmp_path / "board.js").write_text('import { a } from "./one.js";\nconst b = a;\n')
    assert one_script(folder=tmp_path) == "(() => {\nconst a = 1;\nconst b = a;\n})();\n"
    (tmp_path / "board.js").write_text('import { a } from "./one.js";\nfunction a() {}\n')
    with pytest.raises(ValueError, match=r"a stands in one.js and in board.js"):
        one_script(folder=tmp_path)


def test_comments_go_and_code_stays():
    text = "/** A\n * b. */\nlet x = 1; // kept\n  // gone\n  /** @type {any} */ (f)();\n/* c */\n"
    assert shortened(text) == "let x = 1; // kept\n(f)();\n"


@needs_node
def test_the_scripts_can_be_read(tmp_path):
    for name, text in (("one.js", one_script()), ("worker.mjs", worker_text())):
        (tmp_path / name).write_text(text)
        command = [str(node()), "--check", str(tmp_path / name)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def open_file(context, path):
    """The page of a file, and what went wrong in it or was asked of elsewhere."""
    page, problems = context.new_page(), []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda asked: (
            asked.url.startswith(("file:", "data:", "blob:")) or problems.append(asked.url)
        ),
    )
    page.goto(path.as_uri())
    page.wait_for_selector(READY)
    return page, problems


def play(page, cell):
    """Plays a cell, and waits until it is the visitor's turn again."""
    page.evaluate("(cell) => document.querySelector('inarow-board').press(cell)", cell)
    page.wait_for_function(
        "(() => { const {game} = document.querySelector('inarow-board');"
        " return game.waits || game.end; })()"
    )


def moves_on(page):
    return page.evaluate("document.querySelector('inarow-board').game.moves")


def test_the_small_agent_opens_from_a_file_and_wins(browser, tmp_path):
    path = tmp_path / "small.html"
    size = export_page(SMALL, None, path, "second")
    assert size == path.stat().st_size <= MOST_BYTES
    text = path.read_text("utf-8")
    assert "Proved as first player: wins every game, against anyone (42,502,279 positions" in text
    path.write_text(text.replace("<inarow-board ", "<inarow-board fixed "))  # its chance, too
    for settings in ({}, PHONE):
        context = browser.new_context(**settings, reduced_motion="reduce")
        page, problems = open_file(context, path)
        page.wait_for_function("document.querySelector('inarow-board').game.waits")
        while not (state := page.evaluate("document.querySelector('inarow-board').game.state"))[
            "end"
        ]:
            play(page, state["open"][0])
        assert state["end"] == 1
        game = game_of("connect4:6x7")
        side = bind_player(player(SMALL), game, make_stream(0))
        position = game.position()
        for ply, move in enumerate(moves_on(page)):
            if ply % 2 == 0:
                assert int(side.move(position)) == move
            position.push(move)
        assert problems == []
        context.close()


def test_a_saved_agent_says_what_is_proved(browser, tmp_path):
    run = train("tictactoe", "td", against="attack-defense", games=3000, seed=4)
    saved = tmp_path / "agent.safetensors"
    run.save(saved)
    path = tmp_path / "agent.html"
    export_page(str(saved), None, path)
    context = browser.new_context()
    page, problems = open_file(context, path)
    found = certify(run.agent)
    listed = page.locator(".facts").inner_text()
    for side in ("first", "second"):
        assert found.side_text(side) in listed
    assert found.exploitability_text in listed
    text = path.read_text("utf-8")
    assert str(tmp_path) not in text  # where a file lies is nobody's business
    assert "inarow train tictactoe td --against attack-defense --games 3000 --seed 4" in text
    assert problems == []
    context.close()


def test_of_what_is_not_proved_nothing_is_said(tmp_path):
    path = tmp_path / "page.html"
    export_page("minimax:4", "connect4:6x7", path)
    assert NOT_PROVED in path.read_text("utf-8")


def test_a_package_within_a_page_is_that_of_a_folder(tmp_path):
    path = tmp_path / "page.html"
    export_page("random", "tictactoe", path)
    (text,) = re.findall(r'id="inarow-package">(.*?)</script>', path.read_text("utf-8"), re.DOTALL)
    found = json.loads(text)
    assert found["package"]["game"]["name"] == "tictactoe"
    assert set(found["modules"]) == set(found["package"]["engine"]["modules"])


def test_what_cannot_be_a_page_is_refused_in_a_line(tmp_path):
    for name, game, why in (
        ("minimax:4", None, "name one with --game"),
        ("minimax:4/1s", "tictactoe", "cannot play in a page"),
        ("perfect", "connect4:8x8", "cannot play in a page"),
        ("random", "ntictactoe:3^7", "too large for a page"),
        ("shipped:cube", "tictactoe", "plays cube"),
    ):
        with pytest.raises(InputError, match=why):
            export_page(name, game, tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


@needs_node
@pytest.mark.parametrize("kind", ["rule", "table"])
def test_a_file_plays_the_moves_of_the_package(kind, tmp_path):
    """All kinds, and 200 games of each: `make web-compare`."""
    assert differing(kind, games_of_file(kind, 5, tmp_path)) == 0
