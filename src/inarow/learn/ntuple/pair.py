"""Two agents, each with an n-tuple network of its own, that learn from each other's games.

The TDL training of the Connect Four paper (Abegg and Buhite, section III-B and IV-D). The first
agent always moves first. Evaluations are games without learning; the paper does not say how games
between the same two agents come to differ, and here both explore in them as in training.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inarow.engine.board import PLY, STATE, Board, clear, new_board, place
from inarow.engine.jit import jit
from inarow.engine.streams import EVALUATION, LEARNER, Stream, make_stream
from inarow.engine.tables import Int64s, Tables, tables_of
from inarow.game import game as game_of
from inarow.learn.agent import LearnedAgent
from inarow.learn.arrays import Arrays, Layout, check_arrays, game_counts, random_stream
from inarow.learn.learner import check_counts
from inarow.learn.ntuple.accumulator import Accumulator, add_stone, clear_stones
from inarow.learn.ntuple.learner import NTuple
from inarow.learn.ntuple.loop import Memory, Record, Settings, keep, learn, move
from inarow.learn.schedule import value_at
from inarow.learn.training import DRAWS, GAMES, SELF_PLAY, WINS, count_game


class Pair:
    """Two agents that train each other."""

    def __init__(self, network: NTuple, game: str, seed: int) -> None:
        self.network, self.game, self.seed = network, game_of(game), seed
        self.tables = tables_of(self.game)
        self.board = new_board(self.tables)
        self.both = [network.begin(self.game, None, self.seed_of(one)) for one in range(2)]
        self.streams = [make_stream(seed, LEARNER, 2, one) for one in range(2)]
        self.evaluation = [make_stream(seed, EVALUATION, one) for one in range(2)]
        self.counts = np.zeros(5, dtype=np.int64)

    def seed_of(self, one: int) -> int:
        """What an agent's tuples are drawn with."""
        return 2 * self.seed + one

    @property
    def games(self) -> int:
        """Training games so far."""
        return int(self.counts[GAMES])

    def train(self, games: int) -> None:
        """Both learn from so many more games."""
        self._play(games, self.counts, self.both[0].settings, self.streams)

    def evaluate(self, games: int) -> float:
        """The score of the first agent in games that nobody learns from: win 1, draw 1/2."""
        settings = self.both[0].settings
        epsilon = value_at(settings.epsilon, self.games)
        still = settings._replace(
            alpha=np.array([0.0, 1.0, 1.0, 0.0]), epsilon=np.array([epsilon, 1.0, 1.0, 0.0])
        )
        counts = np.zeros(5, dtype=np.int64)
        self._play(games, counts, still, self.evaluation)
        return float(counts[WINS] + counts[DRAWS] / 2)

    def _play(
        self, games: int, counts: Int64s, settings: Settings, streams: Sequence[Stream]
    ) -> None:
        one, two = self.both
        play_both(
            self.tables,
            self.board,
            one.accumulator,
            two.accumulator,
            one.memory,
            two.memory,
            one.record,
            two.record,
            streams[0],
            streams[1],
            settings,
            games,
            counts,
        )

    def agent(self) -> LearnedAgent:
        """The first agent, as a player."""
        return self.both[0].agent()

    @property
    def arrays(self) -> Arrays:
        """All that changes."""
        found: Arrays = {"counts": self.counts}
        for one in range(2):
            found[f"weights {one}"] = self.both[one].arrays["weights"]
            found[f"stream {one}"], found[f"evaluation {one}"] = (
                self.streams[one],
                self.evaluation[one],
            )
        return found

    @property
    def layout(self) -> Layout:
        """What these arrays may hold."""
        found: Layout = {"counts": game_counts()}
        for one in range(2):
            found[f"weights {one}"] = self.both[one].layout["weights"]
            found[f"stream {one}"] = found[f"evaluation {one}"] = random_stream()
        return found

    def restore(self, arrays: Arrays) -> None:
        """Goes on from the arrays of another pair with the same network and seed."""
        check_arrays(self.layout, arrays, self.layout)
        check_counts(arrays["counts"])
        for name, array in self.arrays.items():
            array[...] = arrays[name]


@jit
def play_both(
    tables: Tables,
    board: Board,
    accumulator: Accumulator,
    other_accumulator: Accumulator,
    memory: Memory,
    other_memory: Memory,
    record: Record,
    other_record: Record,
    stream: Stream,
    other_stream: Stream,
    settings: Settings,
    games: int,
    counts: Int64s,
) -> None:
    """Plays games between two learners; both learn from every position of them."""
    for number in range(counts[GAMES], counts[GAMES] + games):
        epsilon = value_at(settings.epsilon, number)
        clear(tables, board)
        clear_stones(accumulator)
        clear_stones(other_accumulator)
        while board.counters[STATE] == 0:
            ply = board.counters[PLY]
            record.targets[ply] = other_record.targets[ply] = np.nan
            record.values[ply + 1] = other_record.values[ply + 1] = np.nan
            if ply & 1 == 0:
                cell = move(
                    tables, board, accumulator, memory.weights, record, settings, epsilon, stream
                )
            else:
                cell = move(
                    tables,
                    board,
                    other_accumulator,
                    other_memory.weights,
                    other_record,
                    settings,
                    epsilon,
                    other_stream,
                )
            place(tables, board, cell)
            add_stone(accumulator, cell, ply & 1)
            add_stone(other_accumulator, cell, ply & 1)
            keep(accumulator, memory.weights, record, ply + 1, settings)
            keep(other_accumulator, other_memory.weights, other_record, ply + 1, settings)
        alpha = value_at(settings.alpha, number)
        if alpha > 0:
            learn(board, accumulator, memory, record, alpha, settings)
            learn(board, other_accumulator, other_memory, other_record, alpha, settings)
        count_game(counts, board.counters[STATE], SELF_PLAY)
