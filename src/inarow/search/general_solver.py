"""Exact scores on any board of at most 64 cells: without gravity, or with it in three dimensions.

The same search as in `connect4_solver`, with lines as masks of cells instead of shifts (`masks`).
A node has a row of words:

    | count | todo | best | upper | rank of each move ... |
    | own | other | mine | threats | key | other key |
    | moves ... | threats after each ... |         64 of each, as of ranks

The first line is what all solvers have (`solver_loop`). `own` and `other` are the stones of the
side to move and of the side that waits, `mine` and
`threats` the empty cells where each would complete a line. A rank is | weight | place (8 bits) |.

Before a node is entered it is known that its side to move can neither win nor be beaten with the
next move. A branch ends early where the side that needs a win has no line that it can complete in
time, or where pairs of cells keep it from each of those lines (`can_hold`), or where stones fall
and the other side can answer above each of its stones (`zugzwang`): that is tested after each move
of a node before any is searched.

Where a line loses (misère), it is known instead that the side to move has a move that completes
none. A side wins when the other must complete a line, one stone later than it would by a line of
its own: so all bounds are those of a board with one more empty cell.

A table entry holds both words of a position whole, so that it is never taken for another. While
enough cells are empty the position is first turned into the smallest of its images under the
symmetries of the board.
"""

from __future__ import annotations

import numpy as np

from inarow.engine.board import Words
from inarow.engine.jit import inline
from inarow.graph.graph import lowest_image
from inarow.search.bitboard import ONE, ZERO, Word, lowest, popcount, signed
from inarow.search.masks import (
    Lines,
    cells_below,
    completing,
    is_going_on,
    is_lost,
    open_cells,
    threats_after,
)
from inarow.search.solver_loop import (
    BEST,
    COUNT,
    MULTIPLIER,
    RANKS,
    TODO,
    UNKNOWN,
    UPPER,
    NodeFunctions,
    SearchStack,
    answer_in,
    best_rank,
    bound_score,
    register_solver,
    take_move,
)
from inarow.search.zugzwang import follow_up_bound

OWN, OTHER, MINE, THREATS, KEY, OTHER_KEY = (Word(place) for place in range(68, 74))
MOVES, AFTER = Word(74), Word(138)
ROW = Word(202)

HEAVY = Word(1 << 48)  # above the weight of any move
ENTRY = Word(4)  # words of a table entry: own, other, code, and one so that it fills half a line


def new_table(bits: int) -> Words:
    """An empty table with 2^bits entries."""
    return np.zeros((1 << bits) * int(ENTRY), dtype=np.uint64)


@inline
def write_key(lines: Lines, stack: SearchStack, row: np.uint64, left: int) -> None:
    """Write the two words that a node is kept under: its smallest image."""
    own, other = stack.words[row + OWN], stack.words[row + OTHER]
    key, other_key = own, other
    if left >= lines.turn_cells:
        key, other_key, _ = lowest_image(lines.images, own, other)
    stack.words[row + KEY], stack.words[row + OTHER_KEY] = key, other_key


