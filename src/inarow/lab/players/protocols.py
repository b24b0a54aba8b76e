"""What a player is, and how one is asked for its moves.

Anything with a method `move(position)` is a player. One that always answers a position alike may
say so, `deterministic = True`; only then can anything be proven of it (`lab.players.policies`).

What a class says of its moves besides (a compiled form, `policies`, `values`, `bind`) holds for
the class as it was written. A derived class that adds code, a method replaced on an object or in a
class, and a wrapper are asked in Python instead: `engine.players` has the rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeGuard, cast, runtime_checkable

from inarow.engine.players import (
    FORMS,
    BoundPlayer,
    CompiledPlayer,
    given_by,
    has_compiled_form,
    is_unchanged,
    stands,
)
from inarow.engine.streams import Stream
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy


@runtime_checkable
class Player(Protocol):
    """Anything that chooses a move: its number or its text."""

    def move(self, position: Position) -> int | str:
        """Return the move to play in a position that goes on."""


# Whichever of these a class has, it says what it expects of moves: `values` may rest on the others.
STATEMENTS = ("policies", *FORMS)  # from which every move of a player follows
VALUES = ("values", "values_on", *FORMS)

AnyPlayer = Player | CompiledPlayer  # which have both methods, or one of them
# A player, what it is called, where it is saved, or a function that gives its moves.
NamedPlayer = str | Path | AnyPlayer | Callable[[Position], int | str]


class GraphPlayer(Player, Protocol):
    """A player that says how it moves in every position of a graph."""

    def policies(self, graph: Graph) -> list[Policy]:
        """Return the player's policy, or several of which one is drawn for each game."""


class Estimator(Protocol):
    """A player that says what it expects of its moves."""

    def values(self, position: Position) -> dict[int, float]:
        """Return the values of moves, by move, in a position that goes on."""


def bind_player(some_player: AnyPlayer, game: Game, stream: Stream) -> Player:
    """A player ready to play from Python: what is left to chance is drawn from the stream."""
    check_plays(some_player, game)
    asked: Any = some_player
    if has_compiled_form(asked):
        with kept_running(asked):
            return BoundPlayer(asked, game, stream)
    if stands(asked, "bind"):
        with kept_running(asked):
            return cast(Player, asked.bind(game, stream))
    if not hasattr(asked, "move"):
        raise InputError(
            f"{name_of(some_player)} is not a player: it changes a compiled player, so it is asked "
            "in Python, and needs a method move(position)"
        )
    return cast(Player, asked)


def states_policy(some_player: object) -> TypeGuard[CompiledPlayer]:
    """Return whether a player is compiled and says how likely each of its moves is.

    A compiled one that does not (a tree search by random games) is asked move by move where
    there is a choice: its moves take so long that a loop of whole games gains nothing, and is
    not compiled for each pair. Nothing is proven of it.
    """
    return has_compiled_form(some_player) and getattr(some_player, "states_policy", True)


def gives_policies(some_player: object) -> TypeGuard[GraphPlayer]:
    """Return whether a player has policies of its own moves.

    They are of the `move` that the same class gives, or of an inherited one of which nothing had
    been said (no policies, no compiled form). Who says it may be a class, or an object itself.
    """
    kind = given_by(some_player, "policies")
    if kind is None:
        said = "policies" in getattr(some_player, "__dict__", {})
        return said and given_by(some_player, *FORMS) is None
    if not is_unchanged(some_player, kind):
        return False
    inherited = any(hasattr(base, name) for base in kind.__mro__[1:] for name in STATEMENTS)
    return "move" in vars(kind) or not inherited or has_compiled_form(some_player)


def gives_values(some_player: object) -> TypeGuard[Estimator]:
    """Return whether a player has values of its own moves."""
    return given_by(some_player, "values") is not None and stands(some_player, *VALUES)


def declares_deterministic(some_player: object) -> bool:
    """Return whether the author of a player says that it always answers a position alike.

    It is said of the `move` that the class has: a derived class with code of its own says it
    again. Said by a class without a `move`, it holds for all that are derived from it.
    """
    if getattr(some_player, "deterministic", False) is not True:
        return False
    kind = given_by(some_player, "deterministic")
    if kind is None:
        return "deterministic" in getattr(some_player, "__dict__", {})
    return not hasattr(kind, "move") or is_unchanged(some_player, kind)


def check_plays(some_player: AnyPlayer, game: Game) -> None:
    """Raise InputError for a player that knows its game where another is to be played."""
    own = game_of(getattr(some_player, "game", None) or game)
    if own != game:
        raise InputError(f"{name_of(some_player)} plays {own.name}, not {game.name}")


def game_to_certify(some_player: AnyPlayer, game: str | Game | None) -> Game:
    """Return the game, or the one that the player knows; refused where it plays another."""
    chosen = game if game is not None else getattr(some_player, "game", None)
    if chosen is None:
        raise InputError("say in which game the player is to be certified")
    check_plays(some_player, game_of(chosen))
    return game_of(chosen)


def ask(side: Player, position: Position) -> int:
    """The legal move that a player in its side chooses; what is wrong with any other is said."""
    before = position.moves
    with kept_running(side):
        answer = side.move(position)
    if position.moves != before:
        raise InputError(f"player {name_of(side)} changed the position it was asked about")
    try:
        position.push(answer)
    except InputError as error:
        raise InputError(f"player {name_of(side)} played an illegal move: {error}") from None
    return position.pop()


class StoppedBySignal(SystemExit):
    """The end of this program by a signal: no player has ended it, whichever was asked then."""


@contextmanager
def kept_running(some_player: object) -> Iterator[None]:
    """Raise InputError where the code of a player would end the program by `sys.exit`."""
    try:
        yield
    except StoppedBySignal:
        raise
    except SystemExit as error:
        raise InputError(
            f"player {name_of(some_player)} ended the program: sys.exit({error.code!r})"
        ) from error


def name_of(some_player: object) -> str:
    """Return what to call a player: its name if it has one, else its type's."""
    return str(getattr(some_player, "name", type(some_player).__name__))
