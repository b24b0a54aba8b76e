"""Modified SARSA against a trainer, on a game graph (n-dimensional paper, Algorithm 1).

The learner plays epsilon-greedily. When a game is over its last move is given the reward for its
value, and then every earlier one, from the last back to the first, is moved towards the value of
the next. Positions that are images of each other are one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from inarow.engine.jit import inline, jit
from inarow.graph.graph import Graph
from inarow.graph.policies import STATE_MASK, STATE_SHIFT, Indices, draw_target
from inarow.learn.learner import (
    GAMES,
    OWN_SIDES,
    PLAYER,
    Opponent,
    count_game,
    end_of,
    side_in_game,
    side_option,
)
from inarow.learn.options import (
    Numbers,
    at_least,
    between,
    one_of,
    option,
    schedule,
    schedule_between,
    value_at,
)
from inarow.learn.tabular.table import Loop, MoveValues, TabularLearner
from inarow.learn.tabular.transitions import (
    TableRun,
    TransitionTable,
    Values,
    best_value,
    draw_variant,
    epsilon_greedy,
    moves_at,
    symmetric_option,
    ties_option,
    value_of_move,
)
from inarow.learn.tabular.update_rules import backward_sarsa, sarsa_update

SCHEDULED_GAMES = 10_000  # what the schedules are written for
UNPLANNED_GAMES = 20_000  # what they are stretched to in a run that is not said to have an end
BACKWARD, FORWARD, Q = range(3)
UPDATES = ("backward", "forward", "q")


class Sarsa(TabularLearner):
    """Modified SARSA against another player (n-dimensional paper, whose numbers are the defaults).

    Its schedules are written for 10,000 games, and stretched to those that it is trained for.
    """

    name = "sarsa"
    opponents = (PLAYER,)
    of_moves = True

    episodes: int = option(
        0,
        "alpha and epsilon fall over this many; 0: over the games that it is trained for",
        at_least(0),
        "games",
        planned=True,
    )
    alpha: str = option("0.45*0.9995", "step size, for 10,000 games", schedule_between(0, 1))
    epsilon: str = option("1*0.9997", "share of random moves, likewise", schedule_between(0, 1))
    gamma: float = option(0.7, "discount", between(0, 1))
    win_reward: float = option(11.0, "reward of a won game")
    loss_reward: float = option(0.0, "reward of a lost game")
    draw_reward_first: float = option(1.0, "reward of a drawn game for the first player")
    draw_reward_second: float = option(1.25, "reward of a drawn game for the second player")
    initial_value: float = option(0.5, "initial values")
    side: str = side_option("both")
    update: str = option(
        "backward",
        "from the game's end backwards, or move by move: sarsa (forward), or q",
        one_of(*UPDATES),
    )
    final: str = option(
        "hard",
        "the last move's value: set to the reward, or (soft) moved towards it",
        one_of("hard", "soft"),
    )
    ties: str = ties_option()
    symmetric: bool = symmetric_option(True)

    def settings(self, opponent: Opponent) -> Settings:  # noqa: ARG002
        """Return the parameters that the compiled loop reads."""
        draws = self.draw_reward_first, self.draw_reward_second
        episodes = self.episodes or UNPLANNED_GAMES
        return Settings(
            stretched(self.alpha, episodes),
            stretched(self.epsilon, episodes),
            self.gamma,
            np.array([[0.0, self.win_reward, draw, self.loss_reward] for draw in draws]),
            OWN_SIDES.index(self.side),
            UPDATES.index(self.update),
            self.final == "soft",
            self.ties == "first",
        )

    def loop(self) -> Loop:
        """Return the compiled loop that plays and learns."""
        return play_and_learn

    def move_values(self, graph: Graph, table: MoveValues, slots: Indices) -> MoveValues:  # noqa: ARG002
        """Return the values of moves, as the table has them."""
        return table[slots]


@inline
def learn_forwards(
    table: TransitionTable,
    values: Values,
    path: Indices,
    moves: int,
    reward: float,
    alpha: float,
    settings: Settings,
) -> None:
    """Update the learner's moves in order, the first one first: plain SARSA, or Q-learning.

    No move comes up twice in a game, and a value changes no choice in a later position. So what
    is learned when the game is over is what would have been learned on the way.
    """
    for place in range(moves - 1):
        later = values[path[place + 1]]
        if settings.update == Q:
            later = best_value(value_of_move, table, values, path[-2 - place], 1.0)
        values[path[place]] = sarsa_update(values[path[place]], later, alpha, settings.gamma)
    if moves > 0:
        last = path[moves - 1]
        values[last] = sarsa_update(values[last], reward, alpha, 1.0) if settings.soft else reward


class Settings(NamedTuple):
    """The parameters that the compiled loop reads."""

    alpha: Numbers
    epsilon: Numbers
    gamma: float
    rewards: Numbers  # [2, 4] by side: of a game at WINS, DRAWS, LOSSES
    side: int  # 0, 1, or BOTH in turn
    update: int  # BACKWARD, FORWARD, Q
    soft: bool
    first_of_ties: bool


def stretched(text: str, episodes: int) -> Numbers:
    """Return a schedule for 10,000 games as one for so many."""
    written = schedule(text)
    return replace(written, factor=written.factor ** (SCHEDULED_GAMES / episodes)).numbers()


@jit
def play_and_learn(table: TransitionTable, run: TableRun, settings: Settings, games: int) -> None:
    """Play `games` games; update the values in place and count how they end."""
    values, path, trainer, counts = run.values, run.path, run.trainer, run.counts
    for number in range(counts[GAMES], counts[GAMES] + games):
        alpha, epsilon = value_at(settings.alpha, number), value_at(settings.epsilon, number)
        replies = table.replies[draw_variant(table, trainer)]
        side = side_in_game(settings.side, number)
        position, state, ply, moves = np.uint32(0), np.uint32(0), 0, 0
        while state == 0:
            if ply & 1 == side:
                choices = moves_at(table, position)
                edge, _ = epsilon_greedy(
                    value_of_move,
                    table,
                    values,
                    choices,
                    1.0,
                    epsilon,
                    settings.first_of_ties,
                    run.learner,
                )
                path[moves], path[-1 - moves] = table.edge_slot[edge], choices
                moves += 1
                target = table.targets[edge]
            else:
                target = draw_target(table.targets, replies[position], trainer)
            position, state = target >> STATE_SHIFT, target & STATE_MASK
            ply += 1
        reward = settings.rewards[side, end_of(state, side)]
        if settings.update == BACKWARD:
            backward_sarsa(values, path, moves, reward, alpha, settings.gamma, settings.soft)
        else:
            learn_forwards(table, values, path, moves, reward, alpha, settings)
        count_game(counts, state, side)
