"""Functions of compiled loops that are chosen by the type of an argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature

from numba.core.types import Type
from numba.core.types.containers import BaseNamedTuple
from numba.extending import overload

from inarow.engine.jit import Function


def by_type(
    argument: str, kinds: Mapping[type, tuple[object, ...]]
) -> Callable[[Function], Function]:
    """What the function of that name in a named tuple does, of several in a table.

    `kinds` holds one for each type that the argument may have. The function is looked up when a
    loop that calls this one is compiled, so the choice costs the loop nothing.
    """

    def declare(function: Function) -> Function:
        name, place = function.__name__, list(signature(function).parameters).index(argument)

        @overload(function, jit_options={"forceinline": True})  # type: ignore[untyped-decorator]
        def resolve(*arguments: Type) -> Callable[..., Type]:
            kind = arguments[place]
            assert isinstance(kind, BaseNamedTuple), f"{name} takes a named tuple, not {kind}"
            chosen = getattr(kinds[kind.instance_class], name)

            def call(*arguments: Type) -> Type:
                return chosen(*arguments)

            return call

        return function

    return declare
