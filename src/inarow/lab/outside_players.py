"""Players from outside the package: installed ones, and code that a person names.

An installed package adds players by entry points of the group `inarow.players`. `module:Class`,
`module:function` and `cmd:PROGRAM` run code, so such a name alone makes nobody: it is looked up
among those that the person at the command line has named (`allow`). A page, a link, a saved agent
or a database may hold such a name too, and finds nobody by it.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from inarow.game import InputError, Position
from inarow.lab.program_player import PREFIX, ProgramPlayer, end_with_signals

GROUP = "inarow.players"
BEST_RESPONSE = "best-response:"  # before the name of another player
_NAMED = re.compile(
    r"(?!minimax:|ntuple:|mcts:|level:|shipped:)[A-Za-z_][\w.]*:[A-Za-z_]\w*"
)  # not mistyped depths, nor games
# What an installed player may be called: nothing that is read as another player's name.
_OFFERED = re.compile(r"(?!minimax|mcts|(?:perfect|best|ntuple)$)[\w.-]+")
_allowed: dict[str, Callable[[], object]] = {}  # what makes each player that has been named


class FunctionPlayer:
    """A function of a position that gives the move."""

    def __init__(self, function: Callable[[Position], int | str]) -> None:
        self.function, self.name = function, function.__name__
        self.deterministic = getattr(function, "deterministic", False)

    def move(self, position: Position) -> int | str:
        """What the function says."""
        return self.function(position)


def runs_code(name: str) -> bool:
    """Whether a name stands for code to be run: `module:Class` or `cmd:PROGRAM`."""
    return bool(PREFIX.match(name) or _NAMED.fullmatch(name))


def allow(name: str) -> None:
    """Lets a name that runs code be used from now on; other names need no leave.

    Only for names that the person at the command line has written, or has asked to be read from
    a file that they named.
    """
    # Another player stands before the one, and behind the other.
    name = name.strip().removeprefix(BEST_RESPONSE).partition("+endgame:")[0]
    name = name.removesuffix("+strategy")
    if name not in _allowed and runs_code(name):
        is_program = PREFIX.match(name)
        make = partial(ProgramPlayer, name) if is_program else _maker(name, _load(name))
        _checked(name, make)  # says now what is wrong with it
        _allowed[name] = make
        if is_program:
            end_with_signals()


def allowed_player(name: str) -> object:
    """The player that a name which runs code stands for, made anew, if it has been allowed."""
    if name not in _allowed:
        raise InputError(
            f"{name} runs code, so it plays only where the command line names it: "
            "as a player of match, arena, play, certify or train, or by serve --player"
        )
    return _checked(name, _allowed[name])


def installed_player(name: str) -> object | None:
    """The player that an installed package calls so, made anew; None if no package does."""
    if name not in _installed():
        return None
    try:
        found = _installed()[name].load()
    except Exception as error:
        kind = type(error).__name__
        raise InputError(f"player {name} cannot be loaded: {kind}: {error}") from error
    return _checked(name, _maker(name, found))


def outside_players() -> dict[str, str]:
    """The players from outside that can be named now, and what to say of each."""
    installed = {
        name: f"from the package {entry.dist.name if entry.dist else entry.module}"
        for name, entry in _installed().items()
    }
    return installed | dict.fromkeys(_allowed, "named when this program was started")


@cache
def _installed() -> dict[str, EntryPoint]:
    """What packages offer, without importing them; none takes the name of one of ours."""
    from inarow.lab.players import RULE_PLAYERS  # which looks in here, too

    offered = {entry.name: entry for entry in entry_points(group=GROUP)}
    return {
        name: entry
        for name, entry in offered.items()
        if _OFFERED.fullmatch(name) and name not in RULE_PLAYERS
    }


def _load(name: str) -> object:
    """What `module:attribute` names, in the current folder or installed."""
    module, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)  # last: no file of it hides a module that others import
    importlib.invalidate_caches()
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise  # a module that the person's own code wants
        raise InputError(f"{name}: there is no module {error.name} here, nor installed") from None
    except SyntaxError as error:
        raise InputError(f"{name}: {error.msg} ({error.filename}, line {error.lineno})") from None
    _check_is_ours(module, loaded)
    if not hasattr(loaded, attribute):
        raise InputError(f"{name}: the module {module} has no {attribute}")
    return getattr(loaded, attribute)


def _check_is_ours(module: str, loaded: ModuleType) -> None:
    """Says so if a file of the current folder is meant and another module has its name."""
    here = Path.cwd().joinpath(*module.split(".")).with_suffix(".py")
    if here.exists() and not (loaded.__file__ and here.samefile(loaded.__file__)):
        raise InputError(f"another module is called {module} too: give {here.name} another name")


def _maker(name: str, found: object) -> Callable[[], object]:
    """What makes the player: a class called without arguments, a function asked for its moves."""
    if isinstance(found, type):
        try:
            inspect.signature(found).bind()
        except (TypeError, ValueError) as error:
            raise InputError(f"{name} cannot be made without arguments: {error}") from None
        return found
    if hasattr(found, "move") or hasattr(found, "compiled"):
        return lambda: found
    if callable(found):
        return lambda: FunctionPlayer(found)
    raise InputError(f"{name} is not a player: name a class, a function, or an object that moves")


def _checked(name: str, make: Callable[[], object]) -> object:
    """The player, under the name that it was asked for by."""
    try:
        made = make()
    except InputError:
        raise
    except Exception as error:  # whatever code of others does
        kind = type(error).__name__
        raise InputError(f"player {name} cannot be made: {kind}: {error}") from error
    if not (hasattr(made, "move") or hasattr(made, "compiled")):
        raise InputError(f"{name} is not a player: it needs a method move(position)")
    with suppress(AttributeError):  # it may take no other name than its own
        made.name = name  # type: ignore[attr-defined]
    return made
