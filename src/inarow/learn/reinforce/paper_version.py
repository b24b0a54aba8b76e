"""The n-dimensional paper's policy gradient, as far as it is described.

The move is the playable cell with the highest output of a softmax over all cells. The loss is the
binary cross-entropy between these outputs and the labels, the mean over all cells: the label of
the move taken is its return, clipped to 0 to 1, that of all other cells is 0. After each game there
is one step of RMSprop on a batch of positions drawn from the last ones.

The paper does not say how the reward enters the loss, how often a step is made, how large the
hidden layer is, nor the step size. A return that is a label makes sense of a *binary* cross-entropy
and of the paper's results; as the weight of a loss with the move labelled 1, little is learned in
three dimensions (`return_as` has the variants that were tried). Another option: moves of training
are drawn from the softmax over the playable cells, since the paper speaks of sampled trajectories.

The network runs at four positions at once: each row of weights is read once for all of them.
Numbers of a cell stand together, one for each of the four positions: [cell * 4 + position]. The
hidden units of a position follow each other: [position * hidden + unit]. Measured, with gradients:
about half of the time of four positions one after the other.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import GOING_ON, OPEN, PLY, STATE, Board, Int64s, Tables, undo
from inarow.engine.jit import inline, inline_sums, jit
from inarow.engine.players import PlayerArrays, choose
from inarow.engine.streams import Stream, below
from inarow.game import Game
from inarow.learn.agent import best_of
from inarow.learn.layers import Weights, add_all_rows, add_row, copy, logistic
from inarow.learn.learner import GAMES, Opponent, begin_game, count_game, moves_for, side_in_game
from inarow.learn.options import Numbers, value_at
from inarow.learn.reinforce.learner import (
    CLIPPED,
    LABEL,
    POSITIVE,
    STANDARDISED,
    Record,
    Reinforce,
    ReinforceTraining,
    Settings,
    move,
    write_returns,
)
from inarow.learn.reinforce.network import (
    Activations,
    Shape,
    back_through_units,
    draw_place,
    find_chances,
    leaky,
    rmsprop,
)

BOARDS = 4


class Four(NamedTuple):
    """Four positions, and what the network makes of them."""

    seen: Weights  # [cells * 4] own stones 1, the other's -1
    active: Weights  # [4 * hidden] the hidden units
    chances: Weights  # [cells * 4] a softmax over all cells
    errors: Weights  # [cells * 4] of the outputs: what the gradient is asked for
    passed: Weights  # [4 * hidden] scratch: the errors of the hidden sums


def new_four(shape: Shape, kind: npt.DTypeLike) -> Four:
    """Return memory for four positions."""
    by_cell, by_unit = shape.cells * BOARDS, shape.hidden * BOARDS
    sizes = (by_cell, by_unit, by_cell, by_cell, by_unit)
    return Four(*(np.zeros(size, dtype=kind) for size in sizes))


@inline_sums
def add_to_four(
    sums: Weights, weights: Weights, start: int, width: int, factors: Weights, count: int
) -> None:
    """Add rows that follow each other to four sums: to sum m the row times factors[4 row + m].

    Two rows at a time, so that a sum is read and written once for both.
    """
    w, at = np.uint64(width), np.uint64(start)
    one, two, three, four = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    second, third, fourth = w, two * w, three * w
    for n in range(np.uint64(0), np.uint64(count - count % 2), two):
        f, a = n * four, at + n * w
        b, g = a + w, f + four
        a1, a2, a3, a4 = factors[f], factors[f + one], factors[f + two], factors[f + three]
        b1, b2, b3, b4 = factors[g], factors[g + one], factors[g + two], factors[g + three]
        for i in range(w):
            x, y = weights[a + i], weights[b + i]
            sums[i] += a1 * x + b1 * y
            sums[second + i] += a2 * x + b2 * y
            sums[third + i] += a3 * x + b3 * y
            sums[fourth + i] += a4 * x + b4 * y
    if count % 2:
        f, a = np.uint64(count - 1) * four, at + np.uint64(count - 1) * w
        a1, a2, a3, a4 = factors[f], factors[f + one], factors[f + two], factors[f + three]
        for i in range(w):
            x = weights[a + i]
            sums[i] += a1 * x
            sums[second + i] += a2 * x
            sums[third + i] += a3 * x
            sums[fourth + i] += a4 * x


@inline_sums
def dots_with_four(
    weights: Weights, start: int, width: int, active: Weights, bias: float, found: Weights, to: int
) -> None:
    """The sums of products of one row with each of four, and a bias."""
    w, a, t = np.uint64(width), np.uint64(start), np.uint64(to)
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    second, third, fourth = w, two * w, three * w
    total_1 = total_2 = total_3 = total_4 = bias
    for i in range(w):
        x = weights[a + i]
        total_1 += x * active[i]
        total_2 += x * active[second + i]
        total_3 += x * active[third + i]
        total_4 += x * active[fourth + i]
    found[t], found[t + one], found[t + two], found[t + three] = total_1, total_2, total_3, total_4


@inline
def find_chances_of_four(shape: Shape, weights: Weights, four: Four) -> None:
    """The hidden units of the positions seen, and the chance of every cell, playable or not."""
    hidden, active = shape.hidden, four.active
    for board in range(BOARDS):
        copy(active, board * hidden, weights, shape.hidden_bias, hidden)
    add_to_four(active, weights, 0, hidden, four.seen, shape.cells)
    leaky(active, len(active))
    for cell in range(shape.cells):
        bias = weights[np.uint64(shape.output_bias + cell)]
        row = shape.outputs + cell * hidden
        dots_with_four(weights, row, hidden, active, bias, four.chances, cell * BOARDS)
    _softmax(four.chances)


@inline
def _softmax(numbers: Weights) -> None:
    """The numbers of each position as chances that add up to one."""
    end, step = np.uint64(len(numbers)), np.uint64(BOARDS)
    for board in range(np.uint64(BOARDS)):
        highest = numbers[board]
        for at in range(board, end, step):
            highest = max(highest, numbers[at])
        for at in range(board, end, step):
            numbers[at] = highest - numbers[at]
    _fall(numbers, len(numbers))
    for board in range(np.uint64(BOARDS)):
        total = numbers.dtype.type(0)
        for at in range(board, end, step):
            total += numbers[at]
        share = numbers.dtype.type(1) / total
        for at in range(board, end, step):
            numbers[at] *= share


@inline_sums
def _fall(numbers: Weights, count: int) -> None:
    """Write e^-x of each number, none of them below 0; to one unit in the last place of 1.

    By way of the logistic function, which is arithmetic: the library's exponential is a call for
    each number (measured: a quarter of the whole time).
    """
    one = numbers.dtype.type(1)
    for i in range(np.uint64(count)):
        scaled = logistic(numbers[i])
        numbers[i] = (one - scaled) / (one + scaled)


@inline
def add_gradient_of_four(shape: Shape, weights: Weights, gradient: Weights, four: Four) -> None:
    """Add the gradient of the outputs' sums, each times its error, over all four positions."""
    hidden, errors, passed = shape.hidden, four.errors, four.passed
    passed[:] = 0
    add_to_four(passed, weights, shape.outputs, hidden, errors, shape.cells)
    back_through_units(four.active, passed, len(passed))
    for board in range(BOARDS):
        one = weights.dtype.type(1)
        add_row(gradient, shape.hidden_bias, passed, board * hidden, hidden, one)
    for cell in range(shape.cells):
        at, place = np.uint64(shape.output_bias + cell), np.uint64(cell * BOARDS)
        for board in range(BOARDS):
            gradient[at] += errors[place + np.uint64(board)]
        row = shape.outputs + cell * hidden
        add_all_rows(gradient, row, four.active, 0, hidden, errors, cell * BOARDS, BOARDS)
        add_all_rows(gradient, cell * hidden, passed, 0, hidden, four.seen, cell * BOARDS, BOARDS)


