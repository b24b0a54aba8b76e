"""An n-tuple network as a player: the agent that a run comes to."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from inarow.engine.board import OPEN, PLY, Board, Cells
from inarow.engine.contest import Weights as MoveWeights
from inarow.engine.contest import register_player
from inarow.engine.jit import inline, jit
from inarow.engine.rules import find_cells
from inarow.engine.streams import Stream
from inarow.engine.tables import Tables
from inarow.engine.values import register_values
from inarow.game import Game, InputError
from inarow.learn.agent import BoardAgent, CellValues, begin_alike
from inarow.learn.ntuple.accumulator import (
    Accumulator,
    Weights,
    add_stones,
    draw_best_move,
    new_accumulator,
    sum_moves,
)
from inarow.learn.ntuple.search import Stack, choose_by_search, new_stack
from inarow.learn.ntuple.tuples import Features


class NTuplePlayer(NamedTuple):
    """A network for compiled loops."""

    accumulator: Accumulator
    weights: Weights


class NTupleSearcher(NamedTuple):
    """A network that looks ahead: a type of its own, so that others are compiled without that."""

    network: NTuplePlayer
    stack: Stack  # a row for each move


@inline
def _choose(tables: Tables, board: Board, player: NTuplePlayer, stream: Stream) -> np.int64:
    """The cell of the best move."""
    accumulator = player.accumulator
    _, cells, count = find_cells(tables, board, accumulator.rules, accumulator.found)
    if count == 1:
        return np.int64(cells[0])
    add_stones(tables, board, accumulator)
    sum_moves(tables, board, accumulator, player.weights, cells, count)
    return np.int64(cells[draw_best_move(accumulator, count, board.counters[PLY] & 1, stream)])


@inline
def _write(tables: Tables, board: Board, player: NTuplePlayer, weights: MoveWeights) -> None:
    """The best moves, equally likely."""
    accumulator = player.accumulator
    _, cells, count = find_cells(tables, board, accumulator.rules, accumulator.found)
    if count == 1:
        weights[cells[0] % tables.columns] = 1.0
    else:
        add_stones(tables, board, accumulator)
        sum_moves(tables, board, accumulator, player.weights, cells, count)
        sign = np.float32(1 - 2 * (board.counters[PLY] & 1))
        best = sign * accumulator.sums[0]
        for i in range(1, count):
            best = max(best, sign * accumulator.sums[i])
        for i in range(count):
            if sign * accumulator.sums[i] == best:
                weights[cells[i] % tables.columns] = 1.0


@inline
def _value(
    tables: Tables,
    board: Board,
    player: NTuplePlayer,
    cells: Cells,
    count: int,
    values: MoveWeights,
) -> None:
    """The network's sums, squashed."""
    accumulator = player.accumulator
    add_stones(tables, board, accumulator)
    sum_moves(tables, board, accumulator, player.weights, cells, count)
    sign = 1 - 2 * (board.counters[PLY] & 1)
    for i in range(count):
        values[i] = sign * math.tanh(np.float64(accumulator.sums[i]))


@inline
def _search(tables: Tables, board: Board, player: NTupleSearcher) -> np.int64:
    """The cell of the move that is best after a search."""
    accumulator = player.network.accumulator
    _, cells, count = find_cells(tables, board, accumulator.rules, accumulator.found)
    if count == 1:
        return np.int64(cells[0])
    return choose_by_search(tables, board, accumulator, player.network.weights, player.stack)


@inline
def _choose_ahead(tables: Tables, board: Board, player: NTupleSearcher, stream: Stream) -> np.int64:  # noqa: ARG001
    """That cell: it is deterministic."""
    return _search(tables, board, player)


@inline
def _write_ahead(
    tables: Tables, board: Board, player: NTupleSearcher, weights: MoveWeights
) -> None:
    """The one move that it chooses."""
    weights[_search(tables, board, player) % tables.columns] = 1.0


@inline
def _value_ahead(
    tables: Tables,
    board: Board,
    player: NTupleSearcher,
    cells: Cells,
    count: int,
    values: MoveWeights,
) -> None:
    """What the network alone says."""
    _value(tables, board, player.network, cells, count, values)


register_player(NTuplePlayer, begin_alike, _choose, _write)
register_values(NTuplePlayer, _value)
register_player(NTupleSearcher, begin_alike, _choose_ahead, _write_ahead)
register_values(NTupleSearcher, _value_ahead)


@jit
def look_at(tables: Tables, board: Board, accumulator: Accumulator, weights: Weights) -> int:
    """Looks at all moves of a board; returns their number."""
    add_stones(tables, board, accumulator)
    count = board.counters[OPEN]
    sum_moves(tables, board, accumulator, weights, board.open_cells, count)
    return count


class NTupleAgent(BoardAgent):
    """A player that takes the move after which the network gives the position the most.

    With a depth above 1 it looks so many moves ahead, by minimax.
    """

    def __init__(
        self,
        game: Game,
        features: Features,
        weights: Weights,
        shield: bool = True,
        squash: bool = True,
        depth: int = 1,
    ) -> None:
        if depth < 1:
            raise InputError(f"depth {depth} looks at no move: it is 1 or more")
        super().__init__("ntuple" if depth == 1 else f"ntuple/{depth}", game)
        self.features, self.weights = features, weights
        self.shield, self.squash, self.depth = shield, squash, depth

    def searching(self, depth: int) -> NTupleAgent:
        """The same network, looking so many moves ahead."""
        return NTupleAgent(self.game, self.features, self.weights, self.shield, self.squash, depth)

    def arrays_for(self, tables: Tables) -> NTuplePlayer | NTupleSearcher:
        """The agent for compiled loops."""
        accumulator = new_accumulator(tables, self.features, self.shield)
        network, depth = NTuplePlayer(accumulator, self.weights), min(self.depth, tables.cells)
        return network if depth == 1 else NTupleSearcher(network, new_stack(tables, depth))

    def values_on(self, tables: Tables, board: Board) -> CellValues:
        """About 1 if won, -1 if lost."""
        accumulator = new_accumulator(tables, self.features, False)
        count = look_at(tables, board, accumulator, self.weights)
        sums = accumulator.sums[:count].astype(np.float64)
        values = np.where(np.isinf(sums) | self.squash, np.tanh(sums), sums)
        sign = 1 - 2 * (int(board.counters[PLY]) & 1)
        return board.open_cells[:count], sign * values
