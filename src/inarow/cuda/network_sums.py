"""The sums of a value network, and how it learns, by the threads of a block together.

Each function is what the one of that name in `activations` or `backpropagation` is for a
processor. They are made for one network, whose sizes are numbers in the compiled code, and every
thread of a block goes through them: the first `THREADS` add up, and all wait for each other where
one needs what another has written.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import cuda, float32, float64

from inarow.cuda.kernels import SIMULATED, device
from inarow.engine.board import Cells, Int64s
from inarow.learn.layers import Weights
from inarow.learn.mlp.network import LANES, Network

U = np.uint32  # of indices: a signed one might count from the end, which takes time to see
# Threads of a block that add up, and those that go together; the simulator has one of Python each.
THREADS, WARP = (8, 4) if SIMULATED else (128, 32)
# Weights that a thread reads before it uses any: a network that learns has them in no near cache.
BLOCK = 16


class Shape(NamedTuple):
    """A network as its functions are compiled for."""

    width: tuple[int, ...]  # of each hidden layer
    units: tuple[int, ...]  # where a layer's units lie, and how many there are
    weight: tuple[int, ...]  # where its weights lie; the output's are the last
    bias: tuple[int, ...]
    structured: bool
    of_cell: int  # units of the first layer that a cell is connected to, in whole blocks
    cells: int
    lines: int
    entries: int  # moves, and the stone that leads back to the position that learns

    @property
    def dense(self) -> int:
        """The first dense layer: its number."""
        return int(self.structured)

    @property
    def batch(self) -> int:
        """Numbers that the entries have in the widest dense layer."""
        return max([1, *(entries_room(self, width) * width for width in self.width[self.dense :])])

    @property
    def parts(self) -> int:
        """Numbers that are summed up by several threads, at most."""
        back = [LANES * width for width in self.width[:-1]]
        return max(2 * THREADS, *back, *self.width, self.entries * (WARP + 1))


def shape_of(network: Network) -> Shape:
    """Return the sizes that kernels of a network are compiled for."""
    layers, game = network.layers, network.game
    numbers = (layers.width[:-1], layers.unit_start, layers.weight_start, layers.bias_start)
    of_cell = -(-int(np.diff(layers.row_start).max()) // BLOCK) * BLOCK
    width, units, weight, bias = (tuple(array.tolist()) for array in numbers)
    lines, entries = game.line_count, game.columns + 1
    structured = layers.structured > 0
    return Shape(width, units, weight, bias, structured, of_cell, game.cells, lines, entries)


class Asked(NamedTuple):
    """The moves to score in one call."""

    entries: int
    back: bool  # the last of them leads back to the position that learns


class Room(NamedTuple):
    """What the threads of a block share: as in `Activations`."""

    stones: Weights
    seen: Weights
    sums: Weights
    active: Weights
    past: Weights  # activations of the position that learns
    errors: Weights
    change: Weights  # [entries * units of a cell] by how much units change
    moved: Weights  # [units of a cell] what they are in the position that learns
    rows: Cells  # [entries * units of a cell] where the weights of these units begin
    batch: Weights  # twice [entries, widest dense layer]
    parts: Weights  # of sums
    scores: Weights  # [entries + 1] the last is that of the board
    cells: Cells  # [entries] moves to be scored; the last one leads back
    starts: Cells  # [2, cells] where the weights of each stone's cell begin, and end
    words: Int64s
    reals: Any


@device
def logistic(x):  # type: ignore[no-untyped-def]
    """Return the logistic of a sum, as the processor has it."""
    e = math.exp(-min(max(x, float32(-44)), float32(44)))
    return (float32(1) - e) / (float32(1) + e)


def entries_room(shape: Shape, width: int) -> int:
    """Return the entries that a dense layer has room for: as many for each group of threads."""
    groups = max(1, THREADS // width)
    return groups * -(-shape.entries // groups)


def chain(functions: list[Any]) -> Any:
    """Return one after the other each of a network's weights and two more things."""
    if len(functions) == 1:
        return functions[0]
    first, then = (functions[0], chain(functions[1:])) if functions else (_nothing, _nothing)

    @device
    def both(weights, room, one, two):  # type: ignore[no-untyped-def]
        first(weights, room, one, two)
        then(weights, room, one, two)

    return both


@device
def _nothing(weights, room, one, two):  # type: ignore[no-untyped-def]
    pass


# The board


