"""The loop that the solvers share: questions about a batch of positions, and a walk for each.

A question asks whether the score of a position is above some number (a window of one point), and
the answers close in on the score. The walk keeps its own stack (`search_stack`), so it can stop at
any node. What a solver does at a node is looked up by the type of its board (`register_solver`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inarow.engine.by_type import by_type
from inarow.engine.jit import inline, jit, linked, stay_apart
from inarow.engine.tables import Int64s, Words
from inarow.search.bitboard import ONE, ZERO, Layout, Word, popcount, signed
from inarow.search.masks import Lines
from inarow.search.search_stack import (
    ALPHA,
    BEST,
    COUNT,
    DEPTH,
    HIGH,
    LEFT,
    LOW,
    NODES,
    POSITION,
    QUESTION,
    RANKS,
    TODO,
    UNKNOWN,
    UPPER,
    SearchStack,
    new_stack,
)
from inarow.search.table import Table, at_least, at_most, is_at_least, score_in

Board = Layout | Lines
Memory = Table | Words  # a solver's transposition table

NO_STOP = 1 << 62  # nodes


class Batch(NamedTuple):
    """Positions to be solved, and what comes out."""

    owns: Words  # the stones of the side to move of each
    masks: Words  # all stones
    scores: Int64s


class Solver(NamedTuple):
    """What a solver does at a node: compiled functions with the arguments of those below."""

    is_going_on: Callable[..., bool]
    begin: Callable[..., None]
    question: Callable[..., int]
    enter: Callable[..., int]
    take_next: Callable[..., np.uint64]
    descend: Callable[..., None]
    remember: Callable[..., None]


_SOLVERS: dict[type, Solver] = {}


def register_solver(board: type, solver: Solver) -> None:
    """Says what is done at the nodes of a search on boards of that type."""
    _SOLVERS[board] = solver


@by_type("board", _SOLVERS)
def is_going_on(board: Board, own: np.uint64, mask: np.uint64) -> bool:
    """Whether two words, own stones and all stones, are a position that is not over."""
    raise NotImplementedError


@by_type("board", _SOLVERS)
def begin(board: Board, stack: SearchStack, own: np.uint64, mask: np.uint64) -> None:
    """Writes a position into the first row, and bounds its score by what the next moves say."""
    raise NotImplementedError


@by_type("board", _SOLVERS)
def question(board: Board, low: int, high: int) -> int:
    """The next question about a score between two others: is it above this?"""
    raise NotImplementedError


@by_type("board", _SOLVERS)
def enter(
    board: Board, table: Memory, stack: SearchStack, row: np.uint64, left: int, alpha: int
) -> int:
    """The answer for a node where it can be given at once; else UNKNOWN, with its moves ranked."""
    raise NotImplementedError


@by_type("board", _SOLVERS)
def take_next(
    board: Board, table: Memory, stack: SearchStack, row: np.uint64, left: int
) -> np.uint64:
    """The place of the move to search next, which is taken off the node's list."""
    raise NotImplementedError


@by_type("board", _SOLVERS)
def descend(board: Board, stack: SearchStack, row: np.uint64, place: np.uint64) -> None:
    """Writes the node after the move at a place of the row into the next row."""
    raise NotImplementedError


@by_type("board", _SOLVERS)
def remember(
    board: Board, table: Memory, stack: SearchStack, row: np.uint64, left: int, code: int
) -> None:
    """Stores a bound on the score of a node in the table."""
    raise NotImplementedError


@inline
def bound_score(state: Int64s, left: int, wins: bool, loses: bool) -> None:
    """Bounds a score by what the next two moves say, with so many cells empty."""
    if wins:
        state[LOW] = state[HIGH] = (left + 1) >> 1
    elif loses:
        state[LOW] = state[HIGH] = -(left >> 1)
    else:
        state[LOW], state[HIGH] = -(max(left - 2, 0) >> 1), max(left - 1, 0) >> 1


@inline
def answer_in(code: int, alpha: int, upper: int) -> tuple[int, int]:
    """What a table's code says to the question: a score, or UNKNOWN and an upper bound."""
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
def take(words: Words, row: np.uint64, rank: np.uint64) -> np.uint64:
    """Takes the move of that rank off the node's list; returns its place."""
    place = rank & Word(255)
    words[row + RANKS + place] = ZERO
    words[row + TODO] -= ONE
    return place


@inline
def absorb(words: Words, row: np.uint64, alpha: int, score: int) -> int:
    """The score of a node after one more of its moves turned out to score this, or UNKNOWN."""
    if score > alpha:
        return score
    score = max(score, signed(words[row + BEST]))
    if words[row + TODO] != ZERO:
        words[row + BEST] = Word(score)
        return UNKNOWN
    return min(score, signed(words[row + UPPER]))


@linked
def search(board: Board, table: Memory, stack: SearchStack, stop: int) -> int:
    """Walks on until the question of the first row is answered, or UNKNOWN after `stop` nodes."""
    stay_apart()  # written into the loop around it, it takes half as long again
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
            score = absorb(stack.words, row, alpha, -score)
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


@linked
def solve_many(
    board: Board,
    table: Memory,
    stack: SearchStack,
    batch: Batch,
    window: tuple[int, int],
    stop: int,
) -> bool:
    """Fills in the scores of positions that go on; False where it stopped after `stop` nodes.

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
