"""Many games side by side in one block of memory, a move in each of them with one call.

`step_games` moves for both sides in turn: all games at once where the stones of a side are one
word, one after the other on larger boards. `step_against` answers the moves of one side by a
player. A game that ends is paid out and begins anew within the same step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import (
    MAX_MASK_CELLS,
    Board,
    Int32s,
    Int64s,
    Tables,
    Words,
    load,
    tables_of,
)
from inarow.engine.jit import inline, inline_disjoint, jit
from inarow.engine.players import begin, choose
from inarow.engine.streams import Stream, below
from inarow.engine.words import count_subsets, spread_bits
from inarow.game import Game

# The memory of many games side by side: one block, and the arrays in it.
#
# Handing an array to compiled code takes about 80 nanoseconds, a tuple of twenty 2 microseconds:
# longer than the step of a game. So all arrays of a batch lie in one block of memory, and
# `open_batch` finds them in it, in compiled code and in Python alike. The block begins with numbers
# that describe the games (`N` to `TOP`), and with where the arrays begin (`MASKS` to `HISTORY`).
#
# The stones of a side are bits, the lowest for cell 0, in words of 64; an observation is the same
# as bytes, written by `words.spread_bits`. So each plane has room for 8, 16, 32 or a multiple of
# 64 bytes, and those behind the last cell are always 0.

LINE = 8  # words in a cache line
ALL_LINES_LIMIT = 8  # lines: so many are all looked at with each move
CHUNK_GAMES = (
    128  # games that are moved together: all that is known of them stays near the processor
)

# What the first numbers of a block are: of the game,
(N, CELLS, COLUMNS, WIDTH, ROOM, MOVE_ROOM, LINES, K) = range(8)
(GRAVITY, SCORING, MISERE, ALTERNATING, RECORDING, PER_LINE, FULL, COLUMN, TOP) = range(8, 17)
# and where its arrays begin, those of a kind behind each other.
(MASKS, FEW_LINES, LINE_CELLS, LINE_START, LINE_AT, STONES, SCRATCH) = range(17, 24)
(STREAMS, COUNTS, VIEWS, LEGAL, FLAGS, REWARDS, HISTORY, HEADER) = range(24, 32)

Bytes = npt.NDArray[np.int8]
Shorts = npt.NDArray[np.int16]


class Batch(NamedTuple):
    """Games side by side. What belongs to one of n games lies at its number."""

    n: int
    cells: int
    columns: int
    words: int  # 64-bit words for the stones of a side
    room: int  # bytes of a plane
    move_room: int  # bytes of a mask of moves
    gravity: bool
    scoring: bool
    misere: bool
    alternating: bool  # the caller's side changes with each game
    recording: bool
    per_line: bool  # a step pays the lines it completed, less the opponent's, not the result
    width: int  # masks a cell
    full: np.uint64  # all cells, and
    column: np.uint64  # the cells of column 0: where a side's stones are one word
    top: np.uint64  # the cell from which the highest row begins; 0 where nothing falls
    masks: Words  # [cells * width] the lines through each cell, filled up; one-word boards only
    few_lines: Words  # [FEW] all lines as masks, filled up; none if there are more, or they count
    line_cells: Int32s  # [lines, k] the cells of each line, and
    line_start: Int32s  # [cells + 1] where in the next array the lines of a cell begin, and
    line_at: Int32s  # [lines * k] the lines through each cell: larger boards only
    own: Words  # [n * words] the stones of the side to move
    other: Words  # [n * words]
    last_own: Words  # [n * words] the same before finished games were cleared
    last_other: Words  # [n * words]
    stone: Words  # [AT_ONCE] scratch, as are
    found: Words  # [AT_ONCE] lines completed by the last move, and
    free: Words  # [AT_ONCE] legal moves as bits
    streams: Words  # [n, 4] what the opponent's moves are drawn from
    openings: Words  # [n, 4] the stream as it was before the opponent's first move of the game
    ply: Int64s  # [n] of boards above 64 cells, against an opponent, or if moves are recorded
    lead: Int64s  # [n] lines of the side to move, less those of the other
    views: Bytes  # [n * 2 * room] observations: own stones, other stones
    legal: Bytes  # [n * move_room]
    done: Bytes  # [n] whether the last step ended a game
    to_move: Bytes  # [n] 0 the first player, 1 the second
    side: Bytes  # [n] the caller's side, where there is an opponent
    waiting: Bytes  # [n] whether the opponent is to move
    rewards: npt.NDArray[np.float32]  # [n]
    history: Shorts  # [n * cells] the moves of the game, if they are recorded
    last_history: Shorts  # [n * cells] those of the game before
    last_ply: Int64s  # [n] how many those were


def bytes_for(count: int) -> int:
    """The room for so many bits as bytes."""
    return next((room for room in (8, 16, 32) if count <= room), -(-count // 64) * 64)


@inline
def open_batch(block: Int64s) -> Batch:
    """Find the arrays in a block. Python runs this too, so it calls nothing."""
    n, cells, lines, k = block[N], block[CELLS], block[LINES], block[K]
    room, move_room, recording = block[ROOM], block[MOVE_ROOM], block[RECORDING]
    words, kept, every = (cells + 63) >> 6, cells * n * recording, block.view(np.uint64)
    own, other, last = block[STONES], block[STONES] + n * words, block[STONES] + 2 * n * words
    scratch, streams, counts = block[SCRATCH], block[STREAMS], block[COUNTS]
    flags, size = block[block[FLAGS] : block[REWARDS]].view(np.int8), (n + 7) & ~7
    history = block[block[HISTORY] :].view(np.int16)
    line_cells = block[block[LINE_CELLS] : block[LINE_START]].view(np.int32)[: lines * k]
    return Batch(
        n=n,
        cells=cells,
        columns=block[COLUMNS],
        words=words,
        room=room,
        move_room=move_room,
        gravity=block[GRAVITY] != 0,
        scoring=block[SCORING] != 0,
        misere=block[MISERE] != 0,
        alternating=block[ALTERNATING] != 0,
        recording=recording != 0,
        per_line=block[PER_LINE] != 0,
        width=block[WIDTH],
        full=every[FULL],
        column=every[COLUMN],
        top=every[TOP],
        masks=every[block[MASKS] : block[FEW_LINES]],
        few_lines=every[block[FEW_LINES] : block[LINE_CELLS]],
        line_cells=line_cells.reshape((lines, k)),
        line_start=block[block[LINE_START] : block[LINE_AT]].view(np.int32),
        line_at=block[block[LINE_AT] : own].view(np.int32),
        own=every[own:other],
        other=every[other:last],
        last_own=every[last : last + n * words],
        last_other=every[last + n * words : last + 2 * n * words],
        stone=every[scratch : scratch + CHUNK_GAMES],
        found=every[scratch + CHUNK_GAMES : scratch + 2 * CHUNK_GAMES],
        free=every[scratch + 2 * CHUNK_GAMES : scratch + 3 * CHUNK_GAMES],
        streams=every[streams : streams + 4 * n].reshape((n, 4)),
        openings=every[streams + 4 * n : streams + 8 * n].reshape((n, 4)),
        ply=block[counts : counts + n],
        lead=block[counts + n : counts + 2 * n],
        views=block[block[VIEWS] : block[LEGAL]].view(np.int8)[: 2 * n * room],
        legal=block[block[LEGAL] : block[FLAGS]].view(np.int8)[: n * move_room],
        done=flags[:n],
        to_move=flags[size : size + n],
        side=flags[2 * size : 2 * size + n],
        waiting=flags[3 * size : 3 * size + n],
        rewards=block[block[REWARDS] : block[HISTORY]].view(np.float32)[:n],
        history=history[:kept],
        last_history=history[kept : 2 * kept],
        last_ply=block[counts + 2 * n : counts + 3 * n],
    )


def make_block(
    game: Game,
    n: int,
    alternating: bool = False,
    recording: bool = False,
    per_line: bool = False,
) -> Int64s:
    """The memory for n games, none of them begun yet."""
    masks, words = _padded_masks(tables_of(game)), -(-game.cells // 64)
    few = _few_lines(game)
    room, move_room = bytes_for(game.cells), bytes_for(game.columns)
    lines = game.lines if words > 1 else game.lines[:0]
    sizes = (  # in bytes, from MASKS on
        *(masks.nbytes, few.nbytes, 4 * lines.size, 4 * (game.cells + 1), 4 * lines.size),
        *(32 * n * words, 24 * CHUNK_GAMES, 64 * n, 24 * n),
        *(2 * n * room, n * move_room, 4 * -(-n // 8) * 8, 4 * n),
        4 * game.cells * n * recording,
    )
    ends = np.cumsum([-(-size // 64) * LINE for size in (8 * HEADER, *sizes)])
    memory = np.zeros(ends[-1] + LINE, dtype=np.int64)
    block: Int64s = memory[(-memory.ctypes.data % 64) // 8 :][: ends[-1]]  # from a cache line on
    block[MASKS:HEADER] = ends[:-1]
    block[: PER_LINE + 1] = (
        *(n, game.cells, game.columns, masks.shape[1], room, move_room, len(lines), game.k),
        *(game.gravity, game.scoring, game.misere, alternating, recording, per_line),
    )
    every = block.view(np.uint64)
    if words == 1:
        every[FULL] = (1 << game.cells) - 1
        every[COLUMN] = sum(1 << cell for cell in range(0, game.cells, game.columns))
    every[TOP] = game.cells - game.columns
    batch = batch_of(block)
    batch.masks[: masks.size], batch.few_lines[:] = masks.reshape(-1), few
    if words > 1:
        batch.line_cells[:] = lines
        batch.line_start[: game.cells + 1], batch.line_at[: lines.size] = game.lines_by_cell
    return block


def batch_of(block: Int64s) -> Batch:
    """The arrays that lie in a block, for Python."""
    batch: Batch = getattr(open_batch, "py_func", open_batch)(block)
    return batch


def _padded_masks(tables: Tables) -> Words:
    """The masks of each cell's lines in rows of 4, 8, 16, ...: as many as are looked at at once."""
    if tables.cells > MAX_MASK_CELLS:
        return np.zeros((0, 0), dtype=np.uint64)
    most = tables.masks.shape[1]
    width = 4 if most <= 4 else -(-most // 8) * 8
    masks = np.full((tables.cells, width), ~np.uint64(0), dtype=np.uint64)
    masks[:, :most] = tables.masks
    return masks


def _few_lines(game: Game) -> Words:
    """All lines as masks, where to look at all is quicker than to look up those of a cell."""
    if game.scoring or game.cells > MAX_MASK_CELLS or len(game.lines) > ALL_LINES_LIMIT:
        return np.zeros(0, dtype=np.uint64)
    masks = np.full(ALL_LINES_LIMIT, ~np.uint64(0), dtype=np.uint64)
    masks[: len(game.lines)] = (np.uint64(1) << game.lines.astype(np.uint64)).sum(axis=1)
    return masks


# One game of a batch at a time, whatever the size of its board.

U64 = np.uint64
ZERO, ONE = U64(0), U64(1)
NOT_OVER = np.float32(2)  # what `play` returns of a game that is not over


@inline
def step_each(batch: Batch, actions: Int64s) -> None:
    """Play a legal move in each game."""
    for game in range(batch.n):
        before = batch.lead[game]
        reward = play(batch, game, actions[game])
        completed = -batch.lead[game] - before
        keep_final_stones(batch, game, False)
        finish_game(batch, game, reward)
        if batch.per_line:
            batch.rewards[game] = completed
        write_view(batch, game)


@inline
def restart_each(batch: Batch) -> None:
    """Start all games from the empty board."""
    for game in range(batch.n):
        clear(batch, game)
        batch.done[game], batch.rewards[game], batch.last_ply[game] = 0, 0, 0
        write_view(batch, game)


@inline
def is_legal(batch: Batch, game: int, action: int) -> bool:
    """Return whether an action is a legal move of a game."""
    return (
        action >= 0 and action < batch.columns and batch.legal[game * batch.move_room + action] != 0
    )


@inline
def play(batch: Batch, game: int, move: int) -> np.float32:
    """Play a legal move; return its player's reward at the end, else NOT_OVER."""
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
        reward = np.float32(np.sign(lead))
        return -reward if batch.misere else reward
    return NOT_OVER


@inline
def is_taken(batch: Batch, at: int, cell: int) -> bool:
    """Return whether a stone of either side lies on a cell of one game."""
    word = at + (cell >> 6)
    return ((batch.own[word] | batch.other[word]) >> U64(cell & 63)) & ONE != ZERO


@inline
def _lines_through(batch: Batch, at: int, cell: int) -> int:
    """Return how many lines through a cell are full of stones of the side to move."""
    if batch.words == 1:
        return int(completed_lines(batch.masks, U64(batch.width), U64(cell), batch.own[at]))
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
def finish_game(batch: Batch, game: int, reward: np.float32) -> None:
    """Pay out a game that ended, keep its moves and clear it; else pay nothing."""
    over = reward != NOT_OVER
    batch.done[game], batch.rewards[game] = over, reward if over else 0
    if over:
        put_away(batch, game)
    batch.to_move[game] = batch.ply[game] & 1


@inline
def put_away(batch: Batch, game: int) -> None:
    """Keep the moves of a game that ended, and clear it."""
    if batch.recording:
        keep_moves(batch, game, batch.ply[game])
    clear(batch, game)


@inline
def keep_final_stones(batch: Batch, game: int, swapped: bool) -> None:
    """Keep the stones for a last observation, swapped if the sides are."""
    for word in range(game * batch.words, (game + 1) * batch.words):
        own, other = batch.own[word], batch.other[word]
        batch.last_own[word] = other if swapped else own
        batch.last_other[word] = own if swapped else other


@inline
def clear(batch: Batch, game: int) -> None:
    """Take all stones off the board of one game."""
    for word in range(game * batch.words, (game + 1) * batch.words):
        batch.own[word], batch.other[word] = ZERO, ZERO
    for move in range(batch.columns):
        batch.legal[game * batch.move_room + move] = 1
    batch.ply[game], batch.lead[game], batch.to_move[game] = 0, 0, 0


@inline
def write_view(batch: Batch, game: int) -> None:
    """Write the observation of one game: own stones, other stones."""
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


@inline
def keep_moves(batch: Batch, game: int, moves: int) -> None:
    """Keep the moves of a game that ended."""
    start = game * batch.cells
    batch.last_ply[game] = moves
    for ply in range(start, start + moves):
        batch.last_history[ply] = batch.history[ply]


@inline
def completed_lines(
    masks: Words, width: np.uint64, cell: np.uint64, stones: np.uint64
) -> np.uint64:
    """Return how many lines through a cell are full of these stones."""
    if width == U64(4):
        return count_subsets(masks, cell * U64(4), stones, 4)
    found, place = ZERO, cell * width
    while place < (cell + ONE) * width:
        found += count_subsets(masks, place, stones, 8)
        place += U64(8)
    return found


@inline
def step_all(batch: Batch, actions: Int64s) -> None:
    """Play a legal move in each game."""
    if batch.recording:
        _record(batch, actions)
    for start in range(0, batch.n, CHUNK_GAMES):
        stop = min(start + CHUNK_GAMES, batch.n)
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
    """Start all games from the empty board."""
    for words in (batch.own, batch.other):
        words[:] = ZERO
    for numbers in (batch.ply, batch.lead, batch.last_ply):
        numbers[:] = 0
    for flags in (batch.done, batch.to_move):
        flags[:] = 0
    batch.rewards[:] = 0
    for start in range(0, batch.n, CHUNK_GAMES):
        _write(batch, start, min(start + CHUNK_GAMES, batch.n))


@inline
def _record(batch: Batch, actions: Int64s) -> None:
    """Write the actions down for the record of the games."""
    for game in range(batch.n):
        batch.history[game * batch.cells + batch.ply[game]] = actions[game]


@inline
def _keep_finished(batch: Batch) -> None:
    """Count the moves, and keeps those of games that ended."""
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
    """Return how many lines each move completes."""
    own, masks, width = batch.own, batch.masks, U64(batch.width)
    for number in range(start, stop):
        place = U64(number - start)
        stone = batch.stone[place]
        cell = _count_bits(stone - ONE)
        batch.found[place] = completed_lines(masks, width, cell, own[U64(number)] | stone)


@inline_disjoint
def _find_lines(batch: Batch, start: int, stop: int) -> None:
    """Find which moves complete a line, by looking at all lines."""
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
    """Update the stones; mark games ended by a line (2) or a draw (1)."""
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
    """Pay the players of the games that `_settle_lines` marked."""
    found, done, rewards = batch.found, batch.done, batch.rewards
    reward = np.float32(-1 if batch.misere else 1)
    for number in range(start, stop):
        game, place = U64(number), U64(number - start)
        done[game] = found[place] != ZERO
        rewards[game] = np.float32(found[place] >> ONE) * reward


@inline
def _settle_scores(batch: Batch, start: int, stop: int) -> None:
    """Update the stones and pay, where lines are counted to the end."""
    for game in range(start, stop):
        mover, waiter = batch.own[game] | batch.stone[game - start], batch.other[game]
        lead = batch.lead[game] + np.int64(batch.found[game - start])
        over = (mover | waiter) == batch.full
        batch.last_own[game], batch.last_other[game] = waiter, mover
        batch.own[game], batch.other[game] = ZERO if over else waiter, ZERO if over else mover
        batch.lead[game] = 0 if over else -lead
        batch.done[game], batch.rewards[game] = over, np.sign(lead) if over else 0
        if batch.per_line:
            batch.rewards[game] = batch.found[game - start]


@inline_disjoint
def _pass_turns(batch: Batch, start: int, stop: int) -> None:
    """Pass the turn: to the other side, or the first where a game ended."""
    to_move, done = batch.to_move, batch.done
    for number in range(start, stop):
        game = U64(number)
        to_move[game] = (to_move[game] ^ 1) & (done[game] ^ 1)


@inline
def _write(batch: Batch, start: int, stop: int) -> None:
    """Write what a caller sees of the games: observations and legal moves."""
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
    """Pack the stones of both sides in a word, and free cells in another."""
    own, other, stone, free = batch.own, batch.other, batch.stone, batch.free
    room, full, top = U64(batch.room), batch.full, batch.top
    for number in range(start, stop):
        game, place = U64(number), U64(number - start)
        stone[place] = own[game] | (other[game] << room)
        free[place] = ((own[game] | other[game]) ^ full) >> top


@inline
def _spread(target: Bytes, words: Words, size: int, start: int, stop: int) -> None:
    """Write the low bits of each word as bytes: a loop for each size."""
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
    """Return how many bits are set, in a form that compilers know."""
    word = word - ((word >> ONE) & U64(0x5555555555555555))
    word = (word & U64(0x3333333333333333)) + ((word >> U64(2)) & U64(0x3333333333333333))
    word = (word + (word >> U64(4))) & U64(0x0F0F0F0F0F0F0F0F)
    return (word * U64(0x0101010101010101)) >> U64(56)


@jit
def step_games(block: Int64s, actions: Int64s) -> Any:
    """Play a move in each game; return -1, or the first game with an illegal action."""
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
    """Start all games from the empty board."""
    batch = open_batch(block)
    if batch.words == 1:
        restart_all(batch)
    else:
        restart_each(batch)


@jit
def draw_actions(block: Int64s, stream: Stream, actions: Int64s) -> None:
    """Draw a legal move for each game, any of them equally likely."""
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
    """Return the first game whose action is not a legal move; -1 if there is none."""
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


# Games side by side against one player, whose replies are part of the step.
#
# A step has five parts, in compiled code for compiled players, and with the second and the fourth
# in Python for others: the caller's moves, the replies, new games where one ended, the opponent's
# opening moves in them, observations.
#
# The player stands for all games. What it chooses may hang on what it drew before the game (a list
# of rules, say), so its `begin` is called before every move with the same random numbers: the
# stream of the game as it was before the first.

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
    """Play a move in each game and the reply to it; return as `step_games` does.

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
    """Start all games from the empty board, or after the opponent's opening."""
    batch = open_batch(block)
    _begin_all(batch)
    _reply(batch, tables, board, stones, player, scratch)
    _finish(batch)


# The same parts for an opponent that is asked in Python.


@jit
def play_own(block: Int64s, actions: Int64s, losing: bool) -> Any:
    """Play the caller's moves, the first part of a step."""
    batch = open_batch(block)
    illegal = -1 if losing else first_illegal(batch, actions)
    if illegal < 0:
        _play_own(batch, actions)
    return illegal


@jit
def play_reply(block: Int64s, game: int, move: int) -> None:
    """Play the opponent's move in a game that waits for it."""
    _play_reply(open_batch(block), game, move)


@jit
def begin_anew(block: Int64s) -> None:
    """Start new games where one ended."""
    _begin_anew(open_batch(block))


@jit
def begin_all(block: Int64s) -> None:
    """Start all games from the empty board."""
    _begin_all(open_batch(block))


@jit
def finish(block: Int64s) -> None:
    """Write the observations, the last part of a step."""
    _finish(open_batch(block))


@inline
def _play_own(batch: Batch, actions: Int64s) -> None:
    for game in range(batch.n):
        legal, before = is_legal(batch, game, actions[game]), batch.lead[game]
        reward = play(batch, game, actions[game]) if legal else np.float32(-1)
        keep_final_stones(
            batch, game, legal
        )  # after a move the caller's are those of the other side
        batch.done[game] = reward != NOT_OVER
        batch.rewards[game] = 0 if reward == NOT_OVER else reward
        if batch.per_line and legal:
            batch.rewards[game] = -batch.lead[game] - before
        batch.waiting[game] = reward == NOT_OVER


@inline
def _reply(
    batch: Batch, tables: Tables, board: Board, stones: Stones, player: Any, scratch: Stream
) -> None:
    """Play the moves of a compiled player in the games that wait for one."""
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
    before = batch.lead[game]
    reward = play(batch, game, move)
    if batch.ply[game] > 1:  # else what is kept and paid is the game before
        keep_final_stones(batch, game, False)
        if batch.per_line:
            batch.rewards[game] += batch.lead[game] + before
    batch.waiting[game] = 0
    if reward != NOT_OVER:
        batch.done[game] = 1
        if not batch.per_line:
            batch.rewards[game] = -reward


@inline
def _write_stones(batch: Batch, game: int, stones: Stones) -> None:
    """Write the owner of each cell's stone, 1 or 2, as `load` reads it."""
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
            put_away(batch, game)
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
