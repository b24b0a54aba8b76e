"""Whole games of an n-tuple network that learns from each: the update rules and the loop."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inarow.engine.board import DRAWN, FIRST_WON, PLY, STATE, Board, clear, place
from inarow.engine.contest import begin, choose
from inarow.engine.jit import inline, jit
from inarow.engine.rules import find_cells
from inarow.engine.streams import Stream, below, uniform
from inarow.engine.tables import Int64s, Tables
from inarow.learn.learner import DRAWS, LAST_LOSS, LOSSES, WINS
from inarow.learn.ntuple.accumulator import (
    Eye,
    Weights,
    draw_best_move,
    look_at_moves,
    see_start,
    see_stone,
    sum_of,
    table_for,
)
from inarow.learn.ntuple.tuples import Features, Indices
from inarow.learn.schedule import Numbers, value_at

BOTH, SELF_PLAY = 2, 3  # seats


@inline
def lambda_return(gamma: float, trace: float, value: float, later: float) -> float:
    """What a position should be worth: a mix of the next one's value and what that should be."""
    return gamma * ((1.0 - trace) * value + trace * later)


@inline
def coherent_share(errors: Any, sizes: Any) -> Any:
    """A weight's share of the step size: 1 where all its errors had one sign (TCL, Beal 1999)."""
    return abs(errors) / sizes if sizes > 0 else np.float32(1)


class Settings(NamedTuple):
    """The parameters for the compiled loop."""

    alpha: Numbers
    epsilon: Numbers
    trace: float
    gamma: float
    squash: bool
    logistic: bool
    best_when_explored: bool
    opening: int
    seat: int  # the learner's: 0, 1, BOTH in turn, or SELF_PLAY


class Record(NamedTuple):
    """The game in play."""

    indices: Indices  # [cells + 1, features] of the position after each move
    values: Numbers  # [cells + 1] what the network thought of it
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
    tables: Tables,
    board: Board,
    eye: Eye,
    memory: Memory,
    record: Record,
    opponent: Any,
    learner: Stream,
    opponent_stream: Stream,
    settings: Settings,
    games: int,
    counts: Int64s,
) -> None:
    """Plays `games` games, changing the weights after each and counting how they end."""
    for number in range(counts[0], counts[0] + games):
        seat = settings.seat if settings.seat != BOTH else number & 1
        epsilon = value_at(settings.epsilon, number)
        opening: Any = np.int64(below(learner, settings.opening + 1)) if settings.opening > 0 else 0
        clear(tables, board)
        see_start(eye)
        begin(opponent, opponent_stream)
        while board.counters[STATE] == 0:
            ply = board.counters[PLY]
            if seat == SELF_PLAY or ply & 1 == seat:
                share = 1.0 if ply < opening else epsilon
                cell: Any = move(
                    tables, board, eye, memory.weights, record, settings, share, learner
                )
            else:
                cell = np.int64(choose(tables, board, opponent, opponent_stream))
                record.targets[ply] = np.nan
                record.values[ply + 1] = np.nan
            place(tables, board, cell)
            see_stone(eye, cell, ply & 1)
            keep(eye, memory.weights, record, ply + 1, settings)
        learn(board, eye, memory, record, value_at(settings.alpha, number), settings)
        count(board, 0 if seat == SELF_PLAY else seat, number, counts)


@inline
def count(board: Board, seat: int, number: int, counts: Int64s) -> None:
    """Counts a finished game for the learner."""
    state = board.counters[STATE]
    won = state == FIRST_WON + seat
    counts[0] += 1
    counts[WINS if won else (DRAWS if state == DRAWN else LOSSES)] += 1
    if not won and state != DRAWN:
        counts[LAST_LOSS] = number + 1


@inline
def value_of(total: Any, settings: Settings) -> float:
    """A sum of weights as a value; a won game has the value of one."""
    if settings.squash or np.isinf(total):
        return np.tanh(np.float64(total))
    return np.float64(total)


@inline
def move(
    tables: Tables,
    board: Board,
    eye: Eye,
    weights: Weights,
    record: Record,
    settings: Settings,
    epsilon: float,
    stream: Stream,
) -> Any:
    """The cell that the learner plays, the best or at random; what it thought is recorded."""
    ply = board.counters[PLY]
    side = ply & 1
    record.targets[ply] = np.nan
    record.values[ply + 1] = np.nan
    _, cells, number = find_cells(tables, board, eye.rules, eye.found)
    if number == 1:
        return np.int64(cells[0])
    look_at_moves(tables, board, eye, weights, cells, number)
    best = draw_best_move(eye, number, side, stream)
    taken: Any = best
    if epsilon > 0 and uniform(stream) < epsilon:
        taken = np.int64(below(stream, number))
    if taken != best:
        record.targets[ply] = value_of(eye.sums[best], settings)
    record.values[ply + 1] = value_of(eye.sums[taken], settings)
    return np.int64(cells[taken])


@inline
def keep(eye: Eye, weights: Weights, record: Record, ply: int, settings: Settings) -> None:
    """Records the indices and the value of the position after a move."""
    for feature in range(len(eye.indices)):
        record.indices[ply, feature] = eye.indices[feature]
    if np.isnan(record.values[ply]):
        record.values[ply] = value_of(
            sum_of(eye.indices, weights[table_for(weights, ply)], eye.seen), settings
        )


@inline
def learn(
    board: Board,
    eye: Eye,
    memory: Memory,
    record: Record,
    alpha: float,
    settings: Settings,
) -> None:
    """Moves the values of a finished game's positions, the last first."""
    state, plies = board.counters[STATE], board.counters[PLY]
    later = 0.0 if state == DRAWN else (1.0 if state == FIRST_WON else -1.0)
    record.values[plies] = later
    step = alpha / eye.features.number
    for ply in range(plies - 1, 0, -1):
        explored = not np.isnan(record.targets[ply])
        if explored and not settings.best_when_explored:
            later = record.values[ply]
            continue
        if explored:
            later = settings.gamma * record.targets[ply]
        else:
            later = lambda_return(settings.gamma, settings.trace, record.values[ply + 1], later)
        # The weights have moved with the positions that came after: what is it worth by now?
        indices, table = record.indices[ply], table_for(memory.weights, ply)
        value = value_of(sum_of(indices, memory.weights[table], eye.seen), settings)
        slope = 1.0 - value * value if settings.squash and not settings.logistic else 1.0
        change(memory, table, indices, eye.features.number, (later - value) * slope, step)


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
