"""A value network at a board: its activations, and the values of the position and of every move.

The network is never run forward from its inputs. The sums of its first layer are kept while
stones are placed. A move touches one cell, so in a structured layer only the detectors of the few
lines through it change, and the sums of the next layer change by these units' rows alone.

The network sees a board from one side's *view*: own stones 1, the other's -1, empty cells 0. Sums
without biases only change sign with the view, so one vector of them serves both sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.board import Board, Cells
from inarow.engine.jit import inline, inline_sums, jit
from inarow.learn.layers import (
    Places,
    Weights,
    activate,
    add_row,
    add_rows,
    add_rows_to_four,
    aligned,
    back_through_four,
    back_through_row,
    copy,
    dot,
    logistic,
)
from inarow.learn.mlp.network import LANES, Layers, Network, filled


class Activations(NamedTuple):
    """Sums and activations for the board in play: made by `new_activations`, never saved."""

    stones: Weights  # [first layer] its sums without biases, in the first player's view
    seen: Weights  # [first layer] how many stones each unit sees
    sums: Weights  # [units] of all layers, for the board in the view at hand
    active: Weights  # [units] their activations
    past_sums: Weights  # [units] the same for the position that learns
    past_active: Weights
    errors: Weights  # [units] by how much each unit's sum should change
    all_units: Places  # [widest layer] 0, 1, 2, ...
    places: Places  # [units of a cell] that a move changes
    moved: Weights  # [units of a cell] their activations after the move
    change: Weights  # [units of a cell] by how much these differ
    batch_sums: Weights  # [moves, widest layer] of a dense layer, for several moves
    batch_active: Weights  # [moves, widest layer]
    scores: Weights  # [moves] the output's sum after each move
    output: Weights  # [1] the output's sum for the board
    before: Weights  # [weights] of networks that share weights, before they learned
    found: Cells  # [cells] that a rule found


def new_activations(network: Network, weights: Weights, shared: bool) -> Activations:
    """Return arrays for the sums and units of a board."""
    layers, kind = network.layers, weights.dtype
    units, widest = int(layers.unit_start[-1]), int(layers.width.max())
    cells = network.game.cells
    through = max(np.diff(network.game.lines_by_cell[0]), default=0)
    of_cell = filled(int(through) * max([*layers.detectors.tolist(), 1]), LANES)
    boards = filled(cells)
    return Activations(
        stones=aligned(np.zeros(layers.width[0], dtype=kind)),
        seen=aligned(np.zeros(layers.width[0], dtype=kind)),
        sums=aligned(np.zeros(units, dtype=kind)),
        active=aligned(np.zeros(units, dtype=kind)),
        past_sums=aligned(np.zeros(units, dtype=kind)),
        past_active=aligned(np.zeros(units, dtype=kind)),
        errors=aligned(np.zeros(units, dtype=kind)),
        all_units=aligned(np.arange(widest, dtype=np.uint32)),
        places=aligned(np.zeros(of_cell, dtype=np.uint32)),
        moved=aligned(np.zeros(of_cell, dtype=kind)),
        change=aligned(np.zeros(of_cell, dtype=kind)),
        batch_sums=aligned(np.zeros(boards * widest, dtype=kind)),
        batch_active=aligned(np.zeros(boards * widest, dtype=kind)),
        scores=aligned(np.zeros(boards, dtype=kind)),
        output=aligned(np.zeros(1, dtype=kind)),
        before=aligned(np.zeros(len(weights) if shared else 0, dtype=kind)),
        found=np.zeros(cells, dtype=np.uint32),
    )


@inline_sums
def add_stone(
    layers: Layers, weights: Weights, memory: Activations, cell: int, first: bool
) -> None:
    """Place a stone of either player, and update the first layer's sums."""
    start, stop = layers.row_start[cell], layers.row_start[cell + 1]
    one = weights.dtype.type(1)
    sign = one if first else -one
    if layers.structured == 0:
        add_row(memory.stones, 0, weights, start, stop - start, sign)
        return
    for i in range(np.uint64(start), np.uint64(stop)):
        memory.stones[layers.row_units[i]] += sign * weights[i]
        memory.seen[layers.row_units[i]] += one


