"""Arenas of visitors, in the background: without NiceGUI.

A turn is one match of `lab.arena`. Every game can be looked at afterwards: those of compiled
players are played again from their seed, the others are written down as they are played.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Sequence

from inarow.engine.streams import Stream
from inarow.game import Game, InputError, Position
from inarow.lab.arena import ArenaResult, rounds
from inarow.lab.match import MatchResult
from inarow.lab.players import CompiledPlayer, Player, bind_player, name_of
from inarow.lab.replay import replay
from inarow.ui.web.job_queue import Job, JobQueue, Stopped

MOST_GAMES = 10_000  # of a pair
MOST_PLAYERS = 10
MOST_MOVES = 20_000_000  # that games written down may have, in all


class OneByOne:
    """A searching player that is asked move by move, so that its matches can be stopped."""

    def __init__(self, some_player: Player) -> None:
        self.player, self.name = some_player, name_of(some_player)

    def bind(self, game: Game, stream: Stream) -> Player:
        """The player at a board."""
        return bind_player(self.player, game, stream)

    def move(self, position: Position) -> int:
        """It plays only in its side."""
        raise InputError(f"{self.name} has not taken its side in {position.game.name}")


def unhurried(some_player: Player) -> Player:
    """The player, so that a game of it is soon over for whoever wants to stop."""
    searches = getattr(some_player, "depth", 1) > 2
    compiled = isinstance(some_player, CompiledPlayer)
    return OneByOne(some_player) if searches and compiled else some_player


class ArenaJob(Job):
    """One round robin."""

    def __init__(self, game: Game, players: Sequence[Player], games: int, seed: int) -> None:
        super().__init__()
        names = [name_of(p) for p in players]
        _check(names, games, seed, game)
        self.game, self.names, self.games, self.seed = game, names, games, seed
        self.pairs = list(itertools.combinations(names, 2))
        self.result: ArenaResult | None = None
        self.played = 0  # games, of all matches
        self.records: dict[tuple[str, str], list[array[int]]] = {}  # moves, of two bytes each
        self._players = {name_of(p): unhurried(p) for p in players}
        self._rounds = rounds(
            game, list(self._players.values()), games, seed, self._progress, self._watch
        )

    @property
    def total(self) -> int:
        """Games of all matches."""
        return len(self.pairs) * self.games

    @property
    def matches(self) -> dict[tuple[str, str], MatchResult]:
        """Those that are over."""
        return self.result.matches if self.result else {}

    def turn(self) -> bool:
        """Plays one match."""
        self.result = next(self._rounds)
        return len(self.matches) < len(self.pairs)

    def game_of(self, one: str, other: str, number: int) -> Position:
        """A game of a match that is over: first those in which `one` began, then the others."""
        if (one, other) not in self.matches:
            raise InputError(f"{one} and {other} have not played yet")
        result = self.matches[one, other]
        if (one, other) not in self.records:
            return replay(result, self._players[one], self._players[other], number)
        if not 0 <= number < self.games:
            raise InputError(f"there is no game {number}: the match has 0 to {self.games - 1}")
        position = Position(self.game)
        for move in self.records[one, other][number]:
            position.push(move)
        return position

    def _progress(self, games: int) -> None:
        self.played += games
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

    def __init__(self, queue: JobQueue) -> None:
        self.queue = queue
        self.job: ArenaJob | None = None

    @property
    def busy(self) -> bool:
        """Whether it goes on."""
        return self.job is not None and self.job.going_on

    def start(self, job: ArenaJob) -> ArenaJob:
        """Begins one; another that goes on is stopped."""
        self.close()
        self.job = job
        self.queue.begin(job)
        return job

    def close(self) -> None:
        """Stops it."""
        if self.job is not None:
            self.job.stop()
