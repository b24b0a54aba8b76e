"""REINFORCE, the sound version: the update rule, and whole games (Williams 1992)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import (
    DRAWN,
    GOING_ON,
    OPEN,
    PLY,
    STATE,
    Board,
    place,
    reward_of_lines,
    undo,
)
from inarow.engine.contest import PlayerArrays, choose
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
from inarow.learn.training import GAMES, begin_game, count_game, moves_for, side_in_game
from inarow.learn.weights import Weights

RETURN_AS = ("clipped", "label", "weight", "standardised", "positive")  # in the paper's loss
CLIPPED, LABEL, WEIGHT, STANDARDISED, POSITIVE = range(len(RETURN_AS))


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
    drawn: bool  # the paper's version draws its moves in training too
    return_as: int  # CLIPPED, LABEL, WEIGHT, STANDARDISED, POSITIVE


class Record(NamedTuple):
    """The game in play, by ply."""

    active: Weights  # [cells, hidden] the hidden units
    chances: Weights  # [cells, cells] of the open cells
    taken: Int64s  # [cells] the place of the cell played
    made: Numbers  # [cells + 1] the reward of the lines that each move completed
    returns: Numbers  # [cells + 2] of each move, when the game is over
    errors: Weights  # [hidden] scratch: of the hidden sums at a ply
    later: Weights  # [hidden] scratch: their sum over all later plies, as the first player sees it


class Memory(NamedTuple):
    """What learning changes."""

    weights: Weights
    gradient: Weights  # of the moves since the last step
    squares: Weights  # running means
    expected: Numbers  # [cells] the mean return at each ply
    pending: Int64s  # [1] moves since the last step


def new_record(shape: Shape, kind: npt.DTypeLike) -> Record:
    """Room for a game."""
    return Record(
        np.zeros((shape.cells, shape.hidden), dtype=kind),
        np.zeros((shape.cells, shape.cells), dtype=kind),
        np.zeros(shape.cells, dtype=np.int64),
        np.zeros(shape.cells + 1),
        np.zeros(shape.cells + 2),
        np.zeros(shape.hidden, dtype=kind),
        np.zeros(shape.hidden, dtype=kind),
    )


@jit
def play_and_learn(
    tables: Tables,
    board: Board,
    shape: Shape,
    memory: Memory,
    activations: Activations,
    record: Record,
    opponent: PlayerArrays,
    learner: Stream,
    opponent_stream: Stream,
    settings: Settings,
    games: int,
    counts: Int64s,
) -> None:
    """Plays `games` games, adding up their gradients, with a step after every batch of moves."""
    weights = memory.weights
    for number in range(counts[GAMES], counts[GAMES] + games):
        own = side_in_game(settings.side, number)
        begin_game(tables, board, opponent, opponent_stream)
        activations.stones[:] = 0
        while board.counters[STATE] == GOING_ON:
            ply, side = board.counters[PLY], board.counters[PLY] & 1
            if moves_for(own, side):
                find_chances(board, shape, weights, activations, side)
                chosen = draw_place(activations.chances, board.counters[OPEN], learner)
                keep(activations, record, ply, board.counters[OPEN], chosen)
                cell = int(np.int64(board.open_cells[chosen]))
                memory.pending[0] += 1
            else:
                cell = int(np.int64(choose(tables, board, opponent, opponent_stream)))
            move(tables, board, shape, weights, activations, record, cell)
        count_game(counts, board.counters[STATE], own)
        write_returns(board, record, settings)
        add_gradient(tables, board, shape, memory, record, settings, own)
        if memory.pending[0] >= settings.batch:
            kind = weights.dtype.type
            rmsprop(
                weights,
                memory.gradient,
                memory.squares,
                kind(value_at(settings.alpha, number)),
                kind(settings.decay),
                kind(1.0 / memory.pending[0]),
            )
            memory.pending[0] = 0


@inline
def move(
    tables: Tables,
    board: Board,
    shape: Shape,
    weights: Weights,
    activations: Activations,
    record: Record,
    cell: int,
) -> None:
    """Plays a cell: the lines that it completes are recorded, and the hidden sums follow."""
    ply, side = board.counters[PLY], board.counters[PLY] & 1
    record.made[ply] = reward_of_lines(tables, board.threat[side, cell])
    place(tables, board, cell)
    add_stone(shape, weights, activations, cell, side)


@inline
def write_returns(board: Board, record: Record, settings: Settings) -> None:
    """The return of each move of a finished game, for the side that made it."""
    made, returns, last = record.made, record.returns, board.counters[PLY] - 1
    end = settings.draw_reward if board.counters[STATE] == DRAWN else 0.0
    made[last + 1] = returns[last + 1] = returns[last + 2] = 0.0
    for ply in range(last, -1, -1):
        reward = made[ply] - made[ply + 1] + (end if ply >= last - 1 else 0.0)
        returns[ply] = propagated(reward, settings.propagation, returns[ply + 2])


@inline
def keep(activations: Activations, record: Record, ply: int, count: int, chosen: int) -> None:
    """Records the network's activations at a ply."""
    copy(record.active[ply], 0, activations.active, 0, len(activations.active))
    copy(record.chances[ply], 0, activations.chances, 0, count)
    record.taken[ply] = chosen


@inline
def add_gradient(
    tables: Tables,
    board: Board,
    shape: Shape,
    memory: Memory,
    record: Record,
    settings: Settings,
    own: int,
) -> None:
    """Takes a finished game back move by move, and adds up the policy gradient of its moves.

    A stone's input weights have a share in every later position, so their gradient is the sum of
    the errors of the hidden sums from then on: one row a stone, and not one a stone and position.
    """
    weights, gradient, expected = memory.weights, memory.gradient, memory.expected
    kind, hidden = weights.dtype.type, shape.hidden
    record.later[:] = 0
    for ply in range(board.counters[PLY] - 1, -1, -1):
        undo(tables, board)
        cell = int(np.int64(board.history[ply]))
        side = ply & 1
        view = 1 - 2 * side
        add_row(gradient, cell * hidden, record.later, 0, hidden, kind(view))
        if moves_for(own, side):
            better = advantage(record.returns[ply], expected[ply])
            expected[ply] += settings.baseline * better
            doubt = kind(settings.entropy)
            add_policy_gradient(
                board,
                shape,
                weights,
                gradient,
                record.active[ply],
                record.chances[ply],
                record.taken[ply],
                record.errors,
                kind(better),
                doubt,
            )
            add_row(record.later, 0, record.errors, 0, hidden, kind(view))
