"""An arena on the disk: what was played in it, and the games that no seed gives back."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import inarow
from inarow.engine.streams import Stream
from inarow.game import Game, InputError, Position
from inarow.lab.matches.match import MatchResult, Tally
from inarow.lab.players.protocols import Player
from inarow.learn.saved import SUFFIX
from inarow.ui.server.kept import KeptArena
from inarow.ui.server.players import check_game, find_file
from inarow.ui.server.visitor_files import VisitorFiles

ARENA_FILE = "arena.json"
Pair = tuple[str, str]
Games = list["array[int]"]  # the moves of each game, of two bytes each
Find = Callable[[str, Game], Player]
FindFile = Callable[[str], tuple[Path, int]]


class MissingPlayer:
    """Stands for a player that was deleted or changed since it played."""

    def __init__(self, name: str) -> None:
        self.name = name

    def bind(self, game: Game, stream: Stream) -> Player:  # noqa: ARG002
        """Raise InputError: this player no longer exists."""
        raise InputError(f"{self.name} is no longer there, or has changed since")

    def move(self, position: Position) -> int:  # noqa: ARG002
        """Raise InputError: this player no longer exists."""
        raise InputError(f"{self.name} is no longer there, or has changed since")


class ArenaFiles:
    """The files of a visitor's arena; `agent_file` finds the file of an agent and its time."""

    def __init__(
        self, files: VisitorFiles | None = None, agent_file: FindFile | None = None
    ) -> None:
        self.files = files or VisitorFiles()
        self.agent_file = agent_file or (lambda name: find_file(name, Path()))

    def write(self, told: KeptArena) -> None:
        """Keeps what there is to tell."""
        self.files.write(ARENA_FILE, told.model_dump_json().encode())

    def write_games(self, number: int, games: Games) -> None:
        """The games of a match: how many moves each has, then all moves."""
        moves = array("H", [len(game) for game in games])
        for game in games:
            moves.extend(game)
        self.files.write(f"arena-{number}.moves", moves.tobytes())

    def read(self) -> KeptArena | None:
        """What was told last; nothing if another version did, whose games may be others."""
        told = self.files.read_as(ARENA_FILE, KeptArena)
        return told if told is not None and told.version == inarow.__version__ else None

    def restore_players(self, told: KeptArena, find: Find) -> list[Player]:
        """The players; those that changed or vanished are replaced by `MissingPlayer`."""
        game, found = check_game(told.game), list[Player]()
        for name in told.names:
            try:
                same = told.changed.get(name) == self.changed([name])[name]
                found.append(find(name, game) if same else MissingPlayer(name))
            except InputError:
                found.append(MissingPlayer(name))
        return found

    def matches(self, told: KeptArena, pairs: Sequence[Pair]) -> dict[Pair, MatchResult]:
        """The matches that are over."""
        game = check_game(told.game)
        return {
            pair: MatchResult(game, pair, seed, Tally(*first), Tally(*second))
            for pair, (seed, first, second) in zip(pairs, told.matches, strict=False)
        }

    def games(self, number: int, games: int) -> Games | None:
        """The games of a match, if they were written down."""
        content = self.files.read(f"arena-{number}.moves")
        if content is None or len(content) % 2:
            return None
        moves, found = array("H", content), Games()
        start = games
        for length in moves[:games]:
            found.append(moves[start : start + length])
            start += length
        return found if len(found) == games and start == len(moves) else None

    def clear(self) -> None:
        """Forgets the arena before."""
        for name in (ARENA_FILE, *self.files.names("arena-*.moves")):
            self.files.remove(name)

    def changed(self, names: Sequence[str]) -> dict[str, int | None]:
        """When the files of agents were changed last; a player by its name never is."""
        found = dict[str, int | None].fromkeys(names)
        for name in names:
            with suppress(InputError):
                found[name] = self.agent_file(name)[1] if name.endswith(SUFFIX) else None
        return found
