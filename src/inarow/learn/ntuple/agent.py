"""An n-tuple network as a player: the agent that a run comes to."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
    OPEN,
    PLY,
    STATE,
    Board,
    Cells,
    Int64s,
    Tables,
    place,
    undo,
)
from inarow.engine.jit import inline, jit, late_link
from inarow.engine.players import MoveWeights as MoveWeights
from inarow.engine.players import register_player
from inarow.engine.rules import find_cells, ordered_cells
from inarow.engine.streams import Stream
from inarow.game import Game, InputError
from inarow.learn.agent import BoardAgent, CellValues, begin_alike
from inarow.learn.ntuple.network import (
    Accumulator,
    Features,
    Indices,
    Weights,
    add_stone,
    add_stones,
    draw_best_move,
    new_accumulator,
    remove_stone,
    sum_moves,
)
from inarow.learn.options import Numbers


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
    """Return the cell of the best move."""
    accumulator = player.accumulator
    _, cells, count = find_cells(tables, board, accumulator.rules, accumulator.found)
    if count == 1:
        return np.int64(cells[0])
    add_stones(tables, board, accumulator)
    sum_moves(tables, board, accumulator, player.weights, cells, count)
    return np.int64(cells[draw_best_move(accumulator, count, board.counters[PLY] & 1, stream)])


@inline
def _write(tables: Tables, board: Board, player: NTuplePlayer, weights: MoveWeights) -> None:
    """Give the best moves equal weights."""
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
    """Return the network's sum, squashed."""
    accumulator = player.accumulator
    add_stones(tables, board, accumulator)
    sum_moves(tables, board, accumulator, player.weights, cells, count)
    sign = 1 - 2 * (board.counters[PLY] & 1)
    for i in range(count):
        values[i] = sign * math.tanh(np.float64(accumulator.sums[i]))


@inline
def _search(tables: Tables, board: Board, player: NTupleSearcher) -> np.int64:
    """Return the cell of the move that is best after a search."""
    accumulator = player.network.accumulator
    _, cells, count = find_cells(tables, board, accumulator.rules, accumulator.found)
    if count == 1:
        return np.int64(cells[0])
    return choose_by_search(tables, board, accumulator, player.network.weights, player.stack)


@inline
def _choose_ahead(tables: Tables, board: Board, player: NTupleSearcher, stream: Stream) -> np.int64:  # noqa: ARG001
    """Return the cell that minimax over the network's values chooses."""
    return _search(tables, board, player)


@inline
def _write_ahead(
    tables: Tables, board: Board, player: NTupleSearcher, weights: MoveWeights
) -> None:
    """Give all weight to the one move that minimax chooses."""
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
    """Return the value that the network alone gives, without search."""
    _value(tables, board, player.network, cells, count, values)


register_player(NTuplePlayer, begin_alike, _choose, _write, _value)
register_player(NTupleSearcher, begin_alike, _choose_ahead, _write_ahead, _value_ahead)


@jit
def look_at(tables: Tables, board: Board, accumulator: Accumulator, weights: Weights) -> int:
    """Sum up all moves of a board; return their number."""
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
        """Return an agent with the same network that looks so many moves ahead."""
        return NTupleAgent(self.game, self.features, self.weights, self.shield, self.squash, depth)

    def arrays_for(self, tables: Tables) -> NTuplePlayer | NTupleSearcher:
        """Return the agent as arrays for compiled loops."""
        accumulator = new_accumulator(tables, self.features, self.shield)
        network, depth = NTuplePlayer(accumulator, self.weights), min(self.depth, tables.cells)
        return network if depth == 1 else NTupleSearcher(network, new_stack(tables, depth))

    def values_on(self, tables: Tables, board: Board) -> CellValues:
        """Return the value of each move: about 1 if won, -1 if lost."""
        accumulator = new_accumulator(tables, self.features, False)
        count = look_at(tables, board, accumulator, self.weights)
        sums = accumulator.sums[:count].astype(np.float64)
        values = np.where(np.isinf(sums) | self.squash, np.tanh(sums), sums)
        sign = 1 - 2 * (int(board.counters[PLY]) & 1)
        return board.open_cells[:count], sign * values


