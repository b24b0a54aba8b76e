"""All games of a batch at once, on boards of up to 64 cells: the stones of a side are one word.

They go through a few short loops, most of which the compiler turns into vector instructions;
`AT_ONCE` games through all of them, and then the next, so that what one loop writes is still near
the processor when the next one reads it.
"""

from __future__ import annotations

import numpy as np

from inarow.engine.batch_arrays import AT_ONCE, Batch, Bytes
from inarow.engine.batch_game import ONE, U64, ZERO, completed_lines, keep_moves
from inarow.engine.jit import inline, inline_disjoint
from inarow.engine.tables import Int64s, Words
from inarow.engine.vectors import spread_bits


@inline
def step_all(batch: Batch, actions: Int64s) -> None:
    """A legal move in each game."""
    if batch.recording:
        _record(batch, actions)
    for start in range(0, batch.n, AT_ONCE):
        stop = min(start + AT_ONCE, batch.n)
        _drop_stones(batch, actions, start, stop)
        if len(batch.few_lines) == 0:
            _count_lines(batch, start, stop)
        else:
            _find_lines(batch, start, stop)
        if batch.scoring:
            _settle_scores(batch, start, stop)
        else:
            _settle_lines(batch, start, stop)
            _pay_lines(batch, start, stop)
        _pass_turns(batch, start, stop)
        _write(batch, start, stop)
    if batch.recording:
        _keep_finished(batch)


@inline
def restart_all(batch: Batch) -> None:
    """All games from the empty board."""
    for words in (batch.own, batch.other):
        words[:] = ZERO
    for numbers in (batch.ply, batch.lead, batch.last_ply):
        numbers[:] = 0
    for flags in (batch.done, batch.to_move):
        flags[:] = 0
    batch.rewards[:] = 0
    for start in range(0, batch.n, AT_ONCE):
        _write(batch, start, min(start + AT_ONCE, batch.n))


@inline
def _record(batch: Batch, actions: Int64s) -> None:
    """Writes the actions down."""
    for game in range(batch.n):
        batch.history[game * batch.cells + batch.ply[game]] = actions[game]


@inline
def _keep_finished(batch: Batch) -> None:
    """Counts the moves, and keeps those of games that ended."""
    for game in range(batch.n):
        batch.ply[game] += 1
        if batch.done[game]:
            keep_moves(batch, game, batch.ply[game])
            batch.ply[game] = 0


@inline_disjoint
def _drop_stones(batch: Batch, actions: Int64s, start: int, stop: int) -> None:
    """The cells of the moves, as bits."""
    own, other, stone, columns = batch.own, batch.other, batch.stone, U64(batch.columns)
    if batch.gravity:
        for number in range(start, stop):
            game, move = U64(number), U64(actions[U64(number)])
            height = _count_bits((own[game] | other[game]) & (batch.column << move))
            stone[U64(number - start)] = ONE << (move + height * columns)
    else:
        for number in range(start, stop):
            stone[U64(number - start)] = ONE << U64(actions[U64(number)])


@inline_disjoint
def _count_lines(batch: Batch, start: int, stop: int) -> None:
    """How many lines each move completes."""
    own, masks, width = batch.own, batch.masks, U64(batch.width)
    for number in range(start, stop):
        place = U64(number - start)
        stone = batch.stone[place]
        cell = _count_bits(stone - ONE)
        batch.found[place] = completed_lines(masks, width, cell, own[U64(number)] | stone)


@inline_disjoint
def _find_lines(batch: Batch, start: int, stop: int) -> None:
    """Whether each move completes a line, where there are so few that all are looked at."""
    own, stone, found, lines = batch.own, batch.stone, batch.found, batch.few_lines
    a, b, c, d = lines[0], lines[1], lines[2], lines[3]
    e, f, g, h = lines[4], lines[5], lines[6], lines[7]
    for number in range(start, stop):
        place = U64(number - start)
        missing = ~(own[U64(number)] | stone[place])
        one = _is_zero(missing & a) | _is_zero(missing & b) | _is_zero(missing & c)
        one |= _is_zero(missing & d) | _is_zero(missing & e) | _is_zero(missing & f)
        found[place] = one | _is_zero(missing & g) | _is_zero(missing & h)


@inline
def _is_zero(word: np.uint64) -> np.uint64:
    return U64(word == ZERO)


