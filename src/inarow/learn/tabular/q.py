"""Interleaved Q-learning of a game against itself, on a game graph (max-min paper, Algorithm 1).

The first player keeps a table of moves whose highest value it takes, the second one whose lowest
it takes. Once both have moved, the older of the two open moves is backed up from the position
that its owner then stands before; the last two moves of a game from how it ended.

A position has one side to move, so the two tables have no move in common: here they are one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.jit import jit
from inarow.game import Game, InputError
from inarow.graph.graph import Graph
from inarow.graph.policies import STATE_MASK, STATE_SHIFT, Indices
from inarow.learn.learner import GAMES, ITSELF, SELF_PLAY, Opponent, count_game, value_of_end
from inarow.learn.options import Numbers, between, option, schedule, schedule_between, value_at
from inarow.learn.tabular.table import Loop, MoveValues, TabularLearner, movers
from inarow.learn.tabular.transitions import (
    TableRun,
    TransitionTable,
    best_value,
    epsilon_greedy,
    moves_at,
    symmetric_option,
    ties_option,
    value_of_move,
)
from inarow.learn.tabular.update_rules import flush_denormals, td_update


class Q(TabularLearner):
    """Interleaved Q-learning against itself (max-min paper, which leaves the numbers open)."""

    name = "q"
    opponents = (ITSELF,)
    of_moves = True

    alpha: str = option("0.1", "step size", schedule_between(0, 1))
    epsilon: str = option("0.3", "share of random moves", schedule_between(0, 1))
    gamma: float = option(1.0, "discount", between(0, 1))
    initial_value: float = option(0.0, "initial values")
    skip_exploratory: bool = option(False, "whether nothing is backed up through a random reply")
    minimax: bool = option(
        False, "one-ply minimax-Q: whether a move is backed up from the best reply to it"
    )
    literal_remark: bool = option(
        False, "as printed: whether the second player acts on the first one's table"
    )
    ties: str = ties_option()
    symmetric: bool = symmetric_option(False)

    def check(self, game: Game, against: bool) -> None:
        """Raise InputError for minimax with skipped replies: it has none to skip."""
        super().check(game, against)
        if self.minimax and self.skip_exploratory:
            raise InputError("minimax backs up no replies, so it has none to skip")

    @property
    def signs(self) -> Numbers:
        """Return [2] what a side multiplies values by to look for the highest.

        As printed, the first player's table is never written where the second is to move: all
        moves are equal there.
        """
        return np.array([1.0, 0.0 if self.literal_remark else -1.0])

    def settings(self, opponent: Opponent) -> Settings:  # noqa: ARG002
        """Return the parameters that the compiled loop reads."""
        return Settings(
            schedule(self.alpha).numbers(),
            schedule(self.epsilon).numbers(),
            self.gamma,
            self.skip_exploratory,
            self.minimax,
            self.signs,
            self.ties == "first",
        )

    def loop(self) -> Loop:
        """Return the compiled loop that plays and learns."""
        return play_and_learn

    def move_values(self, graph: Graph, table: MoveValues, slots: Indices) -> MoveValues:
        """Return values of moves: the first player takes the highest, the second the lowest."""
        return self.signs[movers(graph)] * table[slots]


class Settings(NamedTuple):
    """The parameters that the compiled loop reads."""

    alpha: Numbers
    epsilon: Numbers
    gamma: float
    skip_exploratory: bool
    minimax: bool
    signs: Numbers  # [2] what a side multiplies values by to look for the highest
    first_of_ties: bool


@jit
def play_and_learn(table: TransitionTable, run: TableRun, settings: Settings, games: int) -> None:
    """Play `games` games; update the values in place and count how they end."""
    values, counts = run.values, run.counts
    for number in range(counts[GAMES], counts[GAMES] + games):
        alpha, epsilon = value_at(settings.alpha, number), value_at(settings.epsilon, number)
        older, newer, explored = np.uint32(0), np.uint32(0), False  # the open moves
        position, state, ply = np.uint32(0), np.uint32(0), 0
        while state == 0:
            choices = moves_at(table, position)
            backed = newer if settings.minimax else older
            skipped = explored and settings.skip_exploratory
            if ply >= (1 if settings.minimax else 2) and not skipped:
                sign = 1.0 - 2.0 * (ply & 1)
                best = sign * best_value(value_of_move, table, values, choices, sign)
                values[backed] = flush_denormals(
                    td_update(values[backed], best, alpha, settings.gamma)
                )
            edge, explored = epsilon_greedy(
                value_of_move,
                table,
                values,
                choices,
                settings.signs[ply & 1],
                epsilon,
                settings.first_of_ties,
                run.learner,
            )
            older, newer = newer, table.edge_slot[edge]
            position, state = table.targets[edge] >> STATE_SHIFT, table.targets[edge] & STATE_MASK
            ply += 1
        reward = value_of_end(state)
        skipped = (explored and settings.skip_exploratory) or settings.minimax
        if ply >= 2 and not skipped:
            values[older] = flush_denormals(td_update(values[older], reward, alpha, 1.0))
        values[newer] = flush_denormals(td_update(values[newer], reward, alpha, 1.0))
        count_game(counts, state, SELF_PLAY)
