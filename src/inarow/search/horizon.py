"""The last two moves before the horizon, where no stone is placed any more.

A move there has the value of what it gains less what the best reply gains (`heuristic`). Two things
spare most moves even that, and leave the value alone:

- A gain is never negative. So where the moves, by falling gain, gain too little, all that follow
  do.
- A move that shares no line with the best reply leaves that reply as it is, and is judged by it
  alone.
"""

from __future__ import annotations

from inarow.engine.jit import inline
from inarow.engine.tables import Tables
from inarow.search.heuristic import LOSING, NOTHING, WINNING, change_replies
from inarow.search.stack import (
    NODES,
    SLOT_BITS,
    SLOT_MASK,
    STAMP,
    Search,
    list_moves,
    next_key,
)


@inline
def value_after(search: Search, row: int, score: int, reply: int) -> int:
    """The value of a move that brings the score here, if the best reply gains so much."""
    return score - reply if reply < WINNING else row + 2 - search.win


@inline
def best_reply(
    tables: Tables, search: Search, slot: int, side: int, known: int, enough: int
) -> int:
    """The gain of the other side's best reply to a move, or any gain that is enough."""
    cell, spots, gains = search.spots[slot], search.spots, search.lines.gains
    change_replies(tables, search.lines, cell, side, 1)
    above = tables.above[cell]
    spots[slot] = above if above >= 0 else tables.cells
    reply = gains[known, 1 - side] if known != cell else NOTHING
    if reply < enough:
        for other in range(tables.columns):
            reply = max(reply, gains[spots[other], 1 - side])
    spots[slot] = cell
    change_replies(tables, search.lines, cell, side, -1)
    return reply


@inline
def stamp_shared(tables: Tables, search: Search, cell: int) -> int:
    """Marks the cells that share a line with a cell; returns the mark."""
    search.state[STAMP] += 1
    stamp = search.state[STAMP]
    search.stamps[cell] = stamp
    for i in range(tables.line_start[cell], tables.line_start[cell + 1]):
        line = tables.line_at[i]
        for place in range(tables.k):
            search.stamps[search.lines.cells[line, place]] = stamp
    return stamp


@inline
def last_two(
    tables: Tables, search: Search, row: int, side: int, score: int, alpha: int, beta: int
) -> int:
    """The value of a node two moves before the horizon, which no full board comes before."""
    gains, spots = search.lines.gains, search.spots
    highest, reply, known = NOTHING, NOTHING, 0
    for slot in range(tables.columns):
        cell = spots[slot]
        highest = max(highest, gains[cell, side])
        if gains[cell, 1 - side] > reply:
            reply, known = gains[cell, 1 - side], cell
    if highest >= WINNING:
        return search.win - row - 1
    if score + highest <= alpha:
        return alpha
    count = list_moves(tables, search, row, side)
    stamp = stamp_shared(tables, search, known)
    best = alpha
    while count > 0 and best < beta:
        key = next_key(search, row, count)
        count -= 1
        slot, after = SLOT_MASK - (key & SLOT_MASK), score + (key >> SLOT_BITS)
        if after <= best:
            break  # the reply gains nothing at the least, and the moves to come gain less
        untouched = search.stamps[spots[slot]] != stamp
        if untouched and value_after(search, row, after, reply) <= best:
            continue
        search.state[NODES] += 1
        found = best_reply(tables, search, slot, side, known, min(after - best, WINNING))
        best = max(best, value_after(search, row, after, found))
    return best


@inline
def last_one(tables: Tables, search: Search, row: int, side: int, score: int) -> int:
    """The value of a node one move before the horizon, which is no full board."""
    highest = NOTHING
    for slot in range(tables.columns):
        highest = max(highest, search.lines.gains[search.spots[slot], side])
    if highest <= LOSING:
        return row + 1 - search.win
    return search.win - row - 1 if highest >= WINNING else score + highest
