"""The search for the exact score of Connect-4-like positions, after Pons' solver.

Alpha-beta with windows of one point: each search answers whether a score is above `alpha`, and
the questions close in on the score. What makes it fast:

- A side never plays a move after which the other wins at once, and plays the only block there is;
  a move that leaves the other side no such way out wins and is found before any is searched.
- Moves that make more threats come first. Threats that cannot be carried out at once count
  twice; those above a winning cell of the other side do not count. Among equals, the centre.
- The transposition table (`solver_loop`), which is asked for an entry before it is needed.
- A move after which its side can force enough by answering above every stone (`zugzwang`) is
  found before any is searched, and so is one that the table knows to be enough.
- A forced block is played without a look at the table.
- No branch that depends on the order of moves: the next best move is looked for when needed.

This is what is done at a node; `solver_loop` walks from node to node. A node has a row of words:

    | count | todo | best | upper | rank of each move ... |
    | own | mask | threats | key | moves ... | threats after each ... |     32 of each, as of ranks

The first line is what all solvers have (`solver_loop`). `threats` are the cells where the side
that is not to move would complete a line. A rank holds the order of a move and its place in the
row:

    | not put off (1 bit) | threats (47 bits) | centre (8 bits) | place (8 bits) |

Before a node is entered it is known that its side to move can neither win nor be beaten with the
next move. Scores are those of the anchors: with n cells empty, a side that wins by its next move
scores (n + 1) // 2.
"""

from __future__ import annotations

import numpy as np

from inarow.engine.jit import inline
from inarow.search.bitboard import (
    ONE,
    ZERO,
    Layout,
    Word,
    completing,
    has_line,
    is_going_on,
    is_lost,
    lowest,
    playable,
    popcount,
    prefetch,
    signed,
)
from inarow.search.solver_loop import (
    BEST,
    COUNT,
    LATE_CELLS,
    RANKS,
    SHARED_CELLS,
    TODO,
    UNKNOWN,
    UPPER,
    NodeFunctions,
    SearchStack,
    Table,
    answer_in,
    best_rank,
    bound_score,
    find,
    is_at_least,
    is_busy,
    keep,
    key_of,
    place_of,
    register_solver,
    score_in,
    set_busy,
    take_move,
)
from inarow.search.zugzwang import follow_up_bound

OWN, MASK, THREATS, KEY = (Word(place) for place in range(36, 40))
MOVES, AFTER = Word(40), Word(72)  # 32 columns at most
ROW = Word(104)
NOT_PUT_OFF = Word(1 << 63)


@inline
def expand(layout: Layout, stack: SearchStack, row: np.uint64, moves: np.uint64) -> bool:
    """Write the moves into the row, ranked; False as soon as one is found that wins."""
    words = stack.words
    own, mask, threats = words[row + OWN], words[row + MASK], words[row + THREATS]
    place = ZERO
    while moves != ZERO:
        move = lowest(moves)
        moves ^= move
        filled = mask | move
        after = completing(layout, own | move) & layout.board & ~filled
        open_cells = playable(layout, filled)
        if is_lost(open_cells, after):
            return False
        useful = after & ~(threats << ONE)
        rank = popcount(useful) + popcount(useful & ~open_cells)
        centre = layout.centre[popcount(move - ONE)]
        words[row + MOVES + place] = move
        words[row + AFTER + place] = after
        rank = (((rank << Word(8)) | centre) << Word(8)) | place
        words[row + RANKS + place] = rank | NOT_PUT_OFF
        place += ONE
    words[row + COUNT] = place
    words[row + TODO] = place
    return True


@inline
def ask_ahead(
    layout: Layout, table: Table, stack: SearchStack, row: np.uint64, moves: np.uint64, left: int
) -> None:
    """Have the table entries of all moves brought near while moves are ranked."""
    mask = stack.words[row + MASK]
    waiting = stack.words[row + OWN] ^ mask
    early = left - 1 > LATE_CELLS
    while moves != ZERO:
        move = lowest(moves)
        moves ^= move
        key = key_of(layout, waiting, mask | move, left - 1)
        if early:
            prefetch(table.early, place_of(table.early_bits, key))
        else:
            prefetch(table.late, place_of(table.late_bits, key))


@inline
def forced_score(layout: Layout, stack: SearchStack, row: np.uint64, left: int, alpha: int) -> int:
    """A score above alpha that one of the moves reaches by answering above, or UNKNOWN."""
    words = stack.words
    mask = words[row + MASK]
    waiting = words[row + OWN] ^ mask
    for place in range(signed(words[row + COUNT])):
        filled, after = mask | words[row + MOVES + Word(place)], words[row + AFTER + Word(place)]
        bound = follow_up_bound(layout, waiting, filled, after, left - 1, -1 - alpha)
        if bound != UNKNOWN:
            return -bound
    return UNKNOWN


