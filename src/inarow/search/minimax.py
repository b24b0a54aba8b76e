"""Minimax with a depth limit, as a player and as a question about one position.

The Connect Four paper's agent, for every k-in-a-row game. Its value of a position is the paper's
utility, its move the first of the best in an explicit order, as if the whole tree had been looked
at in that order. The first half of this file is the search, which looks at less of it: the
heuristic, the stack, alpha-beta and the horizon. The second half asks it, and is the player.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeGuard

import numpy as np
import numpy.typing as npt

from inarow.engine.board import (
    PLY,
    Board,
    Int32s,
    Int64s,
    Stones,
    Tables,
    load,
    new_board,
    tables_of,
)
from inarow.engine.clock import Stopwatch
from inarow.engine.jit import inline, jit
from inarow.engine.players import answers_to, is_unchanged, note_class, register_player
from inarow.engine.streams import Stream
from inarow.game import Game, InputError, Position
from inarow.game.position import require_unfinished

# The value of a position before its end: open lines counted, and what each move would add.
#
# The utility of the Connect Four paper: a line with k - 1 own stones and its last cell empty counts
# 1000, one with k - 2 and two cells empty 100, and the opponent's lines count against it.
# (With k = 2 the lower of these would be an empty line, open to both, which cancels out.) Where
# lines are counted, each completed one counts 10,000.
#
# Such a sum changes with a stone only through the lines that cross its cell. So for every cell the
# search keeps what a stone there would add, for either side:
#
#     gains[cell, side]  =  sum over the lines through the cell of
#         ahead[n]    for a line with n stones of that side only: the value of one more
#         against[n]  for a line with n stones of the other side only: the value of blocking it
#
# A position at the horizon then costs one addition: the value of the position before it and the
# gain of the move. A stone changes the gains of its lines' cells, and taking it back changes them
# by as much again: a gain depends on nothing but the lines, so nothing has to be remembered. The
# gains of cells that hold a stone are kept up too, and not used.
#
# A move that wins gains WINNING for each line it completes, more than any others together.
#
# Where a line loses (misère), all of this has the other sign: a line is a danger to its side.

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
    """Set up the lines of a board that goes on; return its value for the side to move."""
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
    """Update the gains of both sides for a stone that completes no line that ends the game."""
    for i in range(tables.line_start[cell], tables.line_start[cell + 1]):
        line = tables.line_at[i]
        _change(tables, lines, line, side, 1)
        lines.counts[line] += 1 << (16 * side)


@inline
def take_stone(tables: Tables, lines: Lines, cell: int, side: int) -> None:
    """Undo `put_stone`."""
    for i in range(tables.line_start[cell], tables.line_start[cell + 1]):
        line = tables.line_at[i]
        lines.counts[line] -= 1 << (16 * side)
        _change(tables, lines, line, side, -1)


@inline
def _change(tables: Tables, lines: Lines, line: int, side: int, sign: int) -> None:
    """Add (sign 1) or take away (-1) what a stone in a line changes for its cells."""
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
    """Change the gains of the other side's next move only, for a stone.

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


# The memory of a depth-limited search: a row for each move of the depth, and the moves in it.
#
# The tree is walked with a stack of its own, so that the walk can stop at any node, go back to
# Python and go on later, and so that memory is what the Connect Four paper expects of it: O(b d).

INFINITE = 1 << 62
UNKNOWN = INFINITE + 1  # no value: it is still to be searched for
SLOT_BITS = 13  # a key holds the gain of a move above, and below how early the move stands
SLOT_MASK = (1 << SLOT_BITS) - 1


class Row(NamedTuple):
    """Where each number of a node stands in its row of `Search.rows`."""

    score: int = 0  # the heuristic for the side to move
    best: int = 1  # the best value so far: the lower bound
    beta: int = 2  # the upper bound: at this or above, the node need not be known
    moves: int = 3  # moves still to be searched
    slot: int = 4  # the place in the explicit order of the move that is being searched
    cell: int = 5  # its cell


SCORE, BEST, BETA, MOVES, SLOT, CELL = Row()


class State(NamedTuple):
    """Where each number of a search that may be interrupted stands in `Search.state`."""

    depth: int = 0  # moves to the horizon
    row: int = 1  # the node that the walk is at
    side: int = 2  # to move at the root
    stones: int = 3  # on the board at the root
    nodes: int = 4  # positions whose moves were looked at
    all_moves: int = 5  # 1: the exact value of every move at the root, not of the best alone
    best_slot: int = 6  # the best move at the root so far
    stamp: int = 7  # the last number used in `stamps`


