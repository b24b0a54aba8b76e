"""TD(lambda) of a game against itself, on a game graph (max-min paper, Algorithm 2).

One table of positions: the first player moves to the highest value, the second to the lowest.
After each move the values of all positions met so far follow the last difference, the older the
less (accumulating traces; as no position comes up twice in a game, each is a power of lambda).
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
from inarow.graph.draws import STATE, STATE_BITS, Indices
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
    epsilon_greedy,
    moves_at,
    settled,
    slots_of,
    state_slot,
    value_after,
    walk_of,
)


@dataclass(frozen=True)
class TDLambda(TableLearner):
    """Parameters; the paper leaves the numbers open."""

    alpha: str = "0.1"  # step size: a number or a schedule
    epsilon: str = "0.1"  # share of random moves: a number or a schedule
    trace_decay: float = 0.5  # lambda: what is left of a trace after each move
    gamma: float = 1.0  # discount
    start: float = 0.0  # values before the first game
    cut: bool = False  # whether a random move ends all traces, and teaches nothing
    ties: str = "random"  # among moves of equal value: any, or the first
    symmetric: bool = False  # whether positions that are images of each other share a value

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """A table of positions, and a random stream."""
        positions, _ = self.table_sizes(game, most)
        return {"values": real((positions,)), "learner": random_stream()}

    def begin(self, game: Game, opponent: Any, seed: int) -> TDLambdaTraining:
        """A run from nothing."""
        if opponent is not None:
            raise InputError("td_lambda plays against itself: it takes no opponent")
        return TDLambdaTraining(self, game, seed)


@inline
def td_error(value: float, next_value: float, gamma: float) -> float:
    """By how much the next value differs from what was expected."""
    return gamma * next_value - value


@inline
def follow(
    values: Values, path: Indices, oldest: int, ply: int, step: float, trace_factor: float
) -> None:
    """Moves the values of the positions met since `oldest` by the step times their trace."""
    trace = 1.0
    for place in range(ply - 1, oldest - 1, -1):
        values[path[place]] = settled(values[path[place]] + step * trace)
        trace *= trace_factor


class Settings(NamedTuple):
    """The parameters for the compiled loop."""

    alpha: Numbers
    epsilon: Numbers
    gamma: float
    trace_factor: float
    cut: bool
    first_of_ties: bool


class TDLambdaTraining(Training):
    """A run of the game against itself."""

    def __init__(self, td: TDLambda, game: Game, seed: int) -> None:
        super().__init__(td, game, seed)
        graph = graph_of(game)
        self.td, self.walk = td, walk_of(graph, None, td.symmetric)
        self.settings = Settings(
            schedule(td.alpha).numbers(),
            schedule(td.epsilon).numbers(),
            td.gamma,
            td.trace_decay * td.gamma,
            td.cut,
            choice("ties", td.ties, TIES) == 1,
        )
        self.path = np.zeros(game.cells + 1, dtype=np.uint32)
        values = np.full(self.layout["values"].shape, td.start)
        self.begin_with({"values": values, "learner": make_stream(seed, LEARNER)})

    def play(self, games: int) -> None:
        """Plays so many more games and learns from them."""
        play_and_learn(
            self.walk, self.arrays["values"], self.arrays["learner"], self.settings, self.path,
            games, self.counts,
        )  # fmt: skip

    def agent(self) -> TabularAgent:
        """Moves to the highest value as first player, to the lowest as second."""
        graph = graph_of(self.game)
        mover = np.repeat(graph.to_move, np.diff(graph.edge_start))
        slots, _ = slots_of(graph, self.td.symmetric)
        opinion = (1.0 - 2.0 * mover) * self.arrays["values"][slots[graph.child]]
        return TabularAgent("td_lambda", graph, opinion, self.td.ties == "first")


@jit
def play_and_learn(
    walk: Walk,
    values: Values,
    stream: Stream,
    settings: Settings,
    path: Indices,
    games: int,
    counts: Int64s,
) -> None:
    """Plays `games` games, updating `values` in place and counting how they end."""
    for number in range(counts[0], counts[0] + games):
        alpha, epsilon = value_at(settings.alpha, number), value_at(settings.epsilon, number)
        path[0] = state_slot(walk, np.uint32(0))
        position, state, ply, oldest = np.uint32(0), np.uint32(0), 0, 0
        reward = 0.0
        while state == 0:
            edge, explored = epsilon_greedy(
                value_after, walk, values, moves_at(walk, position), 1.0 - 2.0 * (ply & 1), epsilon,
                settings.first_of_ties, stream,
            )  # fmt: skip
            position, state = walk.targets[edge] >> STATE_BITS, walk.targets[edge] & STATE
            ply += 1
            path[ply] = state_slot(walk, position)
            if state == 0:
                error = td_error(values[path[ply - 1]], values[path[ply]], settings.gamma)
            else:
                reward = 0.0 if state == DRAWN else (1.0 if state == FIRST_WON else -1.0)
                error = td_error(values[path[ply - 1]], reward, 1.0)
            if explored and settings.cut:
                oldest = ply
            else:
                follow(values, path, oldest, ply, alpha * error, settings.trace_factor)
        values[path[ply]] = reward
        counts[0] += 1
        counts[WINS if reward > 0 else (DRAWS if state == DRAWN else LOSSES)] += 1
        if reward < 0:
            counts[LAST_LOSS] = number + 1
