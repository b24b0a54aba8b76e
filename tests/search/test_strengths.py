"""Opponents of eight strengths: each beats the one below, the best see what is at hand."""

import itertools
import json
import runpy

import numpy as np
import pytest

import inarow
from inarow.engine.board import OPEN, load, new_board, tables_of
from inarow.engine.jit import jit
from inarow.engine.players import value_cells
from inarow.game import InputError
from inarow.lab.players.names import player
from inarow.search.strengths import MOST, NUMBERS, STEP, STRENGTHS, farthest, strengths_for
from inarow.web.opponents import LEVELS
from tests.pages import DOCS


@pytest.mark.parametrize("name", ["tictactoe", "connect4:6x7", "cube", "qubic", "mnk:15x15x5"])
def test_the_settings_of_a_game_rise(name):
    tables = tables_of(inarow.game(name))
    for low, high in itertools.pairwise(strengths_for(tables).values()):
        assert low.depth <= high.depth
        assert low.sight <= high.sight
        assert (low.depth, -low.noise) < (high.depth, -high.noise)
    assert all(len(row) == len(NUMBERS) for row in STRENGTHS.values())
    assert farthest(tables) >= 2


def test_the_stronger_one_wins_more():
    for low, high in ((1, 3), (3, 5), (5, 8)):
        total = inarow.match("connect4:6x7", f"strength:{high}", f"strength:{low}", 100, 1).total
        assert total.score > 0.6
    assert inarow.match("connect4:6x7", "strength:1", "random", 100, 1).total.score > 0.6


def test_the_best_take_a_win_and_block():
    game = inarow.game("connect4:6x7")
    for number in (5, 8):
        assert player(f"strength:{number}").move(game.position("171717")) == 0
        assert player(f"strength:{number}").move(game.position("41413")) in (3, 4, 1)
        assert player(f"strength:{number}").move(game.position("17171")) == 0


def test_whoever_completes_a_line_loses_is_understood():
    position = inarow.game("tictactoe,misere").position("11 12 13 21 23")
    assert player("strength:8").move(position) in position.legal_moves
    total = inarow.match("tictactoe,misere", "strength:8", "random", 60, 1).total
    assert total.score > 0.6


def test_values_say_what_is_certain():
    game = inarow.game("connect4:6x7")
    tables = tables_of(game)
    arrays = player("strength:8").compiled(tables)

    @jit
    def ask(tables, board, stones, arrays, values):
        load(tables, board, stones)
        value_cells(tables, board, arrays, board.open_cells, board.counters[OPEN], values)
        return 0

    board, values = new_board(tables), np.zeros(game.cells)
    position = game.position("4455")  # 3 and 6 make three with both ends open
    ask(tables, board, np.array(position.stones, dtype=np.int8), arrays, values)
    found = {int(board.open_cells[i]) % 7: values[i] for i in range(board.counters[OPEN])}
    assert found[2] == found[5] == 1 - 3 * STEP
    assert all(abs(found[move]) <= MOST for move in (3, 4))
    assert found[0] < 0


def test_what_was_measured_is_what_is_played():
    measured = json.loads((DOCS / "results" / "strengths.json").read_text(encoding="utf-8"))
    for name, found in measured["games"].items():
        settings = strengths_for(tables_of(inarow.game(name))).values()
        assert found["settings"] == [list(vars(one).values()) for one in settings]
        assert all(row["elo"] > 50 for row in found["neighbours"])
    made = runpy.run_path(str(DOCS / "make_strengths.py"))
    page = (DOCS / "how-to" / "play.md").read_text(encoding="utf-8")
    assert made["table"]() in page
    assert made["offered"]() in page


def test_the_first_levels_that_are_offered_are_evenly_apart():
    measured = json.loads((DOCS / "results" / "strengths.json").read_text(encoding="utf-8"))
    assert list(LEVELS) == ["Easy", "Medium", "Hard", "Expert"]
    for name, found in measured["games"].items():
        elo = {row["strength"]: row["elo"] for row in found["neighbours"]}
        steps = [
            sum(elo[number] for number in range(low + 1, high + 1))
            for low, high in itertools.pairwise(LEVELS.values())
        ]
        assert max(steps[:2]) < 1.4 * min(steps[:2]), name


def test_what_does_not_work():
    for name in ("strength:0", "strength:9"):
        with pytest.raises(InputError, match="must be between 1 and 8"):
            player(name)
    with pytest.raises(InputError, match="unknown player"):
        player("strength:x")
    assert repr(player("strength:2")) == "<player strength:2>"
