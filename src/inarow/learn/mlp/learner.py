"""The cube paper's learner: a multilayer perceptron as the value of positions, its options, a run.

What the paper leaves open is an option here. The defaults are the one variant that comes near to
both of its tables (docs: the cube paper's page).
"""

from __future__ import annotations

from typing import ClassVar

from inarow.engine.streams import LEARNER, make_stream
from inarow.game import Game, InputError
from inarow.learn.arrays import Arrays, Layout, random_stream, real
from inarow.learn.learner import Learner, Opponent, Suits
from inarow.learn.mlp.activations import new_activations
from inarow.learn.mlp.agent import MLPAgent
from inarow.learn.mlp.loop import play_and_learn, settings_of
from inarow.learn.mlp.network import init_weights, network_of, network_size, parse_layers
from inarow.learn.mlp.weight_sharing import SHARING, shares_of
from inarow.learn.options import at_least, between, one_of, option, schedule_between, written
from inarow.learn.shield import SHIELDS, shield_option
from inarow.learn.training import BoardTraining, side_option
from inarow.learn.weights import PRECISIONS, aligned, precision_option

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
        "doubled", "the logistic's derivative taken as 1-y^2 (doubled), or 0.5(1-y^2)",
        one_of("doubled", "exact"),
    )  # fmt: skip
    shield: str = shield_option("win")
    explore: str = option(
        "all", "random moves among all, or those the shield allows", one_of("all", "shielded")
    )
    explored: bool = option(True, "whether a position also learns from a random move after it")
    end: str = option(
        "both", "what learns the reward: the last position, the terminal one, or both",
        one_of("both", "last", "terminal"),
    )  # fmt: skip
    loser: bool = option(
        True, "whether the last position of the side that did not end the game learns"
    )
    side: str = side_option("first")
    sharing: str = option("none", "weights shared by the game's symmetries", one_of(*SHARING))
    precision: str = precision_option()

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """The weights, and the random streams of both players."""
        size = network_size(game, self.network, most)
        streams = {"learner": random_stream(), "opponent": random_stream()}
        return {"weights": real((size,), PRECISIONS[self.precision]), **streams}

    def extra_bytes(self, game: Game) -> int:
        """Of the first weights before they are rounded, the places of weights, and the gradient."""
        shared = 0 if self.sharing == "none" else SHARED_WEIGHT
        return network_size(game, self.network) * (WEIGHT + shared)

    def begin(self, game: Game, opponent: Opponent, seed: int) -> MLPTraining:
        """A run from nothing, against itself where there is no opponent."""
        return MLPTraining(self, game, opponent, seed)

    def agent(self, game: Game, seed: int, arrays: Arrays) -> MLPAgent:  # noqa: ARG002
        """Takes the move of the highest value."""
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
        """Plays so many more games and learns from them."""
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
