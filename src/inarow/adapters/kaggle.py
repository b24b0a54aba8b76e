"""Kaggle's ConnectX: our players as agents there, and agents of one file that play without us.

    from kaggle_environments import make
    from inarow.adapters.kaggle import agent

    make("connectx").run([agent("minimax:4"), "negamax"])

`inarow export ntuple --to kaggle --out submission.py` writes a file to submit.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import numpy as np

from inarow.engine.players import is_unchanged
from inarow.engine.streams import FIRST, make_stream
from inarow.game import Game, InputError, Position
from inarow.game.files import write_whole
from inarow.game.setup import find_position
from inarow.lab.players.names import BoundPlayer, player
from inarow.lab.players.protocols import NamedPlayer, Player, ask, bind_player, name_of
from inarow.learn.ntuple.agent import NTupleAgent
from inarow.search.endgame import Endgame

MAX_BYTES = 100_000_000  # of a submission

# What Kaggle calls an agent with; its own objects are mappings, too.
Observation = Mapping[str, Sequence[int]]  # board: the cells row by row, the top row first
Configuration = Mapping[str, int]  # rows, columns, inarow


def game_of_configuration(configuration: Configuration) -> Game:
    """The game that Kaggle's configuration describes."""
    rows, columns, k = (configuration[name] for name in ("rows", "columns", "inarow"))
    return Game((rows, columns), k, gravity=True)


def position_of(observation: Observation, configuration: Configuration) -> Position:
    """The position on Kaggle's board, by moves that may have led to it.

    The board says what lies where and not in which order it came. All orders in which the
    two sides take turns lead to the same stones.
    """
    game = game_of_configuration(configuration)
    board = np.array(observation["board"]).reshape(game.shape)[::-1]
    return find_position(game, board.ravel().tolist())


def agent(some_player: NamedPlayer, seed: int = 0) -> Callable[[Observation, Configuration], int]:
    """One of our players as Kaggle calls it: with a board and its sizes, for a column."""
    found, bound_players = player(some_player), dict[Game, Player]()
    stream = make_stream(seed, FIRST)

    def act(observation: Observation, configuration: Configuration) -> int:
        position = position_of(observation, configuration)
        if position.game not in bound_players:
            bound_players[position.game] = bind_player(found, position.game, stream)
        bound = bound_players[position.game]
        if position.ply <= 1 and isinstance(bound, BoundPlayer):
            bound.begin()
        return ask(bound, position)

    return act


def export_agent(some_player: NamedPlayer, path: Path) -> int:
    """Writes an agent as one file for Kaggle; how many bytes it has.

    Of n-tuple networks that look one move ahead, alone or with exact play after them.
    """
    found = player(some_player)
    stones, network = None, found
    if is_unchanged(found, Endgame):
        stones, network = found.stones, found.player
    if not is_unchanged(network, NTupleAgent) or network.depth != 1:
        raise InputError(
            f"{name_of(found)} cannot be exported to Kaggle: n-tuple agents that look one move "
            "ahead can, as ntuple, FILE.safetensors or FILE.safetensors+endgame:STONES"
        )
    game = network.game
    if not game.gravity or len(game.shape) != 2 or game.scoring:
        raise InputError(f"{name_of(found)} plays {game.name}, and ConnectX is played in a plane")
    text = _fill_in(network, stones)
    if len(text) > MAX_BYTES:
        raise InputError(f"{name_of(found)} takes {len(text):,} bytes: Kaggle takes {MAX_BYTES:,}")
    write_whole(path, text)
    return len(text)


def _fill_in(network: NTupleAgent, stones: int | None) -> bytes:
    """The form of an agent with its data."""
    game, features = network.game, network.features
    arrays = {
        "start": features.start,
        "touched_start": features.touched_start,
        "touched": features.touched,
        "changes": features.changes,
        "weights": np.atleast_2d(network.weights),
    }
    head = {
        "rows": game.shape[0],
        "columns": game.shape[1],
        "k": game.k,
        "stones": stones,
        "filter": bool(network.shield),
        "arrays": [(name, a.dtype.str, a.shape) for name, a in arrays.items()],
    }
    content = json.dumps(head).encode() + b"\n"
    content += b"".join(np.ascontiguousarray(array).tobytes() for array in arrays.values())
    form = (files("inarow.adapters") / "kaggle_agent.py").read_text(encoding="utf-8")
    data = base64.b85encode(zlib.compress(content, 9)).decode()
    filled = form.replace('DATA = ""\n', f'DATA = "{data}"\n', 1)
    assert filled != form
    return filled.encode()
