"""An arena on the disk: what was played in it, and the games that no seed gives back."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import inarow
from inarow.engine.streams import Stream
from inarow.game import Game, InputError, Position
from inarow.lab.match_result import MatchResult, Tally
from inarow.lab.player_protocols import Player
from inarow.learn.saved import SUFFIX
from inarow.ui.web.agents import check_game, find_file
from inarow.ui.web.kept_models import KeptArena
from inarow.ui.web.visitor_files import VisitorFiles

KEPT = "arena.json"
Pair = tuple[str, str]
Games = list["array[int]"]  # the moves of each game, of two bytes each
Find = Callable[[str, Game], Player]


class Gone:
    """In the place of a player that is no longer there, or is another by now."""

    def __init__(self, name: str) -> None:
        self.name = name

    def bind(self, game: Game, stream: Stream) -> Player:  # noqa: ARG002
        """It takes no side any more."""
        raise InputError(f"{self.name} is no longer there, or has changed since")

    def move(self, position: Position) -> int:  # noqa: ARG002
        """Nor does it move."""
        raise InputError(f"{self.name} is no longer there, or has changed since")


class ArenaFiles:
    """The files of a visitor's arena; `folder` is where saved agents are."""

    def __init__(self, files: VisitorFiles | None = None, folder: Path | None = None) -> None:
        self.files, self.folder = files or VisitorFiles(), folder or Path()

    def write(self, told: KeptArena) -> None:
        """Keeps what there is to tell."""
        self.files.write(KEPT, told.model_dump_json().encode())

    def write_games(self, number: int, games: Games) -> None:
        """The games of a match: how many moves each has, then all moves."""
        moves = array("H", [len(game) for game in games])
        for game in games:
            moves.extend(game)
        self.files.write(f"arena-{number}.moves", moves.tobytes())

    def read(self) -> KeptArena | None:
        """What was told last; nothing if another version did, whose games may be others."""
        told = self.files.read_as(KEPT, KeptArena)
        return told if told is not None and told.version == inarow.__version__ else None

    def players(self, told: KeptArena, find: Find) -> list[Player]:
        """Who played, as far as they are still there as they were."""
        game, found = check_game(told.game), list[Player]()
        for name in told.names:
            try:
                same = told.changed.get(name) == self.changed([name])[name]
                found.append(find(name, game) if same else Gone(name))
            except InputError:
                found.append(Gone(name))
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
        for name in (KEPT, *self.files.names("arena-*.moves")):
            self.files.remove(name)

    def changed(self, names: Sequence[str]) -> dict[str, int | None]:
        """When the files of agents were changed last; a player by its name never is."""
        found = dict[str, int | None].fromkeys(names)
        for name in names:
            with suppress(InputError):
                found[name] = find_file(name, self.folder)[1] if name.endswith(SUFFIX) else None
        return found
