"""What there is to say of each move of a position: exactly where that is quick, else by estimate.

Exact answers come from the book and the solver; where lines are counted, which the solver does
not do, from the graph of a small game or from a search to the end. All that would take more than
a few seconds is left alone: then there is no exact answer.
Estimates are those of players who make some: learned agents and minimax.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from inarow.engine.tables import tables_of
from inarow.game import Game, InputError, Position
from inarow.graph.graph import graph_of
from inarow.graph.values import values_of
from inarow.lab.player_protocols import AnyPlayer, Estimator, name_of
from inarow.lab.shipped import SHIPPED
from inarow.search import bitboard
from inarow.search.book import shipped_book
from inarow.search.heuristic import win_value
from inarow.search.minimax import TimedMinimax, search
from inarow.search.perfect import solve
from inarow.search.solver import Solver

# How long to wait for an exact answer: seconds, not minutes.
NODES = 10_000_000  # of the solver, where stones fall in a plane
FREE_NODES = 500_000  # elsewhere, where a node costs more
GRAPH_CELLS = 16  # of games whose graph is written out on the spot, where stones fall
LAST_CELLS = 12  # empty cells from which a search goes to the end
LINE, LINE_SECONDS = 16, 1.0  # moves of a best line, and the time after which it goes no further

SOLVED_FREE, SOLVED_FALLING = 16, 27  # cells of boards on which perfect play answers at once
DEPTHS = {16: 8, 32: 6, 81: 5, 256: 4}  # how far minimax looks ahead, by the number of moves


@dataclass(frozen=True)
class Verdict:
    """The value of a move to the side that plays it, when both play perfectly from there."""

    value: int  # 1 wins, 0 draws, -1 loses
    stones: int | None = None  # until the end, this one included, where a line wins

    @property
    def rank(self) -> tuple[int, int]:
        """The higher the better: a win soon, a loss late."""
        stones = self.stones or 0
        return self.value, -stones if self.value > 0 else stones

    def __str__(self) -> str:
        word = {1: "wins", 0: "draws", -1: "loses"}[self.value]
        return word if self.stones is None else f"{word} in {self.stones}"


@dataclass(frozen=True)
class Exact:
    """The exact value of every move."""

    by: str  # what found it
    moves: dict[int, Verdict]

    @property
    def best(self) -> list[int]:
        """The best moves, ascending."""
        highest = max(verdict.rank for verdict in self.moves.values())
        return [move for move, verdict in self.moves.items() if verdict.rank == highest]


@dataclass(frozen=True)
class Estimate:
    """What a player expects of every move; the higher the better."""

    by: str  # its name
    values: dict[int, float]
    texts: dict[int, str]  # the same for people

    @property
    def best(self) -> list[int]:
        """The moves it likes best, ascending."""
        highest = max(self.values.values())
        return [move for move, value in self.values.items() if value == highest]


@dataclass(frozen=True)
class Hint:
    """Advice."""

    moves: list[int]  # equally good ones, the one on most lines first
    text: str  # what it does, as in "draws"
    by: str  # who says so
    exact: bool  # whether it is proven


def exact(position: Position) -> Exact | None:
    """The exact value of every move, or None where nothing finds it quickly."""
    _check_goes_on(position)
    return _exact(position.game, position.moves)


def estimate(some_player: AnyPlayer, position: Position) -> Estimate | None:
    """What a player expects of every move, or None if it does not say."""
    _check_goes_on(position)
    if isinstance(some_player, TimedMinimax):
        return _minimax_estimate(some_player, position)
    if not isinstance(some_player, Estimator):
        return None
    try:
        found = some_player.values(position)
    except InputError:  # a position that it does not know
        return None
    values = {move: float(found[move]) for move in position.legal_moves if move in found}
    texts = {move: f"{value:+.3f}" for move, value in values.items()}
    return Estimate(name_of(some_player), values, texts) if values else None


def hint(position: Position, some_player: AnyPlayer | None = None) -> Hint:
    """A good move: exactly, else by the player's estimate, else by minimax."""
    found = exact(position)
    if found is not None:
        best = _central_first(position, found.best)
        return Hint(best, str(found.moves[best[0]]), found.by, exact=True)
    held = estimate(some_player, position) if some_player is not None else None
    if held is None:
        held = _minimax_estimate(
            TimedMinimax(quick_depth(position.game), order="central"), position
        )
    best = _central_first(position, held.best)
    return Hint(best, held.texts[best[0]], held.by, exact=False)


