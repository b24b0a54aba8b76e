"""A policy network at a board: a chance for every cell that can be played.

One hidden layer of leaky rectified units, then a softmax over the open cells. The network sees a
board from one side's *view*: own stones 1, the other's -1, empty cells 0. The sums of the hidden
layer are kept while stones are placed, without biases and in the first player's view; for the
second side they only change sign. So a move costs one row of weights for the stone and one for
each open cell.

All weights are one vector, and so is a gradient:

    inputs: for each cell one weight for each hidden unit
    biases of the hidden units
    outputs: for each cell one weight for each hidden unit
    biases of the outputs
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import OPEN, Board, Cells, Tables
from inarow.engine.jit import inline, inline_sums
from inarow.engine.streams import Stream, uniform
from inarow.learn.layers import Weights, add_row, dot, draw_uniform

LEAK = 0.01  # the slope of a unit whose sum is negative
MAX_HIDDEN = 4096


class Shape(NamedTuple):
    """Where the parts of the vector of weights begin."""

    cells: int
    hidden: int
    hidden_bias: int  # inputs begin at 0
    outputs: int
    output_bias: int
    size: int


class Activations(NamedTuple):
    """Sums, units and chances for a board; one for each loop."""

    stones: Weights  # [hidden] sums without biases, as the first player sees the board
    active: Weights  # [hidden] the hidden units
    chances: Weights  # [cells] of the open cells, in the order of the board's list


def shape_of(cells: int, hidden: int) -> Shape:
    """Return the shape of a network for a board."""
    part = cells * hidden
    return Shape(cells, hidden, part, part + hidden, 2 * part + hidden, 2 * part + hidden + cells)


def init_weights(shape: Shape, stream: Stream, kind: npt.DTypeLike) -> Weights:
    """Return weights before the first game: uniform, by the units a layer connects (Glorot)."""
    values = np.zeros(shape.size)
    scale = math.sqrt(6.0 / (shape.cells + shape.hidden))
    draw_uniform(stream, scale, values[: shape.hidden_bias])
    draw_uniform(stream, scale, values[shape.outputs : shape.output_bias])
    return values.astype(kind)


def new_activations(shape: Shape, kind: npt.DTypeLike) -> Activations:
    """Return arrays for the sums and units of a board."""
    return Activations(
        np.zeros(shape.hidden, dtype=kind),
        np.zeros(shape.hidden, dtype=kind),
        np.zeros(shape.cells, dtype=kind),
    )


@inline
def add_stone(
    shape: Shape, weights: Weights, activations: Activations, cell: int, side: int
) -> None:
    """Place a stone, and update the hidden sums."""
    sign = weights.dtype.type(1 - 2 * side)
    start = int(np.int64(cell) * shape.hidden)
    add_row(activations.stones, 0, weights, start, shape.hidden, sign)


@inline
def add_stones(
    tables: Tables, board: Board, shape: Shape, weights: Weights, activations: Activations
) -> None:
    """Add up the hidden sums of any board."""
    activations.stones[:] = 0
    for cell in range(tables.cells):
        if board.stones[cell] != 0:
            add_stone(shape, weights, activations, cell, board.stones[cell] - 1)


@inline_sums
def activate(shape: Shape, weights: Weights, activations: Activations, view: int) -> None:
    """The hidden units as a side sees the board."""
    sign, leak = weights.dtype.type(1 - 2 * view), weights.dtype.type(LEAK)
    bias = np.uint64(shape.hidden_bias)
    for i in range(np.uint64(shape.hidden)):
        total = sign * activations.stones[i] + weights[bias + i]
        activations.active[i] = max(total, leak * total)


@inline_sums
def leaky(units: Weights, count: int) -> None:
    """Turn sums of hidden units into the units."""
    leak = units.dtype.type(LEAK)
    for i in range(np.uint64(count)):
        units[i] = max(units[i], leak * units[i])


@inline
def output_of(shape: Shape, weights: Weights, active: Weights, cell: int) -> float:
    """Return the output for a cell, before the softmax."""
    start = int(shape.outputs + np.int64(cell) * shape.hidden)
    bias = weights[np.uint64(shape.output_bias) + np.uint64(cell)]
    return dot(weights, start, active, 0, shape.hidden) + bias


@inline
def find_chances(
    board: Board, shape: Shape, weights: Weights, activations: Activations, view: int
) -> None:
    """The chance of every open cell, in the order of the board's list."""
    find_chances_of(board.open_cells, board.counters[OPEN], shape, weights, activations, view)


