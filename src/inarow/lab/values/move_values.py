"""What there is to say of each move of a position: exactly where that is quick, else by estimate.

Exact answers come from the book and the solver; where lines are counted, which the solver does
not do, from the graph of a small game or from a search to the end. All that would take more than
a few seconds is left alone: then there is no exact answer.
Estimates are those of players who make some: learned agents and minimax.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from inarow.engine.board import MAX_MASK_CELLS, tables_of
from inarow.engine.clock import Stopwatch
from inarow.game import Game, InputError, Position
from inarow.graph.graph import graph_of, values_of
from inarow.lab.players.protocols import AnyPlayer, gives_values, kept_running, name_of
from inarow.lab.players.shipped import SHIPPED
from inarow.search.decided import VISITS, ProvenResult, proof_oracle
from inarow.search.minimax import TimedMinimax, is_minimax, search, win_value
from inarow.search.opening_book import shipped_book
from inarow.search.perfect import solve
from inarow.search.proof_number import is_provable
from inarow.search.solver import EVERY_SCORE, NotSolved, Solver, is_planar, solver_for

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
        """A number to order values by: a win soon is the highest, a loss soon the lowest."""
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
        """Moves of the highest value, ascending."""
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
        """Moves of the highest value, ascending."""
        highest = max(self.values.values())
        return [move for move, value in self.values.items() if value == highest]


@dataclass(frozen=True)
class Hint:
    """A suggested move, what it achieves, and who says so."""

    moves: list[int]  # equally good ones, the one on most lines first
    text: str  # what it does, as in "draws"
    by: str  # who says so
    exact: bool  # whether it is proven


def exact(position: Position) -> Exact | None:
    """Return the exact value of every move, or None where nothing finds it quickly."""
    _check_goes_on(position)
    return _exact(position.game, position.moves)


def estimate(some_player: AnyPlayer, position: Position) -> Estimate | None:
    """Return what a player expects of every move, or None if it does not say."""
    _check_goes_on(position)
    if is_minimax(some_player):
        return _minimax_estimate(some_player, position)
    if not gives_values(some_player):
        return None
    try:
        with kept_running(some_player):
            found = some_player.values(position)
    except InputError:  # a position that it does not know
        return None
    values = {move: float(found[move]) for move in position.legal_moves if move in found}
    texts = {move: f"{value:+.3f}" for move, value in values.items()}
    return Estimate(name_of(some_player), values, texts) if values else None


def hint(position: Position, some_player: AnyPlayer | None = None) -> Hint:
    """Return a good move: exactly, else by the player's estimate, else by minimax."""
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
    place, watch = position.copy(), Stopwatch()
    line = list[int]()
    while place.outcome is None and len(line) < most and (not line or watch.seconds < seconds):
        found = exact(place)
        if found is None:
            break
        line.append(_central_first(place, found.best)[0])
        place.push(line[-1])
    return line


def default_opponent(game: Game) -> str:
    """Return the name of the strongest player that answers soon, which `best` stands for.

    Perfect where it can be, else the agent that comes with the package, else minimax.
    """
    solved = game.cells <= (SOLVED_FALLING if game.gravity else SOLVED_FREE)
    if not game.scoring and (solved or shipped_book(game) is not None):
        return "perfect"
    if game.name in SHIPPED:
        return SHIPPED[game.name].name
    return f"minimax:{quick_depth(game)}@central"


def quick_depth(game: Game) -> int:
    """Return how many moves minimax can look ahead and still answer in an instant."""
    return next((depth for moves, depth in DEPTHS.items() if game.columns <= moves), 3)


def _check_goes_on(position: Position) -> None:
    if position.outcome is not None:
        raise InputError(f"the game is over ({position.outcome}): there is no move to value")


def _central_first(position: Position, moves: list[int]) -> list[int]:
    """Return the moves, those that more lines cross first."""
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
    return Solver(game, limit=NODES if is_planar(game) else FREE_NODES)


def from_score(score: int, left: int, misere: bool) -> Verdict:
    """Return a solver's score with so many cells empty: it says half the cells empty at the end.

    Which of two numbers of stones it is, is said by who plays the last: the winner, or the loser
    where a line loses.
    """
    if score == 0:
        return Verdict(0)
    most = left - 2 * (abs(score) - 1)
    odd = (score > 0) != misere  # the side to move plays the last stone
    return Verdict(1 if score > 0 else -1, most - (most % 2 != odd))


def _by_search(position: Position) -> Exact:
    """Find values by minimax to the last stone, where there is no more to guess."""
    game = position.game
    found = search(position, game.cells - position.ply, all_moves=True).values or {}
    sure = win_value(tables_of(game)) - game.cells
    verdicts = {move: Verdict((v >= sure) - (v <= -sure)) for move, v in found.items()}
    return Exact("a search to the end", verdicts)


def exact_by_graph(position: Position) -> Exact:
    """Return the value of every move, looked up in the graph of the game."""
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


