"""Policy gradient by whole games: REINFORCE (Williams 1992; n-dimensional paper).

Two versions. The `sound` one draws its moves from a softmax over the cells that can be played,
and follows the policy gradient: each move's chance grows with what came of it, less what usually
comes at that ply. The `paper` version is what the paper describes, as far as it does: see
`reinforce_paper`. Both have the paper's network (one hidden layer, leaky ReLU), its rewards (+1
for a line made, -1 for one suffered, something for a drawn end), its propagation of rewards
backwards through the game by a factor of 0.8, and RMSprop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from inarow.engine.board import (
    DRAWN,
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
from inarow.engine.streams import FIRST, LEARNER, Stream, make_stream
from inarow.engine.tables import Int64s, Tables, tables_of
from inarow.game import Game, InputError
from inarow.learn.arrays import MAX_GAMES, Layout, random_stream, real, whole
from inarow.learn.counting import count_game
from inarow.learn.layer_sums import add_row, copy
from inarow.learn.learner import Learner, Training, choice
from inarow.learn.network import KINDS, PRECISIONS, Weights
from inarow.learn.policy_agent import PolicyAgent
from inarow.learn.policy_network import (
    MAX_HIDDEN,
    Shape,
    Thoughts,
    add_policy_gradient,
    add_stone,
    draw_place,
    first_weights,
    new_thoughts,
    rmsprop,
    shape_of,
    think,
)
from inarow.learn.schedule import Numbers, Schedule, schedule, value_at

SEATS = ("first", "second", "both")
MAX_BATCH, MAX_REPLAY = 10**9, 10_000_000
VERSIONS = ("sound", "paper")
PLAYS = ("best", "drawn")
ALPHAS = {"sound": "0.003*0.5/400000>0.0003", "paper": "0.001"}  # libraries' default for RMSprop


@dataclass(frozen=True)
class Reinforce(Learner):
    """Parameters."""

    version: str = "sound"  # sound, or paper: arg max, binary cross-entropy and replay
    hidden: int = 64  # units of the hidden layer
    alpha: str = ""  # step size of RMSprop, a number or a schedule; empty: as ALPHAS says
    decay: float = 0.9  # of RMSprop's running mean of squares
    propagation: float = 0.8  # what a reward counts one own move earlier
    draw: float = 0.8  # reward of a drawn end
    entropy: float = 0.01  # what doubt is worth: keeps moves from being ruled out early (sound)
    batch: int = 2000  # own moves, at least, between two steps (sound)
    baseline: float = 0.01  # how fast the mean return of a ply follows (sound)
    replay: int = 5000  # positions that are kept (paper)
    replay_batch: int = 1000  # of these, drawn for each step (paper)
    play: str = "best"  # the agent takes the best move, or a drawn one
    seat: str = "both"  # against an opponent: first, second, or both in turn
    precision: str = "single"  # of weights and sums

    @property
    def step_size(self) -> Schedule:
        """The step size given, or the one of the version."""
        return schedule(self.alpha or ALPHAS[self.version])

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """The network and what RMSprop keeps; the mean returns, or the positions kept."""
        if not 1 <= self.hidden <= MAX_HIDDEN:
            raise InputError(f"hidden must be between 1 and {MAX_HIDDEN}, not {self.hidden}")
        kind = KINDS[choice("precision", self.precision, PRECISIONS)]
        size, kept = shape_of(game.cells, self.hidden).size, self._layout_of_version(game, kind)
        return {
            "weights": real((size,), kind),
            "squares": real((size,), kind, low=0),
            **kept,
            "learner": random_stream(),
            "opponent": random_stream(),
        }

    def _layout_of_version(self, game: Game, kind: Any) -> Layout:
        if choice("version", self.version, VERSIONS) == 0:
            if not 1 <= self.batch <= MAX_BATCH:
                raise InputError(f"batch must be between 1 and {MAX_BATCH:,}, not {self.batch}")
            return {
                "gradient": real((shape_of(game.cells, self.hidden).size,), kind),
                "expected": real((game.cells,)),
                "pending": whole((1,), 0, self.batch - 1),
            }
        if not game.cells <= self.replay <= MAX_REPLAY:
            raise InputError(
                f"replay must be between {game.cells}, the positions of a game, and "
                f"{MAX_REPLAY:,}, not {self.replay}"
            )
        if not 1 <= self.replay_batch <= MAX_REPLAY:
            raise InputError(
                f"replay_batch must be between 1 and {MAX_REPLAY:,}, not {self.replay_batch}"
            )
        return {
            "positions": whole((self.replay, game.cells), -1, 1, np.int8),
            "moves": whole((self.replay,), 0, game.cells - 1),
            "returns": real((self.replay,)),
            "kept": whole((1,), 0, MAX_GAMES * game.cells),
        }

    def extra_bytes(self, game: Game) -> int:
        """Of the first weights before they are rounded, and of the record of a game."""
        weights = shape_of(game.cells, self.hidden).size
        return 8 * (weights + game.cells * (game.cells + self.hidden))

    def begin(self, game: Game, opponent: Any, seed: int) -> ReinforceTraining:
        """A run from nothing, against itself where no opponent is given."""
        if choice("version", self.version, VERSIONS) == 1:
            from inarow.learn.reinforce_paper import PaperTraining

            return PaperTraining(self, game, opponent, seed)
        return ReinforceTraining(self, game, opponent, seed)


@inline
def propagated(reward: float, factor: float, later: float) -> float:
    """The return of a position: its own reward and a share of the next one's (Equation 4)."""
    return reward + factor * later


