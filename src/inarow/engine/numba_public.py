"""What `numba_internals` does, by what Numba documents: for versions whose inside nobody knows.

Results and the speed of what is compiled are the same; compiling takes longer. Functions are
compiled on their own and again with their callers, and there are no entry points: players are
compiled into the loops that they meet in.

Code is kept on disk by the cache of `numba_internals` where it works, which is tried. Numba's own
is not used: two processes can set its index at odds with its files, and then code is run for
arguments of other types; what it reads must be importable; it sees no change of another file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from inspect import signature
from typing import Any, NoReturn, TypeVar

import numba
from numba.extending import overload

Function = TypeVar("Function", bound=Callable[..., object])
PLAIN = "plain"  # what the cache calls code that is compiled so

OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}
OWN = frozenset({"noalias"})  # an option that `numba_internals` adds, if it can
UNDOCUMENTED = OWN | {"_nrt", "no_cfunc_wrapper", "forceinline"}  # Numba may lose them


def compile_function(
    function: Callable[..., object], folder: str | None, for_callers: bool, **chosen: object
) -> Any:
    """Return a compiled function; its code is kept in a folder, if there is one."""
    del for_callers  # all are compiled alike
    compiled = numba.njit(**_options(chosen, options_to_drop()))(function)
    if folder is not None and code_can_be_kept():
        from inarow.engine.numba_internals import keep

        keep(compiled, folder, PLAIN)
    return compiled


def _options(chosen: dict[str, object], dropped: frozenset[str]) -> dict[str, object]:
    given = {**OPTIONS, **chosen}
    return {name: value for name, value in given.items() if name not in dropped}


@cache
def options_to_drop() -> frozenset[str]:
    """Return the options that this Numba does not take; without them loops are slower."""
    with suppress(AttributeError, ImportError):
        import inarow.engine.numba_internals  # noqa: F401  (adds its own option)
    for dropped in (frozenset[str](), OWN, UNDOCUMENTED):
        try:
            chosen: dict[str, object] = {"forceinline": True, "noalias": True}
            numba.njit(**_options(chosen, dropped))(_tried)(1)
        except Exception:  # whatever Numba says to an option that it does not have
            continue
        return dropped
    raise RuntimeError(f"Numba {numba.__version__} compiles nothing that is needed here")


@cache
def code_can_be_kept() -> bool:
    """Tell whether the cache of `numba_internals` stores code of this Numba and reads it again."""
    try:
        from inarow.engine.numba_internals import keep

        with tempfile.TemporaryDirectory() as folder:
            for hits in range(2):
                compiled = numba.njit(**_options({}, options_to_drop()))(_tried)
                keep(compiled, folder, PLAIN)
                if compiled(1) != 2 or sum(compiled.stats.cache_hits.values()) != hits:
                    return False
    except Exception:  # whatever has moved inside of Numba
        return False
    return True


def _tried(number: int) -> int:
    return number + 1


def dispatch(
    argument: str, kinds: Mapping[type, tuple[object, ...]]
) -> Callable[[Function], Function]:
    """Return the decorator that `jit.dispatch_by_type` is."""

    def declare(function: Function) -> Function:
        name, names = function.__name__, list(signature(function).parameters)
        place, written = names.index(argument), ", ".join(names)

        def choose(*types: Any) -> Any:
            kind: Any = getattr(types[place], "instance_class", None)
            if kind not in kinds:
                raise TypeError(f"{name} of {types[place]} is unknown")
            chosen = getattr(kinds[kind], name)
            return eval(f"lambda {written}: chosen({written})", {"chosen": chosen})

        # Not strict: the arguments of `choose` have the names of another function's.
        inlined = _options({"forceinline": True}, options_to_drop())
        overload(function, strict=False, jit_options=inlined)(choose)
        return function

    return declare


HAS_ENTRY_POINTS = False


def entry_point(*_: object) -> NoReturn:
    """Stand where `numba_internals` makes entry points; nothing that runs calls it."""
    raise NotImplementedError


call_entry = entry_point
