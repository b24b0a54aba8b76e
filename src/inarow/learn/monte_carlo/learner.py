"""The max-min document's third player, deep Monte Carlo: its options, and a run.

The document says neither network nor numbers: the defaults were found by trial, in tic-tac-toe
and in Connect Four.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from inarow.engine.board import GOING_ON, PLY, STATE, Board, Cells, Int64s, Tables, clear, place
from inarow.engine.jit import inline, jit
from inarow.engine.rules import Rule, find_cells
from inarow.engine.streams import LEARNER, Stream, below, make_stream, uniform
from inarow.game import Game
from inarow.learn.agent import (
    SHIELDS,
    ValueNetworkAgent,
    best_of,
    register_value_player,
    rules_of,
    shield_option,
)
from inarow.learn.layers import PRECISIONS, Weights, add_row, precision_option
from inarow.learn.learner import (
    GAMES,
    ITSELF,
    SELF_PLAY,
    BoardTraining,
    Learner,
    Opponent,
    Suits,
    count_game,
    value_of_end,
)
from inarow.learn.monte_carlo.network import (
    ACTIVATIONS,
    ENCODINGS,
    MAX_HIDDEN,
    RELU,
    Activations,
    ValueShape,
    add_stone,
    add_stones,
    chance,
    clear_stones,
    init_weights,
    new_activations,
    relu_back,
    relu_back_other,
    relu_back_own,
    row_of,
    score_moves,
    step_back,
    take_back,
    value_of,
    value_shape,
    view_of,
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


class MonteCarlo(Learner):
    """Deep Monte Carlo against itself (max-min paper)."""

    name = "monte_carlo"
    opponents = (ITSELF,)
    suits: ClassVar[Suits] = {"tictactoe": {}, "connect4:6x7": {}}

    hidden: int = option(64, "units of the hidden layer", between(1, MAX_HIDDEN))
    alpha: str = option("0.2*0.9/10000>0.02", "step size", schedule_between(0))
    epsilon: str = option("0.3", "share of random moves", schedule_between(0, 1))
    gamma: float = option(
        0.9, "discount a ply: early positions learn less from a far end", between(0, 1)
    )
    loss_function: str = option(
        "squared",
        "as printed, or cross-entropy: the same without the slope v (1 - v)",
        one_of("squared", "cross-entropy"),
    )
    activation: str = option("relu", "of the hidden units", one_of(*ACTIVATIONS))
    encoding: str = option(
        "own",
        "stones as own and other's, or as the first's and the second's (sides)",
        one_of(*ENCODINGS),
    )
    shield: str = shield_option("none")
    init_scale: float = option(1.0, "scale of the first weights, times Glorot's", at_least(0))
    precision: str = precision_option()

    def shape(self, game: Game) -> ValueShape:
        """Return the shape of the network on a game."""
        encoding, activation = ENCODINGS.index(self.encoding), ACTIVATIONS.index(self.activation)
        return value_shape(game.cells, self.hidden, encoding, activation)

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """Return the arrays: the weights, and a random stream."""
        size, kind = self.shape(game).size, PRECISIONS[self.precision]
        return {"weights": real((size,), kind), "learner": random_stream()}

    def extra_bytes(self, game: Game) -> int:
        """Return the bytes of the first weights before they are rounded."""
        return 8 * self.shape(game).size

    def begin(self, game: Game, opponent: Opponent, seed: int) -> MonteCarloTraining:
        """Begin a run from nothing."""
        return MonteCarloTraining(self, game, opponent, seed)

    def agent(self, game: Game, seed: int, arrays: Arrays) -> ValueAgent:  # noqa: ARG002
        """Return the agent that takes the move of the best value, behind the same shield."""
        shield = SHIELDS[self.shield]
        return ValueAgent(self.name, game, self.shape(game), arrays["weights"], shield)


class MonteCarloTraining(BoardTraining):
    """A training run of `MonteCarlo`."""

    def __init__(self, learner: MonteCarlo, game: Game, opponent: Opponent, seed: int) -> None:
        super().__init__(learner, game, opponent, seed)
        self.shape = learner.shape(game)
        self.settings = Settings(
            schedule(learner.alpha).numbers(),
            schedule(learner.epsilon).numbers(),
            learner.gamma,
            learner.loss_function == "squared",
            rules_of(SHIELDS[learner.shield], game),
        )
        kind = self.layout["weights"].dtype
        self.room = Room(
            new_activations(self.shape, kind),
            np.zeros((2, learner.hidden), dtype=kind),
            np.zeros(game.cells, dtype=np.uint32),
        )
        stream = make_stream(seed, LEARNER, 1)
        self.begin_with({"weights": init_weights(self.shape, learner.init_scale, stream, kind)})

    def play(self, games: int) -> None:
        """Play so many more games and learn from them."""
        play_and_learn(
            self.tables,
            self.board,
            self.shape,
            self.arrays["weights"],
            self.room,
            self.arrays["learner"],
            self.settings,
            games,
            self.counts,
        )
        self.check_finite()


# Deep Monte Carlo: whole games, and how a network learns from their ends (max-min document).
#
# Algorithm 3. A whole game is played against itself: each side moves at random with chance epsilon,
# else the first player takes the move after which the value v(theta, s) is highest, the second the
# one after which it is lowest. Then, from the last position s_T back to the empty board s_0,
#
#     theta <- theta - alpha [v(theta, s_t) - (gamma^(T-t) r + 1) / 2] grad v(theta, s_t)
#
# with r = 1, -1 or 0 as the first player won, lost or drew. Step size and epsilon fall every so
# many games. With encoding `own` the network sees the board from the side that has just moved, with
# its chance w as output; that is v = w after a move of the first player and v = 1 - w after one of
# the second, so the step above is the same for w with the reward of that side.


@inline
def target_of(discounted: float) -> float:
    """Return what v should have been, by the discounted end: (gamma^(T-t) r + 1) / 2."""
    return (discounted + 1.0) / 2.0


@inline
def output_error(alpha: float, value: float, target: float, squared: bool) -> float:
    """Return by how much the output's sum is too high, times the step size.

    The slope of the logistic function belongs to the squared loss; cross-entropy cancels it.
    """
    return alpha * (value - target) * (value * (1.0 - value) if squared else 1.0)


class Settings(NamedTuple):
    """The parameters that the compiled loop reads."""

    alpha: Numbers
    epsilon: Numbers
    gamma: float
    squared: bool
    rules: Int64s  # the shield


class Room(NamedTuple):
    """Scratch memory of a loop."""

    sums: Activations
    changes: Weights  # [2, hidden] what rows of inputs have to change by, in each view
    found: Cells  # [cells] what the shield found


@jit
def play_and_learn(
    tables: Tables,
    board: Board,
    shape: ValueShape,
    weights: Weights,
    room: Room,
    learner: Stream,
    settings: Settings,
    games: int,
    counts: Int64s,
) -> None:
    """Play `games` games and learn from each when it is over."""
    for number in range(counts[GAMES], counts[GAMES] + games):
        epsilon = value_at(settings.epsilon, number)
        clear(tables, board)
        clear_stones(shape, weights, room.sums)
        while board.counters[STATE] == GOING_ON:
            side = board.counters[PLY] & 1
            cell = choose_move(tables, board, shape, weights, room, learner, settings, epsilon)
            place(tables, board, cell)
            add_stone(shape, weights, room.sums, cell, side)
        count_game(counts, board.counters[STATE], SELF_PLAY)
        learn(board, shape, weights, room, settings, value_at(settings.alpha, number))


@inline
def choose_move(
    tables: Tables,
    board: Board,
    shape: ValueShape,
    weights: Weights,
    room: Room,
    learner: Stream,
    settings: Settings,
    epsilon: float,
) -> int:
    """Return the epsilon-max-min-greedy move, among those that the shield allows."""
    rule, cells, count = find_cells(tables, board, settings.rules, room.found)
    if epsilon > 0 and uniform(learner) < epsilon:
        return int(np.int64(cells[np.uint32(below(learner, count))]))
    if rule == Rule.WIN or count == 1:
        return int(np.int64(cells[0]))
    score_moves(board, shape, weights, room.sums, cells, count)
    return int(np.int64(cells[np.uint32(best_of(room.sums.scores, count))]))


@inline
def learn(
    board: Board, shape: ValueShape, weights: Weights, room: Room, settings: Settings, alpha: float
) -> None:
    """Learn from a finished game, a step at each position from the last back to the empty board."""
    kind, state, sums = weights.dtype.type, board.counters[STATE], room.sums
    end = value_of_end(state)
    room.changes[:] = 0
    last = board.counters[PLY]
    value = value_of(shape, weights, sums, view_of(shape, (last + 1) & 1))
    for stones in range(last, -1, -1):
        view = view_of(shape, (stones + 1) & 1)  # of the side that has just moved
        target = target_of(-end if view == 1 else end)
        error = kind(output_error(alpha, value, target, settings.squared))
        if stones > 0:
            value = step_and_take_back(board, shape, weights, room, stones, error)
        else:
            active, changes = sums.active, room.changes[view]
            step_back(shape, weights, sums.hidden[view], active, changes, error, kind(1))
        if stones <= 1:
            settle_biases(shape, weights, room)
            value = value_of(shape, weights, sums, view_of(shape, 1))
        end *= settings.gamma


@inline
def step_and_take_back(
    board: Board, shape: ValueShape, weights: Weights, room: Room, stones: int, error: float
) -> float:
    """Make a step for the position after so many stones, then take the last one back.

    The value of the position before it.
    """
    kind, sums, changes, mover = weights.dtype.type, room.sums, room.changes, (stones + 1) & 1
    seen, cell = kind(stones + 1), board.history[np.uint32(stones - 1)]
    view = view_of(shape, mover)
    other, own_row = 1 - view, row_of(shape, cell, mover, view)
    own, others = sums.hidden[view], sums.hidden[other]
    other_row = row_of(shape, cell, mover, other)
    if shape.activation == RELU:
        if shape.views == 1:
            score = relu_back(shape, weights, own, changes[view], error, seen, own_row)
        else:
            relu_back_own(shape, weights, own, sums.active, changes[view], error, seen, own_row)
            score = relu_back_other(shape, weights, others, sums.active, changes[other], other_row)
        return chance(score + weights[np.uint64(shape.output_bias)])
    step_back(shape, weights, own, sums.active, changes[view], error, seen)
    take_back(own, weights, own_row, changes[view])
    if shape.views == 1:
        return value_of(shape, weights, sums, view)
    # The hidden biases are in the sums of the other view, too.
    add_row(others, 0, sums.active, 0, shape.hidden, kind(-1))
    take_back(others, weights, other_row, changes[other])
    return value_of(shape, weights, sums, other)


@inline
def settle_biases(shape: ValueShape, weights: Weights, room: Room) -> None:
    """Let the hidden biases learn what all positions changed, and be the empty board's sums.

    Exactly: where a bias is still 0 a rounding error would decide whether its unit is active.
    """
    for view in range(shape.views):
        add_row(
            weights, shape.hidden_bias, room.changes[view], 0, shape.hidden, weights.dtype.type(-1)
        )
    room.changes[:] = 0
    clear_stones(shape, weights, room.sums)


# A player that takes the move after which its value network gives the board the best chance.


class MonteCarloPlayer(NamedTuple):
    """An agent for compiled loops."""

    shape: ValueShape
    weights: Weights
    sums: Activations
    rules: Int64s  # the shield
    found: Cells  # [cells] scratch: what the shield found
    scores: Weights  # those of the sums


class ValueAgent(ValueNetworkAgent):
    """A value network with its weights, behind a shield of rules."""

    def __init__(
        self, name: str, game: Game, shape: ValueShape, weights: Weights, shield: tuple[Rule, ...]
    ) -> None:
        super().__init__(name, game)
        self.shape, self.weights, self.shield = shape, weights, rules_of(shield, game)

    def arrays_for(self, tables: Tables) -> MonteCarloPlayer:
        """Return the agent as arrays for compiled loops."""
        sums = new_activations(self.shape, self.weights.dtype)
        found = np.zeros(tables.cells, np.uint32)
        return MonteCarloPlayer(self.shape, self.weights, sums, self.shield, found, sums.scores)


@inline
def _score_cells(
    tables: Tables, board: Board, player: MonteCarloPlayer, cells: Cells, count: int
) -> None:
    """The output's sums, the higher the better for the side to move."""
    add_stones(tables, board, player.shape, player.weights, player.sums)
    score_moves(board, player.shape, player.weights, player.sums, cells, count)


@inline
def _output_of(_player: MonteCarloPlayer, score: float) -> float:
    return chance(score)


register_value_player(MonteCarloPlayer, _score_cells, _output_of)
