"""What a line game is: a board, how many in a row, whether stones fall, whether lines are counted.

Everything else (lines, symmetries, moves, drawings, notation) follows from these four fields;
no game has code of its own.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from inarow.game.errors import InputError
from inarow.game.lines import find_lines, lines_by_cell
from inarow.game.symmetry import SymmetryGroup, find_symmetries

if TYPE_CHECKING:
    from inarow.game.position import Position

MAX_CELLS = 4096
MAX_SIDES = 16


@dataclass(frozen=True)
class Game:
    """A game of lines for two players who place stones in turn.

    Cells are numbered in row-major order of `shape`. With gravity the first axis is the height,
    its index 0 the bottom; a *column* is what remains of the coordinates without the height, so
    cell = height * columns + column.

    A *move* is a whole number from 0: the column with gravity, the cell without.
    """

    shape: tuple[int, ...]  # the sides of the board
    k: int  # how many stones in a line count as a line
    gravity: bool = False  # stones fall along the first axis
    scoring: bool = False  # lines are counted until the board is full; else the first one wins

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "shape", tuple(operator.index(side) for side in self.shape))
            object.__setattr__(self, "k", operator.index(self.k))
        except TypeError:
            raise InputError("the sides of a board and k are whole numbers") from None
        if len(self.shape) > MAX_SIDES:
            raise InputError(f"{len(self.shape)} sides are too many: at most {MAX_SIDES} work")
        if not self.shape or any(side < 1 for side in self.shape):
            raise InputError(f"a board needs sides of at least 1, not {self.shape_text or 'none'}")
        if self.cells > MAX_CELLS:
            raise InputError(f"{self.shape_text} has {self.cells} cells; at most {MAX_CELLS} work")
        if not 1 <= self.k <= max(self.shape):
            raise InputError(
                f"k={self.k} does not fit the board {self.shape_text}: "
                f"k is from 1 to the longest side, {max(self.shape)}"
            )

    @property
    def shape_text(self) -> str:
        """The sides of the board, as in 6x7."""
        return "x".join(map(str, self.shape))

    @property
    def name(self) -> str:
        """The string that `inarow.game` turns into this game again."""
        from inarow.game.names import name_of

        return name_of(self)

    @cached_property
    def cells(self) -> int:
        """Number of cells of the board."""
        return math.prod(self.shape)

    @cached_property
    def columns(self) -> int:
        """Number of different moves: columns with gravity, cells without."""
        return math.prod(self.shape[1:]) if self.gravity else self.cells

    @cached_property
    def move_shape(self) -> tuple[int, ...]:
        """The sides that a move's coordinates run over: the height is left out with gravity."""
        return (self.shape[1:] or (1,)) if self.gravity else self.shape

    @cached_property
    def lines(self) -> npt.NDArray[np.int32]:
        """All lines, one a row of k cells, in the scan order of `lines.find_lines`."""
        return find_lines(self.shape, self.k)

    @cached_property
    def lines_by_cell(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The lines through each cell: cell c has `lines[start[c]:start[c + 1]]`, ascending."""
        return lines_by_cell(self.lines, self.cells)

    @cached_property
    def symmetry_group(self) -> SymmetryGroup:
        """The permutations of cells that keep the set of lines, and gravity where there is any."""
        return find_symmetries(self.shape, self.gravity, self.lines)

    @property
    def symmetries(self) -> npt.NDArray[np.int32]:
        """The symmetries, one a row: cell c goes to `row[c]`; the first row moves nothing.

        Where the lines have too many symmetries to list, those of the box alone (swaps and
        reflections of its axes).
        """
        return self.symmetry_group.elements

    @cached_property
    def move_permutations(self) -> npt.NDArray[np.int32]:
        """The symmetries as permutations of moves: the same as of cells where nothing falls."""
        return self.symmetries[:, : self.columns] % self.columns

    def position(self, moves: str = "") -> Position:
        """The position after `moves`, written as in `notation`; the empty board without."""
        from inarow.game.position import Position

        position = Position(self)
        position.push_text(moves)
        return position

    def __str__(self) -> str:
        return self.name
