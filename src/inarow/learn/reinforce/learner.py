"""Policy gradient by whole games, REINFORCE: its options, and a run.

Two versions. The `sound` one draws its moves from a softmax over the cells that can be played,
and follows the policy gradient: each move's chance grows with what came of it, less what usually
comes at that ply. The `paper` version is what the paper describes, as far as it does: see
`paper_version`. Both have the paper's network (one hidden layer, leaky ReLU), its rewards (+1
for a line made, -1 for one suffered, something for a drawn end), its propagation of rewards
backwards through the game by a factor of 0.8, and RMSprop.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import (
    DRAWN,
    GOING_ON,
    OPEN,
    PLY,
    STATE,
    Board,
    Cells,
    Int64s,
    Tables,
    place,
    reward_of_lines,
    tables_of,
    undo,
)
from inarow.engine.jit import inline, jit, mark_no_inline, no_inline
from inarow.engine.players import MoveWeights as MoveWeights
from inarow.engine.players import PlayerArrays, choose, register_player
from inarow.engine.rules import Rule, ordered_cells
from inarow.engine.streams import LEARNER, Stream, make_stream
from inarow.game import Game, InputError
from inarow.learn.agent import BoardAgent, CellValues, begin_alike, best_of
from inarow.learn.layers import PRECISIONS, Weights, add_row, copy, precision_option
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
from inarow.learn.options import (
    Numbers,
    Schedule,
    at_least,
    between,
    one_of,
    option,
    schedule,
    schedule_between,
    value_at,
)
from inarow.learn.reinforce.network import (
    MAX_HIDDEN,
    Activations,
    Shape,
    add_policy_gradient,
    add_stone,
    add_stones,
    draw_place,
    find_chances,
    find_chances_of,
    init_weights,
    new_activations,
    place_at,
    rmsprop,
    shape_of,
)
from inarow.learn.saved import MAX_GAMES, Arrays, Layout, random_stream, real, whole

RETURN_AS = ("clipped", "label", "weight", "standardised", "positive")  # in the paper's loss
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
        """Raise InputError if the positions of a game do not fit into the replay memory."""
        super().check(game, against)
        if self.version == "paper" and self.replay < game.cells:
            raise InputError(
                f"option replay must be between {game.cells}, the positions of a game, and "
                f"{MAX_REPLAY:,}, not {self.replay}"
            )

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """Return the network and what RMSprop keeps; the mean returns, or the positions kept."""
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
        """Return the bytes of unrounded first weights and of the record of a game."""
        weights = shape_of(game.cells, self.hidden).size
        return 8 * (weights + game.cells * (game.cells + self.hidden))

    def begin(self, game: Game, opponent: Opponent, seed: int) -> ReinforceTraining:
        """Return a run from nothing, against itself where no opponent is given."""
        if self.version == "paper":
            from inarow.learn.reinforce.paper_version import PaperTraining  # a run of this one

            return PaperTraining(self, game, opponent, seed)
        return ReinforceTraining(self, game, opponent, seed)

    def agent(self, game: Game, seed: int, arrays: Arrays) -> PolicyAgent:  # noqa: ARG002
        """Return the agent that plays by the policy."""
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
        """Play so many more games and learn from them."""
        memory = Memory(*(self.arrays[name] for name in Memory._fields))
        play_and_learn(
            self.tables, self.board, self.shape, memory, self.activations, self.record,
            self.opponent, self.arrays["learner"], self.arrays["opponent"], self.settings, games,
            self.counts,
        )  # fmt: skip
        self.check_finite()


# REINFORCE, the sound version: the update rule, and whole games (Williams 1992).

CLIPPED, LABEL, WEIGHT, STANDARDISED, POSITIVE = range(5)  # `RETURN_AS` of the learner, in order


@inline
def propagated(reward: float, factor: float, later: float) -> float:
    """The return of a position: its own reward and a share of the next one's (Equation 4)."""
    return reward + factor * later


@inline
def advantage(gained: float, expected: float) -> float:
    """Return how much better a game went than is usual at that ply."""
    return gained - expected


class Settings(NamedTuple):
    """The parameters that the compiled loop reads."""

    alpha: Numbers
    decay: float
    propagation: float
    draw_reward: float
    entropy: float
    batch: int
    baseline: float
    replay_batch: int
    side: int  # 0, 1, BOTH in turn, or SELF_PLAY
    drawn: bool  # the paper's version draws its moves in training too
    return_as: int  # CLIPPED, LABEL, WEIGHT, STANDARDISED, POSITIVE


