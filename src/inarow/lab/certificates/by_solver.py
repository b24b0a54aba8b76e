"""What the solver can say of a player where the game is too large to be written out.

Two rulers: the share of positions in which the player lowers the position's value, and
its result against perfect play, exactly where the player draws among few moves or none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from inarow.engine.board import MAX_MASK_CELLS
from inarow.engine.players import CompiledPlayer, is_unchanged
from inarow.engine.streams import EVALUATION, below, make_stream
from inarow.game import Game, InputError, Position
from inarow.game.position import SIDES, moves_text
from inarow.game.progress import Progress, mute
from inarow.game.report import HasReport, Report
from inarow.lab.certificates.perfect_traversal import RESULTS, TooManyError, Traverser, reaches
from inarow.lab.matches.games import RANDOM_MOVES as OPENING
from inarow.lab.matches.games import opened, random_moves
from inarow.lab.matches.match import Tally, match, play_one
from inarow.lab.players.names import BoundPlayer, RulePlayerByName
from inarow.lab.players.policies import STATED, Basis, Observer, moves_of, unproven
from inarow.lab.players.protocols import AnyPlayer, ask, bind_player, name_of, states_policy
from inarow.lab.statistics import share_text, wilson
from inarow.search.endgame import value_after, value_of
from inarow.search.minimax import Minimax
from inarow.search.perfect import REPLIES, Perfect
from inarow.search.solver import Solver

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
        """Return the result as JSON data."""
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
        """Return the result as JSON data."""
        found = {name: value for name, value in vars(self).items() if name != "basis"}
        proof = self.basis.as_json()
        return {**found, **proof, "proven": self.worst is not None and self.basis.proven}


def draws_little(some_player: AnyPlayer, game: Game, positions: list[Position]) -> bool:
    """Return whether a player has one move only in some positions: else a traversal is long."""
    if is_unchanged(some_player, RulePlayerByName):
        return False
    asked = moves_of(some_player, game)
    find = asked.moves if isinstance(asked, Observer) else asked
    return all(len(find(position)) == 1 for position in positions)


def random_positions(game: Game, stones: int, number: int, seed: int) -> Iterator[Position]:
    """Yield positions that go on, after so many random moves; fewer where most games end before."""
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
    """Return the share of mistakes on seeded positions, by the number of stones."""
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
    """Return the worst that can happen to the player on a side (0 first, 1 second).

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
    """Return the traverser that all traversals share: it remembers the replies of perfect play."""
    return Traverser(game)


def traverse_plainly(
    some_player: AnyPlayer, game: Game, side: int, replies: str, progress: Progress = mute
) -> Traversal:
    """Go through all games by asking from Python: any player, any board that the solver reaches."""
    opponent, position = Perfect(replies), Position(game)
    asked = moves_of(some_player, game)
    own_moves = asked.moves if isinstance(asked, Observer) else asked
    known: dict[tuple[int, ...], tuple[int, tuple[int, ...]]] = {}

    def worst() -> tuple[int, tuple[int, ...]]:
        """Return the worst result from here (1, 0 or -1) and the moves of the game that ends so."""
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
class SolverCertificate(HasReport):
    """What is known of a player of a game that the solver reaches."""

    game: Game
    player: str
    seed: int
    rates: list[MistakeRate]
    exact: dict[str, list[Traversal]]  # by side; empty where the player draws among many moves
    sampled: dict[str, Tally]  # against perfect play, by the player's side

    def report(self) -> Report:
        """Return the report."""
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
        """Return the result as JSON data."""
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
    """Measure a player against the solver: mistakes on positions, results against perfect play."""
    if positions < 1 or games < 2:
        raise InputError("measure on at least 1 position of each kind and 2 games")
    rates = mistake_rates(some_player, game, positions, seed, lambda share: progress(share / 2))
    asked = [p for n in (0, 6, 12) for p in random_positions(game, n, 3, seed)]
    exact: dict[str, list[Traversal]] = {}
    if draws_little(some_player, game, asked):
        for number, name in enumerate(SIDES):
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


# Mistakes late in the game, where the whole game is out of reach but its end is not.
#
# The player plays against itself from random openings. From a number of stones on, the solver
# judges its moves: one position of each game in every four stones, so that the positions of a row
# are of different games, and both sides move in them. What the solver does not decide within its
# limit of nodes is counted as not judged: nothing is said of it.

STRIDE = 4  # stones of a row of the table
NODES = 10_000_000  # of the solver for a position, and for the move in it: some seconds each
EMPTY = 32  # cells: with so many left on the cube, every position that was tried is decided

Asked = tuple[Position, int]  # a position, and the move that the player chose in it


@dataclass(frozen=True)
class LateRate:
    """Positions with a number of stones, or up to three more: how many were judged."""

    stones: int
    positions: int
    judged: int
    mistakes: int
    example: str | None  # the moves to a position where it makes one

    @property
    def texts(self) -> tuple[str, ...]:
        """A row for people."""
        share = self.mistakes / self.judged if self.judged else 0.0
        rate = share_text(share, wilson(self.mistakes, self.judged)) if self.judged else ""
        numbers = (self.positions, self.judged, self.mistakes)
        return (f"{self.stones}-{self.stones + STRIDE - 1}", *map(str, numbers), rate)

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
        interval = list(wilson(self.mistakes, self.judged)) if self.judged else None
        return {**vars(self), "interval": interval}


