"""Runs of a tabular learner side by side on a GPU, one thread for each.

The tables of all runs lie interleaved, [places, runs], so that neighbouring threads read words
that lie side by side. The loop is the learner's own, on a slice of that array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import cuda, float64, int64, uint32, uint64

from inarow.cuda.kernels import (
    SIMULATED,
    Array,
    Flags,
    Kernel,
    Queue,
    block_size,
    empty,
    kernel,
    send,
    to_device,
    to_host,
)
from inarow.engine.board import MAX_MASK_CELLS, Int64s
from inarow.engine.jit import jit
from inarow.engine.rules import RuleList
from inarow.engine.streams import Stream
from inarow.graph.policies import STATE_MASK, STATE_SHIFT, draw_target
from inarow.learn.tabular.table import TabularAgent, TabularLearner, TabularTraining
from inarow.learn.tabular.transitions import (
    TableRun,
    TransitionTable,
    Values,
    draw_best,
    draw_variant,
    first_best,
    moves_at,
    transitions_of,
    value_of_move,
)

# Of copies between rows and columns: blocks and their threads, and the rows copied at a time.
BLOCKS, THREADS, CHUNK = (1, 4, 256) if SIMULATED else (1024, 64, 256)
LONGEST = MAX_MASK_CELLS + 1  # the positions of a game
WORDS, COUNTS = 4, 5  # of a stream, and of `learn.learner`'s counts


class TableRuns(NamedTuple):
    """The arrays of many runs: as in `TableRun`, with the runs behind all other dimensions."""

    values: Values
    learner: Stream
    trainer: Stream
    counts: Int64s
    games: Int64s  # [runs] to play now


@cache
def training_kernel(play: Callable[..., None]) -> Kernel:
    """Return a learner's compiled loop, a thread for each run."""

    def spread(table: TransitionTable, settings: Any, runs: TableRuns) -> None:
        number = cuda.grid(1)
        if number < len(runs.games):
            learner = cuda.local.array(WORDS, uint64)
            trainer = cuda.local.array(WORDS, uint64)
            counts = cuda.local.array(COUNTS, int64)
            path = cuda.local.array(LONGEST, uint32)
            choices = cuda.local.array(LONGEST, float64)
            for i in range(WORDS):
                learner[i], trainer[i] = runs.learner[i, number], runs.trainer[i, number]
            for i in range(COUNTS):
                counts[i] = runs.counts[i, number]
            own = TableRun(runs.values[..., number], learner, trainer, counts, path, choices, None)
            play(table, own, settings, runs.games[number])
            for i in range(WORDS):
                runs.learner[i, number], runs.trainer[i, number] = learner[i], trainer[i]
            for i in range(COUNTS):
                runs.counts[i, number] = counts[i]

    return kernel(spread, rounded=True)


def spread_rows(arrays: tuple[Array, Array, Int64s], columnwise: bool) -> None:
    """Copy rows, a run's each, to columns of these numbers, or back."""
    rows, columns, numbers = arrays
    for place in range(cuda.grid(1), rows.shape[1], cuda.gridsize(1)):
        for row in range(rows.shape[0]):
            if columnwise:
                columns[place, numbers[row]] = rows[row, place]
            else:
                rows[row, place] = columns[place, numbers[row]]


interleave = kernel(spread_rows)


def fill(arrays: tuple[Array], value: float) -> None:
    """Write a value everywhere."""
    columns = arrays[0]
    for place in range(cuda.grid(1), columns.shape[0], cuda.gridsize(1)):
        for column in range(columns.shape[1]):
            columns[place, column] = value


fill_columns = kernel(fill)


def is_filled(row: Array, value: np.float64) -> bool:
    """Return whether a value is everywhere, bit for bit."""
    return bool((row.view(np.uint64) == value.view(np.uint64)).all())


def to_columns(rows: Sequence[Array], stream: Queue) -> Any:
    """Return arrays as the columns of one on the GPU: made there, which is many times quicker.

    New tables have one value everywhere: of these nothing is sent.
    """
    columns, value = empty((rows[0].size, len(rows)), rows[0].dtype, stream), rows[0].flat[0]
    if value.dtype == np.float64 and all(is_filled(row, value) for row in rows):
        fill_columns[BLOCKS, THREADS, stream]((columns,), float(value))
        return columns
    for start in range(0, len(rows), CHUNK):
        some = np.stack([row.ravel() for row in rows[start : start + CHUNK]])
        numbers = np.arange(start, start + len(some))
        sent, places = to_device((some, numbers), stream)
        interleave[BLOCKS, THREADS, stream]((sent, columns, places), True)
    return columns


def from_columns(
    columns: Any, rows: Sequence[Array], numbers: Sequence[int], stream: Queue
) -> None:
    """Write the columns of these numbers into arrays here."""
    for start in range(0, len(rows), CHUNK):
        some, wanted = rows[start : start + CHUNK], numbers[start : start + CHUNK]
        sent = empty((len(some), some[0].size), some[0].dtype, stream)
        places = to_device(np.array(wanted, dtype=np.int64), stream)
        interleave[BLOCKS, THREADS, stream]((sent, columns, places), False)
        for row, given in zip(some, to_host(sent, stream), strict=True):
            row[...] = given.reshape(row.shape)