LEAST = 1e-7  # outputs are kept this far from 0 and 1 in the loss, as libraries do


class Replay(NamedTuple):
    """The last positions of the learner, in a ring."""

    positions: npt.NDArray[np.int8]  # [replay, cells] own stones 1, the other's -1
    moves: Int64s  # [replay] the cell played
    returns: Numbers  # [replay]
    kept: Int64s  # [1] positions kept so far, with those that were forgotten


class Drawn(NamedTuple):
    """Four positions of a batch."""

    four: Four
    moves: Int64s  # [4]
    labels: Numbers  # [4] of the moves
    weights: Numbers  # [4] of the losses


@jit
def play_and_replay(
    tables: Tables, board: Board, shape: Shape, weights: Weights, gradient: Weights,
    squares: Weights, activations: Activations, record: Record, drawn: Drawn, replay: Replay,
    opponent: PlayerArrays, learner: Stream, opponent_stream: Stream, settings: Settings,
    games: int, counts: Int64s,
) -> None:  # fmt: skip
    """Play `games` games, with a step on a batch of positions after each."""
    kind, batch = weights.dtype.type, settings.replay_batch
    for number in range(counts[GAMES], counts[GAMES] + games):
        own = side_in_game(settings.side, number)
        begin_game(tables, board, opponent, opponent_stream)
        activations.stones[:] = 0
        while board.counters[STATE] == GOING_ON:
            side = board.counters[PLY] & 1
            if moves_for(own, side):
                # The best of all playable cells is the best of a softmax over these alone.
                find_chances(board, shape, weights, activations, side)
                if settings.drawn:
                    chosen = draw_place(activations.chances, board.counters[OPEN], learner)
                else:
                    chosen = best_of(activations.chances, board.counters[OPEN])
                cell: Any = np.int64(board.open_cells[chosen])
            else:
                cell = np.int64(choose(tables, board, opponent, opponent_stream))
            move(tables, board, shape, weights, activations, record, cell)
        count_game(counts, board.counters[STATE], own)
        write_returns(board, record, settings)
        remember(tables, board, record, replay, own)
        known = min(replay.kept[0], len(replay.moves))
        if known == 0:  # the game was over before the learner's first move
            continue
        shift, scale = standard(replay.returns, known, settings.return_as)
        for start in range(0, batch, BOARDS):
            count = min(batch - start, BOARDS)
            draw_four(learner, replay, known, count, shift, scale, settings.return_as, drawn)
            add_loss_gradient(shape, weights, gradient, drawn)
        rmsprop(
            weights,
            gradient,
            squares,
            kind(value_at(settings.alpha, number)),
            kind(settings.decay),
            kind(-1.0 / batch),
        )


