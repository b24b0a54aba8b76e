"""Any game of a match between compiled players, played again: its moves follow from the seed.

A match plays its games in chunks, each from streams of its own (`match`). So a game is found again
by playing its chunk up to it, in the same compiled loop, and then move by move.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inarow.engine.board import PLY, STATE, Board, new_board, place
from inarow.engine.contest import PlayerArrays
from inarow.engine.jit import jit
from inarow.engine.pairs import Entries, Pairing, Sides, begin_pair, choose_next, play_games
from inarow.engine.streams import FIRST, SECOND, make_stream
from inarow.engine.tables import Int32s, Tables, tables_of
from inarow.game import Game, InputError, Position
from inarow.lab.match import chunk_size
from inarow.lab.match_result import MatchResult
from inarow.lab.player_protocols import AnyPlayer, name_of, states_policy


def replay(result: MatchResult, one: AnyPlayer, other: AnyPlayer, number: int) -> Position:
    """Game `number` of a match, from 0: first those in which `one` moved first, then the others.

    The two players are those of the match, in its order.
    """
    if not 0 <= number < result.total.games:
        raise InputError(f"there is no game {number}: the match has 0 to {result.total.games - 1}")
    swap = int(number >= result.as_first.games)
    players = [_arrays(p, result.game) for p in ((other, one) if swap else (one, other))]
    chunk, before = divmod(number - swap * result.as_first.games, chunk_size(result.game))
    streams = [make_stream(result.seed, side, swap, chunk) for side in (FIRST, SECOND)]
    tables, position = tables_of(result.game), Position(result.game)
    counts, moves = np.zeros(8, dtype=np.int64), np.empty(result.game.cells, dtype=np.int32)
    pair, board = Pairing(players[0], players[1], streams[0], streams[1]), new_board(tables)
    play_games(tables, board, pair, before, counts)
    sides = Sides(tables, board, pair)
    record_game(tables, board, sides.entries, moves)
    for move in moves[: board.counters[PLY]].tolist():
        position.push(move)
    return position


def replay_all(result: MatchResult, one: AnyPlayer, other: AnyPlayer) -> Iterator[Position]:
    """All games of a match between compiled players, in the order of `replay`."""
    tables, size = tables_of(result.game), chunk_size(result.game)
    board, moves = new_board(tables), np.empty(result.game.cells, dtype=np.int32)
    for swap, tally in enumerate((result.as_first, result.as_second)):
        players = (other, one) if swap else (one, other)
        for number in range(tally.games):
            if number % size == 0:
                arrays = [_arrays(p, result.game) for p in players]
                streams = [
                    make_stream(result.seed, side, swap, number // size) for side in (FIRST, SECOND)
                ]
                sides = Sides(tables, board, Pairing(arrays[0], arrays[1], streams[0], streams[1]))
            record_game(tables, board, sides.entries, moves)
            position = Position(result.game)
            for move in moves[: board.counters[PLY]].tolist():
                position.push(move)
            yield position


def _arrays(some_player: AnyPlayer, game: Game) -> PlayerArrays:
    if not states_policy(some_player):
        raise InputError(f"{name_of(some_player)} needs Python: watch its games as they go")
    return some_player.compiled(tables_of(game))


@jit
def record_game(tables: Tables, board: Board, entries: Entries, moves: Int32s) -> None:
    """Plays a game and writes down its moves."""
    begin_pair(tables, board, entries)
    while board.counters[STATE] == 0:
        cell = choose_next(tables, board, entries)
        moves[board.counters[PLY]] = cell % tables.columns
        place(tables, board, cell)
