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

import numpy as np

from inarow.engine.jit import inline
from inarow.search.bitboard import ONE, ZERO, Layout, has_line, playable, popcount, signed
from inarow.search.search_stack import UNKNOWN


@inline
def from_there_up(layout: Layout, cells: np.uint64) -> np.uint64:
    """In each column its lowest of these cells and all above; nothing where it has none."""
    return (cells | (layout.above - cells)) & layout.board  # -x leaves the lowest bit, turns higher


@inline
def whole_columns(layout: Layout, top_cells: np.uint64) -> np.uint64:
    """The columns that end in these cells of the top row."""
    return (top_cells << ONE) - (top_cells >> (layout.column - ONE - ONE))


@inline
def follow_up_bound(
    layout: Layout, own: np.uint64, mask: np.uint64, threats: np.uint64, left: int, alpha: int
) -> int:
    """A score of at most alpha that the side to move cannot exceed, or UNKNOWN.

    `own` are its stones, `threats` the cells where the other side would complete a line.
    """
    empty, open_cells = layout.board & ~mask, playable(layout, mask)
    singles = open_cells & layout.uppers
    uppers, lowers = empty & layout.uppers & ~singles, empty & ~layout.uppers
    odd_columns = from_there_up(layout, singles)
    shut_odd = (threats & lowers & odd_columns) >> ONE
    top_cells = from_there_up(layout, shut_odd) & layout.top
    if (signed(popcount(top_cells)) ^ left) & 1 != 0:  # the other singles make no pairs
        if left & 1 != 0:
            return UNKNOWN
        shut_odd = top_cells = ZERO
    shut = from_there_up(layout, shut_odd | ((threats & uppers & ~odd_columns) >> ONE))
    score = -(signed(popcount(shut)) >> 1)
    if score == 0 and alpha == -1 and has_line(layout, (own ^ mask) | uppers):
        score = -1  # the upper cells, which the follower gets in the end, hold a line
    if score > alpha:
        return UNKNOWN
    from_foot = whole_columns(layout, top_cells)
    reach = ((lowers | singles) & ~from_foot) | (empty & layout.uppers & from_foot)
    reach &= ~(shut & (shut << ONE))  # of what is shut the lowest cell alone
    return UNKNOWN if has_line(layout, own | reach) else score
