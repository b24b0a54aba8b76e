"""A player that takes, or draws, the move that its policy network gives the best chance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import PLY, Board, Cells, load, new_board
from inarow.engine.contest import register_player
from inarow.engine.jit import apart, inline, jit, stay_apart
from inarow.engine.rules import Rule, ordered_cells
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, Tables, tables_of
from inarow.game import Game, Position
from inarow.learn.agent import Agent
from inarow.learn.mlp.network import Weights
from inarow.learn.reinforce.network import (
    Shape,
    Thoughts,
    add_stones,
    best_place,
    draw_place,
    new_thoughts,
    place_at,
    shape_of,
    think_of,
)

MOST_LINES = "most-lines"
UNIFORM = 2**53  # different numbers that `uniform` may draw: the share of each is one of so many


class PolicyPlayer(NamedTuple):
    """The agent for compiled loops."""

    shape: Shape
    weights: Weights
    thoughts: Thoughts
    draws: bool  # whether moves are drawn by their chances
    rules: Int64s  # none
    cells: Cells  # [cells] scratch: the open cells in order


@inline
def _begin(player: PolicyPlayer, stream: Stream) -> None:
    """Every game begins alike."""


@apart
def _find_chances(tables: Tables, board: Board, player: PolicyPlayer) -> int:
    """The chances of the open cells, in order of cells; returns their number."""
    stay_apart()
    _, count = ordered_cells(tables, board, player.rules, player.cells)
    add_stones(tables, board, player.shape, player.weights, player.thoughts)
    view = board.counters[PLY] & 1
    think_of(player.cells, count, player.shape, player.weights, player.thoughts, view)
    return count


@inline
def _choose(tables: Tables, board: Board, player: PolicyPlayer, stream: Stream) -> Any:
    """The cell that the policy plays."""
    count, chances = _find_chances(tables, board, player), player.thoughts.chances
    if player.draws:
        return np.int64(player.cells[draw_place(chances, count, stream)])
    return np.int64(player.cells[best_place(chances, count)])


@inline
def _write(tables: Tables, board: Board, player: PolicyPlayer, weights: Any) -> None:
    """The one move that it takes, or for each how many of all random numbers draw it.

    Chances are rounded and the last one takes what is left, so the numbers are counted: the place
    that a number falls on never goes back as the number grows.
    """
    count, chances = _find_chances(tables, board, player), player.thoughts.chances
    if not player.draws:
        weights[player.cells[best_place(chances, count)] % tables.columns] = 1.0
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


register_player(PolicyPlayer, _begin, _choose, _write)


@jit
def chances_in(
    tables: Tables, board: Board, stones: npt.NDArray[np.int8], player: PolicyPlayer
) -> int:
    """The chances in a position given by its stones; returns the number of open cells."""
    load(tables, board, stones)
    return _find_chances(tables, board, player)


class PolicyAgent(Agent):
    """A policy network with its weights as they are now."""

    def __init__(self, name: str, game: Game, shape: Shape, weights: Weights, draws: bool) -> None:
        self.name, self.game, self.shape, self.draws = name, game, shape, draws
        self.weights = weights.copy()

    def arrays_for(self, tables: Tables) -> PolicyPlayer:
        """The agent for compiled loops."""
        thoughts = new_thoughts(self.shape, self.weights.dtype)
        rules, cells = np.array([Rule.END], dtype=np.int64), np.zeros(tables.cells, np.uint32)
        return PolicyPlayer(self.shape, self.weights, thoughts, self.draws, rules, cells)

    def values(self, position: Position) -> dict[int, float]:
        """The chance that the policy gives each move."""
        self.check_game(position.game)
        if position.outcome is not None:
            return {}
        tables = tables_of(self.game)
        player = self.arrays_for(tables)
        stones: Any = np.array(position.stones, dtype=np.int8)
        count = chances_in(tables, new_board(tables), stones, player)
        moves = player.cells[:count].astype(np.int64) % tables.columns
        chances = player.thoughts.chances[:count].tolist()
        return dict(sorted(zip(moves.tolist(), chances, strict=True)))


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
