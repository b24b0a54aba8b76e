"""The page's scripts without a page: in Node, as text, and their types where tsc is."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess

import pytest

from inarow.game.records import parse_records
from inarow.lab.values.move_values import from_score
from inarow.web.modules import STATIC
from inarow.web.opponents import name_of
from tests.web.node import HERE, needs_node, node, run_node, scripts

SCRIPTS = sorted(STATIC.glob("*.js"))
MOST_LINES = 290  # of a script: each is one subject


def scores():
    """Scores of a solver, with what the package makes of them."""
    found = list[tuple[int, int, bool, int, int | None]]()
    for left, misere in itertools.product((1, 2, 9, 20, 41), (False, True)):
        for score in range(-((left + 1) // 2), (left + 1) // 2 + 1):
            verdict = from_score(score, left, misere)
            found.append((score, left, misere, verdict.value, verdict.stones))
    return json.dumps(found)


def names():
    """Players, with what Python calls them."""
    players = [
        *("", "human", "random", "perfect", "best", "attack-defense", "greedy-lines", "itself"),
        *("strength:3", "level:10", "ntuple", "ntuple:4", "shipped:cube", "minimax:1", "minimax"),
        *("minimax:6@central", "minimax:3/0.5s", "mcts:1000", "mcts:2s", "mcts:0.5s", "mcts:1"),
        *("mine.safetensors", "mine.safetensors+mcts:100", "module:Class", "best-response:attack"),
    ]
    return json.dumps([(player, name_of(player)) for player in players])


@needs_node
@pytest.mark.parametrize("name", ["game.test.mjs", "pure.test.mjs"])
def test_scripts_without_a_page(tmp_path, name):
    environment = {
        **os.environ,
        "STATIC": str(scripts(tmp_path)),
        "SCORES": scores(),
        "NAMES": names(),
    }
    command = [str(node()), "--test", str(HERE / name)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@needs_node
def test_a_record_of_a_page_is_one_of_the_package(tmp_path):
    text = run_node(HERE / "record.mjs", [str(scripts(tmp_path) / "record.js")], None)
    (record,) = parse_records(text)
    assert (record.first, record.second, record.set_up) == ("strength:3", "human", 2)
    assert record.position.notation == "4453"


def test_scripts_load_nothing_from_elsewhere():
    for script in [*SCRIPTS, STATIC / "start.html", STATIC / "board.css", STATIC / "pages.css"]:
        text = script.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert re.findall(r"https?://", text) == [], script.name
        imported = re.findall(r'^import .*from "([^"]+)"', text, re.MULTILINE)
        assert all(name.startswith("./") for name in imported)


def test_the_worker_imports_nothing():
    assert "import " not in re.sub(
        r"^(//|/\*\*).*$", "", (STATIC / "worker.js").read_text(), flags=re.M
    )


def test_scripts_are_short():
    assert {
        path.name for path in SCRIPTS if len(path.read_text().splitlines()) > MOST_LINES
    } == set()


def test_types():
    compiler = shutil.which("tsc")
    if compiler is None:
        pytest.skip("tsc is not installed: the types of scripts are not checked")
    command = [compiler, "--checkJs", "--noEmit", "--allowJs", "--target", "es2023"]
    options = ["--module", "es2022", "--moduleResolution", "bundler", "--strict", "false"]
    done = subprocess.run(
        [*command, *options, *map(str, SCRIPTS)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