@inline
def find_chances_of(
    cells: Cells, count: int, shape: Shape, weights: Weights, activations: Activations, view: int
) -> None:
    """The chance of each of some cells: a softmax that leaves all others out."""
    activate(shape, weights, activations, view)
    chances = activations.chances
    highest = weights.dtype.type(-np.inf)
    for i in range(count):
        place = np.uint32(i)
        chances[place] = output_of(shape, weights, activations.active, cells[place])
        highest = max(highest, chances[place])
    softmax(chances, count, highest)


@inline
def softmax(numbers: Weights, count: int, highest: float) -> None:
    """Turn numbers into chances that add up to one; `highest` keeps the exponentials in range."""
    total = numbers.dtype.type(0)
    for i in range(count):
        place = np.uint32(i)
        numbers[place] = numbers.dtype.type(math.exp(numbers[place] - highest))
        total += numbers[place]
    share = numbers.dtype.type(1) / total
    for i in range(count):
        numbers[np.uint32(i)] *= share


@inline
def draw_place(chances: Weights, count: int, stream: Stream) -> int:
    """Return a place drawn by its chance."""
    return place_at(chances, count, uniform(stream))


@inline
def place_at(chances: Weights, count: int, number: float) -> int:
    """Return the place that a number from 0 to 1 falls on; the last one takes what is left."""
    left = number
    for i in range(count - 1):
        left -= chances[np.uint32(i)]
        if left < 0:
            return i
    return count - 1


@inline_sums
def back_through_units(active: Weights, errors: Weights, count: int) -> None:
    """Turn errors of hidden units into errors of their sums."""
    leak, none = active.dtype.type(LEAK), active.dtype.type(0)
    for i in range(np.uint64(count)):
        errors[i] *= active.dtype.type(1) if active[i] > none else leak


@inline
def add_output_gradient(
    shape: Shape,
    weights: Weights,
    gradient: Weights,
    active: Weights,
    errors: Weights,
    cell: int,
    error: float,
) -> None:
    """The gradient of one output's weights; what it passes back is added to `errors`."""
    start = int(shape.outputs + np.int64(cell) * shape.hidden)
    gradient[np.uint64(shape.output_bias) + np.uint64(cell)] += error
    add_row(gradient, start, active, 0, shape.hidden, error)
    add_row(errors, 0, weights, start, shape.hidden, error)


@inline
def add_policy_gradient(
    board: Board,
    shape: Shape,
    weights: Weights,
    gradient: Weights,
    active: Weights,
    chances: Weights,
    taken: int,
    errors: Weights,
    better: float,
    doubt: float,
) -> None:
    """Add the gradient of better * log(chance of the place taken) + doubt * entropy.

    All but that of the inputs: for these, `errors` is left with the part of the hidden sums.
    """
    count = board.counters[OPEN]
    entropy = entropy_of(chances, count) if doubt > 0 else weights.dtype.type(0)
    errors[:] = 0
    for i in range(count):
        at = np.uint32(i)
        error = -better * chances[at]
        if i == taken:
            error += better
        if doubt > 0:
            error -= doubt * chances[at] * (log_of(chances[at]) + entropy)
        add_output_gradient(shape, weights, gradient, active, errors, board.open_cells[at], error)
    back_through_units(active, errors, shape.hidden)
    one = weights.dtype.type(1)
    add_row(gradient, shape.hidden_bias, errors, 0, shape.hidden, one)


@inline
def entropy_of(chances: Weights, count: int) -> float:
    """Return the entropy of the move probabilities."""
    entropy = chances.dtype.type(0)
    for i in range(count):
        entropy -= chances[np.uint32(i)] * log_of(chances[np.uint32(i)])
    return entropy


@inline
def log_of(chance: np.floating) -> float:
    """Return a logarithm that is finite for a chance rounded to 0."""
    return np.log(max(chance, np.float32(1e-30)))


@inline_sums
def rmsprop(
    weights: Weights, gradient: Weights, squares: Weights, alpha: float, decay: float, share: float
) -> None:
    """Step up along a share of the gradient, by a running mean of its squares (Hinton).

    The gradient is empty afterwards.
    """
    one, least = weights.dtype.type(1), weights.dtype.type(1e-7)
    for i in range(np.uint64(len(weights))):
        slope = gradient[i] * share
        squares[i] = decay * squares[i] + (one - decay) * slope * slope
        weights[i] += alpha * slope / (np.sqrt(squares[i]) + least)
        gradient[i] = 0
