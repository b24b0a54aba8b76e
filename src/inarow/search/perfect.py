"""Perfect play: from the opening book and the replies past it where there are any, else solved.

`Perfect` is the player in Python, `PerfectPlayer` the same inside compiled loops.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import PLY, Board, Int64s, Tables, Words
from inarow.engine.jit import inline, jit
from inarow.engine.players import BoundPlayer, CompiledPlayer, note_class, register_player
from inarow.engine.streams import Stream, below, make_stream
from inarow.game import Game, InputError, Position
from inarow.game import game as find_game
from inarow.game.position import moves_text, require_unfinished
from inarow.graph.graph import Graph, values_of
from inarow.graph.odds import Policy
from inarow.search.bitboard import (
    ONE,
    ZERO,
    Layout,
    Word,
    layout_of,
    lowest,
    mirrored,
    popcount,
    signed,
)
from inarow.search.connect4_solver import ROW
from inarow.search.decided import ProvenResult, proof_oracle
from inarow.search.opening_book import Book, shipped_book
from inarow.search.proof_number import is_provable
from inarow.search.replies import shipped_replies
from inarow.search.solver import NotSolved, Solution, Solver, is_planar, solver_for
from inarow.search.solver_loop import (
    MULTIPLIER,
    PositionSolver,
    new_table,
    position_solver,
    score_of,
)
from inarow.search.strategy import shipped_strategy

QUICK = 500_000  # nodes of a search for exact scores before others are tried
FEW_VISITS = 3_000  # of a proof for each side, where a player waits for its move
EARLY = 4  # stones: with so few, a game with a stored strategy is not solved without it
EXACT_CELLS = 24  # with more empty cells than these a stored strategy is asked first
LATE = 18  # stones from which all scores are found at once: questions cost more than they save
REMEMBERED = 100_000  # positions of an oracle that are kept: openings come again and again

# Which of the moves that keep the game's value are played. Where no more than the value is known
# (`decided`), all choices are one: a winning move, or one that does not lose at once.
CHOICES = {
    "best": "the fastest win, the slowest loss; any of equal ones",
    "first": "the same, and the lowest of equal ones",
    "value": "any move that keeps the value, however long it takes",
}
REPLIES = ("best", "value")  # of which an oracle knows: "first" is the lowest of the best


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
    return solution_from_book(position.copy(), book)


def score(position: Position | Game | str, moves: str = "") -> int:
    """The exact score of a position that goes on, without those of its moves.

    Takes what `solve` takes, and raises as it does; it is several times as fast. A position whose
    winner is known, but not how fast it wins, has no score: `solve` answers there.
    """
    position = _position_of(position, moves)
    book = shipped_book(position.game)
    if book is not None and position.ply <= book.ply and position.outcome is None:
        known = book.find(position)
        if known is not None:
            return known
    return solver_for(position.game).score(position)


def _position_of(position: Position | Game | str, moves: str) -> Position:
    if not isinstance(position, Position):
        return find_game(position).position(moves)
    if moves:
        raise InputError("a position has its moves already: give moves to a game only")
    return position


def solve_or_decide(position: Position | Game | str, moves: str = "") -> Solution | ProvenResult:
    """The exact scores if they can be found soon; otherwise who wins, if that can be proven.

    Where stones do not fall, proofs reach positions that exact scores do not. Takes what `solve`
    takes, and raises as it does.
    """
    position = _position_of(position, moves)
    if position.outcome is not None or not is_provable(position.game):
        return solve(position)
    decider, solver = proof_oracle(position.game), solver_for(position.game)
    if position.game.cells - position.ply > EXACT_CELLS:
        known = decider.by_strategy(position)
        if known is not None:
            return known
    with suppress(NotSolved):
        return solver.solve(position, QUICK)
    return decider.by_strategy(position) or decider.by_proof(position) or solver.solve(position)


def solution_from_book(position: Position, book: Book) -> Solution:
    """Solve a position all of whose children are in the book, or over."""
    win = (position.game.cells - position.ply + 1) // 2
    moves = {}
    for move in position.legal_moves:
        position.push(move)
        score = book.find(position)
        if score is None and position.outcome is None:
            raise InputError(
                f"the book of {position.game.name} does not know {position.notation}: it is not "
                "whole, so make it again"
            )
        moves[move] = win if score is None else -score  # no move ends in a draw this early
        position.pop()
    best = max(moves.values())
    return Solution(best, (best > 0) - (best < 0), moves, 0, position.game)


class Reply(NamedTuple):
    """What perfect play knows of a position that goes on."""

    score: int  # for the side to move; 1, 0 or -1 with the choice "value" and where it is proven
    moves: tuple[int, ...]  # that perfect play may choose, ascending


class Oracle:
    """Perfect replies in one game, by position: found once, by any thread.

    Mirror images share a reply, and the latest `REMEMBERED` replies are kept. Threads that solve
    at the same time have a solver each, since a solver answers one question at a time.
    """

    def __init__(self, game: Game, choice: str = "best") -> None:
        if choice not in REPLIES:
            raise InputError(f"replies {choice!r} are none of {', '.join(REPLIES)}")
        self.game, self.choice = game, choice
        self._known: OrderedDict[tuple[int, ...], Reply] = OrderedDict()
        self._lock = Lock()
        self._idle = list[Solver]()  # solvers that no thread uses now
        self._mirror = game.columns if len(game.shape) == 2 and game.gravity else 0

    def find(self, position: Position) -> Reply:
        """Return the score of a position and the moves that perfect play may choose."""
        stones, image = position.stones, self._image(position.stones)
        lower = min(stones, image)
        with self._lock:
            found = self._known.get(lower)
            if found is not None:
                self._known.move_to_end(lower)
        if found is not None:
            return self._mirrored(found) if image < stones else found
        reply = self._find(position)  # not under the lock: others need not wait for it
        with self._lock:
            self._known[lower] = self._mirrored(reply) if image < stones else reply
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return reply

    def moves(self, position: Position) -> list[int]:
        """Return the moves that perfect play may choose: without a search where they are known."""
        known = self._known_moves(position)
        return list(self.find(position).moves) if known is None else known

    def is_mirrored(self, position: Position) -> bool:
        """Return whether the reply is kept for the mirror image of a position."""
        return self._image(position.stones) < position.stones

    def _image(self, stones: tuple[int, ...]) -> tuple[int, ...]:
        if not self._mirror:
            return stones
        rows = range(0, len(stones), self._mirror)
        return tuple(s for row in rows for s in reversed(stones[row : row + self._mirror]))

    def _mirrored(self, reply: Reply) -> Reply:
        """Return the reply to the mirror image of a position."""
        moves = (self._mirror - 1 - move for move in reversed(reply.moves))
        return Reply(reply.score, tuple(moves))

    def _known_moves(self, position: Position) -> list[int] | None:
        """Return the moves that need no search: shipped replies, or the only one not to lose."""
        if is_provable(self.game):
            if self.game.cells - position.ply <= EXACT_CELLS:
                return None
            only = proof_oracle(self.game).only_move(position)
            return None if only is None else [only]
        book = shipped_book(self.game)
        if self.choice == "value" or book is None or position.ply < book.ply:
            return None
        replies = shipped_replies(self.game)
        return None if replies is None else replies.find(position)

    def _find(self, position: Position) -> Reply:
        require_unfinished(position)
        if is_provable(self.game):
            found = solve_or_decide(position)
            if isinstance(found, ProvenResult):
                return Reply(found.value, tuple(found.moves))
            return self._kept(found)
        book = shipped_book(self.game)
        if book is not None and position.ply < book.ply:
            return self._kept(solution_from_book(position.copy(), book))
        with self._solver() as solver:
            if book is None or (position.ply >= LATE and self.choice == "best"):
                return self._kept(solver.solve(position))
            return self._find_past(book, solver, position.copy())

    def _kept(self, solution: Solution) -> Reply:
        score = solution.value if self.choice == "value" else solution.score
        return Reply(score, tuple(kept_moves(solution.moves, self.choice)))

    def _find_past(self, book: Book, solver: Solver, position: Position) -> Reply:
        """Find the score of a position past the book, then ask of each move whether it keeps it.

        That is several times as fast as the scores of all moves.
        """
        score = _score_past(book, solver, position, self.choice)
        if self.choice == "value" and score < 0:
            return Reply(score, tuple(position.legal_moves))  # any loss will do
        known = self._known_moves(position)
        moves = moves_as_good(position, book, solver, score) if known is None else known
        return Reply(score, tuple(moves))

    @contextmanager
    def _solver(self) -> Iterator[Solver]:
        """Lend a solver that no other thread uses."""
        try:
            solver = self._idle.pop()
        except IndexError:
            solver = Solver(self.game)
        try:
            yield solver
        finally:
            self._idle.append(solver)


@lru_cache(maxsize=4)
def perfect_oracle(game: Game, choice: str) -> Oracle:
    """Return the oracle that all of the process share."""
    return Oracle(game, choice)


def perfect_moves(position: Position, choice: str) -> list[int]:
    """Return the moves of a position that a choice allows, ascending."""
    if choice == "first":
        return perfect_oracle(position.game, "best").moves(position)[:1]
    return perfect_oracle(position.game, choice).moves(position)


def _score_past(book: Book, solver: Solver, position: Position, choice: str) -> int:
    """Return the score of a position that the book ends with, or past it; or its sign.

    Just past the book a bound is known, and it is the score itself if the last move was a best
    one: one question. Otherwise the solver finds the score.
    """
    own, every = solver.pack(position.moves)
    score = book.find(position)
    if score is None and choice == "value":
        score = int(solver.score_words(_one(own), _one(every), (-1, 1))[0])
    if score is None:
        least = book.least(own, every)
        if least > -position.game.cells and _is_at_most(solver, own, every, least):
            return least
        score = solver.score(position)
    return (score > 0) - (score < 0) if choice == "value" else score


def moves_as_good(position: Position, book: Book, solver: Solver, score: int) -> list[int]:
    """Return the moves that score at least so much."""
    kept, win = list[int](), (position.game.cells - position.ply + 1) // 2
    for move in position.legal_moves:
        position.push(move)
        if position.outcome is None:
            own, every = solver.pack(position.moves)
            good = book.least(own, every) <= -score and _is_at_most(solver, own, every, -score)
        else:
            good = score <= (win if position.outcome.winner else 0)
        position.pop()
        if good:
            kept.append(move)
    return kept


def _is_at_most(solver: Solver, own: int, every: int, score: int) -> bool:
    """Return whether a position scores no more than that: one question."""
    return bool(solver.score_words(_one(own), _one(every), (score, score + 1))[0] <= score)


def _one(word: int) -> Words:
    return np.array([word], dtype=np.uint64)


def kept_moves(moves: dict[int, int], choice: str) -> list[int]:
    """Return the moves that a choice allows, given the score of each."""
    best = max(moves.values())
    if choice == "value":
        return [m for m, s in moves.items() if (s > 0) - (s < 0) == (best > 0) - (best < 0)]
    kept = [move for move, score in moves.items() if score == best]
    return kept[:1] if choice == "first" else kept


def moves_proven_soon(position: Position, choice: str) -> list[int] | None:
    """The moves that keep the value of a position, found within about a second; None if not.

    For games with a stored strategy. A position that is known to be lost, but not how slowly, has
    none: all its moves keep the value, and which one holds out longest is not known.
    """
    decider, left = proof_oracle(position.game), position.game.cells - position.ply
    only = decider.only_move(position)
    if only is not None:
        return [only]
    if left <= EXACT_CELLS:
        with suppress(NotSolved):
            return kept_moves(solver_for(position.game).solve(position, QUICK).moves, choice)
    known = decider.by_strategy(position) or decider.by_proof(position, FEW_VISITS)
    if known is None or known.value < 0:
        return None
    return known.moves[:1] if choice == "first" else known.moves


MakeOther = Callable[[Game], CompiledPlayer]


@note_class
class Perfect:
    """The player who never gives anything away: `perfect`, `perfect@first`, `perfect@value`.

    In a game with a stored strategy little is proven of the other side. There the strongest player
    known, which `other` makes, is asked where no move is proven to keep the value; `unproven`
    counts these moves. Without `other`, and in all other games, there are none of them.
    """

    def __init__(self, choice: str = "best", other: MakeOther | None = None) -> None:
        if choice not in CHOICES:
            raise InputError(f"unknown choice '@{choice}': it is one of {', '.join(CHOICES)}")
        self.choice = choice
        self.name = "perfect" if choice == "best" else f"perfect@{choice}"
        self.unproven = 0
        self._make_other = other
        self._others: dict[str, BoundPlayer] = {}  # by the name of the game
        self._stream = make_stream(0)

    def moves(self, position: Position) -> list[int]:
        """All moves that the player may choose; raise InputError where none is proven."""
        return perfect_moves(position, self.choice)

    def move(self, position: Position) -> int:
        """Return one of the moves that the player may choose."""
        require_unfinished(position)
        if self._make_other is None or shipped_strategy(position.game) is None:
            kept = self.moves(position)
        else:
            found = moves_proven_soon(position, self.choice)
            kept = [self._strongest_reply(position, self._make_other)] if found is None else found
        return kept[below(self._stream, len(kept))] if len(kept) > 1 else kept[0]

    def _strongest_reply(self, position: Position, make: MakeOther) -> int:
        """Return the move of the strongest player known, unless threats refute it and not all."""
        self.unproven += 1
        game = position.game
        if game.name not in self._others:
            self._others[game.name] = BoundPlayer(make(game), game, self._stream)
        other = self._others[game.name]
        if position.ply <= 1:
            other.begin()
        move, kept = other.move(position), proof_oracle(game).resistance(position)
        return move if move in kept else kept[below(self._stream, len(kept))]

    def check_answers(self, position: Position) -> bool:
        """Raise InputError for a position early in a game in which it is known to have no answer.

        Return whether a later position of the game may be one: in a game with a stored strategy,
        while there are few stones. Elsewhere it may take long, perhaps in vain, to find out.
        """
        game = position.game
        solver_for(game)  # refuses what it does not reach at all
        if self._make_other or shipped_strategy(game) is None or position.ply > EARLY:
            return False
        decider = proof_oracle(game)
        if decider.only_move(position) is None and decider.by_strategy(position) is None:
            moves = moves_text(game, position.moves)
            raise NotSolved(
                f"perfect has no answer to {moves} in {game.name}, where the stored strategy "
                "does not know it: too large to be solved"
            )
        return True

    def bind(self, game: Game, stream: Stream) -> Perfect:  # noqa: ARG002 - any game will do
        """The same player, drawing from a stream of its own."""
        bound = Perfect(self.choice, self._make_other)
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
    """Return weight 1 for each position's edges of the highest value, or the first."""
    starts = graph.edge_start[:-1][np.diff(graph.edge_start) > 0]
    counts = np.diff(graph.edge_start)[np.diff(graph.edge_start) > 0]
    best = np.repeat(np.maximum.reduceat(value, starts), counts) == value
    if only_first:
        before = np.cumsum(best) - best  # best edges before each, in all positions
        best &= before == np.repeat(before[starts], counts)
    return best.astype(np.float64)


