"""Functions of compiled loops that are chosen by the type of an argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from numba.core.types import Function as FunctionType
from numba.core.types import Type
from numba.core.types.containers import BaseNamedTuple
from numba.core.typing.templates import AbstractTemplate, Signature, infer_global

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

        class Choice(AbstractTemplate):  # type: ignore[misc]
            key = function

            def _chosen(self, arguments: tuple[Type, ...]) -> Any:
                kind = arguments[place]
                assert isinstance(kind, BaseNamedTuple), f"{name} takes a named tuple, not {kind}"
                chosen = getattr(kinds[kind.instance_class], name)
                return self.context.resolve_value_type(chosen)

            def generic(self, arguments: tuple[Type, ...], _: object) -> Signature:
                return self._chosen(arguments).get_call_type(self.context, arguments, {})

            def get_impl_key(self, found: Signature) -> object:
                return self._chosen(found.args).get_impl_key(found)

        infer_global(function, FunctionType(Choice))
        return function

    return declare
