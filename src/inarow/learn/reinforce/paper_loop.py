"""The n-dimensional paper's policy gradient, as far as it is described.

The move is the playable cell with the highest output of a softmax over all cells. The loss is the
binary cross-entropy between these outputs and the labels, the mean over all cells: the label of
the move taken is its return, clipped to 0 to 1, that of all other cells is 0. After each game there
is one step of RMSprop on a batch of positions drawn from the last ones.

The paper does not say how the reward enters the loss, how often a step is made, how large the
hidden layer is, nor the step size. A return that is a label makes sense of a *binary* cross-entropy
and of the paper's results; as the weight of a loss with the move labelled 1, little is learned in
three dimensions (`return_as` has the variants that were tried). Another option: moves of training
are drawn from the softmax over the playable cells, since the paper speaks of sampled trajectories.
"""

from __future__ import annotations

import math
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
from inarow.learn.reinforce.loop import (
    CLIPPED,
    LABEL,
    POSITIVE,
    STANDARDISED,
    Record,
    Settings,
    move,
    write_returns,
)
from inarow.learn.reinforce.network import (
    Activations,
    Shape,
    draw_place,
    find_chances,
    rmsprop,
)
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
    labels: Numbers  # [4] of the moves
    weights: Numbers  # [4] of the losses


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
                if settings.drawn:
                    chosen = draw_place(activations.chances, board.counters[OPEN], learner)
                else:
                    chosen = best_of(activations.chances, board.counters[OPEN])
                cell: Any = np.int64(board.open_cells[chosen])
            else:
                cell = np.int64(choose(tables, board, opponent, opponent_stream))
            move(tables, board, shape, weights, activations, record, cell)
        count_game(counts, board.counters[STATE], own)
        write_returns(board, record, settings)
        remember(tables, board, record, replay, own)
        known = min(replay.kept[0], len(replay.moves))
        if known == 0:  # the game was over before the learner's first move
            continue
        shift, scale = standard(replay.returns, known, settings.return_as)
        for start in range(0, batch, BOARDS):
            count = min(batch - start, BOARDS)
            draw_four(learner, replay, known, count, shift, scale, settings.return_as, drawn)
            add_loss_gradient(shape, weights, gradient, drawn)
        rmsprop(
            weights, gradient, squares, kind(value_at(settings.alpha, number)),
            kind(settings.decay), kind(-1.0 / batch),
        )  # fmt: skip


@inline
def draw_four(
    learner: Stream, replay: Replay, known: int, count: int, shift: float, scale: float,
    return_as: int, drawn: Drawn,
) -> None:  # fmt: skip
    """Draws positions; where fewer than four are wanted the others have no weight."""
    for board in range(BOARDS):
        drawn.weights[board] = 0.0
        if board < count:
            chosen = np.int64(below(learner, known))
            take_position(drawn.four, board, replay.positions[chosen])
            drawn.moves[board] = replay.moves[chosen]
            label, weight = label_and_weight(replay.returns[chosen], shift, scale, return_as)
            drawn.labels[board], drawn.weights[board] = label, weight


@inline
def label_and_weight(
    gained: float, shift: float, scale: float, return_as: int
) -> tuple[float, float]:
    """How a return enters the loss of its position."""
    if return_as == CLIPPED:
        return min(max(gained, 0.0), 1.0), 1.0
    if return_as == LABEL:
        return gained, 1.0
    weight = (gained - shift) * scale
    return 1.0, max(weight, 0.0) if return_as == POSITIVE else weight


@inline
def standard(returns: Numbers, known: int, return_as: int) -> tuple[float, float]:
    """The mean of the returns kept, and one over their deviation; 0 and 1 where none is taken."""
    if return_as != STANDARDISED:
        return 0.0, 1.0
    mean, square = 0.0, 0.0
    for i in range(known):
        mean += returns[i]
    mean /= known
    for i in range(known):
        square += (returns[i] - mean) ** 2
    return mean, 1.0 / max(math.sqrt(square / known), LEAST)


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
def cross_entropy_slope(chance: float, label: float, cells: int) -> float:
    """The derivative of the mean binary cross-entropy over all cells, by one cell's output."""
    slope = (1.0 - label) / max(1.0 - chance, LEAST) - label / max(chance, LEAST)
    return slope / cells


@inline
def take_position(four: Four, board: int, position: npt.NDArray[np.int8]) -> None:
    """One of the four positions."""
    for cell in range(len(position)):
        four.seen[np.uint64(cell * BOARDS + board)] = position[np.uint64(cell)]


@inline
def find_errors(shape: Shape, drawn: Drawn, board: int) -> None:
    """The derivative of a position's weighted loss by the sums of the outputs."""
    four, mean = drawn.four, 0.0
    kind, weight = four.errors.dtype.type, drawn.weights[board]
    for cell in range(shape.cells):
        at = np.uint64(cell * BOARDS + board)
        label = drawn.labels[board] if cell == drawn.moves[board] else 0.0
        slope = cross_entropy_slope(four.chances[at], label, shape.cells)
        four.errors[at] = slope
        mean += four.chances[at] * slope
    for cell in range(shape.cells):
        at = np.uint64(cell * BOARDS + board)
        four.errors[at] = kind(weight * four.chances[at] * (four.errors[at] - mean))


@inline
def add_loss_gradient(shape: Shape, weights: Weights, gradient: Weights, drawn: Drawn) -> None:
    """Adds the gradient of the four positions' weighted losses."""
    find_chances_of_four(shape, weights, drawn.four)
    for board in range(BOARDS):
        find_errors(shape, drawn, board)
    add_gradient_of_four(shape, weights, gradient, drawn.four)
