"""Backward TD over a finished game, on a game graph (hybrid paper, Listing 1).

The learner plays against a trainer, always takes a move of the highest utility, and after each
game moves the utility of every position met towards that of the next one, from the last back to
the first. It explores only because the trainer does: in a share of the games the trainer plays
at random.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream
from inarow.game import Game, InputError
from inarow.graph.graph import Graph
from inarow.graph.policies import ONE, STATE_MASK, STATE_SHIFT, Indices, draw_target
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
    between,
    one_of,
    option,
    schedule,
    schedule_between,
    value_at,
    written,
)
from inarow.learn.tabular.table import Loop, MoveValues, TabularLearner, TabularTraining, movers
from inarow.learn.tabular.transitions import (
    RANDOM,
    TIES,
    UNLESS_ALL,
    TableRun,
    TransitionTable,
    Values,
    all_alike,
    draw_best,
    draw_variant,
    first_best,
    first_targets,
    moves_at,
    stands_out,
    state_slot,
    symmetric_option,
    value_after,
)
from inarow.learn.tabular.update_rules import backward_td


def random_share(text: str) -> Fraction:
    """Return a share of games, as in 1/7 or 0.25."""
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"write a share of games as 1/7 or 0.25, not {text!r}") from None
    if not 0 <= share <= 1 or share.denominator > 10**6:
        raise InputError(f"a share of games must be between 0 and 1, not {text!r}")
    return share


class TD(TabularLearner):
    """Backward TD against another player (hybrid paper).

    The defaults are the paper's, in the variant that matches its tables.
    """

    name = "td"
    opponents = (PLAYER,)
    suggested_opponent = "attack-defense"  # `random_games` makes the paper's hybrid of it
    of_moves, array, tables = False, "utilities", (2,)  # a table for each side

    alpha: str = option("0.25", "step size", schedule_between(0, 1))
    gamma: float = option(1.0, "discount", between(0, 1))
    win_reward: float = option(1.0, "reward of a won game")
    draw_reward: float = option(0.2, "reward of a drawn game")
    loss_reward: float = option(-1.0, "reward of a lost game")
    initial_value: float = option(0.0, "initial utilities")
    side: str = side_option("second")
    random_games: str = option(
        "1/7",
        "share of games in which the trainer plays at random",
        written(random_share, 0, 1),
        main=True,
    )
    random_opening: bool = option(True, "whether the trainer's first move is always random")
    own_opening: bool = option(
        False, "whether the learner's own first move of a training game is always random"
    )
    update: str = option("all", "positions updated: all, or after own moves", one_of("all", "own"))
    ties: str = option(
        "random",
        "ties: at random, the first move, or the first unless all moves are equal",
        one_of(*TIES, UNLESS_ALL),
    )
    symmetric: bool = symmetric_option(False)

    def begin(self, game: Game, opponent: Opponent, seed: int) -> TDTraining:
        """Return a run from nothing against a trainer."""
        return TDTraining(self, game, opponent, seed)

    def settings(self, opponent: Opponent) -> Settings:  # noqa: ARG002
        """Return the parameters that the compiled loop reads."""
        share = random_share(self.random_games)
        return Settings(
            schedule(self.alpha).numbers(),
            self.gamma,
            np.array([0.0, self.win_reward, self.draw_reward, self.loss_reward]),
            OWN_SIDES.index(self.side),
            share.numerator,
            share.denominator,
            self.random_opening,
            self.own_opening,
            self.update == "own",
            self.ties != RANDOM,
            self.ties == UNLESS_ALL,
        )

    def loop(self) -> Loop:
        """Return the compiled loop that plays and learns."""
        return play_and_learn

    def move_values(self, graph: Graph, table: MoveValues, slots: Indices) -> MoveValues:
        """Return the utility of the position after a move, in the table of the side that moves."""
        places = movers(graph) * table.shape[1] + slots[graph.child]
        return np.take(table.reshape(-1), places)


class Settings(NamedTuple):
    """The parameters that the compiled loop reads."""

    alpha: Numbers
    gamma: float
    rewards: Numbers  # [4] of a game at WINS, DRAWS, LOSSES
    side: int  # 0, 1, or BOTH in turn
    random_share: int  # so many of `random_of` games are random ones
    random_of: int
    random_opening: bool
    own_opening: bool
    own_only: bool
    first_of_ties: bool
    unless_all: bool  # any move where all are of equal value


class TDTraining(TabularTraining):
    """A run against one trainer, which keeps the last best move of each position."""

    def __init__(self, td: TD, game: Game, opponent: Opponent, seed: int) -> None:
        super().__init__(td, game, opponent, seed)
        self.favourites: Indices | None = None  # until it plays here: a GPU keeps none

    def play(self, games: int) -> None:
        """Play so many more games and learn from them."""
        if self.favourites is None:
            self.favourites = first_targets(self.transitions, self.graph.positions)
            self.run = self.run._replace(favourites=self.favourites)
        super().play(games)


@jit
def play_and_learn(table: TransitionTable, run: TableRun, settings: Settings, games: int) -> None:
    """Play `games` games; update the utilities in place and count how they end.

    `favourites` holds the target of a move in each position: what to try first. Whichever it
    is, the bits are the same.
    """
    path, trainer, counts = run.path, run.trainer, run.counts
    due = counts[GAMES] * settings.random_share % settings.random_of
    for number in range(counts[GAMES], counts[GAMES] + games):
        replies = table.replies[draw_variant(table, trainer)]
        due += settings.random_share  # spreads the random games evenly
        random = due >= settings.random_of
        due -= settings.random_of if random else 0
        side = side_in_game(settings.side, number)
        values = run.values[side]
        path[0] = state_slot(table, np.uint32(0))
        position, state, ply = np.uint32(0), np.uint32(0), np.uint32(0)
        own_turn, opening = side == 0, settings.random_opening
        own_opening = settings.own_opening
        while state == 0:
            if own_turn and own_opening:
                target = draw_target(table.targets, moves_at(table, position), run.learner)
                own_opening = False
            elif own_turn:
                target = _choose(table, values, run.favourites, position, settings, run.learner)
            elif random or opening:
                target = draw_target(table.targets, moves_at(table, position), trainer)
                opening = False
            else:
                target = draw_target(table.targets, replies[position], trainer)
            position, state = target >> STATE_SHIFT, target & STATE_MASK
            own_turn = not own_turn
            ply += ONE
            path[ply] = state_slot(table, position)
        values[path[ply]] = settings.rewards[end_of(state, side)]
        if settings.own_only:
            ply = _keep_own(path, ply, side)
        backward_td(values, path, ply, value_at(settings.alpha, number), settings.gamma)
        count_game(counts, state, side)


@inline
def _choose(
    table: TransitionTable,
    values: Values,
    favourites: Indices | None,
    position: np.uint32,
    settings: Settings,
    learner: Stream,
) -> np.uint32:
    """Return the target of the learner's move.

    The last best move here nearly always still is the only best one. The processor goes on with
    it while it compares the utilities, where it would otherwise wait for the highest of them
    (measured: 1.3 to 1.8 times the games). A GPU waits for nothing: it keeps none.
    """
    choices = moves_at(table, position)
    if favourites is not None:
        target = favourites[position]
        value = values[state_slot(table, target >> STATE_SHIFT)]
        if stands_out(value_after, table, values, choices, value):
            return target
    any_of_all = settings.unless_all and all_alike(value_after, table, values, choices)
    if settings.first_of_ties and not any_of_all:
        edge = first_best(value_after, table, values, choices, 1.0)
    else:
        edge = draw_best(value_after, table, values, choices, 1.0, learner)
    target = table.targets[edge]
    if favourites is not None:
        favourites[position] = target
    return target


@inline
def _keep_own(path: Indices, plies: np.uint32, side: int) -> np.uint32:
    """Leave on the path only the positions after the learner's own moves, and the last one."""
    kept = np.uint32(0)
    for ply in range(1, plies):
        if (ply - 1) & 1 == side:
            path[kept] = path[np.uint32(ply)]
            kept += ONE
    path[kept] = path[plies]
    return kept
