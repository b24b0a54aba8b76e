"""Many games side by side, a move in each of them with one call.

`step_games` moves for both sides in turn: all games at once where the stones of a side are one
word (`batch_words`), one after the other on larger boards (`batch_game`). `batch_against` answers
the moves of one side by a player.

A game that ends is paid out and begins anew within the same step.
"""

from __future__ import annotations

from typing import Any

from inarow.engine.batch_arrays import Batch, open_batch
from inarow.engine.batch_game import ONE, U64, ZERO, is_legal, restart_each, step_each
from inarow.engine.batch_words import restart_all, step_all
from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream, below
from inarow.engine.tables import Int64s


@jit
def step_games(block: Int64s, actions: Int64s) -> Any:
    """A move in each game: -1. Or the first game whose action is illegal: then none is moved."""
    batch = open_batch(block)
    illegal = first_illegal(batch, actions)
    if illegal >= 0:
        return illegal
    if batch.words == 1:
        step_all(batch, actions)
    else:
        step_each(batch, actions)
    return -1


@jit
def restart(block: Int64s) -> None:
    """All games from the empty board."""
    batch = open_batch(block)
    if batch.words == 1:
        restart_all(batch)
    else:
        restart_each(batch)


@jit
def draw_actions(block: Int64s, stream: Stream, actions: Int64s) -> None:
    """A legal move for each game, any of them equally likely."""
    batch = open_batch(block)
    for game in range(batch.n):
        start, free = game * batch.move_room, 0
        for move in range(batch.columns):
            free += batch.legal[start + move]
        left = below(stream, free)
        move = 0
        while left > 0 or batch.legal[start + move] == 0:
            left -= batch.legal[start + move]
            move += 1
        actions[game] = move


@inline
def first_illegal(batch: Batch, actions: Int64s) -> int:
    """The first game whose action is no legal move; -1 if there is none."""
    columns, top, own, other = U64(batch.columns), batch.top, batch.own, batch.other
    if batch.words == 1:
        bad = ZERO
        for number in range(batch.n):
            game = U64(number)
            action = U64(actions[game])
            inside = action if action < columns else ZERO
            bad |= U64(action >= columns) | ((own[game] | other[game]) >> (inside + top)) & ONE
        if bad == ZERO:
            return -1
    for number in range(batch.n):
        if not is_legal(batch, number, actions[number]):
            return number
    return -1
