"""The cube paper's learner: a multilayer perceptron as the value of positions, its options, a run.

What the paper leaves open is an option here. The defaults are the one variant that comes near to
both of its tables (docs: the cube paper's page).
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
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
    state_of_line,
)
from inarow.engine.jit import inline, jit
from inarow.engine.players import PlayerArrays, choose
from inarow.engine.rules import Rule, find_cells
from inarow.engine.streams import LEARNER, Stream, below, make_stream, uniform
from inarow.game import Game, InputError
from inarow.learn.agent import (
    SHIELDS,
    ValueNetworkAgent,
    best_of,
    register_value_player,
    rules_of,
    shield_option,
)
from inarow.learn.layers import PRECISIONS, Places, Weights, aligned, logistic, precision_option
from inarow.learn.learner import (
    GAMES,
    BoardTraining,
    Learner,
    Opponent,
    Suits,
    begin_game,
    count_game,
    end_of,
    moves_for,
    side_in_game,
    side_option,
)
from inarow.learn.mlp.network import (
    SHARING,
    Layers,
    Network,
    init_weights,
    network_of,
    network_size,
    parse_layers,
    shares_of,
)
from inarow.learn.mlp.passes import (
    Activations,
    add_stone,
    add_stones,
    clear_stones,
    forward_board,
    learn,
    new_activations,
    score_moves,
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
    written,
)
from inarow.learn.saved import Arrays, Layout, random_stream, real

# Bytes that a weight takes while a network is made, besides what it is saved in, and one that
# a symmetry may take to another: measured.
WEIGHT, SHARED_WEIGHT = 32, 60


class MLP(Learner):
    """Afterstate TD with a value network (cube paper)."""

    name = "mlp"
    suits: ClassVar[Suits] = {"cube": {}, "connect4:6x7": {}}

    network: str = option(
        "deep-structured", "a name, or hidden layers as in lines:4,32", written(parse_layers)
    )
    alpha: str = option("0.005", "step size", schedule_between(0))
    epsilon: str = option("0.1", "share of random moves", schedule_between(0, 1))
    gamma: float = option(1.0, "discount", between(0, 1))
    win_reward: float = option(1.0, "reward of a won game")
    draw_reward: float = option(0.0, "reward of a drawn game")
    loss_reward: float = option(-1.0, "reward of a lost game")
    init_scale: float = option(
        0.5, "initial weights are uniform between plus and minus this", at_least(0)
    )
    bias: bool = option(True, "whether units have biases; the paper's weight counts have none")
    slope: str = option(
        "doubled",
        "the logistic's derivative taken as 1-y^2 (doubled), or 0.5(1-y^2)",
        one_of("doubled", "exact"),
    )
    shield: str = shield_option("win")
    explore: str = option(
        "all", "random moves among all, or those the shield allows", one_of("all", "shielded")
    )
    explored: bool = option(True, "whether a position also learns from a random move after it")
    end: str = option(
        "both",
        "what learns the reward: the last position, the terminal one, or both",
        one_of("both", "last", "terminal"),
    )
    loser: bool = option(
        True, "whether the last position of the side that did not end the game learns"
    )
    side: str = side_option("first")
    sharing: str = option("none", "weights shared by the game's symmetries", one_of(*SHARING))
    precision: str = precision_option()

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """Return the weights, and the random streams of both players."""
        size = network_size(game, self.network, most)
        streams = {"learner": random_stream(), "opponent": random_stream()}
        return {"weights": real((size,), PRECISIONS[self.precision]), **streams}

    def extra_bytes(self, game: Game) -> int:
        """Return the bytes of unrounded first weights, their places and the gradient."""
        shared = 0 if self.sharing == "none" else SHARED_WEIGHT
        return network_size(game, self.network) * (WEIGHT + shared)

    def begin(self, game: Game, opponent: Opponent, seed: int) -> MLPTraining:
        """Return a run from nothing, against itself where there is no opponent."""
        return MLPTraining(self, game, opponent, seed)

    def agent(self, game: Game, seed: int, arrays: Arrays) -> MLPAgent:  # noqa: ARG002
        """Return the agent that takes the move of the highest value."""
        network = network_of(game, self.network)
        return MLPAgent(self.name, network, arrays["weights"], SHIELDS[self.shield])


class MLPTraining(BoardTraining):
    """A run by self-play or against an opponent."""

    def __init__(self, mlp: MLP, game: Game, opponent: Opponent, seed: int) -> None:
        super().__init__(mlp, game, opponent, seed)
        self.network = network_of(game, mlp.network)
        self.shares = shares_of(self.network, mlp.sharing)
        self.settings = settings_of(mlp, game, self.side)
        stream = make_stream(seed, LEARNER, 1)
        weights = init_weights(self.network, mlp.bias, mlp.init_scale, stream)
        if len(self.shares):
            weights = weights[self.shares]
        self.begin_with({"weights": aligned(weights.astype(self.layout["weights"].dtype))})
        self.memory = new_activations(self.network, self.arrays["weights"], len(self.shares) > 0)

    def play(self, games: int) -> None:
        """Play so many more games and learn from them."""
        finite = play_and_learn(
            self.tables, self.board, self.network.layers, self.arrays["weights"], self.memory,
            self.shares, self.opponent, self.arrays["learner"], self.arrays["opponent"],
            self.settings, games, self.counts,
        )  # fmt: skip
        self.check_finite()
        if not finite:
            raise InputError(
                f"training diverged: after {self.games:,} games a value is not a number"
            )


# Whole games of a value network that learns by online TD(0) on afterstates: rule and loop.
#
# Cube paper, Algorithm 1. After each own move the value of the position before it, as it was left
# to the other side, moves towards the value of the new one; at the end, towards the reward. By
# self-play one network learns from both sides' moves, each side's positions from that side's later
# ones; against an opponent, it learns from its own moves alone.

# A whole number of one type: for a 1 as such, callees would be compiled once more.
ONE: Any = np.int64(1)


@inline
def td_target(reward: float, gamma: float, next_value: float, terminal: bool) -> float:
    """Return what the value of the position before should have been (Equation 4)."""
    return reward if terminal else reward + gamma * next_value


class Settings(NamedTuple):
    """The parameters that the compiled loop reads."""

    alpha: Numbers
    epsilon: Numbers
    gamma: float
    rewards: Numbers  # [4] of a game at WINS, DRAWS, LOSSES
    bias: bool
    slope: float
    rules: Int64s  # the shield
    explore_all: bool
    from_explored: bool
    last: bool  # the last position before the end learns the reward, not the terminal's value
    terminal: bool  # the terminal position learns the reward
    loser: bool
    side: int  # 0, 1, BOTH in turn, or SELF_PLAY


def settings_of(mlp: MLP, game: Game, side: int) -> Settings:
    """Return the parameters that the compiled loop reads."""
    return Settings(
        schedule(mlp.alpha).numbers(),
        schedule(mlp.epsilon).numbers(),
        mlp.gamma,
        np.array([0.0, mlp.win_reward, mlp.draw_reward, mlp.loss_reward]),
        mlp.bias,
        1.0 if mlp.slope == "doubled" else 0.5,
        rules_of(SHIELDS[mlp.shield], game),
        mlp.explore == "all",
        mlp.explored,
        mlp.end != "terminal",
        mlp.end != "last",
        mlp.loser,
        side,
    )


@jit
def play_and_learn(
    tables: Tables, board: Board, layers: Layers, weights: Weights, memory: Activations,
    shares: Places, opponent: PlayerArrays, learner_stream: Stream, opponent_stream: Stream,
    settings: Settings, games: int, counts: Int64s,
) -> bool:  # fmt: skip
    """Play `games` games; update `weights` in place and count how they end.

    False if it stopped because a value was no longer a number.
    """
    for number in range(counts[GAMES], counts[GAMES] + games):
        begin_game(tables, board, opponent, opponent_stream)
        clear_stones(memory)
        own = side_in_game(settings.side, number)
        alpha, epsilon = value_at(settings.alpha, number), value_at(settings.epsilon, number)
        error = 0.0
        while board.counters[STATE] == GOING_ON:
            side = board.counters[PLY] & 1
            if moves_for(own, side):
                view = 1 - 2 * side
                forward_board(layers, weights, memory, view)
                cell, target, learns = decide(
                    tables, board, layers, weights, memory, learner_stream, settings, epsilon
                )
                if learns:
                    error += learn(
                        layers, weights, memory, shares, board.history, board.counters[PLY],
                        view, ONE, target, alpha, settings.slope, settings.bias,
                    )  # fmt: skip
            else:
                cell = choose(tables, board, opponent, opponent_stream)
            place(tables, board, cell)
            add_stone(layers, weights, memory, cell, side == 0)
        for less in range(2):  # the terminal position, and the other side's last one before it
            side = (board.counters[PLY] - 1 + less) & 1
            if learns_from_end(board, settings, own, side, less):
                view = 1 - 2 * side
                forward_board(layers, weights, memory, view)
                error += learn(
                    layers, weights, memory, shares, board.history, board.counters[PLY],
                    view, less, settings.rewards[end_of(board.counters[STATE], side)], alpha,
                    settings.slope, settings.bias,
                )  # fmt: skip
        if not np.isfinite(error):
            return False
        count_game(counts, board.counters[STATE], own)
    return True


@inline
def decide(
    tables: Tables,
    board: Board,
    layers: Layers,
    weights: Weights,
    memory: Activations,
    stream: Stream,
    settings: Settings,
    epsilon: float,
) -> tuple[int, float, bool]:
    """The learner's cell, the target for its position before, and whether that one learns."""
    cells, count, at_random = propose(tables, board, memory.found, stream, settings, epsilon)
    cell, score = cells[0], np.nan
    if count > 1:
        score_moves(layers, weights, memory, cells, count)
        chosen = best_of(memory.scores, count)
        cell, score = cells[chosen], memory.scores[chosen]
    if not learns_from_move(board, settings, at_random):
        return cell, 0.0, False
    state = state_after(tables, board, cell)
    if np.isnan(score) and not knows_target(settings, state):  # it was not asked for yet
        memory.found[0] = cell
        score_moves(layers, weights, memory, memory.found, ONE)
        score = memory.scores[0]
    return cell, target_of_move(board, settings, state, score), True