# Perfect play inside compiled loops, so that learners can be trained by it and refereed.
#
# The same moves as `Perfect`, on Connect-4-like boards: scores from the opening book where there is
# one, else by the solver. Most time goes into positions just past the book, and games of a learner
# come through the same ones again and again. So the moves of positions with few stones are
# remembered. And since perfect play gives nothing away, a position has at least the value of the
# last one of the same game was: fewer questions are left.

MOST_CELLS = 30  # of a board without a book: larger ones take too long from the start
TABLE_BITS = 22  # of the solver's table: 32 MiB
KNOWN_BITS = 20  # of the memory of moves: 16 MiB
KNOWN_STONES = 26  # with more, moves are found faster than they are looked up
WORST = -100  # below any score
NOWHERE = Word(2**64 - 1)  # no position has come from there


class PerfectPlayer(NamedTuple):
    """Perfect play for compiled loops."""

    layout: Layout
    solver: PositionSolver
    book_ply: int  # the book holds all positions with so many stones or fewer; -1 for none
    book_keys: Words  # ascending; the lower one of a position and its mirror image
    book_scores: npt.NDArray[np.int8]
    only_value: bool  # whether any move will do that keeps the value
    only_first: bool  # whether the lowest of equal moves is taken
    order: Int64s  # [columns] from the centre outwards
    known_keys: Words  # [2^KNOWN_BITS] of positions whose moves are remembered
    known_moves: Words  # [2^KNOWN_BITS] these moves, a bit for each column
    known_scores: npt.NDArray[np.int8]  # [2^KNOWN_BITS] the values of the positions
    last: Words  # [2] the position after the last move: its own stones, all stones
    found: Int64s  # [1] the value of the position just looked at


