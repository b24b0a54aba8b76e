"""A player that takes the move of the highest value by line features."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from inarow.engine.board import OPEN, PLY, SCORE, Board, Cells
from inarow.engine.contest import Weights as MoveWeights
from inarow.engine.contest import register_player
from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream, below
from inarow.engine.tables import Tables
from inarow.engine.values import register_values
from inarow.game import Game
from inarow.learn.agent import BoardAgent, CellValues, begin_alike
from inarow.learn.line_td.features import Accumulator, Features, Values, add_stones, new_accumulator
from inarow.learn.line_td.values import value_moves

LINES_AHEAD = 4.0  # so many more than the other side are near a certain win


class LinePlayer(NamedTuple):
    """The agent for compiled loops."""

    accumulator: Accumulator
    weights: Values  # [phases, features]


@inline
def draw_best_move(
    tables: Tables, board: Board, accumulator: Accumulator, weights: Values, stream: Stream
) -> int:
    """The place of the best of the open cells; any of several equally good ones."""
    value_moves(tables, board, accumulator, weights)
    values, count = accumulator.move_values, board.counters[OPEN]
    best, place, equal = values[0], 0, 1
    for i in range(1, count):
        if values[i] > best:
            best, place, equal = values[i], i, 1
        elif values[i] == best:
            equal += 1
    if equal > 1:
        skipped = np.int64(below(stream, equal))
        while skipped > 0:  # `place` is the first of them
            place += 1
            skipped -= np.int64(values[place] == best)
    return place


@inline
def _choose(tables: Tables, board: Board, player: LinePlayer, stream: Stream) -> np.int64:
    """The cell of the best move."""
    add_stones(tables, board, player.accumulator)
    best = draw_best_move(tables, board, player.accumulator, player.weights, stream)
    return np.int64(board.open_cells[best])


@inline
def _write(tables: Tables, board: Board, player: LinePlayer, weights: MoveWeights) -> None:
    """The best moves, equally likely."""
    add_stones(tables, board, player.accumulator)
    value_moves(tables, board, player.accumulator, player.weights)
    values, count = player.accumulator.move_values, board.counters[OPEN]
    best = values[0]
    for i in range(1, count):
        best = max(best, values[i])
    for i in range(count):
        if values[i] == best:
            weights[board.open_cells[i] % tables.columns] = 1.0


@inline
def _value(
    tables: Tables, board: Board, player: LinePlayer, cells: Cells, count: int, values: MoveWeights
) -> None:
    """Where lines are counted, those ahead and those to come, squashed; else the value itself."""
    add_stones(tables, board, player.accumulator)
    value_moves(tables, board, player.accumulator, player.weights)
    side, ahead = board.counters[PLY] & 1, 0.0
    if tables.scoring:
        ahead = np.float64(board.counters[SCORE + side] - board.counters[SCORE + 1 - side])
    for i in range(count):
        value = player.accumulator.move_values[board.open_place[cells[i]]]
        values[i] = math.tanh((ahead + value) / LINES_AHEAD) if tables.scoring else value


register_player(LinePlayer, begin_alike, _choose, _write)
register_values(LinePlayer, _value)


@jit
def look_at(tables: Tables, board: Board, accumulator: Accumulator, weights: Values) -> int:
    """Looks at all moves of a board; returns their number."""
    add_stones(tables, board, accumulator)
    value_moves(tables, board, accumulator, weights)
    return board.counters[OPEN]


class LineAgent(BoardAgent):
    """Features of a game with their weights."""

    def __init__(self, name: str, game: Game, features: Features, weights: Values) -> None:
        super().__init__(name, game)
        self.features, self.weights = features, weights

    def arrays_for(self, tables: Tables) -> LinePlayer:
        """The agent for compiled loops."""
        return LinePlayer(new_accumulator(tables, self.features), self.weights)

    def values_on(self, tables: Tables, board: Board) -> CellValues:
        """Lines to come, or a win as 1 and a loss as -1."""
        accumulator = new_accumulator(tables, self.features)
        count = look_at(tables, board, accumulator, self.weights)
        return board.open_cells[:count], accumulator.move_values[:count]
