"""The moves that no threat sequence refutes, where stones do not fall.

A position is won for the side to move if it can complete a line or has a threat sequence. Else
suppose that it passed: a sequence of the other side then refutes every move that does not disturb
it. What is left gets a search of its own, and each sequence that this finds refutes others again.
In Qubic a handful of some fifty moves remains, often none: then the position is lost.
"""

from __future__ import annotations

import numpy as np

from inarow.engine.jit import inline, jit
from inarow.engine.tables import Words
from inarow.search.bitboard import ONE, ZERO, Word, lowest
from inarow.search.masks import Lines
from inarow.search.threats import (
    FOUND,
    Threats,
    find_sequence,
    mixed,
    still_wins,
    threats_of,
)

LIMIT, SHORT_LIMIT = 2_000, 400  # nodes of a threat search; of each of those after a move
OPEN, WON, LOST = Word(1), Word(2), Word(3)  # for the side to move
ENTRY_WORDS = 4  # own, other, moves, status


def new_known(bits: int) -> Words:
    """Memory for 2^bits positions whose moves were looked at."""
    return np.zeros(ENTRY_WORDS << bits, dtype=np.uint64)


@inline
def disturbing(
    lines: Lines, threats: Threats, own: np.uint64, other: np.uint64, moves: np.uint64
) -> np.uint64:
    """Those of the moves after which the other side's last sequence wins no more."""
    kept = ZERO
    while moves != ZERO:
        move = lowest(moves)
        moves ^= move
        forced = threats_of(lines, own | move, other, move)
        if not still_wins(lines, threats, other, own | move, forced):
            kept |= move
    return kept


@jit
def find_unrefuted(
    lines: Lines,
    threats: Threats,
    own: np.uint64,
    other: np.uint64,
    mine: np.uint64,
    forced: np.uint64,
) -> tuple[np.uint64, np.uint64]:
    """OPEN, WON or LOST for the side to move, and the moves that are not refuted where it is open.

    `mine` and `forced` are the cells where the side to move and the other would complete a line.
    """
    if mine != ZERO:
        return WON, ZERO
    if (forced & (forced - ONE)) != ZERO:
        return LOST, ZERO
    if find_sequence(lines, threats, own, other, forced, LIMIT) == FOUND:
        return WON, ZERO
    if forced != ZERO:
        return OPEN, forced
    moves = lines.board & ~(own | other)
    if find_sequence(lines, threats, other, own, ZERO, LIMIT) != FOUND:
        return OPEN, moves
    left, kept = disturbing(lines, threats, own, other, moves), ZERO
    while left != ZERO:
        move = lowest(left)
        left ^= move
        after = threats_of(lines, own | move, other, move)
        if find_sequence(lines, threats, other, own | move, after, SHORT_LIMIT) == FOUND:
            left = disturbing(lines, threats, own, other, left)
        else:
            kept |= move
    return (OPEN, kept) if kept != ZERO else (LOST, ZERO)


@inline
def remembered_unrefuted(
    lines: Lines,
    threats: Threats,
    known: Words,
    own: np.uint64,
    other: np.uint64,
    mine: np.uint64,
    forced: np.uint64,
) -> tuple[np.uint64, np.uint64]:
    """The same as `find_unrefuted`, with what was found out before."""
    place = (mixed(own, other) << Word(2)) & Word(len(known) - 1)
    if known[place] != own or known[place + ONE] != other or known[place + Word(3)] == ZERO:
        status, moves = find_unrefuted(lines, threats, own, other, mine, forced)
        known[place], known[place + ONE] = own, other
        known[place + Word(2)], known[place + Word(3)] = moves, status
    return known[place + Word(3)], known[place + Word(2)]
