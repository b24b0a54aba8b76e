"""Plays what exported files hold against native code: part of `make web-compare`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np

from inarow.engine.board import new_board, tables_of
from inarow.engine.players import Side
from inarow.engine.streams import make_stream
from inarow.game import game as game_of
from inarow.web.modules import KINDS
from inarow.web.package import pack
from inarow.web.page import About, page_of
from inarow.web.players import sample_player
from tests.web.node import HERE, node


def games_of_file(kind: str, number: int, folder: Path) -> list[list[int]]:
    """Games that the file of an agent of a kind plays in Node against random moves."""
    game = game_of(KINDS[kind].game)
    made = pack(game, sample_player(KINDS[kind].player, game), "sample", solver=True)
    path = folder / "page.html"
    path.write_text(page_of(made, About(kind, [], [])), encoding="utf-8")
    command = [str(node()), str(HERE / "files.mjs"), str(path), str(number)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3000)
    assert done.returncode == 0, done.stderr
    games: list[list[int]] = json.loads(done.stdout)
    return games


def differing(kind: str, games: list[list[int]]) -> int:
    """How many of the player's moves in such games native code would not have played."""
    game = game_of(KINDS[kind].game)
    tables = tables_of(game)
    player = sample_player(KINDS[kind].player, game).compiled(tables)
    side, differ = Side(tables, new_board(tables), player, make_stream(0)), 0
    for number, moves in enumerate(games):
        side.begin()
        position = game.position()
        for ply, move in enumerate(moves):
            if ply % 2 == number % 2:
                differ += side.choose_in(np.array(position.stones, dtype=np.int8)) != move
            position.push(move)
        assert position.outcome is not None
    return differ