@inline
def clear_stones(memory: Activations) -> None:
    """Set the first layer's sums to those of the empty board."""
    memory.stones[:] = 0
    memory.seen[:] = 0


@inline
def add_stones(layers: Layers, weights: Weights, memory: Activations, board: Board) -> None:
    """Add up the first layer's sums of a board from nothing."""
    clear_stones(memory)
    for cell in range(len(board.stones)):
        if board.stones[cell] != 0:
            add_stone(layers, weights, memory, cell, board.stones[cell] == 1)


@jit
def forward_board(layers: Layers, weights: Weights, memory: Activations, view: int) -> None:
    """Compute all units for the board in a view: 1 is the first player's, -1 the second's."""
    bias, sign = np.uint64(layers.bias_start[0]), weights.dtype.type(view)
    for i in range(np.uint64(layers.width[0])):
        memory.sums[i] = weights[bias + i] + sign * memory.stones[i]
    memory.output[0] = forward(layers, weights, memory.all_units, memory.sums, memory.active, 0)


@inline
def forward(
    layers: Layers, weights: Weights, units: Places, sums: Weights, active: Weights, layer: int
) -> float:
    """Return the output's sum, from the sums of one layer on."""
    last = len(layers.detectors) - 1
    for number in range(layer, last + 1):
        start, width = layers.unit_start[number], layers.width[number]
        activate(sums, active, start, width)
        if number < last:
            _sum_layer(layers, weights, units, sums, active, number + 1)
    start = layers.unit_start[last]
    total = dot(active, start, weights, layers.weight_start[last + 1], layers.width[last])
    return total + weights[layers.bias_start[last + 1]]


