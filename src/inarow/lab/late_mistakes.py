"""Mistakes late in the game, where the whole game is out of reach but its end is not.

The player plays against itself from random openings. From a number of stones on, the solver judges
its moves: one position of each game in every four stones, so that the positions of a row are of
different games, and both sides move in them. What the solver does not decide within its limit of
nodes is counted as not judged: nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inarow.engine.streams import EVALUATION, below, make_stream
from inarow.game import Game, InputError, Position
from inarow.game.report import Report, Reported
from inarow.lab.opening_match import RANDOM_MOVES as OPENING
from inarow.lab.opening_match import opened
from inarow.lab.player_protocols import AnyPlayer, ask, bind_player, name_of
from inarow.lab.players import BoundPlayer
from inarow.lab.statistics import share_text, wilson
from inarow.search.bitboard import MAX_BITS
from inarow.search.late_solver import value_after, value_of
from inarow.search.solver import Solver

STRIDE = 4  # stones of a row of the table
NODES = 10_000_000  # of the solver for a position, and for the move in it: some seconds each
EMPTY = 32  # cells: with so many left on the cube, every position that was tried is decided

Progress = Callable[[float], None]  # called with the share of the work that is done
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
        """For programs."""
        interval = list(wilson(self.mistakes, self.judged)) if self.judged else None
        return {**vars(self), "interval": interval}


@dataclass(frozen=True, repr=False)
class LateMistakes(Reported):
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
        """What it is, in a sentence."""
        return (
            f"Its moves from {self.from_stones} stones on, in {self.games} games against itself "
            f"from random openings: {100 * self.judged:.0f}% of the positions judged exactly."
        )

    def report(self) -> Report:
        """What is shown of it."""
        rows = [rate.texts for rate in self.rates]
        return Report(f"{self.player} in {self.game.name}", self.HEAD, rows, [self.text])

    def as_json(self) -> dict[str, object]:
        """For programs."""
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
    """From how many stones on the solver decides most positions; None where it reaches none."""
    reached = game.gravity and not game.scoring and game.cells <= MAX_BITS
    return max(0, game.cells - EMPTY) if reached else None


def judge_late(
    some_player: AnyPlayer,
    game: Game,
    from_stones: int,
    games: int,
    seed: int = 0,
    progress: Progress = lambda share: None,
) -> LateMistakes:
    """Judges a player's moves from a number of stones on, in games against itself."""
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
    """Games of a player against itself, after up to four random moves: all that it was asked."""
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
    """Whether a move gives away the value of its position; None where that is not found out."""
    low, high = value_after(solver, position, move)
    if low == 1:
        return False
    least, most = value_of(solver, position)
    if least > high:
        return True
    return False if low >= most else None