def compiled_perfect(
    game: Game, choice: str = "best", most_cells: int = MOST_CELLS
) -> PerfectPlayer:
    """Return the player for one compiled loop, with a memory of its own."""
    book = shipped_book(game) if is_planar(game) else None
    if choice not in CHOICES:
        raise InputError(f"unknown choice '@{choice}': it is one of {', '.join(CHOICES)}")
    if book is None and (not is_planar(game) or game.cells > most_cells):
        raise InputError(
            f"perfect cannot play {game.name} in compiled loops: it needs stones that fall in a "
            f"plane, and a book or a board of at most {most_cells} cells"
        )
    columns = np.arange(game.columns)
    return PerfectPlayer(
        layout_of(game),
        position_solver(new_table(TABLE_BITS), ROW),
        -1 if book is None else book.ply,
        np.zeros(0, dtype=np.uint64) if book is None else book.keys,
        np.zeros(0, dtype=np.int8) if book is None else book.scores,
        choice == "value",
        choice == "first",
        np.argsort(np.abs(2 * columns - (game.columns - 1)), kind="stable").astype(np.int64),
        np.zeros(1 << KNOWN_BITS, dtype=np.uint64),
        np.zeros(1 << KNOWN_BITS, dtype=np.uint64),
        np.zeros(1 << KNOWN_BITS, dtype=np.int8),
        np.full(2, NOWHERE),
        np.zeros(1, dtype=np.int64),
    )


