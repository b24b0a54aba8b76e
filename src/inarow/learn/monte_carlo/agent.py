"""A player that takes the move after which its value network gives the board the best chance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.board import Board, Cells
from inarow.engine.jit import inline
from inarow.engine.rules import Rule
from inarow.engine.tables import Int64s, Tables
from inarow.game import Game
from inarow.learn.monte_carlo.network import (
    Activations,
    ValueShape,
    add_stones,
    chance,
    new_activations,
    score_moves,
)
from inarow.learn.shield import rules_of
from inarow.learn.value_player import ValueNetworkAgent, register_value_player
from inarow.learn.weights import Weights


class MonteCarloPlayer(NamedTuple):
    """An agent for compiled loops."""

    shape: ValueShape
    weights: Weights
    sums: Activations
    rules: Int64s  # the shield
    found: Cells  # [cells] scratch: what the shield found
    scores: Weights  # those of the sums


class ValueAgent(ValueNetworkAgent):
    """A value network with its weights, behind a shield of rules."""

    def __init__(
        self, name: str, game: Game, shape: ValueShape, weights: Weights, shield: tuple[Rule, ...]
    ) -> None:
        super().__init__(name, game)
        self.shape, self.weights, self.shield = shape, weights, rules_of(shield, game)

    def arrays_for(self, tables: Tables) -> MonteCarloPlayer:
        """The agent for compiled loops."""
        sums = new_activations(self.shape, self.weights.dtype)
        found = np.zeros(tables.cells, np.uint32)
        return MonteCarloPlayer(self.shape, self.weights, sums, self.shield, found, sums.scores)


@inline
def _score_cells(
    tables: Tables, board: Board, player: MonteCarloPlayer, cells: Cells, count: int
) -> None:
    """The output's sums, the higher the better for the side to move."""
    add_stones(tables, board, player.shape, player.weights, player.sums)
    score_moves(board, player.shape, player.weights, player.sums, cells, count)


@inline
def _output_of(_player: MonteCarloPlayer, score: float) -> float:
    return chance(score)


register_value_player(MonteCarloPlayer, _score_cells, _output_of)
