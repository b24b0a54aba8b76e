"""What a k-in-a-row game is: its fields, and the lines that follow from them.

Everything else (symmetries, moves, drawings, notation) follows from the fields of `Game`; no game
has code of its own.
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
from inarow.game.symmetry import SymmetryGroup, find_symmetries

if TYPE_CHECKING:
    from inarow.game.position import Position


# The lines of a board: every k cells in a row along an axis or a diagonal of two or more axes.
#
# Along a line each coordinate stays, rises by one a step, or falls by one a step. So a line is a
# choice for every axis: one of `side` places to stay, or one of `side - k + 1` places to start,
# rising or falling. All choices together count each line twice (once from each end) and the lines
# that stay everywhere not at all, which gives the closed form; for a cube k^n it is the
# ((k+2)^n - k^n)/2 of the n-dimensional paper.
#
# An axis that wraps has no ends: its last place lies beside its first, and a line may start at any
# of its places. Then k cells are a line if they are k different cells, and the same cells make one
# line wherever it starts: a ring of k places is one line and not k.

MAX_WRAPPED = 1 << 25  # cells of all lines that are looked at where axes wrap

Int32s = npt.NDArray[np.int32]


def count_lines(shape: tuple[int, ...], k: int, wrap: tuple[int, ...]) -> int:
    """The number of lines; without making them where no axis wraps."""
    if k == 1:
        return math.prod(shape)  # a cell is a line, in whatever direction
    if wrap:
        return len(find_lines(shape, k, wrap))
    choices = math.prod(side + 2 * max(0, side - k + 1) for side in shape)
    return (choices - math.prod(shape)) // 2


def find_lines(shape: tuple[int, ...], k: int, wrap: tuple[int, ...]) -> Int32s:
    """All lines, one a row of k cells in steps from one end, in the order of a person's scan.

    Lines along one axis come first, those along the last axis before all others: in two
    dimensions rows, then columns, then diagonals, each from the lowest cell on. This order is
    what the rule players' scan `lines` means (the hybrid paper's results hang on it).
    """
    if k == 1:
        return np.arange(math.prod(shape), dtype=np.int32)[:, None]
    if wrap:
        _check_size(shape, k, wrap)
    cells = np.zeros((1, k), dtype=np.int32)  # of each choice so far
    moving = np.zeros(1, dtype=np.int32)  # bit i: the axis i from the end moves
    falling = np.zeros(1, dtype=np.int32)  # bit i: that axis falls
    unit, bit = math.prod(shape), 1 << len(shape)
    for axis, side in enumerate(shape):
        unit, bit = unit // side, bit >> 1
        places, signs = _choices(side, k, axis in wrap)
        # The first axis that moves rises: the other half are the same lines from the other end.
        keep = ~((moving[:, None] == 0) & (signs < 0))
        cells = (cells[:, None, :] + places * np.int32(unit))[keep]
        falling = (falling[:, None] + np.where(signs < 0, bit, 0))[keep].astype(np.int32)
        moving = (moving[:, None] + np.where(signs != 0, bit, 0))[keep].astype(np.int32)
    real = moving != 0
    cells, moving, falling = cells[real], moving[real], falling[real]
    cells = cells[np.lexsort((cells[:, 0], falling, moving, np.bitwise_count(moving)))]
    return _different(cells) if wrap else cells


def _choices(side: int, k: int, wraps: bool) -> tuple[Int32s, Int32s]:
    """What the k places of a line along one axis can be, one choice a row; and -1, 0 or 1."""
    stay = np.arange(side, dtype=np.int32)
    rise = stay if wraps else stay[: max(0, side - k + 1)]
    fall = rise[:0] if wraps and side == 2 else rise if wraps else rise + k - 1
    signs = np.repeat(np.array([0, 1, -1], dtype=np.int32), [side, len(rise), len(fall)])
    starts = np.concatenate([stay, rise, fall])
    places = (starts[:, None] + signs[:, None] * np.arange(k)) % side
    return places.astype(np.int32), signs


def _different(cells: Int32s) -> Int32s:
    """Return each line once, as it comes first, without those that meet themselves."""
    ordered = np.sort(cells, axis=1)
    real = (np.diff(ordered, axis=1) != 0).all(axis=1)
    cells, ordered = cells[real], ordered[real]
    _, first = np.unique(ordered, axis=0, return_index=True)
    return cells[np.sort(first)]


def _check_size(shape: tuple[int, ...], k: int, wrap: tuple[int, ...]) -> None:
    choices = math.prod(len(_choices(side, k, axis in wrap)[0]) for axis, side in enumerate(shape))
    if choices * k > MAX_WRAPPED:
        board = "x".join(map(str, shape))
        raise InputError(
            f"a board {board} that wraps has too many lines of k={k}: take fewer cells, a shorter "
            "line or fewer axes that wrap"
        )


def lines_by_cell(lines: Int32s, cells: int) -> tuple[Int32s, Int32s]:
    """The lines through each cell as (start, line): cell c has `line[start[c]:start[c + 1]]`."""
    flat = lines.ravel()
    order = np.argsort(flat, kind="stable")
    start = np.zeros(cells + 1, dtype=np.int32)
    np.cumsum(np.bincount(flat, minlength=cells), out=start[1:])
    return start, (order // lines.shape[1]).astype(np.int32)


# The game itself.

MAX_CELLS = 4096
MAX_SIDES = 16


@dataclass(frozen=True)
class Game:
    """A k-in-a-row game for two players who place stones in turn.

    Cells are numbered in row-major order of `shape`. With gravity the first axis is the height,
    its index 0 the bottom; a *column* is what remains of the coordinates without the height, so
    cell = height * columns + column.

    A *move* is an integer from 0: the column with gravity, the cell without.

    A game is data and has no subclasses. Code that knows some games only compares a game with the
    plain one of the same shape, so that a field it does not know of is never overlooked.
    """

    shape: tuple[int, ...]  # the sides of the board
    k: int  # how many stones in a line count as a line
    gravity: bool = False  # stones fall along the first axis
    scoring: bool = False  # lines are counted until the board is full; else the first one wins
    wrap: tuple[int, ...] = ()  # axes, from 0, whose two ends are joined: a cylinder, a torus
    misere: bool = False  # whoever completes a line loses

    def __init_subclass__(cls) -> None:
        raise TypeError("Game has no subclasses: what is special about a game is in its fields")

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "shape", tuple(operator.index(side) for side in self.shape))
            object.__setattr__(self, "k", operator.index(self.k))
        except TypeError:
            raise InputError("the sides of a board and k must be whole numbers") from None
        if len(self.shape) > MAX_SIDES:
            raise InputError(f"a board must have at most {MAX_SIDES} sides, not {len(self.shape)}")
        if not self.shape or any(side < 1 for side in self.shape):
            raise InputError(f"a board needs sides of at least 1, not {self.shape_text or 'none'}")
        if self.cells > MAX_CELLS:
            raise InputError(
                f"{self.shape_text} has {self.cells} cells: a board must have at most {MAX_CELLS}"
            )
        if not 1 <= self.k <= max(self.shape):
            raise InputError(
                f"k={self.k} does not fit the board {self.shape_text}: "
                f"k must be between 1 and the longest side, {max(self.shape)}"
            )
        object.__setattr__(self, "wrap", self._checked_wrap())
        if self.misere and self.scoring:
            raise InputError("misere and scoring do not go together: no line ends a scoring game")

    def __hash__(self) -> int:
        return self._hash  # games are keys of many caches

    @cached_property
    def _hash(self) -> int:
        return hash((self.shape, self.k, self.gravity, self.scoring, self.wrap, self.misere))

    def _checked_wrap(self) -> tuple[int, ...]:
        """The axes that wrap, ascending; one of a single cell does not: it makes no difference."""
        try:
            axes = sorted({operator.index(axis) for axis in self.wrap})
        except TypeError:
            raise InputError(
                f"wrap takes a list of axes, as in (0, 1), not {self.wrap!r}"
            ) from None
        for axis in axes:
            if not 0 <= axis < len(self.shape):
                raise InputError(
                    f"axis {axis} is not an axis of the board {self.shape_text}: wrap takes axes "
                    f"from 0 to {len(self.shape) - 1}"
                )
        if self.gravity and 0 in axes:
            raise InputError("axis 0 cannot wrap: it is the height, along which stones fall")
        return tuple(axis for axis in axes if self.shape[axis] > 1)

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
        """The number of cells of the board."""
        return math.prod(self.shape)

    @cached_property
    def columns(self) -> int:
        """The number of different moves: columns with gravity, cells without."""
        return math.prod(self.shape[1:]) if self.gravity else self.cells

    @cached_property
    def height(self) -> int:
        """How often a move can be played: the height of a column with gravity, once without."""
        return self.shape[0] if self.gravity else 1

    @cached_property
    def move_shape(self) -> tuple[int, ...]:
        """The shape of a move's coordinates: with gravity, the board without its height."""
        return (self.shape[1:] or (1,)) if self.gravity else self.shape

    @cached_property
    def lines(self) -> npt.NDArray[np.int32]:
        """All lines, one row of k cells each, in the scan order of `find_lines`."""
        return find_lines(self.shape, self.k, self.wrap)

    @cached_property
    def line_count(self) -> int:
        """The number of lines; if no axis wraps around, it is computed without listing them."""
        return count_lines(self.shape, self.k, self.wrap)

    @cached_property
    def lines_by_cell(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The lines through each cell: cell c has `lines[start[c]:start[c + 1]]`, ascending."""
        return lines_by_cell(self.lines, self.cells)

    @cached_property
    def _masks(self) -> dict[int, list[int]]:
        return {}

    def line_masks(self, cell: int) -> list[int]:
        """The lines through a cell, each as a number with a bit for each of its cells."""
        masks = self._masks
        if cell not in masks:
            start, line = self.lines_by_cell
            through = self.lines[line[start[cell] : start[cell + 1]]].tolist()
            masks[cell] = [sum(1 << c for c in cells) for cells in through]
        return masks[cell]

    @cached_property
    def symmetry_group(self) -> SymmetryGroup:
        """The permutations of cells that keep the set of lines, and gravity where there is any."""
        return find_symmetries(self.shape, self.gravity, self.wrap, self.lines)

    @property
    def symmetries(self) -> npt.NDArray[np.int32]:
        """The symmetries, one per row: cell c goes to `row[c]`; the first row is the identity.

        Where the lines have too many symmetries to list, those of the box alone (swaps and
        reflections of its axes, and rotations along those that wrap).
        """
        return self.symmetry_group.elements

    @cached_property
    def move_permutations(self) -> npt.NDArray[np.int32]:
        """The symmetries as permutations of moves: the same as of cells where nothing falls."""
        return self.symmetries[:, : self.columns] % self.columns

    def position(self, moves: str = "") -> Position:
        """The position after `moves`, written as text; by default the empty board."""
        from inarow.game.position import Position

        position = Position(self)
        position.push_text(moves)
        return position

    def __str__(self) -> str:
        return self.name
