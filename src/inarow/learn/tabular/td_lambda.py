"""TD(lambda) of a game against itself, on a game graph (max-min paper, Algorithm 2).

One table of positions: the first player moves to the highest value, the second to the lowest.
After each move the values of all positions met so far follow the last difference, the older the
less (accumulating traces; as no position comes up twice in a game, each is a power of lambda).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.jit import jit
from inarow.graph.graph import Graph
from inarow.graph.policies import STATE_MASK, STATE_SHIFT, Indices
from inarow.learn.learner import GAMES, ITSELF, SELF_PLAY, Opponent, count_game, value_of_end
from inarow.learn.options import Numbers, between, option, schedule, schedule_between, value_at
from inarow.learn.tabular.table import Loop, MoveValues, TabularLearner, movers
from inarow.learn.tabular.transitions import (
    TableRun,
    TransitionTable,
    epsilon_greedy,
    moves_at,
    state_slot,
    symmetric_option,
    ties_option,
    value_after,
)
from inarow.learn.tabular.update_rules import accumulate_traces, td_error


class TDLambda(TabularLearner):
    """TD(lambda) against itself (max-min paper, which leaves the numbers open)."""

    name = "td_lambda"
    opponents = (ITSELF,)
    of_moves = False

    alpha: str = option("0.1", "step size", schedule_between(0, 1))
    epsilon: str = option("0.1", "share of random moves", schedule_between(0, 1))
    trace_decay: float = option(
        0.5, "lambda: the factor by which a trace decays with each move", between(0, 1)
    )
    gamma: float = option(1.0, "discount", between(0, 1))
    initial_value: float = option(0.0, "initial values")
    cut: bool = option(
        False, "whether a random move resets all traces, and nothing is learned from it"
    )
    ties: str = ties_option()
    symmetric: bool = symmetric_option(False)

    def settings(self, opponent: Opponent) -> Settings:  # noqa: ARG002
        """Return the parameters that the compiled loop reads."""
        return Settings(
            schedule(self.alpha).numbers(),
            schedule(self.epsilon).numbers(),
            self.gamma,
            self.trace_decay * self.gamma,
            self.cut,
            self.ties == "first",
        )

    def loop(self) -> Loop:
        """Return the compiled loop that plays and learns."""
        return play_and_learn

    def move_values(self, graph: Graph, table: MoveValues, slots: Indices) -> MoveValues:
        """Return values of moves: the first player takes the highest, the second the lowest."""
        return (1.0 - 2.0 * movers(graph)) * table[slots[graph.child]]


class Settings(NamedTuple):
    """The parameters that the compiled loop reads."""

    alpha: Numbers
    epsilon: Numbers
    gamma: float
    trace_factor: float
    cut: bool
    first_of_ties: bool


@jit
def play_and_learn(table: TransitionTable, run: TableRun, settings: Settings, games: int) -> None:
    """Play `games` games; update the values in place and count how they end."""
    values, path, counts = run.values, run.path, run.counts
    for number in range(counts[GAMES], counts[GAMES] + games):
        alpha, epsilon = value_at(settings.alpha, number), value_at(settings.epsilon, number)
        path[0] = state_slot(table, np.uint32(0))
        position, state, ply, oldest = np.uint32(0), np.uint32(0), 0, 0
        reward = 0.0
        while state == 0:
            edge, explored = epsilon_greedy(
                value_after,
                table,
                values,
                moves_at(table, position),
                1.0 - 2.0 * (ply & 1),
                epsilon,
                settings.first_of_ties,
                run.learner,
            )
            position, state = table.targets[edge] >> STATE_SHIFT, table.targets[edge] & STATE_MASK
            ply += 1
            path[ply] = state_slot(table, position)
            if state == 0:
                error = td_error(values[path[ply - 1]], values[path[ply]], settings.gamma)
            else:
                reward = value_of_end(state)
                error = td_error(values[path[ply - 1]], reward, 1.0)
            if explored and settings.cut:
                oldest = ply
            else:
                accumulate_traces(values, path, oldest, ply, alpha * error, settings.trace_factor)
        values[path[ply]] = reward
        count_game(counts, state, SELF_PLAY)
