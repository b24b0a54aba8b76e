"""What can be proven of every move of a position within a budget: its value, or bounds on it.

Each source says what it can: the opening book; the graph of a small game whose lines are counted;
the solver, which asks first who wins and then how fast; where stones do not fall, stored
strategies and proofs; on boards that no solver reaches, a search move by move, whose wins and
losses are certain. What none of them finds out in time stays open: a bound, or unknown.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from inarow.engine.tables import tables_of
from inarow.game import InputError, Position
from inarow.lab.move_values import GRAPH_CELLS, Verdict, exact_by_graph, from_score
from inarow.search.bitboard import MAX_BITS
from inarow.search.book import shipped_book
from inarow.search.decided import VISITS, Decided, decider_for
from inarow.search.heuristic import win_value
from inarow.search.minimax import search
from inarow.search.perfect import solve
from inarow.search.prover import is_provable
from inarow.search.solution import NotSolved
from inarow.search.solver import EVERY_SCORE, Solver, solver_for

BY_SEARCH = "a search to the end"
WHO_WINS = (-1, 1)  # a window of scores that tells wins, draws and losses apart


@dataclass(frozen=True)
class Bounds:
    """What is proven of a move or a position, for one side: its value lies from low to high."""

    low: int = -1  # 1 wins, 0 draws, -1 loses
    high: int = 1
    stones: int | None = None  # until the end, where the value and that are known

    @classmethod
    def of(cls, verdict: Verdict) -> Bounds:
        """An exact value."""
        return cls(verdict.value, verdict.value, verdict.stones)

    @property
    def exact(self) -> bool:
        """Whether the value is known."""
        return self.low == self.high

    @property
    def verdict(self) -> Verdict | None:
        """The value; None where it is not known."""
        return Verdict(self.low, self.stones) if self.exact else None

    def turned(self, stones: int = 1) -> Bounds:
        """The same for the other side, so many stones earlier."""
        return Bounds(-self.high, -self.low, None if self.stones is None else self.stones + stones)

    def meet(self, other: Bounds) -> Bounds:
        """What follows from both."""
        stones = self.stones if self.stones is not None else other.stones
        return Bounds(max(self.low, other.low), min(self.high, other.high), stones)

    def as_json(self) -> dict[str, object]:
        """For programs: the value is null where it is not known, and the bounds say what is."""
        value = self.low if self.exact else None
        return {"value": value, "low": self.low, "high": self.high, "stones": self.stones}

    def __str__(self) -> str:
        if self.exact:
            return str(self.verdict)
        return {(0, 1): "wins or draws", (-1, 0): "draws or loses"}.get(
            (self.low, self.high), "unknown"
        )


UNKNOWN = Bounds()


@dataclass(frozen=True)
class MoveBounds:
    """What is known of a position that goes on and of each of its moves, for the side to move."""

    moves: dict[int, Bounds]
    whole: Bounds  # what was proven of the position beside what its moves say
    by: tuple[str, ...]  # what found it

    @property
    def position(self) -> Bounds:
        """The value of the position: that of the best move."""
        every = self.moves.values()
        low, high = (max(getattr(b, end) for b in every) for end in ("low", "high"))
        found = Bounds(low, high).meet(self.whole)
        if not found.exact or found.low == 0 or found.stones is not None:
            return found
        if (at_once := Bounds(1, 1, 1)) in every:
            return at_once
        as_good = [b.verdict for b in every if b.high == found.high]
        if all(verdict is not None and verdict.stones for verdict in as_good):
            return Bounds.of(max((v for v in as_good if v), key=lambda verdict: verdict.rank))
        return found

    @property
    def best(self) -> list[int]:
        """The moves that keep the value for certain, ascending; of those the fastest wins and
        slowest losses, where all are known.
        """
        found = self.position
        if not found.exact:
            return []
        if found.stones is not None:
            return [move for move, bounds in self.moves.items() if bounds == found]
        return [move for move, bounds in self.moves.items() if bounds.low == found.low]


class Budget:
    """What may be spent on a question: seconds, nodes of the solver, or both."""

    def __init__(self, seconds: float | None = None, nodes: int | None = None) -> None:
        if seconds is not None and not 0 < seconds <= 1e6:
            raise InputError(f"the seconds must be above 0 and at most 1,000,000, not {seconds}")
        if nodes is not None and nodes < 1:
            raise InputError(f"the nodes must be 1 or more, not {nodes}")
        self._end = None if seconds is None else time.monotonic() + seconds
        self.nodes = nodes  # that are left

    def share(self, parts: int) -> tuple[int | None, float | None]:
        """Nodes and seconds for one of so many questions that are left."""
        seconds = None if self._end is None else max(self._end - time.monotonic(), 0) / parts
        return None if self.nodes is None else int(self.nodes / parts), seconds

    def spend(self, nodes: int) -> None:
        """Takes away nodes that were spent."""
        if self.nodes is not None:
            self.nodes = max(self.nodes - nodes, 0)

    @property
    def spent(self) -> bool:
        """Whether nothing is left."""
        return self.nodes == 0 or (self._end is not None and time.monotonic() >= self._end)


def bound_moves(
    position: Position, budget: Budget, known: Mapping[int, Bounds] | None = None
) -> MoveBounds:
    """What the budget finds out of each move; `known` is what is known of some already."""
    if position.outcome is not None:
        raise InputError(f"the game is over ({position.outcome}): there is no move to value")
    return _Question(position.copy(), budget, known or {}).answer()


class _Question:
    """A position, and what is known of it so far."""

    def __init__(self, position: Position, budget: Budget, known: Mapping[int, Bounds]) -> None:
        self.position, self.game, self.budget = position, position.game, budget
        self.whole, self._left = UNKNOWN, position.game.cells - position.ply
        self.by: list[str] = []
        self.moves = {move: known.get(move, UNKNOWN) for move in position.legal_moves}
        for move in self.moves:
            position.push(move)
            if position.outcome is not None:
                self.moves[move] = _ended(position)
            position.pop()

    def answer(self) -> MoveBounds:
        """Asks one source after the other."""
        game, book = self.game, shipped_book(self.game)
        if book is not None and self.position.ply < book.ply:
            self._take(solve(self.position).moves, "the book")
        elif game.scoring and game.gravity and game.cells <= GRAPH_CELLS:
            self.moves = {m: Bounds.of(v) for m, v in exact_by_graph(self.position).moves.items()}
            self.by.append("the game graph")
        elif game.scoring or game.cells > MAX_BITS:
            self._search()
        else:
            provable = is_provable(game)
            if provable:
                self._decide(by_strategy=True)
            self._solve(solver_for(game), 2 if provable else 1)
            if provable and self.open:
                self._decide(by_strategy=False)
        return MoveBounds(self.moves, self.whole, tuple(dict.fromkeys(self.by)))

    @property
    def open(self) -> list[int]:
        """The moves whose value is not known, the ones that most lines cross first."""
        through = np.diff(self.game.lines_by_cell[0])
        unknown = [move for move, bounds in self.moves.items() if not bounds.exact]
        return sorted(unknown, key=lambda m: -int(through[self.position.cell_of(m)]))

    def _learn(self, move: int, bounds: Bounds, by: str) -> None:
        if bounds != UNKNOWN:
            self.moves[move] = self.moves[move].meet(bounds)
            self.by.append(by)

    def _take(self, scores: Mapping[int, int], by: str) -> None:
        """Exact scores of moves, as the solver has them."""
        for move, score in scores.items():
            self._learn(move, Bounds.of(from_score(score, self._left, self.game.misere)), by)

    def _solve(self, solver: Solver, parts: int) -> None:
        """Who wins, of the position and of each move; then how fast, if all of that is known."""
        if self.open:
            self.whole = self.whole.meet(self._who_wins(solver, 2 * parts))
        for place, move in enumerate(waiting := self.open):
            self.position.push(move)
            found = self._who_wins(solver, parts * (len(waiting) - place))
            self.position.pop()
            self._learn(move, found.turned(), "the solver")
        if self.open:
            return
        distance = [m for m, b in self.moves.items() if b.low != 0 and b.stones is None]
        for place, move in enumerate(distance):
            self.position.push(move)
            low, high = self._ask(solver, EVERY_SCORE, parts * (len(distance) - place))
            self.position.pop()
            if low == high:
                self._take({move: -low}, "the solver")

    def _who_wins(self, solver: Solver, parts: int) -> Bounds:
        """Who wins the present position, as far as that is found out."""
        low, high = self._ask(solver, WHO_WINS, parts)
        return Bounds(_sign(low), _sign(high))

    def _ask(self, solver: Solver, window: tuple[int, int], parts: int) -> tuple[int, int]:
        """Between which two scores that of the present position lies, as the solver has them."""
        own, every = (
            np.array([word], dtype=np.uint64) for word in solver.pack(self.position.moves)
        )
        before = solver.nodes
        try:
            score = int(solver.score_words(own, every, window, *self.budget.share(parts))[0])
            return score, score
        except NotSolved as given_up:
            return given_up.bounds[0]
        finally:
            self.budget.spend(solver.nodes - before)

    def _decide(self, by_strategy: bool) -> None:
        """Who wins by the stored strategy and threats, or by proofs, where stones do not fall."""
        decider, position, waiting = decider_for(self.game), self.position, self.open

        def find(parts: int) -> Decided | None:
            if by_strategy:
                return decider.by_strategy(position)
            visits = self._visits(parts)
            return decider.by_proof(position, visits) if visits else None

        def value(found: Decided | None) -> Bounds:
            return UNKNOWN if found is None else Bounds(found.value, found.value)

        decided = find(2)
        self.whole = self.whole.meet(value(decided))
        if decided is not None and decided.value == 1:
            for move in decided.moves:
                self._learn(move, value(decided), decided.basis)
        for place, move in enumerate(waiting):
            position.push(move)
            found = find(len(waiting) - place)
            position.pop()
            self._learn(move, value(found).turned(), found.basis if found else "")

    def _visits(self, parts: int) -> int:
        """How many visits a proof may take for each side."""
        nodes, seconds = self.budget.share(2 * parts)
        by_clock = VISITS if seconds is None else int(seconds * VISITS)
        return by_clock if nodes is None else min(nodes, by_clock)

    def _search(self) -> None:
        """Minimax, deeper and deeper; what it finds is certain where it meets the end.

        First for the best move alone, which reaches deeper, then for the value of each.
        """
        if self.budget.share(1)[1] is None:
            raise InputError(
                f"the solver, which counts nodes, does not reach {self.game.name}: "
                "give a number of seconds"
            )
        for parts, all_moves in ((2, False), (1, True)):
            _, seconds = self.budget.share(parts)
            found = search(self.position, self._left, "central", seconds, all_moves)
            best = self._certain(found.value, found.depth)
            self.whole = self.whole.meet(best)
            if best.low == 1:
                self._learn(found.move, best, BY_SEARCH)
            for move, value in (found.values or {}).items():
                self._learn(move, self._certain(value, found.depth), BY_SEARCH)

    def _certain(self, value: int, depth: int) -> Bounds:
        """What minimax's value of a position or move says for certain."""
        win, scoring = win_value(tables_of(self.game)), self.game.scoring
        ends = abs(value) >= win - self.game.cells
        if depth < self._left and (scoring or not ends):
            return UNKNOWN
        sign = _sign(value) if ends else 0
        return Bounds(sign, sign, win - abs(value) if ends and not scoring else None)


def _ended(position: Position) -> Bounds:
    """The value of a last move, to the side that has played it."""
    winner = position.outcome.winner if position.outcome else None
    if winner is None:
        return Bounds(0, 0)
    value = -1 if winner == position.to_move else 1
    return Bounds(value, value, None if position.game.scoring else 1)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
