"""What all solvers share: a stack that can stop and go on, a table, and the loop of questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inarow.engine.board import Int64s, Words
from inarow.engine.jit import dispatch_by_type, inline, jit, late_link, mark_no_inline
from inarow.search.bitboard import MAX_BITS, ONE, ZERO, Layout, Word, mirrored, popcount, signed
from inarow.search.masks import Lines

# The stack of a depth-first search, which can stop at any node and go on later.
#
# The solvers keep their own stack instead of calling themselves: a node is a row of words, and what
# else is needed to go on is a handful of numbers.

UNKNOWN = 1_000  # no score: the answer is still to be searched for


class State(NamedTuple):
    """Where each number of a search that may be interrupted stands in `SearchStack.state`."""

    position: int = 0  # the position of the batch that is being solved
    low: int = 1  # its score is at least this
    high: int = 2  # and at most this
    question: int = 3  # is it above this?
    alpha: int = 4  # the same question as it stands for the present node
    left: int = 5  # empty cells of the present node
    depth: int = 6  # rows above it; -1 while no question is open
    nodes: int = 7  # entered so far


POSITION, LOW, HIGH, QUESTION, ALPHA, LEFT, DEPTH, NODES = State()


# A node's row begins with what every solver has: the number of moves in all and not yet searched,
# the best score so far, a bound from the table, and a rank for each move that holds, in its lowest
# 8 bits, the place of the move in the row.
COUNT, TODO, BEST, UPPER, RANKS = (Word(place) for place in range(5))


class SearchStack(NamedTuple):
    """A search through the trees of a batch of positions, as far as it has come."""

    words: Words  # a row for each node from the first to the present one
    state: Int64s  # see State
    width: np.uint64  # words of a row


def new_stack(width: np.uint64) -> SearchStack:
    """A search that has not begun, with so many words for each node."""
    state = np.zeros(len(State()), dtype=np.int64)
    state[DEPTH] = -1
    return SearchStack(np.zeros((MAX_BITS + 1) * int(width), dtype=np.uint64), state, width)


# The transposition table of the solver: one 64-bit word an entry, exact.
#
# A position's key, own + mask, is unique: in a column with n stones it lies between 2^n - 1 and
# 2^(n+1) - 2. Multiplied by an odd constant it stays unique (that is a bijection of 64-bit words),
# but its upper bits are now well mixed. They say where the entry stands; the others are stored, so
# that index and entry together are the whole key and no entry is ever taken for another position:
#
#     key * constant = | index (table bits) | rest (64 - table bits)      |
#     entry          = | rest (64 - table bits)      | code (table bits)  |
#
# A position and its mirror image share an entry while there are few stones: later they meet too
# rarely to pay for the mirroring (measured on 6x7: the empty board takes a third less time).
#
# The code is a bound on the score, never 0, so that an empty entry (0) says nothing even where the
# rest is 0, as it is for the empty board.
#
# Threads may share a table without locks: an entry is one word, written and read at once.

MULTIPLIER = Word(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio, odd
CODES = Word(255)  # codes are from 1 to this
MIN_BITS = 8  # room for a code
OFFSET = 64  # a score is at least -32: what makes it positive

MIRROR_STONES = 12  # with so many stones or fewer, a position shares the entry of its mirror image
LATE_CELLS = 14  # with so many empty cells or fewer, a position goes to the late table
LATE_BITS = 16

SHARED_CELLS = 20  # with more empty cells, threads tell each other which positions they search
BUSY_BITS = 12


class Table(NamedTuple):
    """Two tables in one, for late and for early positions.

    A small one that stays in the processor's cache is for the many positions near the end, a large
    one for the few before them, each of which stands for more work.
    """

    early: Words
    early_bits: np.uint64
    late: Words
    late_bits: np.uint64
    busy: Words  # keys of positions that are being searched, for threads that share the table


def new_table(bits: int) -> Table:
    """An empty table with 2^bits entries for early positions."""
    sizes = (bits, LATE_BITS, BUSY_BITS)
    early, late, busy = (np.zeros(1 << size, dtype=np.uint64) for size in sizes)
    return Table(early, Word(bits), late, Word(LATE_BITS), busy)


@inline
def key_of(layout: Layout, own: np.uint64, mask: np.uint64, left: int) -> np.uint64:
    """The key of a position with so many empty cells, multiplied."""
    key = own + mask
    if layout.cells - left <= MIRROR_STONES:
        key = min(key, mirrored(layout, key))
    return key * MULTIPLIER


@inline
def place_of(bits: np.uint64, key: np.uint64) -> np.uint64:
    """Return where the entry of a multiplied key stands."""
    return key >> (Word(64) - bits)


@inline
def find(words: Words, bits: np.uint64, key: np.uint64) -> int:
    """The code stored for a multiplied key, or 0."""
    code = words[place_of(bits, key)] ^ (key << bits)
    return signed(code) if code - ONE < CODES else 0  # 0 - 1 is the largest word


@inline
def keep(words: Words, bits: np.uint64, key: np.uint64, code: int) -> None:
    """Store a code in place of what was there."""
    words[place_of(bits, key)] = (key << bits) | Word(code)


@inline
def is_busy(table: Table, key: np.uint64) -> bool:
    """Return whether a thread says that it searches the position of a key."""
    return table.busy[place_of(Word(BUSY_BITS), key)] == key


@inline
def set_busy(table: Table, key: np.uint64, busy: bool) -> None:
    """Say that this thread begins or ends to search a position."""
    place = place_of(Word(BUSY_BITS), key)
    if busy:
        table.busy[place] = key
    elif table.busy[place] == key:
        table.busy[place] = Word(0)


@inline
def at_least(score: int) -> int:
    """The code for a position of this score or more."""
    return 2 * (score + OFFSET) + 1


@inline
def at_most(score: int) -> int:
    """The code for a position of this score or less."""
    return 2 * (score + OFFSET)


@inline
def is_at_least(code: int) -> bool:
    """Return whether a code bounds the score from below."""
    return (code & 1) == 1


@inline
def score_in(code: int) -> int:
    """The bound that a code stands for."""
    return (code >> 1) - OFFSET


# The loop that the solvers share: questions about a batch of positions, and a walk for each.
#
# A question asks whether the score of a position is above some number (a window of one point), and
# the answers close in on the score. The walk keeps its own stack, so it can stop
# at any node. What a solver does at a node is looked up by the type of its board
# (`register_solver`).

Board = Layout | Lines
Memory = Table | Words  # a solver's transposition table

NO_STOP = 1 << 62  # nodes


class Batch(NamedTuple):
    """Positions to be solved, and their scores."""

    owns: Words  # the stones of the side to move of each
    masks: Words  # all stones
    scores: Int64s


class NodeFunctions(NamedTuple):
    """The compiled functions of a solver at a node, with the arguments of those below."""

    is_going_on: Callable[..., bool]
    begin: Callable[..., None]
    question: Callable[..., int]
    enter: Callable[..., int]
    take_next: Callable[..., np.uint64]
    descend: Callable[..., None]
    remember: Callable[..., None]


_SOLVERS: dict[type, NodeFunctions] = {}


def register_solver(board: type, solver: NodeFunctions) -> None:
    """Register what is done at the nodes on boards of a type; the dispatchers below look it up."""
    _SOLVERS[board] = solver


@dispatch_by_type("board", _SOLVERS)
def is_going_on(board: Board, own: np.uint64, mask: np.uint64) -> bool:
    """Return whether two words, own stones and all stones, are a position that is not over."""
    raise NotImplementedError


@dispatch_by_type("board", _SOLVERS)
def begin(board: Board, stack: SearchStack, own: np.uint64, mask: np.uint64) -> None:
    """Write a position into the first row, and bound its score by what the next moves say."""
    raise NotImplementedError


@dispatch_by_type("board", _SOLVERS)
def question(board: Board, low: int, high: int) -> int:
    """Return the next score to ask about, between the known bounds."""
    raise NotImplementedError


@dispatch_by_type("board", _SOLVERS)
def enter(
    board: Board, table: Memory, stack: SearchStack, row: np.uint64, left: int, alpha: int
) -> int:
    """Return the score of a node where it is known at once; else UNKNOWN."""
    raise NotImplementedError


@dispatch_by_type("board", _SOLVERS)
def take_next(
    board: Board, table: Memory, stack: SearchStack, row: np.uint64, left: int
) -> np.uint64:
    """The place of the move to search next, which is taken off the node's list."""
    raise NotImplementedError


