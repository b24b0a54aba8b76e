"""Perfect play: from the opening book and the replies past it where there are any, else solved."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from threading import Lock

import numpy as np

from inarow.engine.streams import Stream, below, make_stream
from inarow.engine.tables import Int64s, Words
from inarow.game import Game, InputError, Position
from inarow.game import game as find_game
from inarow.game.position import check_goes_on
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy
from inarow.graph.values import values_of
from inarow.search.book import Book, shipped_book
from inarow.search.decided import Decided, decider_for
from inarow.search.prover import is_provable
from inarow.search.replies import shipped_replies
from inarow.search.solution import NotSolved, Solution
from inarow.search.solver import EVERY_SCORE, Solver, solver_for

QUICK = 500_000  # nodes of a search for exact scores before others are tried
EXACT_CELLS = 24  # with more empty cells than these a stored strategy is asked first
REMEMBERED = 100_000  # positions whose moves are kept: openings come again and again
_remembered: OrderedDict[tuple[Game, tuple[int, ...], str], list[int]] = OrderedDict()
_remembering = Lock()

# Which of the moves that keep the game's value are played. Where no more than the value is known
# (`decided`), all choices are one: a winning move, or one that does not lose at once.
CHOICES = {
    "best": "the fastest win, the slowest loss; any of equal ones",
    "first": "the same, and the lowest of equal ones",
    "value": "any move that keeps the value, however long it takes",
}


def solve(position: Position | Game | str, moves: str = "") -> Solution:
    """The exact score of a position that goes on, and of each of its moves.

    A game, or its name, stands for its empty board, or for the position after some moves of it.
    Raises `InputError` if the game is over or the solver does not reach it, and `NotSolved`,
    which is one, if it gives up.
    """
    position = _position_of(position, moves)
    book = shipped_book(position.game)
    if book is None or position.ply >= book.ply or position.outcome is not None:
        return solver_for(position.game).solve(position)
    return look_up(position.copy(), book)


def _position_of(position: Position | Game | str, moves: str) -> Position:
    if not isinstance(position, Position):
        return find_game(position).position(moves)
    if moves:
        raise InputError("a position has its moves already: give moves to a game only")
    return position


def solve_or_decide(position: Position | Game | str, moves: str = "") -> Solution | Decided:
    """The exact scores if they can be found soon; otherwise who wins, if that can be proven.

    Where stones do not fall, proofs reach positions that exact scores do not. Takes what `solve`
    takes, and raises as it does.
    """
    position = _position_of(position, moves)
    if position.outcome is not None or not is_provable(position.game):
        return solve(position)
    decider, solver = decider_for(position.game), solver_for(position.game)
    if position.game.cells - position.ply > EXACT_CELLS:
        known = decider.by_strategy(position)
        if known is not None:
            return known
    with suppress(NotSolved):
        return solver.solve(position, QUICK)
    return decider.by_strategy(position) or decider.by_proof(position) or solver.solve(position)


def look_up(position: Position, book: Book) -> Solution:
    """A position all of whose children are in the book, or over."""
    win = (position.game.cells - position.ply + 1) // 2
    moves = {}
    for move in position.legal_moves:
        position.push(move)
        score = book.find(position)
        moves[move] = win if score is None else -score  # no move ends in a draw this early
        position.pop()
    best = max(moves.values())
    return Solution(best, (best > 0) - (best < 0), moves, 0, position.game)


def perfect_moves(position: Position, choice: str) -> list[int]:
    """The moves of a position that a choice allows, remembered."""
    key = position.game, position.stones, choice
    with _remembering:
        found = _remembered.get(key)
        if found is not None:
            _remembered.move_to_end(key)
            return found
    found = _find_moves(position, choice)  # not under the lock: others need not wait for it
    with _remembering:
        _remembered[key] = found
        if len(_remembered) > REMEMBERED:
            _remembered.popitem(last=False)
    return found


def _find_moves(position: Position, choice: str) -> list[int]:
    """The moves that a choice allows.

    With a book at hand the score of a position is known or soon found, and each move needs one
    question only: is it as good? That is several times as fast as all their scores.
    """
    if is_provable(position.game):
        return _moves_without_gravity(position, choice)
    book, solver = shipped_book(position.game), solver_for(position.game)
    if book is None or position.ply < book.ply:
        return kept_moves(solve(position).moves, choice)
    replies = shipped_replies(position.game)
    known = replies.find(position) if replies is not None and choice != "value" else None
    if known is not None:
        return known[:1] if choice == "first" else known
    score = book.find(position)
    if score is None:
        own, every = solver.pack(position.moves)
        window = (-1, 1) if choice == "value" else EVERY_SCORE
        score = int(solver.score_words(_one(own), _one(every), window)[0])
    if choice == "value":
        if score < 0:
            return list(position.legal_moves)  # any loss will do
        score = min(score, 1)
    return moves_as_good(position.copy(), book, solver, score, choice)


def _moves_without_gravity(position: Position, choice: str) -> list[int]:
    """The moves that a choice allows, by exact scores or by who wins."""
    if position.game.cells - position.ply > EXACT_CELLS:
        only = decider_for(position.game).only_move(position)
        if only is not None:
            return [only]
    found = solve_or_decide(position)
    if isinstance(found, Solution):
        return kept_moves(found.moves, choice)
    return found.moves[:1] if choice == "first" else found.moves


def moves_as_good(
    position: Position, book: Book, solver: Solver, score: int, choice: str
) -> list[int]:
    """The moves that score at least so much; the first of them only if that is the choice."""
    kept, win = list[int](), (position.game.cells - position.ply + 1) // 2
    for move in position.legal_moves:
        position.push(move)
        if position.outcome is None:
            own, every = solver.pack(position.moves)
            good = book.least(own, every) <= -score and (
                solver.score_words(_one(own), _one(every), (-score, -score + 1))[0] <= -score
            )
        else:
            good = score <= (win if position.outcome.winner else 0)
        position.pop()
        if good:
            kept.append(move)
            if choice == "first":
                break
    return kept


def _one(word: int) -> Words:
    return np.array([word], dtype=np.uint64)


def kept_moves(moves: dict[int, int], choice: str) -> list[int]:
    """The moves that a choice allows, of moves with their scores."""
    best = max(moves.values())
    if choice == "value":
        return [m for m, s in moves.items() if (s > 0) - (s < 0) == (best > 0) - (best < 0)]
    kept = [move for move, score in moves.items() if score == best]
    return kept[:1] if choice == "first" else kept


class Perfect:
    """The player who never gives anything away: `perfect`, `perfect@first`, `perfect@value`."""

    def __init__(self, choice: str = "best") -> None:
        if choice not in CHOICES:
            raise InputError(f"unknown choice '@{choice}': it is one of {', '.join(CHOICES)}")
        self.choice = choice
        self.name = "perfect" if choice == "best" else f"perfect@{choice}"
        self._stream = make_stream(0)

    def moves(self, position: Position) -> list[int]:
        """All moves that the player may choose."""
        return list(perfect_moves(position, self.choice))

    def move(self, position: Position) -> int:
        """One of them."""
        check_goes_on(position)
        kept = self.moves(position)
        return kept[below(self._stream, len(kept))] if len(kept) > 1 else kept[0]

    def bind(self, game: Game, stream: Stream) -> Perfect:  # noqa: ARG002 - any game will do
        """The same player, drawing from a stream of its own."""
        bound = Perfect(self.choice)
        bound._stream = stream
        return bound

    def policies(self, graph: Graph) -> list[Policy]:
        """The player as a policy of a graph: every move it may choose, equally likely."""
        values = values_of(graph)
        sign = 1 - 2 * np.repeat(graph.to_move, np.diff(graph.edge_start)).astype(np.int64)
        value = sign * values.value[graph.child]
        if self.choice != "value":
            # A win is better soon, anything else late: more than any distance apart.
            steps = values.distance[graph.child].astype(np.int64)
            value = value * 1000 - np.where(value > 0, steps, -steps) * (value != 0)
        return [_best_edges(graph, value, only_first=self.choice == "first")]

    def __repr__(self) -> str:
        return f"<player {self.name}>"


def _best_edges(graph: Graph, value: Int64s, only_first: bool) -> Policy:
    """Weight 1 for the edges of the highest value in each position, or the first of them."""
    starts = graph.edge_start[:-1][np.diff(graph.edge_start) > 0]
    counts = np.diff(graph.edge_start)[np.diff(graph.edge_start) > 0]
    best = np.repeat(np.maximum.reduceat(value, starts), counts) == value
    if only_first:
        before = np.cumsum(best) - best  # best edges before each, in all positions
        best &= before == np.repeat(before[starts], counts)
    return best.astype(np.float64)
