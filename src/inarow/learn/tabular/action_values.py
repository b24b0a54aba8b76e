"""Values of moves, learned turn by turn: the base for tabular learners of your own.

At each of its turns the learner chooses a move, and the value of its move before is moved towards
a target, which a subclass computes from the values of the moves that it now has. When the game is
over the last move is moved towards the reward. So one function makes Q-learning (the highest of
the values), SARSA (that of the chosen move) or expected SARSA (their mean, by the chances with
which the learner chooses); `examples/expected_sarsa.py` is one.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import NamedTuple

import numpy as np
from numba import NumbaError

from inarow.engine.jit import jit_uncached
from inarow.game import Game, InputError
from inarow.graph.graph import Graph
from inarow.graph.policies import ONE, STATE_MASK, STATE_SHIFT, Indices, draw_target
from inarow.learn.learner import (
    GAMES,
    OWN_SIDES,
    SELF_PLAY,
    Opponent,
    count_game,
    end_of,
    moves_for,
    side_in_game,
    side_option,
)
from inarow.learn.options import Numbers, between, option, schedule, schedule_between, value_at
from inarow.learn.tabular.table import Loop, MoveValues, TabularLearner, TabularTraining
from inarow.learn.tabular.transitions import (
    TableRun,
    TransitionTable,
    Values,
    draw_variant,
    epsilon_greedy,
    moves_at,
    symmetric_option,
    ties_option,
    value_of_move,
)
from inarow.learn.tabular.update_rules import move_towards

COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # of a terminal, in Numba's errors

Target = Callable[[Values, int, float], float]


class ActionValueLearner(TabularLearner):
    """Learns values of moves turn by turn.

    A subclass has a docstring, a `name` and `target`, and may have options of its own. It plays
    against itself or another player, in games that are small enough to be enumerated.
    """

    of_moves = True

    alpha: str = option("0.1", "step size", schedule_between(0, 1))
    epsilon: str = option("0.1", "share of random moves", schedule_between(0, 1))
    gamma: float = option(1.0, "discount", between(0, 1))
    win_reward: float = option(1.0, "reward of a won game")
    draw_reward: float = option(0.0, "reward of a drawn game")
    loss_reward: float = option(-1.0, "reward of a lost game")
    initial_value: float = option(0.0, "initial values")
    side: str = side_option("both")
    ties: str = ties_option()
    symmetric: bool = symmetric_option(False)

    @staticmethod
    @abstractmethod
    def target(values: Values, chosen: int, epsilon: float) -> float:
        """Return the value that the learner's move before should have had, before the discount.

        `values` are those of the moves that it has now, of which it took number `chosen`, while a
        share `epsilon` of its moves is random. Numba compiles it: plain loops and arithmetic.
        """

    def begin(self, game: Game, opponent: Opponent, seed: int) -> ActionValueTraining:
        """Begin a run from nothing."""
        return ActionValueTraining(self, game, opponent, seed)

    def settings(self, opponent: Opponent) -> Settings:
        """Return the parameters that the compiled loop reads."""
        return Settings(
            schedule(self.alpha).numbers(),
            schedule(self.epsilon).numbers(),
            self.gamma,
            np.array([0.0, self.win_reward, self.draw_reward, self.loss_reward]),
            SELF_PLAY if opponent is None else OWN_SIDES.index(self.side),
            self.ties == "first",
        )

    def loop(self) -> Loop:
        """Return the loop with the learner's target in it."""
        return compiled_loop(self.target)

    def move_values(self, graph: Graph, table: MoveValues, slots: Indices) -> MoveValues:  # noqa: ARG002
        """Return the table's values: each side's moves have the values that it gives them."""
        return table[slots]


class Settings(NamedTuple):
    """The parameters that the compiled loop reads."""

    alpha: Numbers
    epsilon: Numbers
    gamma: float
    rewards: Numbers  # [4] of a game at WINS, DRAWS, LOSSES
    side: int  # 0, 1, BOTH in turn, or SELF_PLAY
    first_of_ties: bool


class ActionValueTraining(TabularTraining):
    """A run of code that is not ours: what cannot be compiled is said, before anything is saved."""

    def __init__(
        self, learner: ActionValueLearner, game: Game, opponent: Opponent, seed: int
    ) -> None:
        if not isinstance(learner.target, FunctionType):
            raise InputError(f"{learner.name}: its target must be a static method")
        super().__init__(learner, game, opponent, seed)
        self.play(0)  # compiles it

    def play(self, games: int) -> None:
        """Play so many more games and learn from them."""
        try:
            super().play(games)
        except NumbaError as error:
            reason = " ".join(COLOUR.sub("", str(error)).split())
            reason = reason.removeprefix("it cannot be compiled: ")
            raise InputError(
                f"{self.learner.name}: its target cannot be compiled: {reason[:300]}"
            ) from error


@cache
def compiled_loop(target: Target) -> Loop:
    """The loop with a target in it: compiled once in each process, since the code is not ours."""
    compute = jit_uncached(target)

    def play_and_learn(
        table: TransitionTable, run: TableRun, settings: Settings, games: int
    ) -> None:
        """Play `games` games; update the values in place and count how they end."""
        values, trainer, choices, counts = run.values, run.trainer, run.choices, run.counts
        for number in range(counts[GAMES], counts[GAMES] + games):
            alpha, epsilon = value_at(settings.alpha, number), value_at(settings.epsilon, number)
            own = side_in_game(settings.side, number)
            replies = table.replies[draw_variant(table, trainer)]
            position, state, ply = np.uint32(0), np.uint32(0), 0
            before_0, before_1 = np.int64(-1), np.int64(-1)  # each side's move before
            while state == 0:
                if moves_for(own, ply & 1):
                    moves = moves_at(table, position)
                    count = np.int64(table.targets[moves])
                    for i in range(count):
                        choices[i] = value_of_move(table, values, moves + ONE + np.uint32(i))
                    edge, _ = epsilon_greedy(
                        value_of_move,
                        table,
                        values,
                        moves,
                        1.0,
                        epsilon,
                        settings.first_of_ties,
                        run.learner,
                    )
                    before = before_0 if ply & 1 == 0 else before_1
                    if before >= 0:
                        chosen = int(np.int64(edge)) - int(np.int64(moves)) - 1
                        goal = settings.gamma * compute(choices[:count], chosen, epsilon)
                        move_towards(values, before, goal, alpha)
                    if ply & 1 == 0:
                        before_0 = np.int64(table.edge_slot[edge])
                    else:
                        before_1 = np.int64(table.edge_slot[edge])
                    moved = table.targets[edge]
                else:
                    moved = draw_target(table.targets, replies[position], trainer)
                position, state = moved >> STATE_SHIFT, moved & STATE_MASK
                ply += 1
            if before_0 >= 0:
                move_towards(values, before_0, settings.rewards[end_of(state, 0)], alpha)
            if before_1 >= 0:
                move_towards(values, before_1, settings.rewards[end_of(state, 1)], alpha)
            count_game(counts, state, own)

    return jit_uncached(play_and_learn)
