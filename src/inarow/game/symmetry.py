"""The symmetries of a game, computed from its lines and not assumed.

A symmetry is a permutation of cells that maps lines to lines and, with gravity, each cell above
another to the cell above its image. A box has those of its axes (swaps of equal ones,
reflections, and rotations along those that wrap), but the lines may have more: 4x4 with k = 4 has
32, 4x4x4 has 192.

The search is the classical one. Cells get colours that any symmetry must keep, refined through
their lines until nothing changes. Fixing one cell after another (the base) makes the colours
finer; the number of cells that the next base cell can go to, while those before it stay, is a
factor of the group's order. Only where the known symmetries do not already connect two cells of
a colour is one searched for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from inarow.game.errors import InputError

Permutation = npt.NDArray[np.int32]
Colours = npt.NDArray[np.uint64]

MAX_LISTED = 5_000  # symmetries that are still written out
MAX_WORK = 30_000_000  # cells of lines looked at, after which only the box's own are given
MAX_BASE = 64  # the same, for groups that leave almost every cell free
STEP_WORK = 5_000  # what a round of a refinement costs however small the board is


@dataclass(frozen=True)
class SymmetryGroup:
    """A group of cell permutations: by generators always, element by element if not too large."""

    cells: int
    order: int  # how many symmetries there are
    generators: tuple[Permutation, ...]  # they make all `order` symmetries
    box_order: int  # how many of them are swaps, reflections and rotations of the box's axes
    box_generators: tuple[Permutation, ...]  # these make those
    complete: bool  # False where the search was given up and only the box's are counted

    @property
    def listed(self) -> int:
        """How many of them `elements` writes out."""
        return self.order if self.order <= MAX_LISTED else self.box_order

    @cached_property
    def elements(self) -> npt.NDArray[np.int32]:
        """The symmetries written out, the identity first; the box's own if there are too many."""
        if self.listed <= MAX_LISTED:
            all_of_them = self.listed == self.order
            return _close(self.generators if all_of_them else self.box_generators, self.cells)
        raise InputError(
            f"{self.order} symmetries of {self.cells} cells are too many to write out: "
            f"at most {MAX_LISTED} are; `generators` make them all"
        )

    @cached_property
    def orbits(self) -> npt.NDArray[np.int32]:
        """The lowest cell that a symmetry takes each cell to."""
        return orbits_of(self.generators, self.cells)


def orbits_of(generators: Sequence[Permutation], size: int) -> npt.NDArray[np.int32]:
    """Return for each thing the lowest thing that the permutations connect it with."""
    label = np.arange(size, dtype=np.int32)
    while True:
        before = label
        for permutation in generators:
            label = np.minimum(label, label[permutation])
            lower = label.copy()
            np.minimum.at(lower, permutation, label)
            label = lower
        if np.array_equal(before, label):
            return label


def box_symmetries(
    shape: tuple[int, ...], gravity: bool, wrap: tuple[int, ...]
) -> tuple[Permutation, ...]:
    """Reflections of every axis, rotations along those that wrap, and swaps of like axes.

    The height is left alone with gravity.
    """
    index = np.arange(math.prod(shape), dtype=np.int32).reshape(shape)
    axes = range(1 if gravity else 0, len(shape))
    generators = [np.flip(index, axis).ravel() for axis in axes if shape[axis] > 1]
    generators += [np.roll(index, 1, axis).ravel() for axis in wrap if shape[axis] > 2]
    kinds = [(side, axis in wrap) for axis, side in enumerate(shape)]
    for axis in axes:
        later = (b for b in axes if b > axis and kinds[b] == kinds[axis] and shape[axis] > 1)
        partner = next(later, None)
        if partner is not None:
            generators.append(np.swapaxes(index, axis, partner).ravel())
    return tuple(np.ascontiguousarray(g) for g in generators)


def _box_order(shape: tuple[int, ...], gravity: bool, wrap: tuple[int, ...]) -> int:
    """Return how many symmetries `box_symmetries` make."""
    axes = range(1 if gravity else 0, len(shape))
    kinds = [(shape[axis], axis in wrap) for axis in axes if shape[axis] > 1]
    order = 1
    for side, wraps in set(kinds):
        number = kinds.count((side, wraps))
        of_axis = 2 * side if wraps and side > 2 else 2  # two places rotated are two reflected
        order *= of_axis**number * math.factorial(number)
    return order


