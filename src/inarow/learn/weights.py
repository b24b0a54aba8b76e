"""Vectors of weights: their types, where they lie in memory, how they begin."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from inarow.engine.jit import jit
from inarow.engine.streams import Stream, uniform
from inarow.learn.options import one_of, option

Weights = npt.NDArray[Any]  # single or double precision
Places = npt.NDArray[np.uint32]

PRECISIONS = {"single": np.float32, "double": np.float64}
CACHE_LINE = 64  # bytes


def precision_option() -> str:
    """The option of learners with a network."""
    return option("single", "precision of weights and sums", one_of(*PRECISIONS))


def aligned(values: Weights | Places) -> Weights:
    """A copy that begins where a cache line does, so that no part of a row lies across two.

    NumPy promises a quarter of that only, and a third of the speed then hangs on luck (measured:
    0.8 to 1.4 microseconds for a look at a board, 1.3 to 2.3 for a step of learning).
    """
    room = np.zeros(values.nbytes + CACHE_LINE, dtype=np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    copy = room[start : start + values.nbytes].view(values.dtype)
    copy[:] = values
    return copy


@jit
def draw_uniform(stream: Stream, scale: float, values: Weights) -> None:
    """Numbers from -scale up to but not including scale."""
    for i in range(len(values)):
        values[i] = scale * (2.0 * uniform(stream) - 1.0)
