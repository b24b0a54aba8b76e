"""A player that takes the move after which its value network likes the board best."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import OPEN, Board, load, new_board
from inarow.engine.contest import register_player
from inarow.engine.jit import apart, inline, jit, stay_apart
from inarow.engine.rules import Rule, ordered_cells
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, Tables, tables_of
from inarow.game import Game, Position
from inarow.learn.agent import Agent
from inarow.learn.mlp.agent import best_of, rules_of
from inarow.learn.mlp.network import Weights
from inarow.learn.monte_carlo.network import (
    Sums,
    ValueShape,
    chance,
    new_sums,
    score_moves,
    see_board,
)


class ValueAgent(Agent):
    """A value network with its weights as they are now, behind a shield of rules."""

    def __init__(
        self, name: str, game: Game, shape: ValueShape, weights: Weights, shield: tuple[Rule, ...]
    ) -> None:
        self.name, self.game, self.shape = name, game, shape
        self.weights, self.shield = weights.copy(), rules_of(shield, game)

    def arrays_for(self, tables: Tables) -> ValuePlayer:
        """The agent for compiled loops."""
        sums, found = new_sums(self.shape, self.weights.dtype), np.zeros(tables.cells, np.uint32)
        return ValuePlayer(self.shape, self.weights, sums, self.shield, found)

    def values(self, position: Position) -> dict[int, float]:
        """The chance of the side to move after each move, rules apart."""
        self.check_game(position.game)
        if position.outcome is not None:
            return {}
        tables = tables_of(self.game)
        board, player = new_board(tables), self.compiled(tables)
        stones: Any = np.array(position.stones, dtype=np.int8)
        chances = np.zeros(tables.cells)
        count = _value_moves(tables, board, player, stones, chances)
        moves = board.open_cells[:count].astype(np.int64) % tables.columns
        return dict(sorted(zip(moves.tolist(), chances[:count].tolist(), strict=True)))


class ValuePlayer(NamedTuple):
    """An agent for compiled loops."""

    shape: ValueShape
    weights: Weights
    sums: Sums
    rules: Int64s  # the shield
    found: npt.NDArray[np.uint32]  # [cells] scratch: what the shield found


@inline
def _begin(player: ValuePlayer, stream: Stream) -> None:
    """Every game begins alike."""


@apart
def _best_cell(tables: Tables, board: Board, player: ValuePlayer) -> Any:
    """The cell of the highest value among those that the shield allows, the first of several."""
    stay_apart()
    found = player.found
    rule, count = ordered_cells(tables, board, player.rules, found)
    if rule == Rule.WIN or count == 1:
        return np.int64(found[0])
    see_board(tables, board, player.shape, player.weights, player.sums)
    score_moves(board, player.shape, player.weights, player.sums, found, count)
    return np.int64(found[best_of(player.sums.scores, count)])


@inline
def _choose(tables: Tables, board: Board, player: ValuePlayer, stream: Stream) -> Any:  # noqa: ARG001
    """That cell: it is deterministic."""
    return _best_cell(tables, board, player)


@inline
def _write(tables: Tables, board: Board, player: ValuePlayer, weights: Any) -> None:
    """The one move that it chooses."""
    weights[_best_cell(tables, board, player) % tables.columns] = 1.0


register_player(ValuePlayer, _begin, _choose, _write)


@jit
def _value_moves(
    tables: Tables, board: Board, player: ValuePlayer, stones: Any, values: Any
) -> int:
    """The values of all moves in a position, in the order of the board's list; how many."""
    load(tables, board, stones)
    see_board(tables, board, player.shape, player.weights, player.sums)
    count = board.counters[OPEN]
    score_moves(board, player.shape, player.weights, player.sums, board.open_cells, count)
    for i in range(count):
        values[i] = chance(player.sums.scores[i])
    return count