@inline
def propose(
    tables: Tables, board: Board, found: Cells, stream: Stream, settings: Settings, epsilon: float
) -> tuple[Cells, int, bool]:
    """A list that begins with the cells to choose from, their number, and if chance chose one."""
    rule, cells, count = find_cells(tables, board, settings.rules, found)
    at_random = epsilon > 0 and uniform(stream) < epsilon
    if at_random:
        if settings.explore_all:
            cells, count = board.open_cells, board.counters[OPEN]
        found[0] = cells[np.int64(below(stream, count))]
        cells, count = found, 1
    elif rule == Rule.WIN:
        count = 1
    return cells, count, at_random


@inline
def learns_from_move(board: Board, settings: Settings, at_random: bool) -> bool:
    """Return whether the position before learns from a move."""
    return board.counters[PLY] >= 2 and (settings.from_explored or not at_random)


@inline
def knows_target(settings: Settings, state: int) -> bool:
    """Return whether the target is the reward of a move that ends the game, and no value."""
    return state != GOING_ON and settings.last


@inline
def target_of_move(board: Board, settings: Settings, state: int, score: float) -> float:
    """Return what the position before learns from a scored move, and how the game then stands."""
    if knows_target(settings, state):
        reward = settings.rewards[end_of(state, board.counters[PLY] & 1)]
        return td_target(reward, settings.gamma, 0.0, True)
    return td_target(0.0, settings.gamma, logistic(score), False)


