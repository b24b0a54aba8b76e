"""The sums of a value network, and how it learns, by the threads of a block together.

Each function is what the one of that name in `activations` or `backpropagation` is for a
processor. All threads of a block go through it, and wait for each other where one needs what
another has written.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import cuda, float32, float64

from inarow.engine.board import Cells
from inarow.engine.cuda import device
from inarow.engine.tables import Int64s
from inarow.learn.mlp.loop import Settings
from inarow.learn.mlp.network import Layers
from inarow.learn.weights import Weights

U = np.uint32  # of indices: a signed one might count from the end, which takes time to see
ONE = 1
WARP = 32  # threads that go together
PARTS = 8  # threads for a row of weights, when errors go back through it
# What the first thread tells the others of a turn.
OWN, SIDE, COUNT, LEARNS, CELL, PLIES, OVER = range(7)
TARGET, ALPHA, VALUES = range(3)  # and real numbers: the last adds up all values, to be checked


class Room(NamedTuple):
    """What the threads of a block share: as in `Activations`."""

    stones: Weights
    seen: Weights
    sums: Weights
    active: Weights
    past: Weights  # activations of the position that learns
    errors: Weights
    change: Weights  # [entries * units of a cell] by how much units change
    rows: Cells  # [entries * units of a cell] where the weights of these units begin
    batch: Weights  # twice [entries, widest dense layer]
    parts: Weights  # of sums
    scores: Weights  # [entries + 1] the last is that of the board
    cells: Cells  # [entries] moves to be scored; the last one leads back
    words: Int64s
    reals: Any


@device
def _logistic(x):  # type: ignore[no-untyped-def]
    e = math.exp(-min(max(x, float32(-44)), float32(44)))
    return (float32(1) - e) / (float32(1) + e)


@device
def look(layers: Layers, weights: Weights, room: Room, view: int) -> None:
    """As `activations.look`: sums and activations of the board, and its score."""
    lane, lanes, last = cuda.threadIdx.x, cuda.blockDim.x, len(layers.detectors) - 1
    bias, sign = layers.bias_start[0], float32(view)
    for i in range(lane, layers.width[0], lanes):
        room.sums[i] = weights[bias + i] + sign * room.stones[i]
        room.active[i] = _logistic(room.sums[i])
    cuda.syncthreads()
    for layer in range(1, last + 1):
        width, rows, start = layers.width[layer], layers.width[layer - 1], layers.unit_start[layer]
        before, weight = layers.unit_start[layer - 1], layers.weight_start[layer]
        shares = max(1, lanes // width)
        for item in range(lane, shares * width, lanes):
            share, total = item // width, float32(0)
            at, below = U(weight + share * width + item % width), U(before + share)
            for _ in range((rows - share + shares - 1) // shares):
                total += room.active[below] * weights[at]
                below, at = U(below + shares), U(at + shares * width)
            room.parts[item] = total
        cuda.syncthreads()
        for unit in range(lane, width, lanes):
            total = weights[layers.bias_start[layer] + unit]
            for share in range(shares):
                total += room.parts[share * width + unit]
            room.sums[start + unit] = total
            room.active[start + unit] = _logistic(total)
        cuda.syncthreads()
    start, at, width = layers.unit_start[last], layers.weight_start[last + 1], layers.width[last]
    total = float32(0)
    for i in range(lane, width, lanes):
        total += room.active[start + i] * weights[at + i]
    room.parts[lane] = total
    cuda.syncthreads()
    if lane == 0:
        total = weights[layers.bias_start[last + 1]]
        for i in range(min(lanes, width)):
            total += room.parts[i]
        room.scores[len(room.scores) - 1] = total
    cuda.syncthreads()


@device
def score_moves(layers: Layers, weights: Weights, room: Room, count: int, back: bool) -> None:
    """As `activations.score_moves`: the score after a stone on each of the first cells.

    With `back` the last entry is the stone that leads back to the position that learns: what its
    units are then is written into `past`.
    """
    lane, lanes, last = cuda.threadIdx.x, cuda.blockDim.x, len(layers.detectors) - 1
    group, groups, member = lane // WARP, lanes // WARP, lane % WARP
    entries, layer, of_cell = count + 1 if back else count, 0, len(room.change) // len(room.cells)
    if layers.structured > 0:
        _change_units(layers, weights, room, count, back)
        width, weight, layer = layers.width[1], layers.weight_start[1], 1
        start = layers.unit_start[1]
        for entry in range(group, entries, groups):
            at, end = layers.row_start[room.cells[entry]], layers.row_start[room.cells[entry] + 1]
            if last == 0:
                total = float32(0)
                for i in range(member, end - at, WARP):
                    place = U(entry * of_cell + i)
                    total += room.change[place] * weights[room.rows[place]]
                room.parts[entry * WARP + member] = total
                continue
            for unit in range(member, width, WARP):
                total, place, here = room.sums[start + unit], U(entry * of_cell), U(unit)
                for _ in range(end - at):
                    total += room.change[place] * weights[U(room.rows[place] + here)]
                    place = U(place + ONE)
                room.batch[entry * width + unit] = _logistic(total)
    else:
        width = layers.width[0]
        for entry in range(group, entries, groups):
            row = layers.row_start[room.cells[entry]]
            for unit in range(member, width, WARP):
                total = room.sums[unit] + weights[row + unit]
                room.batch[entry * width + unit] = _logistic(total)
    cuda.syncthreads()
    given, to = 0, len(room.batch) // 2
    for number in range(layer + 1, last + 1):
        rows, width = layers.width[number - 1], layers.width[number]
        weight, bias = layers.weight_start[number], layers.bias_start[number]
        for entry in range(group, entries, groups):
            base = given + entry * rows
            for unit in range(member, width, WARP):
                total, place, here = weights[bias + unit], U(base), U(weight + unit)
                for _ in range(rows):
                    total += room.batch[place] * weights[here]
                    place, here = U(place + ONE), U(here + width)
                room.batch[to + entry * width + unit] = _logistic(total)
        if back:
            _keep_past(layers, room, given + count * rows, number - 1)
        given, to = to, given
        cuda.syncthreads()
    width, at, total = layers.width[last], layers.weight_start[last + 1], float32(0)
    if last >= layer:
        for entry in range(group, entries, groups):
            total = float32(0)
            for unit in range(member, width, WARP):
                total += room.batch[given + entry * width + unit] * weights[at + unit]
            room.parts[entry * WARP + member] = total
        if back:
            _keep_past(layers, room, given + count * width, last)
        cuda.syncthreads()
        total = weights[layers.bias_start[last + 1]]
    else:
        total = room.scores[len(room.scores) - 1]
    for entry in range(lane, entries, lanes):
        room.scores[entry] = total + _sum_parts(room, entry)
    cuda.syncthreads()


@device
def _change_units(layers: Layers, weights: Weights, room: Room, count: int, back: bool) -> None:
    """As `activations.move_stone`: by how much each entry's stone changes units."""
    lane, lanes, of_cell = cuda.threadIdx.x, cuda.blockDim.x, len(room.change) // len(room.cells)
    width, weight = layers.width[1], layers.weight_start[1]
    if back:
        for i in range(lane, layers.width[0], lanes):
            room.past[i] = room.active[i]
        cuda.syncthreads()
    for entry in range(lane // WARP, count + 1 if back else count, lanes // WARP):
        at, end = layers.row_start[room.cells[entry]], layers.row_start[room.cells[entry] + 1]
        for i in range(lane % WARP, end - at, WARP):
            unit, to = layers.row_units[U(at + i)], U(entry * of_cell + i)
            moved = _logistic(room.sums[unit] + weights[U(at + i)])
            room.change[to] = moved - room.active[unit]
            room.rows[to] = U(weight + unit * width)
            if back and entry == count:
                room.past[unit] = moved
    cuda.syncthreads()


@device
def _keep_past(layers: Layers, room: Room, start: int, layer: int) -> None:
    """A layer's activations of the position that learns."""
    for i in range(cuda.threadIdx.x, layers.width[layer], cuda.blockDim.x):
        room.past[layers.unit_start[layer] + i] = room.batch[start + i]


@device
def _sum_parts(room: Room, entry: int) -> float:
    """The sum of what the threads of a group have added up."""
    one = two = three = four = float32(0)
    for i in range(entry * WARP, (entry + 1) * WARP, 4):
        one += room.parts[i]
        two += room.parts[i + 1]
        three += room.parts[i + 2]
        four += room.parts[i + 3]
    return (one + two) + (three + four)


@device
def learn(
    layers: Layers, weights: Weights, room: Room, settings: Settings, history: Cells,
    view: int, less: int, score: float,
) -> None:  # fmt: skip
    """As `backpropagation.learn`, for the position in `past`, whose score is given."""
    lane, lanes, last = cuda.threadIdx.x, cuda.blockDim.x, len(layers.detectors) - 1
    value, slope = float64(_logistic(score)), float32(settings.slope)
    step = room.reals[ALPHA] * (room.reals[TARGET] - value) * settings.slope
    error, one = float32(step * (1.0 - value * value)), float32(1)
    start, at = layers.unit_start[last], layers.weight_start[last + 1]
    for i in range(lane, layers.width[last], lanes):
        unit = room.past[start + i]
        room.errors[start + i] = error * weights[at + i] * slope * (one - unit * unit)
        weights[at + i] += error * unit
    cuda.syncthreads()
    for layer in range(last, 0, -1):
        width, rows, start = layers.width[layer], layers.width[layer - 1], layers.unit_start[layer]
        before, weight = layers.unit_start[layer - 1], layers.weight_start[layer]
        for item in range(lane, rows * PARTS, lanes):
            row, first, total = item // PARTS, item % PARTS, float32(0)
            at, above, unit = (
                U(weight + row * width + first),
                U(start + first),
                room.past[before + row],
            )
            for _ in range(width // PARTS):  # rows are filled up to whole eights
                old, passed = weights[at], room.errors[above]
                total += old * passed
                weights[at] = old + unit * passed
                at, above = U(at + PARTS), U(above + PARTS)
            room.parts[item] = total
        cuda.syncthreads()
        for row in range(lane, rows, lanes):
            unit, total = room.past[before + row], float32(0)
            for part in range(PARTS):
                total += room.parts[row * PARTS + part]
            room.errors[before + row] = total * slope * (one - unit * unit)
        cuda.syncthreads()
    if settings.bias:
        for layer in range(last + 1):
            start, bias = layers.unit_start[layer], layers.bias_start[layer]
            for i in range(lane, layers.width[layer], lanes):
                weights[bias + i] += room.errors[start + i]
        if lane == 0:
            weights[layers.bias_start[last + 1]] += error
            room.reals[VALUES] += value
    elif lane == 0:
        room.reals[VALUES] += value
    _learn_first(layers, weights, room, history, view, less)


@device
def _learn_first(
    layers: Layers, weights: Weights, room: Room, history: Cells, view: int, less: int
) -> None:
    """As `backpropagation._learn_first_layer`."""
    lane, lanes, sign = cuda.threadIdx.x, cuda.blockDim.x, float32(view)
    stones = room.words[PLIES] - less
    for ply in range(lane // WARP, stones, lanes // WARP):
        start, own = layers.row_start[history[ply]], sign if ply & 1 == 0 else -sign
        for i in range(start + lane % WARP, layers.row_start[history[ply] + 1], WARP):
            weights[U(i)] += own * room.errors[layers.row_units[U(i)]]
    for i in range(lane, layers.width[0], lanes):
        seen = room.seen[i] if layers.structured > 0 else float32(stones)
        room.stones[i] += sign * seen * room.errors[i]
    cuda.syncthreads()
    if less > 0 and layers.structured > 0:
        cell = history[stones]
        for i in range(layers.row_start[cell] + lane, layers.row_start[cell + 1], lanes):
            unit = layers.row_units[i]
            room.stones[unit] -= sign * room.errors[unit]
    cuda.syncthreads()


@device
def add_stone(layers: Layers, weights: Weights, room: Room, cell: int, first: bool) -> None:
    """As `activations.add_stone`."""
    start, sign = layers.row_start[cell], float32(1) if first else float32(-1)
    for i in range(start + cuda.threadIdx.x, layers.row_start[cell + 1], cuda.blockDim.x):
        unit = layers.row_units[i]
        room.stones[unit] += sign * weights[i]
        room.seen[unit] += float32(1)
    cuda.syncthreads()
