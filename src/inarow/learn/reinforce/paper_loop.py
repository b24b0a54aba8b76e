"""The n-dimensional paper's policy gradient, as far as it is described.

The move is the playable cell with the highest output of a softmax over all cells. The loss is the
binary cross-entropy between these outputs and the move taken (1 for its cell, 0 for all others),
the mean over all cells, weighted by the propagated reward. After each game there is one step of
RMSprop on a batch of positions drawn from the last ones.

The paper does not say how the reward enters the loss, how often a step is made, how large the
hidden layer is, nor the step size: these are our variant, as such losses are usually written.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import GOING_ON, OPEN, PLY, STATE, Board, undo
from inarow.engine.contest import PlayerArrays, choose
from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream, below
from inarow.engine.tables import Int64s, Tables
from inarow.learn.reinforce.four_boards import (
    BOARDS,
    Four,
    add_gradient_of_four,
    find_chances_of_four,
)
from inarow.learn.reinforce.loop import Record, Settings, move, write_returns
from inarow.learn.reinforce.network import Activations, Shape, find_chances, rmsprop
from inarow.learn.schedule import Numbers, value_at
from inarow.learn.shield import best_of
from inarow.learn.training import GAMES, begin_game, count_game, moves_for, side_in_game
from inarow.learn.weights import Weights

LEAST = 1e-7  # outputs are kept this far from 0 and 1 in the loss, as libraries do


class Replay(NamedTuple):
    """The last positions of the learner, in a ring."""

    positions: npt.NDArray[np.int8]  # [replay, cells] own stones 1, the other's -1
    moves: Int64s  # [replay] the cell played
    returns: Numbers  # [replay]
    kept: Int64s  # [1] positions kept so far, with those that were forgotten


class Drawn(NamedTuple):
    """Four positions of a batch."""

    four: Four
    moves: Int64s  # [4]
    returns: Numbers  # [4]


@jit
def play_and_replay(
    tables: Tables, board: Board, shape: Shape, weights: Weights, gradient: Weights,
    squares: Weights, activations: Activations, record: Record, drawn: Drawn, replay: Replay,
    opponent: PlayerArrays, learner: Stream, opponent_stream: Stream, settings: Settings,
    games: int, counts: Int64s,
) -> None:  # fmt: skip
    """Plays `games` games, with a step on a batch of positions after each."""
    kind, batch = weights.dtype.type, settings.replay_batch
    for number in range(counts[GAMES], counts[GAMES] + games):
        own = side_in_game(settings.side, number)
        begin_game(tables, board, opponent, opponent_stream)
        activations.stones[:] = 0
        while board.counters[STATE] == GOING_ON:
            side = board.counters[PLY] & 1
            if moves_for(own, side):
                # The best of all playable cells is the best of a softmax over these alone.
                find_chances(board, shape, weights, activations, side)
                best = best_of(activations.chances, board.counters[OPEN])
                cell: Any = np.int64(board.open_cells[best])
            else:
                cell = np.int64(choose(tables, board, opponent, opponent_stream))
            move(tables, board, shape, weights, activations, record, cell)
        count_game(counts, board.counters[STATE], own)
        write_returns(board, record, settings)
        remember(tables, board, record, replay, own)
        known = min(replay.kept[0], len(replay.moves))
        if known == 0:  # the game was over before the learner's first move
            continue
        for start in range(0, batch, BOARDS):
            draw_four(learner, replay, known, min(batch - start, BOARDS), drawn)
            add_loss_gradient(shape, weights, gradient, drawn.four, drawn.moves, drawn.returns)
        rmsprop(
            weights, gradient, squares, kind(value_at(settings.alpha, number)),
            kind(settings.decay), kind(-1.0 / batch),
        )  # fmt: skip


@inline
def draw_four(learner: Stream, replay: Replay, known: int, count: int, drawn: Drawn) -> None:
    """Draws positions; where fewer than four are wanted the others have no weight."""
    for board in range(BOARDS):
        drawn.returns[board] = 0.0
        if board < count:
            chosen = np.int64(below(learner, known))
            take_position(drawn.four, board, replay.positions[chosen])
            drawn.moves[board] = replay.moves[chosen]
            drawn.returns[board] = replay.returns[chosen]


@inline
def remember(tables: Tables, board: Board, record: Record, replay: Replay, own: int) -> None:
    """Takes a finished game back, and keeps the learner's positions with their returns."""
    for ply in range(board.counters[PLY] - 1, -1, -1):
        undo(tables, board)
        side = ply & 1
        if moves_for(own, side):
            row = replay.kept[0] % len(replay.moves)
            for i in range(tables.cells):
                stone = board.stones[i]
                replay.positions[row, i] = 0 if stone == 0 else (1 if stone == side + 1 else -1)
            replay.moves[row], replay.returns[row] = board.history[ply], record.returns[ply]
            replay.kept[0] += 1


@inline
def cross_entropy_slope(chance: float, taken: bool, cells: int) -> float:
    """The derivative of the mean binary cross-entropy over all cells, by one cell's output."""
    if taken:
        return -1.0 / (max(chance, LEAST) * cells)
    return 1.0 / (max(1.0 - chance, LEAST) * cells)


@inline
def take_position(four: Four, board: int, position: npt.NDArray[np.int8]) -> None:
    """One of the four positions."""
    for cell in range(len(position)):
        four.seen[np.uint64(cell * BOARDS + board)] = position[np.uint64(cell)]


@inline
def find_errors(shape: Shape, four: Four, board: int, move: int, weight: float) -> None:
    """The derivative of weight * binary cross-entropy by the outputs' sums of one position."""
    kind, mean = four.errors.dtype.type, 0.0
    for cell in range(shape.cells):
        at = np.uint64(cell * BOARDS + board)
        chance = four.chances[at]
        slope = cross_entropy_slope(chance, cell == move, shape.cells)
        four.errors[at] = slope
        mean += chance * slope
    for cell in range(shape.cells):
        at = np.uint64(cell * BOARDS + board)
        four.errors[at] = kind(weight * four.chances[at] * (four.errors[at] - mean))


@inline
def add_loss_gradient(
    shape: Shape, weights: Weights, gradient: Weights, four: Four, moves: Int64s, returns: Numbers
) -> None:
    """Adds the gradient of return * binary cross-entropy of each of the four positions seen."""
    find_chances_of_four(shape, weights, four)
    for board in range(BOARDS):
        find_errors(shape, four, board, moves[board], four.errors.dtype.type(returns[board]))
    add_gradient_of_four(shape, weights, gradient, four)
