"""What the side that waits can force by answering above every stone: a bound without a search.

Call the side to move the *leader* and the other the *follower*. Count the empty cells of each
column in pairs from the top; where one is left over at the foot, it is single. The follower
answers a stone on the lower cell of a pair with the upper one, and a stone on a single with
another single. With an even number of cells empty the number of singles is even, so it always
can. Then the leader gets lower cells and singles, and nothing else.

A *threat* is an empty cell where the follower would complete a line. With a threat on an upper
cell, the leader cannot play below it without losing at once: the column is shut from there on. In
a column with a single the follower can answer above, too: pairs are then counted from the foot,
the leader gets the lower cells of those, and a threat on one of the others shuts the column:

    | . |  upper        | . |  upper
    | . |  lower        | . |  lower
    | t |  upper        | . |  upper
    | x |  lower        | t |  lower     t: a threat of the follower
    | . |  upper        | x |  single    x: the last cell the leader can take here; then it loses
    | . |  lower        | o |

Such columns leave the singles of the others: their number must be even, so it depends on the
number of empty cells which of them count. If the leader has no line among its stones and the
cells that it can get, it does not win. If a column is shut, it runs out of other moves in the end,
plays there and loses: all cells that are shut but two are empty then. This is zugzwang, and the
reason why the first player of Connect Four wants threats on odd rows and the second on even ones
(Allis, A Knowledge-based Approach of Connect-Four, 1988: claimeven, and control of zugzwang).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inarow.engine.jit import dispatch_by_type, inline
from inarow.search import bitboard, masks
from inarow.search.bitboard import ZERO, Layout, popcount, signed
from inarow.search.masks import Lines
from inarow.search.solver_loop import UNKNOWN

Board = Layout | Lines


class Columns(NamedTuple):
    """The compiled functions that know a board's columns, as those below."""

    playable: Callable[..., np.uint64]
    has_line: Callable[..., bool]
    upwards: Callable[..., np.uint64]
    downwards: Callable[..., np.uint64]


COLUMNS = {
    Layout: Columns(bitboard.playable, bitboard.has_line, bitboard.upwards, bitboard.downwards),
    Lines: Columns(masks.open_cells, masks.has_line, masks.upwards, masks.downwards),
}


@dispatch_by_type("board", COLUMNS)
def playable(board: Board, mask: np.uint64) -> np.uint64:
    """The cells that a stone can fall to."""
    raise NotImplementedError


@dispatch_by_type("board", COLUMNS)
def has_line(board: Board, stones: np.uint64) -> bool:
    """Return whether the given cells hold a line."""
    raise NotImplementedError


@dispatch_by_type("board", COLUMNS)
def upwards(board: Board, cells: np.uint64) -> np.uint64:
    """Return each column's lowest given cell and all above; nothing without one."""
    raise NotImplementedError


@dispatch_by_type("board", COLUMNS)
def downwards(board: Board, top_cells: np.uint64) -> np.uint64:
    """Return the whole columns that end in the given cells of the top row."""
    raise NotImplementedError


@inline
def follow_up_bound(
    board: Board, own: np.uint64, mask: np.uint64, threats: np.uint64, left: int, alpha: int
) -> int:
    """Return a score up to alpha that the mover cannot exceed, or UNKNOWN.

    `own` are its stones, `threats` the cells where the other side would complete a line.
    """
    empty, open_cells = board.board & ~mask, playable(board, mask)
    singles = open_cells & board.uppers
    uppers, lowers = empty & board.uppers & ~singles, empty & ~board.uppers
    odd_columns = upwards(board, singles)
    shut_odd = (threats & lowers & odd_columns) >> board.layer
    top_cells = upwards(board, shut_odd) & board.top
    if (signed(popcount(top_cells)) ^ left) & 1 != 0:  # the other singles make no pairs
        if left & 1 != 0:
            return UNKNOWN
        shut_odd = top_cells = ZERO
    shut = upwards(board, shut_odd | ((threats & uppers & ~odd_columns) >> board.layer))
    score = -(signed(popcount(shut)) >> 1)
    if score == 0 and alpha == -1 and has_line(board, (own ^ mask) | uppers):
        score = -1  # the upper cells, which the follower gets in the end, hold a line
    if score > alpha:
        return UNKNOWN
    from_foot = downwards(board, top_cells)
    reach = ((lowers | singles) & ~from_foot) | (empty & board.uppers & from_foot)
    reach &= ~(shut & (shut << board.layer))  # of what is shut the lowest cell alone
    return UNKNOWN if has_line(board, own | reach) else score
