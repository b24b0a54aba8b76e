"""A player that wins by proof wherever a stored strategy or a threat sequence is at hand.

Where there is none, another player moves. On Qubic that makes a player who wins every game that it
begins, since the strategy covers all of them (`strategy`), and who takes every win that threats
alone force when it moves second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, cast

from inarow.engine.bound_player import BoundPlayer, CompiledPlayer
from inarow.engine.streams import Stream, make_stream
from inarow.game import Game, InputError, Position
from inarow.game.position import check_goes_on
from inarow.search.decided import decider_for
from inarow.search.prover import is_provable
from inarow.search.strategy import shipped_strategy


class Other(Protocol):
    """The other player, at a board."""

    def move(self, position: Position) -> int | str:
        """The move to play."""


def bind_other(player: object, game: Game, stream: Stream) -> Other:
    """A player ready to play at a board."""
    if isinstance(player, CompiledPlayer):
        return BoundPlayer(player, game, stream)
    bind = cast("Callable[[Game, Stream], Other] | None", getattr(player, "bind", None))
    return cast(Other, player) if bind is None else bind(game, stream)


class WithStrategy:
    """The stored strategy and threat sequences of a game, else another player."""

    def __init__(self, player: object) -> None:
        self.player = player
        self.name = f"{getattr(player, 'name', type(player).__name__)}+strategy"
        if isinstance(known := getattr(player, "game", None), Game):
            self.game: Game = known
            _check(known)

    def bind(self, game: Game, stream: Stream) -> BoundWithStrategy:
        """The player at a board, with random numbers of its own."""
        _check(game)
        decider_for(game).make_ready()
        return BoundWithStrategy(self.name, game, bind_other(self.player, game, stream))

    def move(self, position: Position) -> int | str:
        """The move to play."""
        check_goes_on(position)
        return self.bind(position.game, make_stream(0)).move(position)

    def __repr__(self) -> str:
        return f"<player {self.name}>"


class BoundWithStrategy:
    """The same at a board."""

    def __init__(self, name: str, game: Game, other: Other) -> None:
        self.name, self.decider, self.other = name, decider_for(game), other

    def move(self, position: Position) -> int | str:
        """A winning move where one is proven, the one that is forced, else the other player's."""
        known = self.decider.by_strategy(position)
        if known is not None and known.value == 1:
            return known.moves[0]
        forced = self.decider.only_move(position)
        return self.other.move(position) if forced is None else forced


def _check(game: Game) -> None:
    if not is_provable(game) or shipped_strategy(game) is None:
        raise InputError(f"no strategy for {game.name} is stored: +strategy is for qubic")