class Record(NamedTuple):
    """The game in play, by ply."""

    active: Weights  # [cells, hidden] the hidden units
    chances: Weights  # [cells, cells] of the open cells
    taken: Int64s  # [cells] the place of the cell played
    made: Numbers  # [cells + 1] the reward of the lines that each move completed
    returns: Numbers  # [cells + 2] of each move, when the game is over
    errors: Weights  # [hidden] scratch: of the hidden sums at a ply
    later: Weights  # [hidden] scratch: their sum over all later plies, as the first player sees it


class Memory(NamedTuple):
    """The arrays that learning changes."""

    weights: Weights
    gradient: Weights  # of the moves since the last step
    squares: Weights  # running means
    expected: Numbers  # [cells] the mean return at each ply
    pending: Int64s  # [1] moves since the last step


def new_record(shape: Shape, kind: npt.DTypeLike) -> Record:
    """Return memory for the record of a game."""
    return Record(
        np.zeros((shape.cells, shape.hidden), dtype=kind),
        np.zeros((shape.cells, shape.cells), dtype=kind),
        np.zeros(shape.cells, dtype=np.int64),
        np.zeros(shape.cells + 1),
        np.zeros(shape.cells + 2),
        np.zeros(shape.hidden, dtype=kind),
        np.zeros(shape.hidden, dtype=kind),
    )


@jit
def play_and_learn(
    tables: Tables,
    board: Board,
    shape: Shape,
    memory: Memory,
    activations: Activations,
    record: Record,
    opponent: PlayerArrays,
    learner: Stream,
    opponent_stream: Stream,
    settings: Settings,
    games: int,
    counts: Int64s,
) -> None:
    """Play `games` games; add up their gradients, and make a step after every batch of moves."""
    weights = memory.weights
    for number in range(counts[GAMES], counts[GAMES] + games):
        own = side_in_game(settings.side, number)
        begin_game(tables, board, opponent, opponent_stream)
        activations.stones[:] = 0
        while board.counters[STATE] == GOING_ON:
            ply, side = board.counters[PLY], board.counters[PLY] & 1
            if moves_for(own, side):
                find_chances(board, shape, weights, activations, side)
                chosen = draw_place(activations.chances, board.counters[OPEN], learner)
                keep(activations, record, ply, board.counters[OPEN], chosen)
                cell = int(np.int64(board.open_cells[chosen]))
                memory.pending[0] += 1
            else:
                cell = int(np.int64(choose(tables, board, opponent, opponent_stream)))
            move(tables, board, shape, weights, activations, record, cell)
        count_game(counts, board.counters[STATE], own)
        write_returns(board, record, settings)
        add_gradient(tables, board, shape, memory, record, settings, own)
        if memory.pending[0] >= settings.batch:
            kind = weights.dtype.type
            rmsprop(
                weights,
                memory.gradient,
                memory.squares,
                kind(value_at(settings.alpha, number)),
                kind(settings.decay),
                kind(1.0 / memory.pending[0]),
            )
            memory.pending[0] = 0


@inline
def move(
    tables: Tables,
    board: Board,
    shape: Shape,
    weights: Weights,
    activations: Activations,
    record: Record,
    cell: int,
) -> None:
    """Play a cell, record the lines that it completes, and update the hidden sums."""
    ply, side = board.counters[PLY], board.counters[PLY] & 1
    record.made[ply] = reward_of_lines(tables, board.threat[side, cell])
    place(tables, board, cell)
    add_stone(shape, weights, activations, cell, side)


@inline
def write_returns(board: Board, record: Record, settings: Settings) -> None:
    """The return of each move of a finished game, for the side that made it."""
    made, returns, last = record.made, record.returns, board.counters[PLY] - 1
    end = settings.draw_reward if board.counters[STATE] == DRAWN else 0.0
    made[last + 1] = returns[last + 1] = returns[last + 2] = 0.0
    for ply in range(last, -1, -1):
        reward = made[ply] - made[ply + 1] + (end if ply >= last - 1 else 0.0)
        returns[ply] = propagated(reward, settings.propagation, returns[ply + 2])


@inline
def keep(activations: Activations, record: Record, ply: int, count: int, chosen: int) -> None:
    """Record the network's activations at a ply."""
    copy(record.active[ply], 0, activations.active, 0, len(activations.active))
    copy(record.chances[ply], 0, activations.chances, 0, count)
    record.taken[ply] = chosen


