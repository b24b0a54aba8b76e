"""REINFORCE, the sound version: the update rule, and whole games (Williams 1992)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inarow.engine.board import (
    DRAWN,
    GOING_ON,
    OPEN,
    PLY,
    STATE,
    Board,
    clear,
    place,
    reward_of_lines,
    undo,
)
from inarow.engine.contest import begin, choose
from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, Tables
from inarow.learn.layer_sums import add_row, copy
from inarow.learn.reinforce.network import (
    Activations,
    Shape,
    add_policy_gradient,
    add_stone,
    draw_place,
    find_chances,
    rmsprop,
)
from inarow.learn.schedule import Numbers, value_at
from inarow.learn.training import GAMES, count_game, moves_for, side_in_game
from inarow.learn.weights import Weights


@inline
def propagated(reward: float, factor: float, later: float) -> float:
    """The return of a position: its own reward and a share of the next one's (Equation 4)."""
    return reward + factor * later


@inline
def advantage(gained: float, expected: float) -> float:
    """How much better a game went than is usual at that ply."""
    return gained - expected


class Settings(NamedTuple):
    """The parameters for the compiled loop."""

    alpha: Numbers
    decay: float
    propagation: float
    draw_reward: float
    entropy: float
    batch: int
    baseline: float
    replay_batch: int
    side: int  # 0, 1, BOTH in turn, or SELF_PLAY


class Record(NamedTuple):
    """The game in play, by ply."""

    active: Weights  # [cells, hidden] the hidden units
    chances: Weights  # [cells, cells] of the open cells
    taken: Int64s  # [cells] the place of the cell played
    errors: Weights  # [hidden] scratch: of the hidden sums at a ply
    later: Weights  # [hidden] scratch: their sum over all later plies, as the first player sees it


class Memory(NamedTuple):
    """What learning changes."""

    weights: Weights
    gradient: Weights  # of the moves since the last step
    squares: Weights  # running means
    expected: Numbers  # [cells] the mean return at each ply
    pending: Int64s  # [1] moves since the last step


def new_record(shape: Shape, kind: Any) -> Record:
    """Room for a game."""
    return Record(
        np.zeros((shape.cells, shape.hidden), dtype=kind),
        np.zeros((shape.cells, shape.cells), dtype=kind),
        np.zeros(shape.cells, dtype=np.int64),
        np.zeros(shape.hidden, dtype=kind),
        np.zeros(shape.hidden, dtype=kind),
    )


@jit
def play_and_learn(
    tables: Tables, board: Board, shape: Shape, memory: Memory, activations: Activations,
    record: Record, opponent: Any, learner: Stream, opponent_stream: Stream, settings: Settings,
    games: int, counts: Int64s,
) -> None:  # fmt: skip
    """Plays `games` games, adding up their gradients, with a step after every batch of moves."""
    weights = memory.weights
    for number in range(counts[GAMES], counts[GAMES] + games):
        own = side_in_game(settings.side, number)
        clear(tables, board)
        activations.stones[:] = 0
        begin(opponent, opponent_stream)
        while board.counters[STATE] == GOING_ON:
            ply = board.counters[PLY]
            side = ply & 1
            if moves_for(own, side):
                find_chances(board, shape, weights, activations, side)
                chosen = draw_place(activations.chances, board.counters[OPEN], learner)
                keep(activations, record, ply, board.counters[OPEN], chosen)
                cell: Any = np.int64(board.open_cells[chosen])
                memory.pending[0] += 1
            else:
                cell = np.int64(choose(tables, board, opponent, opponent_stream))
            place(tables, board, cell)
            add_stone(shape, weights, activations, cell, side)
        count_game(counts, board.counters[STATE], own)
        add_gradient(tables, board, shape, memory, record, settings, own)
        if memory.pending[0] >= settings.batch:
            kind = weights.dtype.type
            rmsprop(
                weights, memory.gradient, memory.squares, kind(value_at(settings.alpha, number)),
                kind(settings.decay), kind(1.0 / memory.pending[0]),
            )  # fmt: skip
            memory.pending[0] = 0


@inline
def keep(activations: Activations, record: Record, ply: int, count: int, chosen: int) -> None:
    """Records the network's activations at a ply."""
    copy(record.active[ply], 0, activations.active, 0, len(activations.active))
    copy(record.chances[ply], 0, activations.chances, 0, count)
    record.taken[ply] = chosen


@inline
def add_gradient(
    tables: Tables, board: Board, shape: Shape, memory: Memory, record: Record,
    settings: Settings, own: int,
) -> None:  # fmt: skip
    """Takes a finished game back move by move, and adds up the policy gradient of its moves.

    A stone's input weights have a share in every later position, so their gradient is the sum of
    the errors of the hidden sums from then on: one row a stone, and not one a stone and position.
    """
    weights, gradient, expected = memory.weights, memory.gradient, memory.expected
    kind, hidden = weights.dtype.type, shape.hidden
    end = settings.draw_reward if board.counters[STATE] == DRAWN else 0.0
    return_0, return_1, suffered = 0.0, 0.0, 0.0
    last = board.counters[PLY] - 1
    record.later[:] = 0
    for ply in range(last, -1, -1):
        undo(tables, board)
        cell: Any = np.int64(board.history[ply])
        side = ply & 1
        view = 1 - 2 * side
        add_row(gradient, cell * hidden, record.later, 0, hidden, kind(view))
        completed = board.threat[side, cell]
        made = reward_of_lines(tables, completed)
        if moves_for(own, side):
            reward = made - suffered + (end if ply >= last - 1 else 0.0)
            later = return_0 if side == 0 else return_1
            gained = propagated(reward, settings.propagation, later)
            if side == 0:
                return_0 = gained
            else:
                return_1 = gained
            better = advantage(gained, expected[ply])
            expected[ply] += settings.baseline * better
            doubt = kind(settings.entropy)
            add_policy_gradient(
                board, shape, weights, gradient, record.active[ply], record.chances[ply],
                record.taken[ply], record.errors, kind(better), doubt,
            )  # fmt: skip
            add_row(record.later, 0, record.errors, 0, hidden, kind(view))
        suffered = made
