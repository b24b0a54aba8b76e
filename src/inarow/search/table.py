"""The transposition table of the solver: one 64-bit word an entry, exact.

A position's key, own + mask, is unique: in a column with n stones it lies between 2^n - 1 and
2^(n+1) - 2. Multiplied by an odd constant it stays unique (that is a bijection of 64-bit words),
but its upper bits are now well mixed. They say where the entry stands; the others are stored, so
that index and entry together are the whole key and no entry is ever taken for another position:

    key * constant = | index (table bits) | rest (64 - table bits)      |
    entry          = | rest (64 - table bits)      | code (table bits)  |

A position and its mirror image share an entry while there are few stones: later they meet too
rarely to pay for the mirroring (measured on 6x7: the empty board takes a third less time).

The code is a bound on the score, never 0, so that an empty entry (0) says nothing even where the
rest is 0, as it is for the empty board.

Threads may share a table without locks: an entry is one word, written and read at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.jit import inline
from inarow.engine.tables import Words
from inarow.search.bitboard import ONE, Layout, Word, mirrored, signed

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
    """Two tables in one: a small one that stays in the processor's cache for the many positions
    near the end, and a large one for the few before them, each of which stands for more work.
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
    """Where the entry of a multiplied key stands."""
    return key >> (Word(64) - bits)


@inline
def find(words: Words, bits: np.uint64, key: np.uint64) -> int:
    """The code stored for a multiplied key, or 0."""
    code = words[place_of(bits, key)] ^ (key << bits)
    return signed(code) if code - ONE < CODES else 0  # 0 - 1 is the largest word


@inline
def keep(words: Words, bits: np.uint64, key: np.uint64, code: int) -> None:
    """Stores a code in place of what was there."""
    words[place_of(bits, key)] = (key << bits) | Word(code)


@inline
def is_busy(table: Table, key: np.uint64) -> bool:
    """Whether a thread has said that it searches the position with a multiplied key."""
    return table.busy[place_of(Word(BUSY_BITS), key)] == key


@inline
def set_busy(table: Table, key: np.uint64, busy: bool) -> None:
    """Says that this thread begins or ends to search a position."""
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
    """Whether a code bounds the score from below."""
    return (code & 1) == 1


@inline
def score_in(code: int) -> int:
    """The bound that a code stands for."""
    return (code >> 1) - OFFSET
