"""Compiled players asked from Python, one move at a time."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from inarow.engine.board import Board, new_board
from inarow.engine.contest import CompiledPlayer as CompiledPlayer
from inarow.engine.contest import (
    PlayerArrays,
    Side,
    Turn,
    check_one_policy,
    compile_players,
    load_stones,
    write_policy_in,
)
from inarow.engine.streams import Stream, make_stream
from inarow.engine.tables import Tables, tables_of
from inarow.game import Game, Position
from inarow.game.position import check_goes_on


class BoundPlayer:
    """A compiled player at a board in Python, with random numbers of its own."""

    def __init__(self, player: CompiledPlayer, game: Game, stream: Stream) -> None:
        self.tables: Tables = tables_of(game)
        self.board: Board = new_board(self.tables)
        self.arrays = player.compiled(self.tables)
        self.stream = stream
        self.name = str(getattr(player, "name", type(player).__name__))

    @cached_property
    def _side(self) -> Side:
        """Compiled when it is first asked, so that two players can be compiled at a time."""
        compile_bound([self])
        return Side(self.tables, self.board, self.arrays, self.stream)

    def begin(self) -> None:
        """Before each game."""
        self._side.begin()

    def move(self, position: Position) -> int:
        """The move that the player chooses."""
        return self._side.choose_in(np.array(position.stones, dtype=np.int8))

    def policy(self, position: Position) -> dict[int, float]:
        """The chance of every move that the player may choose."""
        check_one_policy(self.arrays)
        stones, weights = np.array(position.stones, dtype=np.int8), np.zeros(self.tables.columns)
        write_policy_in(self.tables, self.board, stones, self.arrays, weights)
        total = weights.sum()
        return {int(move): float(weights[move] / total) for move in np.flatnonzero(weights)}

    def moves(self, position: Position) -> list[int]:
        """All moves that the player may choose."""
        return list(self.policy(position))


def compile_bound(players: Iterable[object]) -> None:
    """Has compiled ones of the players compiled, as far as another process helps.

    One that searches for itself may hold another, which moves where it finds nothing.
    """
    inner = [getattr(player, "other", player) for player in players]
    bound = [player for player in inner if isinstance(player, BoundPlayer)]
    if bound:
        turns = [Turn(side.tables, side.board, side.arrays, side.stream) for side in bound]
        tables, board = turns[0].tables, turns[0].board
        compile_players(turns, (load_stones, (tables, board, board.stones)))


class MovesFromCompiled:
    """Gives a compiled player the method `move(position)` that every other player has.

    What it leaves to chance follows from one stream, the same in every process. Matches bind
    players instead, each side with a stream of its own.
    """

    _bound: BoundPlayer | None = None

    def compiled(self, tables: Tables) -> PlayerArrays:
        """The player as arrays."""
        raise NotImplementedError

    def move(self, position: Position) -> int:
        """The move to play in a position that goes on."""
        check_goes_on(position)
        if self._bound is None or self._bound.tables is not tables_of(position.game):
            self._bound = BoundPlayer(self, position.game, make_stream(0))
            self._bound.begin()
        elif position.ply < 2:
            self._bound.begin()  # another game
        return self._bound.move(position)
