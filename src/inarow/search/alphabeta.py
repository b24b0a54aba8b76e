"""Depth-limited alpha-beta for every k-in-a-row game, with the line heuristic and sorted moves.

What it finds is what plain minimax finds that looks at the moves in the explicit order and keeps
the first of the best. What makes it fast leaves the answer alone:

- Moves are looked at by what they gain (`heuristic`), the highest first. At the root a move that
  stands earlier in the explicit order than the best so far is searched with a window that lets
  an equal value in, so that the order of the search never decides.
- Where the other side would win by its next move, only the move that prevents it is searched.
- Near the horizon no stone is placed any more (`horizon`).

Where a line loses (misère), gains can be negative, and only the first of these holds.

Values are those of the side to move: the heuristic, or `Search.win` less the moves until a win,
or the negative of that, or 0 for a draw. Within a node, a value not above the lower bound says
only that the true one is not above it either.
"""

from __future__ import annotations

from inarow.engine.board import PLY, Board
from inarow.engine.jit import inline, jit
from inarow.engine.tables import Tables
from inarow.search.heuristic import LOSING, WINNING, load_lines, put_stone, take_stone
from inarow.search.horizon import last_one, last_two
from inarow.search.stack import (
    ALL_MOVES,
    BEST,
    BEST_SLOT,
    BETA,
    CELL,
    DEPTH,
    INFINITE,
    MOVES,
    NODES,
    ROW,
    SCORE,
    SIDE,
    SLOT,
    SLOT_BITS,
    SLOT_MASK,
    STONES,
    UNKNOWN,
    Search,
    list_moves,
    next_key,
)


@jit
def begin(tables: Tables, board: Board, search: Search, depth: int, all_moves: bool) -> None:
    """Sets up the search of a position that goes on."""
    state, row = search.state, search.rows[0]
    for slot in range(tables.columns):
        cell = search.order[slot]
        while cell >= 0 and board.stones[cell] != 0:
            cell = tables.above[cell]
        search.spots[slot] = cell if cell >= 0 else tables.cells
    state[STONES] = board.counters[PLY]
    state[SIDE] = state[STONES] & 1
    state[DEPTH] = min(depth, tables.cells - state[STONES])
    state[ROW], state[NODES], state[ALL_MOVES] = 0, 1, all_moves
    state[BEST_SLOT] = tables.columns
    row[SCORE] = load_lines(tables, board, search.lines)
    row[BEST], row[BETA] = -INFINITE, INFINITE
    row[MOVES] = list_moves(tables, search, 0, state[SIDE])
    if not tables.scoring and not tables.misere and not all_moves:
        take_first_win(tables, search)


@inline
def take_first_win(tables: Tables, search: Search) -> None:
    """Where a move wins at once, the first that does is the answer: nothing is better."""
    for slot in range(tables.columns):
        if search.lines.gains[search.spots[slot], search.state[SIDE]] >= WINNING:
            search.state[BEST_SLOT] = slot
            search.rows[0, BEST], search.rows[0, MOVES] = search.win - 1, 0
            return


@inline
def enter(tables: Tables, search: Search, row: int, side: int, alpha: int, beta: int) -> int:
    """The value of a node where it can be told at once; else UNKNOWN, with its moves listed."""
    state, node = search.state, search.rows[row]
    state[NODES] += 1
    score, left = node[SCORE], state[DEPTH] - row
    if state[STONES] + state[DEPTH] < tables.cells:
        if left == 1:
            return last_one(tables, search, row, side, score)
        if left == 2 and not tables.misere:
            return last_two(tables, search, row, side, score, alpha, beta)
    node[BEST], node[BETA] = alpha, beta
    node[MOVES] = list_moves(tables, search, row, side)
    if tables.scoring or tables.misere:
        return UNKNOWN
    threats, threat = 0, 0
    for slot in range(tables.columns):
        cell = search.spots[slot]
        if search.lines.gains[cell, side] >= WINNING:
            return search.win - row - 1
        if search.lines.gains[cell, 1 - side] >= WINNING:
            threats, threat = threats + 1, slot
    if threats > 0 and left > 1:  # no move is worse than one that lets the other side win
        if threats > 1:
            return row + 2 - search.win
        gain = search.lines.gains[search.spots[threat], side]
        search.keys[row, 0] = (gain << SLOT_BITS) + (SLOT_MASK - threat)
        node[MOVES] = 1
    return UNKNOWN


@inline
def value_at_once(tables: Tables, search: Search, row: int, gain: int) -> int:
    """The value of a move that ends the game or reaches the horizon; else UNKNOWN."""
    state = search.state
    after = search.rows[row, SCORE] + gain
    if gain >= WINNING:
        return search.win - row - 1
    if gain <= LOSING:
        return row + 1 - search.win
    if state[STONES] + row + 1 == tables.cells:
        if not tables.scoring or after == 0:
            return 0
        return search.win - row - 1 if after > 0 else row + 1 - search.win
    return after if state[DEPTH] - row == 1 else UNKNOWN


@inline
def absorb(search: Search, row: int, value: int) -> None:
    """A move of a node turned out to have this value."""
    node = search.rows[row]
    if row == 0:
        search.values[node[SLOT]] = value
        slot, best = search.state[BEST_SLOT], node[BEST]
        if value > best or (value == best and node[SLOT] < slot):
            node[BEST] = value
            search.state[BEST_SLOT] = node[SLOT]
    else:
        node[BEST] = max(node[BEST], value)


@inline
def lower_bound(search: Search, row: int, slot: int) -> int:
    """The value that a move must exceed to be of interest."""
    best = search.rows[row, BEST]
    if row > 0:
        return best
    if search.state[ALL_MOVES] != 0:
        return -INFINITE
    return best - (slot < search.state[BEST_SLOT] and best > -INFINITE)


@jit
def traverse(tables: Tables, search: Search, stop: int) -> bool:
    """Walks on until the root is known; False where it stopped after so many nodes."""
    state, rows, lines, spots = search.state, search.rows, search.lines, search.spots
    row = state[ROW]
    while True:
        node = rows[row]
        side = (state[SIDE] + row) & 1
        if node[MOVES] == 0 or node[BEST] >= node[BETA]:  # the node is known
            if row == 0:
                return True
            value = -node[BEST]
            row -= 1
            node, side = rows[row], 1 - side
        elif state[NODES] >= stop:
            state[ROW] = row
            return False
        else:
            key = next_key(search, row, node[MOVES])
            node[MOVES] -= 1
            slot, gain = SLOT_MASK - (key & SLOT_MASK), key >> SLOT_BITS
            node[SLOT], node[CELL] = slot, spots[slot]
            value = value_at_once(tables, search, row, gain)
            if value != UNKNOWN:
                absorb(search, row, value)
                continue
            above = tables.above[node[CELL]]
            spots[slot] = above if above >= 0 else tables.cells
            put_stone(tables, lines, node[CELL], side)
            rows[row + 1, SCORE] = -(node[SCORE] + gain)
            alpha = lower_bound(search, row, slot)
            value = enter(tables, search, row + 1, 1 - side, -node[BETA], -alpha)
            if value == UNKNOWN:
                row += 1
                continue
            value = -value
        spots[node[SLOT]] = node[CELL]
        take_stone(tables, lines, node[CELL], side)
        absorb(search, row, value)
