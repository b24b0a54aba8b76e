"""Learners by name: the one place where commands, forms, studies and saved agents look.

Known are those of the package, those that installed packages offer as entry points of the group
`inarow.learners`, and those that a person has named as `module:Class` on the command line, or in
a call of `inarow.train`. Code is imported for nothing else: where a file, a database, a link or a
question names a learner, it is only looked up.
"""

from __future__ import annotations

import inspect
import logging
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint
from importlib.resources import files
from typing import Any, NamedTuple

from inarow.game import InputError
from inarow.game.errors import suggestion
from inarow.game.plugins import check_not_python, installed, load_address
from inarow.learn.learner import Learner
from inarow.learn.options import OptionValue, options_of_type, with_options
from inarow.learn.plain_learner import PlainLearner, is_plain, learner_from
from inarow.learn.policy_learner import PolicyLearner

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
    """Return all learners by name, without those of other packages that cannot be imported."""
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
        return load_address(HERE + BUILT_IN[plain])
    for address, kind in _named.values():
        if str(name).strip() in (address, kind.name):
            return kind
    for spelled in (str(name).strip(), plain):
        if spelled in _entry_points():
            return _load(_entry_points()[spelled])
    check_not_python(str(name), "learner")
    names = [*BUILT_IN, *_entry_points(), *_named]
    near, known = suggestion(name, names), ", ".join(names)
    address = str(name) if ":" in str(name) else "module:Class"
    raise InputError(
        f"unknown learner {name!r}{near}: the learners are {known}; one of your own "
        f"is made known by inarow --learner {address} COMMAND ..."
    )


def learner(name: str, options: Mapping[str, OptionValue] | None = None) -> Learner:
    """The learner of that name, with the options given and the others as they are by default."""
    return with_options(learner_type(name), options or {})


def register(kind: type[Learner], address: str = "") -> type[Learner]:
    """Make a learner known under its name, as long as the program runs.

    A class in plain Python with `act` or `choose`, `learn`, `save` and `load` becomes one.
    """
    if is_plain(kind):
        kind, written = _made_of(kind), kind
        address = address or f"{written.__module__}:{written.__qualname__}"
    name = getattr(kind, "name", None)
    if not isinstance(kind, type) or not issubclass(kind, Learner) or not isinstance(name, str):
        raise InputError(
            f"{address or kind!r} is not a learner: a subclass of "
            "Learner with a name, or a class with act (or choose), learn, save and load"
        )
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


def _made_of(written: type) -> type[Learner]:
    """Return a class in plain Python as a learner: asked about one position, or about many."""
    return learner_from(written, PolicyLearner if hasattr(written, "choose") else PlainLearner)


def _check_complete(kind: type[Learner], place: str) -> None:
    """Raise InputError for a class of which no learner can be made, or with unusable options."""
    if missing := sorted(kind.__abstractmethods__):
        raise InputError(f"{place} cannot be used: it does not define {', '.join(missing)}")
    options_of_type(kind)


def register_address(address: str) -> type[Learner]:
    """Import and register what a person at the command line named as `module:Class`.

    The module may lie in the current folder.
    """
    return register(load_address(address), address)


def registered_addresses() -> list[str]:
    """Return the addresses that were named, for other processes of the same person to register."""
    return [address for address, _ in _named.values()]


def command_with(name: str) -> str:
    """Return the command-line prefix that makes a user's learner known."""
    return f"inarow --learner {_named[name][0]}" if name in _named else "inarow"


def _entry_points() -> dict[str, EntryPoint]:
    """Return the learners of other packages; none takes the name of one of ours."""
    return {name: point for name, point in installed(GROUP).items() if name not in BUILT_IN}


@cache
def _load(point: EntryPoint) -> type[Learner]:
    kind: Any = load_address(point.value)
    kind = _made_of(kind) if is_plain(kind) else kind
    named = isinstance(kind, type) and issubclass(kind, Learner) and getattr(kind, "name", None)
    if named != point.name:
        raise InputError(f"{point.value} is not a learner that is called {point.name!r}")
    _check_complete(kind, point.value)
    return kind


# What is said of the package's learners beside what their classes say: `learners.toml`.


class LearnerText(NamedTuple):
    """Texts of a page that explains a learner."""

    update_rule: str  # in words
    paper: str  # the reproduced paper that it comes from, or is compared in; empty without one
    code: tuple[str, ...] = ()  # where the update rule stands, as FILE:FUNCTION of inarow/learn
    figure: tuple[str, ...] = ()  # of it at work: a file of docs/papers/figures, and what it shows
    differences: tuple[str, ...] = ()  # from its paper: how the entries of its page begin
    title: str = ""  # its name for people; empty where only its own name is known


def text_of(kind: type[Learner]) -> LearnerText:
    """Return the text of a learner; of one from elsewhere, the rest of its docstring."""
    told = _texts().get(kind.name)
    if told is None:
        return LearnerText(" ".join((inspect.getdoc(kind) or "").split("\n")[1:]).strip(), "")
    rule, figure, differences = (
        tuple(told.get(key, ())) for key in ("rule", "figure", "differences")
    )
    paper, title = told.get("paper", ""), told["title"]
    return LearnerText(told["about"], paper, rule, figure, differences, title)


@cache
def _texts() -> dict[str, dict[str, str]]:
    return tomllib.loads((files("inarow.learn") / "learners.toml").read_text(encoding="utf-8"))
