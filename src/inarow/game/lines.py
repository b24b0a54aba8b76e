"""The lines of a board: every k cells in a row along an axis or a diagonal of two or more axes.

Along a line each coordinate stays, rises by one a step, or falls by one a step. So a line is a
choice for every axis: one of `side` places to stay, or one of `side - k + 1` places to start,
rising or falling. All choices together count each line twice (once from each end) and the lines
that stay everywhere not at all, which gives the closed form; for a cube k^n it is the
((k+2)^n - k^n)/2 of the n-dimensional paper.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt


def count_lines(shape: tuple[int, ...], k: int) -> int:
    """The number of lines, without making them."""
    if k == 1:
        return math.prod(shape)  # a cell is a line, in whatever direction
    choices = math.prod(side + 2 * max(0, side - k + 1) for side in shape)
    return (choices - math.prod(shape)) // 2


def find_lines(shape: tuple[int, ...], k: int) -> npt.NDArray[np.int32]:
    """All lines, one a row of k cells, in the order of a person's scan.

    Lines along one axis come first, those along the last axis before all others: in two
    dimensions rows, then columns, then diagonals, each from the lowest cell on. This order is
    what the rule players' scan `lines` means (the hybrid paper's results hang on it).
    """
    if k == 1:
        return np.arange(math.prod(shape), dtype=np.int32)[:, None]
    start = np.zeros(1, dtype=np.int32)  # the first cell of each choice so far
    stride = np.zeros(1, dtype=np.int32)  # from one cell of it to the next
    moving = np.zeros(1, dtype=np.int32)  # bit i: the axis i from the end moves
    falling = np.zeros(1, dtype=np.int32)  # bit i: that axis falls
    unit, bit = math.prod(shape), 1 << len(shape)
    for side in shape:
        unit, bit = unit // side, bit >> 1
        stay = np.arange(side)
        rise = np.arange(max(0, side - k + 1))
        axis_start = np.concatenate([stay, rise, rise + k - 1]) * unit
        axis_sign = np.repeat([0, 1, -1], [len(stay), len(rise), len(rise)])
        # The first axis that moves rises: the other half are the same lines from the other end.
        first = moving[:, None] == 0
        keep = ~(first & (axis_sign < 0))
        start = (start[:, None] + axis_start)[keep].astype(np.int32)
        stride = (stride[:, None] + axis_sign * unit)[keep].astype(np.int32)
        falling = (falling[:, None] + np.where(axis_sign < 0, bit, 0))[keep].astype(np.int32)
        moving = (moving[:, None] + np.where(axis_sign != 0, bit, 0))[keep].astype(np.int32)
    real = moving != 0
    start, stride, moving, falling = start[real], stride[real], moving[real], falling[real]
    axes = np.bitwise_count(moving)
    order = np.lexsort((start, falling, moving, axes))
    start, stride = start[order], stride[order]
    lines: npt.NDArray[np.int32] = start[:, None] + stride[:, None] * np.arange(k, dtype=np.int32)
    return lines


def lines_by_cell(
    lines: npt.NDArray[np.int32], cells: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The lines through each cell as (start, line): cell c has `line[start[c]:start[c + 1]]`."""
    flat = lines.ravel()
    order = np.argsort(flat, kind="stable")
    start = np.zeros(cells + 1, dtype=np.int32)
    np.cumsum(np.bincount(flat, minlength=cells), out=start[1:])
    return start, (order // lines.shape[1]).astype(np.int32)
