"""Random games as fast as they go: by bit masks up to 64 cells, by line counters above.

A random game needs no threats, so these loops keep none. Both shuffle a list of moves that can be
carried over from game to game: drawing without putting back from any order is just as random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
    GOING_ON,
    SECOND_WON,
    state_of_line,
    trace_move,
)
from inarow.engine.jit import inline, jit
from inarow.engine.pairs import FIRST_WINS, PLIES, count_game
from inarow.engine.streams import Stream, below, make_stream
from inarow.engine.tables import MAX_MASK_CELLS, Int32s, Int64s, Tables, Words, tables_of
from inarow.game import Game, InputError

# One or two: a loop is compiled for each number (measured: one takes a quarter less time).
Streams = tuple[Stream, ...]


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
    counts = np.zeros(8, dtype=np.int64)
    play_at_random(tables_of(game), (make_stream(seed),), games, counts)
    return Playouts(games, *(int(n) for n in counts[FIRST_WINS : PLIES + 1]))


def play_at_random(tables: Tables, streams: Streams, games: int, counts: Int64s) -> None:
    """Plays random games and adds them up in `counts`, as `pairs.play_games` does.

    With a stream for each side they are the games of two random players on a `Board`, whose moves
    are in order at the start. With one stream for both, games are not compared with the first.
    """
    moves = np.arange(tables.columns, dtype=np.int32)
    heights = np.zeros(tables.columns, dtype=np.int32)
    above = tables.cells > MAX_MASK_CELLS
    counters = np.zeros(len(tables.line_words), dtype=np.int64) if above else None
    _play(tables, moves, heights, counters, streams, games, counts)


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
def _begin(moves: Int32s, heights: Int32s, streams: Streams) -> None:
    """Before a game: an empty board."""
    heights[:] = 0
    if len(streams) == 2:
        for move in range(len(moves)):
            moves[move] = move


@inline
def compare_lines(scoring: bool, first: int, second: int) -> int:
    """How a game on a full board ended, by the lines of both sides."""
    if not scoring or first == second:
        return DRAWN
    return FIRST_WON if first > second else SECOND_WON


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
def finish(
    tables: Tables,
    moves: Int32s,
    heights: Int32s,
    available: int,
    stones: tuple[np.uint64, np.uint64],
    counters: Int64s | None,
    lines: tuple[int, int],
    ply: int,
    streams: Streams,
) -> tuple[int, int, int, int, np.uint64]:
    """Random moves from a position to the end: how it ended, its stones, lines of both, its trace.

    The position is given by `stones`, those of the side to move and of the other, a word each; or
    by stones counted on each line, for boards of any size: a loop is compiled for either. `lines`
    says how many the first player and the second have. Nobody has one before its k-th stone.
    """
    own, other = stones
    first, second = lines
    state, trace = GOING_ON, np.uint64(0)
    while state == GOING_ON:
        stream = streams[ply & (len(streams) - 1)]
        cell, available = draw_move(tables, moves, heights, available, stream)
        if len(streams) == 2:
            trace = trace_move(trace, cell)
        completed = 0
        if counters is not None:
            completed = add_to_lines(tables, counters, cell, ply & 1)
        else:
            own |= np.uint64(1) << np.uint64(cell)
            if ply >= 2 * tables.k - 2:
                completed = lines_completed(tables.masks, cell, own)
        if completed > 0:
            if ply & 1 == 0:
                first += completed
            else:
                second += completed
            if not tables.scoring:
                state = state_of_line(tables, ply & 1)
        ply += 1
        own, other = other, own
        if ply == tables.cells and state == GOING_ON:
            state = compare_lines(tables.scoring, first, second)
    return state, ply, first, second, trace


@jit
def _play(
    tables: Tables,
    moves: Int32s,
    heights: Int32s,
    counters: Int64s | None,
    streams: Streams,
    games: int,
    counts: Int64s,
) -> None:
    first_game, none = np.uint64(0), (np.uint64(0), np.uint64(0))
    for game in range(games):
        _begin(moves, heights, streams)
        if counters is not None:
            counters[:] = 0
        state, ply, first, second, trace = finish(
            tables, moves, heights, tables.columns, none, counters, (0, 0), 0, streams
        )
        first_game = trace if game == 0 else first_game
        count_game(counts, state, ply, first, second, trace != first_game)
