"""What a player is, and how one is asked for its moves.

Anything with a method `move(position)` is a player. One that always answers a position alike may
say so, `deterministic = True`; only then can anything be proven of it (`lab.observe`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeGuard, cast, runtime_checkable

from inarow.engine.bound_player import BoundPlayer, CompiledPlayer
from inarow.engine.streams import Stream
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy


@runtime_checkable
class Player(Protocol):
    """Anything that chooses a move: its number or its text."""

    def move(self, position: Position) -> int | str:
        """The move to play in a position that goes on."""


AnyPlayer = Player | CompiledPlayer  # which have both methods, or one of them
# A player, what it is called, where it is saved, or a function that gives its moves.
NamedPlayer = str | Path | AnyPlayer | Callable[[Position], int | str]


@runtime_checkable
class GraphPlayer(Protocol):
    """A player that says how it moves in every position of a graph."""

    def policies(self, graph: Graph) -> list[Policy]:
        """One, or several of which one is drawn for each game."""


@runtime_checkable
class Estimator(Protocol):
    """A player that says what it expects of its moves."""

    def values(self, position: Position) -> dict[int, float]:
        """By move, in a position that goes on."""


def bind_player(some_player: AnyPlayer, game: Game, stream: Stream) -> Player:
    """A player ready to play from Python: what is left to chance is drawn from the stream."""
    check_plays(some_player, game)
    if isinstance(some_player, CompiledPlayer):
        return BoundPlayer(some_player, game, stream)
    bind = getattr(some_player, "bind", None)
    return some_player if bind is None else cast(Player, bind(game, stream))


def states_policy(some_player: object) -> TypeGuard[CompiledPlayer]:
    """Whether a player is compiled and says how likely each of its moves is.

    A compiled one that does not (a tree search by random games) is asked move by move where
    there is a choice: its moves take so long that a loop of whole games gains nothing, and is
    not compiled for each pair. Nothing is proven of it.
    """
    return isinstance(some_player, CompiledPlayer) and getattr(some_player, "states_policy", True)


def check_plays(some_player: AnyPlayer, game: Game) -> None:
    """Refuses a player that knows its game, and that another is to be played."""
    own = game_of(getattr(some_player, "game", None) or game)
    if own != game:
        raise InputError(f"{name_of(some_player)} plays {own.name}, not {game.name}")


def game_to_certify(some_player: AnyPlayer, game: str | Game | None) -> Game:
    """The game, or the one that the player knows; refused where it plays another."""
    chosen = game if game is not None else getattr(some_player, "game", None)
    if chosen is None:
        raise InputError("say in which game the player is to be certified")
    check_plays(some_player, game_of(chosen))
    return game_of(chosen)


def ask(side: Player, position: Position) -> int:
    """The legal move that a player in its side chooses; what is wrong with any other is said."""
    before = position.moves
    answer = side.move(position)
    if position.moves != before:
        raise InputError(f"player {name_of(side)} changed the position it was asked about")
    try:
        position.push(answer)
    except InputError as error:
        raise InputError(f"player {name_of(side)} played an illegal move: {error}") from None
    return position.pop()


def name_of(some_player: object) -> str:
    """What to call a player: its name if it has one, else its type's."""
    return str(getattr(some_player, "name", type(some_player).__name__))
