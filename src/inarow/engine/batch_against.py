"""Games side by side against one player, whose replies are part of the step.

A step has five parts, in compiled code for compiled players, and with the second and the fourth
in Python for others: the caller's moves, the replies, new games where one ended, the opponent's
opening moves in them, observations.

The player stands for all games. What it chooses may hang on what it drew before the game (a list
of rules, say), so its `begin` is called before every move with the same random numbers: the
stream of the game as it was before the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from inarow.engine.batch import first_illegal
from inarow.engine.batch_arrays import Batch, open_batch
from inarow.engine.batch_game import (
    GOES_ON,
    ONE,
    U64,
    clear,
    is_legal,
    play,
    save_stones,
    settle,
    write_view,
)
from inarow.engine.board import Board, load
from inarow.engine.contest import begin, choose
from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, Tables

Stones = npt.NDArray[np.int8]


@jit
def step_against(
    block: Int64s,
    actions: Int64s,
    losing: bool,
    tables: Tables,
    board: Board,
    stones: Stones,
    player: Any,
    scratch: Stream,
) -> Any:
    """A move in each game and the reply to it: -1.

    An illegal action loses its game if `losing`; else nothing is done, and the first game that
    has one is returned.
    """
    batch = open_batch(block)
    illegal = -1 if losing else first_illegal(batch, actions)
    if illegal >= 0:
        return illegal
    _play_own(batch, actions)
    _reply(batch, tables, board, stones, player, scratch)
    _begin_anew(batch)
    _reply(batch, tables, board, stones, player, scratch)
    _finish(batch)
    return -1


@jit
def restart_against(
    block: Int64s, tables: Tables, board: Board, stones: Stones, player: Any, scratch: Stream
) -> None:
    """All games from the empty board, or from the opponent's opening move."""
    batch = open_batch(block)
    _begin_all(batch)
    _reply(batch, tables, board, stones, player, scratch)
    _finish(batch)


# The same parts for an opponent that is asked in Python.


@jit
def play_own(block: Int64s, actions: Int64s, losing: bool) -> Any:
    """The caller's moves, as in `step_against`."""
    batch = open_batch(block)
    illegal = -1 if losing else first_illegal(batch, actions)
    if illegal < 0:
        _play_own(batch, actions)
    return illegal


@jit
def play_reply(block: Int64s, game: int, move: int) -> None:
    """The opponent's move in a game that waits for it."""
    _play_reply(open_batch(block), game, move)


@jit
def begin_anew(block: Int64s) -> None:
    """New games where one ended."""
    _begin_anew(open_batch(block))


@jit
def begin_all(block: Int64s) -> None:
    """All games from the empty board."""
    _begin_all(open_batch(block))


@jit
def finish(block: Int64s) -> None:
    """Observations."""
    _finish(open_batch(block))


@inline
def _play_own(batch: Batch, actions: Int64s) -> None:
    for game in range(batch.n):
        legal = is_legal(batch, game, actions[game])
        reward = play(batch, game, actions[game]) if legal else np.float32(-1)
        save_stones(batch, game, legal)  # after a move the caller's are those of the other side
        batch.done[game] = reward != GOES_ON
        batch.rewards[game] = 0 if reward == GOES_ON else reward
        batch.waiting[game] = reward == GOES_ON


@inline
def _reply(
    batch: Batch, tables: Tables, board: Board, stones: Stones, player: Any, scratch: Stream
) -> None:
    """The moves of a compiled player in the games that wait for one."""
    for game in range(batch.n):
        if batch.waiting[game] == 0:
            continue
        stream = batch.streams[game]
        if batch.ply[game] <= 1:  # its first move in this game
            for word in range(4):
                batch.openings[game, word] = stream[word]
            begin(player, stream)
        else:
            for word in range(4):
                scratch[word] = batch.openings[game, word]
            begin(player, scratch)
        _write_stones(batch, game, stones)
        load(tables, board, stones)
        _play_reply(batch, game, choose(tables, board, player, stream) % batch.columns)


@inline
def _play_reply(batch: Batch, game: int, move: int) -> None:
    reward = play(batch, game, move)
    if batch.ply[game] > 1:  # else what is kept is the game before
        save_stones(batch, game, False)
    batch.waiting[game] = 0
    if reward != GOES_ON:
        batch.done[game] = 1
        batch.rewards[game] = -reward


@inline
def _write_stones(batch: Batch, game: int, stones: Stones) -> None:
    """What lies on each cell, 1 of the first player and 2 of the second, as `load` reads it."""
    own, other = 1 + (batch.ply[game] & 1), 2 - (batch.ply[game] & 1)
    for cell in range(batch.cells):
        word, bit = game * batch.words + (cell >> 6), U64(cell & 63)
        stones[cell] = own * int((batch.own[word] >> bit) & ONE) + other * int(
            (batch.other[word] >> bit) & ONE
        )


@inline
def _begin_anew(batch: Batch) -> None:
    for game in range(batch.n):
        if batch.done[game] != 0:
            settle(batch, game, batch.rewards[game])
            if batch.alternating:
                batch.side[game] ^= 1
            batch.waiting[game] = batch.side[game]


@inline
def _begin_all(batch: Batch) -> None:
    for game in range(batch.n):
        clear(batch, game)
        batch.done[game], batch.rewards[game], batch.last_ply[game] = 0, 0, 0
        batch.waiting[game] = batch.side[game]


@inline
def _finish(batch: Batch) -> None:
    for game in range(batch.n):
        batch.to_move[game] = batch.ply[game] & 1
        write_view(batch, game)
