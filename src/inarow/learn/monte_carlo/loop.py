"""Deep Monte Carlo: whole games, and how a network learns from their ends (max-min document).

Algorithm 3. A whole game is played against itself: each side moves at random with chance epsilon,
else the first player takes the move after which the value v(theta, s) is highest, the second the
one after which it is lowest. Then, from the last position s_T back to the empty board s_0,

    theta <- theta - alpha [v(theta, s_t) - (gamma^(T-t) r + 1) / 2] grad v(theta, s_t)

with r = 1, -1 or 0 as the first player won, lost or drew. Step size and epsilon fall every so many
games. With encoding `own` the network sees the board from the side that has just moved, with its
chance w as output; that is v = w after a move of the first player and v = 1 - w after one of the
second, so the step above is the same for w with the reward of that side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.board import GOING_ON, PLY, STATE, Board, Cells, clear, place
from inarow.engine.jit import inline, jit
from inarow.engine.rules import Rule, find_cells
from inarow.engine.streams import Stream, below, uniform
from inarow.engine.tables import Int64s, Tables
from inarow.learn.layer_sums import add_row
from inarow.learn.monte_carlo.backpropagation import (
    relu_back,
    relu_back_other,
    relu_back_own,
    step_back,
    take_back,
)
from inarow.learn.monte_carlo.network import (
    RELU,
    Activations,
    ValueShape,
    add_stone,
    chance,
    clear_stones,
    row_of,
    score_moves,
    value_of,
    view_of,
)
from inarow.learn.schedule import Numbers, value_at
from inarow.learn.shield import best_of
from inarow.learn.training import GAMES, SELF_PLAY, count_game, value_of_end
from inarow.learn.weights import Weights


@inline
def target_of(discounted: float) -> float:
    """What v should have been, by the discounted end of the game: (gamma^(T-t) r + 1) / 2."""
    return (discounted + 1.0) / 2.0


@inline
def output_error(alpha: float, value: float, target: float, squared: bool) -> float:
    """By how much the output's sum is too high, times the step size.

    The slope of the logistic function belongs to the squared loss; cross-entropy cancels it.
    """
    return alpha * (value - target) * (value * (1.0 - value) if squared else 1.0)


class Settings(NamedTuple):
    """The parameters for the compiled loop."""

    alpha: Numbers
    epsilon: Numbers
    gamma: float
    squared: bool
    rules: Int64s  # the shield


class Room(NamedTuple):
    """Scratch memory of a loop."""

    sums: Activations
    changes: Weights  # [2, hidden] what rows of inputs have to change by, in each view
    found: Cells  # [cells] what the shield found


@jit
def play_and_learn(
    tables: Tables, board: Board, shape: ValueShape, weights: Weights, room: Room,
    learner: Stream, settings: Settings, games: int, counts: Int64s,
) -> None:  # fmt: skip
    """Plays `games` games, learning from each when it is over."""
    for number in range(counts[GAMES], counts[GAMES] + games):
        epsilon = value_at(settings.epsilon, number)
        clear(tables, board)
        clear_stones(shape, weights, room.sums)
        while board.counters[STATE] == GOING_ON:
            side = board.counters[PLY] & 1
            cell = choose_move(tables, board, shape, weights, room, learner, settings, epsilon)
            place(tables, board, cell)
            add_stone(shape, weights, room.sums, cell, side)
        count_game(counts, board.counters[STATE], SELF_PLAY)
        learn(board, shape, weights, room, settings, value_at(settings.alpha, number))


@inline
def choose_move(
    tables: Tables, board: Board, shape: ValueShape, weights: Weights, room: Room,
    learner: Stream, settings: Settings, epsilon: float,
) -> int:  # fmt: skip
    """The epsilon-max-min-greedy move, among those that the shield allows."""
    rule, cells, count = find_cells(tables, board, settings.rules, room.found)
    if epsilon > 0 and uniform(learner) < epsilon:
        return int(np.int64(cells[np.uint32(below(learner, count))]))
    if rule == Rule.WIN or count == 1:
        return int(np.int64(cells[0]))
    score_moves(board, shape, weights, room.sums, cells, count)
    return int(np.int64(cells[np.uint32(best_of(room.sums.scores, count))]))


@inline
def learn(
    board: Board, shape: ValueShape, weights: Weights, room: Room, settings: Settings, alpha: float
) -> None:
    """From the last position of a finished game back to the empty board, a step at each."""
    kind, state, sums = weights.dtype.type, board.counters[STATE], room.sums
    end = value_of_end(state)
    room.changes[:] = 0
    last = board.counters[PLY]
    value = value_of(shape, weights, sums, view_of(shape, (last + 1) & 1))
    for stones in range(last, -1, -1):
        view = view_of(shape, (stones + 1) & 1)  # of the side that has just moved
        target = target_of(-end if view == 1 else end)
        error = kind(output_error(alpha, value, target, settings.squared))
        if stones > 0:
            value = step_and_take_back(board, shape, weights, room, stones, error)
        else:
            active, changes = sums.active, room.changes[view]
            step_back(shape, weights, sums.hidden[view], active, changes, error, kind(1))
        if stones <= 1:
            settle_biases(shape, weights, room)
            value = value_of(shape, weights, sums, view_of(shape, 1))
        end *= settings.gamma


@inline
def step_and_take_back(
    board: Board, shape: ValueShape, weights: Weights, room: Room, stones: int, error: float
) -> float:
    """A step for the position after so many stones; then the last is taken back.

    The value of the position before it.
    """
    kind, sums, changes, mover = weights.dtype.type, room.sums, room.changes, (stones + 1) & 1
    seen, cell = kind(stones + 1), board.history[np.uint32(stones - 1)]
    view = view_of(shape, mover)
    other, own_row = 1 - view, row_of(shape, cell, mover, view)
    own, others = sums.hidden[view], sums.hidden[other]
    other_row = row_of(shape, cell, mover, other)
    if shape.activation == RELU:
        if shape.views == 1:
            score = relu_back(shape, weights, own, changes[view], error, seen, own_row)
        else:
            relu_back_own(shape, weights, own, sums.active, changes[view], error, seen, own_row)
            score = relu_back_other(shape, weights, others, sums.active, changes[other], other_row)
        return chance(score + weights[np.uint64(shape.output_bias)])
    step_back(shape, weights, own, sums.active, changes[view], error, seen)
    take_back(own, weights, own_row, changes[view])
    if shape.views == 1:
        return value_of(shape, weights, sums, view)
    # The hidden biases are in the sums of the other view, too.
    add_row(others, 0, sums.active, 0, shape.hidden, kind(-1))
    take_back(others, weights, other_row, changes[other])
    return value_of(shape, weights, sums, other)


@inline
def settle_biases(shape: ValueShape, weights: Weights, room: Room) -> None:
    """The hidden biases learn what all positions changed, and are the sums of the empty board.

    Exactly: where a bias is still 0 a rounding error would decide whether its unit is active.
    """
    for view in range(shape.views):
        add_row(
            weights, shape.hidden_bias, room.changes[view], 0, shape.hidden, weights.dtype.type(-1)
        )
    room.changes[:] = 0
    clear_stones(shape, weights, room.sums)
