"""A value network with one hidden layer at a board: how likely the game is to be won.

Each cell has a row of weights for each of two *planes* of stones. As `sides`, the planes are the
first and the second player's stones, and the value is the chance of the first; as `own`, they are
the stones of the side that has just moved and the other's, and the value is that side's chance.

The sums of the hidden layer are kept while stones are placed, biases with them, once for each
*view* that is needed: one as `sides`, one of each player as `own`. So a candidate move costs one
row of weights, and a stone one row for each view. All weights are one vector:

    inputs: for each plane and cell one weight for each hidden unit
    biases of the hidden units
    outputs: one weight for each hidden unit
    the bias of the output
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import PLY, Board, Cells, Tables
from inarow.engine.jit import inline, inline_sums
from inarow.engine.streams import Stream
from inarow.learn.layers import Weights, copy, draw_uniform, logistic

ENCODINGS = ("sides", "own")
ACTIVATIONS = ("relu", "tanh")
RELU = 0
MAX_HIDDEN = 4096


class ValueShape(NamedTuple):
    """What a network is like, and where the parts of the vector of weights begin."""

    cells: int
    hidden: int
    views: int  # 1 as `sides`, 2 as `own`
    activation: int  # a place in ACTIVATIONS
    hidden_bias: int  # inputs begin at 0
    outputs: int
    output_bias: int
    size: int


class Activations(NamedTuple):
    """Sums and activations for a board; one for each loop."""

    hidden: Weights  # [2, hidden] the sums of the hidden layer in each view
    active: Weights  # [hidden] scratch: the hidden units
    scores: Weights  # [cells] scratch: the output's sum for each candidate move


def value_shape(cells: int, hidden: int, encoding: int, activation: int) -> ValueShape:
    """Return the shape of a network for a board."""
    bias = 2 * cells * hidden
    return ValueShape(
        cells,
        hidden,
        encoding + 1,
        activation,
        bias,
        bias + hidden,
        bias + 2 * hidden,
        bias + 2 * hidden + 1,
    )


def init_weights(shape: ValueShape, scale: float, stream: Stream, kind: npt.DTypeLike) -> Weights:
    """Return weights before the first game: uniform, by the units a layer connects (Glorot)."""
    values = np.zeros(shape.size)
    inputs = scale * math.sqrt(6 / (shape.cells + shape.hidden))
    draw_uniform(stream, inputs, values[: shape.hidden_bias])
    outputs = scale * math.sqrt(6 / (shape.hidden + 1))
    draw_uniform(stream, outputs, values[shape.outputs : shape.output_bias])
    return values.astype(kind)


def new_activations(shape: ValueShape, kind: npt.DTypeLike) -> Activations:
    """Return arrays to look at a board with."""
    return Activations(
        np.zeros((2, shape.hidden), dtype=kind),
        np.zeros(shape.hidden, dtype=kind),
        np.zeros(shape.cells, dtype=kind),
    )


@inline
def view_of(shape: ValueShape, side: int) -> int:
    """Return the view in which a position is seen after a move of that side."""
    return side if shape.views == 2 else 0


@inline
def row_of(shape: ValueShape, cell: int, side: int, view: int) -> int:
    """Return where the weights of a stone of that side begin, in a view."""
    return int(((side ^ view) * shape.cells + np.int64(cell)) * shape.hidden)


@inline
def clear_stones(shape: ValueShape, weights: Weights, sums: Activations) -> None:
    """Set the sums to those of the empty board."""
    for view in range(shape.views):
        copy(sums.hidden[view], 0, weights, shape.hidden_bias, shape.hidden)


@inline_sums
def _add(sums: Weights, weights: Weights, start: int, count: int) -> None:
    at = np.uint64(start)
    for i in range(np.uint64(count)):
        sums[i] += weights[at + i]


@inline
def add_stone(shape: ValueShape, weights: Weights, sums: Activations, cell: int, side: int) -> None:
    """Place a stone, and update the sums."""
    for view in range(shape.views):
        _add(sums.hidden[view], weights, row_of(shape, cell, side, view), shape.hidden)


@inline
def add_stones(
    tables: Tables, board: Board, shape: ValueShape, weights: Weights, sums: Activations
) -> None:
    """Add up the sums of any board."""
    clear_stones(shape, weights, sums)
    for cell in range(tables.cells):
        if board.stones[cell] != 0:
            add_stone(shape, weights, sums, cell, board.stones[cell] - 1)


@inline_sums
def _score_four(
    sums: Weights,
    weights: Weights,
    rows: tuple[int, int, int, int],
    outputs: int,
    count: int,
    relu: bool,
) -> tuple[float, float, float, float]:
    """Return the output's sums, less its bias, with each of four rows added to the hidden sums.

    Activations and outputs are read once for all four.
    """
    a, b, c, d = np.uint64(rows[0]), np.uint64(rows[1]), np.uint64(rows[2]), np.uint64(rows[3])
    o, none, two = np.uint64(outputs), weights.dtype.type(0), weights.dtype.type(2)
    total_a = total_b = total_c = total_d = none
    if relu:
        for i in range(np.uint64(count)):
            kept, output = sums[i], weights[o + i]
            total_a += output * max(kept + weights[a + i], none)
            total_b += output * max(kept + weights[b + i], none)
            total_c += output * max(kept + weights[c + i], none)
            total_d += output * max(kept + weights[d + i], none)
    else:  # `logistic` is tanh of half its argument
        for i in range(np.uint64(count)):
            kept, output = sums[i], weights[o + i]
            total_a += output * logistic(two * (kept + weights[a + i]))
            total_b += output * logistic(two * (kept + weights[b + i]))
            total_c += output * logistic(two * (kept + weights[c + i]))
            total_d += output * logistic(two * (kept + weights[d + i]))
    return total_a, total_b, total_c, total_d


@inline
def score_moves(
    board: Board, shape: ValueShape, weights: Weights, sums: Activations, cells: Cells, count: int
) -> None:
    """Write how good each of some cells is for the side to move into `sums.scores`.

    The value's logistic function keeps their order, so to choose a move it is not needed.
    """
    side = board.counters[PLY] & 1
    view = view_of(shape, side)
    kind, kept, scores = weights.dtype.type, sums.hidden[view], sums.scores
    bias = weights[np.uint64(shape.output_bias)]
    # One network for both sides: the first wants it high, the second low.
    sign = kind(-1) if shape.views == 1 and side == 1 else kind(1)
    for i in range(0, count, 4):  # the last four may have a cell more than once
        last = count - 1
        rows = (
            row_of(shape, cells[np.uint32(i)], side, view),
            row_of(shape, cells[np.uint32(min(i + 1, last))], side, view),
            row_of(shape, cells[np.uint32(min(i + 2, last))], side, view),
            row_of(shape, cells[np.uint32(min(i + 3, last))], side, view),
        )
        found = _score_four(
            kept, weights, rows, shape.outputs, shape.hidden, shape.activation == RELU
        )
        scores[np.uint32(i)] = sign * (found[0] + bias)
        scores[np.uint32(min(i + 1, last))] = sign * (found[1] + bias)
        scores[np.uint32(min(i + 2, last))] = sign * (found[2] + bias)
        scores[np.uint32(min(i + 3, last))] = sign * (found[3] + bias)


@inline_sums
def _activate_relu(sums: Weights, weights: Weights, outputs: int, active: Weights) -> float:
    o, none = np.uint64(outputs), weights.dtype.type(0)
    total = none
    for i in range(np.uint64(len(active))):
        active[i] = max(sums[i], none)
        total += weights[o + i] * active[i]
    return total


@inline_sums
def _activate_tanh(sums: Weights, weights: Weights, outputs: int, active: Weights) -> float:
    o, two = np.uint64(outputs), weights.dtype.type(2)
    total = weights.dtype.type(0)
    for i in range(np.uint64(len(active))):
        active[i] = logistic(two * sums[i])
        total += weights[o + i] * active[i]
    return total


@inline
def chance(score: float) -> float:
    """Return the value of an output's sum: 1 / (1 + e^-score)."""
    return 0.5 * (1.0 + np.float64(logistic(score)))


