"""Whole games of an n-tuple network that learns from each: the update rules and the loop."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.board import PLY, STATE, Board, place
from inarow.engine.contest import PlayerArrays, choose
from inarow.engine.jit import inline, jit
from inarow.engine.rules import find_cells
from inarow.engine.streams import Stream, below, uniform
from inarow.engine.tables import Int64s, Tables
from inarow.learn.ntuple.accumulator import (
    Accumulator,
    Weights,
    add_stone,
    clear_stones,
    draw_best_move,
    sum_moves,
    sum_of,
    table_for,
)
from inarow.learn.ntuple.tuples import Features, Indices
from inarow.learn.schedule import Numbers, value_at
from inarow.learn.training import (
    GAMES,
    begin_game,
    count_game,
    moves_for,
    side_in_game,
    value_of_end,
)


@inline
def lambda_return(gamma: float, trace_decay: float, value: float, later: float) -> float:
    """The value a position should have: a mix of the next one's value and what that should be."""
    return gamma * ((1.0 - trace_decay) * value + trace_decay * later)


@inline
def coherent_share(errors: np.float32, sizes: np.float32) -> np.float32:
    """A weight's share of the step size: 1 where all its errors had one sign (TCL, Beal 1999)."""
    return abs(errors) / sizes if sizes > 0 else np.float32(1)


class Settings(NamedTuple):
    """The parameters for the compiled loop."""

    alpha: Numbers
    epsilon: Numbers
    trace_decay: float
    gamma: float
    squash: bool
    logistic: bool
    best_when_explored: bool
    opening: int
    side: int  # 0, 1, BOTH in turn, or SELF_PLAY


class Record(NamedTuple):
    """The game in play."""

    indices: Indices  # [cells + 1, features] of the position after each move
    values: Numbers  # [cells + 1] the network's value of it
    targets: Numbers  # [cells + 1] value of the best move, where a random one was made; else nan


def new_record(tables: Tables, features: Features) -> Record:
    """For one loop."""
    return Record(
        np.zeros((tables.cells + 1, len(features.start)), dtype=np.uint32),
        np.zeros(tables.cells + 1),
        np.zeros(tables.cells + 1),
    )


class Memory(NamedTuple):
    """What learning changes."""

    weights: Weights
    coherence: Weights  # [tables, weights, 2] the sum of errors, and of their sizes; empty: no TCL


@jit
def play_and_learn(
    tables: Tables, board: Board, accumulator: Accumulator, memory: Memory, record: Record,
    opponent: PlayerArrays, learner: Stream, opponent_stream: Stream, settings: Settings,
    games: int, counts: Int64s,
) -> None:  # fmt: skip
    """Plays `games` games, changing the weights after each and counting how they end."""
    for number in range(counts[GAMES], counts[GAMES] + games):
        own = side_in_game(settings.side, number)
        epsilon = value_at(settings.epsilon, number)
        opening = 0
        if settings.opening > 0:
            opening = int(np.int64(below(learner, settings.opening + 1)))
        begin_game(tables, board, opponent, opponent_stream)
        clear_stones(accumulator)
        while board.counters[STATE] == 0:
            ply = board.counters[PLY]
            if moves_for(own, ply & 1):
                share = 1.0 if ply < opening else epsilon
                cell = move(
                    tables, board, accumulator, memory.weights, record, settings, share, learner
                )
            else:
                cell = int(np.int64(choose(tables, board, opponent, opponent_stream)))
                record.targets[ply] = np.nan
                record.values[ply + 1] = np.nan
            place(tables, board, cell)
            add_stone(accumulator, cell, ply & 1)
            keep(accumulator, memory.weights, record, ply + 1, settings)
        learn(board, accumulator, memory, record, value_at(settings.alpha, number), settings)
        count_game(counts, board.counters[STATE], own)


@inline
def value_of(total: np.float32, settings: Settings) -> float:
    """A sum of weights as a value; a won game has the value of one."""
    if settings.squash or np.isinf(total):
        return np.tanh(np.float64(total))
    return np.float64(total)


@inline
def move(
    tables: Tables,
    board: Board,
    accumulator: Accumulator,
    weights: Weights,
    record: Record,
    settings: Settings,
    epsilon: float,
    stream: Stream,
) -> int:
    """The cell that the learner plays, the best or at random; its value is recorded."""
    ply = board.counters[PLY]
    record.targets[ply] = np.nan
    record.values[ply + 1] = np.nan
    _, cells, number = find_cells(tables, board, accumulator.rules, accumulator.found)
    if number == 1:
        return int(np.int64(cells[0]))
    sum_moves(tables, board, accumulator, weights, cells, number)
    best = draw_best_move(accumulator, number, ply & 1, stream)
    taken = best
    if epsilon > 0 and uniform(stream) < epsilon:
        taken = int(np.int64(below(stream, number)))
    if taken != best:
        record.targets[ply] = value_of(accumulator.sums[best], settings)
    record.values[ply + 1] = value_of(accumulator.sums[taken], settings)
    return int(np.int64(cells[taken]))


@inline
def keep(
    accumulator: Accumulator, weights: Weights, record: Record, ply: int, settings: Settings
) -> None:
    """Records the indices and the value of the position after a move."""
    for feature in range(len(accumulator.indices)):
        record.indices[ply, feature] = accumulator.indices[feature]
    if np.isnan(record.values[ply]):
        record.values[ply] = value_of(
            sum_of(accumulator.indices, weights[table_for(weights, ply)], accumulator.seen),
            settings,
        )


@inline
def learn(
    board: Board,
    accumulator: Accumulator,
    memory: Memory,
    record: Record,
    alpha: float,
    settings: Settings,
) -> None:
    """Moves the values of a finished game's positions, the last first."""
    state, plies = board.counters[STATE], board.counters[PLY]
    later = value_of_end(state)
    record.values[plies] = later
    step = alpha / accumulator.features.number
    for ply in range(plies - 1, 0, -1):
        explored = not np.isnan(record.targets[ply])
        if explored and not settings.best_when_explored:
            later = record.values[ply]
            continue
        if explored:
            later = settings.gamma * record.targets[ply]
        else:
            later = lambda_return(
                settings.gamma, settings.trace_decay, record.values[ply + 1], later
            )
        # The weights have moved with the positions that came after: its value by now.
        indices, table = record.indices[ply], table_for(memory.weights, ply)
        value = value_of(sum_of(indices, memory.weights[table], accumulator.seen), settings)
        slope = 1.0 - value * value if settings.squash and not settings.logistic else 1.0
        change(memory, table, indices, accumulator.features.number, (later - value) * slope, step)


@inline
def change(
    memory: Memory, table: int, indices: Indices, features: int, error: float, step: float
) -> None:
    """Moves the weights of one position."""
    weights = memory.weights[table]
    if len(memory.coherence) == 0:
        by = np.float32(step * error)
        for feature in range(features):
            weights[indices[np.uint64(feature)]] += by
        return
    coherence = memory.coherence[table]
    for feature in range(features):
        index = indices[np.uint64(feature)]
        errors, sizes = coherence[index, 0], coherence[index, 1]
        weights[index] += np.float32(step * error * coherent_share(errors, sizes))
        coherence[index, 0] = errors + np.float32(error)
        coherence[index, 1] = sizes + np.float32(abs(error))
