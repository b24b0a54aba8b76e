"""Matches from varied openings: two deterministic players would play one game over and over.

A game begins with random moves, none up to a number of them, and every opening is played twice,
each player on both sides. Both games of a pair count, and an interval takes pairs as its sample:
two games from one opening are not independent of each other.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from inarow.engine.streams import EVALUATION, FIRST, SECOND, Stream, below, make_stream
from inarow.game import Game, Position
from inarow.lab.against_perfect import random_moves
from inarow.lab.player_protocols import AnyPlayer, Player, ask, bind_player, name_of
from inarow.lab.players import BoundPlayer
from inarow.lab.statistics import Interval, wilson

RANDOM_MOVES = 4  # at most, at the start of a game


@dataclass(frozen=True)
class OpeningMatch:
    """Pairs of games, seen from the first-named player."""

    players: tuple[str, str]
    pairs: tuple[int, ...]  # half points of the first-named in each pair of games: 0 to 4
    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """Two of each pair."""
        return 2 * len(self.pairs)

    @property
    def score(self) -> float:
        """Wins and half the draws, as a share of the games."""
        return sum(self.pairs) / (4 * len(self.pairs))

    @property
    def interval(self) -> Interval:
        """Of the score, 95%: Wilson's, of as many games as pairs that vary so much amount to.

        Pairs that vary more than two independent games would count for fewer games; where they
        vary less, for no more games than were played.
        """
        shares = np.array(self.pairs) / 4
        alone = self.score * (1 - self.score) / 2  # the variance of two independent games' mean
        seen = float(shares.var())
        effective = self.games if seen <= alone or alone == 0 else self.games * alone / seen
        return wilson(self.score * effective, effective)

    def as_json(self) -> dict[str, object]:
        """For programs."""
        low, high = self.interval
        return {
            "against": self.players[1],
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": round(self.score, 4),
            "interval": [round(low, 4), round(high, 4)],
        }


def match_from_openings(
    game: Game,
    one: AnyPlayer,
    other: AnyPlayer,
    pairs: int,
    seed: int,
    seconds: float = math.inf,
) -> OpeningMatch:
    """Plays pairs of games: so many, or as many as so many CPU-seconds allow, and one at least."""
    stream = make_stream(seed, EVALUATION)
    mine, theirs = (
        bind_player(some_player, game, make_stream(seed, side))
        for some_player, side in ((one, FIRST), (other, SECOND))
    )
    end = time.process_time() + seconds
    points, counts = list[int](), {2: 0, 1: 0, 0: 0}
    while len(points) < pairs and not (points and time.process_time() > end):
        opening = opened(game, below(stream, RANDOM_MOVES + 1), stream)
        results = [_half_points(opening, mine, theirs, first) for first in (True, False)]
        points.append(sum(results))
        for result in results:
            counts[result] += 1
    names = name_of(one), name_of(other)
    return OpeningMatch(names, tuple(points), counts[2], counts[1], counts[0])


def opened(game: Game, number: int, stream: Stream) -> Position:
    """A position that goes on, after so many random moves."""
    while True:
        position = random_moves(game, number, stream)
        if position.outcome is None:
            return position


def _half_points(opening: Position, one: Player, other: Player, first: bool) -> int:
    """What `one` gets of a game from an opening, as first player or as second: 2, 1 or 0."""
    position, sides = opening.copy(), (one, other) if first else (other, one)
    for side in sides:
        if isinstance(side, BoundPlayer):
            side.begin()
    while position.outcome is None:
        position.push(ask(sides[position.ply % 2], position))
    winner = position.outcome.winner
    if winner is None:
        return 1
    return 2 if (winner == 1) == first else 0