@inline
def _sum_layer(
    layers: Layers, weights: Weights, units: Places, sums: Weights, active: Weights, layer: int
) -> None:
    """The sums of a layer from the activations of the one before."""
    start, bias, width = layers.unit_start[layer], layers.bias_start[layer], layers.width[layer]
    before, rows = layers.unit_start[layer - 1], layers.width[layer - 1]
    weight = layers.weight_start[layer]
    copy(sums, start, weights, bias, width)
    if layer >= layers.structured:
        add_rows(sums, start, weights, weight, width, units, active, before, rows)
        return
    inputs, outputs = layers.detectors[layer - 1], layers.detectors[layer]
    for line in range((bias - weight) // (inputs * outputs)):
        for detector in range(inputs):
            at = weight + (line * inputs + detector) * outputs
            factor = active[before + line * inputs + detector]
            add_row(sums, start + line * outputs, weights, at, outputs, factor)


@inline_sums
def move_stone(layers: Layers, weights: Weights, memory: Activations, cell: int) -> int:
    """Find which units of the last structured layer an own stone changes, and by how much.

    Taking off the other side's stone is the same change. Returns how many, up to whole vectors.
    """
    start, stop = np.uint64(layers.row_start[cell]), np.uint64(layers.row_start[cell + 1])
    for i in range(stop - start):
        unit = layers.row_units[start + i]
        memory.places[i] = unit
        memory.change[i] = memory.sums[unit] + weights[start + i]
    for i in range(stop - start):
        memory.moved[i] = logistic(memory.change[i])
    count = int(stop - start)
    for layer in range(1, layers.structured):
        count = _move_deeper(layers, weights, memory, cell, layer)
    base = np.uint64(layers.unit_start[layers.structured - 1])
    for i in range(np.uint64(count)):
        memory.change[i] = memory.moved[i] - memory.active[base + memory.places[i]]
    return count


@inline
def _move_deeper(
    layers: Layers, weights: Weights, memory: Activations, cell: int, layer: int
) -> int:
    """Find which detectors of a later structured layer change, and by how much."""
    inputs, outputs, of_line = (
        layers.detectors[layer - 1],
        layers.detectors[layer],
        layers.detectors[0],
    )
    weight, bias = layers.weight_start[layer], layers.bias_start[layer]
    start, lines = layers.row_start[cell], (bias - weight) // (inputs * outputs)
    through = layers.lines_through[cell]
    filled_up = -(-(through * outputs) // LANES) * LANES
    for i in range(filled_up):
        memory.places[i], memory.change[i] = lines * outputs, 0
    for number in range(through):
        line = np.int64(layers.row_units[start + number * of_line]) // of_line
        for output in range(outputs):
            total = weights[bias + line * outputs + output]
            for detector in range(inputs):
                at = weight + (line * inputs + detector) * outputs + output
                total += memory.moved[number * inputs + detector] * weights[at]
            memory.places[number * outputs + output] = line * outputs + output
            memory.change[number * outputs + output] = total
    for i in range(filled_up):
        memory.moved[i] = logistic(memory.change[i])
    return filled_up


@jit
def score_moves(
    layers: Layers, weights: Weights, memory: Activations, cells: Cells, count: int
) -> None:
    """The output's sum after an own stone on each of some cells, into `memory.scores`.

    The logistic function keeps their order, so to choose a move it is not needed.
    """
    last, first = len(layers.detectors) - 1, layers.structured
    begin, width, base = layers.weight_start[first], layers.width[first], layers.unit_start[first]
    for move in range(count):
        if first > 0:
            changed = move_stone(layers, weights, memory, cells[move])
        if first > last:  # the output comes right behind the structured layers
            memory.scores[move] = memory.output[0] + sum_change(memory, weights, begin, changed)
            continue
        at = move * width
        copy(memory.batch_sums, at, memory.sums, base, width)
        if first == 0:
            row, one = layers.row_start[cells[move]], weights.dtype.type(1)
            add_row(memory.batch_sums, at, weights, row, width, one)
        else:
            places, change = memory.places, memory.change
            add_rows(memory.batch_sums, at, weights, begin, width, places, change, 0, changed)
    if first > last:
        return
    activate(memory.batch_sums, memory.batch_active, 0, count * width)
    for layer in range(first + 1, last + 1):
        _sum_batch(layers, weights, memory, layer, count)
        activate(memory.batch_sums, memory.batch_active, 0, count * layers.width[layer])
    begin, width = layers.weight_start[last + 1], layers.width[last]
    bias = weights[layers.bias_start[last + 1]]
    for move in range(count):
        memory.scores[move] = bias + dot(memory.batch_active, move * width, weights, begin, width)


@inline_sums
def sum_change(memory: Activations, weights: Weights, start: int, count: int) -> float:
    """Return by how much the output's sum changes with the units of `move_stone`."""
    total, at = weights.dtype.type(0), np.uint64(start)
    for i in range(np.uint64(count)):
        total += memory.change[i] * weights[at + memory.places[i]]
    return total


@inline
def _sum_batch(
    layers: Layers, weights: Weights, memory: Activations, layer: int, count: int
) -> None:
    """The sums of a dense layer for several moves."""
    width, bias = layers.width[layer], layers.bias_start[layer]
    rows, start = layers.width[layer - 1], layers.weight_start[layer]
    for move in range(-(-count // 4) * 4):
        copy(memory.batch_sums, move * width, weights, bias, width)
    for move in range(0, count, 4):
        add_rows_to_four(memory.batch_sums, weights, start, width, memory.batch_active, move, rows)


# How a value network learns: one step of backpropagation for the position at hand or before.
#
# The position that learns is the board less its last stone, so it differs from the board that the
# network has just looked at by one cell, like a move does. A layer's weights learn in the same pass
# that carries errors down through them. And when the first layer has learned, its sums change by a
# formula: they are not added up again.


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
    """Make one step of backpropagation for the board as it is, or without its last stone (`less`).

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
    """Compute all units' errors from the output down, and change all later layers' weights."""
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
    """Change the weights of the cells with a stone, and with them the first layer's sums.

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
    """Change weights that are one weight by the sum of their changes."""
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
