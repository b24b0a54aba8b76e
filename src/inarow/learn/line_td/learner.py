"""TD on line features: its options, and a run."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

import numpy as np

from inarow.game import Game, InputError
from inarow.learn.arrays import Arrays, Layout, random_stream, real
from inarow.learn.learner import Learner, Opponent, Suits
from inarow.learn.line_td.agent import LineAgent
from inarow.learn.line_td.features import Features, count_features, find_features, new_accumulator
from inarow.learn.line_td.loop import Settings, play_and_learn
from inarow.learn.options import at_least, between, one_of, option, schedule_between
from inarow.learn.schedule import schedule
from inarow.learn.training import BoardTraining, side_option


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
        """A game has no more phases than moves."""
        super().check(game, against)
        if self.phases > game.cells:
            raise InputError(
                f"option phases must be between 1 and {game.cells} on {game.name}, "
                f"not {self.phases}"
            )

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """Weights for each phase, and the random streams of both players."""
        size = count_features(game, 1)  # of one kind of lines, which are more work to tell apart
        if most is not None and self.phases * size > most:
            raise InputError(f"{game.name} has {self.phases * size:,} weights, not {most:,}")
        weights = {"weights": real((self.phases, count_features(game)))}
        return {**weights, "learner": random_stream(), "opponent": random_stream()}

    def begin(self, game: Game, opponent: Opponent, seed: int) -> LineTraining:
        """A run from nothing, against itself where no opponent is given."""
        return LineTraining(self, game, opponent, seed)

    def agent(self, game: Game, seed: int, arrays: Arrays) -> LineAgent:  # noqa: ARG002
        """Takes a move of the highest value."""
        return LineAgent(self.name, game, features_of(self, game), arrays["weights"])


@lru_cache(maxsize=4)
def features_of(line_td: LineTD, game: Game) -> Features:
    """What the learner sees of a game."""
    return find_features(game, line_td.phases, line_td.threats)


class LineTraining(BoardTraining):
    """A run, against itself or an opponent."""

    def __init__(self, line_td: LineTD, game: Game, opponent: Opponent, seed: int) -> None:
        super().__init__(line_td, game, opponent, seed)
        self.accumulator = new_accumulator(self.tables, features_of(line_td, game))
        self.explored = np.zeros(game.cells + 1, dtype=np.bool_)
        alpha, epsilon = schedule(line_td.alpha).numbers(), schedule(line_td.epsilon).numbers()
        decay, gamma, cut = line_td.trace_decay, line_td.gamma, line_td.explored == "cut"
        self.settings = Settings(alpha, epsilon, decay, gamma, cut, self.side)
        self.begin_with({"weights": np.zeros(self.layout["weights"].shape)})

    def play(self, games: int) -> None:
        """Plays so many more games and learns from them."""
        play_and_learn(
            self.tables, self.board, self.accumulator, self.arrays["weights"], self.opponent,
            self.arrays["learner"], self.arrays["opponent"], self.settings, self.explored, games,
            self.counts,
        )  # fmt: skip
        self.check_finite()
