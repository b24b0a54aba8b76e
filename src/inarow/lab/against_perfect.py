"""What the solver can say of a player where the game is too large to be written out.

Two rulers: the share of positions in which the player lowers the position's value, and
its result against perfect play, exactly where the player draws among few moves or none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from inarow.engine.streams import EVALUATION, Stream, below, make_stream
from inarow.game import Game, InputError, Position
from inarow.game.notation import moves_text
from inarow.game.report import Report, Reported
from inarow.lab.against_perfect_traversal import RESULTS, TooManyError, Traverser, reaches
from inarow.lab.match import match
from inarow.lab.match_result import Tally
from inarow.lab.observe import STATED, Basis, Observer, moves_of, unproven
from inarow.lab.player_protocols import AnyPlayer, ask, bind_player, name_of, states_policy
from inarow.lab.players import BoundPlayer, CompiledPlayer, RulePlayerByName
from inarow.lab.statistics import share_text, wilson
from inarow.search.perfect import Perfect

Progress = Callable[[float], None]  # called with the share of the work that is done

REPLIES = ("best", "value")  # perfect play's replies that a traversal follows: see search.perfect
MAX_TRAVERSAL = (
    3_000  # positions after which a traversal is given up, where each is asked from Python
)
MAX_FAST_WALK = 1_000_000  # where all is compiled


@dataclass(frozen=True)
class MistakeRate:
    """How often a player gives away the value, at a number of stones."""

    stones: int
    positions: int
    mistakes: int
    example: str | None  # the moves to a position where it does

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            "stones": self.stones,
            "positions": self.positions,
            "mistakes": self.mistakes,
            "rate": self.mistakes / self.positions,
            "interval": list(wilson(self.mistakes, self.positions)),
            "example": self.example,
        }


@dataclass(frozen=True)
class Traversal:
    """All games of a player, every move it may choose, against all replies of perfect play."""

    replies: str  # which replies were followed
    worst: str | None  # win, draw or loss for the player; None if the traversal was given up
    line: str | None  # a game that ends so
    positions: int  # gone through
    basis: Basis  # how it is known what the player may choose

    def as_json(self) -> dict[str, object]:
        """For programs."""
        found = {name: value for name, value in vars(self).items() if name != "basis"}
        proof = self.basis.as_json()
        return {**found, **proof, "proven": self.worst is not None and self.basis.proven}


def draws_little(some_player: AnyPlayer, game: Game, positions: list[Position]) -> bool:
    """Whether a player has one move only in some positions: else a traversal would hardly end."""
    if isinstance(some_player, RulePlayerByName):
        return False
    asked = moves_of(some_player, game)
    find = asked.moves if isinstance(asked, Observer) else asked
    return all(len(find(position)) == 1 for position in positions)


def mute(share: float) -> None:
    """For `progress`: nobody is told."""


def random_moves(game: Game, number: int, stream: Stream) -> Position:
    """The position after so many random moves, or where the game ended before."""
    position = Position(game)
    while position.outcome is None and position.ply < number:
        moves = position.legal_moves
        position.push(moves[below(stream, len(moves))])
    return position


def random_positions(game: Game, stones: int, number: int, seed: int) -> Iterator[Position]:
    """Positions that go on, after so many random moves; fewer where most games end before."""
    stream = make_stream(seed, EVALUATION, stones)
    found = 0
    for _ in range(1000 * number):
        position = random_moves(game, stones, stream)
        if position.outcome is None:
            yield position
            found += 1
            if found == number:
                return


def mistake_rates(
    some_player: AnyPlayer, game: Game, number: int, seed: int, progress: Progress
) -> list[MistakeRate]:
    """The share of mistakes on seeded positions, by the number of stones."""
    judge, bound = Perfect("value"), bind_player(some_player, game, make_stream(seed, EVALUATION))
    counts = range(0, game.cells, 4)
    rates = []
    for done, stones in enumerate(counts, start=1):
        seen, mistakes = 0, list[str]()
        for position in random_positions(game, stones, number if stones else 1, seed):
            if isinstance(bound, BoundPlayer):
                bound.begin()
            seen += 1
            if ask(bound, position) not in judge.moves(position):
                mistakes.append(position.notation)
        if seen:
            rates.append(
                MistakeRate(stones, seen, len(mistakes), mistakes[0] if mistakes else None)
            )
        progress(done / len(counts))
    return rates


def traverse_all(
    some_player: AnyPlayer, game: Game, side: int, replies: str, progress: Progress = mute
) -> Traversal:
    """The worst that can happen to the player on a side (0 first, 1 second).

    Replies of the best distance are few enough to be traversed whole. Those that keep the
    value are any moves at all where perfect play is lost, and soon too many; but a game that is
    lost to some of them may be found early.
    """
    if replies == "best" and states_policy(some_player) and reaches(game):
        return _traverse_fast(some_player, game, side, progress)
    return traverse_plainly(some_player, game, side, replies, progress)


def _traverse_fast(
    some_player: CompiledPlayer, game: Game, side: int, progress: Progress
) -> Traversal:
    try:
        found = traverser_for(game).traverse(
            some_player, side, MAX_FAST_WALK, lambda positions: progress(positions / MAX_FAST_WALK)
        )
    except TooManyError as error:
        return Traversal("best", None, None, error.positions, Basis(STATED))
    line = moves_text(game, found.games[found.worst] or ())
    return Traversal("best", RESULTS[found.worst], line, found.positions, Basis(STATED))


@lru_cache(maxsize=1)
def traverser_for(game: Game) -> Traverser:
    """One that all traversals of the process share: it remembers what perfect play replies."""
    return Traverser(game)


def traverse_plainly(
    some_player: AnyPlayer, game: Game, side: int, replies: str, progress: Progress = mute
) -> Traversal:
    """The same, asking from Python: for every player, on every board that the solver reaches."""
    opponent, position = Perfect(replies), Position(game)
    asked = moves_of(some_player, game)
    own_moves = asked.moves if isinstance(asked, Observer) else asked
    known: dict[tuple[int, ...], tuple[int, tuple[int, ...]]] = {}

    def worst() -> tuple[int, tuple[int, ...]]:
        """The worst result from here (1, 0 or -1) and the moves of the game that ends so."""
        if position.outcome is not None:
            winner = position.outcome.winner
            return (0 if winner is None else 1 if winner == side + 1 else -1), position.moves
        if position.stones in known:
            return known[position.stones]
        if len(known) >= MAX_TRAVERSAL:
            raise _GivenUpError
        own_turn = position.ply % 2 == side
        moves = own_moves(position) if own_turn else opponent.moves(position)
        results = list[tuple[int, tuple[int, ...]]]()
        for move in moves:
            position.push(move)
            results.append(worst())
            position.pop()
            if results[-1][0] < 0:  # nothing is worse
                break
        known[position.stones] = min(results)
        progress(len(known) / MAX_TRAVERSAL)
        return known[position.stones]

    def found(result: str | None, line: str | None) -> Traversal:
        basis = asked.basis if isinstance(asked, Observer) else Basis(STATED)
        return Traversal(replies, result, line, len(known), basis)

    try:
        result, moves = worst()
    except _GivenUpError:
        return found(None, None)
    return found(RESULTS[1 - result], moves_text(game, moves))


class _GivenUpError(Exception):
    """A traversal met more positions than allowed."""


@dataclass(frozen=True, repr=False)
class SolverCertificate(Reported):
    """What is known of a player of a game that the solver reaches."""

    game: Game
    player: str
    seed: int
    rates: list[MistakeRate]
    exact: dict[str, list[Traversal]]  # by side; empty where the player draws among many moves
    sampled: dict[str, Tally]  # against perfect play, by the player's side

    def report(self) -> Report:
        """What is shown of it."""
        rows = []
        for rate in self.rates:
            share = share_text(
                rate.mistakes / rate.positions, wilson(rate.mistakes, rate.positions)
            )
            rows.append((f"{rate.stones} stones", str(rate.positions), str(rate.mistakes), share))
        notes = [
            f"As {side} against perfect play, {tally.games} games: {tally.wins} won, "
            f"{tally.draws} drawn, {tally.losses} lost."
            for side, tally in self.sampled.items()
        ]
        title = f"{self.player} in {self.game.name}: too large to prove whole; judged by the solver"
        return Report(title, ("positions with", "asked", "mistakes", "rate (95%)"), rows, notes)

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return {
            **unproven(self.game, self.player, "solver", self.seed),
            "mistakes": [rate.as_json() for rate in self.rates],
            "against_perfect": {
                side: {
                    "exact": [found.as_json() for found in self.exact.get(side, [])],
                    "sampled": tally.as_json(),
                }
                for side, tally in self.sampled.items()
            },
        }


def certify_by_solver(
    some_player: AnyPlayer,
    game: Game,
    positions: int,
    games: int,
    seed: int,
    progress: Progress,
) -> SolverCertificate:
    """Measures a player against the solver: mistakes on positions, results against perfect play."""
    if positions < 1 or games < 2:
        raise InputError("measure on at least 1 position of each kind and 2 games")
    rates = mistake_rates(some_player, game, positions, seed, lambda share: progress(share / 2))
    asked = [p for n in (0, 6, 12) for p in random_positions(game, n, 3, seed)]
    exact: dict[str, list[Traversal]] = {}
    if draws_little(some_player, game, asked):
        for number, name in enumerate(("first", "second")):
            exact[name] = [
                traverse_all(
                    some_player, game, number, replies, lambda share: progress(0.5 + share / 3)
                )
                for replies in REPLIES
            ]
    result = match(game, some_player, Perfect(), games, seed)
    progress(1.0)
    sampled = {"first": result.as_first, "second": result.as_second}
    return SolverCertificate(game, name_of(some_player), seed, rates, exact, sampled)
