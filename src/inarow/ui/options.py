"""Options of a command that belong together, as one dataclass."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command with every parameter that is a dataclass as one option for each of its fields.

    Typer reads the signature of a function: it is shown the fields, and the command gets the
    dataclass made of them. Each field is annotated as a parameter would be.
    """
    groups = {
        name: kind
        for name, kind in get_type_hints(command).items()
        if isinstance(kind, type) and is_dataclass(kind)
    }

    parameters = [
        part
        for parameter in inspect.signature(command, eval_str=True).parameters.values()
        for part in (_fields(groups[parameter.name]) if parameter.name in groups else [parameter])
    ]
    signature = inspect.Signature(parameters)

    @wraps(command)
    def call(*unnamed: object, **named: object) -> None:
        bound = signature.bind(*unnamed, **named)
        bound.apply_defaults()
        given = bound.arguments
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__annotations__ = {part.name: part.annotation for part in parameters}
    return call


def _fields(kind: type) -> Iterator[inspect.Parameter]:
    """The fields of a dataclass as parameters, in their order."""
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
