"""Whole games of a value network that learns by online TD(0) on afterstates: rule and loop.

Cube paper, Algorithm 1. After each own move the value of the position before it, as it was left
to the other side, moves towards the value of the new one; at the end, towards the reward. By
self-play one network learns from both sides' moves, each side's positions from that side's later
ones; against an opponent, it learns from its own moves alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
    GOING_ON,
    OPEN,
    PLY,
    SCORE,
    STATE,
    Board,
    Cells,
    place,
    state_of_line,
)
from inarow.engine.contest import PlayerArrays, choose
from inarow.engine.jit import inline, jit
from inarow.engine.rules import Rule, find_cells
from inarow.engine.streams import Stream, below, uniform
from inarow.engine.tables import Int64s, Tables
from inarow.game import Game
from inarow.learn.layer_sums import logistic
from inarow.learn.mlp.activations import (
    Activations,
    add_stone,
    clear_stones,
    forward_board,
    score_moves,
)
from inarow.learn.mlp.backpropagation import learn
from inarow.learn.mlp.network import Layers
from inarow.learn.schedule import Numbers, schedule, value_at
from inarow.learn.shield import SHIELDS, best_of, rules_of
from inarow.learn.training import GAMES, begin_game, count_game, end_of, moves_for, side_in_game
from inarow.learn.weights import Places, Weights

if TYPE_CHECKING:
    from inarow.learn.mlp.learner import MLP

# A whole number of one type: for a 1 as such, callees would be compiled once more.
ONE: Any = np.int64(1)


@inline
def td_target(reward: float, gamma: float, next_value: float, terminal: bool) -> float:
    """What the value of the position before should have been (Equation 4)."""
    return reward if terminal else reward + gamma * next_value


class Settings(NamedTuple):
    """The parameters for the compiled loop."""

    alpha: Numbers
    epsilon: Numbers
    gamma: float
    rewards: Numbers  # [4] of a game at WINS, DRAWS, LOSSES
    bias: bool
    slope: float
    rules: Int64s  # the shield
    explore_all: bool
    from_explored: bool
    last: bool  # the last position before the end learns the reward, not the terminal's value
    terminal: bool  # the terminal position learns the reward
    loser: bool
    side: int  # 0, 1, BOTH in turn, or SELF_PLAY


def settings_of(mlp: MLP, game: Game, side: int) -> Settings:
    """The parameters for the compiled loop."""
    return Settings(
        schedule(mlp.alpha).numbers(),
        schedule(mlp.epsilon).numbers(),
        mlp.gamma,
        np.array([0.0, mlp.win_reward, mlp.draw_reward, mlp.loss_reward]),
        mlp.bias,
        1.0 if mlp.slope == "doubled" else 0.5,
        rules_of(SHIELDS[mlp.shield], game),
        mlp.explore == "all",
        mlp.explored,
        mlp.end != "terminal",
        mlp.end != "last",
        mlp.loser,
        side,
    )


@jit
def play_and_learn(
    tables: Tables, board: Board, layers: Layers, weights: Weights, memory: Activations,
    shares: Places, opponent: PlayerArrays, learner_stream: Stream, opponent_stream: Stream,
    settings: Settings, games: int, counts: Int64s,
) -> bool:  # fmt: skip
    """Plays `games` games, updating `weights` in place and counting how they end.

    False if it stopped because a value was no longer a number.
    """
    for number in range(counts[GAMES], counts[GAMES] + games):
        begin_game(tables, board, opponent, opponent_stream)
        clear_stones(memory)
        own = side_in_game(settings.side, number)
        alpha, epsilon = value_at(settings.alpha, number), value_at(settings.epsilon, number)
        error = 0.0
        while board.counters[STATE] == GOING_ON:
            side = board.counters[PLY] & 1
            if moves_for(own, side):
                view = 1 - 2 * side
                forward_board(layers, weights, memory, view)
                cell, target, learns = decide(
                    tables, board, layers, weights, memory, learner_stream, settings, epsilon
                )
                if learns:
                    error += learn(
                        layers, weights, memory, shares, board.history, board.counters[PLY],
                        view, ONE, target, alpha, settings.slope, settings.bias,
                    )  # fmt: skip
            else:
                cell = choose(tables, board, opponent, opponent_stream)
            place(tables, board, cell)
            add_stone(layers, weights, memory, cell, side == 0)
        for less in range(2):  # the terminal position, and the other side's last one before it
            side = (board.counters[PLY] - 1 + less) & 1
            if learns_from_end(board, settings, own, side, less):
                view = 1 - 2 * side
                forward_board(layers, weights, memory, view)
                error += learn(
                    layers, weights, memory, shares, board.history, board.counters[PLY],
                    view, less, settings.rewards[end_of(board.counters[STATE], side)], alpha,
                    settings.slope, settings.bias,
                )  # fmt: skip
        if not np.isfinite(error):
            return False
        count_game(counts, board.counters[STATE], own)
    return True


@inline
def decide(
    tables: Tables, board: Board, layers: Layers, weights: Weights, memory: Activations,
    stream: Stream, settings: Settings, epsilon: float,
) -> tuple[int, float, bool]:  # fmt: skip
    """The learner's cell, the target for its position before, and whether that one learns."""
    cells, count, at_random = propose(tables, board, memory.found, stream, settings, epsilon)
    cell, score = cells[0], np.nan
    if count > 1:
        score_moves(layers, weights, memory, cells, count)
        chosen = best_of(memory.scores, count)
        cell, score = cells[chosen], memory.scores[chosen]
    if not learns_from_move(board, settings, at_random):
        return cell, 0.0, False
    state = state_after(tables, board, cell)
    if np.isnan(score) and not knows_target(settings, state):  # it was not asked for yet
        memory.found[0] = cell
        score_moves(layers, weights, memory, memory.found, ONE)
        score = memory.scores[0]
    return cell, target_of_move(board, settings, state, score), True


