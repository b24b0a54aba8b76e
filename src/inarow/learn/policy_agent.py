"""A player that takes, or draws, the move that its policy network gives the best chance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import OPEN, PLY, Board, load, new_board
from inarow.engine.contest import register_player
from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream
from inarow.engine.tables import Tables, tables_of
from inarow.game import Game, InputError, Position
from inarow.learn.network import Weights
from inarow.learn.policy_network import (
    Shape,
    Thoughts,
    add_stones,
    best_place,
    draw_place,
    new_thoughts,
    shape_of,
    think,
)

MOST_LINES = "most-lines"


class PolicyPlayer(NamedTuple):
    """The agent for compiled loops."""

    shape: Shape
    weights: Weights
    thoughts: Thoughts
    draws: bool  # whether moves are drawn by their chances


@inline
def _begin(player: PolicyPlayer, stream: Stream) -> None:
    """Every game begins alike."""


@inline
def _choose(tables: Tables, board: Board, player: PolicyPlayer, stream: Stream) -> Any:
    """The cell that the policy plays."""
    thoughts = player.thoughts
    add_stones(tables, board, player.shape, player.weights, thoughts)
    think(board, player.shape, player.weights, thoughts, board.counters[PLY] & 1)
    count = board.counters[OPEN]
    if player.draws:
        return np.int64(board.open_cells[draw_place(thoughts.chances, count, stream)])
    return np.int64(board.open_cells[best_place(thoughts.chances, count)])


register_player(PolicyPlayer, _begin, _choose)


@jit
def think_of(
    tables: Tables, board: Board, stones: npt.NDArray[np.int8], shape: Shape, weights: Weights,
    thoughts: Thoughts,
) -> int:  # fmt: skip
    """Thinks of a position given by its stones; returns the number of open cells."""
    load(tables, board, stones)
    add_stones(tables, board, shape, weights, thoughts)
    think(board, shape, weights, thoughts, board.counters[PLY] & 1)
    return board.counters[OPEN]


class PolicyAgent:
    """A policy network with its weights as they are now."""

    def __init__(self, name: str, game: Game, shape: Shape, weights: Weights, draws: bool) -> None:
        self.name, self.game, self.shape, self.draws = name, game, shape, draws
        self.weights = weights.copy()

    def compiled(self, tables: Tables) -> PolicyPlayer:
        """The agent for compiled loops."""
        if tables is not tables_of(self.game):
            raise InputError(f"{self.name} plays {self.game.name} only")
        thoughts = new_thoughts(self.shape, self.weights.dtype)
        return PolicyPlayer(self.shape, self.weights, thoughts, self.draws)

    def values(self, position: Position) -> dict[int, float]:
        """The chance that the policy gives each move."""
        if position.game != self.game:
            raise InputError(f"{self.name} plays {self.game.name}, not {position.game.name}")
        if position.outcome is not None:
            return {}
        tables = tables_of(self.game)
        board, thoughts = new_board(tables), new_thoughts(self.shape, self.weights.dtype)
        stones: Any = np.array(position.stones, dtype=np.int8)
        count = think_of(tables, board, stones, self.shape, self.weights, thoughts)
        moves = board.open_cells[:count].astype(np.int64) % tables.columns
        return dict(sorted(zip(moves.tolist(), thoughts.chances[:count].tolist(), strict=True)))


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
