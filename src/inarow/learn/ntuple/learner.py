"""N-tuple networks that learn by TD from their own games: options, and a run.

The value of a position, for the first side, is the sum of one weight for each tuple of cells, by
what lies on them. After a game each position is moved towards what came after it.

The defaults are what a study found best on Connect Four: with 3,000,000 games they are the runs
of docs/results/connect-four-ten-seeds.json, bit by bit; longer runs stay at the last step size and
share of random moves. The paper's own network is tuples=70, gamma=1, average=0, explored=cut,
trace_decay=0, shield=no, symmetric=no, by_side=no.
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from inarow.engine.board import PLY, STATE, Board, Int64s, Tables, place
from inarow.engine.jit import inline, jit
from inarow.engine.players import PlayerArrays, choose
from inarow.engine.rules import find_cells
from inarow.engine.streams import LEARNER, Stream, below, make_stream, uniform
from inarow.game import Game
from inarow.learn.learner import (
    GAMES,
    BoardTraining,
    Learner,
    Opponent,
    Suits,
    begin_game,
    count_game,
    moves_for,
    side_in_game,
    side_option,
    value_of_end,
)
from inarow.learn.ntuple.agent import NTupleAgent
from inarow.learn.ntuple.network import (
    Accumulator,
    Features,
    Indices,
    Weights,
    add_stone,
    check_number,
    clear_stones,
    count_weights,
    draw_best_move,
    draw_tuples,
    find_features,
    new_accumulator,
    parse_tuples,
    sum_moves,
    sum_of,
    table_for,
)
from inarow.learn.options import (
    Numbers,
    between,
    one_of,
    option,
    schedule,
    schedule_between,
    value_at,
)
from inarow.learn.saved import MAX_BYTES, MAX_GAMES, Arrays, Layout, random_stream, real

MAX_DEPTH = 64  # moves that a search looks ahead
MANY = 10**6

# Bytes that a tuple and an image of one of its cells take while features are found: measured.
TUPLE, ENTRY = 1000, 120


class NTuple(Learner):
    """N-tuple networks that learn by TD (Connect Four paper; Thill 2012)."""

    name = "ntuple"
    suits: ClassVar[Suits] = {"connect4:6x7": {}, "cube": {"tuples": 60, "length": 7}}
    lessons: ClassVar[Suits] = {
        "tictactoe": {"tuples": 8, "length": 6, "states": 3, "shield": False, "average": 0.0}
    }

    tuples: int = option(200, "how many tuples, drawn by random walks")
    length: int = option(8, "cells of each tuple", unit="cells")
    cells: str = option("", "the tuples themselves, as 0,1,2,3 7,14,21: then none are drawn")
    tuple_seed: int = option(-1, "what tuples are drawn with; -1: the seed of the run")
    states: int = option(
        4, "of a cell: 3, or 4 where empty cells are told apart by being playable", between(3, 4)
    )
    symmetric: bool = option(True, "whether each tuple is also laid in all images of the board")
    by_side: bool = option(True, "whether there is a table of weights for either side to move")
    output: str = option("tanh", "of the sum of weights", one_of("tanh", "linear"))
    loss_function: str = option(
        "squared",
        "squared, or logistic: steps that do not shrink where tanh is flat",
        one_of("squared", "logistic"),
    )
    alpha: str = option(
        "0.6*0.99999923247193023>0.06",
        "step size: share of an error that goes at once",
        schedule_between(0),
    )
    tcl: bool = option(False, "whether each weight has its own step size (temporal coherence)")
    epsilon: str = option(
        "0.1*0.99999946352083979>0.02", "share of random moves", schedule_between(0, 1)
    )
    explored: str = option(
        "best",
        "before a random move learn nothing (cut), or the best move's value",
        one_of("cut", "best"),
    )
    opening: int = option(
        0, "up to so many random moves at the start of a game", between(0, MANY), "moves"
    )
    trace_decay: float = option(0.5, "lambda", between(0, 1))
    gamma: float = option(
        0.99, "discount a move: a win soon is better, and seeds differ less", between(0, 1)
    )
    shield: bool = option(True, "tactical filter (win, block, safe), in training and in play")
    average: float = option(
        3.0, "plays with averaged weights, the later the more; 0: the last ones", between(0, MANY)
    )
    average_every: int = option(
        15_000, "games between two weights that are averaged", between(1, MAX_GAMES), "games"
    )
    depth: int = option(
        1,
        "moves that it looks ahead in play, by minimax; not while learning",
        between(1, MAX_DEPTH),
        "moves",
    )
    side: str = side_option("both")

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:
        """Return the weights, what is kept beside them, and the random streams of both players."""
        tables = 2 if self.by_side else 1
        copies = tables * (1 + 2 * self.tcl + bool(self.average))
        room = MAX_BYTES // (np.dtype(np.float32).itemsize * copies)
        _, size = tuples_of(self, game, seed, room if most is None else min(room, most))
        shape = (tables, size)
        layout = {"weights": real(shape, np.float32)}
        if self.tcl:
            layout["coherence"] = real((*shape, 2), np.float32)
        if self.average:
            layout["averages"] = real(shape, np.float32)
        return {**layout, "learner": random_stream(), "opponent": random_stream()}

    def begin(self, game: Game, opponent: Opponent, seed: int) -> NTupleTraining:
        """Return a run from nothing, against itself where no opponent is given."""
        return NTupleTraining(self, game, opponent, seed)

    def agent(self, game: Game, seed: int, arrays: Arrays) -> NTupleAgent:
        """Return the agent with the weights so far, averaged if asked for."""
        (weights,) = (array for name, array in arrays.items() if name != "counts")
        squash = self.output == "tanh"
        return NTupleAgent(
            game, features_of(self, game, seed), weights, self.shield, squash, self.depth
        )

    def extra_bytes(self, game: Game) -> int:
        """Return the bytes of the features and of a game's record of all indices."""
        number, cells = self.tuples, self.tuples * self.length
        if self.cells:
            given = parse_tuples(game, self.cells)
            number, cells = len(given), sum(map(len, given))
        images = game.symmetry_group.listed if self.symmetric else 1
        recorded = (game.cells + 1) * np.dtype(np.uint32).itemsize
        return number * TUPLE + images * (cells * ENTRY + number * recorded)

    def arrays_to_play(self, games: int) -> tuple[str, ...]:
        """Return the arrays that the agent plays with: averaged weights once there are some."""
        averaged = self.average and games >= self.average_every
        return "counts", "averages" if averaged else "weights"


