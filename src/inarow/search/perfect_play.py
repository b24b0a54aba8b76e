"""Perfect play inside compiled loops, so that learners can be trained by it and refereed.

The same moves as `perfect`, on Connect-4-like boards: scores from the opening book where there is
one, else by the solver. Most time goes into positions just past the book, and games of a learner
come through the same ones again and again. So the moves of positions with few stones are
remembered. And since perfect play gives nothing away, a position has at least the value of the last
one of the same game was: fewer questions are left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import PLY, Board
from inarow.engine.contest import register_player
from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream, below
from inarow.engine.tables import Int64s, Tables, Words
from inarow.game import Game, InputError
from inarow.search.bitboard import (
    ONE,
    ZERO,
    Layout,
    Word,
    fits,
    layout_of,
    lowest,
    mirrored,
    popcount,
    signed,
)
from inarow.search.book import shipped_book
from inarow.search.driver import PositionSolver, position_solver, score_of
from inarow.search.negamax import ROW
from inarow.search.perfect import CHOICES
from inarow.search.table import MULTIPLIER, new_table

MOST_CELLS = 30  # of a board without a book: larger ones take too long from the start
TABLE_BITS = 22  # of the solver's table: 32 MiB
KNOWN_BITS = 20  # of the memory of moves: 16 MiB
KNOWN_STONES = 26  # with more, moves are found faster than they are looked up
WORST = -100  # below any score
NOWHERE = Word(2**64 - 1)  # no position has come from there


class PerfectPlayer(NamedTuple):
    """Perfect play for compiled loops."""

    layout: Layout
    solver: PositionSolver
    book_ply: int  # the book holds all positions with so many stones or fewer; -1 for none
    book_keys: Words  # ascending; the lower one of a position and its mirror image
    book_scores: npt.NDArray[np.int8]
    only_value: bool  # whether any move will do that keeps the value
    only_first: bool  # whether the lowest of equal moves is taken
    order: Int64s  # [columns] from the centre outwards
    known_keys: Words  # [2^KNOWN_BITS] of positions whose moves are remembered
    known_moves: Words  # [2^KNOWN_BITS] these moves, a bit for each column
    known_scores: npt.NDArray[np.int8]  # [2^KNOWN_BITS] the values of the positions
    last: Words  # [2] the position after the last move: its own stones, all stones
    found: Int64s  # [1] the value of the position just looked at


def compiled_perfect(
    game: Game, choice: str = "best", most_cells: int = MOST_CELLS
) -> PerfectPlayer:
    """The player for one loop: its memory is its own. Boards without a book have few cells."""
    book = shipped_book(game) if fits(game) else None
    if choice not in CHOICES:
        raise InputError(f"unknown choice '@{choice}': it is one of {', '.join(CHOICES)}")
    if book is None and (not fits(game) or game.cells > most_cells):
        raise InputError(
            f"perfect cannot play {game.name} in compiled loops: it needs stones that fall in a "
            f"plane, and a book or a board of at most {most_cells} cells"
        )
    columns = np.arange(game.columns)
    return PerfectPlayer(
        layout_of(game),
        position_solver(new_table(TABLE_BITS), ROW),
        -1 if book is None else book.ply,
        np.zeros(0, dtype=np.uint64) if book is None else book.keys,
        np.zeros(0, dtype=np.int8) if book is None else book.scores,
        choice == "value",
        choice == "first",
        np.argsort(np.abs(2 * columns - (game.columns - 1)), kind="stable").astype(np.int64),
        np.zeros(1 << KNOWN_BITS, dtype=np.uint64),
        np.zeros(1 << KNOWN_BITS, dtype=np.uint64),
        np.zeros(1 << KNOWN_BITS, dtype=np.int8),
        np.full(2, NOWHERE),
        np.zeros(1, dtype=np.int64),
    )


@inline
def begin_perfect(player: PerfectPlayer, stream: Stream) -> None:
    """Every game begins alike."""


@jit
def choose_perfect(tables: Tables, board: Board, player: PerfectPlayer, stream: Stream) -> int:
    """The cell of one of the moves that the choice allows."""
    own, mask = pack(tables, board, player.layout)
    moves = remembered_moves(tables, board, player, own, mask)
    if player.only_first:
        moves = lowest(moves)
    number = signed(popcount(moves))
    skipped = 0
    if number > 1:
        skipped = int(np.int64(below(stream, number)))
    for column in range(tables.columns):
        if (moves >> Word(column)) & ONE != ZERO:
            if skipped == 0:
                cell = cell_of(tables, player.layout, mask, column)
                bit = bit_of(tables, player.layout, cell)
                player.last[0], player.last[1] = own | bit, mask | bit
                return cell
            skipped -= 1
    return -1  # never: a game that goes on has a move


@jit
def write_perfect_policy(
    tables: Tables, board: Board, player: PerfectPlayer, weights: npt.NDArray[np.float64]
) -> None:
    """The moves that the choice allows, equally likely. It follows on no other position."""
    own, mask = pack(tables, board, player.layout)
    player.last[0] = player.last[1] = NOWHERE
    moves = remembered_moves(tables, board, player, own, mask)
    if player.only_first:
        moves = lowest(moves)
    for column in range(tables.columns):
        if (moves >> Word(column)) & ONE != ZERO:
            weights[column] = 1.0


register_player(PerfectPlayer, begin_perfect, choose_perfect, write_perfect_policy)


@inline
def pack(tables: Tables, board: Board, layout: Layout) -> tuple[np.uint64, np.uint64]:
    """The stones of the side to move and all stones, as the solver's words."""
    own, mask, stone = ZERO, ZERO, (board.counters[PLY] & 1) + 1
    for cell in range(tables.cells):
        if board.stones[cell] != 0:
            bit = bit_of(tables, layout, cell)
            mask |= bit
            if board.stones[cell] == stone:
                own |= bit
    return own, mask


