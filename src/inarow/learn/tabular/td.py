"""Backward TD over a finished game, on a game graph (hybrid paper, Listing 1).

The learner plays against a trainer, always takes a move of the highest utility, and after each
game moves the utility of every position met towards that of the next one, from the last back to
the first. It explores only because the trainer does: in a share of the games the trainer plays
at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from inarow.engine.board import DRAWN, FIRST_WON
from inarow.engine.jit import inline, jit
from inarow.engine.streams import FIRST, LEARNER, Stream, below, make_stream
from inarow.engine.tables import Int64s
from inarow.game import Game, InputError
from inarow.graph.draws import ONE, STATE, STATE_BITS, Indices, draw
from inarow.graph.graph import graph_of
from inarow.learn.arrays import Layout, random_stream, real
from inarow.learn.learner import DRAWS, GAMES, LAST_LOSS, LOSSES, WINS, Training, choice
from inarow.learn.schedule import Numbers, schedule, value_at
from inarow.learn.tabular.agent import TabularAgent
from inarow.learn.tabular.learner import TableLearner
from inarow.learn.tabular.transitions import (
    TIES,
    Values,
    Walk,
    draw_best,
    first_best,
    first_targets,
    moves_at,
    slots_of,
    stands_out,
    state_slot,
    value_after,
    walk_of,
)

SEATS = ("first", "second", "both")
STATES = ("all", "own")


@dataclass(frozen=True)
class TD(TableLearner):
    """Parameters; the defaults are the paper's, in the reading that matches its tables."""

    alpha: str = "0.25"  # step size: a number or a schedule
    gamma: float = 1.0  # discount
    win: float = 1.0  # what a won game is worth
    tie: float = 0.2  # a drawn one
    loss: float = -1.0  # a lost one
    start: float = 0.0  # utilities before the first game
    seat: str = "second"  # the learner's: first, second, or both in turn
    random_games: str = "1/7"  # the share of games in which the trainer plays at random
    random_opening: bool = True  # whether the trainer's first move always is random
    update: str = "all"  # all positions met, or only those after the learner's own moves
    ties: str = "random"  # among moves of equal utility: any, or the first
    symmetric: bool = False  # whether positions that are images of each other share a utility

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """A table of positions for each seat, and the random streams of both players."""
        positions, _ = self.table_sizes(game, most)
        streams = {"learner": random_stream(), "trainer": random_stream()}
        return {"utilities": real((2, positions)), **streams}

    def begin(self, game: Game, opponent: Any, seed: int) -> TDTraining:
        """A run from nothing against a trainer."""
        if opponent is None:
            raise InputError("td learns from a trainer: say whom it plays against")
        return TDTraining(self, game, opponent, seed)


@inline
def td_update(value: float, next_value: float, alpha: float, gamma: float) -> float:
    """A utility moved towards that of the next position."""
    return value + alpha * (gamma * next_value - value)


class Settings(NamedTuple):
    """The parameters for the compiled loop."""

    alpha: Numbers
    gamma: float
    worth: Numbers  # [4] of a game at WINS, DRAWS, LOSSES
    seat: int  # 0, 1, or 2 for both in turn
    random_share: int  # so many of `random_of` games are random ones
    random_of: int
    random_opening: bool
    own_only: bool
    first_of_ties: bool


class TDTraining(Training):
    """A run against one trainer."""

    def __init__(self, td: TD, game: Game, opponent: Any, seed: int) -> None:
        super().__init__(td, game, seed)
        graph = graph_of(game)
        self.td, self.walk = td, walk_of(graph, opponent, td.symmetric)
        share = random_share(td.random_games)
        self.settings = Settings(
            schedule(td.alpha).numbers(),
            td.gamma,
            np.array([0.0, td.win, td.tie, td.loss]),
            choice("seat", td.seat, SEATS),
            share.numerator,
            share.denominator,
            td.random_opening,
            choice("update", td.update, STATES) == 1,
            choice("ties", td.ties, TIES) == 1,
        )
        self.path = np.zeros(game.cells + 1, dtype=np.uint32)
        self.favourites = first_targets(self.walk, graph.positions)
        self.begin_with(
            {
                "utilities": np.full(self.layout["utilities"].shape, td.start),  # by seat
                "learner": make_stream(seed, LEARNER),
                "trainer": make_stream(seed, FIRST),
            }
        )

    def play(self, games: int) -> None:
        """Plays so many more games and learns from them."""
        play_and_learn(
            self.walk, self.arrays["utilities"], self.arrays["learner"], self.arrays["trainer"],
            self.settings, self.path, self.favourites, games, self.counts,
        )  # fmt: skip

    def agent(self) -> TabularAgent:
        """Takes a move of the highest utility."""
        graph = graph_of(self.game)
        mover = np.repeat(graph.to_move, np.diff(graph.edge_start))
        slots, _ = slots_of(graph, self.td.symmetric)
        opinion = self.arrays["utilities"][mover, slots[graph.child]]
        return TabularAgent("td", graph, opinion, self.td.ties == "first")