@inline
def add_gradient(
    tables: Tables,
    board: Board,
    shape: Shape,
    memory: Memory,
    record: Record,
    settings: Settings,
    own: int,
) -> None:
    """Undo a finished game move by move, add up its policy gradient, and update the baseline.

    A stone's input weights have a share in every later position, so their gradient is the sum of
    the errors of the hidden sums from then on: one row a stone, and not one a stone and position.
    """
    weights, gradient, expected = memory.weights, memory.gradient, memory.expected
    kind, hidden = weights.dtype.type, shape.hidden
    record.later[:] = 0
    for ply in range(board.counters[PLY] - 1, -1, -1):
        undo(tables, board)
        cell = int(np.int64(board.history[ply]))
        side = ply & 1
        view = 1 - 2 * side
        add_row(gradient, cell * hidden, record.later, 0, hidden, kind(view))
        if moves_for(own, side):
            better = advantage(record.returns[ply], expected[ply])
            expected[ply] += settings.baseline * better
            doubt = kind(settings.entropy)
            add_policy_gradient(
                board,
                shape,
                weights,
                gradient,
                record.active[ply],
                record.chances[ply],
                record.taken[ply],
                record.errors,
                kind(better),
                doubt,
            )
            add_row(record.later, 0, record.errors, 0, hidden, kind(view))


# A player that takes, or draws, the move that its policy network gives the best chance.

MOST_LINES = "most-lines"
UNIFORM = 2**53  # different numbers that `uniform` may draw: the share of each is one of so many


class PolicyPlayer(NamedTuple):
    """The agent for compiled loops."""

    shape: Shape
    weights: Weights
    activations: Activations
    draws: bool  # whether moves are drawn by their chances
    rules: Int64s  # none
    cells: Cells  # [cells] scratch: the open cells in order


@no_inline
def _find_chances(tables: Tables, board: Board, player: PolicyPlayer) -> int:
    """Return the chances of the open cells, in order of cells; returns their number."""
    mark_no_inline()
    _, count = ordered_cells(tables, board, player.rules, player.cells)
    add_stones(tables, board, player.shape, player.weights, player.activations)
    view = board.counters[PLY] & 1
    find_chances_of(player.cells, count, player.shape, player.weights, player.activations, view)
    return count


@inline
def _choose(tables: Tables, board: Board, player: PolicyPlayer, stream: Stream) -> np.int64:
    """Return the cell that the policy plays."""
    count, chances = _find_chances(tables, board, player), player.activations.chances
    if player.draws:
        return np.int64(player.cells[draw_place(chances, count, stream)])
    return np.int64(player.cells[best_of(chances, count)])


@inline
def _write(tables: Tables, board: Board, player: PolicyPlayer, weights: MoveWeights) -> None:
    """The one move that it takes, or for each how many of all random numbers draw it.

    Chances are rounded and the last one takes what is left, so the numbers are counted: the place
    that a number falls on never goes back as the number grows.
    """
    count, chances = _find_chances(tables, board, player), player.activations.chances
    if not player.draws:
        weights[player.cells[best_of(chances, count)] % tables.columns] = 1.0
        return
    before = np.int64(0)
    for index in range(count):
        low, high = before, np.int64(UNIFORM)
        while low < high:  # the first number that falls behind this place
            middle = (low + high) >> 1
            if place_at(chances, count, middle * (1.0 / UNIFORM)) > index:
                high = middle
            else:
                low = middle + 1
        weights[player.cells[index] % tables.columns] = float(low - before)
        before = low


register_player(PolicyPlayer, begin_alike, _choose, _write)


class PolicyAgent(BoardAgent):
    """A policy network with its weights."""

    def __init__(self, name: str, game: Game, shape: Shape, weights: Weights, draws: bool) -> None:
        super().__init__(name, game)
        self.shape, self.weights, self.draws = shape, weights, draws

    def arrays_for(self, tables: Tables) -> PolicyPlayer:
        """Return the agent as arrays for compiled loops."""
        activations = new_activations(self.shape, self.weights.dtype)
        rules, cells = np.array([Rule.END], dtype=np.int64), np.zeros(tables.cells, np.uint32)
        return PolicyPlayer(self.shape, self.weights, activations, self.draws, rules, cells)

    def values_on(self, tables: Tables, board: Board) -> CellValues:
        """Return the chance that the policy gives each move."""
        player = self.arrays_for(tables)
        count = _find_chances(tables, board, player)
        return player.cells[:count], player.activations.chances[:count]


def most_lines(game: Game) -> PolicyAgent:
    """Return the agent that takes the cell that most lines cross, whatever lies on the board.

    A network whose weights are all 0 but for the biases of its outputs: all that one can learn
    without looking. A baseline for those that look.
    """
    shape = shape_of(game.cells, 1)
    weights = np.zeros(shape.size, dtype=np.float32)
    lines = np.diff(tables_of(game).line_start)
    weights[shape.output_bias :] = lines - np.arange(game.cells) / (2 * game.cells)  # ties: lowest
    return PolicyAgent(MOST_LINES, game, shape, weights, draws=False)
