"""The compiled steps of a traversal through a player's games against perfect play.

They answer for many positions at once, each given by two words as in `search.bitboard`: the stones
of the side to move, and all stones.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Board, Stones, load
from inarow.engine.contest import PlayerArrays, Weights, write_policy
from inarow.engine.jit import inline, jit
from inarow.engine.tables import Int64s, Tables, Words
from inarow.search.bitboard import ZERO, Layout, lowest
from inarow.search.perfect_play import PerfectPlayer, bit_of, cell_of, remembered_moves


@inline
def set_up(
    tables: Tables,
    board: Board,
    stones: Stones,
    layout: Layout,
    own: np.uint64,
    mask: np.uint64,
    ply: int,
) -> None:
    """Puts a position of two words on the board."""
    mover = (ply & 1) + 1
    for cell in range(tables.cells):
        bit = bit_of(tables, layout, cell)
        stones[cell] = 0 if mask & bit == ZERO else (mover if own & bit != ZERO else 3 - mover)
    load(tables, board, stones)


@jit
def ask_player(
    tables: Tables,
    board: Board,
    stones: Stones,
    layout: Layout,
    player: PlayerArrays,
    owns: Words,
    masks: Words,
    ply: int,
    weights: Weights,
) -> None:
    """The weight of each column that the player may choose, in each position."""
    for i in range(len(owns)):
        set_up(tables, board, stones, layout, owns[i], masks[i], ply)
        write_policy(tables, board, player, weights[i])


@jit
def ask_perfect(
    tables: Tables,
    board: Board,
    stones: Stones,
    perfect: PerfectPlayer,
    owns: Words,
    masks: Words,
    least: Int64s,
    ply: int,
    moves: Words,
    scores: Int64s,
) -> None:
    """The columns that perfect play may choose in each position, a bit for each, and its score.

    It remembers the last position and its score, since a position's value is as high at least: here
    that is any stone of the other side less, and the score that is given.
    """
    for i in range(len(owns)):
        own, mask = owns[i], masks[i]
        set_up(tables, board, stones, perfect.layout, own, mask, ply)
        perfect.last[0], perfect.last[1] = own, mask ^ lowest(own ^ mask)
        perfect.found[0] = least[i]
        moves[i] = remembered_moves(tables, board, perfect, own, mask)
        scores[i] = perfect.found[0]


@jit
def find_ends(
    tables: Tables,
    board: Board,
    stones: Stones,
    layout: Layout,
    owns: Words,
    masks: Words,
    ply: int,
    moves: Int64s,
    ends: npt.NDArray[np.bool_],
) -> None:
    """Whether each move wins."""
    for i in range(len(owns)):
        set_up(tables, board, stones, layout, owns[i], masks[i], ply)
        cell = cell_of(tables, layout, masks[i], moves[i])
        ends[i] = board.threat[ply & 1, cell] > 0