# Minimax on top of an n-tuple network: its values at the horizon, alpha-beta on the way there.
#
# For play, not for training. The tree is walked with a stack of its own, a row for each move of
# the depth. The last row needs no stones: the network looks at all moves of a position at once.

WIN = 1e9  # a won game, less the moves until then: more than any sum of weights
COUNT, NEXT, CHOSEN = range(3)
ALPHA, BETA, BEST = range(3)


class Stack(NamedTuple):
    """The memory of a search."""

    cells: Indices  # [depth, cells] the moves of each row
    places: Int64s  # [depth, 3] how many they are, which is next, which is the best so far
    values: Numbers  # [depth, 3] alpha, beta, the best so far, for the side to move


def new_stack(tables: Tables, depth: int) -> Stack:
    """Return memory for searches of a depth."""
    return Stack(
        np.zeros((depth, tables.cells), dtype=np.uint32),
        np.zeros((depth, 3), dtype=np.int64),
        np.zeros((depth, 3)),
    )


@inline
def absorb(stack: Stack, row: int, move: int, value: float) -> None:
    """Take note that a move of a row turned out to have this value."""
    if value > stack.values[row, BEST]:
        stack.values[row, BEST] = value
        stack.places[row, CHOSEN] = move
        stack.values[row, ALPHA] = max(stack.values[row, ALPHA], value)


@inline
def end_value(board: Board, side: int, row: int) -> float:
    """Return the value of a finished game for a side, so many moves ahead."""
    state = board.counters[STATE]
    if state == DRAWN:
        return 0.0
    return WIN - row if state == FIRST_WON + side else row - WIN


@inline
def open_row(
    tables: Tables, board: Board, accumulator: Accumulator, weights: Weights, stack: Stack, row: int
) -> None:
    """List the moves of a position; sum them all up at the horizon.

    At the root in order of cells, so that the first of equal ones hangs on the position alone.
    """
    if row == 0:
        _, count = ordered_cells(tables, board, accumulator.rules, stack.cells[0])
    else:
        _, cells, count = find_cells(tables, board, accumulator.rules, accumulator.found)
        for i in range(count):
            stack.cells[row, i] = cells[i]
    stack.places[row, COUNT], stack.places[row, NEXT] = count, 0
    stack.places[row, CHOSEN] = 0
    stack.values[row, BEST] = -np.inf
    ply = board.counters[PLY]
    if row + 1 == len(stack.cells) and ply + 1 < tables.cells:
        sign = 1 - 2 * (ply & 1)
        sum_moves(tables, board, accumulator, weights, stack.cells[row], count)
        for i in range(count):
            value = min(sign * np.float64(accumulator.sums[i]), WIN - row)
            absorb(stack, row, i, max(value, row - WIN))
        stack.places[row, NEXT] = count


@late_link
def choose_by_search(
    tables: Tables, board: Board, accumulator: Accumulator, weights: Weights, stack: Stack
) -> np.int64:
    """Return the cell that is best after a search of the stack's depth; the first of equal ones."""
    add_stones(tables, board, accumulator)
    row = 0
    stack.values[0, ALPHA], stack.values[0, BETA] = -np.inf, np.inf
    open_row(tables, board, accumulator, weights, stack, 0)
    while True:
        known = stack.places[row, NEXT] == stack.places[row, COUNT]
        if known or stack.values[row, ALPHA] >= stack.values[row, BETA]:
            if row == 0:
                return np.int64(stack.cells[0, stack.places[0, CHOSEN]])
            row -= 1
            value = -stack.values[row + 1, BEST]
        else:
            move, side = stack.places[row, NEXT], board.counters[PLY] & 1
            cell = int(np.int64(stack.cells[row, move]))
            stack.places[row, NEXT] += 1
            place(tables, board, cell)
            add_stone(accumulator, cell, side)
            if board.counters[STATE] == 0:
                row += 1
                stack.values[row, ALPHA] = -stack.values[row - 1, BETA]
                stack.values[row, BETA] = -stack.values[row - 1, ALPHA]
                open_row(tables, board, accumulator, weights, stack, row)
                continue
            value = end_value(board, side, row)
        move = stack.places[row, NEXT] - 1
        undo(tables, board)
        taken = int(np.int64(stack.cells[row, move]))
        remove_stone(accumulator, taken, board.counters[PLY] & 1)
        absorb(stack, row, move, value)
