"""The memory of many games side by side: one block, and the arrays in it.

Handing an array to compiled code takes about 80 nanoseconds, a tuple of twenty 2 microseconds:
longer than the step of a game. So all arrays of a batch lie in one block of memory, and
`open_batch` finds them in it, in compiled code and in Python alike.

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

HEADER = 16  # words at the start of a block
LINE = 8  # words in a cache line

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
    alternating: bool  # the caller's side changes with each game
    recording: bool
    width: int  # masks a cell
    full: np.uint64  # all cells, and
    column: np.uint64  # the cells of column 0: where a side's stones are one word
    top: np.uint64  # the cell from which the highest row begins; 0 where nothing falls
    masks: Words  # [cells * width] the lines through each cell, filled up; one-word boards only
    line_cells: Int32s  # [lines, k] the cells of each line, and
    line_start: Int32s  # [cells + 1] where in the next array the lines of a cell begin, and
    line_at: Int32s  # [lines * k] the lines through each cell: larger boards only
    own: Words  # [n * words] the stones of the side to move
    other: Words  # [n * words]
    last_own: Words  # [n * words] the same before finished games were cleared, and scratch
    last_other: Words  # [n * words]
    found: Words  # [n] lines completed by the last move; scratch
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
def _ceil(count: int, size: int) -> int:
    return (count + size - 1) // size


@inline
def open_batch(block: Int64s) -> Batch:
    """The arrays that lie in a block."""
    n, cells, columns, width = block[0], block[1], block[2], block[3]
    room, move_room, recording = block[4], block[5], block[9]
    every = block.view(np.uint64)
    lines, k = block[13], block[14]
    words, kept, masks_at = _ceil(cells, 64), cells * n * recording, HEADER
    line_cells_at = masks_at + cells * width
    line_at_at = line_cells_at + _ceil(lines * k, 2)
    line_start_at = line_at_at + _ceil(lines * k, 2)
    own_at = line_start_at + _ceil(cells + 1, 2)
    other_at = own_at + n * words
    last_own_at = other_at + n * words
    last_other_at = last_own_at + n * words
    found_at = last_other_at + n * words
    streams_at = found_at + n
    openings_at = streams_at + 4 * n
    ply_at = openings_at + 4 * n
    lead_at = ply_at + n
    last_ply_at = lead_at + n
    views_at = _ceil(last_ply_at + n, LINE) * LINE
    legal_at = views_at + 2 * n * room // 8
    done_at = legal_at + n * move_room // 8
    to_move_at = done_at + _ceil(n, 8)
    side_at = to_move_at + _ceil(n, 8)
    waiting_at = side_at + _ceil(n, 8)
    rewards_at = waiting_at + _ceil(n, 8)
    history_at = rewards_at + _ceil(n, 2)
    last_history_at = history_at + _ceil(kept, 4)
    return Batch(
        n=n,
        cells=cells,
        columns=columns,
        words=words,
        room=room,
        move_room=move_room,
        gravity=block[6] != 0,
        scoring=block[7] != 0,
        alternating=block[8] != 0,
        recording=recording != 0,
        width=width,
        full=every[10],
        column=every[11],
        top=every[12],
        masks=every[masks_at:line_cells_at],
        line_cells=block[line_cells_at:line_at_at].view(np.int32)[: lines * k].reshape((lines, k)),
        line_start=block[line_start_at:own_at].view(np.int32)[: cells + 1],
        line_at=block[line_at_at:line_start_at].view(np.int32)[: lines * k],
        own=every[own_at:other_at],
        other=every[other_at:last_own_at],
        last_own=every[last_own_at:last_other_at],
        last_other=every[last_other_at:found_at],
        found=every[found_at:streams_at],
        streams=every[streams_at:openings_at].reshape((n, 4)),
        openings=every[openings_at:ply_at].reshape((n, 4)),
        ply=block[ply_at:lead_at],
        lead=block[lead_at:last_ply_at],
        views=block[views_at:legal_at].view(np.int8),
        legal=block[legal_at:done_at].view(np.int8),
        done=block[done_at:to_move_at].view(np.int8)[:n],
        to_move=block[to_move_at:side_at].view(np.int8)[:n],
        side=block[side_at:waiting_at].view(np.int8)[:n],
        waiting=block[waiting_at:rewards_at].view(np.int8)[:n],
        rewards=block[rewards_at:history_at].view(np.float32)[:n],
        history=block[history_at:last_history_at].view(np.int16)[:kept],
        last_history=block[last_history_at : last_history_at + _ceil(kept, 4)].view(np.int16)[
            :kept
        ],
        last_ply=block[last_ply_at : last_ply_at + n],
    )


def make_block(game: Game, n: int, alternating: bool = False, recording: bool = False) -> Int64s:
    """The memory for n games, none of them begun yet."""
    masks = _padded_masks(tables_of(game))
    words, room, move_room = -(-game.cells // 64), bytes_for(game.cells), bytes_for(game.columns)
    lines = game.lines if words > 1 else game.lines[:0]
    size = HEADER + masks.size + 2 * -(-lines.size // 2) + -(-(game.cells + 1) // 2)
    size += n * (4 * words + 12) + n * (2 * room + move_room) // 8
    size += 4 * -(-n // 8) + -(-n // 2) + 2 * -(-game.cells * n * recording // 4) + LINE
    memory = np.zeros(size + LINE, dtype=np.int64)
    block: Int64s = memory[(-memory.ctypes.data % 64) // 8 :][:size]  # from a cache line on
    block[:10] = (
        *(n, game.cells, game.columns, masks.shape[1], room, move_room),
        *(game.gravity, game.scoring, alternating, recording),
    )
    every = block.view(np.uint64)
    if words == 1:
        every[10] = (1 << game.cells) - 1
        every[11] = sum(1 << cell for cell in range(0, game.cells, game.columns))
    every[12] = game.cells - game.columns
    block[13:15] = len(lines), game.k
    batch = batch_of(block)
    batch.masks[:] = masks.reshape(-1)
    if words > 1:
        batch.line_cells[:] = lines
        batch.line_start[:], batch.line_at[:] = game.lines_by_cell
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
