"""The lines of a board: every k cells in a row along an axis or a diagonal of two or more axes.

Along a line each coordinate stays, rises by one a step, or falls by one a step. So a line is a
choice for every axis: one of `side` places to stay, or one of `side - k + 1` places to start,
rising or falling. All choices together count each line twice (once from each end) and the lines
that stay everywhere not at all, which gives the closed form; for a cube k^n it is the
((k+2)^n - k^n)/2 of the n-dimensional paper.

An axis that wraps has no ends: its last place lies beside its first, and a line may start at any
of its places. Then k cells are a line if they are k different cells, and the same cells make one
line wherever it starts: a ring of k places is one line and not k.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from inarow.game.errors import InputError

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
    """Each line once, as it comes first, and none that comes back to a cell of its own."""
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
