"""How the value network learns: an error at its output, sent back to all weights."""

from __future__ import annotations

import numpy as np

from inarow.engine.jit import inline_sums
from inarow.learn.monte_carlo.network import RELU, ValueShape
from inarow.learn.weights import Weights


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
    """A step down the gradient of one position, but for the rows of inputs and hidden biases.

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
    """A stone is taken back: its row learns what all positions with it changed, and leaves."""
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
    """The same stone in the other view, whose sums have the hidden biases too; the output's sum."""
    o, at, none = np.uint64(shape.outputs), np.uint64(start), weights.dtype.type(0)
    total = none
    for i in range(np.uint64(len(changes))):
        row = weights[at + i] - changes[i]
        weights[at + i] = row
        kept = sums[i] - (active[i] + row)
        sums[i] = kept
        total += weights[o + i] * max(kept, none)
    return total
