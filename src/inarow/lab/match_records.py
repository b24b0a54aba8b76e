"""The games of matches as records: played again where they were compiled, watched where not."""

from __future__ import annotations

from collections.abc import Iterator

from inarow.game import InputError, Position
from inarow.game.records import Record, record
from inarow.lab.match_result import MatchResult
from inarow.lab.player_protocols import NamedPlayer, states_policy
from inarow.lab.players import player
from inarow.lab.replay import replay_all

MOST = 100_000  # games in one file


def check_number(games: int) -> None:
    """Refuses more games than a file should hold."""
    if games > MOST:
        raise InputError(f"{games:,} games are too many to write down: at most {MOST:,} work")


def records_of(
    result: MatchResult, one: NamedPlayer, other: NamedPlayer, seen: list[Position]
) -> Iterator[Record]:
    """The games of a match, those in which `one` moved first before the others.

    `seen` are the last positions that the match showed: of players who need Python all of them.
    """
    players = [player(one), player(other)]
    compiled = all(states_policy(some) for some in players)
    positions = replay_all(result, *players) if compiled else iter(seen)
    for number, position in enumerate(positions):
        names = result.players if number < result.as_first.games else result.players[::-1]
        yield record(position, *names, seed=result.seed)
