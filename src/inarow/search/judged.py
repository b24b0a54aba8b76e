"""A player whose moves are judged by exact search, so that its mistakes can be found and corrected.

Where a move that it may choose gives away the value of the position, the position is noted and an
exact move is played in its place. So a traversal through all games of the judged player
(`graph.anyone`) meets every position that the corrected player would meet, and the notes are all
mistakes in them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Board
from inarow.engine.contest import (
    CompiledPlayer,
    PlayerArrays,
    Weights,
    choose,
    register_player,
    write_policy,
)
from inarow.engine.jit import inline, jit
from inarow.engine.rules import RuleList
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, Tables, Words, tables_of
from inarow.game import Game
from inarow.search.bitboard import ZERO, Word, completing, mirrored, playable, popcount, signed
from inarow.search.endgame import (
    BIT,
    COLUMN,
    JUDGE_BITS,
    Endgame,
    EndgamePlayer,
    keeps_value,
    rank_moves,
)
from inarow.search.perfect_play import PerfectPlayer, compiled_perfect, look_up, pack
from inarow.search.table import MULTIPLIER

MOST_NOTES = 1 << 20
KNOWN_BITS = 22  # of the memory of positions: 32 MiB


class JudgedPlayer(NamedTuple):
    """The player for compiled loops."""

    player: PlayerArrays
    judge: EndgamePlayer
    book: PerfectPlayer  # for the positions that its book holds
    known: Words  # [2^KNOWN_BITS] keys of positions that were found to be lost by the side to move
    notes: Words  # [MOST_NOTES, 2] positions of mistakes: stones of the side to move, all stones
    noted: Int64s  # [1] how many


def judged(player: CompiledPlayer, game: Game, table_bits: int = JUDGE_BITS) -> JudgedPlayer:
    """A player ready to be judged, with nothing noted."""
    tables = tables_of(game)
    return JudgedPlayer(
        player.compiled(tables),
        Endgame(RuleList(((),)), tables.cells, table_bits).compiled(tables),
        compiled_perfect(game, "value", game.cells),  # for its book, where there is one
        np.zeros(1 << KNOWN_BITS, dtype=np.uint64),
        np.zeros((MOST_NOTES, 2), dtype=np.uint64),
        np.zeros(1, dtype=np.int64),
    )


def judged_next(before: JudgedPlayer, player: CompiledPlayer, game: Game) -> JudgedPlayer:
    """Another player, by a judge that knows already what it found out before."""
    before.noted[0] = 0
    return before._replace(player=player.compiled(tables_of(game)))


@inline
def _begin(player: JudgedPlayer, stream: Stream) -> None:
    """It is asked for its policy only."""


@inline
def _choose(tables: Tables, board: Board, player: JudgedPlayer, stream: Stream) -> int:
    """What it may choose is what it is for; this is never asked."""
    return choose(tables, board, player.player, stream)


@jit
def write_judged(tables: Tables, board: Board, player: JudgedPlayer, weights: Weights) -> None:
    """What the player may choose, or an exact move where that would be a mistake."""
    write_policy(tables, board, player.player, weights)
    layout = player.judge.layout
    own, mask = pack(tables, board, layout)
    # Always from the same side, so that mirror images are judged alike.
    flipped = mirrored(layout, own + mask) < own + mask
    if flipped:
        own, mask = mirrored(layout, own), mirrored(layout, mask)
    count = rank_moves(player.judge, own, mask)
    for value in (1, 0):
        kept = True
        for place in range(count):
            column = player.judge.moves[place, COLUMN]
            chosen = weights[tables.columns - 1 - column if flipped else column] > 0
            bit = Word(player.judge.moves[place, BIT])
            kept = kept and (not chosen or _keeps(player, own, mask, bit, value))
        if kept:
            return
        for place in range(count):
            if _keeps(player, own, mask, Word(player.judge.moves[place, BIT]), value):
                column = player.judge.moves[place, COLUMN]
                weights[:] = 0
                weights[tables.columns - 1 - column if flipped else column] = 1.0
                _note(player, own, mask)
                return


register_player(JudgedPlayer, _begin, _choose, write_judged)


@inline
def _keeps(
    player: JudgedPlayer, own: np.uint64, mask: np.uint64, bit: np.uint64, value: int
) -> bool:
    """Whether a move has this value or a higher one: by the book, or by a search."""
    layout = player.judge.layout
    if completing(layout, own) & bit != ZERO:
        return True
    after = mask | bit
    key = (own ^ mask) + after
    key = min(key, mirrored(layout, key))
    if signed(popcount(after)) <= player.book.book_ply:
        if completing(layout, own ^ mask) & playable(layout, after) != ZERO:
            return False
        return look_up(player.book, key) <= -value
    place = (key * MULTIPLIER) >> Word(64 - KNOWN_BITS)
    if value == 1 and player.known[place] == key:
        return True
    kept = keeps_value(player.judge, own, mask, bit, value)
    if value == 1 and kept:
        player.known[place] = key
    return kept


@jit
def _write_kept(
    player: JudgedPlayer, own: np.uint64, mask: np.uint64, kept: npt.NDArray[np.bool_]
) -> None:
    """Marks the columns that keep the value of the position."""
    count = rank_moves(player.judge, own, mask)
    for value in (1, 0, -1):
        found = False
        for place in range(count):
            bit = Word(player.judge.moves[place, BIT])
            if value < 0 or _keeps(player, own, mask, bit, value):
                kept[player.judge.moves[place, COLUMN]] = found = True
        if found:
            return


def kept_moves(player: JudgedPlayer, own: int, mask: int) -> list[int]:
    """The moves that keep the value of a position that was noted."""
    kept = np.zeros(player.judge.layout.columns, dtype=np.bool_)
    _write_kept(player, Word(own), Word(mask), kept)
    return [int(move) for move in np.flatnonzero(kept)]


def stones_of(game: Game, own: int, mask: int) -> list[int]:
    """What lies on each cell of a position that was noted: 0, 1 or 2."""
    rows, columns = game.cells // game.columns, game.columns
    mover = 1 + mask.bit_count() % 2
    stones = [0] * game.cells
    for cell in range(game.cells):
        bit = 1 << ((cell % columns) * (rows + 1) + cell // columns)
        if mask & bit:
            stones[cell] = mover if own & bit else 3 - mover
    return stones


@inline
def _note(player: JudgedPlayer, own: np.uint64, mask: np.uint64) -> None:
    if player.noted[0] < len(player.notes):
        player.notes[player.noted[0], 0] = own
        player.notes[player.noted[0], 1] = mask
    player.noted[0] += 1