@inline
def state_after(tables: Tables, board: Board, cell: int) -> int:
    """Return how the game stands after the side to move plays a cell."""
    side, completed = board.counters[PLY] & 1, board.threat[board.counters[PLY] & 1, cell]
    if completed > 0 and not tables.scoring:
        return state_of_line(tables, side)
    if board.counters[PLY] + 1 < tables.cells:
        return GOING_ON
    lead = board.counters[SCORE + side] + completed - board.counters[SCORE + 1 - side]
    if not tables.scoring or lead == 0:
        return DRAWN
    return FIRST_WON + side if lead > 0 else FIRST_WON + 1 - side


@inline
def learns_from_end(board: Board, settings: Settings, own: int, side: int, less: int) -> bool:
    """Return whether a side's last position learns the reward: the end, or the one before it."""
    if not moves_for(own, side):
        return False
    return settings.terminal if less == 0 else settings.loser and board.counters[PLY] >= 2


# A player that takes the move after which its value network gives the position the most.


class MLPPlayer(NamedTuple):
    """An agent for compiled loops."""

    layers: Layers
    weights: Weights
    memory: Activations
    rules: Int64s  # the shield
    found: Cells  # the memory's
    scores: Weights  # the memory's


class MLPAgent(ValueNetworkAgent):
    """A network with its weights, behind a shield of rules."""

    def __init__(
        self, name: str, network: Network, weights: Weights, shield: tuple[Rule, ...] = (Rule.WIN,)
    ) -> None:
        if weights.shape != (network.size,):
            raise InputError(
                f"{len(weights)} weights do not fit the network on {network.game.name}, "
                f"which has {network.size}"
            )
        super().__init__(name, network.game)
        self.network, self.weights = network, weights
        self.shield = rules_of(shield, network.game)

    def arrays_for(self, tables: Tables) -> MLPPlayer:  # noqa: ARG002 - the network is enough
        """Return the agent as arrays for compiled loops."""
        memory = new_activations(self.network, self.weights, False)
        scratch = memory.found, memory.scores
        return MLPPlayer(self.network.layers, self.weights, memory, self.shield, *scratch)


@inline
def _score_cells(
    _tables: Tables, board: Board, player: MLPPlayer, cells: Cells, count: int
) -> None:
    """The output's sums on a board in the view of the side to move."""
    layers, weights, memory = player.layers, player.weights, player.memory
    add_stones(layers, weights, memory, board)
    forward_board(layers, weights, memory, 1 - 2 * (board.counters[PLY] & 1))
    score_moves(layers, weights, memory, cells, count)


@inline
def _output_of(_player: MLPPlayer, score: float) -> float:
    return logistic(score)


register_value_player(MLPPlayer, _score_cells, _output_of)
