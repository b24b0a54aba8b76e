"""The arithmetic of network layers at batch size one, written so that compilers can vectorise it.

Three things make that possible, on any processor: rows of weights lie one after the other, sums
may be taken in any order (`inline_sums`), and the logistic function is arithmetic, not a call.
Indices are unsigned, because a signed one might count from the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import overload

from inarow.engine.jit import inline_sums, jit
from inarow.engine.streams import Stream, uniform
from inarow.learn.options import one_of, option

# The powers of two as a series: 2^x = sum of (x ln 2)^n / n!.
SERIES = tuple(math.log(2) ** n / math.factorial(n) for n in range(14))
SERIES32 = tuple(np.float32(term) for term in SERIES[:8])
# Adding this rounds to a whole number, which then stands in the lowest bits.
ROUND, ROUND32 = 1.5 * 2.0**52, np.float32(1.5 * 2.0**23)
LIMIT, LIMIT32 = 64.0, np.float32(64.0)  # 2^-64 is nothing beside 1
LOG2E, LOG2E32 = math.log2(math.e), np.float32(math.log2(math.e))
ONE32 = np.float32(1)


def logistic(x: float) -> float:
    """Return the logistic function scaled to [-1, 1]: 2 / (1 + e^-x) - 1, which is tanh(x / 2)."""
    return math.tanh(x / 2)


@overload(logistic, jit_options={"forceinline": True, "fastmath": {"contract"}})  # type: ignore[untyped-decorator]
def _logistic(x: Any) -> Callable[..., object]:
    """(1 - e) / (1 + e) with e = 2^(-x log2 e): whole and fraction of the exponent apart.

    The fraction by the series, the whole by writing it into the exponent bits of a number. To
    one unit in the last place of 1; measured at a tenth of the time of the library's tanh.
    """

    def double(x: Any) -> Any:
        power = min(max(-LOG2E * x, -LIMIT), LIMIT)
        shifted = power + ROUND
        f = power - (shifted - ROUND)
        e = SERIES[12] * f + SERIES[11]
        e = ((e * f + SERIES[10]) * f + SERIES[9]) * f + SERIES[8]
        e = (((e * f + SERIES[7]) * f + SERIES[6]) * f + SERIES[5]) * f + SERIES[4]
        e = (((e * f + SERIES[3]) * f + SERIES[2]) * f + SERIES[1]) * f + SERIES[0]
        whole = np.int64(np.float64(shifted).view(np.int64) << 52)
        e *= np.int64(whole + np.int64(1023 << 52)).view(np.float64)
        return (1.0 - e) / (1.0 + e)

    def single(x: Any) -> Any:
        power = min(max(-LOG2E32 * x, -LIMIT32), LIMIT32)
        shifted = power + ROUND32
        f = power - (shifted - ROUND32)
        e = SERIES32[6] * f + SERIES32[5]
        e = (((e * f + SERIES32[4]) * f + SERIES32[3]) * f + SERIES32[2]) * f + SERIES32[1]
        e = e * f + SERIES32[0]
        whole = np.int32(np.float32(shifted).view(np.int32) << 23)
        e *= np.int32(whole + np.int32(127 << 23)).view(np.float32)
        return (ONE32 - e) / (ONE32 + e)

    return single if x == types.float32 else double


@inline_sums
def activate(sums: Weights, active: Weights, start: int, count: int) -> None:
    """Write the activations of units, made from their sums."""
    at = np.uint64(start)
    for i in range(np.uint64(count)):
        active[at + i] = logistic(sums[at + i])


@inline_sums
def copy(to: Weights, to_start: int, given: Weights, start: int, count: int) -> None:
    """Copy a part of a vector."""
    a, b = np.uint64(to_start), np.uint64(start)
    for i in range(np.uint64(count)):
        to[a + i] = given[b + i]


@inline_sums
def dot(one: Weights, one_start: int, two: Weights, two_start: int, count: int) -> float:
    """Return the sum of products of two parts of vectors."""
    a, b, total = np.uint64(one_start), np.uint64(two_start), one.dtype.type(0)
    for i in range(np.uint64(count)):
        total += one[a + i] * two[b + i]
    return total


@inline_sums
def add_row(
    sums: Weights, sums_start: int, weights: Weights, start: int, width: int, factor: float
) -> None:
    """Add a multiple of one row of weights."""
    s, a = np.uint64(sums_start), np.uint64(start)
    for i in range(np.uint64(width)):
        sums[s + i] += factor * weights[a + i]


@inline_sums
def add_rows(
    sums: Weights,
    sums_start: int,
    weights: Weights,
    start: int,
    width: int,
    units: Places,
    factors: Weights,
    factors_start: int,
    count: int,
) -> None:
    """Add multiples of the rows of some units; `count` is a multiple of 8.

    Eight rows at a time, so that a sum is read and written once for all of them.
    """
    s, at = np.uint64(sums_start), np.uint64(start)
    w, first = np.uint64(width), np.uint64(factors_start)
    one, two, four = np.uint64(1), np.uint64(2), np.uint64(4)
    three, five, six, seven = one + two, one + four, two + four, one + two + four
    for n in range(np.uint64(0), np.uint64(count), np.uint64(8)):
        a, b = at + units[n] * w, at + units[n + one] * w
        c, d = at + units[n + two] * w, at + units[n + three] * w
        e, f = at + units[n + four] * w, at + units[n + five] * w
        g, h = at + units[n + six] * w, at + units[n + seven] * w
        m = first + n
        fa, fb, fc, fd = factors[m], factors[m + one], factors[m + two], factors[m + three]
        fe, ff = factors[m + four], factors[m + five]
        fg, fh = factors[m + six], factors[m + seven]
        for i in range(w):
            sums[s + i] += (
                (fa * weights[a + i] + fb * weights[b + i])
                + (fc * weights[c + i] + fd * weights[d + i])
                + (fe * weights[e + i] + ff * weights[f + i])
                + (fg * weights[g + i] + fh * weights[h + i])
            )


@inline_sums
def add_all_rows(
    sums: Weights,
    sums_start: int,
    weights: Weights,
    start: int,
    width: int,
    factors: Weights,
    factors_start: int,
    count: int,
) -> None:
    """Add multiples of `count` rows that follow each other; a multiple of 4."""
    s, at, w = np.uint64(sums_start), np.uint64(start), np.uint64(width)
    f = np.uint64(factors_start)
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    for n in range(np.uint64(0), np.uint64(count), np.uint64(4)):
        a = at + n * w
        b, c, d = a + w, a + two * w, a + three * w
        fa, fb = factors[f + n], factors[f + n + one]
        fc, fd = factors[f + n + two], factors[f + n + three]
        for i in range(w):
            sums[s + i] += (fa * weights[a + i] + fb * weights[b + i]) + (
                fc * weights[c + i] + fd * weights[d + i]
            )


@inline_sums
def add_rows_to_four(
    sums: Weights,
    weights: Weights,
    start: int,
    width: int,
    factors: Weights,
    first: int,
    count: int,
) -> None:
    """Add rows as `add_all_rows` does, for four boards at once.

    So a weight is read once for all of them. Board m has its sums from m * width and its factors
    from m * count on; the four are those from board `first` on.
    """
    at, w, length = np.uint64(start), np.uint64(width), np.uint64(count)
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    sa = np.uint64(first) * w
    sb, sc, sd = sa + w, sa + two * w, sa + three * w
    fa = np.uint64(first) * length
    fb, fc, fd = fa + length, fa + two * length, fa + three * length
    for n in range(np.uint64(0), length, np.uint64(4)):
        a = at + n * w
        b, c, d = a + w, a + two * w, a + three * w
        a1, a2, a3, a4 = factors[fa], factors[fa + one], factors[fa + two], factors[fa + three]
        b1, b2, b3, b4 = factors[fb], factors[fb + one], factors[fb + two], factors[fb + three]
        c1, c2, c3, c4 = factors[fc], factors[fc + one], factors[fc + two], factors[fc + three]
        d1, d2, d3, d4 = factors[fd], factors[fd + one], factors[fd + two], factors[fd + three]
        for i in range(w):
            w1, w2, w3, w4 = weights[a + i], weights[b + i], weights[c + i], weights[d + i]
            sums[sa + i] += (a1 * w1 + a2 * w2) + (a3 * w3 + a4 * w4)
            sums[sb + i] += (b1 * w1 + b2 * w2) + (b3 * w3 + b4 * w4)
            sums[sc + i] += (c1 * w1 + c2 * w2) + (c3 * w3 + c4 * w4)
            sums[sd + i] += (d1 * w1 + d2 * w2) + (d3 * w3 + d4 * w4)
        fa, fb, fc, fd = fa + np.uint64(4), fb + np.uint64(4), fc + np.uint64(4), fd + np.uint64(4)


@inline_sums
def back_through_row(
    weights: Weights, start: int, errors: Weights, errors_start: int, width: int, active: float
) -> float:
    """Return the error of a unit from the next layer's errors, while its row of weights learns."""
    a, e, total = np.uint64(start), np.uint64(errors_start), weights.dtype.type(0)
    for i in range(np.uint64(width)):
        weight, error = weights[a + i], errors[e + i]
        total += weight * error
        weights[a + i] = weight + active * error
    return total


