"""How functions are compiled: Numba, with code on disk where a private folder can be had.

`code_folder` says which folder. `numba_internals` makes compiling faster by what it knows of
Numba's inside; with a version that it does not know, `numba_public` compiles the same more slowly.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar, cast

import numba
from numba import types
from numba.extending import intrinsic

from inarow.engine.code_folder import CACHE_FOLDER
from inarow.game import InputError

if numba.config.DISABLE_JIT:
    raise InputError("inarow plays in compiled code: unset NUMBA_DISABLE_JIT")

if TYPE_CHECKING:
    from llvmlite import ir
    from numba.core.base import BaseContext
    from numba.core.typing.templates import Signature

Function = TypeVar("Function", bound=Callable[..., object])

PLAIN = "INAROW_PLAIN_NUMBA"  # set in the environment: nothing of Numba's inside is used
KNOWN = range(61, 69)  # of Numba 0: the versions whose inside is known


def choose_compiler() -> ModuleType:
    """Return the module that compiles functions, and say so if it is the slower one."""
    from inarow.engine import numba_public

    first, second = numba.__version__.split(".")[:2]
    if os.environ.get(PLAIN):
        why = f"{PLAIN} is set"
    elif first != "0" or not second.isdecimal() or int(second) not in KNOWN:
        why = f"Numba {numba.__version__} is not known here"
    else:
        try:
            from inarow.engine import numba_internals
        except (AttributeError, ImportError) as error:
            why = f"the inside of Numba {numba.__version__} is another ({error})"
        else:
            return numba_internals
    if multiprocessing.parent_process() is None:  # helpers need not say it again
        kept = "" if numba_public.code_can_be_kept() else ", anew by each process"
        logging.getLogger(__name__).warning(
            "%s: functions are compiled more slowly%s, and run as fast", why, kept
        )
    return numba_public


compiler = choose_compiler()
HAS_ENTRY_POINTS: bool = compiler.HAS_ENTRY_POINTS
entry_point, call_entry = compiler.entry_point, compiler.call_entry


def dispatch_by_type(
    argument: str, kinds: Mapping[type, tuple[object, ...]]
) -> Callable[[Function], Function]:
    """Choose the implementation of a compiled function by the type of one argument.

    `kinds` holds a named tuple of implementations for each type, of which that of the function's
    name is called. It is looked up when a loop that calls this function is compiled, so the choice
    costs the loop nothing. The body of the function itself never runs in compiled code; the
    implementations stand where types are registered (`register_player`, `register_solver`, ...).
    """
    declare: Callable[[Function], Function] = compiler.dispatch(argument, kinds)
    return declare


def jit(function: Function) -> Function:
    """Compile a loop on its first call. It runs without Python and without its lock.

    Compiled functions allocate nothing: memory comes from the caller. So Numba's reference
    counting is switched off, which would otherwise count every array of a board with each call
    (measured: ten times the run time of a game).
    """
    return _compile(function)


def jit_uncached(function: Function) -> Function:
    """Like `jit`, for code that is not the package's: compiled anew in each process.

    The digest of compiled sources knows nothing of it, so it could be stale in the cache.
    """
    return _compile(function, cached=False)


def late_link(function: Function) -> Function:
    """Like `jit`, for large functions that compiled loops call: compiled with these, not before.

    One that was compiled on its own is optimised again with every loop that calls it (measured: a
    third of the time until an n-tuple agent with a solver makes its first move).
    """
    return _compile(function, for_callers=True, forceinline=False, fastmath=False)


def inline(function: Function) -> Function:
    """Like `jit`, for the small functions that loops are made of: always written into the caller.

    A call would copy every array descriptor of a board (measured: three times the run time).
    """
    return _compile(function, for_callers=True, forceinline=True)


def inline_disjoint(function: Function) -> Function:
    """Like `inline`, for loops over arrays of which no two overlap where one is written.

    Else the compiler compares their places before each loop, and with more than a few of them
    does not use the vector unit at all.
    """
    return _compile(function, for_callers=True, forceinline=True, noalias=True)


def inline_sums(function: Function) -> Function:
    """Like `inline`, for sums of products: their terms may be added in any order.

    Else the compiler has to add one after the other, and cannot use the vector unit (measured:
    four to eight times the run time of a network's layer). The order is fixed when the code is
    compiled, so a machine still gives the same bits each time. It is for loops that only add and
    multiply: what relies on rounding or on infinities belongs into `inline`.

    No two of its arrays may overlap where one is written. So the compiler need not compare their
    places before each short loop (measured: a quarter of the time of adding eight rows of 32).
    """
    sums = {"reassoc", "contract", "nsz"}
    return _compile(function, for_callers=True, forceinline=True, fastmath=sums, noalias=True)


def no_inline(function: Function) -> Function:
    """Like `jit`, for a function that is never written into its callers: it calls `mark_no_inline`.

    Sums of `inline_sums` may be added in another order wherever they are written into. What is
    proven of a network must hold for the very sums that it plays with: so they stand in one
    function, which loops of play and of proof call alike. (Numba would hand down `forceinline`.)
    """
    return _compile(function, forceinline=False, fastmath=False)


@intrinsic  # type: ignore[untyped-decorator]
def mark_no_inline(_typing: object) -> tuple[Signature, Callable[..., ir.Value]]:
    """Mark the compiled function that calls it as one that is not to be inlined."""

    def mark(context: BaseContext, builder: ir.IRBuilder, *_: object) -> ir.Value:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), mark


def _compile(
    function: Function, cached: bool = True, for_callers: bool = False, **options: object
) -> Function:
    folder = CACHE_FOLDER if cached else None
    return cast(Function, compiler.compile_function(function, folder, for_callers, **options))
