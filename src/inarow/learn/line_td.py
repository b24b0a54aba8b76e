"""Afterstate TD on line features that symmetric lines share: it carries over to any dimension.

The value of a position, for the side that has just moved, is what that side will still gain:
lines made less lines suffered where lines are counted, else 1 for a win and -1 for a loss. It is
linear in the features of `line_features`. After a game, each position is moved towards what its
side gained until its own next move and the value of the position after that (TD(lambda), from the
last position backwards, so that one game carries its end to its beginning).

A step is divided by the squared length of the feature vector (normalised least mean squares):
then alpha is the share of an error that an update removes, whatever the board's size; a plain
linear TD diverges as soon as some hundred lines share a weight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from inarow.engine.board import (
    GOING_ON,
    OPEN,
    PLY,
    STATE,
    Board,
    clear,
    new_board,
    place,
    reward_of_lines,
    undo,
)
from inarow.engine.contest import begin, choose
from inarow.engine.jit import inline, jit
from inarow.engine.rules import RuleList
from inarow.engine.streams import FIRST, LEARNER, Stream, below, make_stream, uniform
from inarow.engine.tables import Int64s, Tables, tables_of
from inarow.game import Game, InputError
from inarow.learn.arrays import Layout, random_stream, real
from inarow.learn.counting import count_game
from inarow.learn.learner import Learner, Training, choice
from inarow.learn.line_agent import LineAgent, draw_best_move
from inarow.learn.line_features import (
    CELLS,
    LINES,
    Sight,
    count_features,
    find_features,
    new_sight,
    pair_feature,
    see_start,
    see_stone,
    see_threats,
    unsee_stone,
)
from inarow.learn.line_values import phase_of, value_of_lines, value_of_threats
from inarow.learn.schedule import Numbers, schedule, value_at

SEATS = ("first", "second", "both")
EXPLORED = ("cut", "learn")


@dataclass(frozen=True)
class LineTD(Learner):
    """Parameters."""

    alpha: str = "0.1"  # step size: the share of an error that one update removes
    epsilon: str = "0.1"  # share of random moves
    trace: float = 0.25  # lambda: 0 learns from the next position alone, 1 from the game's end
    gamma: float = 1.0  # discount a pair of moves
    phases: int = 2  # parts of the game, each with weights of its own
    threats: bool = True  # whether threats are seen, or lines alone
    explored: str = "cut"  # before a random move learn nothing (cut), or what came of it (learn)
    seat: str = "both"  # against an opponent: first, second, or both in turn

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """Weights for each phase, and the random streams of both players."""
        if not 1 <= self.phases <= game.cells:
            raise InputError(
                f"phases must be between 1 and {game.cells} on {game.name}, not {self.phases}"
            )
        size = count_features(game, 1)  # of one kind of lines, which are more work to tell apart
        if most is not None and self.phases * size > most:
            raise InputError(f"{game.name} has {self.phases * size:,} weights, not {most:,}")
        weights = {"weights": real((self.phases, count_features(game)))}
        return {**weights, "learner": random_stream(), "opponent": random_stream()}

    def begin(self, game: Game, opponent: Any, seed: int) -> LineTraining:
        """A run from nothing, against itself where no opponent is given."""
        return LineTraining(self, game, opponent, seed)


@inline
def td_target(reward: float, gamma: float, trace: float, value: float, later: float) -> float:
    """What a position should be worth: reward, and a mix of the next value and its own target."""
    return reward + gamma * ((1.0 - trace) * value + trace * later)


@inline
def normalised_step(alpha: float, error: float, squares: float) -> float:
    """The step for a feature that is 1, so that a value moves by alpha * error (NLMS)."""
    return alpha * error / squares


class Settings(NamedTuple):
    """The parameters for the compiled loop."""

    alpha: Numbers
    epsilon: Numbers
    trace: float
    gamma: float
    cut: bool
    seat: int  # 0, 1, 2 for both in turn; 3 where it plays itself


class LineTraining(Training):
    """A run, against itself or an opponent."""

    def __init__(self, line_td: LineTD, game: Game, opponent: Any, seed: int) -> None:
        super().__init__(line_td, game, seed)
        seat, tables = choice("seat", line_td.seat, SEATS), tables_of(game)
        self.tables, self.board = tables, new_board(tables)
        self.features = find_features(game, line_td.phases, line_td.threats)
        self.sight = new_sight(tables, self.features)
        self.opponent = (opponent or RuleList(((),))).compiled(tables)
        self.explored = np.zeros(game.cells + 1, dtype=np.bool_)
        self.settings = Settings(
            schedule(line_td.alpha).numbers(),
            schedule(line_td.epsilon).numbers(),
            line_td.trace,
            line_td.gamma,
            choice("explored", line_td.explored, EXPLORED) == 0,
            seat if opponent is not None else 3,
        )
        self.begin_with(
            {
                "weights": np.zeros(self.layout["weights"].shape),
                "learner": make_stream(seed, LEARNER),
                "opponent": make_stream(seed, FIRST),
            }
        )

    def play(self, games: int) -> None:
        """Plays so many more games and learns from them."""
        play_and_learn(
            self.tables, self.board, self.sight, self.arrays["weights"], self.opponent,
            self.arrays["learner"], self.arrays["opponent"], self.settings, self.explored, games,
            self.counts,
        )  # fmt: skip
        self.check_finite()

    def agent(self) -> LineAgent:
        """Takes a move that is worth most."""
        return LineAgent("line_td", self.game, self.features, self.arrays["weights"])


@jit
def play_and_learn(
    tables: Tables, board: Board, sight: Sight, weights: Any, opponent: Any, learner: Stream,
    opponent_stream: Stream, settings: Settings, explored: Any, games: int, counts: Int64s,
) -> None:  # fmt: skip
    """Plays `games` games, changing the weights after each and counting how they end."""
    for number in range(counts[0], counts[0] + games):
        seat = settings.seat if settings.seat != 2 else number & 1
        epsilon = value_at(settings.epsilon, number)
        clear(tables, board)
        see_start(sight)
        begin(opponent, opponent_stream)
        while board.counters[STATE] == GOING_ON:
            ply = board.counters[PLY]
            side = ply & 1
            if seat == 3 or side == seat:
                best = draw_best_move(tables, board, sight, weights, learner)
                taken: Any = best
                if epsilon > 0 and uniform(learner) < epsilon:
                    taken = np.int64(below(learner, board.counters[OPEN]))
                explored[ply] = taken != best
                cell: Any = np.int64(board.open_cells[taken])
            else:
                explored[ply] = False
                cell = np.int64(choose(tables, board, opponent, opponent_stream))
            place(tables, board, cell)
            see_stone(tables, sight, cell, side)
        count_game(board, 0 if seat == 3 else seat, counts)
        alpha = value_at(settings.alpha, number)
        learn(tables, board, sight, weights, explored, alpha, settings, seat)


@inline
def learn(
    tables: Tables, board: Board, sight: Sight, weights: Any, explored: Any, alpha: float,
    settings: Settings, seat: int,
) -> None:  # fmt: skip
    """Takes a finished game back move by move, and learns from each position of the learner's.

    The side that has just moved gained nothing by the end of the game when it made it itself: its
    next value and target are 0, and no move of its own comes after.
    """
    last = board.counters[PLY]
    gained, before = 0.0, 0.0  # lines of the move after the position, and of the one after that
    value_0, value_1, target_0, target_1 = 0.0, 0.0, 0.0, 0.0  # of the next position of each side
    for stones in range(last, 0, -1):
        view = (stones - 1) & 1
        if stones < last and (seat == 3 or view == seat):
            next_value = value_0 if view == 0 else value_1
            next_target = target_0 if view == 0 else target_1
            target = td_target(
                before - gained, settings.gamma, settings.trace, next_value, next_target
            )
            skipped = stones + 2 <= last and settings.cut and explored[stones + 1]
            value, target = move_towards(
                tables, board, sight, weights, view, target, 0.0 if skipped else alpha
            )
            if view == 0:
                value_0, target_0 = value, value if skipped else target
            else:
                value_1, target_1 = value, value if skipped else target
        undo(tables, board)
        cell = board.history[stones - 1]
        unsee_stone(tables, sight, cell, view)
        completed = board.threat[view, cell]
        before = gained
        gained = reward_of_lines(tables, completed)


@inline
def move_towards(
    tables: Tables, board: Board, sight: Sight, table: Any, view: int, target: float, alpha: float
) -> tuple[float, float]:
    """Moves the value of the board towards a target; the new value, and the target."""
    features, counts, threats = sight.features, sight.counts, sight.threats
    weights = table[phase_of(tables, features, board.counters[PLY])]
    value = value_of_lines(sight, weights, view)
    squares, pair = 1.0, np.uint32(0)
    if features.threats:
        own, other = see_threats(tables, board, sight, view)
        pair = pair_feature(own, other)
        value += value_of_threats(sight, weights) + weights[pair]
        squares += 1.0
        for feature in range(CELLS, LINES):
            squares += threats[np.uint32(feature)] * threats[np.uint32(feature)]
    if alpha == 0:
        return value, target
    counted, seen = features.live[view], features.live[0]
    for i in range(len(seen)):
        squares += counts[counted[np.uint32(i)]] * counts[counted[np.uint32(i)]]
    step = normalised_step(alpha, target - value, squares)
    weights[0] += step
    for i in range(len(seen)):
        weights[seen[np.uint32(i)]] += step * counts[counted[np.uint32(i)]]
    if features.threats:
        weights[pair] += step
        for feature in range(CELLS, LINES):
            weights[np.uint32(feature)] += step * threats[np.uint32(feature)]
    return value + alpha * (target - value), target