@inline
def entry_of(table: Words, stack: SearchStack, row: np.uint64) -> np.uint64:
    """Return where the entry of a node begins."""
    mixed = (stack.words[row + KEY] * MULTIPLIER) ^ (stack.words[row + OTHER_KEY] >> Word(7))
    mixed = (mixed ^ (mixed >> Word(32)) ^ stack.words[row + OTHER_KEY]) * MULTIPLIER
    return ((mixed >> Word(32)) & Word(len(table) // 4 - 1)) * ENTRY


@inline
def find(table: Words, stack: SearchStack, row: np.uint64) -> int:
    """The code stored for a node, or 0."""
    entry = entry_of(table, stack, row)
    if table[entry] != stack.words[row + KEY] or table[entry + ONE] != stack.words[row + OTHER_KEY]:
        return 0
    return signed(table[entry + Word(2)])


@inline
def remember(
    _lines: Lines, table: Words, stack: SearchStack, row: np.uint64, _left: int, code: int
) -> None:
    """Store a code for a node in place of what was there."""
    entry = entry_of(table, stack, row)
    table[entry] = stack.words[row + KEY]
    table[entry + ONE] = stack.words[row + OTHER_KEY]
    table[entry + Word(2)] = Word(code)


@inline
def can_hold(lines: Lines, attacker: np.uint64, defender: np.uint64, moves: int) -> bool:
    """Return whether a side can be kept from completing a line with so many moves of its own.

    It can if no line is open to it that lacks at most so many stones; or, where stones do not
    fall, if each of these lines has two empty cells of its own: the other side answers a stone
    on one of the two with a stone on the other (a pairing strategy; an extra stone never harms).
    Pairs are given out line by line, those that lack two stones first, so some are missed.
    """
    paired = ZERO
    for lacking in range(1, moves + 1):
        for line in range(len(lines.masks)):
            missing = lines.masks[line] & ~attacker
            if (lines.masks[line] & defender) != ZERO or popcount(missing) != Word(lacking):
                continue
            free = missing & ~paired
            one = lowest(free)
            two = lowest(free ^ one)
            if lines.gravity or two == ZERO:
                return False
            paired |= one | two
    return True


@inline
def can_complete(lines: Lines, own: np.uint64, other: np.uint64, moves: int) -> bool:
    """Return whether a line is open to a side that lacks at most so many stones."""
    found = False
    for line in range(len(lines.masks)):
        lacking = signed(popcount(lines.masks[line] & ~own))
        found |= (lines.masks[line] & other) == ZERO and lacking <= moves
    return found


@inline
def hold_bound(lines: Lines, stack: SearchStack, row: np.uint64, left: int, alpha: int) -> int:
    """Return a score that answers the question without a search, or UNKNOWN."""
    own, other = stack.words[row + OWN], stack.words[row + OTHER]
    if lines.misere:  # no pairs: a side need not complete a line that it could
        if alpha >= 0:  # the other side must complete a line, with its first moves
            return UNKNOWN if can_complete(lines, other, own, (left >> 1) - alpha) else alpha
        soon = can_complete(lines, own, other, ((left + 1) >> 1) + 1 + alpha)
        return UNKNOWN if soon else alpha + 1
    if lines.gravity and row == ZERO:  # elsewhere it was tested before its parent's moves
        mask = own | other
        bound = follow_up_bound(lines, own, mask, stack.words[row + THREATS], left, alpha)
        if bound != UNKNOWN:
            return bound
    if alpha >= 0:  # the side to move needs a win, with its first moves
        return alpha if can_hold(lines, own, other, ((left + 1) >> 1) - alpha) else UNKNOWN
    return alpha + 1 if can_hold(lines, other, own, (left >> 1) + 1 + alpha) else UNKNOWN


@inline
def weigh(lines: Lines, own: np.uint64, other: np.uint64, cell: np.uint64) -> np.uint64:
    """Return how much a stone on a cell does.

    Each line through it that only one side has stones on counts, more for each of these stones,
    and more for one's own than for the other's.
    """
    weight = ZERO
    for place in range(lines.start[cell], lines.start[cell + ONE]):
        mine, yours = lines.through[place] & own, lines.through[place] & other
        if yours == ZERO:
            weight += Word(2) << (Word(2) * popcount(mine))
        elif mine == ZERO:
            weight += ONE << (Word(2) * popcount(yours))
    return weight


@inline
def expand(
    lines: Lines, stack: SearchStack, row: np.uint64, moves: np.uint64, left: int, alpha: int
) -> int:
    """Write the moves into the row, ranked; or a score above alpha if a move is sure of that."""
    words = stack.words
    own, other, mine = words[row + OWN], words[row + OTHER], words[row + MINE]
    place = ZERO
    while moves != ZERO:
        move = lowest(moves)
        moves ^= move
        cell = popcount(move - ONE)
        after = (mine & ~move) | threats_after(lines, own | move, other, cell)
        free = open_cells(lines, own | other | move)
        if is_lost(lines, free, after, words[row + THREATS]):
            return (left - 1) >> 1
        if lines.gravity and not lines.misere:
            bound = follow_up_bound(lines, other, own | other | move, after, left - 1, -1 - alpha)
            if bound != UNKNOWN:
                return -bound
        words[row + MOVES + place] = move
        words[row + AFTER + place] = after
        weight = weigh(lines, own, other, cell)
        if lines.misere:  # the less a stone does, the better
            weight = HEAVY - min(weight, HEAVY - ONE)
        words[row + RANKS + place] = (weight << Word(8)) | place
        place += ONE
    words[row + COUNT] = words[row + TODO] = place
    return UNKNOWN


@inline
def enter(
    lines: Lines, table: Words, stack: SearchStack, row: np.uint64, left: int, alpha: int
) -> int:
    """Return the score of a node where it is known at once; else UNKNOWN."""
    words, really_left = stack.words, left
    left += lines.misere
    if -((left - 2) >> 1) > alpha:  # cannot be beaten soon enough
        return -((left - 2) >> 1)
    write_key(lines, stack, row, really_left)
    score, upper = answer_in(find(table, stack, row), alpha, (left - 1) >> 1)
    if score != UNKNOWN:
        return score
    bound = hold_bound(lines, stack, row, really_left, alpha)
    if bound != UNKNOWN:
        return bound
    free, threats = open_cells(lines, words[row + OWN] | words[row + OTHER]), words[row + THREATS]
    forced = free & threats
    moves = (forced if forced != ZERO else free) & ~cells_below(lines, threats)
    if lines.misere:
        moves = free & ~words[row + MINE]
    score = expand(lines, stack, row, moves, left, alpha)
    if score != UNKNOWN:
        return score
    if (left - 3) >> 1 <= alpha:  # cannot win soon enough
        return (left - 3) >> 1
    words[row + BEST], words[row + UPPER] = Word(-UNKNOWN), Word(upper)
    return UNKNOWN


@inline
def take_next(
    _lines: Lines, _table: Words, stack: SearchStack, row: np.uint64, _left: int
) -> np.uint64:
    """The place of the best move not yet searched, which is taken off the node's list."""
    return take_move(stack.words, row, best_rank(stack.words, row))


@inline
def descend(_lines: Lines, stack: SearchStack, row: np.uint64, place: np.uint64) -> None:
    """Write the node after the move at a place of the row into the next row."""
    words = stack.words
    move = words[row + MOVES + place]
    words[row + ROW + OWN] = words[row + OTHER]
    words[row + ROW + OTHER] = words[row + OWN] | move
    words[row + ROW + MINE] = words[row + THREATS] & ~move
    words[row + ROW + THREATS] = words[row + AFTER + place]


@inline
def begin(lines: Lines, stack: SearchStack, own: np.uint64, mask: np.uint64) -> None:
    """Bound the score of a position by what the next two moves say."""
    words, other = stack.words, own ^ mask
    left = lines.cells - signed(popcount(mask))
    free = open_cells(lines, mask)
    words[OWN], words[OTHER] = own, other
    words[MINE], words[THREATS] = completing(lines, own, other), completing(lines, other, own)
    wins = not lines.misere and (words[MINE] & free) != ZERO
    loses = is_lost(lines, free, words[THREATS], words[MINE])
    bound_score(stack.state, left + lines.misere, wins, loses)


@inline
def question(_lines: Lines, low: int, high: int) -> int:
    """Ask first what looks least far ahead: who could win first."""
    return high - 1 if high >= -low else low


register_solver(
    Lines, NodeFunctions(is_going_on, begin, question, enter, take_next, descend, remember)
)