@inline
def value_of(shape: ValueShape, weights: Weights, sums: Activations, view: int) -> float:
    """Return the value v(theta, s) of the board as it is; the hidden units into `sums.active`."""
    if shape.activation == RELU:
        score = _activate_relu(sums.hidden[view], weights, shape.outputs, sums.active)
    else:
        score = _activate_tanh(sums.hidden[view], weights, shape.outputs, sums.active)
    return chance(score + weights[shape.output_bias])


# How the value network learns: an error at its output, sent back to all weights.


@inline_sums
def step_back(
    shape: ValueShape,
    weights: Weights,
    sums: Weights,
    active: Weights,
    changes: Weights,
    error: float,
    seen: float,
) -> None:
    """Step down the gradient of one position, but for the rows of inputs and hidden biases.

    These all change by the same: it is added to `changes`, and the sums, which have `seen` terms
    of that kind, follow at once. So a row is written once a game, and not once a position.
    Behind the step, `active` holds the change.
    """
    o, one, none = np.uint64(shape.outputs), weights.dtype.type(1), weights.dtype.type(0)
    if shape.activation == RELU:
        for i in range(np.uint64(len(active))):
            change = error * weights[o + i] if active[i] > none else none
            weights[o + i] -= error * active[i]
            changes[i] += change
            sums[i] -= seen * change
            active[i] = change
    else:
        for i in range(np.uint64(len(active))):
            change = error * weights[o + i] * (one - active[i] * active[i])
            weights[o + i] -= error * active[i]
            changes[i] += change
            sums[i] -= seen * change
            active[i] = change
    weights[np.uint64(shape.output_bias)] -= error