def best_line(position: Position, most: int = LINE, seconds: float = LINE_SECONDS) -> list[int]:
    """The moves that perfect play goes on with, as far as exact values are found in that time."""
    place, end = position.copy(), time.monotonic() + seconds
    line = list[int]()
    while place.outcome is None and len(line) < most and (not line or time.monotonic() < end):
        found = exact(place)
        if found is None:
            break
        line.append(_central_first(place, found.best)[0])
        place.push(line[-1])
    return line


def default_opponent(game: Game) -> str:
    """The name of the strongest player that answers soon, which `best` stands for.

    Perfect where it can be, else the agent that comes with the package, else minimax.
    """
    solved = game.cells <= (SOLVED_FALLING if game.gravity else SOLVED_FREE)
    if not game.scoring and (solved or shipped_book(game) is not None):
        return "perfect"
    if game.name in SHIPPED:
        return SHIPPED[game.name].name
    return f"minimax:{quick_depth(game)}@central"


def quick_depth(game: Game) -> int:
    """How many moves minimax looks ahead and still answers in an instant."""
    return next((depth for moves, depth in DEPTHS.items() if game.columns <= moves), 3)


def _check_goes_on(position: Position) -> None:
    if position.outcome is not None:
        raise InputError(f"the game is over ({position.outcome}): there is no move to value")


def _central_first(position: Position, moves: list[int]) -> list[int]:
    """The moves, those that more lines cross first."""
    start, _ = position.game.lines_by_cell
    through = np.diff(start)
    return sorted(moves, key=lambda move: -int(through[position.cell_of(move)]))


@lru_cache(maxsize=1024)
def _exact(game: Game, moves: tuple[int, ...]) -> Exact | None:
    position = Position(game)
    for move in moves:
        position.push(move)
    if not game.scoring:
        return _by_solver(position)
    if game.cells - position.ply <= LAST_CELLS:
        return _by_search(position)
    return exact_by_graph(position) if game.gravity and game.cells <= GRAPH_CELLS else None


def _by_solver(position: Position) -> Exact | None:
    game, book = position.game, shipped_book(position.game)
    early = book is not None and position.ply < book.ply
    try:
        scores = (solve if early else _quick_solver(game).solve)(position).moves
    except InputError:  # out of reach, or too long
        return None
    left = game.cells - position.ply
    by = "the book" if early else "the solver"
    verdicts = {move: from_score(score, left, game.misere) for move, score in scores.items()}
    return Exact(by, verdicts)


@lru_cache(maxsize=4)
def _quick_solver(game: Game) -> Solver:
    """A solver that gives up soon, or need not where a book ends; nobody's move waits for it."""
    if shipped_book(game) is not None:
        return Solver(game)
    return Solver(game, limit=NODES if bitboard.fits(game) else FREE_NODES)


def from_score(score: int, left: int, misere: bool) -> Verdict:
    """A solver's score with so many cells empty: it says half the cells empty at the end.

    Which of two numbers of stones it is, is said by who plays the last: the winner, or the loser
    where a line loses.
    """
    if score == 0:
        return Verdict(0)
    most = left - 2 * (abs(score) - 1)
    odd = (score > 0) != misere  # the side to move plays the last stone
    return Verdict(1 if score > 0 else -1, most - (most % 2 != odd))


def _by_search(position: Position) -> Exact:
    """Minimax to the last stone, where there is no more to guess."""
    game = position.game
    found = search(position, game.cells - position.ply, all_moves=True).values or {}
    sure = win_value(tables_of(game)) - game.cells
    verdicts = {move: Verdict((v >= sure) - (v <= -sure)) for move, v in found.items()}
    return Exact("a search to the end", verdicts)


def exact_by_graph(position: Position) -> Exact:
    """The value of every move, looked up in the graph of the game."""
    graph = graph_of(position.game)
    values, (number, _) = values_of(graph), graph.find(position)
    edges = range(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
    sign = 1 if position.to_move == 1 else -1
    verdicts = {
        int(graph.move[edge]): Verdict(sign * int(values.value[graph.child[edge]]))
        for edge in edges
    }
    return Exact("the game graph", verdicts)


def _minimax_estimate(some_player: TimedMinimax, position: Position) -> Estimate:
    found = search(
        position, some_player.depth, some_player.order, some_player.time_limit, all_moves=True
    )
    win = win_value(tables_of(position.game))
    values = {move: float(value) for move, value in (found.values or {}).items()}

    def text(value: int) -> str:
        if abs(value) < win - position.game.cells:
            return f"{value:+,}" if value else "0"
        return f"{'wins' if value > 0 else 'loses'} in {win - abs(value)}"

    texts = {move: text(value) for move, value in (found.values or {}).items()}
    return Estimate(some_player.name, values, texts)
