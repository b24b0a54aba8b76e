"""Value networks for k-in-a-row games: their layers, where each weight lies, how they begin.

A network is written as its hidden layers: `50`, `95,51`, `lines:4,32`. A number is a *dense* layer
of so many units, each connected to all of the layer before it. `lines:d` is a *structured* layer:
d detectors for each line of the game, connected to the cells of that line only; as a second or
later layer, to the detectors of the same line only. The output, one unit, is not written. The
five networks of the cube paper (Table I) have names.

All weights are one vector, so compiled loops of any depth need no array for each layer:

    first layer: for each cell, in order, one weight for each unit that the cell is connected to
    a dense layer behind it: for each unit of the layer before, one weight for each unit
    a structured layer behind it: for each detector of the layer before, one for each of its line
    the output: one for each unit of the last hidden layer
    each layer's biases stand behind its weights, also where they stay 0

Rows are filled up to whole vectors of the processor with weights that are 0 and stay 0: they
belong to units that no other weight leaves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Int64s, tables_of
from inarow.engine.streams import Stream
from inarow.game import Game, InputError
from inarow.game.symmetry import Permutation, orbits_of
from inarow.learn.layers import Places, Weights, draw_uniform

Mask = npt.NDArray[np.bool_]

NETWORKS = {  # of the cube paper
    "small-structured": "lines:4",
    "deep-structured": "lines:4,32",
    "small-unstructured": "50",
    "deep-unstructured": "95,51",
    "wide-unstructured": "169",
}
LANES = 8  # rows are filled up to a multiple of this
MAX_LAYERS, MAX_UNITS, MAX_WEIGHTS = 16, 100_000, 20_000_000


class Layer(NamedTuple):
    """A hidden layer as it is written."""

    lines: bool  # structured, or dense
    units: int  # for each line, or in all


class Layers(NamedTuple):
    """A network for compiled loops. Layers are numbered from 0; the output stands behind them."""

    structured: int  # so many of the first layers are structured
    detectors: Int64s  # [layers] units for each line in a structured layer
    width: Int64s  # [layers + 1] units with those that fill up the row
    unit_start: Int64s  # [layers + 1] where a layer's units lie in vectors of all units
    weight_start: Int64s  # [layers + 1]
    bias_start: Int64s  # [layers + 1]
    row_start: Int64s  # [cells + 1] where the weights of a cell lie, from 0
    row_units: Places  # [weights of the first layer] the unit that each weight leads to
    lines_through: Int64s  # [cells] how many lines go through a cell


@dataclass(frozen=True)
class Network:
    """The layers of a network on a game."""

    game: Game
    hidden: tuple[Layer, ...]
    layers: Layers
    size: int  # weights, biases and what fills up rows
    connections: Mask  # [size] which of them are weights
    biases: Mask  # [size] which are biases

    @property
    def weights(self) -> int:
        """The number of weights without biases, as the cube paper counts."""
        return int(self.connections.sum())


def parse_layers(text: str) -> tuple[Layer, ...]:
    """Return the hidden layers that a text or a name says."""
    layers = []
    for part in NETWORKS.get(text.strip(), text).replace(" ", "").split(","):
        match = re.fullmatch(r"(lines:)?([0-9]{1,6})", part)
        if match is None or not 1 <= int(match[2]) <= MAX_UNITS:
            raise InputError(
                f"network {text!r} is none of {', '.join(NETWORKS)}, and no list of layers as in "
                "lines:4,32: four detectors for each line, then 32 units"
            )
        layers.append(Layer(match[1] is not None, int(match[2])))
    if len(layers) > MAX_LAYERS:
        raise InputError(f"{len(layers)} layers are too many: at most {MAX_LAYERS} work")
    kinds = [layer.lines for layer in layers]
    if kinds != sorted(kinds, reverse=True):
        raise InputError(f"network {text!r}: a structured layer cannot stand behind a dense one")
    return tuple(layers)


def filled(units: int, spare: int = 0) -> int:
    """Return a row's length: up to whole vectors, with so many units to spare at least."""
    return -(-(units + spare) // LANES) * LANES


class _Plan(NamedTuple):
    """Where everything lies in the vector of a network; layers are numbered as in `Layers`."""

    hidden: tuple[Layer, ...]
    structured: int
    units: list[int]  # [layers + 1]
    width: list[int]  # [layers]
    row_lengths: Int64s  # [cells]
    weight_start: list[int]
    bias_start: list[int]
    size: int


def network_size(game: Game, text: str, most: int | None = None) -> int:
    """Return the number of weights, biases and places between them; refuse more than `most`."""
    return _plan(game, text, most).size


@lru_cache(maxsize=4)
def network_of(game: Game, text: str) -> Network:
    """Return the network that a text says, on a game."""
    plan = _plan(game, text)
    row_units = _row_units(game, plan)
    layers = Layers(
        plan.structured,
        np.array([layer.units if layer.lines else 0 for layer in plan.hidden], dtype=np.int64),
        np.array([*plan.width, 1], dtype=np.int64),
        np.cumsum([0, *plan.width], dtype=np.int64),
        np.array(plan.weight_start, dtype=np.int64),
        np.array(plan.bias_start, dtype=np.int64),
        np.cumsum([0, *plan.row_lengths], dtype=np.int64),
        row_units,
        np.diff(tables_of(game).line_start).astype(np.int64),
    )
    return Network(game, plan.hidden, layers, plan.size, *_used(layers, plan.units, plan.size))


def _plan(game: Game, text: str, most: int | None = None) -> _Plan:
    hidden, lines = parse_layers(text), game.line_count
    limit = min(MAX_WEIGHTS, MAX_WEIGHTS if most is None else most)
    _check_first_layer(game, text, hidden[0], limit)
    structured = sum(layer.lines for layer in hidden)
    if structured and not lines:
        raise InputError(f"{game.name} has no lines, so it has no structured layers")
    units = [layer.units * lines if layer.lines else layer.units for layer in hidden] + [1]
    # A structured layer keeps one unit that is none: rows of a cell are filled up with it.
    width = [
        filled(number, int(layer.lines)) for number, layer in zip(units[:-1], hidden, strict=True)
    ]
    lengths = np.full(game.cells, width[0], dtype=np.int64)
    if structured:
        through = np.diff(tables_of(game).line_start).astype(np.int64)
        lengths = -(-through * hidden[0].units // LANES) * LANES
    first = int(lengths.sum())
    starts, biases, end = [0], [first], first + width[0]
    for number in range(1, len(units)):
        deeper = number < structured
        here = width[number] if number < len(hidden) else 1
        rows = width[number - 1] if not deeper else lines * hidden[number - 1].units
        starts.append(end)
        biases.append(end + rows * (here if not deeper else hidden[number].units))
        end = biases[-1] + here
    if end > limit:
        raise InputError(_too_many(text, end, game, limit))
    return _Plan(hidden, structured, units, width, lengths, starts, biases, end)


def _check_first_layer(game: Game, text: str, first: Layer, limit: int) -> None:
    """Raise InputError if the first layer alone has too many weights."""
    cells = game.k * game.line_count if first.lines else game.cells
    if cells * first.units > limit:
        raise InputError(_too_many(text, cells * first.units, game, limit))


def _too_many(text: str, weights: int, game: Game, limit: int) -> str:
    return f"network {text!r} has {weights:,} weights on {game.name}: there is room for {limit:,}"


def _row_units(game: Game, plan: _Plan) -> Places:
    """Return to which units the first layer's weights lead, cell by cell."""
    tables, first, rows = tables_of(game), plan.hidden[0], list[npt.NDArray[np.int64]]()
    for cell, length in enumerate(plan.row_lengths):
        row = np.arange(length)
        if first.lines:
            through = tables.line_at[tables.line_start[cell] : tables.line_start[cell + 1]]
            units = (through[:, None] * first.units + np.arange(first.units)).ravel()
            row = np.full(length, plan.units[0])
            row[: len(units)] = units
        rows.append(row)
    return np.concatenate(rows).astype(np.uint32)


def _used(layers: Layers, real: list[int], size: int) -> tuple[Mask, Mask]:
    """Return which of the vector's places are weights, and which biases."""
    weights, biases = np.zeros(size, dtype=bool), np.zeros(size, dtype=bool)
    weights[: len(layers.row_units)] = layers.row_units < real[0]
    for number, units in enumerate(real):
        start, bias = layers.weight_start[number], layers.bias_start[number]
        biases[bias : bias + units] = True
        if 0 < number < layers.structured:
            weights[start:bias] = True
        elif number:
            matrix = weights[start:bias].reshape(layers.width[number - 1], -1)
            matrix[: real[number - 1], :units] = True
    return weights, biases


def matrices(network: Network, weights: Weights) -> list[tuple[Weights, Weights]]:
    """Return each layer's weights [inputs, units], 0 where nothing is connected, and its biases.

    Not what play is made of: for reading a network, and for other libraries.
    """
    layers, lines, found = network.layers, len(network.game.lines), []
    units = [layer.units * (lines if layer.lines else 1) for layer in network.hidden] + [1]
    for number, size in enumerate(units):
        start, bias = layers.weight_start[number], layers.bias_start[number]
        inputs = units[number - 1] if number else network.game.cells
        matrix = np.zeros((inputs, size), dtype=weights.dtype)
        if number == 0:
            cells = np.repeat(np.arange(inputs), np.diff(layers.row_start))
            used = network.connections[: len(cells)]
            matrix[cells[used], layers.row_units[used]] = weights[: len(cells)][used]
        elif number < layers.structured:
            before, here = layers.detectors[number - 1], layers.detectors[number]
            blocks = weights[start:bias].reshape(lines, before, here)
            for line, block in enumerate(blocks):
                matrix[line * before : (line + 1) * before, line * here : (line + 1) * here] = block
        else:
            matrix[:] = weights[start:bias].reshape(layers.width[number - 1], -1)[:inputs, :size]
        found.append((matrix, weights[bias : bias + size].copy()))
    return found


def init_weights(network: Network, bias: bool, scale: float, stream: Stream) -> Weights:
    """Return weights before the first game: uniform from -scale up to but not including scale.

    Weights come first, in the order of the vector, biases then; without them, they are 0.
    """
    values = np.zeros(network.size)
    drawn = np.zeros(int(network.connections.sum() + network.biases.sum()))
    draw_uniform(stream, scale, drawn)
    values[network.connections] = drawn[: network.weights]
    if bias:
        values[network.biases] = drawn[network.weights :]
    return values


# Weights shared by a game's symmetries: the cube paper's future work.
#
# A symmetry takes cells to cells and lines to lines, so it takes each weight to another one.
# Weights that some symmetry takes to each other are made one. How the units of dense layers move is
# a choice:
#
# - *invariant*: not at all. Each of them then looks the same from every side, and so does the
#   output.
# - *equivariant*: in groups as large as the game has symmetries, each unit of a group being the
#   first one seen from another side. Only the output looks the same from every side.

SHARING = ("none", "invariant", "equivariant")


def shares_of(network: Network, sharing: str) -> Places:
    """Return for each weight the first of those that it is one with; None where none are shared."""
    if sharing == "none":
        return np.zeros(0, dtype=np.uint32)
    game, group = network.game, network.game.symmetry_group
    # A box's own symmetries always can be listed; a few games have more than can be.
    elements = game.symmetries if sharing == "equivariant" else None
    images = [_image(network, cells, elements) for cells in group.generators]
    return orbits_of(images, network.size).astype(np.uint32)


def _image(
    network: Network, cells: Permutation, elements: npt.NDArray[np.int32] | None
) -> Permutation:
    """Return where a symmetry of cells takes each weight."""
    game, layers = network.game, network.layers
    lines = _line_image(game, cells)
    image = np.arange(network.size, dtype=np.int32)
    before = np.array([], dtype=np.int64)
    for number in range(len(network.hidden) + 1):
        units = np.arange(layers.width[number])
        if number < layers.structured:
            detectors = int(layers.detectors[number])
            units[: len(lines) * detectors] = _with_parts(lines, detectors)
        elif number < len(network.hidden) and elements is not None:
            units[: network.hidden[number].units] = _turned(
                network.hidden[number].units, cells, elements
            )
        start, bias = layers.weight_start[number], layers.bias_start[number]
        image[bias : bias + len(units)] = bias + units
        if number == 0:
            _first_layer_image(network, cells, units, image)
        elif number < layers.structured:
            outputs = int(layers.detectors[number])
            image[start:bias] = start + _with_parts(
                _with_parts(lines, int(layers.detectors[number - 1])), outputs
            )
        else:
            image[start:bias] = start + (before[:, None] * len(units) + units).ravel()
        before = units
    return image


def _first_layer_image(
    network: Network, cells: Permutation, units: npt.NDArray[np.int64], image: Permutation
) -> None:
    """The first layer's weights: from cell to unit."""
    layers = network.layers
    for cell, other in enumerate(cells):
        own = slice(layers.row_start[cell], layers.row_start[cell + 1])
        theirs = slice(layers.row_start[other], layers.row_start[other + 1])
        place = {int(unit): at for at, unit in enumerate(layers.row_units[theirs])}
        used = network.connections[own]
        wanted = units[layers.row_units[own][used]]
        image[own][used] = [theirs.start + place[int(unit)] for unit in wanted]


def _with_parts(image: npt.NDArray[np.int64], parts: int) -> npt.NDArray[np.int64]:
    """Return the image of things that each have so many parts, which go with them in order."""
    return (image[:, None] * parts + np.arange(parts)).ravel()


def _line_image(game: Game, cells: Permutation) -> npt.NDArray[np.int64]:
    """Return where a symmetry takes each line."""
    number = {row.tobytes(): line for line, row in enumerate(np.sort(game.lines, axis=1))}
    return np.array([number[row.tobytes()] for row in np.sort(cells[game.lines], axis=1)])


def _turned(
    units: int, cells: Permutation, elements: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Return where a symmetry takes the units of a dense layer, within their groups."""
    order = len(elements)
    if units % order:
        raise InputError(
            f"sharing is equivariant: a dense layer of {units} units is no multiple of the game's "
            f"{order} symmetries"
        )
    number = {row.tobytes(): place for place, row in enumerate(elements)}
    turned = np.array([number[cells[row].tobytes()] for row in elements])
    return (np.arange(0, units, order)[:, None] + turned).ravel()
