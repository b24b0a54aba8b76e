"""Whole games between two compiled players, without coming back to Python between moves.

The loops take players of any kinds through their entry points, and are compiled once. Two players
by rules are written into them instead (measured: a fifth to a quarter less time).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inarow.engine.board import PLY, SCORE, STATE, Board, clear, place, trace_move
from inarow.engine.by_type import by_type
from inarow.engine.contest import (
    BEGIN,
    CHOOSE,
    PlayerArrays,
    Side,
    Turn,
    begin,
    choose,
    compile_players,
)
from inarow.engine.entry_points import call_entry
from inarow.engine.jit import inline, jit
from inarow.engine.rules import RulePlayer
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, Tables

# What is counted of games, in this order.
GAMES, FIRST_WINS, SECOND_WINS, DRAWS, PLIES, FIRST_LINES, SECOND_LINES, DIFFERENT = range(8)


@inline
def count_game(
    counts: Int64s, state: int, ply: int, first: int, second: int, differs: bool
) -> None:
    """Counts a game that is over, and the lines of both sides."""
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


class Entries(NamedTuple):
    """Both sides as entry points: two players of any kinds."""

    points: Int64s  # [2, 2] of each side


class Sides:
    """Both sides of a board. `entries` is what compiled loops take, while this is kept."""

    def __init__(self, tables: Tables, board: Board, pair: Pairing) -> None:
        self._sides = (
            Side(tables, board, pair.first, pair.first_stream),
            Side(tables, board, pair.second, pair.second_stream),
        )
        self.entries = Entries(np.stack([side.entry for side in self._sides]))


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
def _begin_through(entries: Entries) -> None:
    for side in range(2):
        call_entry(entries.points[side, 0], entries.points[side, 1], BEGIN)


@inline
def _choose_through(tables: Tables, board: Board, entries: Entries) -> int:  # noqa: ARG001
    side = board.counters[PLY] & 1
    return call_entry(entries.points[side, 0], entries.points[side, 1], CHOOSE)


class _Ways(NamedTuple):
    """How two sides are asked."""

    begin_both: Callable[..., object]
    choose_next: Callable[..., object]


_WAYS: dict[type, _Ways] = {
    Pairing: _Ways(_begin_directly, _choose_directly),
    Entries: _Ways(_begin_through, _choose_through),
}


@by_type("sides", _WAYS)
def begin_both(sides: Pairing | Entries) -> None:
    """Lets both players prepare for a new game."""
    raise TypeError(f"{type(sides).__name__} are no sides")


@by_type("sides", _WAYS)
def choose_next(tables: Tables, board: Board, sides: Pairing | Entries) -> int:  # noqa: ARG001
    """The cell that the player whose turn it is chooses."""
    raise TypeError(f"{type(sides).__name__} are no sides")


@inline
def begin_pair(tables: Tables, board: Board, sides: Pairing | Entries) -> None:
    """Clears the board and lets both players prepare for a new game."""
    clear(tables, board)
    begin_both(sides)


def play_games(tables: Tables, board: Board, pair: Pairing, games: int, counts: Int64s) -> None:
    """Plays games and adds them up in `counts`.

    DIFFERENT counts the games that did not repeat the first one of this call: two players who
    are deterministic play one game as often as they are asked.
    """
    if isinstance(pair.first, RulePlayer) and isinstance(pair.second, RulePlayer):
        _play_games(tables, board, pair, games, counts)
    else:
        entries = Entries(np.zeros((2, 2), dtype=np.int64))
        turns = [
            Turn(tables, board, pair.first, pair.first_stream),
            Turn(tables, board, pair.second, pair.second_stream),
        ]
        compile_players(turns, (_play_games, (tables, board, entries, games, counts)))
        sides = Sides(tables, board, pair)
        _play_games(tables, board, sides.entries, games, counts)


@jit
def _play_games(
    tables: Tables, board: Board, sides: Pairing | Entries, games: int, counts: Int64s
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
