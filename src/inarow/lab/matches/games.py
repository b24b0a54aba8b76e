"""Single games: those of a match played again, games as records, matches that begin with openings.

A match plays its games in chunks, each from streams of its own (`match`). So a game is found again
by playing its chunk up to it, in the same compiled loop, and then move by move.

Two players who always answer alike play one game over and over, from the empty board. From an
opening, random moves or a position from a file, each of them plays both sides, so that an opening
that favours one side favours nobody.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from inarow.engine.board import PLY, STATE, Board, Int32s, Tables, new_board, place, tables_of
from inarow.engine.jit import jit
from inarow.engine.play_games import (
    EntryPoints,
    Pairing,
    TwoPlayers,
    begin_pair,
    choose_next,
    play_games,
)
from inarow.engine.players import PlayerArrays, compiled_form, has_compiled_form
from inarow.engine.streams import EVALUATION, FIRST, SECOND, Stream, below, make_stream
from inarow.game import Game, InputError, Outcome, Position
from inarow.game.files import read_whole
from inarow.game.progress import Progress
from inarow.game.records import Record, parse_records, record
from inarow.lab.matches.match import (
    Callback,
    MatchResult,
    Tally,
    Unfinished,
    Watch,
    begin_game,
    chunk_size,
    is_perfect_play,
    match,
    unproven_moves,
)
from inarow.lab.players.names import BoundPlayer, player
from inarow.lab.players.protocols import (
    AnyPlayer,
    NamedPlayer,
    Player,
    ask,
    bind_player,
    check_plays,
    declares_deterministic,
    name_of,
    states_policy,
)
from inarow.lab.statistics import Interval, pairs_interval


def replay(result: MatchResult, one: AnyPlayer, other: AnyPlayer, number: int) -> Position:
    """Replay game `number` of a match, from 0: first those in which `one` moved first.

    The two players are those of the match, in its order.
    """
    if not 0 <= number < result.total.games:
        raise InputError(f"there is no game {number}: the match has 0 to {result.total.games - 1}")
    swap = int(number >= result.as_first.games)
    players = [_arrays(p, result.game) for p in ((other, one) if swap else (one, other))]
    chunk, before = divmod(number - swap * result.as_first.games, chunk_size(result.game))
    streams = [make_stream(result.seed, side, swap, chunk) for side in (FIRST, SECOND)]
    tables, position = tables_of(result.game), Position(result.game)
    counts, moves = np.zeros(8, dtype=np.int64), np.empty(result.game.cells, dtype=np.int32)
    pair, board = Pairing(players[0], players[1], streams[0], streams[1]), new_board(tables)
    play_games(tables, board, pair, before, counts)
    sides = TwoPlayers(tables, board, pair)
    record_game(tables, board, sides.entries, moves)
    for move in moves[: board.counters[PLY]].tolist():
        position.push(move)
    return position


def replay_all(result: MatchResult, one: AnyPlayer, other: AnyPlayer) -> Iterator[Position]:
    """Replay all games of a match between compiled players, in the order of `replay`."""
    tables, size = tables_of(result.game), chunk_size(result.game)
    board, moves = new_board(tables), np.empty(result.game.cells, dtype=np.int32)
    for swap, tally in enumerate((result.as_first, result.as_second)):
        players = (other, one) if swap else (one, other)
        for number in range(tally.games):
            if number % size == 0:
                arrays = [_arrays(p, result.game) for p in players]
                streams = [
                    make_stream(result.seed, side, swap, number // size) for side in (FIRST, SECOND)
                ]
                sides = TwoPlayers(
                    tables, board, Pairing(arrays[0], arrays[1], streams[0], streams[1])
                )
            record_game(tables, board, sides.entries, moves)
            position = Position(result.game)
            for move in moves[: board.counters[PLY]].tolist():
                position.push(move)
            yield position


def _arrays(some_player: AnyPlayer, game: Game) -> PlayerArrays:
    if not states_policy(some_player):
        raise InputError(f"{name_of(some_player)} needs Python: watch its games as they go")
    return compiled_form(some_player, tables_of(game))


@jit
def record_game(
    tables: Tables, board: Board, entries: Pairing | EntryPoints, moves: Int32s
) -> None:
    """Play a game and write down its moves."""
    begin_pair(tables, board, entries)
    while board.counters[STATE] == 0:
        cell = choose_next(tables, board, entries)
        moves[board.counters[PLY]] = cell % tables.columns
        place(tables, board, cell)


# The games of matches as records: played again where they were compiled, watched where not.

MOST = 100_000  # games in one file


def check_number(games: int) -> None:
    """Raise InputError for more games than a file should hold."""
    if games > MOST:
        raise InputError(f"{games:,} games are too many to write down: at most {MOST:,} work")


def records_of(
    result: MatchResult, one: NamedPlayer, other: NamedPlayer, seen: list[Position]
) -> Iterator[Record]:
    """Yield the games of a match, those in which `one` moved first before the others.

    `seen` are the last positions that the match showed: of players who need Python all of them.
    """
    players = [player(one), player(other)]
    compiled = not result.openings and all(states_policy(some) for some in players)
    positions = replay_all(result, *players) if compiled else iter(seen)
    for number, position in enumerate(positions):
        names = result.players if number < result.as_first.games else result.players[::-1]
        yield record(position, *names, seed=result.seed)


# Matches from varied openings: two deterministic players would play one game over and over.
#
# A game begins with random moves, none up to a number of them, and every opening is played twice,
# each player on both sides. Both games of a pair count, and an interval takes pairs as its sample:
# two games from one opening are not independent of each other.

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
        """Number of games: two of each pair."""
        return 2 * len(self.pairs)

    @property
    def score(self) -> float:
        """Wins and half the draws, as a share of the games."""
        return sum(self.pairs) / (4 * len(self.pairs))

    @property
    def interval(self) -> Interval:
        """The 95% interval of the score."""
        return pairs_interval(self.pairs)

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
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
    """Play pairs of games: so many, or as many as so many CPU-seconds allow, and one at least."""
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


def random_moves(game: Game, number: int, stream: Stream) -> Position:
    """Return the position after so many random moves, or where the game ended before."""
    position = Position(game)
    while position.outcome is None and position.ply < number:
        moves = position.legal_moves
        position.push(moves[below(stream, len(moves))])
    return position


def opened(game: Game, number: int, stream: Stream) -> Position:
    """Return a position that goes on, after so many random moves."""
    while True:
        position = random_moves(game, number, stream)
        if position.outcome is None:
            return position


def _half_points(opening: Position, one: Player, other: Player, first: bool) -> int:
    """Return what `one` gets of a game from an opening: 2, 1 or 0 half points."""
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


TRIAL = 4  # games that show whether players repeat one


@dataclass(frozen=True)
class Openings:
    """How games begin: after some positions in turn, else after up to so many random moves."""

    moves: int = RANDOM_MOVES
    positions: tuple[Position, ...] = ()
    if_repeated: bool = False  # only where both players would repeat one game

    @property
    def text(self) -> str:
        """In words."""
        if self.positions:
            return f"from {len(self.positions):,} openings in turn"
        return f"after up to {self.moves} random moves"


def openings_named(text: str, game: Game) -> Openings | None:
    """The openings that a person asked for: a number of moves, or a file; 0 is none at all.

    A file holds game records, or the moves of an opening in each line.
    """
    if text.isascii() and text.isdigit():
        moves = int(text[:6])
        if moves >= game.cells:
            raise InputError(f"--openings {text} fills the board: {game.cells} cells")
        return Openings(moves) if moves else None
    try:
        said = read_whole(Path(text)).decode()
    except UnicodeDecodeError:
        raise InputError(f"{text} holds no openings: it is not text") from None
    if said.lstrip().startswith("["):
        found = [record.position for record in parse_records(said, text)]
    else:
        lines = [line.strip() for line in said.splitlines()]
        found = [game.position(line) for line in lines if line and not line.startswith("#")]
    if not found:
        raise InputError(f"{text} holds no openings")
    for number, position in enumerate(found, 1):
        if position.game != game or position.outcome is not None:
            what = "is over" if position.game == game else f"is of {position.game.name}"
            raise InputError(f"opening {number} of {text} {what}")
    return Openings(positions=tuple(found))


def match_with(
    openings: Openings | None,
    game: Game,
    one: AnyPlayer,
    other: AnyPlayer,
    games: int,
    seed: int,
    progress: Progress,
    watch: Watch,
) -> MatchResult:
    """A match with openings; without them where there are none, or no need for them.

    One that fails on the way raises `Unfinished`, with the result of the finished games.
    """
    if openings is None or (openings.if_repeated and not _repeat(game, one, other, seed)):
        return match(game, one, other, games, seed, progress, watch=watch)
    for some_player in (one, other):
        check_plays(some_player, game)
    if games < 2:
        raise InputError("from openings there are at least 2 games: each is played twice")
    if openings.positions and _repeat(game, one, other, seed):
        games = min(games, 2 * len(openings.positions))  # more would be the same games again
    stream, bound = make_stream(seed, EVALUATION), _bound(game, one, other, seed)
    played: tuple[list[Position], list[Position]] = ([], [])
    tallies = [Tally(), Tally()]
    points, show, failure = list[int](), Callback(progress), None
    try:
        for number in range(games // 2):
            if openings.positions:
                start = openings.positions[number % len(openings.positions)]
            else:
                start = opened(game, below(stream, openings.moves + 1), stream)
            gained = 0
            for side in (0, 1):  # that `one` plays
                position = _played(start.copy(), bound if side == 0 else bound[::-1])
                played[side].append(position)
                tally = _tally(position, side)
                different = int(position.moves != played[side][0].moves)
                tallies[side] += replace(tally, different=different)
                gained += 2 * tally.wins + tally.draws
                show(1)
            points.append(gained)
    except Exception as error:
        if show.failed or not played[0]:
            raise
        failure = error
    for positions in played:
        for position in positions:
            watch(position)
    names = name_of(one), name_of(other)
    unproven = unproven_moves(bound[0]), unproven_moves(bound[1])
    began = openings.text
    first, second = tallies
    result = MatchResult(game, names, seed, first, second, tuple(points), began, unproven)
    if failure is not None:
        note = f" (after {result.total.games:,} of {games // 2 * 2:,} games)"
        raise Unfinished(failure, result, note) from failure
    return result


def _repeat(game: Game, one: AnyPlayer, other: AnyPlayer, seed: int) -> bool:
    """Whether both sides of a match would be one game over and over."""
    for some_player in (one, other):
        alike = has_compiled_form(some_player) or is_perfect_play(some_player)
        if not (alike or declares_deterministic(some_player)):
            return False  # a player of somebody's own may notice, or not be deterministic
    try:
        trial = match(game, one, other, TRIAL, seed, lambda games: None)
    except Unfinished:
        return False  # it fails again in the match, which keeps the games before
    return trial.as_first.repeated and trial.as_second.repeated


def _bound(game: Game, one: AnyPlayer, other: AnyPlayer, seed: int) -> list[Player]:
    return [
        bind_player(some_player, game, make_stream(seed, side))
        for some_player, side in ((one, FIRST), (other, SECOND))
    ]


def _played(position: Position, sides: list[Player]) -> Position:
    """A game from a position on to its end."""
    begin_game(sides)
    while position.outcome is None:
        position.push(ask(sides[position.ply % 2], position))
    return position


def _tally(position: Position, side: int) -> Tally:
    """One game, for the player who had a side."""
    won = {Outcome.FIRST: 0, Outcome.SECOND: 1}.get(position.outcome or Outcome.DRAW)
    own, others = position.score if side == 0 else position.score[::-1]
    wins, draws = int(won == side), int(won is None)
    return Tally(1, wins, draws, 1 - wins - draws, position.ply, own, others)
