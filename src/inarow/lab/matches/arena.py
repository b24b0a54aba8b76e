"""Round robins: everybody against everybody, a crosstable, and ratings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.game.progress import Progress, mute
from inarow.game.report import HasReport, Report
from inarow.lab.matches.games import Openings, match_with
from inarow.lab.matches.match import (
    Callback,
    MatchResult,
    Tally,
    Unfinished,
    Watch,
    say_unproven,
)
from inarow.lab.players.names import player
from inarow.lab.players.protocols import AnyPlayer, name_of
from inarow.lab.progress import shown
from inarow.lab.statistics import Rating, bradley_terry
from inarow.lab.studies.conditions import differences_of_agents

Entrants = Sequence[str | AnyPlayer]


@dataclass(frozen=True, repr=False)
class ArenaResult(HasReport):
    """A round robin. `ranking` lists the players from the strongest on."""

    game: Game
    players: tuple[str, ...]
    games: int  # in each pairing
    seed: int
    matches: dict[tuple[str, str], MatchResult]  # by the two names, in the order given
    ratings: dict[str, Rating]
    notes: tuple[str, ...] = ()  # in which settings learned agents differ

    @property
    def ranking(self) -> list[str]:
        """The players by rating, the strongest first."""
        return sorted(self.players, key=lambda name: -self.ratings[name].rating)

    def tally(self, one: str, other: str) -> Tally:
        """Return what `one` did against `other`; nothing if they have not met yet."""
        if (one, other) in self.matches:
            return self.matches[one, other].total
        if (other, one) not in self.matches:
            return Tally()
        total = self.matches[other, one].total
        return Tally(
            total.games,
            total.losses,
            total.draws,
            total.wins,
            total.plies,
            total.lines_against,
            total.lines_for,
            total.different,
        )

    def total(self, one: str) -> Tally:
        """Return what `one` did against all others."""
        return sum((self.tally(one, other) for other in self.players if other != one), Tally())

    @property
    def unproven(self) -> dict[str, int]:
        """Moves of perfect play by each player that were the strongest known, and not proven."""
        return {
            name: number
            for name in self.players
            if (
                number := sum(
                    found.unproven[pair.index(name)]
                    for pair, found in self.matches.items()
                    if name in pair
                )
            )
        }

    @property
    def all_notes(self) -> tuple[str, ...]:
        """In which settings learned agents differ, and which moves are not proven."""
        said = say_unproven(self.unproven.items())
        return (*self.notes, said) if said else self.notes

    def report(self) -> Report:
        """Return the report."""
        rows = [
            (
                name,
                f"{self.ratings[name].rating:+.0f}",
                f"±{(self.ratings[name].high - self.ratings[name].low) / 2:.0f}",
                _percent(self.total(name)),
            )
            for name in self.ranking
        ]
        title = f"{self.game.name}: {self.games:,} games per pair, seed {self.seed}"
        notes = ("Ratings: Bradley-Terry, Elo scale, mean 0.", *self.all_notes)
        return Report(title, ("player", "rating", "95%", "score"), rows, notes)

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
        return {
            "game": self.game.name,
            "games": self.games,
            "seed": self.seed,
            "notes": list(self.all_notes),
            **({"unproven": self.unproven} if self.unproven else {}),
            "ranking": [
                {
                    "player": name,
                    **self.ratings[name]._asdict(),
                    "score": self.total(name).score if self.total(name).games else None,
                }
                for name in self.ranking
            ],
            "crosstable": {
                one: {
                    other: self.tally(one, other).as_json()
                    for other in self.players
                    if self.tally(one, other).games
                }
                for one in self.players
            },
        }


def _percent(tally: Tally) -> str:
    return f"{100 * tally.score:.1f}%" if tally.games else ""


def arena(
    game: str | Game,
    players: Entrants,
    games: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,  # told the games just finished
) -> ArenaResult:
    """Play a match of `games` games between every pair of players, and rate them."""
    total = max(1, games * len(players) * (len(players) - 1) // 2)
    with shown(progress, "playing", total, steps=True) as show:
        *_, result = rounds(game, players, games, seed, show)
    return result


def rounds(
    game: str | Game,
    players: Entrants,
    games: int = 1000,
    seed: int = 0,
    progress: Progress = mute,  # told the games just finished
    watch: Watch = lambda position: None,
    played: Mapping[tuple[str, str], MatchResult] | None = None,
    openings: Openings | None = None,
) -> Iterator[ArenaResult]:
    """Play an arena match by match; yield the result so far after each.

    Matches that have been `played`, in an arena of the same players and seed, are not played again.
    An arena that fails on the way raises `Unfinished`, with the result of the finished games.
    """
    game, entrants = game_of(game), [player(p) for p in players]
    names = [name_of(p) for p in entrants]
    if len(names) < 2:
        raise InputError(f"an arena needs at least 2 players, not {len(names)}")
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise InputError(f"player '{repeated[0]}' is named twice: everybody enters once")
    show, seen = Callback(progress), Callback(watch)
    matches, notes = dict(played or {}), differences_of_agents(entrants)
    for number, (i, j) in enumerate(combinations(range(len(names)), 2)):
        if (names[i], names[j]) in matches:
            continue
        # Every pairing has random numbers of its own, whoever else takes part before it.
        pairing = _pairing_seed(seed, number)
        try:
            matches[names[i], names[j]] = match_with(
                openings, game, entrants[i], entrants[j], games, pairing, show, seen
            )
        except Exception as error:
            if isinstance(error, Unfinished):
                matches[names[i], names[j]] = error.result
            if show.failed or seen.failed or not matches:
                raise
            raise Unfinished(error, result_of(game, names, games, seed, matches, notes)) from error
        yield result_of(game, names, games, seed, matches, notes)


def result_of(
    game: Game,
    names: Sequence[str],
    games: int,
    seed: int,
    matches: Mapping[tuple[str, str], MatchResult],
    notes: Sequence[str] = (),
) -> ArenaResult:
    """Return the result of an arena whose matches so far are given."""
    ratings = _ratings(names, matches)
    return ArenaResult(game, tuple(names), games, seed, dict(matches), ratings, tuple(notes))


def _ratings(
    names: Sequence[str], matches: Mapping[tuple[str, str], MatchResult]
) -> dict[str, Rating]:
    """Return everybody's rating by the matches played so far."""
    scores = np.zeros((len(names), len(names)))
    for (one, other), result in matches.items():
        i, j = names.index(one), names.index(other)
        total = result.total
        scores[i, j] = total.wins + total.draws / 2
        scores[j, i] = total.losses + total.draws / 2
    return dict(zip(names, bradley_terry(scores), strict=True))


def _pairing_seed(seed: int, pairing: int) -> int:
    if seed < 0:
        raise InputError(f"seed {seed} is negative: a seed is a whole number from 0")
    return int(np.random.SeedSequence(seed, spawn_key=(pairing,)).generate_state(1, np.uint64)[0])
