"""The cube paper's learner as one would write it first, compiled: what `learn.mlp` is timed by.

Weights in matrices, a forward pass through the whole network for each move that is looked at and
for each position that learns, the library's tanh. Board and random numbers are the engine's own,
so what differs is how the network is worked with, and nothing else. By self-play only, with the
default options.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
    OPEN,
    PLY,
    STATE,
    clear,
    new_board,
    place,
    tables_of,
)
from inarow.engine.jit import jit
from inarow.engine.rules import Rule, find_cells
from inarow.engine.streams import below, uniform
from inarow.game import game as game_of
from inarow.learn.mlp.learner import MLP
from inarow.learn.mlp.network import matrices

ALPHA, EPSILON = 0.005, 0.1


@jit
def forward(inputs, sources, network, active):  # type: ignore[no-untyped-def]
    """The value of a position; the activations of all layers into `active`.

    `sources` says which inputs a unit of the first layer is connected to.
    """
    weights, biases = network[0]
    for unit in range(len(sources)):
        total = biases[unit]
        for place_of in range(sources.shape[1]):
            total += weights[unit, place_of] * inputs[sources[unit, place_of]]
        active[0, unit] = math.tanh(0.5 * total)
    units = len(sources)
    for layer in range(1, len(network)):
        weights, biases = network[layer]
        for unit in range(len(weights)):
            total = biases[unit]
            for below_it in range(units):
                total += weights[unit, below_it] * active[layer - 1, below_it]
            active[layer, unit] = math.tanh(0.5 * total)
        units = len(weights)
    return active[len(network) - 1, 0]


@jit
def backward(inputs, sources, network, active, errors, target):  # type: ignore[no-untyped-def]
    """One step towards the target."""
    value = forward(inputs, sources, network, active)
    last = len(network) - 1
    errors[last, 0] = (target - value) * (1 - value * value)
    for layer in range(last, 0, -1):
        weights, biases = network[layer]
        for below_it in range(weights.shape[1]):
            total = 0.0
            for unit in range(len(weights)):
                total += weights[unit, below_it] * errors[layer, unit]
            unit_below = active[layer - 1, below_it]
            errors[layer - 1, below_it] = total * (1 - unit_below * unit_below)
        for unit in range(len(weights)):
            for below_it in range(weights.shape[1]):
                change = ALPHA * errors[layer, unit] * active[layer - 1, below_it]
                weights[unit, below_it] += change
            biases[unit] += ALPHA * errors[layer, unit]
    weights, biases = network[0]
    for unit in range(len(sources)):
        for place_of in range(sources.shape[1]):
            seen = inputs[sources[unit, place_of]]
            weights[unit, place_of] += ALPHA * errors[0, unit] * seen
        biases[unit] += ALPHA * errors[0, unit]


@jit
def see(stones, side, inputs):  # type: ignore[no-untyped-def]
    """The board on a side's view."""
    for cell in range(len(stones)):
        inputs[cell] = 0.0 if stones[cell] == 0 else (1.0 if stones[cell] == side + 1 else -1.0)


@jit
def play(
    tables, board, sources, network, active, errors, inputs, before, rules, found, stream, games
):  # type: ignore[no-untyped-def]
    """Self-play games with learning."""
    for _ in range(games):
        clear(tables, board)
        while board.counters[STATE] == 0:
            side = board.counters[PLY] & 1
            rule, cells, count = find_cells(tables, board, rules, found)
            if uniform(stream) < EPSILON:
                cell = board.open_cells[np.int64(below(stream, board.counters[OPEN]))]
            elif rule == Rule.WIN:
                cell = cells[0]
            else:
                cell, best = cells[0], -np.inf
                see(board.stones, side, inputs)
                for i in range(count):
                    inputs[cells[i]] = 1.0
                    value = forward(inputs, sources, network, active)
                    inputs[cells[i]] = 0.0
                    if value > best:
                        cell, best = cells[i], value
            see(board.stones, side, inputs)
            inputs[cell] = 1.0
            value = forward(inputs, sources, network, active)
            moved = board.counters[PLY] >= 2
            place(tables, board, cell)
            state = board.counters[STATE]
            target = value if state == 0 else (0.0 if state == DRAWN else 1.0)
            if moved:
                backward(before[side], sources, network, active, errors, target)
            for number in range(tables.cells):
                before[side, number] = inputs[number]
        reward = 0.0 if board.counters[STATE] == DRAWN else 1.0
        side = board.counters[STATE] - FIRST_WON if reward > 0 else 1
        backward(before[side], sources, network, active, errors, reward)
        if board.counters[PLY] >= 2:
            backward(before[1 - side], sources, network, active, errors, -reward)


class PlainTraining:
    """The same run as `MLP(network, precision="double")` begins by self-play."""

    def __init__(self, game_name: str, network: str, seed: int) -> None:
        game = game_of(game_name)
        training = MLP(network=network, precision="double").begin(game, None, seed)
        layers = matrices(training.network, training.arrays["weights"])
        first = layers[0][0]
        connected = first != 0
        fan_in = int(connected.sum(axis=0).max())
        self.sources = np.array([np.flatnonzero(column)[:fan_in] for column in connected.T])
        sparse = np.take_along_axis(first.T, self.sources, axis=1)
        rows = [sparse, *(weights.T for weights, _ in layers[1:])]
        self.network = tuple(
            (np.ascontiguousarray(weights), biases)
            for weights, (_, biases) in zip(rows, layers, strict=True)
        )
        self.tables, self.game = tables_of(game), game
        widest = max(len(biases) for _, biases in self.network)
        self.room: tuple[Any, ...] = (
            np.zeros((len(self.network), widest)),
            np.zeros((len(self.network), widest)),
            np.zeros(game.cells),
            np.zeros((2, game.cells)),
            np.array([Rule.WIN, Rule.END], dtype=np.int64),
            np.zeros(game.cells, dtype=np.uint32),
        )
        self.board, self.stream = new_board(self.tables), training.arrays["learner"]

    def play(self, games: int) -> None:
        """Plays so many more games and learns from them."""
        play(self.tables, self.board, self.sources, self.network, *self.room, self.stream, games)

    def matrices(self) -> list[tuple[Any, Any]]:
        """As `network.matrices` gives them."""
        first, biases = self.network[0]
        dense = np.zeros((len(first), self.game.cells))
        np.put_along_axis(dense, self.sources, first, axis=1)
        return [(dense.T, biases)] + [(weights.T, biases) for weights, biases in self.network[1:]]


def plain_games(game_name: str, network: str, seed: int) -> Callable[[int], None]:
    """A function that plays so many more games."""
    return PlainTraining(game_name, network, seed).play
