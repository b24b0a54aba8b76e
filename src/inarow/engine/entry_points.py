"""Compiled functions behind an address, so that a loop need not know the types of what they take.

A compiled loop is made anew for every combination of types that it is called with. Where it works
on things of many kinds, each kind gets an entry point instead: a function of an address, at which
its data lies, and of one number. The loop calls it through its own address, and is compiled once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.typing.context import BaseContext as TypingContext
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

Generate = Callable[[BaseContext, ir.IRBuilder, Signature, list[ir.Value]], ir.Value]

ARGUMENTS = types.int64, types.int64  # the address of the data, and a number


@intrinsic  # type: ignore[untyped-decorator]
def entry_point(
    typing: TypingContext, function: Any, data: types.Type, address: types.Type
) -> tuple[Signature, Generate]:
    """Writes the data at an address, with `words_of(data)` words of room; the entry point's own.

    What is called there is `function(data, number)`, with a whole number as its result. Whoever
    calls it keeps the memory, and the arrays of the data, for as long.
    """
    called = function.get_call_type(typing, (data, types.int64), {})
    assert called.return_type == types.int64, f"{called} returns no int64"

    def generate(
        context: BaseContext, builder: ir.IRBuilder, _: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        laid_out = context.get_data_type(data).as_pointer()
        context.pack_value(builder, data, arguments[1], builder.inttoptr(arguments[2], laid_out))
        kind = context.call_conv.get_function_type(types.int64, ARGUMENTS)
        entry = ir.Function(builder.module, kind, builder.module.get_unique_name("entry_point"))
        entry.linkage = "internal"
        inside = ir.IRBuilder(entry.append_basic_block())
        where, number = context.call_conv.get_arguments(entry)
        value = context.unpack_value(inside, data, inside.inttoptr(where, laid_out))
        result = context.get_function(function, called)(inside, [value, number])
        context.call_conv.return_value(inside, result)
        return builder.ptrtoint(entry, ir.IntType(64))

    return types.int64(function, data, address), generate


@intrinsic  # type: ignore[untyped-decorator]
def call_entry(
    _typing: TypingContext, entry: types.Type, address: types.Type, number: types.Type
) -> tuple[Signature, Generate]:
    """What an entry point finds for the data at an address and a number."""

    def generate(
        context: BaseContext, builder: ir.IRBuilder, _: Signature, arguments: list[ir.Value]
    ) -> ir.Value:
        kind = context.call_conv.get_function_type(types.int64, ARGUMENTS)
        called = builder.inttoptr(arguments[0], kind.as_pointer())
        status, result = context.call_conv.call_function(
            builder, called, types.int64, ARGUMENTS, arguments[1:]
        )
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return result

    del entry, address, number
    return types.int64(types.int64, types.int64, types.int64), generate


def words_of(data: object) -> int:
    """How many words of memory compiled code needs at most for tuples of arrays and numbers."""
    if isinstance(data, tuple):
        return sum(map(words_of, data))
    return 5 + 2 * data.ndim if isinstance(data, np.ndarray) else 1