@inline
def draw_four(
    learner: Stream,
    replay: Replay,
    known: int,
    count: int,
    shift: float,
    scale: float,
    return_as: int,
    drawn: Drawn,
) -> None:
    """Draw positions; where fewer than four are wanted the others have no weight."""
    for board in range(BOARDS):
        drawn.weights[board] = 0.0
        if board < count:
            chosen = np.int64(below(learner, known))
            take_position(drawn.four, board, replay.positions[chosen])
            drawn.moves[board] = replay.moves[chosen]
            label, weight = label_and_weight(replay.returns[chosen], shift, scale, return_as)
            drawn.labels[board], drawn.weights[board] = label, weight


@inline
def label_and_weight(
    gained: float, shift: float, scale: float, return_as: int
) -> tuple[float, float]:
    """Return the label of a move and the weight of its loss, as its return says."""
    if return_as == CLIPPED:
        return min(max(gained, 0.0), 1.0), 1.0
    if return_as == LABEL:
        return gained, 1.0
    weight = (gained - shift) * scale
    return 1.0, max(weight, 0.0) if return_as == POSITIVE else weight


@inline
def standard(returns: Numbers, known: int, return_as: int) -> tuple[float, float]:
    """The mean of the returns kept, and one over their deviation; 0 and 1 where none is taken."""
    if return_as != STANDARDISED:
        return 0.0, 1.0
    mean, square = 0.0, 0.0
    for i in range(known):
        mean += returns[i]
    mean /= known
    for i in range(known):
        square += (returns[i] - mean) ** 2
    return mean, 1.0 / max(math.sqrt(square / known), LEAST)


