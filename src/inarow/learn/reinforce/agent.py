"""A player that takes, or draws, the move that its policy network gives the best chance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.board import PLY, Board, Cells
from inarow.engine.contest import Weights as MoveWeights
from inarow.engine.contest import register_player
from inarow.engine.jit import apart, inline, stay_apart
from inarow.engine.rules import Rule, ordered_cells
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, Tables, tables_of
from inarow.game import Game
from inarow.learn.agent import BoardAgent, CellValues, begin_alike
from inarow.learn.reinforce.network import (
    Activations,
    Shape,
    add_stones,
    draw_place,
    find_chances_of,
    new_activations,
    place_at,
    shape_of,
)
from inarow.learn.shield import best_of
from inarow.learn.weights import Weights

MOST_LINES = "most-lines"
UNIFORM = 2**53  # different numbers that `uniform` may draw: the share of each is one of so many


class PolicyPlayer(NamedTuple):
    """The agent for compiled loops."""

    shape: Shape
    weights: Weights
    activations: Activations
    draws: bool  # whether moves are drawn by their chances
    rules: Int64s  # none
    cells: Cells  # [cells] scratch: the open cells in order


@apart
def _find_chances(tables: Tables, board: Board, player: PolicyPlayer) -> int:
    """The chances of the open cells, in order of cells; returns their number."""
    stay_apart()
    _, count = ordered_cells(tables, board, player.rules, player.cells)
    add_stones(tables, board, player.shape, player.weights, player.activations)
    view = board.counters[PLY] & 1
    find_chances_of(player.cells, count, player.shape, player.weights, player.activations, view)
    return count


@inline
def _choose(tables: Tables, board: Board, player: PolicyPlayer, stream: Stream) -> np.int64:
    """The cell that the policy plays."""
    count, chances = _find_chances(tables, board, player), player.activations.chances
    if player.draws:
        return np.int64(player.cells[draw_place(chances, count, stream)])
    return np.int64(player.cells[best_of(chances, count)])


@inline
def _write(tables: Tables, board: Board, player: PolicyPlayer, weights: MoveWeights) -> None:
    """The one move that it takes, or for each how many of all random numbers draw it.

    Chances are rounded and the last one takes what is left, so the numbers are counted: the place
    that a number falls on never goes back as the number grows.
    """
    count, chances = _find_chances(tables, board, player), player.activations.chances
    if not player.draws:
        weights[player.cells[best_of(chances, count)] % tables.columns] = 1.0
        return
    before = np.int64(0)
    for place in range(count):
        low, high = before, np.int64(UNIFORM)
        while low < high:  # the first number that falls behind this place
            middle = (low + high) >> 1
            if place_at(chances, count, middle * (1.0 / UNIFORM)) > place:
                high = middle
            else:
                low = middle + 1
        weights[player.cells[place] % tables.columns] = float(low - before)
        before = low


register_player(PolicyPlayer, begin_alike, _choose, _write)


class PolicyAgent(BoardAgent):
    """A policy network with its weights."""

    def __init__(self, name: str, game: Game, shape: Shape, weights: Weights, draws: bool) -> None:
        super().__init__(name, game)
        self.shape, self.weights, self.draws = shape, weights, draws

    def arrays_for(self, tables: Tables) -> PolicyPlayer:
        """The agent for compiled loops."""
        activations = new_activations(self.shape, self.weights.dtype)
        rules, cells = np.array([Rule.END], dtype=np.int64), np.zeros(tables.cells, np.uint32)
        return PolicyPlayer(self.shape, self.weights, activations, self.draws, rules, cells)

    def values_on(self, tables: Tables, board: Board) -> CellValues:
        """The chance that the policy gives each move."""
        player = self.arrays_for(tables)
        count = _find_chances(tables, board, player)
        return player.cells[:count], player.activations.chances[:count]


def most_lines(game: Game) -> PolicyAgent:
    """Takes the cell that most lines cross, whatever lies on the board.

    A network whose weights are all 0 but for the biases of its outputs: all that one can learn
    without looking. A baseline for those that look.
    """
    shape = shape_of(game.cells, 1)
    weights = np.zeros(shape.size, dtype=np.float32)
    lines = np.diff(tables_of(game).line_start)
    weights[shape.output_bias :] = lines - np.arange(game.cells) / (2 * game.cells)  # ties: lowest
    return PolicyAgent(MOST_LINES, game, shape, weights, draws=False)