class TabularRuns:
    """Runs of one learner, game and opponent, with their arrays on the GPU."""

    def __init__(self, trainings: Sequence[TabularTraining], stream: Queue) -> None:
        first = trainings[0]
        assert isinstance(first.learner, TabularLearner)
        self.trainings, self.name = trainings, first.learner.array
        self.train, self.stream = training_kernel(first.loop), stream
        self.fixed = to_device((first.transitions, first.settings), stream)
        trainer = "trainer" if "trainer" in first.arrays else "learner"
        names = (self.name, "learner", trainer, "counts")
        columns = [to_columns([run.arrays[name] for run in trainings], stream) for name in names]
        # A learner without a trainer does not draw from the second of its streams.
        self.columns = dict(zip(names[::-1], columns[::-1], strict=True))
        values = columns[0].reshape((*first.arrays[self.name].shape, len(trainings)))
        games = to_device(np.zeros(len(trainings), dtype=np.int64), stream)
        learner, other, counts = columns[1:]
        self.arrays = TableRuns(values, learner, other, counts, games)

    def launch(self, games: Int64s, beside: int) -> None:
        """Let each run play so many more games, one of so many runs on the GPU."""
        send(self.arrays.games, games, self.stream)
        threads = block_size(max(beside, len(self.trainings)))
        blocks = -(-len(self.trainings) // threads)
        self.train[blocks, threads, self.stream](*self.fixed, self.arrays)

    def collect(self) -> tuple[Int64s, Flags]:
        """Wait until they are played; return [runs, 5] all counts, and which have diverged."""
        counts = to_host(self.arrays.counts, self.stream).T
        return counts, np.zeros(len(self.trainings), dtype=bool)

    def download(self, some: Sequence[int]) -> None:
        """Copy what some of the runs learned and counted into their arrays."""
        for name, columns in self.columns.items():
            rows = [self.trainings[number].arrays[name] for number in some]
            from_columns(columns, rows, some, self.stream)


# Games of agents that have learned


class Contests(NamedTuple):
    """Games of many agents, each on its own against one opponent."""

    values: Values  # [edges, agents] of each agent's moves
    agent: Stream  # [4, agents]
    opponent: Stream  # [4, agents]
    counts: Int64s  # [4, agents] of games by how they ended


def spread_games(
    table: TransitionTable, contests: Contests, side: int, first: bool, games: int
) -> None:
    """A thread for each agent."""
    number = cuda.grid(1)
    if number < contests.values.shape[1]:
        agent = cuda.local.array(WORDS, uint64)
        opponent = cuda.local.array(WORDS, uint64)
        for i in range(WORDS):
            agent[i], opponent[i] = contests.agent[i, number], contests.opponent[i, number]
        _play_games(
            table,
            contests.values[:, number],
            agent,
            opponent,
            side,
            first,
            games,
            contests.counts[:, number],
        )


@jit
def _play_games(
    table: TransitionTable,
    values: Values,
    agent: Stream,
    opponent: Stream,
    side: int,
    first: bool,
    games: int,
    counts: Int64s,
) -> None:
    """Play games by an agent's values of moves, on the streams of `graph.policies`."""
    for _ in range(games):
        replies = table.replies[draw_variant(table, opponent)]
        target, own_turn = np.uint32(0), side == 0
        while target & STATE_MASK == 0:
            position = target >> STATE_SHIFT
            if not own_turn:
                target = draw_target(table.targets, replies[position], opponent)
            elif first:
                edge = first_best(value_of_move, table, values, moves_at(table, position), 1.0)
                target = table.targets[edge]
            else:
                edge = draw_best(
                    value_of_move, table, values, moves_at(table, position), 1.0, agent
                )
                target = table.targets[edge]
            own_turn = not own_turn
        counts[target & STATE_MASK] += 1


games_kernel = kernel(spread_games, rounded=True)


class TableGames:
    """Games of agents of one graph against a rule player, each pair of streams the agent's own.

    The streams are the first player's and the second's.
    """

    def __init__(
        self,
        agents: Sequence[TabularAgent],
        rules: RuleList,
        games: int,
        side: int,
        streams: Sequence[tuple[Stream, Stream]],
        stream: Queue,
    ) -> None:
        self.given, self.stream = (side, agents[0].first, games), stream
        self.table = to_device(transitions_of(agents[0].graph, rules, moves=True), stream)
        pairs, counts = np.array(streams, np.uint64), np.zeros((4, len(agents)), dtype=np.int64)
        values = to_columns([agent.move_values for agent in agents], stream)
        rest = to_device((pairs[:, side].T, pairs[:, 1 - side].T, counts), stream)
        self.contests = Contests(values, *rest)

    def launch(self) -> None:
        """Play the games, beside whatever else was launched."""
        agents = self.contests.values.shape[1]
        threads = block_size(agents)
        blocks = -(-agents // threads)
        games_kernel[blocks, threads, self.stream](self.table, self.contests, *self.given)

    def counts(self) -> Int64s:
        """Wait until they are played; return [agents, 3] won, drawn and lost by each."""
        ends = to_host(self.contests.counts, self.stream).T
        return ends[:, [1, 3, 2] if self.given[0] == 0 else [2, 3, 1]]
