"""Weights shared by a game's symmetries: the cube paper's future work.

A symmetry takes cells to cells and lines to lines, so it takes each weight to another one. Weights
that some symmetry takes to each other are made one. How the units of dense layers move is a choice:

- *invariant*: not at all. Each of them then looks the same from every side, and so does the output.
- *equivariant*: in groups as large as the game has symmetries, each unit of a group being the
  first one seen from another side. Only the output looks the same from every side.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inarow.game import Game, InputError
from inarow.game.symmetry import Permutation, orbits_of
from inarow.learn.mlp.network import Network
from inarow.learn.weights import Places

SHARING = ("none", "invariant", "equivariant")


def shares_of(network: Network, sharing: str) -> Places:
    """For each weight the first of those it is one with; nothing where none are shared."""
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
    """Where a symmetry of cells takes each weight."""
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
    """The image of things that each have so many parts, which go with them in order."""
    return (image[:, None] * parts + np.arange(parts)).ravel()


def _line_image(game: Game, cells: Permutation) -> npt.NDArray[np.int64]:
    """Where a symmetry takes each line."""
    number = {row.tobytes(): line for line, row in enumerate(np.sort(game.lines, axis=1))}
    return np.array([number[row.tobytes()] for row in np.sort(cells[game.lines], axis=1)])


def _turned(
    units: int, cells: Permutation, elements: npt.NDArray[np.int32]
) -> npt.NDArray[np.int64]:
    """Where a symmetry takes the units of a dense layer: within groups, as it takes symmetries."""
    order = len(elements)
    if units % order:
        raise InputError(
            f"sharing is equivariant: a dense layer of {units} units is no multiple of the game's "
            f"{order} symmetries"
        )
    number = {row.tobytes(): place for place, row in enumerate(elements)}
    turned = np.array([number[cells[row].tobytes()] for row in elements])
    return (np.arange(0, units, order)[:, None] + turned).ravel()
