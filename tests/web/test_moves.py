"""Modules play the moves of the package: in Node, for every kind of compiled player.

What every kind plays natively is stored as digests (`compare`), since compiling them all takes
minutes; a few kinds are compared move by move with native code.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from inarow.engine.board import tables_of
from inarow.game import game as game_of
from inarow.lab.players.names import player
from inarow.search.solver import solver_for
from inarow.web.entries import arguments_for, values
from inarow.web.modules import KINDS
from inarow.web.package import pack, package
from inarow.web.players import sample_player
from tests.web.browsers import CHROMIUM, ENGINES, FIREFOX
from tests.web.compare import (
    COUNT,
    PLAYERS,
    STORED,
    answers,
    boards_of,
    compare,
    digest,
    native,
)
from tests.web.node import (
    ask_packages,
    every_position,
    native_moves,
    needs_node,
    random_games,
    random_positions,
)

pytestmark = needs_node


def test_every_kind_plays_the_stored_moves(tmp_path):
    stored = json.loads(STORED.read_text())
    played = answers(PLAYERS, COUNT, tmp_path)
    assert list(played) == [f"{k} {game.name}" for k in PLAYERS for game in boards_of(k)]
    assert {name: digest(moves) for name, moves in played.items()} == stored


@pytest.mark.parametrize("kind", ["rule", "table"])
def test_stored_moves_are_those_of_native_code(kind):
    stored = json.loads(STORED.read_text())
    for game in boards_of(kind)[:2]:
        assert digest(native(kind, game, COUNT)) == stored[f"{kind} {game.name}"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_hundredth_of_the_comparison(engine):
    """All of it: `make web-compare`."""
    pytest.importorskip("websockets")
    if {"chromium": CHROMIUM, "firefox": FIREFOX}.get(engine, "there") is None:
        pytest.skip(f"there is no {engine}")
    for part in ("agent", "scores", "learners", "table"):
        assert compare(part, 0.01, [engine]) == 0


def test_minimax_on_6x7(tmp_path):
    game = game_of("connect4:6x7")
    package(game, "minimax:6").write(tmp_path / "p")
    positions = random_positions(game, 200)
    (found,) = ask_packages(tmp_path, [{"folder": str(tmp_path / "p"), "positions": positions}])
    wanted = native_moves(game, player("minimax:6").compiled(tables_of(game)), positions)
    assert found["moves"] == wanted


def test_values_are_those_of_native_code(tmp_path):
    game = game_of("tictactoe")
    agent = sample_player(KINDS["mlp"].player, game)
    pack(game, agent).write(tmp_path / "p")
    positions = every_position(game)[::40]
    question = {"folder": str(tmp_path / "p"), "positions": positions, "wantsValues": True}
    (found,) = ask_packages(tmp_path, [question])
    known = arguments_for(game, agent.compiled(tables_of(game)))
    second, numbers = known["second"], known["numbers"]
    for stones, there in zip(positions, found["values"], strict=True):
        given = np.array(stones, dtype=np.int8)
        count = values(known["tables"], second, known["player"], given, numbers)
        here = zip(second.open_cells[:count].tolist(), numbers[:count].tolist(), strict=True)
        for (cell, value), (move, other) in zip(here, there, strict=True):
            assert cell == move
            assert abs(value - other) <= 1e-5  # sums in another order


SOLVED = {
    "tictactoe": 0,
    "tictactoe,misere": 0,
    "tictactoe,wrap": 0,
    "connect4:4x5": 4,
    "connect4:6x7": 26,
    "board:3x3x3,gravity": 12,
    "cube": 48,
}


def test_scores_are_those_of_the_solver(tmp_path):
    questions, wanted = list[dict[str, object]](), list[list[list[int]]]()
    for number, (name, least) in enumerate(SOLVED.items()):
        game = game_of(name)
        package(game, solver=True).write(tmp_path / str(number))
        played = random_games(game, 12, least)
        positions = [list(position.stones) for position in played]
        folder = str(tmp_path / str(number))
        questions.append({"folder": folder, "positions": positions, "wantsScores": True})
        solved = [solver_for(game).solve(position).moves for position in played]
        wanted.append([sorted(map(list, moves.items())) for moves in solved])
    found = ask_packages(tmp_path, questions)
    assert [[sorted(values) for values in answer["scores"]] for answer in found] == wanted


def test_a_game_without_a_solver_says_so(tmp_path):
    package("ntictactoe:3^3", solver=True).write(tmp_path / "p")
    question = {"folder": str(tmp_path / "p"), "positions": [[0] * 27], "wantsScores": True}
    assert ask_packages(tmp_path, [question]) == [{"error": "no solver comes with this game"}]
