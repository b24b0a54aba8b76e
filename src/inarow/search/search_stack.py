"""The stack of a depth-first search, which can stop at any node and go on later.

The solvers keep their own stack instead of calling themselves: a node is a row of words, and what
else is needed to go on is a handful of numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.jit import inline
from inarow.engine.tables import Int64s, Words
from inarow.search.bitboard import MAX_BITS

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


class SearchStack(NamedTuple):
    """A search through the trees of a batch of positions, as far as it has come."""

    words: Words  # a row for each node from the first to the present one
    state: Int64s  # see State


def new_stack(row: int) -> SearchStack:
    """A search that has not begun, with so many words for each node."""
    state = np.zeros(len(State()), dtype=np.int64)
    state[DEPTH] = -1
    return SearchStack(np.zeros((MAX_BITS + 1) * row, dtype=np.uint64), state)


@inline
def ask(state: Int64s, question: int, left: int) -> None:
    """Opens a question about the first node."""
    state[QUESTION] = state[ALPHA] = question
    state[LEFT] = left
    state[DEPTH] = 0


@inline
def settle(state: Int64s, score: int) -> None:
    """Closes the question: the score that came back is on the same side of it as the true one."""
    state[DEPTH] = -1
    if score > state[QUESTION]:
        state[LOW] = score
    else:
        state[HIGH] = score