# What can be proven of every move of a position within a budget: its value, or bounds on it.
#
# Each source says what it can: the opening book; the graph of a small game whose lines are counted;
# the solver, which asks first who wins and then how fast; where stones do not fall, stored
# strategies and proofs; on boards that no solver reaches, a search move by move, whose wins and
# losses are certain. What none of them finds out in time stays open: a bound, or unknown.

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
        """Return an exact value."""
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
        """Return the bounds for the other side, so many stones earlier."""
        return Bounds(-self.high, -self.low, None if self.stones is None else self.stones + stones)

    def meet(self, other: Bounds) -> Bounds:
        """Return the intersection of two bounds."""
        stones = self.stones if self.stones is not None else other.stones
        return Bounds(max(self.low, other.low), min(self.high, other.high), stones)

    def as_json(self) -> dict[str, object]:
        """Return JSON data: the value is null where it is not known, and the bounds say what is."""
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
        """The value of the position: that of the best move.

        The stones until the end are known once those of every move are that may be the best.
        """
        every = self.moves.values()
        low, high = (max(getattr(b, end) for b in every) for end in ("low", "high"))
        found = Bounds(low, high).meet(self.whole)
        if not found.exact or found.low == 0 or found.stones is not None:
            return found
        if (at_once := Bounds(1, 1, 1)) in every:
            return at_once
        may_be_best = [b.verdict for b in every if b.high >= found.high]
        if all(verdict is not None and verdict.stones for verdict in may_be_best):
            return Bounds.of(max((v for v in may_be_best if v), key=lambda verdict: verdict.rank))
        return found

    @property
    def best(self) -> list[int]:
        """Moves that keep the value for certain; of those the fastest wins and slowest losses.

        That is where all are known. They are ascending.
        """
        found = self.position
        if not found.exact:
            return []
        if found.stones is not None:
            return [move for move, bounds in self.moves.items() if bounds == found]
        return [move for move, bounds in self.moves.items() if bounds.low == found.low]

    def meet(self, whole: Bounds) -> MoveBounds:
        """Return the intersection of two bounds."""
        return replace(self, whole=self.whole.meet(whole))


class Budget:
    """What may be spent on a question: seconds, nodes of the solver, or both.

    Seconds that are spent compiling do not count.
    """

    def __init__(self, seconds: float | None = None, nodes: int | None = None) -> None:
        if seconds is not None and not 0 < seconds <= 1e6:
            raise InputError(f"the seconds must be above 0 and at most 1,000,000, not {seconds}")
        if nodes is not None and nodes < 1:
            raise InputError(f"the nodes must be 1 or more, not {nodes}")
        self._seconds, self._watch = seconds, Stopwatch()
        self.nodes = nodes  # that are left

    def share(self, parts: int) -> tuple[int | None, float | None]:
        """Return nodes and seconds for one of so many questions that are left."""
        nodes = None if self.nodes is None else int(self.nodes / parts)
        if self._seconds is None:
            return nodes, None
        return nodes, max(self._seconds - self._watch.seconds, 0) / parts

    def spend(self, nodes: int) -> None:
        """Take away nodes that were spent."""
        if self.nodes is not None:
            self.nodes = max(self.nodes - nodes, 0)


def bound_moves(
    position: Position, budget: Budget, known: Mapping[int, Bounds] | None = None
) -> MoveBounds:
    """Bound the value of each move within a budget; `known` is what is known of some already."""
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
        """Ask one source after the other until the budget is spent."""
        game, book = self.game, shipped_book(self.game)
        if book is not None and self.position.ply < book.ply:
            self._take(solve(self.position).moves, "the book")
        elif game.scoring and game.gravity and game.cells <= GRAPH_CELLS:
            self.moves = {m: Bounds.of(v) for m, v in exact_by_graph(self.position).moves.items()}
            self.by.append("the game graph")
        elif game.scoring or game.cells > MAX_MASK_CELLS:
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
        """Keep exact scores of moves, as the solver has them."""
        for move, score in scores.items():
            self._learn(move, Bounds.of(from_score(score, self._left, self.game.misere)), by)

    def _solve(self, solver: Solver, parts: int) -> None:
        """Find who wins, of the position and of each move; then how fast, if all is known."""
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
        """Find who wins the present position, as far as the budget allows."""
        low, high = self._ask(solver, WHO_WINS, parts)
        return Bounds(_sign(low), _sign(high))

    def _ask(self, solver: Solver, window: tuple[int, int], parts: int) -> tuple[int, int]:
        """Ask between which two scores that of the present position lies."""
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
        """Find who wins by the stored strategy and threats, or by proofs."""
        decider, position, waiting = proof_oracle(self.game), self.position, self.open

        def find(parts: int) -> ProvenResult | None:
            if by_strategy:
                return decider.by_strategy(position)
            visits = self._visits(parts)
            return decider.by_proof(position, visits) if visits else None

        def value(found: ProvenResult | None) -> Bounds:
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
        """Return how many visits a proof may take for each side."""
        nodes, seconds = self.budget.share(2 * parts)
        by_clock = VISITS if seconds is None else int(seconds * VISITS)
        return by_clock if nodes is None else min(nodes, by_clock)

    def _search(self) -> None:
        """Search by minimax, deeper and deeper; what it finds is certain where it meets the end.

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
        """Return what minimax's value of a position or move says for certain."""
        win, scoring = win_value(tables_of(self.game)), self.game.scoring
        ends = abs(value) >= win - self.game.cells
        if depth < self._left and (scoring or not ends):
            return UNKNOWN
        sign = _sign(value) if ends else 0
        return Bounds(sign, sign, win - abs(value) if ends and not scoring else None)


def _ended(position: Position) -> Bounds:
    """Return the value of a last move, to the side that has played it."""
    winner = position.outcome.winner if position.outcome else None
    if winner is None:
        return Bounds(0, 0)
    value = -1 if winner == position.to_move else 1
    return Bounds(value, value, None if position.game.scoring else 1)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