DEPTH, ROW, SIDE, STONES, NODES, ALL_MOVES, BEST_SLOT, STAMP = State()


class Search(NamedTuple):
    """The memory of a search. A *slot* is a move's place in the explicit order."""

    order: Int32s  # [moves] the moves, from the first to the last among equals
    spots: Int32s  # [moves] by slot, the cell that the move fills; the number of cells if none
    values: Int64s  # [moves] by slot, the values of the root's moves
    lines: Lines
    keys: Int64s  # [depth, moves] the moves still to be searched, in no order
    rows: Int64s  # [depth, 6] see Row
    stamps: Int64s  # [cells + 1] a cell shares a line with the reply of the node so numbered
    state: Int64s  # [8] see State
    win: int  # the value of a won game, less the moves until then


def new_search(tables: Tables, depth: int, order: Int32s) -> Search:
    """Memory for searches up to a depth."""
    depth = min(depth, tables.cells)
    return Search(
        order=order,
        spots=np.zeros(tables.columns, dtype=np.int32),
        values=np.zeros(tables.columns, dtype=np.int64),
        lines=new_lines(tables),
        keys=np.zeros((depth, tables.columns), dtype=np.int64),
        rows=np.zeros((depth, len(Row())), dtype=np.int64),
        stamps=np.zeros(tables.cells + 1, dtype=np.int64),
        state=np.zeros(len(State()), dtype=np.int64),
        win=win_value(tables),
    )


@inline
def list_moves(tables: Tables, search: Search, row: int, side: int) -> int:
    """Write the keys of the possible moves into the row; return their number."""
    count = 0
    for slot in range(tables.columns):
        cell = search.spots[slot]
        if cell != tables.cells:
            gain = search.lines.gains[cell, side]
            search.keys[row, count] = (gain << SLOT_BITS) + (SLOT_MASK - slot)
            count += 1
    return count


@inline
def next_key(search: Search, row: int, count: int) -> int:
    """Take the highest of the row's keys out; the last one takes its place."""
    keys, highest = search.keys, 0
    for i in range(1, count):
        if keys[row, i] > keys[row, highest]:
            highest = i
    key = keys[row, highest]
    keys[row, highest] = keys[row, count - 1]
    return key


# Depth-limited alpha-beta for every k-in-a-row game, with the line heuristic and sorted moves.
#
# What it finds is what plain minimax finds that looks at the moves in the explicit order and keeps
# the first of the best. What makes it fast leaves the answer alone:
#
# - Moves are looked at by what they gain, the highest first. At the root a move that
#   stands earlier in the explicit order than the best so far is searched with a window that lets
#   an equal value in, so that the order of the search never decides.
# - Where the other side would win by its next move, only the move that prevents it is searched.
# - Near the horizon no stone is placed any more.
#
# Where a line loses (misère), gains can be negative, and only the first of these holds.
#
# Values are those of the side to move: the heuristic, or `Search.win` less the moves until a win,
# or the negative of that, or 0 for a draw. Within a node, a value not above the lower bound says
# only that the true one is not above it either.


@jit
def begin(tables: Tables, board: Board, search: Search, depth: int, all_moves: bool) -> None:
    """Set up the search of a position that goes on."""
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
    """Take the first move that wins at once: nothing is better."""
    for slot in range(tables.columns):
        if search.lines.gains[search.spots[slot], search.state[SIDE]] >= WINNING:
            search.state[BEST_SLOT] = slot
            search.rows[0, BEST], search.rows[0, MOVES] = search.win - 1, 0
            return


@inline
def enter(tables: Tables, search: Search, row: int, side: int, alpha: int, beta: int) -> int:
    """Return the value of a node where it is known at once; else UNKNOWN."""
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
    """Take in that a move of a node turned out to have this value."""
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
    """Walk on until the root is known; False where it stopped after so many nodes."""
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


# The last two moves before the horizon, where no stone is placed any more.
#
# A move there has the value of what it gains less what the best reply gains. Two
# things spare most moves even that, and leave the value alone:
#
# - A gain is never negative. So where the moves, by falling gain, gain too little, all that follow
#   do.
# - A move that shares no line with the best reply leaves that reply as it is, and is judged by it
#   alone.


@inline
def value_after(search: Search, row: int, score: int, reply: int) -> int:
    """The value of a move that brings the score here, if the best reply gains so much."""
    return score - reply if reply < WINNING else row + 2 - search.win


