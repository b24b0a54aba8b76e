"""A player that takes the move after which its value network gives the position the most."""

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
from inarow.game import InputError
from inarow.learn.agent import BoardAgent, CellValues, begin_alike
from inarow.learn.layer_sums import logistic
from inarow.learn.mlp.activations import Activations, add_stones, look, new_activations, score_moves
from inarow.learn.mlp.network import Layers, Network
from inarow.learn.schedule import Numbers
from inarow.learn.shield import best_of, rules_of
from inarow.learn.weights import Weights


class MLPPlayer(NamedTuple):
    """An agent for compiled loops."""

    layers: Layers
    weights: Weights
    memory: Activations
    rules: Int64s  # the shield


class MLPAgent(BoardAgent):
    """A network with its weights, behind a shield of rules."""

    def __init__(
        self, name: str, network: Network, weights: Weights, shield: tuple[Rule, ...] = (Rule.WIN,)
    ) -> None:
        if weights.shape != (network.size,):
            raise InputError(
                f"{len(weights)} weights do not fit the network on {network.game.name}, "
                f"which has {network.size}"
            )
        super().__init__(name, network.game)
        self.network, self.weights = network, weights
        self.shield = rules_of(shield, network.game)

    def arrays_for(self, tables: Tables) -> MLPPlayer:  # noqa: ARG002 - the network is enough
        """The agent for compiled loops."""
        memory = new_activations(self.network, self.weights, False)
        return MLPPlayer(self.network.layers, self.weights, memory, self.shield)

    def values_on(self, tables: Tables, board: Board) -> CellValues:
        """The network's output after each move."""
        values = np.zeros(tables.cells)
        count = _value_moves(board, self.arrays_for(tables), values)
        return board.open_cells[:count], values[:count]


@inline
def _look_at(board: Board, player: MLPPlayer) -> None:
    """The board in the view of the side to move."""
    add_stones(player.layers, player.weights, player.memory, board)
    look(player.layers, player.weights, player.memory, 1 - 2 * (board.counters[PLY] & 1))


@apart
def _best_cell(tables: Tables, board: Board, player: MLPPlayer) -> np.int64:
    """The cell of the highest value among those that the shield allows, the first of several."""
    stay_apart()
    memory = player.memory
    rule, count = ordered_cells(tables, board, player.rules, memory.found)
    if rule == Rule.WIN or count == 1:
        return np.int64(memory.found[0])
    _look_at(board, player)
    score_moves(player.layers, player.weights, memory, memory.found, count)
    return np.int64(memory.found[best_of(memory.scores, count)])


@inline
def _choose(tables: Tables, board: Board, player: MLPPlayer, stream: Stream) -> np.int64:  # noqa: ARG001
    """That cell: it is deterministic."""
    return _best_cell(tables, board, player)


@inline
def _write(tables: Tables, board: Board, player: MLPPlayer, weights: MoveWeights) -> None:
    """The one move that it chooses."""
    weights[_best_cell(tables, board, player) % tables.columns] = 1.0


@inline
def _value(
    tables: Tables, board: Board, player: MLPPlayer, cells: Cells, count: int, values: MoveWeights
) -> None:
    """The network's outputs from -1 to 1; a line that ends the game is seen at once."""
    _look_at(board, player)
    score_moves(player.layers, player.weights, player.memory, cells, count)
    side = board.counters[PLY] & 1
    for i in range(count):
        if board.threat[side, cells[i]] > 0 and not tables.scoring:
            values[i] = reward_of_lines(tables, 1)
        else:
            values[i] = 2.0 * logistic(player.memory.scores[i]) - 1.0


register_player(MLPPlayer, begin_alike, _choose, _write)
register_values(MLPPlayer, _value)


@jit
def _value_moves(board: Board, player: MLPPlayer, values: Numbers) -> int:
    """The values of all moves in a position, in the order of the board's list; how many."""
    _look_at(board, player)
    count = board.counters[OPEN]
    score_moves(player.layers, player.weights, player.memory, board.open_cells, count)
    for i in range(count):
        values[i] = logistic(player.memory.scores[i])
    return count
