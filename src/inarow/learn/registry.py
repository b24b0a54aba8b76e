"""Learners by name: the one place where commands, forms, studies and saved agents look.

Known are those of the package, those that installed packages offer as entry points of the group
`inarow.learners`, and those that a person has named as `module:Class` on the command line, or in
a call of `inarow.train`. Code is imported for nothing else: where a file, a database, a link or a
question names a learner, it is only looked up.
"""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from inarow.game import InputError
from inarow.learn.learner import Learner
from inarow.learn.options import OptionValue, options_of_type, with_options

log = logging.getLogger("inarow")
GROUP = "inarow.learners"
HERE = "inarow.learn."
BUILT_IN = {  # imported when they are asked for
    "td": "tabular.td:TD",
    "q": "tabular.q:Q",
    "td_lambda": "tabular.td_lambda:TDLambda",
    "sarsa": "tabular.sarsa:Sarsa",
    "ntuple": "ntuple.learner:NTuple",
    "mlp": "mlp.learner:MLP",
    "line_td": "line_td.learner:LineTD",
    "monte_carlo": "monte_carlo.learner:MonteCarlo",
    "reinforce": "reinforce.learner:Reinforce",
}
_named: dict[str, tuple[str, type[Learner]]] = {}  # by name: the address that was given, the class


def learners() -> dict[str, type[Learner]]:
    """All learners by name. Those of other packages that cannot be imported are left out."""
    found = {name: learner_type(name) for name in BUILT_IN}
    for name in _entry_points():
        try:
            found[name] = learner_type(name)
        except InputError as error:
            log.warning("%s", error)
    return {**found, **{name: kind for name, (_, kind) in _named.items()}}


def learner_type(name: str) -> type[Learner]:
    """The learner of that name, without options; nothing is imported that nobody has named."""
    plain = str(name).strip().replace("-", "_")
    if plain in BUILT_IN:
        return _import(HERE + BUILT_IN[plain])
    for address, kind in _named.values():
        if str(name).strip() in (address, kind.name):
            return kind
    for spelled in (str(name).strip(), plain):
        if spelled in _entry_points():
            return _load(_entry_points()[spelled])
    known = ", ".join([*BUILT_IN, *_entry_points(), *_named])
    address = str(name) if ":" in str(name) else "module:Class"
    raise InputError(
        f"unknown learner {name!r}: the learners are {known}; one of your own is made known by "
        f"inarow --learner {address} COMMAND ..."
    )


def learner(name: str, options: Mapping[str, OptionValue] | None = None) -> Learner:
    """The learner of that name, with the options given and the others as they are by default."""
    return with_options(learner_type(name), options or {})


def register(kind: type[Learner], address: str = "") -> type[Learner]:
    """Makes a learner known under its name, as long as the program runs."""
    name = getattr(kind, "name", None)
    if not isinstance(kind, type) or not issubclass(kind, Learner) or not isinstance(name, str):
        raise InputError(f"{address or kind!r} is not a learner: a subclass of Learner with a name")
    _check_complete(kind, address or kind.__name__)
    if not name.isidentifier():
        raise InputError(f"a learner cannot be called {name!r}: letters, digits and _ only")
    if name in BUILT_IN or name in _entry_points():
        if learner_type(name) is kind:
            return kind
        raise InputError(f"{address or kind.__name__} is called {name!r}, as another learner is")
    address = address or f"{kind.__module__}:{kind.__qualname__}"
    if name in _named and _named[name][0] != address:
        raise InputError(f"{address} is called {name!r}, as {_named[name][0]} is")
    _named[name] = (address, kind)
    return kind


def _check_complete(kind: type[Learner], place: str) -> None:
    """Refuses a class of which no learner can be made, or whose options nobody could set."""
    if missing := sorted(kind.__abstractmethods__):
        raise InputError(f"{place} cannot be used: it does not define {', '.join(missing)}")
    options_of_type(kind)


def register_address(address: str) -> type[Learner]:
    """Imports and makes known what a person at the command line named as `module:Class`.

    The module may lie in the current folder, which comes last: nothing installed is hidden by it.
    """
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    return register(_import(address), address)


def registered_addresses() -> list[str]:
    """What was named, for other processes of the same person to do the same."""
    return [address for address, _ in _named.values()]


def command_with(name: str) -> str:
    """How a command begins that is to know a learner."""
    return f"inarow --learner {_named[name][0]}" if name in _named else "inarow"


def is_address(name: str) -> bool:
    """Whether a name is written as `module:Class`."""
    module, colon, kind = name.strip().partition(":")
    parts = [*module.split("."), *kind.split(".")]
    return bool(colon) and all(part.isidentifier() for part in parts)


def _import(address: str) -> Any:
    if not is_address(address):
        raise InputError(f"{address!r} does not name a learner: write module:Class")
    module, _, kind = address.strip().partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in kind.split("."):
            found = getattr(found, part)
    except AttributeError:
        raise InputError(f"cannot find the learner {address}: {module} has no {kind}") from None
    except (Exception, SystemExit) as error:  # whatever code of others does
        reason = f"{type(error).__name__}: {error}".replace("\n", " ")
        raise InputError(f"cannot import the learner {address}: {reason}") from error
    return found


@cache
def _entry_points() -> dict[str, EntryPoint]:
    """Those of other packages; none takes the name of one of ours."""
    found = entry_points(group=GROUP)
    return {point.name: point for point in found if point.name not in BUILT_IN}


@cache
def _load(point: EntryPoint) -> type[Learner]:
    kind: Any = _import(point.value)
    named = isinstance(kind, type) and issubclass(kind, Learner) and getattr(kind, "name", None)
    if named != point.name:
        raise InputError(f"{point.value} is not a learner that is called {point.name!r}")
    _check_complete(kind, point.value)
    return kind
