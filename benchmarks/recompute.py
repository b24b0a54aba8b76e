"""The n-tuple learner as one writes it first: before each move all indices are computed anew.

Compiled like the package's own loop and on the same boards, random numbers and rules, so that the
only difference is where indices come from. A tuple's index is read off its cells as a number with
four digits to choose from, as in the Connect Four paper, into tables of 4^length weights.

Sums are taken in the package's order, so that both must learn the same weights, bit by bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
    PLY,
    STATE,
    Board,
    Int64s,
    Tables,
    Words,
    clear,
    new_board,
    place,
    tables_of,
)
from inarow.engine.jit import inline, jit
from inarow.engine.rules import find_cells
from inarow.engine.streams import LEARNER, Stream, below, make_stream, uniform
from inarow.game import Game
from inarow.learn.ntuple.learner import NTuple, lambda_return
from inarow.learn.ntuple.network import SHIELD, Indices, draw_tuples
from inarow.learn.options import schedule, value_at

Floats = npt.NDArray[np.float32]
Stones = npt.NDArray[np.int8]


class Plain(NamedTuple):
    """The learner and its memory."""

    cells: Indices  # [features, length] the cells of each image of each tuple
    offsets: Words  # [features] where its tuple's weights begin
    weights: Floats  # [2, tuples * 4^length]
    digits: npt.NDArray[np.uint8]  # [cells] 0 not yet playable, 1 and 2 stones, 3 playable
    before: Indices  # [features] indices of the position, in the table for the next
    after: Indices  # [features] indices after a move
    sums: Floats  # [cells]
    path: Stones  # [cells + 1, cells] the stones of each position of a game
    values: npt.NDArray[np.float64]  # [cells + 1]
    explored: npt.NDArray[np.bool_]  # [cells + 1] whether the move from here was not the best
    rules: Int64s
    found: npt.NDArray[np.uint32]


class PlainTraining:
    """A run of the reference, with the parameters of an `NTuple` of four states and no frills."""

    def __init__(self, ntuple: NTuple, game: Game, seed: int) -> None:
        self.tables, self.ntuple = tables_of(game), ntuple
        self.board = new_board(self.tables)
        stream = make_stream(seed, LEARNER, 1)
        tuples = draw_tuples(game, ntuple.tuples, ntuple.length, stream)
        images = game.symmetries
        cells = np.array([image[cells] for cells in tuples for image in images], dtype=np.uint32)
        size = 4**ntuple.length
        features, places = len(cells), game.cells
        self.plain = Plain(
            cells,
            np.repeat(np.arange(len(tuples), dtype=np.uint64) * np.uint64(size), len(images)),
            np.zeros((2, len(tuples) * size), dtype=np.float32),
            np.zeros(places, dtype=np.uint8),
            np.zeros(features, dtype=np.uint32),
            np.zeros(features, dtype=np.uint32),
            np.zeros(places, dtype=np.float32),
            np.zeros((places + 1, places), dtype=np.int8),
            np.zeros(places + 1),
            np.zeros(places + 1, dtype=np.bool_),
            np.array([*SHIELD, 0], dtype=np.int64),
            np.zeros(places, dtype=np.uint32),
        )
        self.stream = make_stream(seed, LEARNER)
        self.numbers = schedule(ntuple.alpha).numbers(), schedule(ntuple.epsilon).numbers()
        self.counts = np.zeros(1, dtype=np.int64)

    def play(self, games: int) -> None:
        """Plays so many more games and learns from them."""
        alpha, epsilon = self.numbers
        play_and_learn(
            self.tables, self.board, self.plain, alpha, epsilon, self.ntuple.trace_decay,
            self.stream, games, self.counts,
        )  # fmt: skip


@inline
def read_indices(tables: Tables, stones: Stones, plain: Plain, indices: Indices) -> None:
    """The index of every feature, from the stones alone: first the digit of each cell."""
    digits, cells = plain.digits, plain.cells
    for cell in range(tables.cells):
        playable = cell < tables.columns or stones[cell - tables.columns] != 0
        digits[cell] = stones[cell] if stones[cell] != 0 else (3 if playable else 0)
    for i in range(len(indices)):
        feature, index = np.uint64(i), np.uint64(0)
        for j in range(cells.shape[1]):
            index = index * np.uint64(4) + np.uint64(digits[cells[feature, np.uint64(j)]])
        indices[feature] = np.uint32(plain.offsets[feature] + index)


@inline
def sum_of(table: Floats, indices: Indices) -> np.float32:
    """The sum of the weights, every fourth in one of four parts; there are an even number."""
    sum_0, sum_1 = np.float32(0), np.float32(0)
    sum_2, sum_3 = np.float32(0), np.float32(0)
    whole = len(indices) & ~3
    for i in range(0, whole, 4):
        at = np.uint64(i)
        sum_0 += table[indices[at]]
        sum_1 += table[indices[at + np.uint64(1)]]
        sum_2 += table[indices[at + np.uint64(2)]]
        sum_3 += table[indices[at + np.uint64(3)]]
    if whole < len(indices):
        sum_0 += table[indices[whole]]
        sum_1 += table[indices[whole + 1]]
    return (sum_0 + sum_1) + (sum_2 + sum_3)


@inline
def change_of(table: Floats, before: Indices, after: Indices) -> np.float32:
    """The sum of what changes, in turn in one of four parts."""
    sum_0, sum_1 = np.float32(0), np.float32(0)
    sum_2, sum_3 = np.float32(0), np.float32(0)
    changed = 0
    for i in range(len(before)):
        feature = np.uint64(i)
        if before[feature] != after[feature]:
            change = table[after[feature]] - table[before[feature]]
            sum_0, sum_1, sum_2, sum_3 = sum_1, sum_2, sum_3, sum_0 + change
            changed += 1
    while changed & 3 != 0:  # until the first part is the first again
        sum_0, sum_1, sum_2, sum_3 = sum_1, sum_2, sum_3, sum_0
        changed += 1
    return (sum_0 + sum_1) + (sum_2 + sum_3)


@inline
def look_at_moves(tables: Tables, board: Board, plain: Plain, cells: Any, count: int) -> None:
    """Each move is made on the board's stones, looked at and taken back."""
    side = board.counters[PLY] & 1
    table = plain.weights[1 - side]
    read_indices(tables, board.stones, plain, plain.before)
    base = sum_of(table, plain.before)
    for i in range(count):
        board.stones[cells[i]] = side + 1
        read_indices(tables, board.stones, plain, plain.after)
        board.stones[cells[i]] = 0
        plain.sums[i] = base + change_of(table, plain.before, plain.after)
        if board.threat[side, cells[i]] > 0:
            plain.sums[i] = np.float32(np.inf) if side == 0 else -np.float32(np.inf)


