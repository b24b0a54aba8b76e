"""Online TD(0) on afterstates with a value network (cube paper, Algorithm 1).

After each own move the value of the position before it, as it was left to the other side, moves
towards the value of the new one; at the end, towards the reward. By self-play one network learns
from both sides' moves, each side's positions from that side's later ones; against an opponent, it
learns from its own moves alone.

What the paper leaves open is an option here. The defaults are the one reading that comes near to
both of its tables (docs: the cube paper's page).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

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
    clear,
    new_board,
    place,
    state_of_line,
)
from inarow.engine.contest import begin, choose
from inarow.engine.jit import inline, jit
from inarow.engine.rules import Rule, RuleList, find_cells
from inarow.engine.streams import FIRST, LEARNER, Stream, below, make_stream, uniform
from inarow.engine.tables import Int64s, Tables, tables_of
from inarow.game import Game, InputError
from inarow.learn.arrays import Layout, random_stream, real
from inarow.learn.counting import count_game
from inarow.learn.layer_sums import logistic
from inarow.learn.learner import Learner, Training, choice
from inarow.learn.mlp_agent import MLPAgent, best_of, rules_of
from inarow.learn.mlp_learn import learn
from inarow.learn.mlp_play import Memory, add_stone, clear_stones, look, new_memory, score_moves
from inarow.learn.network import (
    KINDS,
    PRECISIONS,
    Layers,
    Places,
    Weights,
    aligned,
    first_weights,
    network_of,
    network_size,
)
from inarow.learn.schedule import Numbers, schedule, value_at
from inarow.learn.sharing import SHARING, shares_of

# A whole number of one type: for a 1 as such, callees would be compiled once more.
ONE: Any = np.int64(1)
# Bytes that a weight takes while a network is made, besides what it is saved in, and one that
# a symmetry may take to another: measured.
WEIGHT, SHARED_WEIGHT = 32, 60
SEATS = ("first", "second", "both")
SLOPES = ("doubled", "exact")
ENDS = ("both", "last", "terminal")
EXPLORED = ("all", "shielded")
SHIELDS: dict[str, tuple[Rule, ...]] = {
    "none": (),
    "win": (Rule.WIN,),
    "block": (Rule.WIN, Rule.BLOCK),
    "safe": (Rule.WIN, Rule.BLOCK, Rule.SAFE),
}


@dataclass(frozen=True)
class MLP(Learner):
    """Parameters; the defaults are the paper's, in the reading that comes nearest to its tables."""

    network: str = "deep-structured"  # a name, or hidden layers as in lines:4,32
    alpha: str = "0.005"  # step size: a number or a schedule
    epsilon: str = "0.1"  # how often a move is random: a number or a schedule
    gamma: float = 1.0  # discount
    win: float = 1.0  # what a won game is worth
    draw: float = 0.0  # a drawn one
    loss: float = -1.0  # a lost one
    reach: float = 0.5  # weights begin uniform between -reach and reach
    bias: bool = True  # whether units have biases; the paper's weight counts leave no room
    slope: str = "doubled"  # the logistic's derivative taken as 1-y^2; exact: as 0.5(1-y^2)
    shield: str = "win"  # rules before the network's choice: none, win, then block, then safe
    explore: str = "all"  # random moves among all moves, or among those the shield allows
    explored: bool = True  # whether a position also learns from a random move after it
    end: str = "both"  # what learns the reward: the last position, the terminal one, or both
    loser: bool = True  # whether the last position of the side that did not end the game learns
    seat: str = "first"  # against an opponent: first, second, or both in turn
    sharing: str = "none"  # weights shared by the game's symmetries: none, invariant, equivariant
    precision: str = "single"  # of weights and sums

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """The weights, and the random streams of both players."""
        kind = KINDS[choice("precision", self.precision, PRECISIONS)]
        streams = {"learner": random_stream(), "opponent": random_stream()}
        return {"weights": real((network_size(game, self.network, most),), kind), **streams}

    def extra_bytes(self, game: Game) -> int:
        """Of the first weights before they are rounded, the places of weights, and the gradient."""
        shared = 0 if self.sharing == "none" else SHARED_WEIGHT
        return network_size(game, self.network) * (WEIGHT + shared)

    def begin(self, game: Game, opponent: Any, seed: int) -> MLPTraining:
        """A run from nothing, against itself where there is no opponent."""
        return MLPTraining(self, game, opponent, seed)


@inline
def td_target(reward: float, gamma: float, next_value: float, terminal: bool) -> float:
    """What the value of the position before should have been (Equation 4)."""
    return reward if terminal else reward + gamma * next_value


class Settings(NamedTuple):
    """The parameters for the compiled loop."""

    alpha: Numbers
    epsilon: Numbers
    gamma: float
    worth: Numbers  # [4] of an end, by how it stands: 1 won, 2 lost, 3 drawn
    bias: bool
    slope: float
    rules: Int64s  # the shield
    explore_all: bool
    from_explored: bool
    last: bool  # the last position before the end learns the reward, not the terminal's value
    terminal: bool  # the terminal position learns the reward
    loser: bool
    seat: int  # 0, 1, or 2 for both in turn
    self_play: bool


