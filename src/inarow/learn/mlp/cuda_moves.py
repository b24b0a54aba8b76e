"""The scores of all moves of a position at once, by the threads of a block together.

As in `cuda_sums`, whose board they begin from: a move is the difference that its stone makes.
"""

from __future__ import annotations

from typing import Any

from numba import cuda, float32

from inarow.engine.cuda import device
from inarow.learn.mlp.cuda_sums import (
    BLOCK,
    THREADS,
    WARP,
    Shape,
    U,
    chain,
    entries_room,
    logistic,
    score_of,
    sum_parts,
)
from inarow.learn.mlp.network import LANES


def score_moves_of(shape: Shape) -> Any:
    """As `activations.score_moves`: the score after a stone on each of the first `count` cells.

    With `back` the entry behind them is the stone that leads back to the position that learns:
    what its units are then is written into `past`.
    """
    dense, last = shape.dense, len(shape.width) - 1
    steps = [_change_units(shape)] if shape.structured else []
    if last < dense:
        return chain([score_of(shape), *steps, _finish_structured(shape)])
    steps.append(_enter_dense(shape))
    steps += [_next_dense(shape, layer) for layer in range(dense + 1, last + 1)]
    return chain([*steps, _finish_dense(shape)])


def _change_units(shape: Shape) -> Any:
    """As `activations.move_stone`: by how much each entry's stone changes units."""
    lanes, warp, of_cell, first = THREADS, WARP, shape.of_cell, shape.width[0]
    weight, width = shape.weight[1], shape.width[1] if len(shape.width) > 1 else 1

    @device
    def change_units(weights, room, layers, asked):  # type: ignore[no-untyped-def]
        lane = cuda.threadIdx.x
        if lane < lanes:
            if asked.back:
                for i in range(lane, first, lanes):
                    room.past[i] = room.active[i]
            for entry in range(lane // warp, asked.entries, lanes // warp):
                at = layers.row_start[room.cells[entry]]
                length = layers.row_start[room.cells[entry] + 1] - at
                for i in range(lane % warp, of_cell, warp):
                    to = U(entry * of_cell + i)
                    room.change[to], room.rows[to] = float32(0), U(weight)
                    if i < length:
                        unit = layers.row_units[U(at + i)]
                        moved = logistic(room.sums[unit] + weights[U(at + i)])
                        room.change[to] = moved - room.active[unit]
                        room.rows[to] = U(weight + unit * width)
                        if asked.back and entry == asked.entries - 1:
                            room.moved[i] = moved
        cuda.syncthreads()

    return change_units


@device
def _keep_moved(room, layers, asked, lanes):  # type: ignore[no-untyped-def]
    """The units of the first layer that are others in the position that learns."""
    if asked.back:
        cell = room.cells[asked.entries - 1]
        at = layers.row_start[cell]
        for i in range(cuda.threadIdx.x, layers.row_start[cell + 1] - at, lanes):
            room.past[layers.row_units[at + i]] = room.moved[i]


def _finish_structured(shape: Shape) -> Any:
    """Scores where the output comes right behind the structured layer."""
    lanes, warp, of_cell, place = THREADS, WARP, shape.of_cell, shape.entries

    @device
    def finish(weights, room, layers, asked):  # type: ignore[no-untyped-def]
        lane = cuda.threadIdx.x
        if lane < lanes:
            _keep_moved(room, layers, asked, lanes)
            for entry in range(lane // warp, asked.entries, lanes // warp):
                cell, total = room.cells[entry], float32(0)
                length = layers.row_start[cell + 1] - layers.row_start[cell]
                for i in range(lane % warp, length, warp):
                    at = U(entry * of_cell + i)
                    total += room.change[at] * weights[room.rows[at]]
                room.parts[entry * (warp + 1) + lane % warp] = total
        cuda.syncthreads()
        if lane < lanes:
            for entry in range(lane, asked.entries, lanes):
                before = room.scores[place]
                room.scores[entry] = before + sum_parts(room, entry * (warp + 1), warp)
        cuda.syncthreads()

    return finish


def _enter_dense(shape: Shape) -> Any:
    """The first dense layer's activations for each entry, a warp for one."""
    lanes, warp, of_cell = THREADS, WARP, shape.of_cell
    width, start, structured = shape.width[shape.dense], shape.units[shape.dense], shape.structured

    @device
    def enter(weights, room, layers, asked):  # type: ignore[no-untyped-def]
        lane, old = cuda.threadIdx.x, cuda.local.array(BLOCK, float32)
        if lane < lanes:
            if structured:
                _keep_moved(room, layers, asked, lanes)
            for entry in range(lane // warp, asked.entries, lanes // warp):
                row = layers.row_start[room.cells[entry]]
                length = layers.row_start[room.cells[entry] + 1] - row
                for unit in range(lane % warp, width, warp):
                    total = room.sums[start + unit]
                    if structured:
                        for first in range(0, length, BLOCK):
                            at = U(entry * of_cell + first)
                            for i in range(BLOCK):
                                old[i] = weights[U(room.rows[U(at + U(i))] + U(unit))]
                            for i in range(BLOCK):
                                total += room.change[U(at + U(i))] * old[i]
                    else:
                        total += weights[U(row + unit)]
                    room.batch[U(entry * width + unit)] = logistic(total)
        cuda.syncthreads()

    return enter


def _next_dense(shape: Shape, layer: int) -> Any:
    """A later dense layer's: a thread has one unit of several entries, and reads a weight once."""
    lanes, width, rows = THREADS, shape.width[layer], shape.width[layer - 1]
    weight, bias, before = shape.weight[layer], shape.bias[layer], shape.units[layer - 1]
    given, to = ((0, shape.batch), (shape.batch, 0))[(layer - shape.dense - 1) % 2]
    groups = max(1, lanes // width)
    each, items = entries_room(shape, width) // groups, groups * width

    @device
    def add_up(weights, room, _layers, asked):  # type: ignore[no-untyped-def]
        lane, old = cuda.threadIdx.x, cuda.local.array(LANES, float32)
        totals = cuda.local.array(each, float32)
        if lane < lanes:
            for item in range(lane, items, lanes):
                unit, entry = U(item % width), U(item // width * each)
                for i in range(each):
                    totals[i] = weights[bias + unit]
                at, first = U(weight + unit), U(given + entry * rows)
                for _ in range(rows // LANES):
                    for row in range(LANES):
                        old[row] = weights[U(at + U(row * width))]
                    for row in range(LANES):
                        for i in range(each):
                            totals[i] += old[row] * room.batch[U(first + U(i * rows + row))]
                    at, first = U(at + U(LANES * width)), U(first + U(LANES))
                for i in range(each):
                    room.batch[U(to + (entry + U(i)) * width + unit)] = logistic(totals[i])
            if asked.back:
                for i in range(lane, rows, lanes):
                    room.past[before + i] = room.batch[given + (asked.entries - 1) * rows + i]
        cuda.syncthreads()

    return add_up


def _finish_dense(shape: Shape) -> Any:
    """Scores from the last layer's activations."""
    lanes, warp, width, start = THREADS, WARP, shape.width[-1], shape.units[-2]
    at, bias = shape.weight[-1], shape.bias[-1]
    given = (0, shape.batch)[(len(shape.width) - 1 - shape.dense) % 2]

    @device
    def finish(weights, room, _layers, asked):  # type: ignore[no-untyped-def]
        lane = cuda.threadIdx.x
        if lane < lanes:
            for entry in range(lane // warp, asked.entries, lanes // warp):
                total = float32(0)
                for unit in range(lane % warp, width, warp):
                    total += room.batch[U(given + entry * width + unit)] * weights[at + unit]
                room.parts[entry * (warp + 1) + lane % warp] = total
            if asked.back:
                for i in range(lane, width, lanes):
                    room.past[start + i] = room.batch[given + (asked.entries - 1) * width + i]
        cuda.syncthreads()
        if lane < lanes:
            for entry in range(lane, asked.entries, lanes):
                room.scores[entry] = weights[bias] + sum_parts(room, entry * (warp + 1), warp)
        cuda.syncthreads()

    return finish
