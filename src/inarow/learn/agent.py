"""What every learned agent is: a player of one game, and of no other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from inarow.engine.bound_player import MovesFromCompiled
from inarow.engine.tables import Tables, same_tables, tables_of
from inarow.game import Game, InputError


class Agent(MovesFromCompiled, ABC):
    """A player that was learned. Its numbers mean something in its own game only."""

    name: str
    game: Game

    def compiled(self, tables: Tables) -> Any:
        """The agent for compiled loops of its game; any other game is refused."""
        if not same_tables(tables, tables_of(self.game)):
            raise InputError(f"{self.name} plays {self.game.name} only")
        return self.arrays_for(tables)

    @abstractmethod
    def arrays_for(self, tables: Tables) -> Any:
        """The agent as a tuple of arrays, one for each loop."""

    @abstractmethod
    def values(self, position: Any) -> dict[int, float]:
        """What it thinks of each move of the side to move; the higher the better."""

    def check_game(self, game: Game) -> None:
        """Refuses another game than its own."""
        if game != self.game:
            raise InputError(f"{self.name} plays {self.game.name}, not {game.name}")
