"""What the arrays of a run may hold: shapes, types and ranges, declared before any is made.

Compiled code has no bounds checks, so an index, a count or a size that comes from a file must be
in its range before a loop sees it. A learner says of each array that it saves what shape it has,
of which type it is and what its values are between; files are checked against that alone. An
array of whole numbers without a range cannot be declared.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.game import InputError

Numbers = npt.NDArray[Any]  # of any type
Arrays = dict[str, Numbers]

MAX_BYTES = 2**30  # of all arrays of a run
MAX_GAMES = 10**12  # of a run
SMALL_UNITS = 256  # of a weight that is stored with 8 bits: whole numbers from -127 to 127
LARGEST_WORD = 2**64 - 1


def to_small(weights: Numbers) -> npt.NDArray[np.int8]:
    """Weights as whole numbers of 8 bits, for agents that only play.

    Sums of such numbers are exact in any order, and with them the moves: the same everywhere.
    """
    return np.clip(np.rint(weights * SMALL_UNITS), -127, 127).astype(np.int8)


def from_small(numbers: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """The weights that whole numbers of 8 bits stand for."""
    return numbers.astype(np.float32) / np.float32(SMALL_UNITS)


class Field(NamedTuple):
    """One array of a run."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    low: float  # the least value, and for real numbers finite ones only
    high: float  # the greatest
    zero: bool = True  # whether all of it may be 0


Layout = dict[str, Field]


def whole(shape: tuple[int, ...], low: int, high: int, kind: npt.DTypeLike = np.int64) -> Field:
    """Whole numbers: indices, counts, states."""
    limits, dtype = np.iinfo(kind), np.dtype(kind)
    if not limits.min <= low <= high <= limits.max:
        raise TypeError(f"whole numbers between {low} and {high} are not of type {dtype}")
    return Field(shape, dtype, low, high)


def real(shape: tuple[int, ...], kind: npt.DTypeLike = np.float64, low: float = -math.inf) -> Field:
    """Finite numbers: values and weights."""
    if np.dtype(kind).kind != "f":
        raise TypeError(f"{np.dtype(kind)} holds whole numbers: say their range")
    return Field(shape, np.dtype(kind), low, math.inf)


def random_stream() -> Field:
    """The four words of a random stream; of all others, four zeros would stay zeros."""
    return Field((4,), np.dtype(np.uint64), 0, LARGEST_WORD, zero=False)


def game_counts() -> Field:
    """What `learner.Training.counts` holds."""
    return whole((5,), 0, MAX_GAMES)


def bytes_of(layout: Layout) -> int:
    """What the arrays take."""
    return sum(math.prod(field.shape) * field.dtype.itemsize for field in layout.values())


def check_bytes(layout: Layout) -> None:
    """Says so if the arrays take more memory than those of a run may."""
    size = bytes_of(layout)
    if size > MAX_BYTES:
        raise InputError(
            f"its arrays would take {size / 2**30:,.1f} GiB: the limit is {MAX_BYTES / 2**30:g} GiB"
        )


def check_arrays(
    layout: Layout, arrays: Mapping[str, Numbers], names: Iterable[str], small: bool = False
) -> None:
    """Says what is wrong with arrays from elsewhere, if anything is.

    They must be those of `names`, and hold what the layout says; with `small`, real numbers may be
    whole ones of 8 bits (`to_small`).
    """
    wanted = sorted(names)
    if sorted(arrays) != wanted:
        raise InputError(f"the arrays are {', '.join(sorted(arrays))}, not {', '.join(wanted)}")
    for name in wanted:
        given, field = arrays[name], layout[name]
        shrunk = small and field.dtype.kind == "f" and given.dtype == np.int8
        if given.shape != field.shape or not (given.dtype == field.dtype or shrunk):
            raise InputError(
                f"array {name} is {given.dtype}{list(given.shape)}, "
                f"not {field.dtype}{list(field.shape)}"
            )
        _check_values(name, given, field)


def _check_values(name: str, given: Numbers, field: Field) -> None:
    if not given.size:
        return
    if field.dtype.kind == "f" and not np.isfinite(given).all():
        raise InputError(f"array {name} holds values that are not finite numbers")
    least, greatest = given.min().item(), given.max().item()
    if least < field.low or greatest > field.high:
        value = least if least < field.low else greatest
        limits = f"between {field.low} and {field.high}"
        if math.isinf(field.high):
            limits = f"{field.low} or more"
        raise InputError(f"array {name} holds {value}: its values must be {limits}")
    if not field.zero and not given.any():
        raise InputError(f"array {name} holds zeros only: no random stream does")
