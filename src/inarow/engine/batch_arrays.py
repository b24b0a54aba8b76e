"""The memory of many games side by side: one block, and the arrays in it.

Handing an array to compiled code takes about 80 nanoseconds, a tuple of twenty 2 microseconds:
longer than the step of a game. So all arrays of a batch lie in one block of memory, and
`open_batch` finds them in it, in compiled code and in Python alike. The block begins with numbers
that describe the games (`N` to `TOP`), and with where the arrays begin (`MASKS` to `HISTORY`).

The stones of a side are bits, the lowest for cell 0, in words of 64; an observation is the same
as bytes, written by `vectors.spread_bits`. So each plane has room for 8, 16, 32 or a multiple of
64 bytes, and those behind the last cell are always 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.jit import inline
from inarow.engine.tables import MAX_MASK_CELLS, Int32s, Int64s, Tables, Words, tables_of
from inarow.game import Game

LINE = 8  # words in a cache line
FEW = 8  # lines: so many are all looked at with each move
AT_ONCE = 128  # games that are moved together: all that is known of them stays near the processor

# What the first numbers of a block are: of the game,
(N, CELLS, COLUMNS, WIDTH, ROOM, MOVE_ROOM, LINES, K) = range(8)
(GRAVITY, SCORING, MISERE, ALTERNATING, RECORDING, FULL, COLUMN, TOP) = range(8, 16)
# and where its arrays begin, those of a kind behind each other.
(MASKS, FEW_LINES, LINE_CELLS, LINE_START, LINE_AT, STONES, SCRATCH) = range(16, 23)
(STREAMS, COUNTS, VIEWS, LEGAL, FLAGS, REWARDS, HISTORY, HEADER) = range(23, 31)

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
    """The arrays that lie in a block. Python reads this too, so it calls nothing."""
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
        stone=every[scratch : scratch + AT_ONCE],
        found=every[scratch + AT_ONCE : scratch + 2 * AT_ONCE],
        free=every[scratch + 2 * AT_ONCE : scratch + 3 * AT_ONCE],
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


def make_block(game: Game, n: int, alternating: bool = False, recording: bool = False) -> Int64s:
    """The memory for n games, none of them begun yet."""
    masks, words = _padded_masks(tables_of(game)), -(-game.cells // 64)
    few = _few_lines(game)
    room, move_room = bytes_for(game.cells), bytes_for(game.columns)
    lines = game.lines if words > 1 else game.lines[:0]
    sizes = (  # in bytes, from MASKS on
        *(masks.nbytes, few.nbytes, 4 * lines.size, 4 * (game.cells + 1), 4 * lines.size),
        *(32 * n * words, 24 * AT_ONCE, 64 * n, 24 * n),
        *(2 * n * room, n * move_room, 4 * -(-n // 8) * 8, 4 * n),
        4 * game.cells * n * recording,
    )
    ends = np.cumsum([-(-size // 64) * LINE for size in (8 * HEADER, *sizes)])
    memory = np.zeros(ends[-1] + LINE, dtype=np.int64)
    block: Int64s = memory[(-memory.ctypes.data % 64) // 8 :][: ends[-1]]  # from a cache line on
    block[MASKS:HEADER] = ends[:-1]
    block[: RECORDING + 1] = (
        *(n, game.cells, game.columns, masks.shape[1], room, move_room, len(lines), game.k),
        *(game.gravity, game.scoring, game.misere, alternating, recording),
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
    if game.scoring or game.cells > MAX_MASK_CELLS or len(game.lines) > FEW:
        return np.zeros(0, dtype=np.uint64)
    masks = np.full(FEW, ~np.uint64(0), dtype=np.uint64)
    masks[: len(game.lines)] = (np.uint64(1) << game.lines.astype(np.uint64)).sum(axis=1)
    return masks