@inline_disjoint
def _settle_lines(batch: Batch, start: int, stop: int) -> None:
    """The stones after the moves, none where a game ended; `found` is 1 there, 2 if by a line."""
    own, other, last_own, last_other = batch.own, batch.other, batch.last_own, batch.last_other
    stone, found, full = batch.stone, batch.found, batch.full
    for number in range(start, stop):
        game, place = U64(number), U64(number - start)
        mover, waiter = own[game] | stone[place], other[game]
        line = U64(found[place] > ZERO)
        over = line | U64((mover | waiter) == full)
        last_own[game], last_other[game] = waiter, mover
        own[game], other[game] = waiter & (over - ONE), mover & (over - ONE)
        found[place] = over + line


@inline_disjoint
def _pay_lines(batch: Batch, start: int, stop: int) -> None:
    """What `found` says of the games, to their players."""
    found, done, rewards = batch.found, batch.done, batch.rewards
    reward = np.float32(-1 if batch.misere else 1)
    for number in range(start, stop):
        game, place = U64(number), U64(number - start)
        done[game] = found[place] != ZERO
        rewards[game] = np.float32(found[place] >> ONE) * reward


@inline
def _settle_scores(batch: Batch, start: int, stop: int) -> None:
    """The same where lines are counted until the board is full."""
    for game in range(start, stop):
        mover, waiter = batch.own[game] | batch.stone[game - start], batch.other[game]
        lead = batch.lead[game] + np.int64(batch.found[game - start])
        over = (mover | waiter) == batch.full
        batch.last_own[game], batch.last_other[game] = waiter, mover
        batch.own[game], batch.other[game] = ZERO if over else waiter, ZERO if over else mover
        batch.lead[game] = 0 if over else -lead
        batch.done[game], batch.rewards[game] = over, np.sign(lead) if over else 0


@inline_disjoint
def _pass_turns(batch: Batch, start: int, stop: int) -> None:
    """The other side is to move, the first player where a game ended."""
    to_move, done = batch.to_move, batch.done
    for number in range(start, stop):
        game = U64(number)
        to_move[game] = (to_move[game] ^ 1) & (done[game] ^ 1)


@inline
def _write(batch: Batch, start: int, stop: int) -> None:
    """What a caller sees of the games: observations, and masks of legal moves."""
    _gather_bits(batch, start, stop)
    if batch.room < 64:
        _spread(batch.views, batch.stone, 2 * batch.room, start, stop)
    else:
        views, own, other = batch.views, batch.own, batch.other
        for number in range(start, stop):
            game = U64(number)
            spread_bits(views, game * U64(128), own[game], 64)
            spread_bits(views, game * U64(128) + U64(64), other[game], 64)
    _spread(batch.legal, batch.free, batch.move_room, start, stop)


@inline_disjoint
def _gather_bits(batch: Batch, start: int, stop: int) -> None:
    """Stones of both sides in a word, if they fit, and free cells (or columns) in another."""
    own, other, stone, free = batch.own, batch.other, batch.stone, batch.free
    room, full, top = U64(batch.room), batch.full, batch.top
    for number in range(start, stop):
        game, place = U64(number), U64(number - start)
        stone[place] = own[game] | (other[game] << room)
        free[place] = ((own[game] | other[game]) ^ full) >> top


@inline
def _spread(target: Bytes, words: Words, size: int, start: int, stop: int) -> None:
    """So many bits of each word as bytes, in one piece: a loop for each size."""
    if size == 8:
        for number in range(start, stop):
            spread_bits(target, U64(number) * U64(8), words[U64(number - start)], 8)
    elif size == 16:
        for number in range(start, stop):
            spread_bits(target, U64(number) * U64(16), words[U64(number - start)], 16)
    elif size == 32:
        for number in range(start, stop):
            spread_bits(target, U64(number) * U64(32), words[U64(number - start)], 32)
    else:
        for number in range(start, stop):
            spread_bits(target, U64(number) * U64(64), words[U64(number - start)], 64)


@inline
def _count_bits(word: np.uint64) -> np.uint64:
    """How many bits are set: the compiler knows this pattern, and has an instruction for it."""
    word = word - ((word >> ONE) & U64(0x5555555555555555))
    word = (word & U64(0x3333333333333333)) + ((word >> U64(2)) & U64(0x3333333333333333))
    word = (word + (word >> U64(4))) & U64(0x0F0F0F0F0F0F0F0F)
    return (word * U64(0x0101010101010101)) >> U64(56)
