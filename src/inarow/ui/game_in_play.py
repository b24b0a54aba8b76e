"""A game in play: the position, who plays which side, what may be done, and how it ended.

Nothing here prints or draws; the terminal and the browser show it. Every change counts up
`version`, so that a thought about a position that is no longer there can be told and dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from inarow.engine.players import is_unchanged
from inarow.engine.streams import FIRST, SECOND, make_stream
from inarow.game import Game, InputError, Position
from inarow.game.drawing import SYMBOLS, last_cell
from inarow.game.position import move_text
from inarow.lab.matches.match import unproven_moves
from inarow.lab.players.names import BoundPlayer
from inarow.lab.players.protocols import Player, ask, bind_player, name_of
from inarow.learn.saved import SUFFIX
from inarow.search.perfect import Perfect
from inarow.search.solver import solver_for
from inarow.ui.play_words import YOU


@dataclass(frozen=True)
class Side:
    """Who plays the first or the second side."""

    name: str = YOU
    player: Player | None = None  # None for a person
    bound: Player | None = None  # the player, with random numbers of its own

    @classmethod
    def of(cls, game: Game, some_player: Player | None, number: int, seed: int) -> Side:
        """The side 0 or 1, played by a player or, if None, by a person."""
        if some_player is None:
            return cls()
        bound = bind_player(some_player, game, make_stream(seed, (FIRST, SECOND)[number]))
        if is_unchanged(some_player, Perfect):
            solver_for(game)  # says now, and not after a move, that it is out of reach
        name = name_of(some_player)
        return cls(Path(name).name if name.endswith(SUFFIX) else name, some_player, bound)


class GameInPlay:
    """One game after another between the same two. A player of None is a person."""

    def __init__(
        self, game: Game, players: Sequence[Player | None], seed: int, start: Position | None = None
    ) -> None:
        self.game, self.seed = game, seed
        self.start = Position(game) if start is None else start  # of every game
        self.sides = [Side.of(game, player, side, seed) for side, player in enumerate(players)]
        self.people = [side for side, player in enumerate(players) if player is None]
        self.position = self.start.copy()
        self.resigned: int | None = None  # who gave up, 1 or 2
        self.fresh: int | None = None  # the cell of a stone that has just been played
        self.version = 0
        self._unproven = 0  # moves of perfect play so far that are not proven
        self.is_last_unproven = False  # whether the last reply was one
        self._begin()

    # What there is to see

    @property
    def names(self) -> list[str]:
        """Who plays first and who second."""
        return [side.name for side in self.sides]

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
    def opponent(self) -> Player | None:
        """The player whom a person plays; None if that is a person too."""
        return next((side.player for side in self.sides if side.player is not None), None)

    @property
    def can_undo(self) -> bool:
        """Whether there is a move of a person's to take back."""
        played = self.position.ply - self.start.ply
        return self.resigned is not None or 0 < self._steps_back <= played

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
        side = self.position.to_move
        if self.over:
            return self.result()
        if len(self.people) == 2:
            return f"{SYMBOLS[side]} to move"
        if self.waits_for_person:
            return f"Your move: you are {SYMBOLS[side]}"
        return f"{self.names[side - 1]} ({SYMBOLS[side]}) is thinking"

    def result(self, how: str = "") -> str:
        """How the game ended, said to whoever plays; `how` follows a win, as " with more lines"."""
        winner, alone = self.winner, len(self.people) == 1
        if winner is None:
            return "A draw"
        person, symbol = winner - 1 in self.people, SYMBOLS[winner]
        wins = f"{symbol if person else f'{self.names[winner - 1]} ({symbol})'} wins"
        if self.resigned is not None:
            return f"{'You resign' if alone else f'{SYMBOLS[self.resigned]} resigns'}: {wins}"
        if alone:
            return f"You win{how}" if person else f"You lose: {wins}{how}"
        return f"{wins}{how}"

    # What may be done

    def play(self, move: int) -> None:
        """A person's move, which may be any number at all."""
        if self.over:
            raise InputError("the game is over: undo a move, or begin a new game")
        if not self.waits_for_person:
            raise InputError("it is not your move: the other side is thinking")
        self._push(move)

    def think(self, version: int) -> int | None:
        """The move of the player whose turn it is; None if the game has changed since."""
        position = self.position.copy()
        bound = self.sides[position.to_move - 1].bound
        if version != self.version or self.over or bound is None:
            return None
        return ask(bound, position)

    def reply(self, move: int | None, version: int) -> bool:
        """Plays what a player thought of in that version; False if it comes too late."""
        if move is None or version != self.version or not self.waits_for_player:
            return False
        self._push(move)
        bound = [side.bound for side in self.sides if side.bound is not None]
        before, self._unproven = self._unproven, sum(map(unproven_moves, bound))
        self.is_last_unproven = self._unproven > before
        return True

    def undo(self) -> None:
        """Takes back a resignation, else the last move of a person with the reply to it."""
        if not self.can_undo:
            raise InputError("there is no move of yours to take back")
        for _ in range(self._steps_back if self.resigned is None else 0):
            self.position.pop()
        self.resigned = None
        self._changed(None)

    def resign(self) -> None:
        """A person gives the game up: whose turn it is, of two."""
        if self.over or not self.people:
            raise InputError("there is nothing to resign")
        alone = len(self.people) == 1
        self.resigned = self.people[0] + 1 if alone else self.position.to_move
        self._changed(None)

    def again(self) -> None:
        """A new game between the same two."""
        self.position, self.resigned = self.start.copy(), None
        self._begin()
        self._changed(None)

    def _begin(self) -> None:
        for side in self.sides:
            if isinstance(side.bound, BoundPlayer):
                side.bound.begin()

    @property
    def _steps_back(self) -> int:
        """Moves to take back: the last one of two people, else all after the person's own last."""
        if len(self.people) != 1:
            return len(self.people) // 2
        return 1 + (self.position.ply - 1 - self.people[0]) % 2

    def _push(self, move: int) -> None:
        self.position.push(move)
        self._changed(last_cell(self.position))

    def _changed(self, fresh: int | None) -> None:
        self.fresh = fresh
        self.version += 1