@dataclass(frozen=True, repr=False)
class LateMistakes(HasReport):
    """A player's moves from a number of stones on, judged exactly."""

    game: Game
    player: str
    seed: int
    from_stones: int
    games: int
    rates: list[LateRate]

    HEAD = ("stones", "positions", "judged", "mistakes", "rate of those judged (95%)")

    @property
    def judged(self) -> float:
        """The share of the positions that were judged."""
        return sum(r.judged for r in self.rates) / max(sum(r.positions for r in self.rates), 1)

    @property
    def text(self) -> str:
        """What was judged, in a sentence."""
        return (
            f"Its moves from {self.from_stones} stones on, in {self.games} games against itself "
            f"from random openings: {100 * self.judged:.0f}% of the positions judged exactly."
        )

    def report(self) -> Report:
        """Return the report."""
        rows = [rate.texts for rate in self.rates]
        return Report(f"{self.player} in {self.game.name}", self.HEAD, rows, [self.text])

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
        return {
            "game": self.game.name,
            "player": self.player,
            "proven": False,
            "measured": "endings",
            "from_stones": self.from_stones,
            "games": self.games,
            "seed": self.seed,
            "judged": self.judged,
            "mistakes": [rate.as_json() for rate in self.rates],
        }


def endings_reached(game: Game) -> int | None:
    """Return from how many stones on the solver decides most positions; None for no number."""
    reached = game.gravity and not game.scoring and game.cells <= MAX_MASK_CELLS
    return max(0, game.cells - EMPTY) if reached else None


def judge_late(
    some_player: AnyPlayer,
    game: Game,
    from_stones: int,
    games: int,
    seed: int = 0,
    progress: Progress = mute,
) -> LateMistakes:
    """Judge a player's moves from a number of stones on, in games against itself."""
    if games < 1:
        raise InputError("judge at least 1 position of each kind")
    if not 0 <= from_stones < game.cells:
        raise InputError(
            f"the stones to judge from must be between 0 and {game.cells - 1}, not {from_stones}"
        )
    solver = Solver(game, limit=NODES)
    asked = dict[int, list[Asked]]()
    for number, moments in enumerate(own_games(some_player, game, games, seed)):
        for position, move in moments:
            row, within = divmod(position.ply - from_stones, STRIDE)
            if row >= 0 and within == number % STRIDE:
                asked.setdefault(from_stones + row * STRIDE, []).append((position, move))
    total, done, rates = sum(map(len, asked.values())), 0, list[LateRate]()
    for stones in sorted(asked, reverse=True):  # what is found of late positions helps earlier ones
        found = list[tuple[bool | None, str]]()
        for position, move in asked[stones]:
            found.append((is_mistake(solver, position, move), position.notation))
            done += 1
            progress(done / total)
        judged = [(wrong, moves) for wrong, moves in found if wrong is not None]
        wrong = [moves for mistake, moves in judged if mistake]
        example = wrong[0] if wrong else None
        rates.append(LateRate(stones, len(found), len(judged), len(wrong), example))
    return LateMistakes(game, name_of(some_player), seed, from_stones, games, rates[::-1])


def own_games(some_player: AnyPlayer, game: Game, games: int, seed: int) -> Iterator[list[Asked]]:
    """Play games of a player against itself after random openings; yield all that it was asked."""
    openings = make_stream(seed, EVALUATION)
    sides = [bind_player(some_player, game, make_stream(seed, EVALUATION, s)) for s in (1, 2)]
    for _ in range(games):
        position, asked = opened(game, below(openings, OPENING + 1), openings), list[Asked]()
        for side in sides:
            if isinstance(side, BoundPlayer):
                side.begin()
        while position.outcome is None:
            move = ask(sides[position.ply % 2], position)
            asked.append((position.copy(), move))
            position.push(move)
        yield asked


def is_mistake(solver: Solver, position: Position, move: int) -> bool | None:
    """Return whether a move gives away its position's value; None where nobody knows."""
    low, high = value_after(solver, position, move)
    if low == 1:
        return False
    least, most = value_of(solver, position)
    if least > high:
        return True
    return False if low >= most else None


# Where nothing can be proven: a game that beats the player, if a search finds one.

DEPTHS = (2, 4, 6)  # of the minimax players that try
TRIES = 5  # games for each, since some players are stochastic


@dataclass(frozen=True, repr=False)
class Refutations(HasReport):
    """Games that a player was seen to lose: not a proof of anything else."""

    game: Game
    player: str
    seed: int
    lines: dict[str, str | None]  # by the player's side: a game that it lost
    tried: int  # games in all

    def report(self) -> Report:
        """Return the report."""
        none = "no minimax player beat it in the games tried, which proves nothing."
        notes = [
            f"As {side}: {none if line is None else f'it lost {line}'}"
            for side, line in self.lines.items()
        ]
        notes.append(f"{self.tried} games tried, seed {self.seed}.")
        return Report(f"{self.player} in {self.game.name}: not provable here.", notes=notes)

    def as_json(self) -> dict[str, object]:
        """Return the result as JSON data."""
        return {
            **unproven(self.game, self.player, "search", self.seed),
            "refutations": self.lines,
            "games_tried": self.tried,
        }


def refute(some_player: AnyPlayer, game: Game, seed: int) -> Refutations:
    """Let minimax of growing depth try to beat the player, on both sides."""
    lines: dict[str, str | None] = {}
    tried = 0
    for side, name in enumerate(SIDES):
        best: Position | None = None
        for depth in DEPTHS:
            for attempt in range(TRIES):
                stream = make_stream(seed, EVALUATION, side, depth, attempt)
                own = bind_player(some_player, game, stream)
                position = play_one(game, [own, Minimax(depth)][:: -1 if side else 1])
                tried += 1
                lost = position.outcome is not None and position.outcome.winner == 2 - side
                if lost and (best is None or position.ply < best.ply):
                    best = position
        lines[name] = None if best is None else best.notation
    return Refutations(game, name_of(some_player), seed, lines, tried)