@inline
def advantage(gained: float, expected: float) -> float:
    """How much better a game went than is usual at that ply."""
    return gained - expected


class Settings(NamedTuple):
    """The parameters for the compiled loop."""

    alpha: Numbers
    decay: float
    propagation: float
    draw: float
    entropy: float
    batch: int
    baseline: float
    seat: int  # 0, 1, 2 for both in turn; 3 where it plays itself


class Record(NamedTuple):
    """The game in play, by ply."""

    active: Weights  # [cells, hidden] the hidden units
    chances: Weights  # [cells, cells] of the open cells
    taken: Int64s  # [cells] the place of the cell played
    errors: Weights  # [hidden] scratch: of the hidden sums at a ply
    later: Weights  # [hidden] scratch: their sum over all later plies, as the first player sees it


class Memory(NamedTuple):
    """What learning changes."""

    weights: Weights
    gradient: Weights  # of the moves since the last step
    squares: Weights  # running means
    expected: Numbers  # [cells] the mean return at each ply
    pending: Int64s  # [1] moves since the last step


class ReinforceTraining(Training):
    """A run, against itself or an opponent."""

    def __init__(self, reinforce: Reinforce, game: Game, opponent: Any, seed: int) -> None:
        super().__init__(reinforce, game, seed)
        self.reinforce, self.tables = reinforce, tables_of(game)
        self.board = new_board(self.tables)
        if not 0 <= reinforce.entropy < np.inf:
            raise InputError(f"entropy must be a number from 0, not {reinforce.entropy}")
        self.shape = shape_of(game.cells, reinforce.hidden)
        kind = self.layout["weights"].dtype
        self.draws = choice("play", reinforce.play, PLAYS) == 1
        seat = choice("seat", reinforce.seat, SEATS)
        self.thoughts = new_thoughts(self.shape, kind)
        self.opponent = (opponent or RuleList(((),))).compiled(self.tables)
        self.settings = Settings(
            reinforce.step_size.numbers(),
            reinforce.decay,
            reinforce.propagation,
            reinforce.draw,
            reinforce.entropy,
            reinforce.batch,
            reinforce.baseline,
            seat if opponent is not None else 3,
        )
        drawn = {
            "weights": first_weights(self.shape, make_stream(seed, LEARNER, 1), kind),
            "learner": make_stream(seed, LEARNER),
            "opponent": make_stream(seed, FIRST),
        }
        self.begin_with(
            {
                name: drawn[name] if name in drawn else np.zeros(field.shape, field.dtype)
                for name, field in self.layout.items()
                if name != "counts"
            }
        )
        self.record = new_record(self.shape, kind)

    def play(self, games: int) -> None:
        """Plays so many more games and learns from them."""
        memory = Memory(*(self.arrays[name] for name in Memory._fields))
        play_and_learn(
            self.tables, self.board, self.shape, memory, self.thoughts, self.record, self.opponent,
            self.arrays["learner"], self.arrays["opponent"], self.settings, games, self.counts,
        )  # fmt: skip
        self.check_finite()

    def agent(self) -> PolicyAgent:
        """Plays by the policy so far."""
        return PolicyAgent("reinforce", self.game, self.shape, self.arrays["weights"], self.draws)