def random_share(text: str) -> Fraction:
    """A share of games, as in 1/7 or 0.25."""
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"random_games is a share as 1/7 or 0.25, not {text!r}") from None
    if not 0 <= share <= 1 or share.denominator > 10**6:
        raise InputError(f"random_games is a share from 0 to 1, not {text!r}")
    return share


@jit
def play_and_learn(
    walk: Walk,
    utilities: Values,
    learner: Stream,
    trainer: Stream,
    settings: Settings,
    path: Indices,
    favourites: Indices,
    games: int,
    counts: Int64s,
) -> None:
    """Plays `games` games, updating `utilities` in place and counting how they end.

    `favourites` holds the target of a move in each position: what to try first. Any move will do,
    and gives the same bits.
    """
    due = counts[GAMES] * settings.random_share % settings.random_of
    for number in range(counts[GAMES], counts[GAMES] + games):
        variant: Any = np.uint64(0)
        if len(walk.replies) > 1:
            variant = below(trainer, len(walk.replies))
        due += settings.random_share  # spreads the random games evenly
        random = due >= settings.random_of
        due -= settings.random_of if random else 0
        replies = walk.replies[variant]
        seat = settings.seat if settings.seat < 2 else number & 1
        values = utilities[seat]
        path[0] = state_slot(walk, np.uint32(0))
        position, state, ply = np.uint32(0), np.uint32(0), np.uint32(0)
        own_turn, opening = seat == 0, settings.random_opening
        while state == 0:
            if own_turn:
                target = _choose(walk, values, favourites, position, settings, learner)
            elif random or opening:
                target = draw(walk.targets, moves_at(walk, position), trainer)
                opening = False
            else:
                target = draw(walk.targets, replies[position], trainer)
            position, state = target >> STATE_BITS, target & STATE
            own_turn = not own_turn
            ply += ONE
            path[ply] = state_slot(walk, position)
        end = _end_of(state, seat)
        values[path[ply]] = settings.worth[end]
        if settings.own_only:
            ply = _keep_own(path, ply, seat)
        _learn(values, path, ply, value_at(settings.alpha, number), settings.gamma)
        counts[GAMES] += 1
        counts[end] += 1
        if end == LOSSES:
            counts[LAST_LOSS] = number + 1


@inline
def _choose(
    walk: Walk,
    values: Values,
    favourites: Indices,
    position: Any,
    settings: Settings,
    learner: Stream,
) -> Any:
    """The target of the learner's move.

    The last best move here nearly always still is the only best one. The processor goes on with
    it while it compares the utilities, where it would otherwise wait for the highest of them
    (measured: 1.3 to 1.8 times the games).
    """
    choices, target = moves_at(walk, position), favourites[position]
    value = values[state_slot(walk, target >> STATE_BITS)]
    if not stands_out(value_after, walk, values, choices, value):
        if settings.first_of_ties:
            edge = first_best(value_after, walk, values, choices, 1.0)
        else:
            edge = draw_best(value_after, walk, values, choices, 1.0, learner)
        target = walk.targets[edge]
        favourites[position] = target
    return target


@inline
def _end_of(state: Any, seat: Any) -> int:
    """How a game ended for the learner: its place in the counts."""
    if state == DRAWN:
        return DRAWS
    return WINS if state == FIRST_WON + seat else LOSSES


@inline
def _learn(values: Values, path: Indices, plies: Any, alpha: float, gamma: float) -> None:
    """Moves the utilities of a finished game, the last position first."""
    if gamma == 1.0:  # known when compiled: a product less, on which every step would wait
        _move_back(values, path, plies, alpha, 1.0)
    else:
        _move_back(values, path, plies, alpha, gamma)


@inline
def _move_back(values: Values, path: Indices, plies: Any, alpha: float, gamma: float) -> None:
    later = values[path[plies]]
    while plies > 0:
        plies -= ONE
        later = td_update(values[path[plies]], later, alpha, gamma)
        values[path[plies]] = later


@inline
def _keep_own(path: Indices, plies: Any, seat: Any) -> Any:
    """Leaves on the path only the positions after the learner's own moves, and the last one."""
    kept = np.uint32(0)
    for ply in range(1, plies):
        if (ply - 1) & 1 == seat:
            path[kept] = path[np.uint32(ply)]
            kept += ONE
    path[kept] = path[plies]
    return kept
