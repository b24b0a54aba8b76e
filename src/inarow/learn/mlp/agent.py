"""A player that takes the move after which its value network gives the position the most."""

from __future__ import annotations

from typing import NamedTuple

from inarow.engine.board import PLY, Board, Cells
from inarow.engine.jit import inline
from inarow.engine.rules import Rule
from inarow.engine.tables import Int64s, Tables
from inarow.game import InputError
from inarow.learn.layer_sums import logistic
from inarow.learn.mlp.activations import (
    Activations,
    add_stones,
    forward_board,
    new_activations,
    score_moves,
)
from inarow.learn.mlp.network import Layers, Network
from inarow.learn.shield import rules_of
from inarow.learn.value_player import ValueNetworkAgent, register_value_player
from inarow.learn.weights import Weights


class MLPPlayer(NamedTuple):
    """An agent for compiled loops."""

    layers: Layers
    weights: Weights
    memory: Activations
    rules: Int64s  # the shield
    found: Cells  # the memory's
    scores: Weights  # the memory's


class MLPAgent(ValueNetworkAgent):
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
        scratch = memory.found, memory.scores
        return MLPPlayer(self.network.layers, self.weights, memory, self.shield, *scratch)


@inline
def _score_cells(
    _tables: Tables, board: Board, player: MLPPlayer, cells: Cells, count: int
) -> None:
    """The output's sums on a board in the view of the side to move."""
    layers, weights, memory = player.layers, player.weights, player.memory
    add_stones(layers, weights, memory, board)
    forward_board(layers, weights, memory, 1 - 2 * (board.counters[PLY] & 1))
    score_moves(layers, weights, memory, cells, count)


@inline
def _output_of(_player: MLPPlayer, score: float) -> float:
    return logistic(score)


register_value_player(MLPPlayer, _score_cells, _output_of)
