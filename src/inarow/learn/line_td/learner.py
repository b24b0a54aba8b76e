"""TD on line features: its options, and a run."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import (
    GOING_ON,
    OPEN,
    PLY,
    SCORE,
    STATE,
    Board,
    Cells,
    Int64s,
    Tables,
    place,
    reward_of_lines,
    undo,
)
from inarow.engine.jit import inline, jit
from inarow.engine.players import MoveWeights as MoveWeights
from inarow.engine.players import PlayerArrays, choose, register_player
from inarow.engine.streams import Stream, below, uniform
from inarow.game import Game, InputError
from inarow.learn.agent import BoardAgent, CellValues, begin_alike
from inarow.learn.learner import (
    GAMES,
    BoardTraining,
    Learner,
    Opponent,
    Suits,
    begin_game,
    count_game,
    moves_for,
    side_in_game,
    side_option,
)
from inarow.learn.line_td.features import (
    CELLS,
    LINES,
    Accumulator,
    Features,
    Values,
    add_stone,
    add_stones,
    clear_stones,
    count_features,
    count_threats,
    find_features,
    new_accumulator,
    pair_feature,
    phase_of,
    remove_stone,
    value_moves,
    value_of_lines,
    value_of_threats,
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
from inarow.learn.saved import Arrays, Layout, random_stream, real


class LineTD(Learner):
    """Afterstate TD on line features that symmetric lines share, in any dimension."""

    name = "line_td"
    suits: ClassVar[Suits] = {"ntictactoe:3^3": {}, "ntictactoe:3^4": {}, "ntictactoe:3^5": {}}

    alpha: str = option(
        "0.1", "step size: the share of an error that one update removes", schedule_between(0)
    )
    epsilon: str = option("0.1", "share of random moves", schedule_between(0, 1))
    trace_decay: float = option(
        0.25, "lambda: 0 learns from the next position alone, 1 from the game's end", between(0, 1)
    )
    gamma: float = option(1.0, "discount per pair of moves", between(0, 1))
    phases: int = option(2, "parts of the game, each with weights of its own", at_least(1))
    threats: bool = option(True, "whether threats are seen, or lines alone")
    explored: str = option(
        "cut",
        "before a random move learn nothing (cut), or what came of it",
        one_of("cut", "learn"),
    )
    side: str = side_option("both")

    def check(self, game: Game, against: bool) -> None:
        """Raise InputError for more phases than a game has moves."""
        super().check(game, against)
        if self.phases > game.cells:
            raise InputError(
                f"option phases must be between 1 and {game.cells} on {game.name}, "
                f"not {self.phases}"
            )

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """Return the arrays: weights for each phase, and the random streams of both players."""
        size = count_features(game, 1)  # of one kind of lines, which are more work to tell apart
        if most is not None and self.phases * size > most:
            raise InputError(f"{game.name} has {self.phases * size:,} weights, not {most:,}")
        weights = {"weights": real((self.phases, count_features(game)))}
        return {**weights, "learner": random_stream(), "opponent": random_stream()}

    def begin(self, game: Game, opponent: Opponent, seed: int) -> LineTraining:
        """Return a run from nothing, against itself where no opponent is given."""
        return LineTraining(self, game, opponent, seed)

    def agent(self, game: Game, seed: int, arrays: Arrays) -> LineAgent:  # noqa: ARG002
        """Return the agent that takes a move of the highest value."""
        return LineAgent(self.name, game, features_of(self, game), arrays["weights"])


@lru_cache(maxsize=4)
def features_of(line_td: LineTD, game: Game) -> Features:
    """Return the features that the learner sees of a game."""
    return find_features(game, line_td.phases, line_td.threats)


class LineTraining(BoardTraining):
    """A training run of `LineTD`, against itself or an opponent."""

    def __init__(self, line_td: LineTD, game: Game, opponent: Opponent, seed: int) -> None:
        super().__init__(line_td, game, opponent, seed)
        self.accumulator = new_accumulator(self.tables, features_of(line_td, game))
        self.explored = np.zeros(game.cells + 1, dtype=np.bool_)
        alpha, epsilon = schedule(line_td.alpha).numbers(), schedule(line_td.epsilon).numbers()
        decay, gamma, cut = line_td.trace_decay, line_td.gamma, line_td.explored == "cut"
        self.settings = Settings(alpha, epsilon, decay, gamma, cut, self.side)
        self.begin_with({"weights": np.zeros(self.layout["weights"].shape)})

    def play(self, games: int) -> None:
        """Play so many more games and learn from them."""
        play_and_learn(
            self.tables, self.board, self.accumulator, self.arrays["weights"], self.opponent,
            self.arrays["learner"], self.arrays["opponent"], self.settings, self.explored, games,
            self.counts,
        )  # fmt: skip
        self.check_finite()


# Afterstate TD on line features: the update rule, and whole games.
#
# The value of a position, for the side that has just moved, is what that side will still gain:
# lines made less lines suffered where lines are counted, else 1 for a win and -1 for a loss. It is
# linear in the features of `features`. After a game, each position is moved towards what its
# side gained until its own next move and the value of the position after that (TD(lambda), from the
# last position backwards, so that one game carries its end to its beginning).
#
# A step is divided by the squared length of the feature vector (normalised least mean squares):
# then alpha is the share of an error that an update removes, whatever the board's size; a plain
# linear TD diverges as soon as some hundred lines share a weight.

Explored = npt.NDArray[np.bool_]  # [cells + 1] whether the move at a ply was a random one


@inline
def td_target(reward: float, gamma: float, trace_decay: float, value: float, later: float) -> float:
    """The value that a position should have: reward, and a mix of the next value and its target."""
    return reward + gamma * ((1.0 - trace_decay) * value + trace_decay * later)


@inline
def normalised_step(alpha: float, error: float, squares: float) -> float:
    """Return the step for a feature that is 1, so that a value moves by alpha * error (NLMS)."""
    return alpha * error / squares


class Settings(NamedTuple):
    """The parameters that the compiled loop reads."""

    alpha: Numbers
    epsilon: Numbers
    trace_decay: float
    gamma: float
    cut: bool
    side: int  # 0, 1, BOTH in turn, or SELF_PLAY


@jit
def play_and_learn(
    tables: Tables, board: Board, accumulator: Accumulator, weights: Values, opponent: PlayerArrays,
    learner: Stream, opponent_stream: Stream, settings: Settings, explored: Explored, games: int,
    counts: Int64s,
) -> None:  # fmt: skip
    """Play `games` games; change the weights after each and count how they end."""
    for number in range(counts[GAMES], counts[GAMES] + games):
        own = side_in_game(settings.side, number)
        epsilon = value_at(settings.epsilon, number)
        begin_game(tables, board, opponent, opponent_stream)
        clear_stones(accumulator)
        while board.counters[STATE] == GOING_ON:
            ply = board.counters[PLY]
            side = ply & 1
            if moves_for(own, side):
                best = draw_best_move(tables, board, accumulator, weights, learner)
                taken = best
                if epsilon > 0 and uniform(learner) < epsilon:
                    taken = int(np.int64(below(learner, board.counters[OPEN])))
                explored[ply] = taken != best
                cell = int(np.int64(board.open_cells[taken]))
            else:
                explored[ply] = False
                cell = int(np.int64(choose(tables, board, opponent, opponent_stream)))
            place(tables, board, cell)
            add_stone(tables, accumulator, cell, side)
        count_game(counts, board.counters[STATE], own)
        alpha = value_at(settings.alpha, number)
        learn(tables, board, accumulator, weights, explored, alpha, settings, own)


@inline
def learn(
    tables: Tables,
    board: Board,
    accumulator: Accumulator,
    weights: Values,
    explored: Explored,
    alpha: float,
    settings: Settings,
    own: int,
) -> None:
    """Undo a finished game move by move, and learn from each position of the learner's.

    The side that has just moved gained nothing by the end of the game when it made it itself: its
    next value and target are 0, and no move of its own comes after.
    """
    last = board.counters[PLY]
    gained, before = 0.0, 0.0  # lines of the move after the position, and of the one after that
    value_0, value_1, target_0, target_1 = 0.0, 0.0, 0.0, 0.0  # of the next position of each side
    for stones in range(last, 0, -1):
        view = (stones - 1) & 1
        if stones < last and moves_for(own, view):
            next_value = value_0 if view == 0 else value_1
            next_target = target_0 if view == 0 else target_1
            target = td_target(
                before - gained, settings.gamma, settings.trace_decay, next_value, next_target
            )
            skipped = stones + 2 <= last and settings.cut and explored[stones + 1]
            value, target = move_towards(
                tables, board, accumulator, weights, view, target, 0.0 if skipped else alpha
            )
            if view == 0:
                value_0, target_0 = value, value if skipped else target
            else:
                value_1, target_1 = value, value if skipped else target
        undo(tables, board)
        cell = board.history[stones - 1]
        remove_stone(tables, accumulator, cell, view)
        completed = board.threat[view, cell]
        before = gained
        gained = reward_of_lines(tables, completed)


@inline
def move_towards(
    tables: Tables,
    board: Board,
    accumulator: Accumulator,
    table: Values,
    view: int,
    target: float,
    alpha: float,
) -> tuple[float, float]:
    """Move the value of the board towards a target; return the new value and the target."""
    features, counts, threats = accumulator.features, accumulator.counts, accumulator.threats
    weights = table[phase_of(tables, features, board.counters[PLY])]
    value = value_of_lines(accumulator, weights, view)
    squares, pair = 1.0, np.uint32(0)
    if features.threats:
        own, other = count_threats(tables, board, accumulator, view)
        pair = pair_feature(own, other)
        value += value_of_threats(accumulator, weights) + weights[pair]
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


# A player that takes the move of the highest value by line features.

LINES_AHEAD = 4.0  # so many more than the other side are near a certain win


class LinePlayer(NamedTuple):
    """The agent for compiled loops."""

    accumulator: Accumulator
    weights: Values  # [phases, features]


@inline
def draw_best_move(
    tables: Tables, board: Board, accumulator: Accumulator, weights: Values, stream: Stream
) -> int:
    """Return the place of the best of the open cells; any of several equally good ones."""
    value_moves(tables, board, accumulator, weights)
    values, count = accumulator.move_values, board.counters[OPEN]
    best, place, equal = values[0], 0, 1
    for i in range(1, count):
        if values[i] > best:
            best, place, equal = values[i], i, 1
        elif values[i] == best:
            equal += 1
    if equal > 1:
        skipped = np.int64(below(stream, equal))
        while skipped > 0:  # `place` is the first of them
            place += 1
            skipped -= np.int64(values[place] == best)
    return place


@inline
def _choose(tables: Tables, board: Board, player: LinePlayer, stream: Stream) -> np.int64:
    """Return the cell of the best move."""
    add_stones(tables, board, player.accumulator)
    best = draw_best_move(tables, board, player.accumulator, player.weights, stream)
    return np.int64(board.open_cells[best])


@inline
def _write(tables: Tables, board: Board, player: LinePlayer, weights: MoveWeights) -> None:
    """Give the best moves equal weights."""
    add_stones(tables, board, player.accumulator)
    value_moves(tables, board, player.accumulator, player.weights)
    values, count = player.accumulator.move_values, board.counters[OPEN]
    best = values[0]
    for i in range(1, count):
        best = max(best, values[i])
    for i in range(count):
        if values[i] == best:
            weights[board.open_cells[i] % tables.columns] = 1.0


@inline
def _value(
    tables: Tables, board: Board, player: LinePlayer, cells: Cells, count: int, values: MoveWeights
) -> None:
    """Return the value of a sum: squashed where lines are counted, else the sum itself."""
    add_stones(tables, board, player.accumulator)
    value_moves(tables, board, player.accumulator, player.weights)
    side, ahead = board.counters[PLY] & 1, 0.0
    if tables.scoring:
        ahead = np.float64(board.counters[SCORE + side] - board.counters[SCORE + 1 - side])
    for i in range(count):
        value = player.accumulator.move_values[board.open_place[cells[i]]]
        values[i] = math.tanh((ahead + value) / LINES_AHEAD) if tables.scoring else value


register_player(LinePlayer, begin_alike, _choose, _write, _value)


@jit
def look_at(tables: Tables, board: Board, accumulator: Accumulator, weights: Values) -> int:
    """Value all moves of a board; return their number."""
    add_stones(tables, board, accumulator)
    value_moves(tables, board, accumulator, weights)
    return board.counters[OPEN]


class LineAgent(BoardAgent):
    """Features of a game with their weights."""

    def __init__(self, name: str, game: Game, features: Features, weights: Values) -> None:
        super().__init__(name, game)
        self.features, self.weights = features, weights

    def arrays_for(self, tables: Tables) -> LinePlayer:
        """Return the agent as arrays for compiled loops."""
        return LinePlayer(new_accumulator(tables, self.features), self.weights)

    def values_on(self, tables: Tables, board: Board) -> CellValues:
        """Return lines to come after each move, or 1 for a win and -1 for a loss."""
        accumulator = new_accumulator(tables, self.features)
        count = look_at(tables, board, accumulator, self.weights)
        return board.open_cells[:count], accumulator.move_values[:count]