@inline
def remember(tables: Tables, board: Board, record: Record, replay: Replay, own: int) -> None:
    """Undo a finished game, and keep the learner's positions with their returns."""
    for ply in range(board.counters[PLY] - 1, -1, -1):
        undo(tables, board)
        side = ply & 1
        if moves_for(own, side):
            row = replay.kept[0] % len(replay.moves)
            for i in range(tables.cells):
                stone = board.stones[i]
                replay.positions[row, i] = 0 if stone == 0 else (1 if stone == side + 1 else -1)
            replay.moves[row], replay.returns[row] = board.history[ply], record.returns[ply]
            replay.kept[0] += 1


@inline
def cross_entropy_slope(chance: float, label: float, cells: int) -> float:
    """The derivative of the mean binary cross-entropy over all cells, by one cell's output."""
    slope = (1.0 - label) / max(1.0 - chance, LEAST) - label / max(chance, LEAST)
    return slope / cells


@inline
def take_position(four: Four, board: int, position: npt.NDArray[np.int8]) -> None:
    """Set one of the four positions."""
    for cell in range(len(position)):
        four.seen[np.uint64(cell * BOARDS + board)] = position[np.uint64(cell)]


@inline
def find_errors(shape: Shape, drawn: Drawn, board: int) -> None:
    """The derivative of a position's weighted loss by the sums of the outputs."""
    four, mean = drawn.four, 0.0
    kind, weight = four.errors.dtype.type, drawn.weights[board]
    for cell in range(shape.cells):
        at = np.uint64(cell * BOARDS + board)
        label = drawn.labels[board] if cell == drawn.moves[board] else 0.0
        slope = cross_entropy_slope(four.chances[at], label, shape.cells)
        four.errors[at] = slope
        mean += four.chances[at] * slope
    for cell in range(shape.cells):
        at = np.uint64(cell * BOARDS + board)
        four.errors[at] = kind(weight * four.chances[at] * (four.errors[at] - mean))


@inline
def add_loss_gradient(shape: Shape, weights: Weights, gradient: Weights, drawn: Drawn) -> None:
    """Add the gradient of the four positions' weighted losses."""
    find_chances_of_four(shape, weights, drawn.four)
    for board in range(BOARDS):
        find_errors(shape, drawn, board)
    add_gradient_of_four(shape, weights, gradient, drawn.four)


class PaperTraining(ReinforceTraining):
    """A run of the paper's version."""

    def __init__(self, reinforce: Reinforce, game: Game, opponent: Opponent, seed: int) -> None:
        super().__init__(reinforce, game, opponent, seed)
        self.gradient = np.zeros_like(self.arrays["weights"])
        four = new_four(self.shape, self.gradient.dtype)
        moves, labels, weights = (
            np.zeros(BOARDS, np.int64),
            np.zeros(BOARDS),
            np.zeros(BOARDS),
        )
        self.drawn = Drawn(four, moves, labels, weights)

    def play(self, games: int) -> None:
        """Play so many more games and learn from them."""
        replay = Replay(*(self.arrays[name] for name in Replay._fields))
        play_and_replay(
            self.tables, self.board, self.shape, self.arrays["weights"], self.gradient,
            self.arrays["squares"], self.activations, self.record, self.drawn, replay,
            self.opponent, self.arrays["learner"], self.arrays["opponent"], self.settings, games,
            self.counts,
        )  # fmt: skip
        self.check_finite()
