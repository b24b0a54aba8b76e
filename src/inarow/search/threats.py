"""Threat sequences, and the moves that no threat sequence refutes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.board import Int64s, Words
from inarow.engine.jit import inline, jit
from inarow.search.bitboard import MAX_BITS, ONE, ZERO, Word, lowest, popcount, signed
from inarow.search.masks import Lines, threats_after
from inarow.search.solver_loop import MULTIPLIER

# Threat sequences: wins in which every attacking move forces the reply.
#
# An attacking move leaves a line with one empty cell, a *threat*: the defender must play there, or
# lose. Two threats at once cannot both be met. Where the defender's reply makes a threat of its
# own, the next attacking move must meet it. The search goes through all such sequences. It finds
# wins thirty moves deep in microseconds, and it is what makes Qubic solvable (O. Patashnik, "Qubic:
# 4x4x4 tic-tac-toe", 1980; L. V. Allis, "Searching for solutions in games and artificial
# intelligence", 1994).
#
# For boards of at most 64 cells where stones do not fall. A node is a row of words:
#
#     | attacker | defender | forced | todo | attack | tried | reply to each attack, up to 64 |
#
# `forced` are the cells where the defender would complete a line. Positions without a sequence are
# kept with both words whole, so that none is ever taken for another.

ATTACKER, DEFENDER, FORCED, TODO, ATTACK, TRIED, REPLIES = (Word(i) for i in range(7))
ROW = Word(6 + MAX_BITS)
MOST_ATTACKS = MAX_BITS // 2  # each takes a cell and forces another

FOUND, NONE, GIVEN_UP = 1, 0, -1
NODES, LENGTH = 0, 1


class Threats(NamedTuple):
    """The memory of a search for threat sequences."""

    rows: Words  # a row for each attack of the sequence that is being tried
    sequence: Words  # [32] the attacks of the sequence found last
    failed: Words  # [2^bits * 2] positions without a sequence: attacker, defender
    state: Int64s  # [2] nodes so far, attacks of the sequence found last


def new_threats(bits: int) -> Threats:
    """Memory that keeps up to 2^bits positions without a sequence."""
    return Threats(
        np.zeros((MOST_ATTACKS + 1) * int(ROW), dtype=np.uint64),
        np.zeros(MOST_ATTACKS + 1, dtype=np.uint64),
        np.zeros(2 << bits, dtype=np.uint64),
        np.zeros(2, dtype=np.int64),
    )


@inline
def threats_of(lines: Lines, own: np.uint64, other: np.uint64, stone: np.uint64) -> np.uint64:
    """The empty cells that would complete a line through a stone just placed."""
    return threats_after(lines, own, other, popcount(stone - ONE))


@inline
def attacking_cells(lines: Lines, own: np.uint64, other: np.uint64) -> np.uint64:
    """The cells of the lines that lack two stones and that the other side has none on."""
    found = ZERO
    for line in range(len(lines.masks)):
        missing = lines.masks[line] & ~own
        second = missing & (missing - ONE)
        two = (second != ZERO) & ((second & (second - ONE)) == ZERO)
        found |= missing if two & ((lines.masks[line] & other) == ZERO) else ZERO
    return found


@inline
def mixed(one: np.uint64, two: np.uint64) -> np.uint64:
    """Return a hash below 2^32 of two words, with well-mixed low bits."""
    both = (one * MULTIPLIER) ^ (two >> Word(7))
    return ((both ^ (both >> Word(32)) ^ two) * MULTIPLIER) >> Word(32)


@inline
def place_of(failed: Words, attacker: np.uint64, defender: np.uint64) -> np.uint64:
    """Return where a position is kept."""
    return (mixed(attacker, defender) << ONE) & Word(len(failed) - 1)


@inline
def enter(lines: Lines, threats: Threats, row: np.uint64) -> int:
    """Return FOUND or NONE if decided here, else GIVEN_UP with attacks in the row."""
    words = threats.rows
    attacker, defender, forced = words[row], words[row + DEFENDER], words[row + FORCED]
    if (forced & (forced - ONE)) != ZERO:
        return NONE
    place = place_of(threats.failed, attacker, defender)
    if threats.failed[place] == attacker and threats.failed[place + ONE] == defender:
        return NONE
    todo = attacking_cells(lines, attacker, defender)
    if forced != ZERO:
        todo &= forced
    words[row + TODO] = todo
    number = ZERO
    while todo != ZERO:
        move = lowest(todo)
        todo ^= move
        after = threats_of(lines, attacker | move, defender, move)
        if (after & (after - ONE)) != ZERO:
            words[row + ATTACK] = move
            return FOUND
        words[row + REPLIES + number] = after
        number += ONE
    words[row + TRIED] = ZERO
    return GIVEN_UP


@inline
def descend(lines: Lines, words: Words, row: np.uint64) -> None:
    """Play the next attack of a row and the reply that it forces."""
    move = lowest(words[row + TODO])
    words[row + TODO] ^= move
    words[row + ATTACK] = move
    reply = words[row + REPLIES + words[row + TRIED]]
    words[row + TRIED] += ONE
    attacker, defender = words[row] | move, words[row + DEFENDER] | reply
    words[row + ROW], words[row + ROW + DEFENDER] = attacker, defender
    words[row + ROW + FORCED] = threats_of(lines, defender, attacker, reply)


@jit
def find_sequence(
    lines: Lines,
    threats: Threats,
    attacker: np.uint64,
    defender: np.uint64,
    forced: np.uint64,
    limit: int,
) -> int:
    """Return whether a side without a line at once has a threat sequence.

    FOUND, with the attacks in `threats.sequence`; NONE; or GIVEN_UP after `limit` nodes.
    """
    words, row, nodes = threats.rows, ZERO, 0
    words[ATTACKER], words[DEFENDER], words[FORCED] = attacker, defender, forced
    found = GIVEN_UP
    while nodes < limit:
        nodes += 1
        found = enter(lines, threats, row)
        if found == FOUND:
            break
        while found == NONE or words[row + TODO] == ZERO:
            if found != NONE:
                place = place_of(threats.failed, words[row], words[row + DEFENDER])
                threats.failed[place] = words[row]
                threats.failed[place + ONE] = words[row + DEFENDER]
            if row == ZERO:
                threats.state[NODES] += nodes
                return NONE
            row -= ROW
            found = GIVEN_UP
        descend(lines, words, row)
        row += ROW
    threats.state[NODES] += nodes
    if found != FOUND:
        return GIVEN_UP
    length = signed(row // ROW) + 1
    for number in range(length):
        threats.sequence[number] = words[Word(number) * ROW + ATTACK]
    threats.state[LENGTH] = length
    return FOUND


@inline
def still_wins(
    lines: Lines, threats: Threats, attacker: np.uint64, defender: np.uint64, forced: np.uint64
) -> bool:
    """Return whether the last sequence found wins in another position, too."""
    for place in range(threats.state[LENGTH]):
        move = threats.sequence[place]
        if ((attacker | defender) & move) != ZERO or (forced & ~move) != ZERO:
            return False
        attacker |= move
        after = threats_of(lines, attacker, defender, move)
        if after == ZERO:
            return False
        if (after & (after - ONE)) != ZERO:
            return True
        defender |= after
        forced = threats_of(lines, defender, attacker, after)
    return False


# The moves that no threat sequence refutes, where stones do not fall.
#
# A position is won for the side to move if it can complete a line or has a threat sequence. Else
# suppose that it passed: a sequence of the other side then refutes every move that does not disturb
# it. What is left gets a search of its own, and each sequence that this finds refutes others again.
# In Qubic a handful of some fifty moves remains, often none: then the position is lost.

LIMIT, SHORT_LIMIT = 2_000, 400  # nodes of a threat search; of each of those after a move
OPEN, WON, LOST = Word(1), Word(2), Word(3)  # for the side to move
ENTRY_WORDS = 4  # own, other, moves, status


def new_known(bits: int) -> Words:
    """Memory for 2^bits positions whose moves were looked at."""
    return np.zeros(ENTRY_WORDS << bits, dtype=np.uint64)


@inline
def breaking_moves(
    lines: Lines, threats: Threats, own: np.uint64, other: np.uint64, moves: np.uint64
) -> np.uint64:
    """Return those moves after which the other side's sequence wins no more."""
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
    """Return OPEN, WON or LOST for the mover, and the moves left where OPEN.

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
    left, kept = breaking_moves(lines, threats, own, other, moves), ZERO
    while left != ZERO:
        move = lowest(left)
        left ^= move
        after = threats_of(lines, own | move, other, move)
        if find_sequence(lines, threats, other, own | move, after, SHORT_LIMIT) == FOUND:
            left = breaking_moves(lines, threats, own, other, left)
        else:
            kept |= move
    return (OPEN, kept) if kept != ZERO else (LOST, ZERO)


@inline
def cached_unrefuted(
    lines: Lines,
    threats: Threats,
    known: Words,
    own: np.uint64,
    other: np.uint64,
    mine: np.uint64,
    forced: np.uint64,
) -> tuple[np.uint64, np.uint64]:
    """Return what `find_unrefuted` does, looked up where it is known."""
    place = (mixed(own, other) << Word(2)) & Word(len(known) - 1)
    if known[place] != own or known[place + ONE] != other or known[place + Word(3)] == ZERO:
        status, moves = find_unrefuted(lines, threats, own, other, mine, forced)
        known[place], known[place + ONE] = own, other
        known[place + Word(2)], known[place + Word(3)] = moves, status
    return known[place + Word(3)], known[place + Word(2)]