def tuples_of(
    ntuple: NTuple, game: Game, seed: int, most: int | None = None
) -> tuple[list[list[int]], int]:
    """Return the tuples of a network, given or drawn, and how many weights a table of them has.

    Where that is more than `most`, none are drawn.
    """
    if not ntuple.cells:
        check_number(game, ntuple.tuples, ntuple.length, most)
    return _tuples(
        game,
        ntuple.cells,
        ntuple.tuples,
        ntuple.length,
        ntuple.states,
        seed if ntuple.tuple_seed < 0 else ntuple.tuple_seed,
    )


@lru_cache(maxsize=16)
def _tuples(
    game: Game, given: str, number: int, length: int, states: int, seed: int
) -> tuple[list[list[int]], int]:
    if given:
        found = parse_tuples(game, given)
    else:
        found = draw_tuples(game, number, length, make_stream(seed, LEARNER, 1)).tolist()
    return found, count_weights(game, found, states)


@lru_cache(maxsize=2)
def features_of(ntuple: NTuple, game: Game, seed: int) -> Features:
    """Return the features of a network's tuples."""
    tuples, _ = tuples_of(ntuple, game, seed)
    symmetries = game.symmetries if ntuple.symmetric else game.symmetries[:1]
    return find_features(game, tuples, ntuple.states, symmetries)[0]