@inline_sums
def back_through_four(
    one: Weights,
    two: Weights,
    three: Weights,
    four: Weights,
    start: int,
    errors: Weights,
    errors_start: int,
    width: int,
    active: Weights,
    unit: int,
    passed: Weights,
) -> None:
    """Go back through a row for four units that follow each other; read each error once.

    All weights are given four times, once for each row: so the compiler knows that the rows do not
    overlap (measured: a seventh of the time).
    """
    u, e, w, a = np.uint64(unit), np.uint64(errors_start), np.uint64(width), np.uint64(start)
    b, c, d = a + w, a + w + w, a + w + w + w
    v, x, y = u + np.uint64(1), u + np.uint64(2), u + np.uint64(3)
    active_a, active_b, active_c, active_d = active[u], active[v], active[x], active[y]
    total_a = total_b = total_c = total_d = one.dtype.type(0)
    for i in range(w):
        error = errors[e + i]
        total_a += one[a + i] * error
        total_b += two[b + i] * error
        total_c += three[c + i] * error
        total_d += four[d + i] * error
        one[a + i] += active_a * error
        two[b + i] += active_b * error
        three[c + i] += active_c * error
        four[d + i] += active_d * error
    passed[u], passed[v], passed[x], passed[y] = total_a, total_b, total_c, total_d


# Vectors of weights: their types, where they lie in memory, how they begin.

Weights = npt.NDArray[Any]  # single or double precision
Places = npt.NDArray[np.uint32]

PRECISIONS = {"single": np.float32, "double": np.float64}
CACHE_LINE = 64  # bytes


def precision_option() -> str:
    """Declare the option `precision` of learners with a network."""
    return option("single", "precision of weights and sums", one_of(*PRECISIONS))


def aligned(values: Weights | Places) -> Weights:
    """Return a copy that begins where a cache line does, so that no part of a row lies across two.

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
    """Return numbers drawn from -scale up to but not including scale."""
    for i in range(len(values)):
        values[i] = scale * (2.0 * uniform(stream) - 1.0)
