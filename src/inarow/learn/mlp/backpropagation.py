"""How a value network learns: one step of backpropagation for the position at hand or before.

The position that learns is the board less its last stone, so it differs from the board that the
network has just looked at by one cell, like a move does. A layer's weights learn in the same pass
that carries errors down through them. And when the first layer has learned, its sums change by a
formula: they are not added up again.
"""

from __future__ import annotations

import numpy as np

from inarow.engine.board import Cells
from inarow.engine.jit import inline, inline_sums, jit
from inarow.learn.layer_sums import (
    add_row,
    add_rows,
    back_through_four,
    back_through_row,
    copy,
    logistic,
)
from inarow.learn.mlp.activations import (
    Activations,
    add_stone,
    clear_stones,
    forward,
    move_stone,
    sum_change,
)
from inarow.learn.mlp.network import Layers
from inarow.learn.weights import Places, Weights


@jit
def learn(
    layers: Layers,
    weights: Weights,
    memory: Activations,
    shares: Places,
    history: Cells,
    plies: int,
    view: int,
    less: int,
    target: float,
    alpha: float,
    slope: float,
    bias: bool,
) -> float:
    """One step of backpropagation for the board less its last stone (`less` 1) or as it is (0).

    `history` has the cells of the stones, `plies` of them. `forward_board` must have been
    asked for the same view since the weights or the board last changed.
    Returns the value that the position had before.
    """
    last = len(layers.detectors) - 1
    value = logistic(_look_back(layers, weights, memory, history, plies, less))
    if len(shares) > 0:
        copy(memory.before, 0, weights, 0, len(weights))
    error = alpha * (target - value) * slope * (1.0 - value * value)
    _learn_layers(layers, weights, memory, weights.dtype.type(error), weights.dtype.type(slope))
    if bias:
        weights[layers.bias_start[last + 1]] += weights.dtype.type(error)
        for layer in range(last + 1):
            start, width = layers.unit_start[layer], layers.width[layer]
            one = weights.dtype.type(1)
            add_row(weights, layers.bias_start[layer], memory.errors, start, width, one)
    _learn_first_layer(layers, weights, memory, history, plies, view, less)
    if len(shares) > 0:
        _share(weights, memory, shares)
        clear_stones(memory)
        for ply in range(plies):
            add_stone(layers, weights, memory, history[ply], ply & 1 == 0)
    return value


@inline
def _look_back(
    layers: Layers, weights: Weights, memory: Activations, history: Cells, plies: int, less: int
) -> float:
    """The output's sum for the position that learns; its units into `past_sums`, `past_active`."""
    if less == 0:
        copy(memory.past_active, 0, memory.active, 0, len(memory.active))
        return memory.output[0]
    cell, width = history[plies - 1], layers.width[0]
    layer = 0  # from here on everything is added up again
    if layers.structured == 1:
        changed = move_stone(layers, weights, memory, cell)
        copy(memory.past_active, 0, memory.active, 0, width)
        for i in range(changed):
            memory.past_active[memory.places[i]] = memory.moved[i]
        layer, begin = 1, layers.weight_start[1]
        if len(layers.detectors) == 1:
            return memory.output[0] + sum_change(memory, weights, begin, changed)
        at, width = layers.unit_start[1], layers.width[1]
        copy(memory.past_sums, at, memory.sums, at, width)
        places, change = memory.places, memory.change
        add_rows(memory.past_sums, at, weights, begin, width, places, change, 0, changed)
    else:
        copy(memory.past_sums, 0, memory.sums, 0, width)
        for i in range(np.uint64(layers.row_start[cell]), np.uint64(layers.row_start[cell + 1])):
            memory.past_sums[layers.row_units[i]] += weights[i]
    return forward(layers, weights, memory.all_units, memory.past_sums, memory.past_active, layer)


@inline_sums
def _learn_layers(
    layers: Layers, weights: Weights, memory: Activations, error: float, slope: float
) -> None:
    """Errors of all units, from the output down, and all weights behind the first layer."""
    last, one = len(layers.detectors) - 1, weights.dtype.type(1)
    active, errors = memory.past_active, memory.errors
    start, at = np.uint64(layers.unit_start[last]), np.uint64(layers.weight_start[last + 1])
    for i in range(np.uint64(layers.width[last])):
        unit = active[start + i]
        errors[start + i] = error * weights[at + i] * slope * (one - unit * unit)
        weights[at + i] += error * unit
    for layer in range(last, 0, -1):
        start, weight = layers.unit_start[layer], layers.weight_start[layer]
        before, width = layers.unit_start[layer - 1], layers.width[layer]
        rows = layers.width[layer - 1]
        if layer < layers.structured:
            inputs, width = layers.detectors[layer - 1], layers.detectors[layer]
            rows = (layers.bias_start[layer] - weight) // width
            for row in range(rows):
                at, of = weight + row * width, start + row // inputs * width
                unit = active[np.uint64(before + row)]
                errors[np.uint64(before + row)] = back_through_row(
                    weights, at, errors, of, width, unit
                )
        else:
            for row in range(0, rows, 4):
                at = weight + row * width
                back_through_four(
                    weights,
                    weights,
                    weights,
                    weights,
                    at,
                    errors,
                    start,
                    width,
                    active,
                    before + row,
                    errors,
                )
        for i in range(np.uint64(before), np.uint64(before + rows)):
            errors[i] *= slope * (one - active[i] * active[i])


@inline_sums
def _learn_first_layer(
    layers: Layers,
    weights: Weights,
    memory: Activations,
    history: Cells,
    plies: int,
    view: int,
    less: int,
) -> None:
    """The weights of the cells with a stone; and the first layer's sums follow at once.

    Each stone's weight changes by error * stone, so a unit's sum changes by its error for each
    stone that it sees: no row has to be added up again.
    """
    errors, stones = memory.errors, plies - less
    of_view = weights.dtype.type(view)
    for ply in range(stones):
        cell = history[ply]
        start, stop = layers.row_start[cell], layers.row_start[cell + 1]
        sign = of_view if ply & 1 == 0 else -of_view
        if layers.structured == 0:
            add_row(weights, start, errors, 0, stop - start, sign)
        else:
            for i in range(np.uint64(start), np.uint64(stop)):
                weights[i] += sign * errors[layers.row_units[i]]
    if layers.structured == 0:
        seen = of_view * weights.dtype.type(stones)
        add_row(memory.stones, 0, errors, 0, layers.width[0], seen)
        return
    for i in range(np.uint64(layers.width[0])):
        memory.stones[i] += of_view * memory.seen[i] * errors[i]
    if less > 0:
        cell = history[stones]
        for i in range(np.uint64(layers.row_start[cell]), np.uint64(layers.row_start[cell + 1])):
            unit = layers.row_units[i]
            memory.stones[unit] -= of_view * errors[unit]


@inline
def _share(weights: Weights, memory: Activations, shares: Places) -> None:
    """Weights that are one weight all change by the sum of their changes."""
    before = memory.before
    for i in range(len(weights)):
        change = weights[i] - before[i]
        weights[i] = 0
        weights[shares[i]] += change
    for i in range(len(weights)):
        if shares[i] != i:
            weights[i] = before[i] + weights[shares[i]]
    for i in range(len(weights)):
        if shares[i] == i:
            weights[i] += before[i]