def forward_board_of(shape: Shape) -> Any:
    """Compute the units of the board in a view, as `forward_board` does."""
    lanes, width, bias = THREADS, shape.width[0], shape.bias[0]

    @device
    def first_layer(weights, room, view, _):  # type: ignore[no-untyped-def]
        lane, sign = cuda.threadIdx.x, float32(view)
        if lane < lanes:
            for i in range(lane, width, lanes):
                total = weights[bias + i] + sign * room.stones[i]
                room.sums[i] = total
                room.active[i] = logistic(total)
        cuda.syncthreads()

    return chain([first_layer, *(_dense_layer(shape, n) for n in range(1, len(shape.width)))])


def _dense_layer(shape: Shape, layer: int) -> Any:
    """Return a layer's sums, the rows of its weights shared out among several threads a unit."""
    lanes, width, rows = THREADS, shape.width[layer], shape.width[layer - 1]
    start, before = shape.units[layer], shape.units[layer - 1]
    weight, bias = shape.weight[layer], shape.bias[layer]
    shares = max(n for n in (1, 2, 4, LANES) if n == 1 or n * width <= lanes)
    items, steps = shares * width, rows // shares  # rows are whole eights
    block = max(n for n in range(1, BLOCK + 1) if steps % n == 0)

    @device
    def add_up(weights, room, _view, _):  # type: ignore[no-untyped-def]
        lane, old = cuda.threadIdx.x, cuda.local.array(block, float32)
        if lane < lanes:
            for item in range(lane, items, lanes):
                total, at, below = float32(0), U(weight + item), U(before + item // width)
                for _ in range(steps // block):
                    for i in range(block):
                        old[i] = weights[U(at + U(i * items))]
                    for i in range(block):
                        total += room.active[U(below + U(i * shares))] * old[i]
                    below, at = U(below + U(block * shares)), U(at + U(block * items))
                room.parts[item] = total
        cuda.syncthreads()
        if lane < lanes:
            for unit in range(lane, width, lanes):
                total = weights[bias + unit]
                for share in range(shares):
                    total += room.parts[U(share * width + unit)]
                room.sums[start + unit] = total
                room.active[start + unit] = logistic(total)
        cuda.syncthreads()

    return add_up


def score_of(shape: Shape) -> Any:
    """Return the output's sum for the board, behind its other scores."""
    lanes, warp, width, start = THREADS, WARP, shape.width[-1], shape.units[-2]
    at, bias, place = shape.weight[-1], shape.bias[-1], shape.entries

    @device
    def score(weights, room, _layers, _asked):  # type: ignore[no-untyped-def]
        lane, total = cuda.threadIdx.x, float32(0)
        if lane < lanes:
            for i in range(lane, width, lanes):
                total += room.active[start + i] * weights[at + i]
            room.parts[lane] = total
        cuda.syncthreads()
        if lane < warp:
            total = float32(0)
            for i in range(lane, lanes, warp):
                total += room.parts[i]
            room.parts[lanes + lane] = total
        cuda.syncthreads()
        if lane == 0:
            room.scores[place] = weights[bias] + sum_parts(room, lanes, warp)
        cuda.syncthreads()

    return score


@device
def sum_parts(room, start, length):  # type: ignore[no-untyped-def]
    """The sum of so many parts, a multiple of four."""
    one = two = three = four = float32(0)
    for i in range(0, length, 4):
        at = U(start + i)
        one += room.parts[at]
        two += room.parts[U(at + 1)]
        three += room.parts[U(at + 2)]
        four += room.parts[U(at + 3)]
    return (one + two) + (three + four)


# The scores of all moves of a position at once, by the threads of a block together.
#
# As in `cuda_sums`, whose board they begin from: a move is the difference that its stone makes.


def score_moves_of(shape: Shape) -> Any:
    """Score a stone on each of the first `count` cells, as `score_moves` does.

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
    """Write by how much each entry's stone changes units, as `move_stone` does."""
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
    """Finish scores where the output comes right behind the structured layer."""
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
    """Return the first dense layer's activations for each entry, a warp for one."""
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
    """Finish scores from the last layer's activations."""
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


# How a value network learns, by the threads of a block together: see `cuda_sums`.

STONES = 8  # whose weights are read before any is written
ALPHA, EPSILON, TARGET, VALUES = range(4)  # of `Room.reals`; the last adds up values, to be checked


def learn_back_of(shape: Shape) -> Any:
    """Learn as `learn` does from the position in `past`, all but the first layer's weights.

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
    """Return a layer's weights learn, and errors go back through them: eight threads for a row."""
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
    """Change the first layer's weights of cells with a stone, and their sums."""
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
    """Add the stone of that ply, as `add_stone` does."""
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
