"""A player that takes the move after which its value network gives the board the best chance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.board import OPEN, PLY, Board, Cells, reward_of_lines
from inarow.engine.contest import Weights as MoveWeights
from inarow.engine.contest import register_player
from inarow.engine.jit import apart, inline, jit, stay_apart
from inarow.engine.rules import Rule, ordered_cells
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, Tables
from inarow.engine.values import register_values
from inarow.game import Game
from inarow.learn.agent import BoardAgent, CellValues, begin_alike
from inarow.learn.monte_carlo.network import (
    Activations,
    ValueShape,
    add_stones,
    chance,
    new_activations,
    score_moves,
)
from inarow.learn.schedule import Numbers
from inarow.learn.shield import best_of, rules_of
from inarow.learn.weights import Weights


class ValuePlayer(NamedTuple):
    """An agent for compiled loops."""

    shape: ValueShape
    weights: Weights
    sums: Activations
    rules: Int64s  # the shield
    found: Cells  # [cells] scratch: what the shield found


class ValueAgent(BoardAgent):
    """A value network with its weights, behind a shield of rules."""

    def __init__(
        self, name: str, game: Game, shape: ValueShape, weights: Weights, shield: tuple[Rule, ...]
    ) -> None:
        super().__init__(name, game)
        self.shape, self.weights, self.shield = shape, weights, rules_of(shield, game)

    def arrays_for(self, tables: Tables) -> ValuePlayer:
        """The agent for compiled loops."""
        sums = new_activations(self.shape, self.weights.dtype)
        found = np.zeros(tables.cells, np.uint32)
        return ValuePlayer(self.shape, self.weights, sums, self.shield, found)

    def values_on(self, tables: Tables, board: Board) -> CellValues:
        """The chance of the side to move after each move."""
        chances = np.zeros(tables.cells)
        count = _value_moves(tables, board, self.arrays_for(tables), chances)
        return board.open_cells[:count], chances[:count]


@apart
def _best_cell(tables: Tables, board: Board, player: ValuePlayer) -> np.int64:
    """The cell of the highest value among those that the shield allows, the first of several."""
    stay_apart()
    found = player.found
    rule, count = ordered_cells(tables, board, player.rules, found)
    if rule == Rule.WIN or count == 1:
        return np.int64(found[0])
    add_stones(tables, board, player.shape, player.weights, player.sums)
    score_moves(board, player.shape, player.weights, player.sums, found, count)
    return np.int64(found[best_of(player.sums.scores, count)])


@inline
def _choose(tables: Tables, board: Board, player: ValuePlayer, stream: Stream) -> np.int64:  # noqa: ARG001
    """That cell: it is deterministic."""
    return _best_cell(tables, board, player)


@inline
def _write(tables: Tables, board: Board, player: ValuePlayer, weights: MoveWeights) -> None:
    """The one move that it chooses."""
    weights[_best_cell(tables, board, player) % tables.columns] = 1.0


@inline
def _value(
    tables: Tables, board: Board, player: ValuePlayer, cells: Cells, count: int, values: MoveWeights
) -> None:
    """Chances from -1 to 1; a line that ends the game is seen at once."""
    add_stones(tables, board, player.shape, player.weights, player.sums)
    score_moves(board, player.shape, player.weights, player.sums, cells, count)
    side = board.counters[PLY] & 1
    for i in range(count):
        if board.threat[side, cells[i]] > 0 and not tables.scoring:
            values[i] = reward_of_lines(tables, 1)
        else:
            values[i] = 2.0 * chance(player.sums.scores[i]) - 1.0


register_player(ValuePlayer, begin_alike, _choose, _write)
register_values(ValuePlayer, _value)


@jit
def _value_moves(tables: Tables, board: Board, player: ValuePlayer, values: Numbers) -> int:
    """The values of all moves in a position, in the order of the board's list; how many."""
    add_stones(tables, board, player.shape, player.weights, player.sums)
    count = board.counters[OPEN]
    score_moves(board, player.shape, player.weights, player.sums, board.open_cells, count)
    for i in range(count):
        values[i] = chance(player.sums.scores[i])
    return count
