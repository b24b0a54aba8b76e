"""How functions are compiled: Numba, cached on disk where a private folder can be had.

`cache_folder` says which, and `code_cache` what lies in it.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import cpu, event, options, types
from numba.core.base import BaseContext
from numba.core.dispatcher import Dispatcher
from numba.core.typing.templates import Signature
from numba.extending import intrinsic

from inarow.engine.cache_folder import CACHE_FOLDER
from inarow.engine.code_cache import MACHINE, CodeCache
from inarow.engine.compile_events import watchers
from inarow.engine.inlining import INTERMEDIATE, Compiled, Inlined
from inarow.engine.passes import FewPasses


class _Watch(event.Listener):  # type: ignore[misc]
    """Tells watchers of compilations; one that another asks for is a part of that.

    Python's search for cyclic garbage rests meanwhile: a compiler makes millions of objects that
    stay (measured: a tenth of the compile time).
    """

    def __init__(self) -> None:
        self.depth = 0
        self.collecting = False  # before

    def on_start(self, _: event.Event) -> None:
        self.depth += 1
        if self.depth == 1:
            self.collecting = gc.isenabled()
            gc.disable()
        self._tell(begins=True)

    def on_end(self, _: event.Event) -> None:
        self._tell(begins=False)
        self.depth -= 1
        if self.depth == 0 and self.collecting:
            gc.enable()

    def _tell(self, begins: bool) -> None:
        if self.depth == 1:
            for watch in watchers:
                watch(begins)


event.register("numba:compile", _Watch())

Function = TypeVar("Function", bound=Callable[..., object])

# Numba knows that arguments may be said not to overlap, but has no option to say so.
cpu.CPUTargetOptions.noalias = options.TargetOptions.Mapping("noalias")


def jit(function: Function) -> Function:
    """Compiles a loop on its first call. It runs without Python and without its lock.

    Compiled functions allocate nothing: memory comes from the caller. So Numba's reference
    counting is switched off, which would otherwise count every array of a board with each call
    (measured: ten times the run time of a game).
    """
    return _compile(function)


def jit_anew(function: Function) -> Function:
    """Like `jit`, for code that is not the package's: compiled anew in each process.

    The digest of compiled sources knows nothing of it, so it could be stale in the cache.
    """
    return _compile(function, cached=False)


def linked(function: Function) -> Function:
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


def apart(function: Function) -> Function:
    """Like `jit`, for a function that is never written into its callers: it calls `stay_apart`.

    Sums of `inline_sums` may be added in another order wherever they are written into. What is
    proven of a network must hold for the very sums that it plays with: so they stand in one
    function, which loops of play and of proof call alike. (Numba would hand down `forceinline`.)
    """
    return _compile(function, forceinline=False, fastmath=False)


@intrinsic  # type: ignore[untyped-decorator]
def stay_apart(_typing: object) -> tuple[Signature, Callable[..., ir.Value]]:
    """Marks the compiled function that calls it as one that is not to be inlined."""

    def mark(context: BaseContext, builder: ir.IRBuilder, *_: object) -> ir.Value:
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), mark


def _compile(
    function: Function, cached: bool = True, for_callers: bool = False, **options: object
) -> Function:
    decorate = numba.njit(
        nogil=True,
        error_model="numpy",
        _nrt=False,
        no_cfunc_wrapper=True,  # C never calls them (measured: a tenth of the compile time)
        **options,
    )
    compiled: Any = decorate(function)
    if not isinstance(compiled, Dispatcher):
        return cast(Function, compiled)  # where Numba is told not to compile
    if cached:
        chosen = compiled.targetoptions
        compiled = Compiled(function, targetoptions=chosen, pipeline_class=FewPasses)
        _keep(compiled, MACHINE)
    if not for_callers:
        return cast(Function, compiled)
    inlined = Inlined(function, targetoptions=compiled.targetoptions)
    inlined.alone = compiled
    if cached:
        _keep(inlined, INTERMEDIATE)
    return cast(Function, inlined)


def _keep(compiled: Any, form: str) -> None:
    """Lets the code of a function be stored."""
    if CACHE_FOLDER is not None:
        compiled._cache = CodeCache(compiled.py_func, CACHE_FOLDER, form)