@dispatch_by_type("board", _SOLVERS)
def descend(board: Board, stack: SearchStack, row: np.uint64, place: np.uint64) -> None:
    """Write the node after the move at a place of the row into the next row."""
    raise NotImplementedError


@dispatch_by_type("board", _SOLVERS)
def remember(
    board: Board, table: Memory, stack: SearchStack, row: np.uint64, left: int, code: int
) -> None:
    """Store a bound on the score of a node in the table."""
    raise NotImplementedError


@inline
def bound_score(state: Int64s, left: int, wins: bool, loses: bool) -> None:
    """Bound a score by what the next two moves say, with so many cells empty."""
    if wins:
        state[LOW] = state[HIGH] = (left + 1) >> 1
    elif loses:
        state[LOW] = state[HIGH] = -(left >> 1)
    else:
        state[LOW], state[HIGH] = -(max(left - 2, 0) >> 1), max(left - 1, 0) >> 1


@inline
def answer_in(code: int, alpha: int, upper: int) -> tuple[int, int]:
    """Return the score that a table's code answers with, or UNKNOWN and a bound."""
    if code == 0:
        return UNKNOWN, upper
    score = score_in(code)
    if is_at_least(code):
        return (score if score > alpha else UNKNOWN), upper
    return (score if score <= alpha else UNKNOWN), min(upper, score)


