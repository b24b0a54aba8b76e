"""A policy network at four positions at once: each row of weights is read once for all of them.

Numbers of a cell stand together, one for each of the four positions: [cell * 4 + position]. The
hidden units of a position follow each other: [position * hidden + unit]. Measured, with gradients:
about half of the time of four positions one after the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.jit import inline, inline_sums
from inarow.learn.layer_sums import add_all_rows, add_row, copy, logistic
from inarow.learn.reinforce.network import Shape, back_through_units, leaky
from inarow.learn.weights import Weights

BOARDS = 4


class Four(NamedTuple):
    """Four positions, and what the network makes of them."""

    seen: Weights  # [cells * 4] own stones 1, the other's -1
    active: Weights  # [4 * hidden] the hidden units
    chances: Weights  # [cells * 4] a softmax over all cells
    errors: Weights  # [cells * 4] of the outputs: what the gradient is asked for
    passed: Weights  # [4 * hidden] scratch: the errors of the hidden sums


def new_four(shape: Shape, kind: npt.DTypeLike) -> Four:
    """Room for four positions."""
    by_cell, by_unit = shape.cells * BOARDS, shape.hidden * BOARDS
    sizes = (by_cell, by_unit, by_cell, by_cell, by_unit)
    return Four(*(np.zeros(size, dtype=kind) for size in sizes))


@inline_sums
def add_to_four(
    sums: Weights, weights: Weights, start: int, width: int, factors: Weights, count: int
) -> None:
    """Adds rows that follow each other to four sums: to sum m the row times factors[4 row + m].

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
    """e^-x of each number, none of them below 0; to one unit in the last place of 1.

    By way of the logistic function, which is arithmetic: the library's exponential is a call for
    each number (measured: a quarter of the whole time).
    """
    one = numbers.dtype.type(1)
    for i in range(np.uint64(count)):
        scaled = logistic(numbers[i])
        numbers[i] = (one - scaled) / (one + scaled)


@inline
def add_gradient_of_four(shape: Shape, weights: Weights, gradient: Weights, four: Four) -> None:
    """Adds the gradient of the outputs' sums, each times its error, over all four positions."""
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
