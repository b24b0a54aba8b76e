"""The value of a position before its end: open lines counted, and what each move would add.

The utility of the Connect Four paper: a line with k - 1 own stones and its last cell empty counts
1000, one with k - 2 and two cells empty 100, and the opponent's lines count against it.
(With k = 2 the lower of these would be an empty line, open to both, which cancels out.) Where
lines are counted, each completed one counts 10,000.

Such a sum changes with a stone only through the lines that cross its cell. So for every cell the
search keeps what a stone there would add, for either side:

    gains[cell, side]  =  sum over the lines through the cell of
        ahead[n]    for a line with n stones of that side only: the value of one more
        against[n]  for a line with n stones of the other side only: the value of blocking it

A position at the horizon then costs one addition: the value of the position before it and the
gain of the move. A stone changes the gains of its lines' cells, and taking it back changes them
by as much again: a gain depends on nothing but the lines, so nothing has to be remembered. The
gains of cells that hold a stone are kept up too, and not used.

A move that wins gains WINNING for each line it completes, more than any others together.

Where a line loses (misère), all of this has the other sign: a line is a danger to its side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.board import PLY, Board
from inarow.engine.jit import inline
from inarow.engine.tables import Int32s, Int64s, Tables

COMPLETED, ALMOST, HALFWAY = 10_000, 1_000, 100  # a line with k, k - 1 and k - 2 stones
WIN = 9_999_999  # a won game, less the moves until then

WINNING = 1 << 30  # no cell lies on lines enough to gain as much without a win
LOSING = -(WINNING >> 1)  # no move gains as little unless it completes a line that loses
NOTHING = -(1 << 60)  # what a move gains that cannot be made


class Lines(NamedTuple):
    """The lines of a position in search, and their value."""

    cells: Int32s  # [lines, k] the cells of each line
    counts: Int32s  # [lines] stones of the first side, and 65536 times those of the second
    gains: Int64s  # [cells + 1, 2] as above; the last row, for a full column, holds NOTHING
    line_value: Int64s  # [k + 1] of a line with so many stones of one side and none of the other
    ahead: Int64s  # [k + 1] what one more stone adds to it
    against: Int64s  # [k + 1] what a stone of the other side takes from it


def new_lines(tables: Tables) -> Lines:
    """The lines of a game, with memory for a position of it."""
    k = tables.k
    through = np.repeat(np.arange(tables.cells), np.diff(tables.line_start))
    cells = through[np.argsort(tables.line_at, kind="stable")].reshape(-1, k)
    line_value = np.zeros(k + 1, dtype=np.int64)
    for stones, value in ((k - 2, HALFWAY), (k - 1, ALMOST)):
        if stones > 0:
            line_value[stones] = value
    line_value[k] = COMPLETED if tables.scoring else 0
    ahead = np.append(np.diff(line_value), 0)
    if tables.misere:
        line_value, ahead = -line_value, -ahead
    if not tables.scoring:
        ahead[k - 1] = -WINNING if tables.misere else WINNING
    against = line_value.copy()
    against[0] = ahead[0]  # an empty line is as good for the other side
    against[k] = 0
    return Lines(
        cells=cells.astype(np.int32),
        counts=np.zeros(len(cells), dtype=np.int32),
        gains=np.full((tables.cells + 1, 2), NOTHING, dtype=np.int64),
        line_value=line_value,
        ahead=ahead,
        against=against,
    )


def win_value(tables: Tables) -> int:
    """The value of a won game: the paper's 9,999,999, or more where lines could outweigh it."""
    line = COMPLETED if tables.scoring else ALMOST
    return max(WIN, line * len(tables.line_words) + 2 * tables.cells)


@inline
def load_lines(tables: Tables, board: Board, lines: Lines) -> int:
    """Sets up the lines of a board that goes on; returns its value for the side to move."""
    counts, gains, k = lines.counts, lines.gains, tables.k
    for cell in range(tables.cells):
        gains[cell, 0] = 0
        gains[cell, 1] = 0
    total = 0
    for line in range(len(counts)):
        first = board.lines[line] & 0xFFFF
        second = (board.lines[line] >> 16) & 0xFFFF
        counts[line] = first + (second << 16)
        if first != 0 and second != 0:
            continue
        total += lines.line_value[first] - lines.line_value[second]
        for i in range(k):
            cell = lines.cells[line, i]
            gains[cell, 0] += lines.against[second] if second != 0 else lines.ahead[first]
            gains[cell, 1] += lines.against[first] if first != 0 else lines.ahead[second]
    return total if board.counters[PLY] & 1 == 0 else -total


@inline
def put_stone(tables: Tables, lines: Lines, cell: int, side: int) -> None:
    """Updates the gains of both sides for a stone that completes no line that ends the game."""
    for i in range(tables.line_start[cell], tables.line_start[cell + 1]):
        line = tables.line_at[i]
        _change(tables, lines, line, side, 1)
        lines.counts[line] += 1 << (16 * side)


@inline
def take_stone(tables: Tables, lines: Lines, cell: int, side: int) -> None:
    """The reverse of `put_stone`."""
    for i in range(tables.line_start[cell], tables.line_start[cell + 1]):
        line = tables.line_at[i]
        lines.counts[line] -= 1 << (16 * side)
        _change(tables, lines, line, side, -1)


@inline
def _change(tables: Tables, lines: Lines, line: int, side: int, sign: int) -> None:
    """What a stone in a line changes for its cells, added (sign 1) or taken away (sign -1)."""
    count, gains = lines.counts[line], lines.gains
    own, other = (count >> (16 * side)) & 0xFFFF, (count >> (16 - 16 * side)) & 0xFFFF
    if other == 0:
        own_change = lines.ahead[own + 1] - lines.ahead[own]
        other_change = lines.against[own + 1] - lines.against[own]
    elif own == 0:
        own_change, other_change = -lines.against[other], -lines.ahead[other]
    else:
        return  # a line with stones of both sides counts no more
    if own_change != 0 or other_change != 0:
        for place in range(tables.k):
            cell = lines.cells[line, place]
            gains[cell, side] += sign * own_change
            gains[cell, 1 - side] += sign * other_change


@inline
def change_replies(tables: Tables, lines: Lines, cell: int, side: int, sign: int) -> None:
    """What a stone changes for the other side's next move only; the counts stay as they are.

    Enough for the last stone but one before the horizon, and less than half the work. Undone by
    the same call with sign -1.
    """
    own_shift, other_shift = 16 * side, 16 - 16 * side
    for i in range(tables.line_start[cell], tables.line_start[cell + 1]):
        line = tables.line_at[i]
        count = lines.counts[line]
        own, other = (count >> own_shift) & 0xFFFF, (count >> other_shift) & 0xFFFF
        if other == 0:
            change = lines.against[own + 1] - lines.against[own]
        elif own == 0:
            change = -lines.ahead[other]
        else:
            continue
        if change != 0:
            for place in range(tables.k):
                lines.gains[lines.cells[line, place], 1 - side] += sign * change