@inline
def begin_perfect(player: PerfectPlayer, stream: Stream) -> None:
    """Do nothing: every game starts alike."""


@jit
def choose_perfect(tables: Tables, board: Board, player: PerfectPlayer, stream: Stream) -> int:
    """The cell of one of the moves that the choice allows."""
    own, mask = pack(tables, board, player.layout)
    moves = remembered_moves(tables, board, player, own, mask)
    if player.only_first:
        moves = lowest(moves)
    number = signed(popcount(moves))
    skipped = 0
    if number > 1:
        skipped = int(np.int64(below(stream, number)))
    for column in range(tables.columns):
        if (moves >> Word(column)) & ONE != ZERO:
            if skipped == 0:
                cell = cell_of(tables, player.layout, mask, column)
                bit = bit_of(tables, player.layout, cell)
                player.last[0], player.last[1] = own | bit, mask | bit
                return cell
            skipped -= 1
    return -1  # never: a game that goes on has a move


@jit
def write_perfect_policy(
    tables: Tables, board: Board, player: PerfectPlayer, weights: npt.NDArray[np.float64]
) -> None:
    """Write equal weights for the moves that the choice allows."""
    own, mask = pack(tables, board, player.layout)
    player.last[0] = player.last[1] = NOWHERE
    moves = remembered_moves(tables, board, player, own, mask)
    if player.only_first:
        moves = lowest(moves)
    for column in range(tables.columns):
        if (moves >> Word(column)) & ONE != ZERO:
            weights[column] = 1.0


