"""Matches: two players, both sides, counted with intervals.

Two compiled players who state their policies meet in compiled loops, in chunks of games that run
on all cores. A chunk draws its random numbers from streams named by the seed, the side and its own
number, so the result does not depend on how many cores there are.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np

from inarow.engine import play_games
from inarow.engine.board import Int64s, new_board, tables_of
from inarow.engine.play_games import play_at_random
from inarow.engine.players import CompiledPlayer, compiled_form, has_compiled_form, stands
from inarow.engine.rules import moves_at_random
from inarow.engine.streams import FIRST, SECOND, make_stream
from inarow.game import Game, InputError, Outcome, Position
from inarow.game import game as game_of
from inarow.game.errors import whole_number
from inarow.game.position import SIDES
from inarow.game.progress import Progress
from inarow.game.report import HasReport, Report
from inarow.lab.players.names import BoundPlayer, player
from inarow.lab.players.protocols import (
    AnyPlayer,
    Player,
    ask,
    bind_player,
    check_plays,
    name_of,
    states_policy,
)
from inarow.lab.progress import shown
from inarow.lab.statistics import Interval, pairs_interval, share_text, wilson

MAX_GAMES = 10**12
LOOK_SECONDS = 0.1  # between two looks at how far compiled loops have come, and at Ctrl-C
OWN_SIDES = (*SIDES, "both")
Told = TypeVar("Told")
Watch = Callable[[Position], None]  # called with the last position of each game


def match(
    game: str | Game,
    one: str | AnyPlayer,
    other: str | AnyPlayer,
    games: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,  # told the games just finished
    side: str = "both",
    watch: Watch = lambda position: None,
) -> MatchResult:
    """Play a match: `one` moves first in every other game, in one more if `games` is odd.

    With a `side` of first or second it plays that side in all games. Games between players that
    need Python can be watched; those of compiled players are repeated by `replay`. A match that
    fails on the way raises `Unfinished`, with the result of the games that had been finished.
    """
    if side not in OWN_SIDES:
        raise InputError(f"side {side!r} is none of {', '.join(OWN_SIDES)}")
    game, one, other = game_of(game), player(one), player(other)
    games = whole_number(games, "the number of games")
    if not 1 <= games <= MAX_GAMES:
        raise InputError(f"the number of games must be between 1 and {MAX_GAMES:,}, not {games:,}")
    for some_player in (one, other):
        check_plays(some_player, game)
    make_stream(seed)  # says early what is wrong with a seed
    as_second = {"first": 0, "second": games, "both": games // 2}[side]
    lengths = _Length(games - as_second, seed, 0), _Length(as_second, seed, 1)
    both, counts = ((one, other), (other, one)), (_Counts(), _Counts())
    for (first, second), length in zip(both, lengths, strict=True):
        _check_first_answers(game, first, second, length)

    def result() -> MatchResult:
        names, (first, second) = (name_of(one), name_of(other)), counts
        unproven = (
            first.unproven[0] + second.unproven[1],
            first.unproven[1] + second.unproven[0],
        )
        tallies = first.tally(0), second.tally(1)
        return MatchResult(game, names, seed, *tallies, unproven=unproven)

    show, seen = Callback[float](), Callback(watch)
    try:
        with shown(progress, "playing", games, steps=True) as show.function:
            for (first, second), length, counted in zip(both, lengths, counts, strict=True):
                if states_policy(first) and states_policy(second):
                    counted.counts += _play_compiled(game, first, second, length, show)
                else:
                    _play_in_python(game, [first, second], length, show, seen, counted)
    except Exception as error:
        finished = result().total.games
        if show.failed or seen.failed or not finished:
            raise
        raise Unfinished(error, result(), f" (after {finished:,} of {games:,} games)") from error
    return result()


class Callback(Generic[Told]):
    """A function of the caller's; `failed` where an error is its own, and not that of a game."""

    def __init__(self, function: Callable[[Told], object] = lambda told: None) -> None:
        self.function, self.failed = function, False

    def __call__(self, told: Told) -> None:
        """Call it."""
        self.failed = True
        self.function(told)
        self.failed = False


class _Length(NamedTuple):
    """How many games are played, and with which random numbers."""

    games: int
    seed: int
    swap: int  # 1 where the first-named player moves second


def _check_first_answers(game: Game, first: AnyPlayer, second: AnyPlayer, length: _Length) -> None:
    """Raise InputError before the first game if perfect play has no answer soon after it begins.

    Only compiled players are asked for their first moves here: others might notice.
    """
    players = [first, second]
    perfect = [cast(Any, p) if is_perfect_play(p) else None for p in players]
    asked = [p for p, one in zip(players, perfect, strict=True) if one is None]
    if not length.games or len(asked) == 2 or not all(map(has_compiled_form, asked)):
        return
    sides, position = _sides(game, players, length), Position(game)
    begin_game(sides)
    while position.outcome is None:
        one = perfect[position.ply % 2]
        if one is not None and not one.check_answers(position):
            return
        position.push(ask(sides[position.ply % 2], position))


