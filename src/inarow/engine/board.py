"""The compiled board: a game as arrays (`Tables`), and positions on them (`Board`)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.jit import inline
from inarow.game import Game

# A game as arrays that compiled loops read: which lines cross a cell, and what lies above it.

Int8s = npt.NDArray[np.int8]
Int16s = npt.NDArray[np.int16]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

MAX_MASK_CELLS = 64  # one bit a cell: above this a mask would overflow without a word


class Tables(NamedTuple):
    """What compiled code knows of a game. Cells are numbered as in `Game`.

    The lines through cell c are `line_at[line_start[c]:line_start[c + 1]]`, ascending.
    """

    cells: int
    columns: int  # different moves; a cell's move is cell % columns
    k: int
    gravity: bool
    scoring: bool
    misere: bool
    line_start: Int32s  # [cells + 1]
    line_at: Int32s  # [lines * k]
    line_words: Int64s  # [lines] the empty board's line words: see `board`
    above: Int32s  # [cells] the cell on top of each, or -1
    start_cells: Int32s  # the cells that can be played on the empty board
    masks: Words  # [cells, most lines] the lines through each cell as bits; none above 64 cells


def same_tables(one: Tables, other: Tables) -> bool:
    """Return whether two tables are of one game, whose tables may have been made twice."""
    pairs = zip(map(np.asarray, one), map(np.asarray, other), strict=True)
    return one is other or all(np.array_equal(a, b) for a, b in pairs)


@lru_cache(maxsize=64)
def tables_of(game: Game) -> Tables:
    """The tables of a game, made once."""
    line_start, line_at = game.lines_by_cell
    cells = np.arange(game.cells, dtype=np.int32)
    above = np.full(game.cells, -1, dtype=np.int32)
    if game.gravity:
        above[: game.cells - game.columns] = cells[game.columns :]
    return Tables(
        cells=game.cells,
        columns=game.columns,
        k=game.k,
        gravity=game.gravity,
        scoring=game.scoring,
        misere=game.misere,
        line_start=line_start,
        line_at=line_at,
        line_words=game.lines.sum(axis=1, dtype=np.int64) << 32,
        above=above,
        start_cells=cells[: game.columns].copy(),
        masks=_masks(game),
    )


def _masks(game: Game) -> Words:
    """The lines through each cell as bit masks, in rows of one length.

    Rows are filled up with a mask that no player can hold, so that the loop over a row has no
    branch that depends on the cell.
    """
    if game.cells > MAX_MASK_CELLS:
        return np.zeros((0, 0), dtype=np.uint64)
    of_line = np.bitwise_or.reduce(np.uint64(1) << game.lines.astype(np.uint64), axis=1)
    line_start, line_at = game.lines_by_cell
    width = int(np.diff(line_start).max())
    masks = np.full((game.cells, width), ~np.uint64(0), dtype=np.uint64)
    for cell in range(game.cells):
        through = line_at[line_start[cell] : line_start[cell + 1]]
        masks[cell, : len(through)] = of_line[through]
    return masks


# The compiled board: stones, line counters and a threat table, updated and undone move by move.
#
# Each line is one 64-bit word, so that a stone costs one addition for each line through its cell:
#
#     63            32 31          16 15           0
#     | sum of the    | stones of    | stones of    |
#     | empty cells   | the second   | the first    |
#
# With one cell left empty, the upper half is that cell. So a line with k - 1 stones of one player
# and none of the other says at once where it would be completed: a *threat*. `threat[side, cell]`
# counts the lines that a side would complete on a cell, and what a move completes is read off
# before the stone is placed. Nothing is ever searched for (n-dimensional paper, what prototypes
# found). A board has at most 4,096 cells, so every part of a word has room.
#
# Sides are 0 (first) and 1 (second); a stone on the board is side + 1. All lists are restored by
# `undo` to the exact order they had, so that play after an undo draws the same moves.

# How a game stands. A game that goes on is not a draw, and a draw is not a game that goes on.
GOING_ON, FIRST_WON, SECOND_WON, DRAWN = 0, 1, 2, 3


# Numba takes a signed index for one that may count from the end, and looks at its sign each time:
# so the lists are unsigned, and in the loops of `place` other indices are made so (measured,
# together with counters in registers: a fifth of a game's time).
Cells = npt.NDArray[np.uint32]
Stones = Int8s  # [cells] 0 empty, 1 first, 2 second


class Counters(NamedTuple):
    """Where each number stands in `Board.counters`."""

    ply: int = 0  # stones on the board
    open: int = 1  # playable cells
    threats: int = 2  # and 3: cells where the first, the second side would complete a line
    score: int = 4  # and 5: lines completed by the first, the second side
    state: int = 6  # how the game stands: GOING_ON, FIRST_WON, ...


PLY, OPEN, THREATS, SCORE, STATE = Counters()


class Board(NamedTuple):
    """A position in compiled play. Made by `new_board`, changed by `place` and `undo`."""

    stones: Stones
    lines: Int64s  # [lines] a word each, as drawn above
    threat: npt.NDArray[
        np.int32
    ]  # [2, cells] lines the side would complete there; stale under a stone
    threat_cells: Cells  # [2, cells] a list of the empty cells where that is not 0
    threat_place: Cells  # [2, cells] where each of them stands in the list
    open_cells: Cells  # [cells] a list of the cells that can be played
    open_place: Cells  # [cells] where each of them stands in the list
    history: Cells  # [cells] the cells played, in order
    counters: Int64s  # [7] see Counters


def new_board(tables: Tables) -> Board:
    """Return an empty board. Built without compiled code, so first games start sooner."""
    cells, playable = tables.cells, len(tables.start_cells)
    board = Board(
        stones=np.zeros(cells, dtype=np.int8),
        lines=tables.line_words.copy(),
        threat=np.zeros((2, cells), dtype=np.int32),
        threat_cells=np.zeros((2, cells), dtype=np.uint32),
        threat_place=np.zeros((2, cells), dtype=np.uint32),
        open_cells=np.zeros(cells, dtype=np.uint32),
        open_place=np.zeros(cells, dtype=np.uint32),
        history=np.zeros(cells, dtype=np.uint32),
        counters=np.zeros(len(Counters()) + 2, dtype=np.int64),
    )
    board.open_cells[:playable] = tables.start_cells
    board.open_place[tables.start_cells] = np.arange(playable)
    board.counters[OPEN] = playable
    if tables.k == 1:
        clear(tables, board)  # every cell completes a line
    return board


@inline
def clear(tables: Tables, board: Board) -> None:
    """Take all stones off."""
    board.stones[:] = 0
    for line in range(len(tables.line_words)):
        board.lines[line] = tables.line_words[line]
    board.threat[:] = 0
    board.counters[:] = 0
    for i in range(len(tables.start_cells)):
        board.open_cells[i] = tables.start_cells[i]
        board.open_place[tables.start_cells[i]] = i
    board.counters[OPEN] = len(tables.start_cells)
    if tables.k == 1:  # every cell completes a line from the start
        for side in range(2):
            for cell in range(tables.cells):
                _add_threat(board, side, cell)


@inline
def place(tables: Tables, board: Board, cell: int) -> None:
    """Put a stone of the side to move on a playable cell."""
    at, ply = np.uint32(cell), board.counters[PLY]
    side = ply & 1
    completed = board.threat[side, at]
    board.stones[at] = side + 1
    board.history[np.uint32(ply)] = at
    _close_cell(tables, board, at)
    _drop_threat_cell(board, 0, at)
    _drop_threat_cell(board, 1, at)
    _count_stone(tables, board, side, at)
    counters = board.counters
    counters[PLY] = ply + 1
    counters[SCORE + side] += completed
    counters[STATE] = _judge(tables, counters, side, completed)


@inline
def _count_stone(tables: Tables, board: Board, side: int, cell: np.uint32) -> None:
    """Count a stone on all lines through its cell, and adds the threats that it makes.

    As `_add_threat` would, but the length of the list stays in a register meanwhile. (Measured:
    adding without a branch, a zero where there is no threat, takes a tenth longer.)
    """
    shift = 16 * side
    step = (np.int64(1) << shift) - (np.int64(cell) << 32)
    threatens = np.int64(tables.k - 1) << shift
    lines, threat = board.lines, board.threat
    threats = np.uint32(board.counters[THREATS + side])
    for i in range(tables.line_start[cell], tables.line_start[cell + 1]):
        line = np.uint32(tables.line_at[np.uint32(i)])
        word = lines[line] + step
        lines[line] = word
        if (word & 0xFFFFFFFF) == threatens:
            there = np.uint32(word >> 32)
            threat[side, there] += 1
            if threat[side, there] == 1:
                board.threat_cells[side, threats] = there
                board.threat_place[side, there] = threats
                threats += np.uint32(1)
    board.counters[THREATS + side] = threats


@inline
def undo(tables: Tables, board: Board) -> None:
    """Take the last stone back; everything is as it was, lists in the same order."""
    counters = board.counters
    counters[PLY] -= 1
    side = counters[PLY] & 1
    cell = board.history[counters[PLY]]
    shift = 16 * side
    step = (np.int64(1) << shift) - (np.int64(cell) << 32)
    threatens = np.int64(tables.k - 1) << shift
    lines, line_at = board.lines, tables.line_at
    for i in range(tables.line_start[cell + 1] - 1, tables.line_start[cell] - 1, -1):
        word = lines[line_at[i]]
        if (word & 0xFFFFFFFF) == threatens:
            _remove_last_threat(board, side, word >> 32)
        lines[line_at[i]] = word - step
    _restore_threat_cell(board, 1, cell)
    _restore_threat_cell(board, 0, cell)
    _reopen_cell(tables, board, cell)
    board.stones[cell] = 0
    counters[SCORE + side] -= board.threat[side, cell]
    counters[STATE] = GOING_ON


@inline
def load(tables: Tables, board: Board, stones: Stones) -> None:
    """Set up a position that is not over, from the owner of each cell's stone.

    Lists come in order of cells. How the stones came there is not known, so it cannot be undone.
    """
    clear(tables, board)
    board.counters[OPEN] = 0
    for cell in range(tables.cells):
        board.stones[cell] = stones[cell]
        if stones[cell] != 0:
            board.counters[PLY] += 1
            step = (np.int64(1) << (16 * (stones[cell] - 1))) - (np.int64(cell) << 32)
            for i in range(tables.line_start[cell], tables.line_start[cell + 1]):
                board.lines[tables.line_at[i]] += step
        elif not tables.gravity or cell < tables.columns or stones[cell - tables.columns] != 0:
            board.open_cells[board.counters[OPEN]] = cell
            board.open_place[cell] = board.counters[OPEN]
            board.counters[OPEN] += 1
    _find_threats(tables, board)


@inline
def _find_threats(tables: Tables, board: Board) -> None:
    """Fill the threat table and the score from the line words alone."""
    board.threat[:] = 0
    for side in range(2):
        board.counters[THREATS + side] = 0
        shift = 16 * side
        full = np.int64(tables.k) << shift
        threatens = np.int64(tables.k - 1) << shift
        for line in range(len(board.lines)):
            word = board.lines[line]
            if (word & 0xFFFFFFFF) == full:
                board.counters[SCORE + side] += 1
            elif (word & 0xFFFFFFFF) == threatens:
                _add_threat(board, side, word >> 32)


@inline
def _judge(tables: Tables, counters: Int64s, side: int, completed: int) -> int:
    """Return how the game stands after a move that completed so many lines."""
    if completed > 0 and not tables.scoring:
        return state_of_line(tables, side)
    if counters[PLY] < tables.cells:
        return GOING_ON
    if not tables.scoring or counters[SCORE] == counters[SCORE + 1]:
        return DRAWN
    return FIRST_WON if counters[SCORE] > counters[SCORE + 1] else SECOND_WON


@inline
def state_of_line(tables: Tables, side: int) -> int:
    """Return how a game ends by a line of a side: won, or lost if misère."""
    return FIRST_WON + (side ^ tables.misere)


@inline
def reward_of_lines(tables: Tables, completed: int) -> float:
    """Return what a move that completes lines earns its side at once.

    The lines where they are counted; else 1 for a line that wins, -1 for one that loses.
    """
    if tables.scoring:
        return np.float64(completed)
    return np.float64(0 if completed == 0 else (-1 if tables.misere else 1))


@inline
def _close_cell(tables: Tables, board: Board, cell: np.uint32) -> None:
    """Remove a played cell from the list; the one above or the last takes its place."""
    place = board.open_place[cell]
    following = np.uint32(tables.above[cell])
    if tables.above[cell] < 0:
        board.counters[OPEN] -= 1
        following = board.open_cells[np.uint32(board.counters[OPEN])]
    board.open_cells[place] = following
    board.open_place[following] = place


@inline
def _reopen_cell(tables: Tables, board: Board, cell: int) -> None:
    """Undo `_close_cell`: the cell still knows its place."""
    place = board.open_place[cell]
    if tables.above[cell] < 0:
        last = board.counters[OPEN]
        board.open_place[board.open_cells[place]] = last
        board.open_cells[last] = board.open_cells[place]
        board.counters[OPEN] += 1
    board.open_cells[place] = cell
    board.open_place[cell] = place


@inline
def _add_threat(board: Board, side: int, cell: int) -> None:
    board.threat[side, cell] += 1
    if board.threat[side, cell] == 1:
        last = board.counters[THREATS + side]
        board.threat_cells[side, last] = cell
        board.threat_place[side, cell] = last
        board.counters[THREATS + side] += 1


@inline
def _remove_last_threat(board: Board, side: int, cell: int) -> None:
    """Undo `_add_threat`, in reverse order: the cell is the last of the list."""
    board.threat[side, cell] -= 1
    if board.threat[side, cell] == 0:
        board.counters[THREATS + side] -= 1


@inline
def _drop_threat_cell(board: Board, side: int, cell: np.uint32) -> None:
    """Remove a covered cell from the list; its count stays for `undo`."""
    if board.threat[side, cell] > 0:
        board.counters[THREATS + side] -= 1
        last = board.threat_cells[side, np.uint32(board.counters[THREATS + side])]
        place = board.threat_place[side, cell]
        board.threat_cells[side, place] = last
        board.threat_place[side, last] = place
        board.threat_place[side, cell] = place


@inline
def _restore_threat_cell(board: Board, side: int, cell: int) -> None:
    """Undo `_drop_threat_cell`: the cell still knows its place."""
    if board.threat[side, cell] > 0:
        place = board.threat_place[side, cell]
        end = board.counters[THREATS + side]
        board.threat_place[side, board.threat_cells[side, place]] = end
        board.threat_cells[side, end] = board.threat_cells[side, place]
        board.threat_cells[side, place] = cell
        board.threat_place[side, cell] = place
        board.counters[THREATS + side] += 1


@inline
def trace_move(trace: np.uint64, cell: int) -> np.uint64:
    """Return the hash of the cells played in a game so far, with one more."""
    return (trace + np.uint64(cell) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)


@inline
def is_open(board: Board, cell: int) -> bool:
    """Return whether a cell can be played now: empty, and with gravity not in the air."""
    place = board.open_place[cell]
    return place < board.counters[OPEN] and board.open_cells[place] == cell


@inline
def cell_of(tables: Tables, board: Board, move: int) -> int:
    """The cell that a legal move comes to lie on."""
    cell = move
    while board.stones[cell] != 0:
        cell = tables.above[cell]
    return cell
