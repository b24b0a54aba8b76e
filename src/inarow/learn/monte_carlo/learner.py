"""The max-min document's third player, deep Monte Carlo: its options, and a run.

The document says neither network nor numbers: the defaults were found by trial, in tic-tac-toe
and in Connect Four.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from inarow.engine.streams import LEARNER, make_stream
from inarow.game import Game
from inarow.learn.arrays import Arrays, Layout, random_stream, real
from inarow.learn.learner import ITSELF, Learner, Opponent, Suits
from inarow.learn.monte_carlo.agent import ValueAgent
from inarow.learn.monte_carlo.loop import Room, Settings, play_and_learn
from inarow.learn.monte_carlo.network import (
    ACTIVATIONS,
    ENCODINGS,
    MAX_HIDDEN,
    ValueShape,
    init_weights,
    new_activations,
    value_shape,
)
from inarow.learn.options import at_least, between, one_of, option, schedule_between
from inarow.learn.schedule import schedule
from inarow.learn.shield import SHIELDS, rules_of, shield_option
from inarow.learn.training import BoardTraining
from inarow.learn.weights import PRECISIONS, precision_option


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
        """The network."""
        encoding, activation = ENCODINGS.index(self.encoding), ACTIVATIONS.index(self.activation)
        return value_shape(game.cells, self.hidden, encoding, activation)

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """The weights, and a random stream."""
        size, kind = self.shape(game).size, PRECISIONS[self.precision]
        return {"weights": real((size,), kind), "learner": random_stream()}

    def extra_bytes(self, game: Game) -> int:
        """Of the first weights before they are rounded."""
        return 8 * self.shape(game).size

    def begin(self, game: Game, opponent: Opponent, seed: int) -> MonteCarloTraining:
        """A run from nothing."""
        return MonteCarloTraining(self, game, opponent, seed)

    def agent(self, game: Game, seed: int, arrays: Arrays) -> ValueAgent:  # noqa: ARG002
        """Takes the move of the best value, behind the same shield."""
        shield = SHIELDS[self.shield]
        return ValueAgent(self.name, game, self.shape(game), arrays["weights"], shield)


class MonteCarloTraining(BoardTraining):
    """A run."""

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
        """Plays so many more games and learns from them."""
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
