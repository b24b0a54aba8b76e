"""The Connect Four paper's TDL training, literally: two agents learn from each other's games.

Abegg and Buhite, section III-B and IV-D. Each agent has an n-tuple network of its own. The first
agent always moves first. After every 20,000 games 100 more are played without learning, and
training ends when the first agent's score is at least 80 and not above the two before it.
`pair_work` runs it.

What the paper leaves open (step sizes, exploration, how 100 games between the same two agents come
to differ) is chosen here and said on the page: in evaluations both explore as in training. As the
paper's future work asks, a referee may take the place of the other agent in evaluations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inarow.engine.board import PLY, STATE, Board, clear, new_board, place
from inarow.engine.jit import jit
from inarow.engine.streams import EVALUATION, LEARNER, Stream, make_stream
from inarow.engine.tables import Int64s, Tables, tables_of
from inarow.game import game as game_of
from inarow.learn.arrays import Arrays, Layout, check_arrays, game_counts, random_stream
from inarow.learn.learner import DRAWS, GAMES, WINS, check_counts
from inarow.learn.ntuple import NTuple
from inarow.learn.ntuple_eye import Eye, see_start, see_stone
from inarow.learn.ntuple_loop import Memory, Record, Settings, count, keep, learn, move
from inarow.learn.schedule import falling, value_at
from inarow.papers.connect_four.referee import referee_score

FALL = 1_000_000  # games in which step size and exploration come to their ends
ALPHA, EPSILON = (0.28, 0.028), (0.1, 0.02)
# The paper's network: 70 * 4^8 weights are one table, without images of tuples. Plain TD(0).
NETWORK = NTuple(
    tuples=70,
    symmetric=False,
    by_side=False,
    alpha=str(falling(*ALPHA, FALL)),
    epsilon=str(falling(*EPSILON, FALL)),
    explored="cut",
    trace=0.0,
    gamma=1.0,
    shield=False,
    average=0.0,
)


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

    def evaluate(self, games: int, referee: str | None = None) -> float:
        """The score of the first agent in games that nobody learns from: win 1, draw 1/2.

        Against the other agent, or against a referee.
        """
        if referee is not None:
            source = np.random.SeedSequence(self.seed, spawn_key=(EVALUATION, self.games))
            seed = int(source.generate_state(1, np.uint64)[0])
            return referee_score(referee, self.agent(), games, seed)
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
            self.tables, self.board, one.eye, two.eye, one.memory, two.memory, one.record,
            two.record, streams[0], streams[1], settings, games, counts,
        )  # fmt: skip

    def agent(self) -> Any:
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
    eye: Eye,
    other_eye: Eye,
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
    for number in range(counts[0], counts[0] + games):
        epsilon = value_at(settings.epsilon, number)
        clear(tables, board)
        see_start(eye)
        see_start(other_eye)
        while board.counters[STATE] == 0:
            ply = board.counters[PLY]
            record.targets[ply] = other_record.targets[ply] = np.nan
            record.values[ply + 1] = other_record.values[ply + 1] = np.nan
            if ply & 1 == 0:
                cell: Any = move(
                    tables, board, eye, memory.weights, record, settings, epsilon, stream
                )
            else:
                cell = move(
                    tables, board, other_eye, other_memory.weights, other_record, settings,
                    epsilon, other_stream,
                )  # fmt: skip
            place(tables, board, cell)
            see_stone(eye, cell, ply & 1)
            see_stone(other_eye, cell, ply & 1)
            keep(eye, memory.weights, record, ply + 1, settings)
            keep(other_eye, other_memory.weights, other_record, ply + 1, settings)
        alpha = value_at(settings.alpha, number)
        if alpha > 0:
            learn(board, eye, memory, record, alpha, settings)
            learn(board, other_eye, other_memory, other_record, alpha, settings)
        count(board, 0, number, counts)


def is_done(scores: Sequence[float], target: float) -> bool:
    """The paper's rule: the last score is at least the target, and not above the two before it."""
    return len(scores) > 2 and scores[-1] >= target and scores[-1] <= min(scores[-3:-1])
