"""Node, from the system or from Playwright's wheel, and the scripts of the package in it."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inarow.engine.board import new_board, tables_of
from inarow.engine.players import PlayerArrays, Side
from inarow.engine.streams import make_stream
from inarow.game import Game, Position
from inarow.graph.graph import graph_of
from inarow.web.modules import STATIC

HERE = Path(__file__).parent


@lru_cache(maxsize=1)
def node() -> str | None:
    """A Node, wherever there is one."""
    if found := shutil.which("node"):
        return found
    spec = find_spec("playwright")
    found_here = Path(str(spec.origin)).parent / "driver" / "node" if spec else None
    return str(found_here) if found_here and found_here.is_file() else None


needs_node = pytest.mark.skipif(
    node() is None, reason="there is no Node, on its own or Playwright's"
)


def scripts(folder: Path) -> Path:
    """A copy of the page's scripts that Node takes for modules."""
    target = folder / "static"
    if not target.exists():
        shutil.copytree(STATIC, target, ignore=shutil.ignore_patterns("*.wasm"))
        shutil.copy(HERE / "asked.js", target)
        (target / "package.json").write_text('{"type": "module"}')
    return target


def run_node(script: Path, arguments: list[str], given: object, seconds: float = 500) -> Any:
    """What a script writes as JSON."""
    done = subprocess.run(
        [str(node()), str(script), *arguments],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ask_packages(
    folder: Path, questions: list[dict[str, object]], seconds: float = 500
) -> list[dict[str, Any]]:
    """What packages answer in Node."""
    arguments = [str(scripts(folder))]
    answers: list[dict[str, Any]] = run_node(HERE / "answers.mjs", arguments, questions, seconds)
    return answers


def every_position(game: Game) -> list[list[int]]:
    """The stones of all positions of a small game that go on, in the order of its graph."""
    graph = graph_of(game)
    found = list[list[int]]()
    for number in range(graph.positions):
        if graph.edge_start[number] < graph.edge_start[number + 1]:
            first, second = int(graph.first[number]), int(graph.second[number])
            found.append([first >> c & 1 | (second >> c & 1) << 1 for c in range(game.cells)])
    return found


def random_positions(game: Game, count: int, least: int = 0, seed: int = 7) -> list[list[int]]:
    """The stones of so many random positions that go on."""
    return [list(position.stones) for position in random_games(game, count, least, seed)]


def random_games(game: Game, count: int, least: int = 0, seed: int = 7) -> list[Position]:
    """So many random positions that go on, with at least so many stones."""
    draw, found = random.Random(seed), list[Position]()
    while len(found) < count:
        position, plies = game.position(), draw.randrange(least, game.cells)
        while position.outcome is None and position.ply < plies:
            position.push(draw.choice(list(position.legal_moves)))
        if position.outcome is None and position.ply >= least:
            found.append(position)
    return found


def native_moves(game: Game, player: PlayerArrays, positions: list[list[int]]) -> list[int]:
    """What a compiled player chooses on this machine, with the stream of a package."""
    tables = tables_of(game)
    side = Side(tables, new_board(tables), player, make_stream(0))
    side.begin()
    return [side.choose_in(np.array(stones, dtype=np.int8)) for stones in positions]