@inline
def move(tables: Tables, board: Board, plain: Plain, epsilon: float, stream: Stream) -> Any:
    """The cell that is played: the best, or any."""
    ply = board.counters[PLY]
    plain.explored[ply] = False
    plain.values[ply + 1] = np.nan
    _, cells, count = find_cells(tables, board, plain.rules, plain.found)
    if count == 1:
        return np.int64(cells[0])
    look_at_moves(tables, board, plain, cells, count)
    sign = np.float32(1 - 2 * (ply & 1))
    best, equal = 0, 1
    for i in range(1, count):
        if sign * plain.sums[i] > sign * plain.sums[best]:
            best, equal = i, 1
        elif plain.sums[i] == plain.sums[best]:
            equal += 1
    if equal > 1:
        highest, skipped = plain.sums[best], np.int64(below(stream, equal))
        while skipped > 0:
            best += 1
            skipped -= np.int64(plain.sums[best] == highest)
    taken: Any = best
    if uniform(stream) < epsilon:
        taken = np.int64(below(stream, count))
    plain.explored[ply] = taken != best
    plain.values[ply + 1] = np.tanh(np.float64(plain.sums[taken]))
    return np.int64(cells[taken])


@jit
def play_and_learn(
    tables: Tables,
    board: Board,
    plain: Plain,
    alpha: Any,
    epsilon: Any,
    trace: float,
    stream: Stream,
    games: int,
    counts: Int64s,
) -> None:
    """Plays games against itself and learns from each."""
    for number in range(counts[0], counts[0] + games):
        clear(tables, board)
        random_share = value_at(epsilon, number)
        while board.counters[STATE] == 0:
            place(tables, board, move(tables, board, plain, random_share, stream))
            ply = board.counters[PLY]
            for cell in range(tables.cells):
                plain.path[ply, cell] = board.stones[cell]
            if np.isnan(plain.values[ply]):
                read_indices(tables, plain.path[ply], plain, plain.after)
                plain.values[ply] = np.tanh(np.float64(sum_of(plain.weights[ply & 1], plain.after)))
        learn(tables, board, plain, value_at(alpha, number), trace)
        counts[0] += 1


@inline
def learn(tables: Tables, board: Board, plain: Plain, alpha: float, trace: float) -> None:
    """TD(lambda) over the finished game, the chain cut where a move was not the best."""
    state, plies = board.counters[STATE], board.counters[PLY]
    later = 0.0 if state == DRAWN else (1.0 if state == FIRST_WON else -1.0)
    plain.values[plies] = later
    step = alpha / len(plain.before)
    for ply in range(plies - 1, 0, -1):
        if plain.explored[ply]:
            later = plain.values[ply]
            continue
        later = lambda_return(1.0, trace, plain.values[ply + 1], later)
        read_indices(tables, plain.path[ply], plain, plain.after)
        table = plain.weights[ply & 1]
        value = np.tanh(np.float64(sum_of(table, plain.after)))
        by = np.float32(step * ((later - value) * (1.0 - value * value)))
        for i in range(len(plain.after)):
            table[plain.after[np.uint64(i)]] += by