@inline
def bit_of(tables: Tables, layout: Layout, cell: int) -> np.uint64:
    """The bit of a cell."""
    column, row = cell % tables.columns, cell // tables.columns
    return ONE << (Word(column) * layout.column + Word(row))


@inline
def cell_of(tables: Tables, layout: Layout, mask: np.uint64, column: int) -> int:
    """The cell that a stone falls to; beyond the last one if the column is full."""
    stones = (mask >> (Word(column) * layout.column)) & layout.leftmost
    return signed(popcount(stones)) * tables.columns + column


@inline
def remembered_moves(
    tables: Tables, board: Board, player: PerfectPlayer, own: np.uint64, mask: np.uint64
) -> np.uint64:
    """The moves that the choice allows, a bit for each column."""
    key = own + mask
    place = (key * MULTIPLIER) >> Word(64 - KNOWN_BITS)
    few = board.counters[PLY] <= KNOWN_STONES
    if few and player.known_moves[place] != ZERO and player.known_keys[place] == key:
        player.found[0] = player.known_scores[place]
        return player.known_moves[place]
    moves = find_moves(tables, board, player, own, mask)
    if few:
        player.known_keys[place], player.known_moves[place] = key, moves
        player.known_scores[place] = player.found[0]
    return moves


@inline
def least_score(player: PerfectPlayer, own: np.uint64, mask: np.uint64) -> int:
    """The least value of a position: that of the last one, where it has come from there."""
    last_own, last_mask = player.last[0], player.last[1]
    same = (own & last_mask) == last_own and (mask & last_mask) == last_mask
    if same and popcount(mask) == popcount(last_mask) + ONE:
        return player.found[0]
    return WORST


@jit
def find_moves(
    tables: Tables, board: Board, player: PerfectPlayer, own: np.uint64, mask: np.uint64
) -> np.uint64:
    """The same, found: each move is asked only whether it is as good as the best so far."""
    layout, ply = player.layout, board.counters[PLY]
    left = tables.cells - ply
    best, moves = least_score(player, own, mask), ZERO
    for column in player.order:
        cell = cell_of(tables, layout, mask, column)
        if cell >= tables.cells:
            continue
        after = mask | bit_of(tables, layout, cell)
        if board.threat[ply & 1, cell] > 0:
            score = (left + 1) >> 1
        elif left == 1:
            score = 0
        else:
            score = -score_after(player, own ^ mask, after, ply + 1, -best)
        if player.only_value:
            score = min(max(score, -1), 1)
        if score > best:
            best, moves = score, ZERO
        if score == best:
            moves |= ONE << Word(column)
    player.found[0] = best
    return moves


@inline
def score_after(
    player: PerfectPlayer, own: np.uint64, mask: np.uint64, ply: int, enough: int
) -> int:
    """The score of a position that goes on; if it is more than `enough`, any such number."""
    layout = player.layout
    if ply <= player.book_ply:
        key = own + mask
        return look_up(player, min(key, mirrored(layout, key)))
    low, high = WORST, enough + 1
    if player.only_value:
        low, high = -1, min(enough + 1, 1)
    return score_of(layout, player.solver, own, mask, (low, high))


@inline
def look_up(player: PerfectPlayer, key: np.uint64) -> int:
    """The score of a position that is in the book."""
    low, high = 0, len(player.book_keys) - 1
    while low < high:
        middle = (low + high) >> 1
        if player.book_keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return int(np.int64(player.book_scores[low]))
