"""Any game of a match between compiled players, played again: its moves follow from the seed.

A match plays its games in chunks, each from streams of its own (`match`). So a game is found again
by playing its chunk up to it, in the same compiled loop, and then move by move.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from inarow.engine.board import PLY, STATE, Board, clear, new_board, place
from inarow.engine.contest import begin, choose, play_games
from inarow.engine.jit import jit
from inarow.engine.streams import FIRST, SECOND, Stream, make_stream
from inarow.engine.tables import Int32s, Tables, tables_of
from inarow.game import InputError, Position
from inarow.lab.match import MatchResult, chunk_size
from inarow.lab.players import CompiledPlayer, name_of


def replay(result: MatchResult, one: Any, other: Any, number: int) -> Position:
    """Game `number` of a match, from 0: first those in which `one` moved first, then the others.

    The two players are those of the match, in its order.
    """
    if not 0 <= number < result.total.games:
        raise InputError(f"there is no game {number}: the match has 0 to {result.total.games - 1}")
    for some_player in (one, other):
        if not isinstance(some_player, CompiledPlayer):
            raise InputError(f"{name_of(some_player)} needs Python: watch its games as they go")
    swap = int(number >= result.as_first.games)
    first, second = (other, one) if swap else (one, other)
    chunk, before = divmod(number - swap * result.as_first.games, chunk_size(result.game))
    tables, position = tables_of(result.game), Position(result.game)
    moves = np.empty(result.game.cells, dtype=np.int32)
    length = record_game(
        tables,
        new_board(tables),
        first.compiled(tables),
        second.compiled(tables),
        make_stream(result.seed, FIRST, swap, chunk),
        make_stream(result.seed, SECOND, swap, chunk),
        before,
        np.zeros(8, dtype=np.int64),
        moves,
    )
    for move in moves[:length].tolist():
        position.push(move)
    return position


def replay_all(result: MatchResult, one: Any, other: Any) -> Iterator[Position]:
    """All games of a match between compiled players, in the order of `replay`."""
    tables, size = tables_of(result.game), chunk_size(result.game)
    board, counts = new_board(tables), np.zeros(8, dtype=np.int64)
    moves = np.empty(result.game.cells, dtype=np.int32)
    for swap, tally in enumerate((result.as_first, result.as_second)):
        first, second = (other, one) if swap else (one, other)
        for number in range(tally.games):
            if number % size == 0:
                one_player, other_player = first.compiled(tables), second.compiled(tables)
                one_stream = make_stream(result.seed, FIRST, swap, number // size)
                other_stream = make_stream(result.seed, SECOND, swap, number // size)
            length = record_game(
                tables, board, one_player, other_player, one_stream, other_stream,
                0, counts, moves,
            )  # fmt: skip
            position = Position(result.game)
            for move in moves[:length].tolist():
                position.push(move)
            yield position


@jit
def record_game(
    tables: Tables,
    board: Board,
    first: Any,
    second: Any,
    first_stream: Stream,
    second_stream: Stream,
    before: int,
    counts: Any,
    moves: Int32s,
) -> Any:
    """Plays so many games, then writes down the moves of the next; how many they are."""
    play_games(tables, board, first, second, first_stream, second_stream, before, counts)
    clear(tables, board)
    begin(first, first_stream)
    begin(second, second_stream)
    while board.counters[STATE] == 0:
        ply = board.counters[PLY]
        if ply & 1 == 0:
            cell = choose(tables, board, first, first_stream)
        else:
            cell = choose(tables, board, second, second_stream)
        moves[ply] = cell % tables.columns
        place(tables, board, cell)
    return board.counters[PLY]
