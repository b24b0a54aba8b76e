"""The stack of a depth-first search, which can stop at any node and go on later.

The solvers keep their own stack instead of calling themselves: a node is a row of words, and what
else is needed to go on is a handful of numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.tables import Int64s, Words
from inarow.search.bitboard import MAX_BITS, Word

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
