"""Connect-4-like boards as 64-bit words: the layout, and what a few shifts can say about lines.

The layout is that of Pons' solver. A column takes rows + 1 bits; the top one stays empty, so that
a shift never carries a line over the edge. On 6x7 (rows x columns):

     6 13 20 27 34 41 48    always empty
     5 12 19 26 33 40 47
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42    the bottom row

A position is two words: `own`, the stones of the side to move, and `mask`, all stones. Neighbours
along a line lie 1 (vertical), rows, rows + 1 or rows + 2 bits apart.

Every constant is a uint64: an int64 beside one would turn the result into a float.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from inarow.engine.board import Words
from inarow.engine.jit import inline, jit
from inarow.game import Game

if TYPE_CHECKING:
    from numba.core.base import BaseContext
    from numba.core.types import Type
    from numba.core.typing.templates import Signature

    Intrinsic = tuple[Signature, Callable[..., ir.Value]]  # its types, and what writes its code

Word = np.uint64
ZERO, ONE, TWO, THREE = Word(0), Word(1), Word(2), Word(3)
MAX_BITS = 64


class Layout(NamedTuple):
    """A board of falling stones, as drawn above."""

    cells: int
    k: int
    columns: int
    column: np.uint64  # bits of a column: rows + 1
    leftmost: np.uint64  # all bits of the first column
    falling: np.uint64  # from a cell to its neighbour down a diagonal
    layer: np.uint64  # up a column: 1
    level: np.uint64  # along a row
    rising: np.uint64  # up a diagonal
    board: np.uint64  # every cell
    bottom: np.uint64  # the lowest row
    top: np.uint64  # the highest row
    above: np.uint64  # the bit above each column
    uppers: np.uint64  # the upper cell of each pair, counted in twos from the top of a column
    centre: Words  # [64] for each bit how central its column is; no two columns alike


@lru_cache(maxsize=64)
def layout_of(game: Game) -> Layout:
    """The layout of a game that is planar (`solver.is_planar`)."""
    rows, columns = game.shape[0], game.columns
    height = rows + 1
    bottom = sum(1 << (height * column) for column in range(columns))
    pairs = sum(1 << row for row in range(rows - 1, -1, -2))
    centre = np.zeros(MAX_BITS, dtype=np.uint64)
    by_distance = sorted(range(columns), key=lambda column: -abs(2 * column - columns + 1))
    for rank, column in enumerate(by_distance):
        centre[height * column : height * (column + 1)] = rank
    # A single column has no neighbours: its shifts (by up to 65) must not be asked for.
    falling, level, rising = (rows, height, height + 1) if columns > 1 else (1, 1, 1)
    return Layout(
        cells=game.cells,
        k=game.k,
        columns=columns,
        column=Word(height),
        leftmost=Word((1 << height) - 1),
        falling=Word(falling),
        layer=ONE,
        level=Word(level),
        rising=Word(rising),
        board=Word(bottom * ((1 << rows) - 1)),
        bottom=Word(bottom),
        top=Word(bottom << (rows - 1)),
        above=Word(bottom << rows),
        uppers=Word(bottom * pairs),
        centre=centre,
    )


@intrinsic  # type: ignore[untyped-decorator]
def popcount(_typing: object, _word: object) -> Intrinsic:
    """Return how many bits of a word are set."""

    def generate(
        _context: object, builder: ir.IRBuilder, _signature: object, arguments: list[ir.Value]
    ) -> ir.Value:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@intrinsic  # type: ignore[untyped-decorator]
def prefetch(_typing: object, words: Type, _index: object) -> Intrinsic:
    """Ask for `words[index]` to be brought near, without waiting for it."""

    def generate(
        context: BaseContext,
        builder: ir.IRBuilder,
        signature: Signature,
        arguments: list[ir.Value],
    ) -> ir.Value:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        address = builder.bitcast(builder.gep(array.data, [arguments[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", (byte,), kind)
        builder.call(fetch, [address, number(0), number(3), number(1)])  # to read, keep, data
        return context.get_dummy_value()

    return types.void(words, types.uint64), generate


@inline
def signed(word: np.uint64) -> int:
    """A word as a signed number, so that it can be reckoned with others."""
    return np.int64(word)  # type: ignore[return-value]  # an int, to compiled code


@inline
def lowest(word: np.uint64) -> np.uint64:
    """The lowest bit of a word."""
    return word & (ZERO - word)


@inline
def playable(layout: Layout, mask: np.uint64) -> np.uint64:
    """Return the cells that a stone can fall to, by an addition that carries upwards."""
    return (mask + layout.bottom) & layout.board


@inline
def upwards(layout: Layout, cells: np.uint64) -> np.uint64:
    """In each column its lowest of these cells and all above; nothing where it has none."""
    return (cells | (layout.above - cells)) & layout.board  # -x turns the bits above the lowest


@inline
def downwards(layout: Layout, top_cells: np.uint64) -> np.uint64:
    """The whole columns that end in these cells of the top row."""
    return (top_cells << ONE) - (top_cells >> (layout.column - TWO))


@inline
def mirrored(layout: Layout, word: np.uint64) -> np.uint64:
    """The columns of a word from right to left."""
    image = ZERO
    for _ in range(layout.columns):
        # In two steps, because one column alone may take all 64 bits.
        image = ((image << ONE) << (layout.column - ONE)) | (word & layout.leftmost)
        word = (word >> ONE) >> (layout.column - ONE)
    return image


@inline
def _fourth_cells(stones: np.uint64, step: np.uint64) -> np.uint64:
    """Cells that have three stones beside them in the four of a line: XXX_, XX_X, X_XX, _XXX."""
    before, after = stones << step, stones >> step
    two_before, two_after = before & (before << step), after & (after >> step)
    return (two_before & (((before << step) << step) | after)) | (
        two_after & (((after >> step) >> step) | before)
    )


@jit
def _other_cells(stones: np.uint64, step: np.uint64, k: int) -> np.uint64:
    """Return cells that complete a line of any length k, by stones before and after."""
    found = ZERO
    before, run = stones, ~ZERO
    for stones_before in range(k):
        after, rest = stones, run
        for _ in range(k - 1 - stones_before):
            after >>= step
            rest &= after
        found |= rest
        before <<= step
        run &= before
    return found


@inline
def completing(layout: Layout, stones: np.uint64) -> np.uint64:
    """Return where one more stone completes a line; bits off the board mean nothing."""
    if layout.k == 4:
        return (
            ((stones << ONE) & (stones << TWO) & (stones << THREE))  # none lies above a free cell
            | _fourth_cells(stones, layout.falling)
            | _fourth_cells(stones, layout.level)
            | _fourth_cells(stones, layout.rising)
        )
    return (
        _other_cells(stones, ONE, layout.k)
        | _other_cells(stones, layout.falling, layout.k)
        | _other_cells(stones, layout.level, layout.k)
        | _other_cells(stones, layout.rising, layout.k)
    )


@inline
def _four(stones: np.uint64, step: np.uint64) -> np.uint64:
    twos = stones & (stones >> step)
    return twos & ((twos >> step) >> step)


@jit
def _run(stones: np.uint64, step: np.uint64, k: int) -> np.uint64:
    run, after = stones, stones
    for _ in range(k - 1):
        after >>= step
        run &= after
    return run


@inline
def has_line(layout: Layout, stones: np.uint64) -> bool:
    """Return whether these cells hold a line."""
    if layout.k == 4:
        found = (
            _four(stones, ONE)
            | _four(stones, layout.falling)
            | _four(stones, layout.level)
            | _four(stones, layout.rising)
        )
    else:
        found = (
            _run(stones, ONE, layout.k)
            | _run(stones, layout.falling, layout.k)
            | _run(stones, layout.level, layout.k)
            | _run(stones, layout.rising, layout.k)
        )
    return found != ZERO


@inline
def is_lost(open_cells: np.uint64, threats: np.uint64) -> bool:
    """Return whether the side to move, which cannot win at once, loses to the next move.

    It does if the other side can complete a line on two playable cells, or on the cell above
    the only move that is left to it.
    """
    forced = open_cells & threats
    choice = forced if forced != ZERO else open_cells
    return (forced & (forced - ONE)) != ZERO or (choice & ~(threats >> ONE)) == ZERO


@inline
def is_going_on(layout: Layout, own: np.uint64, mask: np.uint64) -> bool:
    """Return whether two words are a position that can arise and is not over."""
    stands = (mask & (mask + layout.bottom)) == ZERO and (mask & ~layout.board) == ZERO
    in_turn = (own & ~mask) == ZERO and popcount(own) == popcount(mask) >> ONE
    over = mask == layout.board or has_line(layout, own) or has_line(layout, own ^ mask)
    return stands and in_turn and not over
