"""Whole games, compiled: random ones, and games between two players."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
    GOING_ON,
    MAX_MASK_CELLS,
    PLY,
    SCORE,
    SECOND_WON,
    STATE,
    Board,
    Int32s,
    Int64s,
    Tables,
    Words,
    clear,
    place,
    state_of_line,
    tables_of,
    trace_move,
)
from inarow.engine.jit import HAS_ENTRY_POINTS, call_entry, dispatch_by_type, inline, jit
from inarow.engine.players import BEGIN, CHOOSE, PlayerArrays, Side, begin, choose
from inarow.engine.rules import RulePlayer
from inarow.engine.streams import Stream, below, make_stream
from inarow.game import Game, InputError

# Random games as fast as they go: by bit masks up to 64 cells, by line counters above.
#
# A random game needs no threats, so these loops keep none. Both shuffle a list of moves that can be
# carried over from game to game: drawing without putting back from any order is just as random.

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
    """Play games in which both sides move at random."""
    if games < 1:
        raise InputError(f"{games} games are too few: play at least 1")
    counts = np.zeros(8, dtype=np.int64)
    play_at_random(tables_of(game), (make_stream(seed),), games, counts)
    return Playouts(games, *(int(n) for n in counts[FIRST_WINS : PLIES + 1]))


def play_at_random(tables: Tables, streams: Streams, games: int, counts: Int64s) -> None:
    """Play random games and adds them up in `counts`, as `play_games` does.

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
    """Draw a move from the first `available`; return its cell and how many remain."""
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
    """Return how many lines through the cell are full of these stones."""
    completed = 0
    for i in range(masks.shape[1]):
        completed += (stones & masks[cell, i]) == masks[cell, i]
    return completed


@inline
def _begin(moves: Int32s, heights: Int32s, streams: Streams) -> None:
    """Clear the board before a game."""
    heights[:] = 0
    if len(streams) == 2:
        for move in range(len(moves)):
            moves[move] = move


@inline
def compare_lines(scoring: bool, first: int, second: int) -> int:
    """Return how a game on a full board ended, by the lines of both sides."""
    if not scoring or first == second:
        return DRAWN
    return FIRST_WON if first > second else SECOND_WON


@inline
def add_to_lines(tables: Tables, lines: Int64s, cell: int, side: int) -> int:
    """Count a stone on the lines through its cell; return how many it completes.

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
    """Play random moves from a position to the end; return how the game ended.

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


# Whole games between two compiled players, without coming back to Python between moves.
#
# The loops take players of any kinds through their entry points, and are compiled once. Two players
# by rules are written into them instead (measured: a fifth to a quarter less time), as are all
# where there are no entry points (`numba_public`).

# What is counted of games, in this order.
GAMES, FIRST_WINS, SECOND_WINS, DRAWS, PLIES, FIRST_LINES, SECOND_LINES, DIFFERENT = range(8)


@inline
def count_game(
    counts: Int64s, state: int, ply: int, first: int, second: int, differs: bool
) -> None:
    """Count a game that is over, and the lines of both sides."""
    counts[GAMES] += 1
    counts[state] += 1
    counts[PLIES] += ply
    counts[FIRST_LINES] += first
    counts[SECOND_LINES] += second
    counts[DIFFERENT] += differs


class Pairing(NamedTuple):
    """Two players, with random numbers of their own."""

    first: PlayerArrays
    second: PlayerArrays
    first_stream: Stream
    second_stream: Stream


class EntryPoints(NamedTuple):
    """Both sides as entry points: two players of any kinds."""

    points: Int64s  # [2, 2] of each side


class TwoPlayers:
    """Both sides of a board; `entries` is what compiled loops take."""

    def __init__(self, tables: Tables, board: Board, pair: Pairing) -> None:
        self.entries: Pairing | EntryPoints = pair
        if HAS_ENTRY_POINTS:
            self._sides = (
                Side(tables, board, pair.first, pair.first_stream),
                Side(tables, board, pair.second, pair.second_stream),
            )
            self.entries = EntryPoints(np.stack([side.entry for side in self._sides]))


@inline
def _begin_directly(pair: Pairing) -> None:
    begin(pair.first, pair.first_stream)
    begin(pair.second, pair.second_stream)


@inline
def _choose_directly(tables: Tables, board: Board, pair: Pairing) -> int:
    if board.counters[PLY] & 1 == 0:  # twice written: one choice of a chosen player takes longer
        return choose(tables, board, pair.first, pair.first_stream)
    return choose(tables, board, pair.second, pair.second_stream)


@inline
def _begin_through(entries: EntryPoints) -> None:
    for side in range(2):
        call_entry(entries.points[side, 0], entries.points[side, 1], BEGIN)


@inline
def _choose_through(tables: Tables, board: Board, entries: EntryPoints) -> int:  # noqa: ARG001
    side = board.counters[PLY] & 1
    return call_entry(entries.points[side, 0], entries.points[side, 1], CHOOSE)


class _SideCalls(NamedTuple):
    """How two sides are asked."""

    begin_both: Callable[..., object]
    choose_next: Callable[..., object]


_SIDE_CALLS: dict[type, _SideCalls] = {
    Pairing: _SideCalls(_begin_directly, _choose_directly),
    EntryPoints: _SideCalls(_begin_through, _choose_through),
}


@dispatch_by_type("sides", _SIDE_CALLS)
def begin_both(sides: Pairing | EntryPoints) -> None:
    """Let both players prepare for a new game."""
    raise TypeError(f"{type(sides).__name__} are no sides")


@dispatch_by_type("sides", _SIDE_CALLS)
def choose_next(tables: Tables, board: Board, sides: Pairing | EntryPoints) -> int:  # noqa: ARG001
    """The cell that the player whose turn it is chooses."""
    raise TypeError(f"{type(sides).__name__} are no sides")


@inline
def begin_pair(tables: Tables, board: Board, sides: Pairing | EntryPoints) -> None:
    """Clear the board and lets both players prepare for a new game."""
    clear(tables, board)
    begin_both(sides)


def play_games(tables: Tables, board: Board, pair: Pairing, games: int, counts: Int64s) -> None:
    """Play games and adds them up in `counts`.

    DIFFERENT counts the games that did not repeat the first one of this call: two players who
    are deterministic play one game as often as they are asked.
    """
    if isinstance(pair.first, RulePlayer) and isinstance(pair.second, RulePlayer):
        _play_games(tables, board, pair, games, counts)
    else:
        sides = TwoPlayers(tables, board, pair)
        _play_games(tables, board, sides.entries, games, counts)


@jit
def _play_games(
    tables: Tables, board: Board, sides: Pairing | EntryPoints, games: int, counts: Int64s
) -> None:
    first_game = np.uint64(0)
    for game in range(games):
        begin_pair(tables, board, sides)
        trace = np.uint64(0)
        while board.counters[STATE] == 0:
            cell = choose_next(tables, board, sides)
            trace = trace_move(trace, cell)
            place(tables, board, cell)
        if game == 0:
            first_game = trace
        first, second = board.counters[SCORE], board.counters[SCORE + 1]
        state, ply = board.counters[STATE], board.counters[PLY]
        count_game(counts, state, ply, first, second, trace != first_game)
