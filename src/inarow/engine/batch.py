"""Many games side by side, a move in each of them with one call.

`step_games` moves for both sides in turn. Where the stones of a side are one word (`words` is 1)
it goes over all games in a few short loops, most of which the compiler turns into vector
instructions; larger boards are moved one by one. `engine.batch_against` answers the moves of one
side by a player.

A game that ends is paid out and begins anew within the same step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inarow.engine.batch_arrays import Batch, open_batch
from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream, below
from inarow.engine.tables import Int64s, Words
from inarow.engine.vectors import count_subsets, spread_bits

U64 = np.uint64
ZERO, ONE = U64(0), U64(1)


@jit
def step_games(block: Int64s, actions: Int64s) -> Any:
    """A move in each game: -1. Or the first game whose action is illegal: then none is moved."""
    batch = open_batch(block)
    illegal = first_illegal(batch, actions)
    if illegal >= 0:
        return illegal
    if batch.words > 1:
        for game in range(batch.n):
            worth = play(batch, game, actions[game])
            save_stones(batch, game, False)
            settle(batch, game, worth)
            write_view(batch, game)
        return -1
    if batch.recording:
        _record(batch, actions)
    _move_all(batch, actions)
    if batch.scoring:
        _settle_scores(batch)
    else:
        _settle_all(batch)
    _write_views(batch)
    _write_legal(batch)
    return -1


@jit
def restart(block: Int64s) -> None:
    """All games from the empty board."""
    batch = open_batch(block)
    for game in range(batch.n):
        clear(batch, game)
        batch.done[game], batch.rewards[game], batch.last_ply[game] = 0, 0, 0
        write_view(batch, game)


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


@inline
def is_legal(batch: Batch, game: int, action: int) -> bool:
    """Whether an action is a legal move of a game."""
    return (
        action >= 0 and action < batch.columns and batch.legal[game * batch.move_room + action] != 0
    )


# All games at once, boards of up to 64 cells.


@inline
def _record(batch: Batch, actions: Int64s) -> None:
    """Writes the actions down."""
    for game in range(batch.n):
        batch.history[game * batch.cells + batch.ply[game]] = actions[game]


@inline
def _move_all(batch: Batch, actions: Int64s) -> None:
    """The stones after the moves into `last_own` and `last_other`, the lines made into `found`."""
    own, other, last_own, last_other = batch.own, batch.other, batch.last_own, batch.last_other
    masks, width, found, columns = batch.masks, U64(batch.width), batch.found, U64(batch.columns)
    if batch.gravity:
        for number in range(batch.n):
            game = U64(number)
            move = U64(actions[game])
            height = _count_bits((own[game] | other[game]) & (batch.column << move))
            last_other[game] = ONE << (move + height * columns)
    else:
        for number in range(batch.n):
            game = U64(number)
            last_other[game] = ONE << U64(actions[game])
    for number in range(batch.n):
        game = U64(number)
        stone = last_other[game]
        found[game] = _completed(masks, width, _count_bits(stone - ONE), own[game] | stone)
    for number in range(batch.n):
        game = U64(number)
        last_other[game] |= own[game]
        last_own[game] = other[game]


@inline
def _settle_all(batch: Batch) -> None:
    """Pays out the games that ended, and clears them."""
    own, other, last_own, last_other = batch.own, batch.other, batch.last_own, batch.last_other
    found, full = batch.found, batch.full
    rewards, done, to_move, recording = batch.rewards, batch.done, batch.to_move, batch.recording
    for number in range(batch.n):
        game = U64(number)
        won = U64(found[game] > ZERO)
        over = won | U64((last_own[game] | last_other[game]) == full)
        own[game] = last_own[game] & (over - ONE)
        other[game] = last_other[game] & (over - ONE)
        found[game] = over + won
    for number in range(batch.n):
        game = U64(number)
        done[game] = found[game] != ZERO
        rewards[game] = np.float32(found[game] >> ONE)
    if recording:
        _keep_finished(batch)
    for number in range(batch.n):
        game = U64(number)
        to_move[game] = (to_move[game] ^ 1) & (done[game] ^ 1)


@inline
def _settle_scores(batch: Batch) -> None:
    """The same where lines are counted until the board is full."""
    for game in range(batch.n):
        lead = batch.lead[game] + np.int64(batch.found[game])
        full = (batch.last_own[game] | batch.last_other[game]) == batch.full
        batch.done[game] = full
        batch.rewards[game] = np.sign(lead) if full else 0
        batch.own[game] = ZERO if full else batch.last_own[game]
        batch.other[game] = ZERO if full else batch.last_other[game]
        batch.lead[game] = 0 if full else -lead
    if batch.recording:
        _keep_finished(batch)
    for game in range(batch.n):
        batch.to_move[game] = (batch.to_move[game] ^ 1) & (batch.done[game] ^ 1)


@inline
def _keep_finished(batch: Batch) -> None:
    """Counts the moves, and keeps those of games that ended."""
    for game in range(batch.n):
        batch.ply[game] += 1
        if batch.done[game]:
            _keep_moves(batch, game, batch.ply[game])
            batch.ply[game] = 0


@inline
def _keep_moves(batch: Batch, game: int, moves: int) -> None:
    """Keeps the moves of a game that ended."""
    start = game * batch.cells
    batch.last_ply[game] = moves
    for ply in range(start, start + moves):
        batch.last_history[ply] = batch.history[ply]


@inline
def _write_views(batch: Batch) -> None:
    """The observations, each in one piece: a loop for each size."""
    views, own, other, room = batch.views, batch.own, batch.other, batch.room
    if room == 8:
        for number in range(batch.n):
            game = U64(number)
            spread_bits(views, game * U64(16), own[game] | (other[game] << U64(8)), 16)
    elif room == 16:
        for number in range(batch.n):
            game = U64(number)
            spread_bits(views, game * U64(32), own[game] | (other[game] << U64(16)), 32)
    elif room == 32:
        for number in range(batch.n):
            game = U64(number)
            spread_bits(views, game * U64(64), own[game] | (other[game] << U64(32)), 64)
    else:
        for number in range(batch.n):
            game = U64(number)
            spread_bits(views, game * U64(128), own[game], 64)
            spread_bits(views, game * U64(128) + U64(64), other[game], 64)


@inline
def _write_legal(batch: Batch) -> None:
    """The masks of legal moves: cells that are free, or columns whose highest cell is."""
    legal, own, other, room = batch.legal, batch.own, batch.other, batch.move_room
    top, full = batch.top, batch.full
    if room == 8:
        for number in range(batch.n):
            game = U64(number)
            spread_bits(legal, game * U64(8), (~(own[game] | other[game]) & full) >> top, 8)
    elif room == 16:
        for number in range(batch.n):
            game = U64(number)
            spread_bits(legal, game * U64(16), (~(own[game] | other[game]) & full) >> top, 16)
    elif room == 32:
        for number in range(batch.n):
            game = U64(number)
            spread_bits(legal, game * U64(32), (~(own[game] | other[game]) & full) >> top, 32)
    else:
        for number in range(batch.n):
            game = U64(number)
            spread_bits(legal, game * U64(64), (~(own[game] | other[game]) & full) >> top, 64)


@inline
def _completed(masks: Words, width: np.uint64, cell: np.uint64, stones: np.uint64) -> np.uint64:
    """How many lines through a cell are full of these stones."""
    if width == U64(4):
        return count_subsets(masks, cell * U64(4), stones, 4)
    found, place = ZERO, cell * width
    while place < (cell + ONE) * width:
        found += count_subsets(masks, place, stones, 8)
        place += U64(8)
    return found


@inline
def _count_bits(word: np.uint64) -> np.uint64:
    """How many bits are set: the compiler knows this pattern, and has an instruction for it."""
    word = word - ((word >> ONE) & U64(0x5555555555555555))
    word = (word & U64(0x3333333333333333)) + ((word >> U64(2)) & U64(0x3333333333333333))
    word = (word + (word >> U64(4))) & U64(0x0F0F0F0F0F0F0F0F)
    return (word * U64(0x0101010101010101)) >> U64(56)


# One game at a time, any board.

GOES_ON = np.float32(2)  # what `play` returns of a game that is not over


@inline
def play(batch: Batch, game: int, move: int) -> np.float32:
    """Plays a legal move: what it is worth to its player if it ends the game, else GOES_ON."""
    at, cell = game * batch.words, move
    while batch.gravity and is_taken(batch, at, cell):
        cell += batch.columns
    batch.own[at + (cell >> 6)] |= ONE << U64(cell & 63)
    if batch.recording:
        batch.history[game * batch.cells + batch.ply[game]] = move
    lead = batch.lead[game] + _lines_through(batch, at, cell)
    for word in range(at, at + batch.words):
        batch.own[word], batch.other[word] = batch.other[word], batch.own[word]
    batch.lead[game] = -lead
    batch.ply[game] += 1
    if not batch.gravity or cell + batch.columns >= batch.cells:
        batch.legal[game * batch.move_room + move] = 0
    if batch.ply[game] == batch.cells or (lead > 0 and not batch.scoring):
        return np.float32(np.sign(lead))
    return GOES_ON


@inline
def is_taken(batch: Batch, at: int, cell: int) -> bool:
    """Whether a stone of either side lies on a cell of the game whose words begin there."""
    word = at + (cell >> 6)
    return ((batch.own[word] | batch.other[word]) >> U64(cell & 63)) & ONE != ZERO


@inline
def _lines_through(batch: Batch, at: int, cell: int) -> int:
    """How many lines through a cell are full of stones of the side to move."""
    if batch.words == 1:
        return int(_completed(batch.masks, U64(batch.width), U64(cell), batch.own[at]))
    completed, k = 0, batch.line_cells.shape[1]
    for place in range(batch.line_start[cell], batch.line_start[cell + 1]):
        line, full = batch.line_at[place], 0
        while full < k and _is_own(batch, at, batch.line_cells[line, full]):
            full += 1
        completed += full == k
    return completed


@inline
def _is_own(batch: Batch, at: int, cell: int) -> bool:
    return (batch.own[at + (cell >> 6)] >> U64(cell & 63)) & ONE != ZERO


@inline
def settle(batch: Batch, game: int, worth: np.float32) -> None:
    """Pays out a game that ended, keeps its moves and clears it; else nothing is paid."""
    over = worth != GOES_ON
    batch.done[game], batch.rewards[game] = over, worth if over else 0
    if over:
        if batch.recording:
            _keep_moves(batch, game, batch.ply[game])
        clear(batch, game)
    batch.to_move[game] = batch.ply[game] & 1


@inline
def save_stones(batch: Batch, game: int, swapped: bool) -> None:
    """Keeps the stones for a last observation, those of the other side first if swapped."""
    for word in range(game * batch.words, (game + 1) * batch.words):
        own, other = batch.own[word], batch.other[word]
        batch.last_own[word] = other if swapped else own
        batch.last_other[word] = own if swapped else other


@inline
def clear(batch: Batch, game: int) -> None:
    """Takes all stones off."""
    for word in range(game * batch.words, (game + 1) * batch.words):
        batch.own[word], batch.other[word] = ZERO, ZERO
    for move in range(batch.columns):
        batch.legal[game * batch.move_room + move] = 1
    batch.ply[game], batch.lead[game], batch.to_move[game] = 0, 0, 0


@inline
def write_view(batch: Batch, game: int) -> None:
    """The observation of one game: own stones, other stones."""
    for word in range(batch.words):
        own, other = batch.own[game * batch.words + word], batch.other[game * batch.words + word]
        start = game * 2 * batch.room + 64 * word
        if batch.room >= 64:
            spread_bits(batch.views, U64(start), own, 64)
            spread_bits(batch.views, U64(start + batch.room), other, 64)
            continue
        for bit in range(batch.room):
            batch.views[start + bit] = (own >> U64(bit)) & ONE
            batch.views[start + batch.room + bit] = (other >> U64(bit)) & ONE
