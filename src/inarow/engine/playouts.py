"""Random games as fast as they go: by bit masks up to 64 cells, by line counters above.

A random game needs no threats, so these loops keep none. Both shuffle a list of moves that is
carried over from game to game: drawing without putting back from any order is just as random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inarow.engine.board import DRAWN, FIRST_WON, GOING_ON, SECOND_WON, state_of_line
from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream, below, make_stream
from inarow.engine.tables import MAX_MASK_CELLS, Int32s, Int64s, Tables, Words, tables_of
from inarow.game import Game, InputError


@dataclass(frozen=True)
class Playouts:
    """How random games ended."""

    games: int
    first: int  # won by the first player
    second: int
    drawn: int
    plies: int  # of all games together


def play_random_games(game: Game, games: int, seed: int = 0) -> Playouts:
    """Plays games in which both sides move at random."""
    if games < 1:
        raise InputError(f"{games} games are too few: play at least 1")
    tables, counts, stream = tables_of(game), np.zeros(5, dtype=np.int64), make_stream(seed)
    moves = np.arange(game.columns, dtype=np.int32)
    heights = np.zeros(game.columns, dtype=np.int32)
    if game.cells <= MAX_MASK_CELLS:
        _play_by_masks(tables, moves, heights, stream, games, counts)
    else:
        lines = np.zeros(len(tables.line_words), dtype=np.int64)
        _play_by_counters(tables, moves, heights, lines, stream, games, counts)
    return Playouts(games, *(int(n) for n in counts[1:]))


@inline
def draw_move(
    tables: Tables, moves: Int32s, heights: Int32s, available: int, stream: Stream
) -> tuple[int, int]:
    """A random move out of the first `available` of the list: its cell, and how many remain."""
    place = below(stream, available)
    move = moves[place]
    cell = move
    if tables.gravity:
        cell += heights[move] * tables.columns
        heights[move] += 1
    if not tables.gravity or cell + tables.columns >= tables.cells:
        available -= 1
        moves[place] = moves[available]
        moves[available] = move
    return cell, available


@inline
def lines_completed(masks: Words, cell: int, stones: np.uint64) -> int:
    """How many lines through the cell are full of these stones."""
    completed = 0
    for i in range(masks.shape[1]):
        completed += (stones & masks[cell, i]) == masks[cell, i]
    return completed


@inline
def compare_lines(scoring: bool, lead: int) -> int:
    """How a game on a full board ended, by how many lines more the first player has."""
    if not scoring or lead == 0:
        return DRAWN
    return FIRST_WON if lead > 0 else SECOND_WON


@inline
def finish_by_masks(
    tables: Tables,
    moves: Int32s,
    heights: Int32s,
    available: int,
    stones: tuple[np.uint64, np.uint64],
    lead: int,
    ply: int,
    stream: Stream,
) -> tuple[int, int]:
    """Random moves from a position to the end: how the game ended, and its number of stones.

    The stones are those of the side to move and of the other, a word each; `lead` says how many
    lines more the first player has. Nobody has a line before its k-th stone.
    """
    own, other = stones
    state = GOING_ON
    while state == GOING_ON:
        cell, available = draw_move(tables, moves, heights, available, stream)
        own |= np.uint64(1) << np.uint64(cell)
        if ply >= 2 * tables.k - 2:
            completed = lines_completed(tables.masks, cell, own)
            if completed > 0:
                lead += completed if ply & 1 == 0 else -completed
                if not tables.scoring:
                    state = state_of_line(tables, ply & 1)
        ply += 1
        own, other = other, own
        if ply == tables.cells and state == GOING_ON:
            state = compare_lines(tables.scoring, lead)
    return state, ply


@inline
def add_to_lines(tables: Tables, lines: Int64s, cell: int, side: int) -> int:
    """Counts a stone on the lines through its cell; how many of them it completes.

    Each line is the lower half of a line word (see `board`): stones of either side.
    """
    stone = np.int64(1) << (16 * side)
    full = tables.k * stone
    completed = 0
    for i in range(tables.line_start[cell], tables.line_start[cell + 1]):
        word = lines[tables.line_at[i]] + stone
        lines[tables.line_at[i]] = word
        completed += word == full
    return completed


@inline
def finish_by_counters(
    tables: Tables,
    moves: Int32s,
    heights: Int32s,
    available: int,
    lines: Int64s,
    lead: int,
    ply: int,
    stream: Stream,
) -> tuple[int, int]:
    """The same by stones counted on each line, for boards of any size."""
    state = GOING_ON
    while state == GOING_ON:
        cell, available = draw_move(tables, moves, heights, available, stream)
        completed = add_to_lines(tables, lines, cell, ply & 1)
        lead += completed if ply & 1 == 0 else -completed
        if completed > 0 and not tables.scoring:
            state = state_of_line(tables, ply & 1)
        ply += 1
        if ply == tables.cells and state == GOING_ON:
            state = compare_lines(tables.scoring, lead)
    return state, ply


@jit
def _play_by_masks(
    tables: Tables, moves: Int32s, heights: Int32s, stream: Stream, games: int, counts: Int64s
) -> None:
    for _ in range(games):
        heights[:] = 0
        empty = (np.uint64(0), np.uint64(0))
        state, ply = finish_by_masks(tables, moves, heights, tables.columns, empty, 0, 0, stream)
        counts[state] += 1
        counts[4] += ply


@jit
def _play_by_counters(
    tables: Tables,
    moves: Int32s,
    heights: Int32s,
    lines: Int64s,
    stream: Stream,
    games: int,
    counts: Int64s,
) -> None:
    for _ in range(games):
        heights[:] = 0
        lines[:] = 0
        state, ply = finish_by_counters(tables, moves, heights, tables.columns, lines, 0, 0, stream)
        counts[state] += 1
        counts[4] += ply
