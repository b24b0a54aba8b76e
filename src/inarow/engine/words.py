"""Two operations on many bits at once, for functions compiled by `engine.jit`.

Both are written as operations on vectors, which every processor that LLVM knows has some way to
do: with AVX-512 each is two or three instructions. A loop over the bits takes five to ten times as
long, since the compiler does not see what it is for.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic  # type: ignore[untyped-decorator]
def spread_bits(typing_context: Any, target: Any, start: Any, word: Any, size: Any) -> Any:  # noqa: ARG001
    """Write the lowest `size` bits of a word as bytes 0 and 1: target[start:start + size].

    The size is a literal 8, 16, 32 or 64; the target is an array of bytes in one piece.
    """
    if not isinstance(size, types.IntegerLiteral):
        return None  # Numba asks again with the literal
    bits = size.literal_value

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        lowest = arguments[2] if bits == 64 else builder.trunc(arguments[2], ir.IntType(bits))
        flags = builder.bitcast(lowest, ir.VectorType(ir.IntType(1), bits))
        row = ir.VectorType(ir.IntType(8), bits)
        place = builder.bitcast(builder.gep(array.data, [arguments[1]]), row.as_pointer())
        builder.store(builder.zext(flags, row), place).align = 1
        return context.get_dummy_value()

    return types.void(target, types.uint64, types.uint64, size), write


@intrinsic  # type: ignore[untyped-decorator]
def count_subsets(typing_context: Any, masks: Any, start: Any, word: Any, size: Any) -> Any:  # noqa: ARG001
    """Return how many of masks[start:start + size], a literal size, are subsets of the word."""
    if not isinstance(size, types.IntegerLiteral):
        return None
    lanes = size.literal_value

    def count(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        row = ir.VectorType(ir.IntType(64), lanes)
        place = builder.bitcast(builder.gep(array.data, [arguments[1]]), row.as_pointer())
        loaded = builder.load(place)
        loaded.align = 8
        undefined = ir.Constant(row, ir.Undefined)
        first = builder.insert_element(
            undefined, builder.not_(arguments[2]), ir.Constant(ir.IntType(32), 0)
        )
        order = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes)
        outside = builder.shuffle_vector(first, undefined, order)
        zeros = ir.Constant(row, [0] * lanes)
        flags = builder.icmp_unsigned("==", builder.and_(loaded, outside), zeros)
        bits = builder.zext(builder.bitcast(flags, ir.IntType(lanes)), ir.IntType(64))
        return builder.ctpop(bits)

    return types.uint64(masks, types.uint64, types.uint64, size), count
