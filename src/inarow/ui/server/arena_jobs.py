"""Arenas of visitors, in the background.

A turn is one match. Every game can be looked at afterwards: those of compiled
players are played again from their seed, the others are written down as they are played. What a
page shows of an arena is on the disk before, and after a restart of the server it goes on.
"""

from __future__ import annotations

import itertools
import logging
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import astuple

import inarow
from inarow.engine.players import has_compiled_form
from inarow.engine.streams import Stream
from inarow.game import Game, InputError, Position
from inarow.lab.matches.arena import result_of, rounds
from inarow.lab.matches.games import replay
from inarow.lab.matches.match import MatchResult
from inarow.lab.players.protocols import Player, bind_player, name_of
from inarow.ui.server.arena_files import ArenaFiles, Find, Games, MissingPlayer, Pair
from inarow.ui.server.jobs import Job, JobQueue, Stopped
from inarow.ui.server.kept import MOST_PLAYERS, KeptArena
from inarow.ui.server.players import check_game

log = logging.getLogger("inarow")

MOST_GAMES = 10_000  # of a pair
MOST_MOVES = 20_000_000  # that games written down may have, in all


class AskedMoveByMove:
    """A searching player that is asked move by move, so that its matches can be stopped."""

    def __init__(self, some_player: Player) -> None:
        self.player, self.name = some_player, name_of(some_player)

    def bind(self, game: Game, stream: Stream) -> Player:
        """The player at a board."""
        return bind_player(self.player, game, stream)

    def move(self, position: Position) -> int:
        """It plays only in its side."""
        raise InputError(f"{self.name} has not taken its side in {position.game.name}")


def interruptible(some_player: Player) -> Player:
    """The player, so that a game of it is soon over for whoever wants to stop."""
    searches = getattr(some_player, "depth", 1) > 2
    compiled = has_compiled_form(some_player)
    return AskedMoveByMove(some_player) if searches and compiled else some_player


class ArenaJob(Job):
    """One round robin."""

    def __init__(
        self,
        game: Game,
        players: Sequence[Player],
        games: int,
        seed: int,
        matches: dict[Pair, MatchResult] | None = None,  # that have been played before
    ) -> None:
        super().__init__()
        names = [name_of(p) for p in players]
        _check(names, games, seed, game)
        self.game, self.names, self.games, self.seed = game, names, games, seed
        self.pairs = list(itertools.combinations(names, 2))
        self.result = result_of(game, names, games, seed, matches) if matches else None
        self.played = len(matches or {}) * games  # of all matches
        self.records: dict[Pair, Games] = {}
        self.kept = ArenaFiles()
        self.changed: dict[str, int | None] = {}  # when the files of the players were, if any
        self._players = {name_of(p): interruptible(p) for p in players}
        self._rounds = rounds(
            game, list(self._players.values()), games, seed, self._progress, self._watch, matches
        )

    @property
    def total(self) -> int:
        """Games of all matches."""
        return len(self.pairs) * self.games

    @property
    def matches(self) -> dict[Pair, MatchResult]:
        """Those that are over."""
        return self.result.matches if self.result else {}

    def turn(self) -> bool:
        """Plays one match."""
        number = len(self.matches)
        if number == len(self.pairs):  # killed between the last match and its end
            return False
        result = next(self._rounds)
        if (pair := self.pairs[number]) in self.records:
            self.kept.write_games(number, self.records[pair])
        self.keep(result.matches)
        self.result = result
        return len(self.matches) < len(self.pairs)

    def on_end(self) -> None:
        """Writes down how it ended."""
        self.keep(self.matches)

    def keep(self, matches: Mapping[Pair, MatchResult]) -> None:
        """Writes down what there is to tell."""
        self.kept.write(
            KeptArena.model_construct(
                game=self.game.name,
                names=self.names,
                games=self.games,
                seed=self.seed,
                changed=self.changed,
                state=self.state,
                error=self.error,
                matches=[
                    (match.seed, list(astuple(match.as_first)), list(astuple(match.as_second)))
                    for match in matches.values()
                ],
                version=inarow.__version__,
            )
        )

    def game_of(self, one: str, other: str, number: int) -> Position:
        """A game of a match that is over: first those in which `one` began, then the others."""
        if (one, other) not in self.matches:
            raise InputError(f"{one} and {other} have not played yet")
        result = self.matches[one, other]
        if (one, other) not in self.records:
            for name in (one, other):
                if isinstance(self._players[name], MissingPlayer):
                    raise InputError(f"{name} is no longer there, or has changed since")
            return replay(result, self._players[one], self._players[other], number)
        if not 0 <= number < self.games:
            raise InputError(f"there is no game {number}: the match has 0 to {self.games - 1}")
        position = Position(self.game)
        for move in self.records[one, other][number]:
            position.push(move)
        return position

    def _progress(self, games: float) -> None:
        self.played += int(games)
        if self.stopping:
            raise Stopped

    def _watch(self, position: Position) -> None:
        pair = self.pairs[len(self.matches)]
        self.records.setdefault(pair, []).append(array("H", position.moves))


def _check(names: list[str], games: int, seed: int, game: Game) -> None:
    if not 2 <= len(names) <= MOST_PLAYERS:
        raise InputError(f"an arena has 2 to {MOST_PLAYERS} players, not {len(names)}")
    if len(set(names)) < len(names):
        raise InputError("everybody enters once")
    if not 1 <= games <= MOST_GAMES:
        raise InputError(f"the games per pair must be between 1 and {MOST_GAMES:,}, not {games:,}")
    if not 0 <= seed < 2**63:
        raise InputError(f"the seed must be a whole number from 0, not {seed}")
    moves = len(names) * (len(names) - 1) // 2 * games * game.cells
    if moves > MOST_MOVES:
        raise InputError(
            f"these are up to {moves:,} moves, and {MOST_MOVES:,} are the most here: "
            "take fewer games"
        )


class Arenas:
    """The last arena of one visitor."""

    def __init__(
        self, queue: JobQueue, kept: ArenaFiles | None = None, find: Find | None = None
    ) -> None:
        self.queue, self.kept = queue, kept or ArenaFiles()
        self.job: ArenaJob | None = None
        if find is not None and (told := self.kept.read()):
            try:
                self._come_back(told, find)
            except InputError as error:
                log.warning("an arena of a visitor cannot go on: %s", error)

    def _come_back(self, told: KeptArena, find: Find) -> None:
        """The arena that was here before the server ended."""
        players, pairs = (
            self.kept.restore_players(told, find),
            itertools.combinations(told.names, 2),
        )
        matches = self.kept.matches(told, list(pairs))
        games = told.games
        job = ArenaJob(check_game(told.game), players, games, told.seed, matches)
        for number, pair in enumerate(matches):
            if (record := self.kept.games(number, games)) is not None:
                job.records[pair] = record
        job.kept, job.state, job.error = self.kept, told.state, told.error
        job.changed = dict(told.changed)
        self.job = job
        if job.is_active:
            self.queue.begin(job)

    @property
    def busy(self) -> bool:
        """Whether it goes on."""
        return self.job is not None and self.job.is_active

    def start(self, job: ArenaJob) -> ArenaJob:
        """Begins one; another that goes on is stopped."""
        self.close()
        if self.job is not None:
            self.job.kept = ArenaFiles()  # it writes nothing any more
        self.kept.clear()
        self.job, job.kept, job.changed = job, self.kept, self.kept.changed(job.names)
        job.keep({})
        self.queue.begin(job)
        return job

    def close(self) -> None:
        """Stops it."""
        if self.job is not None:
            self.job.stop()