@inline_sums
def take_back(sums: Weights, weights: Weights, start: int, changes: Weights) -> None:
    """Take a stone back: its row learns what all positions with it changed."""
    at = np.uint64(start)
    for i in range(np.uint64(len(changes))):
        row = weights[at + i] - changes[i]
        weights[at + i] = row
        sums[i] -= row


# For rectified units the same in one or two passes over the hidden layer, not three or five: there
# the sums say what the units are. This is where half of a game's time goes.


@inline_sums
def relu_back(
    shape: ValueShape,
    weights: Weights,
    sums: Weights,
    changes: Weights,
    error: float,
    seen: float,
    start: int,
) -> float:
    """`step_back`, `take_back` and the output's sum, less its bias, of the position before."""
    o, at, none = np.uint64(shape.outputs), np.uint64(start), weights.dtype.type(0)
    total = none
    for i in range(np.uint64(len(changes))):
        kept, output = sums[i], weights[o + i]
        change = error * output if kept > none else none
        output -= error * max(kept, none)
        weights[o + i] = output
        changed = changes[i] + change
        changes[i] = changed
        row = weights[at + i] - changed
        weights[at + i] = row
        kept -= seen * change + row
        sums[i] = kept
        total += output * max(kept, none)
    weights[np.uint64(shape.output_bias)] -= error
    return total


@inline_sums
def relu_back_own(
    shape: ValueShape,
    weights: Weights,
    sums: Weights,
    active: Weights,
    changes: Weights,
    error: float,
    seen: float,
    start: int,
) -> None:
    """`step_back` and `take_back` in the view of the position; `active` holds the change."""
    o, at, none = np.uint64(shape.outputs), np.uint64(start), weights.dtype.type(0)
    for i in range(np.uint64(len(changes))):
        kept, output = sums[i], weights[o + i]
        change = error * output if kept > none else none
        weights[o + i] = output - error * max(kept, none)
        changed = changes[i] + change
        changes[i] = changed
        row = weights[at + i] - changed
        weights[at + i] = row
        sums[i] = kept - (seen * change + row)
        active[i] = change
    weights[np.uint64(shape.output_bias)] -= error


@inline_sums
def relu_back_other(
    shape: ValueShape,
    weights: Weights,
    sums: Weights,
    active: Weights,
    changes: Weights,
    start: int,
) -> float:
    """Step back in the other view, whose sums have the hidden biases too; the output's sum."""
    o, at, none = np.uint64(shape.outputs), np.uint64(start), weights.dtype.type(0)
    total = none
    for i in range(np.uint64(len(changes))):
        row = weights[at + i] - changes[i]
        weights[at + i] = row
        kept = sums[i] - (active[i] + row)
        sums[i] = kept
        total += weights[o + i] * max(kept, none)
    return total