@inline
def propose(
    tables: Tables, board: Board, found: Cells, stream: Stream, settings: Settings, epsilon: float
) -> tuple[Cells, int, bool]:
    """A list that begins with the cells to choose from, their number, and if chance chose one."""
    rule, cells, count = find_cells(tables, board, settings.rules, found)
    at_random = epsilon > 0 and uniform(stream) < epsilon
    if at_random:
        if settings.explore_all:
            cells, count = board.open_cells, board.counters[OPEN]
        found[0] = cells[np.int64(below(stream, count))]
        cells, count = found, 1
    elif rule == Rule.WIN:
        count = 1
    return cells, count, at_random


@inline
def learns_from_move(board: Board, settings: Settings, at_random: bool) -> bool:
    """Whether the position before learns from a move."""
    return board.counters[PLY] >= 2 and (settings.from_explored or not at_random)


@inline
def knows_target(settings: Settings, state: int) -> bool:
    """Whether the target is the reward of a move that ends the game, and no value."""
    return state != GOING_ON and settings.last


@inline
def target_of_move(board: Board, settings: Settings, state: int, score: float) -> float:
    """What the position before learns from a move with that score, after which a game stands so."""
    if knows_target(settings, state):
        reward = settings.rewards[end_of(state, board.counters[PLY] & 1)]
        return td_target(reward, settings.gamma, 0.0, True)
    return td_target(0.0, settings.gamma, logistic(score), False)


@inline
def state_after(tables: Tables, board: Board, cell: int) -> int:
    """How the game stands after the side to move plays a cell."""
    side, completed = board.counters[PLY] & 1, board.threat[board.counters[PLY] & 1, cell]
    if completed > 0 and not tables.scoring:
        return state_of_line(tables, side)
    if board.counters[PLY] + 1 < tables.cells:
        return GOING_ON
    lead = board.counters[SCORE + side] + completed - board.counters[SCORE + 1 - side]
    if not tables.scoring or lead == 0:
        return DRAWN
    return FIRST_WON + side if lead > 0 else FIRST_WON + 1 - side


@inline
def learns_from_end(board: Board, settings: Settings, own: int, side: int, less: int) -> bool:
    """Whether a side's last position learns the reward: the terminal one, or the one before it."""
    if not moves_for(own, side):
        return False
    return settings.terminal if less == 0 else settings.loser and board.counters[PLY] >= 2
