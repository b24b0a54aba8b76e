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
from typing import ClassVar

import numpy as np

from inarow.engine.jit import jit
from inarow.engine.streams import LEARNER, make_stream
from inarow.game import Game
from inarow.learn.arrays import MAX_BYTES, MAX_GAMES, Arrays, Layout, random_stream, real
from inarow.learn.learner import Learner, Opponent, Suits
from inarow.learn.ntuple.accumulator import Weights, new_accumulator
from inarow.learn.ntuple.agent import NTupleAgent
from inarow.learn.ntuple.loop import Memory, Settings, new_record, play_and_learn
from inarow.learn.ntuple.tuples import (
    Features,
    check_number,
    count_weights,
    draw_tuples,
    find_features,
    parse_tuples,
)
from inarow.learn.options import between, one_of, option, schedule_between
from inarow.learn.schedule import schedule
from inarow.learn.training import BoardTraining, side_option

MAX_DEPTH = 64  # moves that a search looks ahead
MANY = 10**6

# Bytes that a tuple and an image of one of its cells take while features are found: measured.
TUPLE, ENTRY = 1000, 120


class NTuple(Learner):
    """N-tuple networks that learn by TD (Connect Four paper; Thill 2012)."""

    name = "ntuple"
    suits: ClassVar[Suits] = {"connect4:6x7": {}, "cube": {"tuples": 60, "length": 7}}

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
        """The weights, what is kept beside them, and the random streams of both players."""
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
        """A run from nothing, against itself where no opponent is given."""
        return NTupleTraining(self, game, opponent, seed)

    def agent(self, game: Game, seed: int, arrays: Arrays) -> NTupleAgent:
        """Plays with the weights so far, averaged if asked for."""
        (weights,) = (array for name, array in arrays.items() if name != "counts")
        squash = self.output == "tanh"
        return NTupleAgent(
            game, features_of(self, game, seed), weights, self.shield, squash, self.depth
        )

    def extra_bytes(self, game: Game) -> int:
        """Of the features, and of the record of a game: the indices of all of them after a move."""
        number, cells = self.tuples, self.tuples * self.length
        if self.cells:
            given = parse_tuples(game, self.cells)
            number, cells = len(given), sum(map(len, given))
        images = game.symmetry_group.listed if self.symmetric else 1
        recorded = (game.cells + 1) * np.dtype(np.uint32).itemsize
        return number * TUPLE + images * (cells * ENTRY + number * recorded)

    def arrays_to_play(self, games: int) -> tuple[str, ...]:
        """Averaged weights if asked for, and if there are any yet."""
        averaged = self.average and games >= self.average_every
        return "counts", "averages" if averaged else "weights"


def tuples_of(
    ntuple: NTuple, game: Game, seed: int, most: int | None = None
) -> tuple[list[list[int]], int]:
    """The tuples of a network, given or drawn, and how many weights a table of them has.

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
    """The features of a network's tuples."""
    tuples, _ = tuples_of(ntuple, game, seed)
    symmetries = game.symmetries if ntuple.symmetric else game.symmetries[:1]
    return find_features(game, tuples, ntuple.states, symmetries)[0]


class NTupleTraining(BoardTraining):
    """A run, against itself or an opponent."""

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
        """Plays so many more games and learns from them."""
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
    """The share of the newest of `number` weights in their average (Shamir and Zhang 2013).

    A power of their age counts: with 0 all count alike, with 3 the last quarter most.
    """
    return (average + 1) / (average + number)


@jit
def add_to_average(averages: Weights, weights: Weights, share: np.float32) -> None:
    """Moves the averages towards the weights."""
    for table in range(len(weights)):
        for i in range(weights.shape[1]):
            averages[table, i] += share * (weights[table, i] - averages[table, i])