class _Counts:
    """Counts of a match: first player won, second won, drawn, and more; from no side."""

    def __init__(self) -> None:
        self.counts: Int64s = np.zeros(8, dtype=np.int64)
        self.unproven = [0, 0]  # moves of the first and of the second player (`unproven_moves`)

    def tally(self, side: int) -> Tally:
        """Return the counts from the point of view of the player on a side: 0 first, 1 second."""
        games, first, second, draws, plies, first_lines, second_lines, different = (
            int(n) for n in self.counts
        )
        if side == 1:
            first, second = second, first
            first_lines, second_lines = second_lines, first_lines
        return Tally(games, first, draws, second, plies, first_lines, second_lines, different)


def chunk_size(game: Game) -> int:
    """Return how many games compiled code plays before it comes back: fewer on larger boards."""
    return max(16, 2**20 // game.cells)


def _play_compiled(
    game: Game, first: CompiledPlayer, second: CompiledPlayer, length: _Length, progress: Progress
) -> Int64s:
    tables, size = tables_of(game), chunk_size(game)

    def play(chunk: int, counts: Int64s) -> None:
        number = min(size, length.games - chunk * size)
        players = compiled_form(first, tables), compiled_form(second, tables)
        streams = [make_stream(length.seed, side, length.swap, chunk) for side in (FIRST, SECOND)]
        if all(map(moves_at_random, players)):
            play_at_random(tables, tuple(streams), number, counts)
        else:
            pair = play_games.Pairing(*players, *streams)
            play_games.play_games(tables, new_board(tables), pair, number, counts)

    return _count_on_all_cores(play, -(-length.games // size), progress)


def _count_on_all_cores(
    play: Callable[[int, Int64s], None], chunks: int, progress: Progress
) -> Int64s:
    """Add up the counts of all chunks; `play` adds one chunk to the counts that it is given.

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
                shown, before = int(counts[:, play_games.GAMES].sum()), shown
                if shown > before:
                    progress(shown - before)
    finally:
        stop.set()
    if failures:
        raise failures[0]
    total: Int64s = counts.sum(axis=0)
    return total


def _play_in_python(
    game: Game,
    players: list[AnyPlayer],
    length: _Length,
    progress: Progress,
    watch: Watch,
    counted: _Counts,
) -> None:
    """Count the games of players who need Python, one after another."""
    sides, counts = _sides(game, players, length), counted.counts
    opening: tuple[int, ...] = ()
    for number in range(length.games):
        position = play_one(game, sides)
        counted.unproven = [unproven_moves(side) for side in sides]
        opening = opening if number else position.moves
        outcomes = {Outcome.FIRST: 1, Outcome.SECOND: 2, Outcome.DRAW: 3}
        counts[play_games.GAMES] += 1
        counts[outcomes[position.outcome]] += 1  # type: ignore[index]
        counts[play_games.PLIES] += position.ply
        counts[play_games.FIRST_LINES] += position.score[0]
        counts[play_games.SECOND_LINES] += position.score[1]
        counts[play_games.DIFFERENT] += position.moves != opening
        watch(position)
        progress(1)


def _sides(game: Game, players: Sequence[AnyPlayer], length: _Length) -> list[Player]:
    """Return the players on their sides, with the random numbers of the first game."""
    return [
        bind_player(p, game, make_stream(length.seed, side, length.swap, 0))
        for side, p in zip((FIRST, SECOND), players, strict=True)
    ]


def unproven_moves(side: object) -> int:
    """Return how many moves of perfect play so far were the strongest known, and not proven."""
    return int(getattr(side, "unproven", 0)) if is_perfect_play(side) else 0


def is_perfect_play(some_player: object) -> bool:
    """Return whether a player is the package's perfect play, without loading the solver."""
    return stands(some_player, "check_answers")


def begin_game(sides: Sequence[Player]) -> None:
    """Tell compiled players that a game begins."""
    for side in sides:
        if isinstance(side, BoundPlayer):
            side.begin()


def play_one(game: Game, sides: Sequence[Player]) -> Position:
    """Play one game between players who have taken their sides; return its last position."""
    begin_game(sides)
    position = Position(game)
    while position.outcome is None:
        position.push(ask(sides[position.ply % 2], position))
    return position


# What a match comes to: games counted, with intervals, from either side.


class Unfinished(InputError):  # noqa: N818 - said of the games, not of an error
    """A match or an arena failed on the way; `result` holds the games that had been finished.

    Where that was an error in code, and not of input, it is `failure`.
    """

    failure: Exception | None = None

    def __init__(self, error: Exception, result: Any, note: str = "") -> None:
        expected = isinstance(error, InputError)
        super().__init__(f"{'' if expected else f'{type(error).__name__}: '}{error}{note}")
        self.result = result
        self.failure = getattr(error, "failure", None) if expected else error


@dataclass(frozen=True, repr=False)
class Tally(HasReport):
    """Games counted from one player's side."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    plies: int = 0
    lines_for: int = 0  # completed by the player: what counts in scoring games
    lines_against: int = 0
    different: int = 0  # games unlike the first of their chunk: 0 if one game was always repeated

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(a + b for a, b in zip(self._numbers(), other._numbers(), strict=True)))

    def _numbers(self) -> tuple[int, ...]:
        return tuple(vars(self).values())

    @property
    def score(self) -> float:
        """Wins and half the draws, as a share of the games."""
        return (self.wins + self.draws / 2) / self.games

    def intervals(self) -> dict[str, Interval]:
        """Wilson's 95% intervals of score, wins, draws and losses."""
        counts = {"score": self.wins + self.draws / 2, **self._ends()}
        return {name: wilson(count, self.games) for name, count in counts.items()}

    def _ends(self) -> dict[str, int]:
        return {"wins": self.wins, "draws": self.draws, "losses": self.losses}

    @property
    def texts(self) -> tuple[str, ...]:
        """Games, wins, draws, losses and the score with its interval."""
        counts = (f"{n:,}" for n in (self.games, *self._ends().values()))
        return (*counts, share_text(self.score, self.intervals()["score"]) if self.games else "")

    def report(self) -> Report:
        """Return the report."""
        head = ("", "games", "wins", "draws", "losses", "score (95%)")
        return Report("Games", head, [("counted", *self.texts)])

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
        if not self.games:
            empty = dict.fromkeys(("score", "mean_plies", "mean_lines"))
            return {"games": 0, **self._ends(), **empty, "intervals": {}}
        return {
            "games": self.games,
            **self._ends(),
            "score": self.score,
            "intervals": {name: list(interval) for name, interval in self.intervals().items()},
            "mean_plies": self.plies / self.games,
            "mean_lines": [self.lines_for / self.games, self.lines_against / self.games],
        }

    @property
    def repeated(self) -> bool:
        """Whether one and the same game was played over and over, of the games on one side."""
        return self.games > 1 and self.different == 0


def say_unproven(numbers: Iterable[tuple[str, int]]) -> str:
    """Say of players how many of their moves were the strongest known, and not proven."""
    some = [f"{number:,} moves of {name}" for name, number in numbers if number]
    if not some:
        return ""
    return f"Not proven: {' and '.join(some)}, for which the strongest reply known was played."


@dataclass(frozen=True, repr=False)
class MatchResult(HasReport):
    """A match, seen from the first-named player."""

    game: Game
    players: tuple[str, str]
    seed: int
    as_first: Tally
    as_second: Tally
    pairs: tuple[int, ...] = ()  # from openings: half points of each two games, 0 to 4
    openings: str = ""  # how the games began, where not from the empty board
    unproven: tuple[int, int] = (0, 0)  # moves of perfect play by each player that are not proven

    @property
    def interval(self) -> Interval:
        """Of the score, 95%: Wilson's; from openings, of pairs of games."""
        if not self.pairs:
            return self.total.intervals()["score"]
        return pairs_interval(self.pairs)

    @property
    def texts(self) -> tuple[str, ...]:
        """Games, wins, draws, losses and the score of both sides together."""
        return (*self.total.texts[:-1], share_text(self.total.score, self.interval))

    @property
    def total(self) -> Tally:
        """Both sides together."""
        return self.as_first + self.as_second

    @property
    def repeated(self) -> bool:
        """Whether in some side one game was played over and over."""
        return self.as_first.repeated or self.as_second.repeated

    @property
    def openings_text(self) -> str:
        """How the games began, and what that means for the interval."""
        said = f"Games begin {self.openings}, each opening played by both sides"
        if not self.pairs:  # it has failed before the end of the first
            return f"{said}."
        return f"{said}; the interval of both sides together is of {len(self.pairs):,} pairs."

    @property
    def unproven_text(self) -> str:
        """Say how many moves of perfect play are not proven; empty where all of them are."""
        return say_unproven(zip(self.players, self.unproven, strict=True))

    def report(self) -> Report:
        """Return the report."""
        one, other = self.players
        sides = {"as first": self.as_first, "as second": self.as_second}
        rows = [(side, *tally.texts) for side, tally in sides.items() if tally.games]
        if len(rows) > 1:
            rows.append(("together", *self.texts))
        notes = [self.openings_text] if self.openings else []
        notes += [
            f"{side.capitalize()}, all {tally.games:,} games were one and the same."
            for side, tally in sides.items()
            if tally.repeated
        ]
        notes += [self.unproven_text] if any(self.unproven) else []
        title = f"{self.game.name}: {one} against {other}, seed {self.seed}"
        head = (f"{one}'s games", "games", "wins", "draws", "losses", "score (95%)")
        return Report(title, head, rows, notes)

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
        sides = {"as_first": self.as_first, "as_second": self.as_second}
        return {
            "game": self.game.name,
            "players": list(self.players),
            "seed": self.seed,
            **self.total.as_json(),
            "repeated": self.repeated,
            "openings": self.openings or None,
            **({"unproven": list(self.unproven)} if any(self.unproven) else {}),
            **({"score_interval": list(self.interval)} if self.pairs else {}),
            **{
                name: {**tally.as_json(), "repeated": tally.repeated}
                for name, tally in sides.items()
                if tally.games
            },
        }
