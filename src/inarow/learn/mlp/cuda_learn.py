"""How a value network learns, by the threads of a block together: see `cuda_sums`."""

from __future__ import annotations

from typing import Any

from numba import cuda, float32, float64

from inarow.engine.cuda import device
from inarow.learn.mlp.cuda_sums import BLOCK, THREADS, Shape, U, chain, logistic
from inarow.learn.mlp.network import LANES

STONES = 8  # whose weights are read before any is written
ALPHA, EPSILON, TARGET, VALUES = range(4)  # of `Room.reals`; the last adds up values, to be checked


def learn_back_of(shape: Shape) -> Any:
    """As `backpropagation.learn` for the position in `past`, all but the first layer's weights.

    The score of that position is given.
    """
    lanes, width, start = THREADS, shape.width[-1], shape.units[-2]
    at, bias, output = shape.weight[-1], shape.bias[-2], shape.bias[-1]

    @device
    def learn_output(weights, room, settings, score):  # type: ignore[no-untyped-def]
        lane, slope, one = cuda.threadIdx.x, float32(settings.slope), float32(1)
        value = float64(logistic(score))
        step = room.reals[ALPHA] * (room.reals[TARGET] - value) * settings.slope
        error = float32(step * (1.0 - value * value))
        if lane < lanes:
            for i in range(lane, width, lanes):
                unit, old = room.past[start + i], weights[at + i]
                passed = error * old * slope * (one - unit * unit)
                room.errors[start + i] = passed
                weights[at + i] = old + error * unit
                if settings.bias:
                    weights[bias + i] += passed
            if lane == 0:
                room.reals[VALUES] += value
                if settings.bias:
                    weights[output] += error
        cuda.syncthreads()

    layers = range(len(shape.width) - 1, 0, -1)
    return chain([learn_output, *(_back_through(shape, layer) for layer in layers)])


def _back_through(shape: Shape, layer: int) -> Any:
    """A layer's weights learn, and errors go back through them: eight threads for a row."""
    lanes, width, rows = THREADS, shape.width[layer], shape.width[layer - 1]
    start, before = shape.units[layer], shape.units[layer - 1]
    weight, bias, each = shape.weight[layer], shape.bias[layer - 1], width // LANES
    together, step = max(1, BLOCK // each), lanes // LANES  # rows of a thread, and between two
    held = together * each

    @device
    def back(weights, room, settings, _score):  # type: ignore[no-untyped-def]
        lane, slope, one = cuda.threadIdx.x, float32(settings.slope), float32(1)
        passed = cuda.local.array(each, float32)
        old = cuda.local.array(held, float32)
        part = lane % LANES
        if lane < lanes:
            for i in range(each):
                passed[i] = room.errors[U(start + part + i * LANES)]
            for first in range(lane // LANES, rows, together * step):
                for k in range(together):
                    at = U(weight + (first + k * step) * width + part)
                    if first + k * step < rows:
                        for i in range(each):
                            old[k * each + i] = weights[U(at + U(i * LANES))]
                for k in range(together):
                    row, total = first + k * step, float32(0)
                    if row < rows:
                        at, unit = U(weight + row * width + part), room.past[U(before + row)]
                        for i in range(each):
                            total += old[k * each + i] * passed[i]
                            weights[U(at + U(i * LANES))] = old[k * each + i] + unit * passed[i]
                        room.parts[U(part * rows + row)] = total
        cuda.syncthreads()
        if lane < lanes:
            for row in range(lane, rows, lanes):
                unit, total = room.past[before + row], float32(0)
                for i in range(LANES):
                    total += room.parts[U(i * rows + row)]
                total *= slope * (one - unit * unit)
                room.errors[before + row] = total
                if settings.bias:
                    weights[bias + row] += total
        cuda.syncthreads()

    return back


def learn_first_of(shape: Shape) -> Any:
    """As `backpropagation._learn_first_layer`: weights of cells with a stone, and their sums."""
    lanes, structured, width, size = THREADS, shape.structured, shape.width[0], shape.cells
    span = shape.of_cell if structured else width
    groups = max(1, lanes // span)

    @device
    def learn_stones(weights, room, layers, stones, sign):  # type: ignore[no-untyped-def]
        places = cuda.local.array(STONES, U)
        changed = cuda.local.array(STONES, float32)
        for item in range(cuda.threadIdx.x, groups * span, lanes):
            member, first = item % span, item // span * STONES
            for ply in range(first, stones, groups * STONES):
                for i in range(STONES):
                    here = min(ply + i, stones - 1)
                    place = room.starts[here] + U(member)
                    known = ply + i < stones and place < room.starts[size + here]
                    places[i] = place if known else U(0xFFFFFFFF)
                    if known:
                        unit = layers.row_units[place] if structured else U(member)
                        own = sign if here & 1 == 0 else -sign
                        changed[i] = weights[place] + own * room.errors[unit]
                for i in range(STONES):
                    if places[i] != U(0xFFFFFFFF):
                        weights[places[i]] = changed[i]

    @device
    def learn_first(weights, room, layers, stones, view, less):  # type: ignore[no-untyped-def]
        lane, sign = cuda.threadIdx.x, float32(view)
        if lane < lanes:
            learn_stones(weights, room, layers, stones, sign)
            for i in range(lane, width, lanes):
                seen = room.seen[i] if structured else float32(stones)
                room.stones[i] += sign * seen * room.errors[i]
        cuda.syncthreads()
        if structured and less > 0:
            if lane < lanes:
                for i in range(room.starts[stones] + lane, room.starts[size + stones], lanes):
                    unit = layers.row_units[i]
                    room.stones[unit] -= sign * room.errors[unit]
            cuda.syncthreads()

    return learn_first


def add_stone_of(shape: Shape) -> Any:
    """As `activations.add_stone`, for the stone of that ply."""
    lanes, size = THREADS, shape.cells

    @device
    def add_stone(weights, room, layers, cell, ply):  # type: ignore[no-untyped-def]
        lane, sign = cuda.threadIdx.x, float32(1) if ply & 1 == 0 else float32(-1)
        start, end = layers.row_start[cell], layers.row_start[cell + 1]
        if lane == 0:
            room.starts[ply], room.starts[size + ply] = start, end
        if lane < lanes:
            for i in range(start + lane, end, lanes):
                unit = layers.row_units[i]
                room.stones[unit] += sign * weights[i]
                room.seen[unit] += float32(1)
        cuda.syncthreads()

    return add_stone