@inline
def best_reply(
    tables: Tables, search: Search, slot: int, side: int, known: int, enough: int
) -> int:
    """Return the gain of the best reply to a move, or any gain that is enough."""
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
    """Mark the cells that share a line with a cell; return the mark."""
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


NO_STOP = 1 << 62
CHUNK = 2_000_000  # moves looked at between two looks at the clock: a fraction of a second


def _ascending(tables: Tables) -> Int32s:
    return np.arange(tables.columns, dtype=np.int32)


def _descending(tables: Tables) -> Int32s:
    return _ascending(tables)[::-1].copy()


def _central(tables: Tables) -> Int32s:
    through = np.diff(tables.line_start).reshape(-1, tables.columns).sum(axis=0)
    return np.argsort(-through, kind="stable").astype(np.int32)


# Which of several equally good moves is taken.
ORDERS: dict[str, Callable[[Tables], Int32s]] = {
    "ascending": _ascending,  # the lowest number: from left to right, as in the paper
    "descending": _descending,  # the highest number
    "central": _central,  # the one that most lines cross (with gravity, all of its column)
}


@dataclass(frozen=True)
class SearchResult:
    """The result of a search, seen by the side to move."""

    move: int
    value: int  # of the position: the heuristic, or a win or loss adjusted by the moves until it
    ending: int | None  # moves until a win, negative for a loss; None where neither is certain
    depth: int  # moves looked ahead
    nodes: int  # positions whose moves were looked at
    values: dict[int, int] | None  # of every move, where asked for