class MLPTraining(Training):
    """A run by self-play or against an opponent."""

    def __init__(self, mlp: MLP, game: Game, opponent: Any, seed: int) -> None:
        super().__init__(mlp, game, seed)
        self.mlp, self.network = mlp, network_of(game, mlp.network)
        self.tables = tables_of(game)
        self.board = new_board(self.tables)
        self.shares = shares_of(self.network, mlp.sharing)
        self.opponent = (opponent or RuleList(((),))).compiled(self.tables)
        self.settings = settings_of(mlp, game, opponent is None)
        if not 0 <= mlp.reach < np.inf:
            raise InputError(f"reach is a number from 0, not {mlp.reach}")
        weights = first_weights(self.network, mlp.bias, mlp.reach, make_stream(seed, LEARNER, 1))
        if len(self.shares):
            weights = weights[self.shares]
        self.begin_with(
            {
                "weights": aligned(weights.astype(self.layout["weights"].dtype)),
                "learner": make_stream(seed, LEARNER),
                "opponent": make_stream(seed, FIRST),
            }
        )
        self.memory = new_memory(self.network, self.arrays["weights"], len(self.shares) > 0)

    def play(self, games: int) -> None:
        """Plays so many more games and learns from them."""
        finite = play_and_learn(
            self.tables, self.board, self.network.layers, self.arrays["weights"], self.memory,
            self.shares, self.opponent, self.arrays["learner"], self.arrays["opponent"],
            self.settings, games, self.counts,
        )  # fmt: skip
        self.check_finite()
        if not finite:
            raise InputError(f"training diverged: after {self.games:,} games a value is no number")

    def agent(self) -> MLPAgent:
        """Takes the move of the highest value."""
        return MLPAgent("mlp", self.network, self.arrays["weights"], SHIELDS[self.mlp.shield])


def settings_of(mlp: MLP, game: Game, self_play: bool) -> Settings:
    """The parameters for the compiled loop, checked."""
    end = ENDS[choice("end", mlp.end, ENDS)]
    choice("sharing", mlp.sharing, SHARING)
    shield = SHIELDS[tuple(SHIELDS)[choice("shield", mlp.shield, tuple(SHIELDS))]]
    return Settings(
        schedule(mlp.alpha).numbers(),
        schedule(mlp.epsilon).numbers(),
        mlp.gamma,
        np.array([0.0, mlp.win, mlp.loss, mlp.draw]),
        mlp.bias,
        (1.0, 0.5)[choice("slope", mlp.slope, SLOPES)],
        rules_of(shield, game),
        choice("explore", mlp.explore, EXPLORED) == 0,
        mlp.explored,
        end != "terminal",
        end != "last",
        mlp.loser,
        choice("seat", mlp.seat, SEATS),
        self_play,
    )


@jit
def play_and_learn(
    tables: Tables, board: Board, layers: Layers, weights: Weights, memory: Memory,
    shares: Places, opponent: Any, learner_stream: Stream, opponent_stream: Stream,
    settings: Settings, games: int, counts: Int64s,
) -> bool:  # fmt: skip
    """Plays `games` games, updating `weights` in place and counting how they end.

    False if it stopped because a value was no longer a number.
    """
    for number in range(counts[0], counts[0] + games):
        clear(tables, board)
        clear_stones(memory)
        begin(opponent, opponent_stream)
        seat = settings.seat if settings.seat < 2 else number & 1
        alpha, epsilon = value_at(settings.alpha, number), value_at(settings.epsilon, number)
        error = 0.0
        while board.counters[STATE] == GOING_ON:
            side = board.counters[PLY] & 1
            if settings.self_play or side == seat:
                view = 1 - 2 * side
                look(layers, weights, memory, view)
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
            if learns_from_end(board, settings, seat, side, less):
                view = 1 - 2 * side
                look(layers, weights, memory, view)
                error += learn(
                    layers, weights, memory, shares, board.history, board.counters[PLY],
                    view, less, worth_of(settings, board.counters[STATE], side), alpha,
                    settings.slope, settings.bias,
                )  # fmt: skip
        if not np.isfinite(error):
            return False
        count_game(board, 0 if settings.self_play else seat, counts)
    return True


@inline
def decide(
    tables: Tables, board: Board, layers: Layers, weights: Weights, memory: Memory,
    stream: Stream, settings: Settings, epsilon: float,
) -> tuple[int, float, bool]:  # fmt: skip
    """The learner's cell, the target for its position before, and whether that one learns."""
    rule, cells, count = find_cells(tables, board, settings.rules, memory.found)
    at_random, score = epsilon > 0 and uniform(stream) < epsilon, np.nan
    if at_random:
        if settings.explore_all:
            cells, count = board.open_cells, board.counters[OPEN]
        cell = cells[np.int64(below(stream, count))]
    elif rule == Rule.WIN or count == 1:
        cell = cells[0]
    else:
        score_moves(layers, weights, memory, cells, count)
        chosen = best_of(memory.scores, count)
        cell, score = cells[chosen], memory.scores[chosen]
    if board.counters[PLY] < 2 or (at_random and not settings.from_explored):
        return cell, 0.0, False
    side = board.counters[PLY] & 1
    state = state_after(tables, board, cell)
    if state != GOING_ON and settings.last:
        return cell, td_target(worth_of(settings, state, side), settings.gamma, 0.0, True), True
    if np.isnan(score):  # it was not asked for yet
        memory.found[0] = cell
        score_moves(layers, weights, memory, memory.found, ONE)
        score = memory.scores[0]
    return cell, td_target(0.0, settings.gamma, logistic(score), False), True


@inline
def state_after(tables: Tables, board: Board, cell: int) -> int:
    """How the game stands after the side to move plays a cell."""
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
def worth_of(settings: Settings, state: int, side: int) -> float:
    """What an end is worth to a side."""
    return settings.worth[3 if state == DRAWN else (1 if state == FIRST_WON + side else 2)]


@inline
def learns_from_end(board: Board, settings: Settings, seat: int, side: int, less: int) -> bool:
    """Whether a side's last position learns the reward: the terminal one, or the one before it."""
    if not settings.self_play and side != seat:
        return False
    return settings.terminal if less == 0 else settings.loser and board.counters[PLY] >= 2