register_player(PerfectPlayer, begin_perfect, choose_perfect, write_perfect_policy)


@inline
def pack(tables: Tables, board: Board, layout: Layout) -> tuple[np.uint64, np.uint64]:
    """Return the solver's words of a board: the mover's stones, and all stones."""
    own, mask, stone = ZERO, ZERO, (board.counters[PLY] & 1) + 1
    for cell in range(tables.cells):
        if board.stones[cell] != 0:
            bit = bit_of(tables, layout, cell)
            mask |= bit
            if board.stones[cell] == stone:
                own |= bit
    return own, mask


@inline
def bit_of(tables: Tables, layout: Layout, cell: int) -> np.uint64:
    """The bit of a cell."""
    column, row = cell % tables.columns, cell // tables.columns
    return ONE << (Word(column) * layout.column + Word(row))


@inline
def cell_of(tables: Tables, layout: Layout, mask: np.uint64, column: int) -> int:
    """Return the cell that a stone falls to; beyond the last in a full column."""
    stones = (mask >> (Word(column) * layout.column)) & layout.leftmost
    return signed(popcount(stones)) * tables.columns + column


@inline
def remembered_moves(
    tables: Tables, board: Board, player: PerfectPlayer, own: np.uint64, mask: np.uint64
) -> np.uint64:
    """Return the moves that the choice allows, a bit for each column; cached."""
    key = own + mask
    place = (key * MULTIPLIER) >> Word(64 - KNOWN_BITS)
    few = board.counters[PLY] <= KNOWN_STONES
    if few and player.known_moves[place] != ZERO and player.known_keys[place] == key:
        player.found[0] = player.known_scores[place]
        return player.known_moves[place]
    moves = find_moves(tables, board, player, own, mask)
    if few:
        player.known_keys[place], player.known_moves[place] = key, moves
        player.known_scores[place] = player.found[0]
    return moves