class Searcher:
    """A searcher of positions of one game, in memory that it keeps."""

    def __init__(self, tables: Tables, depth: int, order: str = "ascending") -> None:
        self.depth = depth
        self.tables = tables
        self.board = new_board(tables)
        self.chunk = max(1_000, CHUNK // tables.columns)  # in nodes, which look at all moves
        self.search = new_search(tables, _checked(depth), _order(tables, order))

    @property
    def bytes(self) -> int:
        """The memory of the search itself: all it ever allocates."""
        return sum(array.nbytes for array in _arrays(self.search))

    def run(
        self, stones: Stones, time_limit: float | None = None, all_moves: bool = False
    ) -> SearchResult:
        """Search the position of these stones.

        With a time limit (seconds) it searches one move deep, then two, and so on; the answer is
        that of the last depth that was finished, at least the first. Compiled code comes back
        every fraction of a second, so that the clock and an interrupt from the keyboard count.
        """
        watch, nodes, result = Stopwatch(), 0, None
        limit = np.inf if time_limit is None else time_limit
        deepest = min(self.depth, int(np.count_nonzero(stones == 0)))
        for depth in range(deepest if time_limit is None else 1, deepest + 1):
            _begin_at(self.tables, self.board, stones, self.search, depth, all_moves)
            while not traverse(self.tables, self.search, self.search.state[NODES] + self.chunk):
                if result is not None and watch.seconds > limit:
                    return result
            nodes += int(self.search.state[NODES])
            result = self._result(depth, nodes, all_moves)
            # Where a win or loss is certain, nothing changes any more further down.
            if result.ending is not None or watch.seconds > limit:
                break
        if result is None:
            raise InputError("the board is full: there is no move to search for")
        return result

    def _result(self, depth: int, nodes: int, all_moves: bool) -> SearchResult:
        search, cells = self.search, self.tables.cells
        value, win = int(search.rows[0, BEST]), win_value(self.tables)
        certain = abs(value) >= win - cells
        distance = win - abs(value)
        values = None
        if all_moves:
            possible = [slot for slot in range(len(search.order)) if search.spots[slot] < cells]
            found = {int(search.order[slot]): int(search.values[slot]) for slot in possible}
            values = dict(sorted(found.items()))
        return SearchResult(
            move=int(search.order[search.state[BEST_SLOT]]),
            value=value,
            ending=(distance if value > 0 else -distance) if certain else None,
            depth=depth,
            nodes=nodes,
            values=values,
        )


def search(
    position: Position,
    depth: int,
    order: str = "ascending",
    time_limit: float | None = None,
    all_moves: bool = False,
) -> SearchResult:
    """Return what minimax of a depth plays, and with `all_moves` every move's value."""
    if position.outcome is not None:
        raise InputError(f"the game is over ({position.outcome}): there is no move to search for")
    searcher = Searcher(tables_of(position.game), depth, order)
    return searcher.run(np.array(position.stones, dtype=np.int8), time_limit, all_moves)


class MinimaxPlayer(NamedTuple):
    """Minimax of a fixed depth for compiled loops."""

    search: Search
    depth: int
    nodes: Int64s  # [1] looked at in all games so far


@note_class
class TimedMinimax:
    """Minimax by the clock: as deep as the seconds a move allow, and no deeper than `depth`.

    Named as in `minimax:20/0.5s`. Compiled loops have no clock, so it plays from Python, and its
    games depend on the machine.
    """

    def __init__(
        self, depth: int, time_limit: float | None = None, order: str = "ascending"
    ) -> None:
        if order not in ORDERS:
            raise InputError(f"unknown order '{order}': it is one of {', '.join(ORDERS)}")
        if time_limit is not None and not time_limit > 0:
            raise InputError(f"a time limit of {time_limit} s leaves no time: it is above 0")
        self.depth, self.order, self.time_limit = _checked(depth), order, time_limit
        self.name = f"minimax:{depth}" + (f"@{order}" if order != "ascending" else "")
        self.name += f"/{time_limit:g}s" if time_limit is not None else ""
        self._searcher: Searcher | None = None
        self._made_for: tuple[Game, int, str] | None = None

    def move(self, position: Position) -> int:
        """The move to play."""
        require_unfinished(position)
        asked = position.game, self.depth, self.order
        if self._searcher is None or self._made_for != asked:
            self._searcher = Searcher(tables_of(position.game), self.depth, self.order)
            self._made_for = asked
        stones = np.array(position.stones, dtype=np.int8)
        return self._searcher.run(stones, self.time_limit).move

    def __repr__(self) -> str:
        return f"<player {self.name}>"


@note_class
class Minimax(TimedMinimax):
    """Minimax of a depth, for compiled loops and for Python: `minimax:6`, `minimax:6@central`."""

    def __init__(self, depth: int, order: str = "ascending") -> None:
        super().__init__(depth, None, order)

    @answers_to(TimedMinimax.move)
    def compiled(self, tables: Tables) -> MinimaxPlayer:
        """The player as arrays; refused if a time limit has been set, which loops do not keep."""
        if self.time_limit is not None:
            raise InputError(f"{self.name} has a time limit, so it has no compiled form")
        memory = new_search(tables, self.depth, _order(tables, self.order))
        return MinimaxPlayer(memory, self.depth, np.zeros(1, dtype=np.int64))


def is_minimax(some_player: object) -> TypeGuard[TimedMinimax]:
    """Return whether a player moves by minimax as it is here, with a clock or without."""
    return is_unchanged(some_player, Minimax) or is_unchanged(some_player, TimedMinimax)


@inline
def begin_minimax(player: MinimaxPlayer, stream: Stream) -> None:
    """Do nothing: no state is kept from game to game."""


@jit
def find_best_slot(tables: Tables, board: Board, player: MinimaxPlayer) -> int:
    """The place in the player's order of the one move that it chooses."""
    begin(tables, board, player.search, player.depth, False)
    traverse(tables, player.search, NO_STOP)
    player.nodes[0] += player.search.state[NODES]
    return player.search.state[BEST_SLOT]


@inline
def choose_by_minimax(tables: Tables, board: Board, player: MinimaxPlayer, stream: Stream) -> int:  # noqa: ARG001
    """Return the cell of the first of the best moves, always the same one."""
    return player.search.spots[find_best_slot(tables, board, player)]


@inline
def write_minimax_policy(
    tables: Tables, board: Board, player: MinimaxPlayer, weights: npt.NDArray[np.float64]
) -> None:
    """Write weight 1 for the one move that it chooses."""
    weights[player.search.order[find_best_slot(tables, board, player)]] = 1.0


register_player(MinimaxPlayer, begin_minimax, choose_by_minimax, write_minimax_policy)


@jit
def _begin_at(
    tables: Tables, board: Board, stones: Stones, search: Search, depth: int, all_moves: bool
) -> None:
    load(tables, board, stones)
    begin(tables, board, search, depth, all_moves)


def _checked(depth: int) -> int:
    if depth < 1:
        raise InputError(f"depth {depth} looks at no move: it is 1 or more")
    return depth


def _order(tables: Tables, name: str) -> Int32s:
    if name not in ORDERS:
        raise InputError(f"unknown order '{name}': it is one of {', '.join(ORDERS)}")
    return ORDERS[name](tables)


def _arrays(search: Search) -> list[npt.NDArray[np.generic]]:
    return [part for part in [*search, *search.lines] if isinstance(part, np.ndarray)]
