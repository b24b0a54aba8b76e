"""What a table is set for: a game, an opponent, a side, moves; in links and on the disk."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from urllib.parse import urlencode

from inarow.game import Game, InputError, Position
from inarow.lab.player_protocols import Player
from inarow.ui.game_in_play import GameInPlay
from inarow.ui.web.agents import check_game

PERSON = "human"


@dataclass(frozen=True)
class Setting:
    """What a table is set for."""

    game: str
    against: str  # a strong player if empty
    side: str = "first"  # the person's
    seed: int | None = None
    moves: str = ""
    set_up: int = 0  # so many of the moves were never played: they set up the position
    resigned: int | None = None  # who gave up, 1 or 2

    @classmethod
    def of(cls, table: GameInPlay, game: str, against: str, side: str) -> Setting:
        """What a table is like now, and what it was set for."""
        moves, set_up = table.position.notation, table.start.ply
        return cls(game, against, side, table.seed, moves, set_up, table.resigned)

    @classmethod
    def from_link(cls, asked: Mapping[str, str]) -> Setting:
        """What a link asks for: /?game=cube&against=random&side=second&seed=1&moves=11."""
        numbers = {
            key: int(text)
            for key in ("seed", "set_up")
            if (text := asked.get(key, "")).isdecimal() and len(text) < 10
        }
        return cls(
            asked.get("game", "tictactoe"),
            asked.get("against", ""),
            asked.get("side", "first"),
            numbers.get("seed"),
            asked.get("moves", ""),
            numbers.get("set_up", 0),
        )

    @property
    def link(self) -> str:
        """The address that asks for the same, whatever the seed."""
        asked = {"game": self.game, "against": self.against, "side": self.side}
        asked |= {"moves": self.moves} | ({"set_up": str(self.set_up)} if self.set_up else {})
        return f"/?{urlencode(asked)}"

    def as_json(self) -> dict[str, object]:
        """To be kept."""
        return asdict(self)

    def table(self, find: Callable[[str, Game], Player]) -> GameInPlay:
        """The table; `find` finds the opponent by its name."""
        game = check_game(self.game)
        opponent = None if self.against == PERSON else find(self.against, game)
        if self.side not in ("first", "second"):
            raise InputError(f"there is no side {self.side!r}: it is first or second")
        players = [None, opponent] if self.side == "first" else [opponent, None]
        position, start = game.position(self.moves), Position(game)
        for move in position.moves[: self.set_up]:
            start.push(move)
        seed = secrets.randbelow(1_000_000) if self.seed is None else self.seed
        table = GameInPlay(game, players, seed, start)
        table.position, table.resigned = position, self.resigned
        return table