class NTupleTraining(BoardTraining):
    """A training run of `NTuple`, against itself or an opponent."""

    def __init__(self, ntuple: NTuple, game: Game, opponent: Opponent, seed: int) -> None:
        super().__init__(ntuple, game, opponent, seed)
        self.ntuple, (self.tuples, _) = ntuple, tuples_of(ntuple, game, seed)
        self.features = features_of(ntuple, game, seed)
        self.accumulator = new_accumulator(self.tables, self.features, ntuple.shield)
        self.settings = Settings(
            schedule(ntuple.alpha).numbers(),
            schedule(ntuple.epsilon).numbers(),
            ntuple.trace_decay,
            ntuple.gamma,
            ntuple.output == "tanh",
            ntuple.loss_function == "logistic",
            ntuple.explored == "best",
            ntuple.opening,
            self.side,
        )
        self.record = new_record(self.tables, self.features)
        arrays: Arrays = {
            name: np.zeros(self.layout[name].shape, dtype=np.float32)
            for name in ("weights", "coherence", "averages")
            if name in self.layout
        }
        self.begin_with(arrays)
        none = np.zeros((0, 0, 2), dtype=np.float32)
        self.memory = Memory(arrays["weights"], arrays.get("coherence", none))

    def play(self, games: int) -> None:
        """Play so many more games and learn from them."""
        end, every = self.games + games, self.ntuple.average_every
        while self.games < end:
            number = end - self.games
            if self.ntuple.average:
                number = min(number, every - self.games % every)
            play_and_learn(
                self.tables,
                self.board,
                self.accumulator,
                self.memory,
                self.record,
                self.opponent,
                self.arrays["learner"],
                self.arrays["opponent"],
                self.settings,
                number,
                self.counts,
            )
            if self.ntuple.average and self.games % every == 0:
                share = average_share(self.ntuple.average, self.games // every)
                add_to_average(self.arrays["averages"], self.arrays["weights"], np.float32(share))


def average_share(average: float, number: int) -> float:
    """Return the share of the newest of `number` weights in their average (Shamir and Zhang 2013).

    A power of their age counts: with 0 all count alike, with 3 the last quarter most.
    """
    return (average + 1) / (average + number)


@jit
def add_to_average(averages: Weights, weights: Weights, share: np.float32) -> None:
    """Move the averages towards the weights."""
    for table in range(len(weights)):
        for i in range(weights.shape[1]):
            averages[table, i] += share * (weights[table, i] - averages[table, i])


# Whole games of an n-tuple network that learns from each: the update rules and the loop.


@inline
def lambda_return(gamma: float, trace_decay: float, value: float, later: float) -> float:
    """The value a position should have: a mix of the next one's value and what that should be."""
    return gamma * ((1.0 - trace_decay) * value + trace_decay * later)


@inline
def coherent_share(errors: np.float32, sizes: np.float32) -> np.float32:
    """A weight's share of the step size: 1 where all its errors had one sign (TCL, Beal 1999)."""
    return abs(errors) / sizes if sizes > 0 else np.float32(1)


class Settings(NamedTuple):
    """The parameters that the compiled loop reads."""

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
    """Return memory for the record of a game, for one loop."""
    return Record(
        np.zeros((tables.cells + 1, len(features.start)), dtype=np.uint32),
        np.zeros(tables.cells + 1),
        np.zeros(tables.cells + 1),
    )


class Memory(NamedTuple):
    """The arrays that learning changes."""

    weights: Weights
    coherence: Weights  # [tables, weights, 2] the sum of errors, and of their sizes; empty: no TCL


@jit
def play_and_learn(
    tables: Tables, board: Board, accumulator: Accumulator, memory: Memory, record: Record,
    opponent: PlayerArrays, learner: Stream, opponent_stream: Stream, settings: Settings,
    games: int, counts: Int64s,
) -> None:  # fmt: skip
    """Play `games` games; change the weights after each and count how they end."""
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
    """Return a sum of weights as a value; a won game has the value of one."""
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
    """Return the cell that the learner plays, the best or at random; its value is recorded."""
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
    """Record the indices and the value of the position after a move."""
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
    """Move the values of a finished game's positions, the last first."""
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
    """Move the weights of one position."""
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
