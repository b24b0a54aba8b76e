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
from numba import cuda, float32

from inarow.engine.board import Cells
from inarow.engine.cuda import SIMULATED, device
from inarow.engine.tables import Int64s
from inarow.learn.mlp.network import LANES, Network
from inarow.learn.weights import Weights

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
    """Of a network on a game."""
    layers, game = network.layers, network.game
    numbers = (layers.width[:-1], layers.unit_start, layers.weight_start, layers.bias_start)
    of_cell = -(-int(np.diff(layers.row_start).max()) // BLOCK) * BLOCK
    width, units, weight, bias = (tuple(array.tolist()) for array in numbers)
    lines, entries = game.line_count, game.columns + 1
    structured = layers.structured > 0
    return Shape(width, units, weight, bias, structured, of_cell, game.cells, lines, entries)


class Asked(NamedTuple):
    """What is to be scored."""

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
    """As the processor's, of a sum."""
    e = math.exp(-min(max(x, float32(-44)), float32(44)))
    return (float32(1) - e) / (float32(1) + e)


def entries_room(shape: Shape, width: int) -> int:
    """Entries that a dense layer has room for: as many for each group of threads."""
    groups = max(1, THREADS // width)
    return groups * -(-shape.entries // groups)


def chain(functions: list[Any]) -> Any:
    """One after the other, each of a network's weights and two more things."""
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
    """As `activations.forward_board`: sums and activations of the board in a view."""
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
    """A layer's sums, the rows of its weights shared out among several threads a unit."""
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
    """The output's sum for the board, behind its other scores."""
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