@inline
def best_rank(words: Words, row: np.uint64) -> np.uint64:
    """The highest rank of a node's moves that are not yet searched."""
    rank = ZERO
    for place in range(signed(words[row + COUNT])):
        rank = max(rank, words[row + RANKS + Word(place)])
    return rank


@inline
def take_move(words: Words, row: np.uint64, rank: np.uint64) -> np.uint64:
    """Take the move of that rank off the node's list; return its place."""
    place = rank & Word(255)
    words[row + RANKS + place] = ZERO
    words[row + TODO] -= ONE
    return place


@inline
def merge_score(words: Words, row: np.uint64, alpha: int, score: int) -> int:
    """Return the score of a node after a move's score is known, or UNKNOWN."""
    if score > alpha:
        return score
    score = max(score, signed(words[row + BEST]))
    if words[row + TODO] != ZERO:
        words[row + BEST] = Word(score)
        return UNKNOWN
    return min(score, signed(words[row + UPPER]))


@late_link
def search(board: Board, table: Memory, stack: SearchStack, stop: int) -> int:
    """Walk on until the question of the first row is answered, or UNKNOWN after `stop` nodes."""
    mark_no_inline()  # written into the loop around it, it takes half as long again
    state, width = stack.state, stack.width
    alpha, left, nodes = state[ALPHA], state[LEFT], state[NODES]
    row = Word(state[DEPTH]) * width
    while nodes < stop:
        nodes += 1
        score = enter(board, table, stack, row, left, alpha)
        while score != UNKNOWN:
            if row == ZERO:
                state[NODES] = nodes
                return score
            row -= width
            left += 1
            alpha = -1 - alpha
            score = merge_score(stack.words, row, alpha, -score)
            if score != UNKNOWN:
                code = at_least(score) if score > alpha else at_most(score)
                remember(board, table, stack, row, left, code)
        descend(board, stack, row, take_next(board, table, stack, row, left))
        row += width
        left -= 1
        alpha = -1 - alpha
    state[ALPHA], state[LEFT], state[NODES] = alpha, left, nodes
    state[DEPTH] = signed(row // width)
    return UNKNOWN


@late_link
def solve_many(
    board: Board,
    table: Memory,
    stack: SearchStack,
    batch: Batch,
    window: tuple[int, int],
    stop: int,
) -> bool:
    """Fill in the scores of positions that go on; False where it stopped after `stop` nodes.

    A score at or below the window's lower end comes out as that, one at or above its upper end as
    that or more: less is to be found out. Called again with the same arguments and a higher stop
    it goes on from there.
    """
    state = stack.state
    while state[POSITION] < len(batch.owns):
        at = state[POSITION]
        if state[DEPTH] < 0:
            begin(board, stack, batch.owns[at], batch.masks[at])
            state[LOW] = max(state[LOW], window[0])
            state[HIGH] = min(state[HIGH], window[1])
        while state[LOW] < state[HIGH]:
            if state[DEPTH] < 0:
                state[QUESTION] = state[ALPHA] = question(board, state[LOW], state[HIGH])
                state[LEFT] = board.cells - signed(popcount(batch.masks[at]))
                state[DEPTH] = 0
            score = search(board, table, stack, stop)
            if score == UNKNOWN:
                return False
            state[DEPTH] = -1  # the answer is on the same side of the question as the true score
            state[LOW if score > state[QUESTION] else HIGH] = score
        batch.scores[at] = state[LOW]
        state[POSITION] += 1
    return True


class PositionSolver(NamedTuple):
    """What compiled loops need to solve one position after another."""

    table: Memory
    stack: SearchStack
    batch: Batch  # of one position


def position_solver(table: Memory, width: np.uint64) -> PositionSolver:
    """A solver with an empty table, whose nodes take so many words."""
    owns, masks = np.zeros((2, 1), dtype=np.uint64)
    return PositionSolver(table, new_stack(width), Batch(owns, masks, np.zeros(1, dtype=np.int64)))


@inline
def score_of(
    board: Board, solver: PositionSolver, own: np.uint64, mask: np.uint64, window: tuple[int, int]
) -> int:
    """The score of a position that goes on, as exact as the window asks (`solve_many`)."""
    state, batch = solver.stack.state, solver.batch
    state[POSITION], state[NODES], state[DEPTH] = 0, 0, -1
    batch.owns[0], batch.masks[0] = own, mask
    solve_many(board, solver.table, solver.stack, batch, window, NO_STOP)
    return batch.scores[0]


@jit
def first_wrong(board: Board, batch: Batch) -> int:
    """The first of the positions that is over or cannot arise, or -1."""
    for at in range(len(batch.owns)):
        if not is_going_on(board, batch.owns[at], batch.masks[at]):
            return at
    return -1
