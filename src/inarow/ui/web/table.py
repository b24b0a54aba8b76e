"""A visitor's game: the position, who sits where, what may be done, and how it ended.

Nothing here knows of a page. Every change counts up `version`, so that a thought about a position
that is no longer there can be told and dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from inarow.game import Game, InputError, Position
from inarow.game.layout import last_cell
from inarow.game.notation import move_text
from inarow.game.text import SYMBOLS
from inarow.lab.move_values import Estimate, Exact, Hint
from inarow.lab.players import BoundPlayer, ask
from inarow.ui.play_table import Chair

YOU = "you"


@dataclass(frozen=True)
class Insight:
    """What there is to say of the moves of one position, as far as it has come."""

    exact: Exact | None = None
    estimate: Estimate | None = None
    hint: Hint | None = None
    complete: bool = False  # no more is to come


class Table:
    """One game after another in the same chairs. A player of None is a person."""

    def __init__(self, game: Game, players: list[Any], seed: int) -> None:
        self.game, self.seed = game, seed
        self.chairs = [Chair.taken(game, player, side, seed) for side, player in enumerate(players)]
        self.people = [side for side, player in enumerate(players) if player is None]
        if not self.people:
            raise InputError(
                "a game needs a person on one side: the arena plays players against each other"
            )
        self.position = Position(game)
        self.resigned: int | None = None  # who gave up, 1 or 2
        self.fresh: int | None = None  # the cell of a stone that has just been played
        self.version = 0
        self._begin()

    # What stands on the table

    @property
    def over(self) -> bool:
        """Whether the game has ended, on the board or because somebody gave up."""
        return self.position.outcome is not None or self.resigned is not None

    @property
    def waits_for_person(self) -> bool:
        """Whether a person is to move."""
        return not self.over and self.position.to_move - 1 in self.people

    @property
    def waits_for_player(self) -> bool:
        """Whether a player is to move."""
        return not self.over and not self.waits_for_person

    @property
    def opponent(self) -> Any:
        """The player whom a person plays; None if that is a person too."""
        return next((chair.player for chair in self.chairs if chair.player is not None), None)

    @property
    def can_undo(self) -> bool:
        """Whether there is a move of a person's to take back."""
        return self.resigned is not None or self.position.ply >= self._steps_back

    @property
    def moves(self) -> list[str]:
        """The moves played, as text."""
        return [move_text(self.game, move) for move in self.position.moves]

    @property
    def winner(self) -> int | None:
        """1 or 2; None for a draw, or while the game goes on."""
        if self.resigned is not None:
            return 3 - self.resigned
        outcome = self.position.outcome
        return None if outcome is None else outcome.winner

    @property
    def status(self) -> str:
        """Whose move it is, or how the game ended, said to whoever plays."""
        if not self.over:
            side = self.position.to_move
            if len(self.people) == 2:
                return f"{SYMBOLS[side]} to move"
            if self.waits_for_person:
                return f"Your move: you are {SYMBOLS[side]}"
            return f"{self.chairs[side - 1].name} ({SYMBOLS[side]}) is thinking"
        if self.winner is None:
            return "A draw"
        return f"{self._resignation}{self._victory(self.winner)}"

    @property
    def _resignation(self) -> str:
        if self.resigned is None:
            return ""
        alone = len(self.people) == 1
        return "You resign: " if alone else f"{SYMBOLS[self.resigned]} resigns: "

    def _victory(self, winner: int) -> str:
        symbol, name = SYMBOLS[winner], self.chairs[winner - 1].name
        if len(self.people) == 2:
            return f"{symbol} wins"
        if winner - 1 in self.people:
            return "You win"
        how = f"{name} ({symbol}) wins"
        return how if self.resigned is not None else f"You lose: {how}"

    # What may be done

    def play(self, move: int) -> None:
        """A person's move, which may be any number at all."""
        if self.over:
            raise InputError("the game is over: take a move back, or begin a new game")
        if not self.waits_for_person:
            raise InputError("it is not your move: the other side is thinking")
        self._push(move)

    def think(self, version: int) -> int | None:
        """The move of the player whose turn it is; None if the table has changed since."""
        position = self.position.copy()
        if version != self.version or not self.waits_for_player:
            return None
        return ask(self.chairs[position.to_move - 1].bound, position)

    def reply(self, move: int | None, version: int) -> bool:
        """Plays what a player thought of in that version; False if it comes too late."""
        if move is None or version != self.version or not self.waits_for_player:
            return False
        self._push(move)
        return True

    def undo(self) -> None:
        """Takes back a resignation, else the last move of a person with the reply to it."""
        if not self.can_undo:
            raise InputError("there is no move of yours to take back")
        if self.resigned is not None:
            self.resigned = None
        else:
            for _ in range(self._steps_back):
                self.position.pop()
        self._changed(None)

    def resign(self) -> None:
        """A person gives the game up: whose turn it is, of two."""
        if self.over:
            raise InputError("the game is over: there is nothing to resign")
        alone = len(self.people) == 1
        self.resigned = self.people[0] + 1 if alone else self.position.to_move
        self._changed(None)

    def again(self) -> None:
        """A new game in the same chairs."""
        self.position, self.resigned = Position(self.game), None
        self._begin()
        self._changed(None)

    @property
    def _steps_back(self) -> int:
        """Moves to take back: the last one of two people, else all after the person's own last."""
        if len(self.people) == 2:
            return 1
        return 1 + (self.position.ply - 1 - self.people[0]) % 2

    def _begin(self) -> None:
        for chair in self.chairs:
            if isinstance(chair.bound, BoundPlayer):
                chair.bound.begin()

    def _push(self, move: int) -> None:
        self.position.push(move)
        self._changed(last_cell(self.position))

    def _changed(self, fresh: int | None) -> None:
        self.fresh = fresh
        self.version += 1