@inline
def least_score(player: PerfectPlayer, own: np.uint64, mask: np.uint64) -> int:
    """Return a lower bound on the score: the last position's, if this one follows it."""
    last_own, last_mask = player.last[0], player.last[1]
    same = (own & last_mask) == last_own and (mask & last_mask) == last_mask
    if same and popcount(mask) == popcount(last_mask) + ONE:
        return player.found[0]
    return WORST


@jit
def find_moves(
    tables: Tables, board: Board, player: PerfectPlayer, own: np.uint64, mask: np.uint64
) -> np.uint64:
    """Find the allowed moves, asking only whether each is as good as the best so far."""
    layout, ply = player.layout, board.counters[PLY]
    left = tables.cells - ply
    best, moves = least_score(player, own, mask), ZERO
    for column in player.order:
        cell = cell_of(tables, layout, mask, column)
        if cell >= tables.cells:
            continue
        after = mask | bit_of(tables, layout, cell)
        if board.threat[ply & 1, cell] > 0:
            score = (left + 1) >> 1
        elif left == 1:
            score = 0
        else:
            score = -score_after(player, own ^ mask, after, ply + 1, -best)
        if player.only_value:
            score = min(max(score, -1), 1)
        if score > best:
            best, moves = score, ZERO
        if score == best:
            moves |= ONE << Word(column)
    player.found[0] = best
    return moves


@inline
def score_after(
    player: PerfectPlayer, own: np.uint64, mask: np.uint64, ply: int, enough: int
) -> int:
    """Return the score of a position, or any above `enough` where it is higher."""
    layout = player.layout
    if ply <= player.book_ply:
        key = own + mask
        return book_score(player, min(key, mirrored(layout, key)))
    low, high = WORST, enough + 1
    if player.only_value:
        low, high = -1, min(enough + 1, 1)
    return score_of(layout, player.solver, own, mask, (low, high))


@inline
def book_score(player: PerfectPlayer, key: np.uint64) -> int:
    """Return the score of a position that is in the book."""
    low, high = 0, len(player.book_keys) - 1
    while low < high:
        middle = (low + high) >> 1
        if player.book_keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return int(np.int64(player.book_scores[low]))