@inline
def best_known(
    layout: Layout, table: Table, stack: SearchStack, row: np.uint64, left: int, alpha: int
) -> int:
    """A score above alpha that the early table promises for one of the moves, or UNKNOWN."""
    mask = stack.words[row + MASK]
    waiting = stack.words[row + OWN] ^ mask
    for place in range(signed(stack.words[row + COUNT])):
        filled = mask | stack.words[row + MOVES + Word(place)]
        code = find(table.early, table.early_bits, key_of(layout, waiting, filled, left - 1))
        if code != 0 and not is_at_least(code) and -score_in(code) > alpha:
            return -score_in(code)
    return UNKNOWN


@inline
def enter(
    layout: Layout, table: Table, stack: SearchStack, row: np.uint64, left: int, alpha: int
) -> int:
    """Return the score of a node where it is known at once; else UNKNOWN."""
    words = stack.words
    own, mask, threats = words[row + OWN], words[row + MASK], words[row + THREATS]
    if -((left - 2) >> 1) > alpha:  # cannot be beaten soon enough
        return -((left - 2) >> 1)
    score, upper = UNKNOWN, (left - 1) >> 1
    open_cells = playable(layout, mask)
    moves = open_cells & threats
    forced = moves != ZERO
    if not forced:
        words[row + KEY] = key = key_of(layout, own, mask, left)
        if left > LATE_CELLS:
            code = find(table.early, table.early_bits, key)
        else:
            code = find(table.late, table.late_bits, key)
        score, upper = answer_in(code, alpha, upper)
        if score != UNKNOWN:
            return score
        # A side whose stones and all empty cells together hold no line cannot win.
        if not has_line(layout, (own if alpha >= 0 else own ^ mask) | (layout.board & ~mask)):
            return 0
        moves = open_cells & ~(threats >> ONE)
        ask_ahead(layout, table, stack, row, moves, left)
    if not expand(layout, stack, row, moves):
        return (left - 1) >> 1
    if (left - 3) >> 1 <= alpha:  # cannot win soon enough
        return (left - 3) >> 1
    words[row + BEST] = Word(-UNKNOWN)
    words[row + UPPER] = Word(upper)
    if forced:
        return UNKNOWN
    score = forced_score(layout, stack, row, left, alpha)
    if score == UNKNOWN and left - 1 > LATE_CELLS:  # perhaps a move is known to do
        score = best_known(layout, table, stack, row, left, alpha)
    if score == UNKNOWN and left > SHARED_CELLS and words[row + COUNT] != ONE:
        set_busy(table, words[row + KEY], True)
    return score


@inline
def take_next(
    layout: Layout, table: Table, stack: SearchStack, row: np.uint64, left: int
) -> np.uint64:
    """The place of the move to search next, which is taken off the node's list.

    After the first move, one that another thread is searching is put off until all others are
    done: its answer is then in the table (Kerrigan's Simplified ABDADA).
    """
    words = stack.words
    rank = best_rank(words, row)
    if left > SHARED_CELLS and words[row + TODO] != words[row + COUNT]:
        mask = words[row + MASK]
        waiting = words[row + OWN] ^ mask
        while (rank & NOT_PUT_OFF) != ZERO:
            place = rank & Word(255)
            filled = mask | words[row + MOVES + place]
            if not is_busy(table, key_of(layout, waiting, filled, left - 1)):
                break
            words[row + RANKS + place] = rank ^ NOT_PUT_OFF
            rank = best_rank(words, row)
    return take_move(words, row, rank)


@inline
def descend(_layout: Layout, stack: SearchStack, row: np.uint64, place: np.uint64) -> None:
    """Write the node after the move at a place of the row into the next row."""
    words = stack.words
    words[row + ROW + OWN] = words[row + OWN] ^ words[row + MASK]
    words[row + ROW + MASK] = words[row + MASK] | words[row + MOVES + place]
    words[row + ROW + THREATS] = words[row + AFTER + place]


@inline
def remember(
    _layout: Layout, table: Table, stack: SearchStack, row: np.uint64, left: int, code: int
) -> None:
    """Store a code for a node in place of what was there.

    A node with one move gets no entry: the node after it has one.
    """
    if stack.words[row + COUNT] == ONE:
        return
    if left > SHARED_CELLS:
        set_busy(table, stack.words[row + KEY], False)
    if left > LATE_CELLS:
        keep(table.early, table.early_bits, stack.words[row + KEY], code)
    else:
        keep(table.late, table.late_bits, stack.words[row + KEY], code)


@inline
def begin(layout: Layout, stack: SearchStack, own: np.uint64, mask: np.uint64) -> None:
    """Bound the score of a position by what the next two moves say."""
    words, left = stack.words, layout.cells - signed(popcount(mask))
    open_cells = playable(layout, mask)
    threats = completing(layout, own ^ mask) & layout.board & ~mask
    words[OWN], words[MASK], words[THREATS] = own, mask, threats
    wins = (completing(layout, own) & open_cells) != ZERO
    bound_score(stack.state, left, wins, is_lost(open_cells, threats))


@inline
def question(_layout: Layout, low: int, high: int) -> int:
    """Ask from a draw outwards, one point at a time."""
    return min(max(low, 0), high - 1)


register_solver(
    Layout, NodeFunctions(is_going_on, begin, question, enter, take_next, descend, remember)
)