def find_symmetries(
    shape: tuple[int, ...], gravity: bool, wrap: tuple[int, ...], lines: npt.NDArray[np.int32]
) -> SymmetryGroup:
    """The symmetry group of a board with these lines."""
    cells = math.prod(shape)
    box, box_order = box_symmetries(shape, gravity, wrap), _box_order(shape, gravity, wrap)
    try:
        order, generators = _Search(cells, lines, cells // shape[0] if gravity else 0).group(box)
    except _TooMuchWorkError:
        return SymmetryGroup(cells, box_order, box, box_order, box, complete=False)
    return SymmetryGroup(cells, order, generators, box_order, box, complete=True)


class _TooMuchWorkError(Exception):
    """The search took more work than allowed."""


class _Search:
    """Finds the automorphisms of a set of lines by colour refinement and backtracking."""

    def __init__(self, cells: int, lines: npt.NDArray[np.int32], columns: int) -> None:
        self.cells, self.lines, self.columns = cells, lines, columns
        self.work = 0
        if 3 * lines.size > MAX_WORK:
            raise _TooMuchWorkError
        self.known = {row.tobytes() for row in np.sort(lines, axis=1)}

    def group(self, known: Sequence[Permutation]) -> tuple[int, tuple[Permutation, ...]]:
        """Order and generators of the whole group, starting from symmetries already known."""
        generators, fixed, order = list(known), list[int](), 1
        while True:
            colours = self.refine(fixed)
            base = _smallest_class(colours)
            if base is None:
                return order, tuple(generators)
            candidates = np.flatnonzero(colours == colours[base])
            stay = [g for g in generators if np.array_equal(g[fixed], fixed)]
            reached = orbits_of(stay, self.cells) == orbits_of(stay, self.cells)[base]
            for cell in candidates:
                if not reached[cell]:
                    found = self.extend([*fixed, base], [*fixed, int(cell)])
                    if found is not None:
                        generators.append(found)
                        stay.append(found)
                        orbits = orbits_of(stay, self.cells)
                        reached = orbits == orbits[base]
            order *= int(reached.sum())
            fixed.append(base)

    def extend(self, source: list[int], image: list[int]) -> Permutation | None:
        """A symmetry that takes each source cell to its image, or None if there is none."""
        colours, image_colours = self.refine(source), self.refine(image)
        if not np.array_equal(np.sort(colours), np.sort(image_colours)):
            return None
        base = _smallest_class(colours)
        if base is None:
            permutation = np.empty(self.cells, dtype=np.int32)
            permutation[np.argsort(colours)] = np.argsort(image_colours)
            return permutation if self.keeps_all(permutation) else None
        for cell in np.flatnonzero(image_colours == colours[base]):
            found = self.extend([*source, base], [*image, int(cell)])
            if found is not None:
                return found
        return None

    def refine(self, fixed: list[int]) -> Colours:
        """Colours that every symmetry keeps which leaves the fixed cells where they are."""
        if len(fixed) > MAX_BASE:
            raise _TooMuchWorkError
        colours = np.ones(self.cells, dtype=np.uint64)
        if self.columns:
            colours += np.arange(self.cells, dtype=np.uint64) // np.uint64(self.columns)
        colours[fixed] += np.arange(1, len(fixed) + 1, dtype=np.uint64) * np.uint64(1_000_003)
        classes = 0
        while True:
            self.work += self.lines.size + STEP_WORK
            if self.work > MAX_WORK:
                raise _TooMuchWorkError
            colours = _mix(colours)
            found = len(np.unique(colours))
            if found == classes:
                return colours
            classes = found
            of_line = _mix(colours[self.lines].sum(axis=1))
            gathered = np.zeros(self.cells, dtype=np.uint64)
            for place in range(self.lines.shape[1]):
                np.add.at(gathered, self.lines[:, place], of_line)
            if self.columns:
                stacks = colours.reshape(-1, self.columns)
                gathered += np.tile(_mix(stacks).sum(axis=0), len(stacks))
            colours = colours + np.uint64(3) * gathered

    def keeps_all(self, permutation: Permutation) -> bool:
        """Return whether every line goes to a line, and every column as a whole to a column."""
        if self.columns:
            heights = permutation.reshape(-1, self.columns) - self.columns * np.arange(
                self.cells // self.columns
            ).reshape(-1, 1)
            if not (heights == heights[0]).all() or not (heights[0] >= 0).all():
                return False
        images = np.sort(permutation[self.lines], axis=1)
        return all(row.tobytes() in self.known for row in images)


def _smallest_class(colours: Colours) -> int | None:
    """The lowest cell of the smallest class of two or more, or None if all colours differ."""
    _, first, size = np.unique(colours, return_index=True, return_counts=True)
    size = np.where(size > 1, size, len(colours) + 1)
    smallest = size.min()
    return int(first[size == smallest].min()) if smallest <= len(colours) else None


def _mix(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A hash of each value (the finaliser of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _close(generators: Sequence[Permutation], cells: int) -> npt.NDArray[np.int32]:
    """All products of the generators, the identity first."""
    identity = np.arange(cells, dtype=np.int32)
    elements, seen = [identity], {identity.tobytes()}
    for element in elements:  # grows while it is walked
        for generator in generators:
            product = generator[element]
            key = product.tobytes()
            if key not in seen:
                seen.add(key)
                elements.append(product)
    return np.array(elements, dtype=np.int32)
