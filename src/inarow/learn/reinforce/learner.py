"""Policy gradient by whole games, REINFORCE: its options, and a run.

Two versions. The `sound` one draws its moves from a softmax over the cells that can be played,
and follows the policy gradient: each move's chance grows with what came of it, less what usually
comes at that ply. The `paper` version is what the paper describes, as far as it does: see
`paper_loop`. Both have the paper's network (one hidden layer, leaky ReLU), its rewards (+1
for a line made, -1 for one suffered, something for a drawn end), its propagation of rewards
backwards through the game by a factor of 0.8, and RMSprop.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from inarow.engine.streams import LEARNER, make_stream
from inarow.game import Game, InputError
from inarow.learn.arrays import MAX_GAMES, Arrays, Layout, random_stream, real, whole
from inarow.learn.learner import Learner, Opponent, Suits
from inarow.learn.options import at_least, between, one_of, option, schedule_between
from inarow.learn.reinforce import paper_loop
from inarow.learn.reinforce.agent import PolicyAgent
from inarow.learn.reinforce.four_boards import BOARDS, new_four
from inarow.learn.reinforce.loop import (
    RETURN_AS,
    Memory,
    Settings,
    new_record,
    play_and_learn,
)
from inarow.learn.reinforce.network import MAX_HIDDEN, init_weights, new_activations, shape_of
from inarow.learn.schedule import Schedule, schedule
from inarow.learn.training import BoardTraining, side_option
from inarow.learn.weights import PRECISIONS, precision_option

MAX_BATCH, MAX_REPLAY = 10**9, 10_000_000
ALPHAS = {"sound": "0.003*0.5/400000>0.0003", "paper": "0.001"}  # libraries' default for RMSprop


class Reinforce(Learner):
    """Policy gradient by whole games (Williams 1992; n-dimensional paper)."""

    name = "reinforce"
    suits: ClassVar[Suits] = {"tictactoe": {}, "ntictactoe:3^3": {}, "ntictactoe:3^4": {}}

    version: str = option(
        "sound", "sound, or paper: arg max, binary cross-entropy and replay", one_of(*ALPHAS)
    )
    hidden: int = option(64, "units of the hidden layer", between(1, MAX_HIDDEN))
    alpha: str = option(
        "", "step size of RMSprop; empty: that of the version", schedule_between(0, optional=True)
    )
    decay: float = option(0.9, "of RMSprop's running mean of squares", between(0, 1))
    propagation: float = option(
        0.8, "factor by which a reward counts one own move earlier", between(0, 1)
    )
    draw_reward: float = option(0.8, "reward of a drawn game")
    entropy: float = option(
        0.01, "weight of the entropy: keeps moves from being ruled out early (sound)", at_least(0)
    )
    batch: int = option(
        2000, "own moves, at least, between two steps (sound)", between(1, MAX_BATCH), "moves"
    )
    baseline: float = option(
        0.01, "how fast the mean return of a ply is updated (sound)", between(0, 1)
    )
    replay: int = option(
        5000, "positions that are kept (paper)", between(1, MAX_REPLAY), "positions"
    )
    replay_batch: int = option(
        1000, "of these, drawn for each step (paper)", between(1, MAX_REPLAY), "positions"
    )
    training_moves: str = option(
        "best", "in training the best move, or one that is drawn (paper)", one_of("best", "drawn")
    )
    return_as: str = option(
        "clipped",
        "how a return enters the loss (paper): as the label of the move, clipped to 0 to 1 or as "
        "it is; or as the loss's weight, as it is, standardised, or only if positive",
        one_of(*RETURN_AS),
    )
    play: str = option(
        "best", "the agent takes the best move, or draws one", one_of("best", "drawn")
    )
    side: str = side_option("both")
    precision: str = precision_option()

    @property
    def step_size(self) -> Schedule:
        """The step size given, or the one of the version."""
        return schedule(self.alpha or ALPHAS[self.version])

    def check(self, game: Game, against: bool) -> None:
        """The positions of a game fit into the replay memory."""
        super().check(game, against)
        if self.version == "paper" and self.replay < game.cells:
            raise InputError(
                f"option replay must be between {game.cells}, the positions of a game, and "
                f"{MAX_REPLAY:,}, not {self.replay}"
            )

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """The network and what RMSprop keeps; the mean returns, or the positions kept."""
        kind, size = PRECISIONS[self.precision], shape_of(game.cells, self.hidden).size
        kept: Layout = {
            "gradient": real((size,), kind),
            "expected": real((game.cells,)),
            "pending": whole((1,), 0, self.batch - 1),
        }
        if self.version == "paper":
            kept = {
                "positions": whole((self.replay, game.cells), -1, 1, np.int8),
                "moves": whole((self.replay,), 0, game.cells - 1),
                "returns": real((self.replay,)),
                "kept": whole((1,), 0, MAX_GAMES * game.cells),
            }
        return {
            "weights": real((size,), kind),
            "squares": real((size,), kind, low=0),
            **kept,
            "learner": random_stream(),
            "opponent": random_stream(),
        }

    def extra_bytes(self, game: Game) -> int:
        """Of the first weights before they are rounded, and of the record of a game."""
        weights = shape_of(game.cells, self.hidden).size
        return 8 * (weights + game.cells * (game.cells + self.hidden))

    def begin(self, game: Game, opponent: Opponent, seed: int) -> ReinforceTraining:
        """A run from nothing, against itself where no opponent is given."""
        kind = PaperTraining if self.version == "paper" else ReinforceTraining
        return kind(self, game, opponent, seed)

    def agent(self, game: Game, seed: int, arrays: Arrays) -> PolicyAgent:  # noqa: ARG002
        """Plays by the policy."""
        shape, draws = shape_of(game.cells, self.hidden), self.play == "drawn"
        return PolicyAgent(self.name, game, shape, arrays["weights"], draws)


class ReinforceTraining(BoardTraining):
    """A run of the sound version, against itself or an opponent."""

    def __init__(self, reinforce: Reinforce, game: Game, opponent: Opponent, seed: int) -> None:
        super().__init__(reinforce, game, opponent, seed)
        self.shape = shape_of(game.cells, reinforce.hidden)
        kind = self.layout["weights"].dtype
        self.activations = new_activations(self.shape, kind)
        self.settings = Settings(
            reinforce.step_size.numbers(),
            reinforce.decay,
            reinforce.propagation,
            reinforce.draw_reward,
            reinforce.entropy,
            reinforce.batch,
            reinforce.baseline,
            reinforce.replay_batch,
            self.side,
            reinforce.training_moves == "drawn",
            RETURN_AS.index(reinforce.return_as),
        )
        arrays = {
            name: np.zeros(field.shape, field.dtype)
            for name, field in self.layout.items()
            if name != "counts"
        }
        arrays["weights"] = init_weights(self.shape, make_stream(seed, LEARNER, 1), kind)
        self.begin_with(arrays)
        self.record = new_record(self.shape, kind)

    def play(self, games: int) -> None:
        """Plays so many more games and learns from them."""
        memory = Memory(*(self.arrays[name] for name in Memory._fields))
        play_and_learn(
            self.tables, self.board, self.shape, memory, self.activations, self.record,
            self.opponent, self.arrays["learner"], self.arrays["opponent"], self.settings, games,
            self.counts,
        )  # fmt: skip
        self.check_finite()


class PaperTraining(ReinforceTraining):
    """A run of the paper's version."""

    def __init__(self, reinforce: Reinforce, game: Game, opponent: Opponent, seed: int) -> None:
        super().__init__(reinforce, game, opponent, seed)
        self.gradient = np.zeros_like(self.arrays["weights"])
        four = new_four(self.shape, self.gradient.dtype)
        moves, labels, weights = np.zeros(BOARDS, np.int64), np.zeros(BOARDS), np.zeros(BOARDS)
        self.drawn = paper_loop.Drawn(four, moves, labels, weights)

    def play(self, games: int) -> None:
        """Plays so many more games and learns from them."""
        replay = paper_loop.Replay(*(self.arrays[name] for name in paper_loop.Replay._fields))
        paper_loop.play_and_replay(
            self.tables, self.board, self.shape, self.arrays["weights"], self.gradient,
            self.arrays["squares"], self.activations, self.record, self.drawn, replay,
            self.opponent, self.arrays["learner"], self.arrays["opponent"], self.settings, games,
            self.counts,
        )  # fmt: skip
        self.check_finite()
