"""Interleaved Q-learning of a game against itself, on a game graph (max-min paper, Algorithm 1).

The first player keeps a table of moves whose highest value it takes, the second one whose lowest
it takes. Once both have moved, the older of the two open moves is backed up from the position
that its owner then stands before; the last two moves of a game from how it ended.

A position has one side to move, so the two tables have no move in common: here they are one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from inarow.engine.board import DRAWN, FIRST_WON
from inarow.engine.jit import inline, jit
from inarow.engine.streams import LEARNER, Stream, make_stream
from inarow.engine.tables import Int64s
from inarow.game import Game, InputError
from inarow.graph.draws import STATE, STATE_BITS
from inarow.graph.graph import graph_of
from inarow.learn.arrays import Layout, random_stream, real
from inarow.learn.learner import DRAWS, LAST_LOSS, LOSSES, WINS, Training, choice
from inarow.learn.schedule import Numbers, schedule, value_at
from inarow.learn.tabular.agent import TabularAgent
from inarow.learn.tabular.learner import TableLearner
from inarow.learn.tabular.transitions import (
    TIES,
    Values,
    Walk,
    best_value,
    epsilon_greedy,
    moves_at,
    settled,
    slots_of,
    value_of_move,
    walk_of,
)


@dataclass(frozen=True)
class Q(TableLearner):
    """Parameters; the paper leaves the numbers open."""

    alpha: str = "0.1"  # step size: a number or a schedule
    epsilon: str = "0.3"  # share of random moves: a number or a schedule
    gamma: float = 1.0  # discount
    start: float = 0.0  # values before the first game
    skip_exploratory: bool = False  # whether nothing is backed up through a random reply
    minimax: bool = False  # one-ply minimax-Q: a move is backed up from the best reply to it
    literal_remark: bool = False  # as printed: the second player acts on the first one's table
    ties: str = "random"  # among moves of equal value: any, or the first
    symmetric: bool = False  # whether moves that are images of each other share a value

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """A table of moves, and a random stream."""
        _, moves = self.table_sizes(game, most)
        return {"values": real((moves,)), "learner": random_stream()}

    def begin(self, game: Game, opponent: Any, seed: int) -> QTraining:
        """A run from nothing."""
        if opponent is not None:
            raise InputError("q plays against itself: it takes no opponent")
        if self.minimax and self.skip_exploratory:
            raise InputError("minimax backs up no replies, so it has none to skip")
        return QTraining(self, game, seed)


@inline
def q_update(value: float, next_value: float, alpha: float, gamma: float) -> float:
    """The value of a move, moved towards the best one at the position that comes of it."""
    return value + alpha * (gamma * next_value - value)


class Settings(NamedTuple):
    """The parameters for the compiled loop."""

    alpha: Numbers
    epsilon: Numbers
    gamma: float
    skip_exploratory: bool
    minimax: bool
    signs: Numbers  # [2] what a side multiplies values by to look for the highest
    first_of_ties: bool


class QTraining(Training):
    """A run of the game against itself."""

    def __init__(self, q: Q, game: Game, seed: int) -> None:
        super().__init__(q, game, seed)
        graph = graph_of(game)
        self.q, self.walk = q, walk_of(graph, None, q.symmetric, True)
        self.settings = Settings(
            schedule(q.alpha).numbers(),
            schedule(q.epsilon).numbers(),
            q.gamma,
            q.skip_exploratory,
            q.minimax,
            # The first player's table is never written where the second is to move: all moves
            # are equal there.
            np.array([1.0, 0.0 if q.literal_remark else -1.0]),
            choice("ties", q.ties, TIES) == 1,
        )
        values = np.full(self.layout["values"].shape, q.start)
        self.begin_with({"values": values, "learner": make_stream(seed, LEARNER)})

    def play(self, games: int) -> None:
        """Plays so many more games and learns from them."""
        play_and_learn(
            self.walk, self.arrays["values"], self.arrays["learner"], self.settings, games,
            self.counts,
        )  # fmt: skip

    def agent(self) -> TabularAgent:
        """Takes a move of the highest value as first player, of the lowest as second."""
        graph = graph_of(self.game)
        mover = np.repeat(graph.to_move, np.diff(graph.edge_start))
        _, slots = slots_of(graph, self.q.symmetric)
        opinion = self.arrays["values"][slots]
        return TabularAgent(
            "q", graph, self.settings.signs[mover] * opinion, self.q.ties == "first"
        )


@jit
def play_and_learn(
    walk: Walk, values: Values, stream: Stream, settings: Settings, games: int, counts: Int64s
) -> None:
    """Plays `games` games, updating `values` in place and counting how they end."""
    for number in range(counts[0], counts[0] + games):
        alpha, epsilon = value_at(settings.alpha, number), value_at(settings.epsilon, number)
        older, newer, explored = np.uint32(0), np.uint32(0), False  # the open moves
        position, state, ply = np.uint32(0), np.uint32(0), 0
        while state == 0:
            choices = moves_at(walk, position)
            backed = newer if settings.minimax else older
            skipped = explored and settings.skip_exploratory
            if ply >= (1 if settings.minimax else 2) and not skipped:
                sign = 1.0 - 2.0 * (ply & 1)
                best = sign * best_value(value_of_move, walk, values, choices, sign)
                values[backed] = settled(q_update(values[backed], best, alpha, settings.gamma))
            edge, explored = epsilon_greedy(
                value_of_move, walk, values, choices, settings.signs[ply & 1], epsilon,
                settings.first_of_ties, stream,
            )  # fmt: skip
            older, newer = newer, walk.edge_slot[edge]
            position, state = walk.targets[edge] >> STATE_BITS, walk.targets[edge] & STATE
            ply += 1
        won = state == FIRST_WON
        reward = 0.0 if state == DRAWN else (1.0 if won else -1.0)
        skipped = (explored and settings.skip_exploratory) or settings.minimax
        if ply >= 2 and not skipped:
            values[older] = settled(q_update(values[older], reward, alpha, 1.0))
        values[newer] = settled(q_update(values[newer], reward, alpha, 1.0))
        counts[0] += 1
        counts[WINS if won else (DRAWS if state == DRAWN else LOSSES)] += 1
        if not won and state != DRAWN:
            counts[LAST_LOSS] = number + 1