def new_record(shape: Shape, kind: Any) -> Record:
    """Room for a game."""
    return Record(
        np.zeros((shape.cells, shape.hidden), dtype=kind),
        np.zeros((shape.cells, shape.cells), dtype=kind),
        np.zeros(shape.cells, dtype=np.int64),
        np.zeros(shape.hidden, dtype=kind),
        np.zeros(shape.hidden, dtype=kind),
    )


@jit
def play_and_learn(
    tables: Tables, board: Board, shape: Shape, memory: Memory, thoughts: Thoughts,
    record: Record, opponent: Any, learner: Stream, opponent_stream: Stream, settings: Settings,
    games: int, counts: Int64s,
) -> None:  # fmt: skip
    """Plays `games` games, adding up their gradients, with a step after every batch of moves."""
    weights = memory.weights
    for number in range(counts[0], counts[0] + games):
        seat = settings.seat if settings.seat != 2 else number & 1
        clear(tables, board)
        thoughts.stones[:] = 0
        begin(opponent, opponent_stream)
        while board.counters[STATE] == GOING_ON:
            ply = board.counters[PLY]
            side = ply & 1
            if seat == 3 or side == seat:
                think(board, shape, weights, thoughts, side)
                chosen = draw_place(thoughts.chances, board.counters[OPEN], learner)
                keep(thoughts, record, ply, board.counters[OPEN], chosen)
                cell: Any = np.int64(board.open_cells[chosen])
                memory.pending[0] += 1
            else:
                cell = np.int64(choose(tables, board, opponent, opponent_stream))
            place(tables, board, cell)
            add_stone(shape, weights, thoughts, cell, side)
        count_game(board, 0 if seat == 3 else seat, counts)
        add_gradient(tables, board, shape, memory, record, settings, seat)
        if memory.pending[0] >= settings.batch:
            kind = weights.dtype.type
            rmsprop(
                weights, memory.gradient, memory.squares, kind(value_at(settings.alpha, number)),
                kind(settings.decay), kind(1.0 / memory.pending[0]),
            )  # fmt: skip
            memory.pending[0] = 0


@inline
def keep(thoughts: Thoughts, record: Record, ply: int, count: int, chosen: int) -> None:
    """Records what the network thought at a ply."""
    copy(record.active[ply], 0, thoughts.active, 0, len(thoughts.active))
    copy(record.chances[ply], 0, thoughts.chances, 0, count)
    record.taken[ply] = chosen


@inline
def add_gradient(
    tables: Tables, board: Board, shape: Shape, memory: Memory, record: Record,
    settings: Settings, seat: int,
) -> None:  # fmt: skip
    """Takes a finished game back move by move, and adds up the policy gradient of its moves.

    A stone's input weights have a share in every later position, so their gradient is the sum of
    the errors of the hidden sums from then on: one row a stone, and not one a stone and position.
    """
    weights, gradient, expected = memory.weights, memory.gradient, memory.expected
    kind, hidden = weights.dtype.type, shape.hidden
    end = settings.draw if board.counters[STATE] == DRAWN else 0.0
    return_0, return_1, suffered = 0.0, 0.0, 0.0
    last = board.counters[PLY] - 1
    record.later[:] = 0
    for ply in range(last, -1, -1):
        undo(tables, board)
        cell: Any = np.int64(board.history[ply])
        side = ply & 1
        view = 1 - 2 * side
        add_row(gradient, cell * hidden, record.later, 0, hidden, kind(view))
        completed = board.threat[side, cell]
        made = reward_of_lines(tables, completed)
        if seat == 3 or side == seat:
            reward = made - suffered + (end if ply >= last - 1 else 0.0)
            later = return_0 if side == 0 else return_1
            gained = propagated(reward, settings.propagation, later)
            if side == 0:
                return_0 = gained
            else:
                return_1 = gained
            better = advantage(gained, expected[ply])
            expected[ply] += settings.baseline * better
            doubt = kind(settings.entropy)
            add_policy_gradient(
                board, shape, weights, gradient, record.active[ply], record.chances[ply],
                record.taken[ply], record.errors, kind(better), doubt,
            )  # fmt: skip
            add_row(record.later, 0, record.errors, 0, hidden, kind(view))
        suffered = made
