"""Afterstate TD on line features: the update rule, and whole games.

The value of a position, for the side that has just moved, is what that side will still gain:
lines made less lines suffered where lines are counted, else 1 for a win and -1 for a loss. It is
linear in the features of `features`. After a game, each position is moved towards what its
side gained until its own next move and the value of the position after that (TD(lambda), from the
last position backwards, so that one game carries its end to its beginning).

A step is divided by the squared length of the feature vector (normalised least mean squares):
then alpha is the share of an error that an update removes, whatever the board's size; a plain
linear TD diverges as soon as some hundred lines share a weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import GOING_ON, OPEN, PLY, STATE, Board, place, reward_of_lines, undo
from inarow.engine.contest import PlayerArrays, choose
from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream, below, uniform
from inarow.engine.tables import Int64s, Tables
from inarow.learn.line_td.agent import draw_best_move
from inarow.learn.line_td.features import (
    CELLS,
    LINES,
    Accumulator,
    Values,
    add_stone,
    clear_stones,
    count_threats,
    pair_feature,
    remove_stone,
)
from inarow.learn.line_td.values import phase_of, value_of_lines, value_of_threats
from inarow.learn.schedule import Numbers, value_at
from inarow.learn.training import GAMES, begin_game, count_game, moves_for, side_in_game

Explored = npt.NDArray[np.bool_]  # [cells + 1] whether the move at a ply was a random one


@inline
def td_target(reward: float, gamma: float, trace_decay: float, value: float, later: float) -> float:
    """The value that a position should have: reward, and a mix of the next value and its target."""
    return reward + gamma * ((1.0 - trace_decay) * value + trace_decay * later)


@inline
def normalised_step(alpha: float, error: float, squares: float) -> float:
    """The step for a feature that is 1, so that a value moves by alpha * error (NLMS)."""
    return alpha * error / squares


class Settings(NamedTuple):
    """The parameters for the compiled loop."""

    alpha: Numbers
    epsilon: Numbers
    trace_decay: float
    gamma: float
    cut: bool
    side: int  # 0, 1, BOTH in turn, or SELF_PLAY


@jit
def play_and_learn(
    tables: Tables, board: Board, accumulator: Accumulator, weights: Values, opponent: PlayerArrays,
    learner: Stream, opponent_stream: Stream, settings: Settings, explored: Explored, games: int,
    counts: Int64s,
) -> None:  # fmt: skip
    """Plays `games` games, changing the weights after each and counting how they end."""
    for number in range(counts[GAMES], counts[GAMES] + games):
        own = side_in_game(settings.side, number)
        epsilon = value_at(settings.epsilon, number)
        begin_game(tables, board, opponent, opponent_stream)
        clear_stones(accumulator)
        while board.counters[STATE] == GOING_ON:
            ply = board.counters[PLY]
            side = ply & 1
            if moves_for(own, side):
                best = draw_best_move(tables, board, accumulator, weights, learner)
                taken = best
                if epsilon > 0 and uniform(learner) < epsilon:
                    taken = int(np.int64(below(learner, board.counters[OPEN])))
                explored[ply] = taken != best
                cell = int(np.int64(board.open_cells[taken]))
            else:
                explored[ply] = False
                cell = int(np.int64(choose(tables, board, opponent, opponent_stream)))
            place(tables, board, cell)
            add_stone(tables, accumulator, cell, side)
        count_game(counts, board.counters[STATE], own)
        alpha = value_at(settings.alpha, number)
        learn(tables, board, accumulator, weights, explored, alpha, settings, own)


@inline
def learn(
    tables: Tables, board: Board, accumulator: Accumulator, weights: Values, explored: Explored,
    alpha: float, settings: Settings, own: int,
) -> None:  # fmt: skip
    """Takes a finished game back move by move, and learns from each position of the learner's.

    The side that has just moved gained nothing by the end of the game when it made it itself: its
    next value and target are 0, and no move of its own comes after.
    """
    last = board.counters[PLY]
    gained, before = 0.0, 0.0  # lines of the move after the position, and of the one after that
    value_0, value_1, target_0, target_1 = 0.0, 0.0, 0.0, 0.0  # of the next position of each side
    for stones in range(last, 0, -1):
        view = (stones - 1) & 1
        if stones < last and moves_for(own, view):
            next_value = value_0 if view == 0 else value_1
            next_target = target_0 if view == 0 else target_1
            target = td_target(
                before - gained, settings.gamma, settings.trace_decay, next_value, next_target
            )
            skipped = stones + 2 <= last and settings.cut and explored[stones + 1]
            value, target = move_towards(
                tables, board, accumulator, weights, view, target, 0.0 if skipped else alpha
            )
            if view == 0:
                value_0, target_0 = value, value if skipped else target
            else:
                value_1, target_1 = value, value if skipped else target
        undo(tables, board)
        cell = board.history[stones - 1]
        remove_stone(tables, accumulator, cell, view)
        completed = board.threat[view, cell]
        before = gained
        gained = reward_of_lines(tables, completed)


@inline
def move_towards(
    tables: Tables,
    board: Board,
    accumulator: Accumulator,
    table: Values,
    view: int,
    target: float,
    alpha: float,
) -> tuple[float, float]:
    """Moves the value of the board towards a target; the new value, and the target."""
    features, counts, threats = accumulator.features, accumulator.counts, accumulator.threats
    weights = table[phase_of(tables, features, board.counters[PLY])]
    value = value_of_lines(accumulator, weights, view)
    squares, pair = 1.0, np.uint32(0)
    if features.threats:
        own, other = count_threats(tables, board, accumulator, view)
        pair = pair_feature(own, other)
        value += value_of_threats(accumulator, weights) + weights[pair]
        squares += 1.0
        for feature in range(CELLS, LINES):
            squares += threats[np.uint32(feature)] * threats[np.uint32(feature)]
    if alpha == 0:
        return value, target
    counted, seen = features.live[view], features.live[0]
    for i in range(len(seen)):
        squares += counts[counted[np.uint32(i)]] * counts[counted[np.uint32(i)]]
    step = normalised_step(alpha, target - value, squares)
    weights[0] += step
    for i in range(len(seen)):
        weights[seen[np.uint32(i)]] += step * counts[counted[np.uint32(i)]]
    if features.threats:
        weights[pair] += step
        for feature in range(CELLS, LINES):
            weights[np.uint32(feature)] += step * threats[np.uint32(feature)]
    return value + alpha * (target - value), target
