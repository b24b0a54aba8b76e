"""Matches: two players, both sides, counted with intervals.

Two compiled players who state their policies meet in compiled loops, in chunks of games that run
on all cores. A chunk draws its random numbers from streams named by the seed, the side and its own
number, so the result does not depend on how many cores there are.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from inarow.engine import pairs
from inarow.engine.board import new_board
from inarow.engine.bound_player import compile_bound
from inarow.engine.playouts import play_at_random
from inarow.engine.rules import moves_at_random
from inarow.engine.streams import FIRST, SECOND, make_stream
from inarow.engine.tables import Int64s, tables_of
from inarow.game import Game, InputError, Outcome, Position
from inarow.game import game as game_of
from inarow.game.errors import whole_number
from inarow.lab.match_result import MatchResult, Tally
from inarow.lab.player_protocols import (
    AnyPlayer,
    Player,
    ask,
    bind_player,
    check_plays,
    name_of,
    states_policy,
)
from inarow.lab.players import BoundPlayer, CompiledPlayer, player
from inarow.lab.progress import shown

MAX_GAMES = 10**12
LOOK_SECONDS = 0.1  # between two looks at how far compiled loops have come, and at Ctrl-C
SIDES = ("first", "second", "both")
Progress = Callable[[int], None]  # called with the number of games just finished
Watch = Callable[[Position], None]  # called with the last position of each game


def match(
    game: str | Game,
    one: str | AnyPlayer,
    other: str | AnyPlayer,
    games: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
    side: str = "both",
    watch: Watch = lambda position: None,
) -> MatchResult:
    """Plays a match: `one` moves first in every other game, in one more if `games` is odd.

    With a `side` of first or second it plays that side in all games. Games between players that
    need Python can be watched; those of compiled players are repeated by `replay`.
    """
    if side not in SIDES:
        raise InputError(f"side {side!r} is none of {', '.join(SIDES)}")
    game, one, other = game_of(game), player(one), player(other)
    games = whole_number(games, "the number of games")
    if not 1 <= games <= MAX_GAMES:
        raise InputError(f"the number of games must be between 1 and {MAX_GAMES:,}, not {games:,}")
    for some_player in (one, other):
        check_plays(some_player, game)
    make_stream(seed)  # says early what is wrong with a seed
    as_second = {"first": 0, "second": games, "both": games // 2}[side]
    lengths = _Length(games - as_second, seed, 0), _Length(as_second, seed, 1)
    with shown(progress, "playing", games, steps=True) as show:
        if states_policy(one) and states_policy(other):
            leading = _play_compiled(game, one, other, lengths[0], show)
            following = _play_compiled(game, other, one, lengths[1], show)
        else:
            leading = _play_in_python(game, [one, other], lengths[0], show, watch)
            following = _play_in_python(game, [other, one], lengths[1], show, watch)
    return MatchResult(
        game, (name_of(one), name_of(other)), seed, leading.tally(0), following.tally(1)
    )


class _Length(NamedTuple):
    """How many games are played, and with which random numbers."""

    games: int
    seed: int
    swap: int  # 1 where the first-named player moves second


class _Counts(NamedTuple):
    """What `engine.pairs.play_games` counts, from no side."""

    counts: Int64s

    def tally(self, side: int) -> Tally:
        """From the point of view of the player on a side: 0 first, 1 second."""
        games, first, second, draws, plies, first_lines, second_lines, different = (
            int(n) for n in self.counts
        )
        if side == 1:
            first, second = second, first
            first_lines, second_lines = second_lines, first_lines
        return Tally(games, first, draws, second, plies, first_lines, second_lines, different)


def chunk_size(game: Game) -> int:
    """How many games compiled code plays before it comes back: fewer on larger boards."""
    return max(16, 2**20 // game.cells)


def _play_compiled(
    game: Game, first: CompiledPlayer, second: CompiledPlayer, length: _Length, progress: Progress
) -> _Counts:
    tables, size = tables_of(game), chunk_size(game)

    def play(chunk: int, counts: Int64s) -> None:
        number = min(size, length.games - chunk * size)
        players = first.compiled(tables), second.compiled(tables)
        streams = [make_stream(length.seed, side, length.swap, chunk) for side in (FIRST, SECOND)]
        if all(map(moves_at_random, players)):
            play_at_random(tables, tuple(streams), number, counts)
        else:
            pair = pairs.Pairing(*players, *streams)
            pairs.play_games(tables, new_board(tables), pair, number, counts)

    return _Counts(_count_on_all_cores(play, -(-length.games // size), progress))


def _count_on_all_cores(
    play: Callable[[int, Int64s], None], chunks: int, progress: Progress
) -> Int64s:
    """What all chunks count together; `play` adds a chunk to the counts that it is given.

    The counts are looked at while compiled loops run, so that a chunk of slow games shows how far
    it is. Nobody waits for the loops after Ctrl-C: their threads end with the program.
    """
    numbers, lock, stop = iter(range(chunks)), threading.Lock(), threading.Event()
    counts = np.zeros((min(os.cpu_count() or 1, chunks), 8), dtype=np.int64)
    failures = list[BaseException]()

    def work(own: Int64s) -> None:
        try:
            while not stop.is_set():
                with lock:
                    chunk = next(numbers, None)
                if chunk is None:
                    return
                play(chunk, own)
        except BaseException as error:  # whoever waits gets it
            failures.append(error)
            stop.set()

    threads = [threading.Thread(target=work, args=(own,), daemon=True) for own in counts]
    shown = 0
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            going_on = True
            while going_on:
                thread.join(LOOK_SECONDS)
                going_on = thread.is_alive()  # before the counts are looked at for the last time
                shown, before = int(counts[:, pairs.GAMES].sum()), shown
                if shown > before:
                    progress(shown - before)
    finally:
        stop.set()
    if failures:
        raise failures[0]
    total: Int64s = counts.sum(axis=0)
    return total


def _play_in_python(
    game: Game, players: list[AnyPlayer], length: _Length, progress: Progress, watch: Watch
) -> _Counts:
    """The same for players who need Python, one game after another."""
    sides = [
        bind_player(p, game, make_stream(length.seed, side, length.swap, 0))
        for side, p in zip((FIRST, SECOND), players, strict=True)
    ]
    compile_bound(sides)
    counts = np.zeros(8, dtype=np.int64)
    opening: tuple[int, ...] = ()
    for number in range(length.games):
        position = play_one(game, sides)
        opening = opening if number else position.moves
        outcomes = {Outcome.FIRST: 1, Outcome.SECOND: 2, Outcome.DRAW: 3}
        counts[pairs.GAMES] += 1
        counts[outcomes[position.outcome]] += 1  # type: ignore[index]
        counts[pairs.PLIES] += position.ply
        counts[pairs.FIRST_LINES] += position.score[0]
        counts[pairs.SECOND_LINES] += position.score[1]
        counts[pairs.DIFFERENT] += position.moves != opening
        watch(position)
        progress(1)
    return _Counts(counts)


def play_one(game: Game, sides: Sequence[Player]) -> Position:
    """One game between players who have taken their sides, first and second; its last position."""
    for side in sides:
        if isinstance(side, BoundPlayer):
            side.begin()
    position = Position(game)
    while position.outcome is None:
        position.push(ask(sides[position.ply % 2], position))
    return position
