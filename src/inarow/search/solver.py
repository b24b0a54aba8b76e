"""Perfect play: the exact score of a position and of each of its moves.

Two searches do the work, in one loop (`solver_loop`). `connect4_solver` takes Connect-4-like boards
of (rows + 1) * columns <= 64, any width, height and length of line; `general_solver` takes every
other board of at most 64 cells, also where axes wrap or a line loses, as far as its search gets.

The score of a position, for the side to move: if it wins, the stones it would own in a full game
plus one, less the stones it has used when it wins; the negative of that if the other side wins;
0 for a draw. So a faster win scores more, and the last stone of a full board wins 1. That is half
the cells still empty at the end, rounded down, plus one; where a line loses, it is that, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from threading import Event, Lock
from typing import NamedTuple

import numpy as np

from inarow.engine.board import Int64s, Words
from inarow.engine.clock import Stopwatch
from inarow.engine.jit import HAS_ENTRY_POINTS, call_entry, entry_point, inline, jit
from inarow.engine.players import words_of
from inarow.game import Game, InputError, Position
from inarow.game import game as find_game
from inarow.game.position import move_text, parse_moves
from inarow.game.progress import Progress
from inarow.game.report import HasReport, Report
from inarow.search import bitboard, connect4_solver, general_solver, masks, solver_loop
from inarow.search.bitboard import Layout
from inarow.search.connect4_solver import ROW
from inarow.search.solver_loop import (
    DEPTH,
    HIGH,
    LOW,
    NODES,
    POSITION,
    SearchStack,
    Table,
    new_stack,
)


class NotSolved(InputError):  # noqa: N818 - said of the position, not of an error
    """A search was given up at its limit of nodes or of seconds.

    `bounds` says what it found out: for each position of the call, between which two scores its
    own lies.
    """

    def __init__(self, message: str, bounds: Sequence[tuple[int, int]] = ()) -> None:
        super().__init__(message)
        self.bounds = list(bounds)


@dataclass(frozen=True, repr=False)
class Solution(HasReport):
    """The exact scores of a position that goes on, for its side to move."""

    score: int  # as `solver` says
    value: int  # 1 wins, 0 draws, -1 loses
    moves: dict[int, int]  # for each legal move the score of playing it
    nodes: int  # positions the search went through
    game: Game | None = None  # whose moves they are

    def report(self) -> Report:
        """Return the report: the moves, the best first."""
        ends = {1: "wins", 0: "draws", -1: "loses"}
        moves = sorted(self.moves.items(), key=lambda move: -move[1])
        rows = [
            (
                str(move) if self.game is None else move_text(self.game, move),
                f"{score:+d}" if score else "0",
                ends[(score > 0) - (score < 0)],
            )
            for move, score in moves
        ]
        for_whom = {1: "a win", 0: "a draw", -1: "a loss"}[self.value]
        title = f"Score {self.score:+d}: {for_whom} for the side to move"
        return Report(title, ("move", "score", "result"), rows)


# Several threads on one position: each walks the whole tree, and they share the early table.
#
# What one finds out the others find in the table, and after the first move of a node each takes one
# that no other is searching (`connect4_solver.take_next`). The threads answer one question at a
# time, and the first answer ends it.

EVERY_SCORE = (-100, 100)  # a window that leaves nothing out
ALONE = 100_000  # nodes that one thread takes before it asks for help
SLICE = 200_000  # nodes between two looks whether another thread has answered

Count = Callable[[int], None]  # is told nodes as they are searched; raises where they are too many


def solve_together(
    layout: Layout,
    table: Table,
    batch: solver_loop.Batch,
    window: tuple[int, int],
    threads: int,
    count: Count,
    bounds: list[tuple[int, int]],
) -> None:
    """Fill in the scores of positions that go on, by several threads.

    `bounds` says meanwhile between which two scores that of each position lies.
    """
    for at in range(len(batch.owns)):
        only = slice(at, at + 1)
        one = solver_loop.Batch(batch.owns[only], batch.masks[only], batch.scores[only])
        stack = new_stack(ROW)
        solved = solver_loop.solve_many(layout, table, stack, one, window, ALONE)
        low, high = int(stack.state[LOW]), int(stack.state[HIGH])
        bounds[at] = low, high
        count(int(stack.state[NODES]))
        while not solved and low < high:
            question = min(max(low, 0), high - 1)
            score = _answer(layout, table, one, question, threads, count)
            low, high = (score, high) if score > question else (low, question)
            one.scores[0], bounds[at] = low, (low, high)


def _answer(
    layout: Layout,
    table: Table,
    one: solver_loop.Batch,
    question: int,
    threads: int,
    count: Count,
) -> int:
    """Return a score above the question, or the question itself where there is none."""
    answered = Event()

    def search_alone() -> int | None:
        stack = new_stack(ROW)
        late = np.zeros_like(table.late)  # it stays in the cache of this thread's core
        mine, memory = one._replace(scores=np.zeros(1, dtype=np.int64)), table._replace(late=late)
        while not answered.is_set():
            solved = _slice(layout, memory, stack, mine, question, count)
            if solved:
                answered.set()
                return int(mine.scores[0])
        return None

    with ThreadPoolExecutor(threads) as pool:
        try:
            threads_at_work = [pool.submit(search_alone) for _ in range(threads)]
            answers = [each.result() for each in threads_at_work]
        finally:
            answered.set()  # also where a person wants to stop, or the nodes are too many
    return next(answer for answer in answers if answer is not None)


def _slice(
    layout: Layout,
    table: Table,
    stack: SearchStack,
    mine: solver_loop.Batch,
    question: int,
    count: Count,
) -> bool:
    """Go on with a thread's walk for a while; return whether that answered."""
    before = int(stack.state[NODES])
    window = question, question + 1
    solved = solver_loop.solve_many(layout, table, stack, mine, window, before + SLICE)
    count(int(stack.state[NODES]) - before)
    return solved


# One position at a time, with little around the search.
#
# A call of compiled code takes the longer the more arrays it is given: with those of a search,
# longer than a late position takes to be solved. So they are handed over once (`entry_point`), and
# a call passes one number.


class Asked(NamedTuple):
    """A position, and all that its search needs."""

    board: solver_loop.Board
    table: solver_loop.Memory
    stack: SearchStack
    batch: solver_loop.Batch  # of one position


@inline
def _search_on(asked: Asked, stop: int) -> np.int64:
    """Search up to so many nodes; return the score, or UNKNOWN where it is not found by then."""
    batch, window = asked.batch, EVERY_SCORE
    solved = solver_loop.solve_many(asked.board, asked.table, asked.stack, batch, window, stop)
    return np.int64(batch.scores[0]) if solved else np.int64(solver_loop.UNKNOWN)


@jit
def _hand_over(asked: Asked, address: int) -> int:
    """Return the entry point of the search."""
    return entry_point(_search_on, asked, address)


@jit
def _call(entry: Int64s, stop: int) -> int:
    return call_entry(entry[0], entry[1], stop)


class SingleSearch:
    """The search of one position after another, in one table."""

    def __init__(
        self, board: solver_loop.Board, table: solver_loop.Memory, width: np.uint64
    ) -> None:
        self.table = table
        self._owns, self._masks = np.zeros((2, 1), dtype=np.uint64)
        stack = new_stack(width)
        self.state = stack.state
        batch = solver_loop.Batch(self._owns, self._masks, np.zeros(1, dtype=np.int64))
        self._asked = Asked(board, table, stack, batch)
        self._memory = np.zeros(words_of(self._asked), dtype=np.int64)
        address = self._memory.ctypes.data
        self._entry = np.array([_hand_over(self._asked, address), address], dtype=np.int64)

    def begin(self, own: int, every: int) -> None:
        """Take a position: stones of the side to move, and all stones."""
        state = self.state
        state[POSITION], state[NODES], state[DEPTH] = 0, 0, -1
        self._owns[0], self._masks[0] = own, every

    def search(self, stop: int) -> int:
        """Search up to so many nodes in all; return the score, or UNKNOWN if it is not found."""
        return _call(self._entry, stop)

    @property
    def bounds(self) -> tuple[int, int]:
        """The lowest and the highest score that the position can have."""
        state = self.state
        return int(state[LOW]), int(state[HIGH])


def is_same_order(cell_bits: Sequence[int]) -> bool:
    """Return whether the bit of each cell is that of its own number."""
    return all(bit == 1 << cell for cell, bit in enumerate(cell_bits))


def by_byte(cell_bits: Sequence[int]) -> list[list[int]]:
    """For each eight cells and each set of them: the bits that these cells have in a solver."""
    tables = []
    for start in range(0, len(cell_bits), 8):
        sets = [0]
        for bit in cell_bits[start : start + 8]:
            sets += [others | bit for others in sets]
        tables.append(sets)
    return tables


# The solver, and how it is asked.

CHUNK = 4_000_000  # nodes between two looks at the limit, and at a person who wants to stop
TIMED_CHUNK = 100_000  # the same where the clock is looked at: a fraction of a second
LIMIT = 2_000_000_000  # nodes after which a search is given up, where stones fall in a plane
GENERAL_LIMIT = 50_000_000  # the same elsewhere
MAX_TABLE_BITS = 24  # of a table that is chosen here: 128 MiB
GENERAL_TABLE_BITS = 20  # 32 MiB
REACH = (
    "the solver reaches games that the first line ends, on boards of at most 64 cells, "
    "and best where stones fall in a plane and (rows + 1) * columns is at most 64"
)


@dataclass(frozen=True)
class _Backend:
    """One of the two searches, made ready for a game."""

    board: solver_loop.Board
    bit: Callable[[int], int]  # the bit of a cell
    width: np.uint64  # words of a node
    table_bits: Callable[[int], int]  # how large a table pays with so many empty cells
    new_table: Callable[[int], solver_loop.Memory]
    limit: int


def is_planar(game: Game) -> bool:
    """Return whether stones fall in a plane, as in Connect Four, and two words hold the board.

    These games are solved by a search of their own, which is much faster than the general one.
    """
    return (
        game == Game(game.shape, game.k, gravity=True)
        and len(game.shape) <= 2
        and (game.shape[0] + 1) * game.columns <= bitboard.MAX_BITS
    )


def _method_for(game: Game) -> _Backend:
    if is_planar(game):
        height, columns = game.shape[0] + 1, game.columns
        return _Backend(
            board=bitboard.layout_of(game),
            bit=lambda cell: (cell % columns) * height + cell // columns,
            width=connect4_solver.ROW,
            table_bits=lambda left: min(max(left - 6, solver_loop.LATE_BITS), MAX_TABLE_BITS),
            new_table=solver_loop.new_table,
            limit=LIMIT,
        )
    known = Game(game.shape, game.k, game.gravity, wrap=game.wrap, misere=game.misere)
    if game != known or game.cells > bitboard.MAX_BITS:
        raise InputError(f"{game.name} is out of reach: {REACH}")
    return _Backend(
        board=masks.lines_of(game),
        bit=lambda cell: cell,
        width=general_solver.ROW,
        table_bits=lambda left: min(max(left, solver_loop.MIN_BITS), GENERAL_TABLE_BITS),
        new_table=general_solver.new_table,
        limit=GENERAL_LIMIT,
    )


class Solver:
    """A solver of the positions of one game, with a table that serves the next one.

    `table_bits` sets the size of the table, 2^table_bits entries, for good; else it grows with
    the number of empty cells. `limit` is how many nodes one call may take before it gives up
    with `NotSolved`. `progress` is called with the number of nodes now and then. With `workers`,
    so many threads work on each position at once, where stones fall in a plane; scores are the
    same, but nodes differ from run to run.
    """

    def __init__(
        self,
        game: Game | str,
        *,
        table_bits: int | None = None,
        limit: int | None = None,
        progress: Progress | None = None,
        workers: int = 1,
    ) -> None:
        self.game = find_game(game)
        self._method = _method_for(self.game)
        if table_bits is not None and not solver_loop.MIN_BITS <= table_bits <= 32:
            raise InputError(
                f"table_bits must be between {solver_loop.MIN_BITS} and 32, not {table_bits}"
            )
        self._cell_bits = [1 << self._method.bit(cell) for cell in range(self.game.cells)]
        self.workers = workers
        self._fixed_bits = table_bits
        self._bits = 0
        self._table: solver_loop.Memory | None = None
        self._alone: SingleSearch | None = None
        self._by_byte = None if is_same_order(self._cell_bits) else by_byte(self._cell_bits)
        self._lock = Lock()  # one search at a time: they share the table
        self.limit = self._method.limit if limit is None else limit
        self.progress = progress
        self.nodes = 0  # of all calls so far

    @property
    def workers(self) -> int:
        """How many threads work on a position at once."""
        return self._workers

    @workers.setter
    def workers(self, number: int) -> None:
        if number < 1 or (number > 1 and not is_planar(self.game)):
            raise InputError(
                f"workers must be 1 or more, and 1 where stones do not fall in a plane or "
                f"(rows + 1) * columns is above 64, not {number} on {self.game.name}"
            )
        self._workers = number

    def make_ready(self) -> None:
        """Make the largest table that the game needs, and writes to all of it once.

        Systems hand out memory when it is first written to, page by page: a search in the midst
        of which that happens can take ten times as long.
        """
        with self._lock:
            self._bits = self._fixed_bits or self._method.table_bits(self.game.cells)
            self._table = made = self._method.new_table(self._bits)
            for part in made if isinstance(made, tuple) else [made]:
                if isinstance(part, np.ndarray):
                    part.fill(0)

    def solve(self, position: Position | str, limit: int | None = None) -> Solution:
        """The score of a position and of every move in it; `limit` as in the constructor."""
        position = self._going_on(position)
        before, left = self.nodes, self.game.cells - position.ply
        other, every = self._words_of_other(position)
        moves, goes_on = dict[int, int](), list[int]()
        words = list[tuple[int, int]]()
        for move in position.legal_moves:
            moves[move] = 0  # a draw, unless:
            if position.completes(move):
                moves[move] = (left + 1) // 2 * (-1 if self.game.misere else 1)
            elif left > 1:
                goes_on.append(move)
                words.append((other, every | self._cell_bits[position.cell_of(move)]))
        scores = self._scores(*_columns(words), left - 1, EVERY_SCORE, limit)
        moves.update(zip(goes_on, (-scores).tolist(), strict=True))
        score = max(moves.values())
        nodes = self.nodes - before
        return Solution(score, (score > 0) - (score < 0), moves, nodes, self.game)

    def score(self, position: Position | str) -> int:
        """The score of a position alone."""
        position = self._going_on(position)
        own, other = position.bits if position.to_move == 1 else position.bits[::-1]
        own, other = self._solver_bits(own), self._solver_bits(other)
        if not HAS_ENTRY_POINTS or self.workers > 1 or self.progress is not None:
            return int(self.score_words(*_columns([(own, own | other)]))[0])
        with self._lock:
            return self._score_alone(own, own | other, self.game.cells - position.ply)

    def _score_alone(self, own: int, every: int, left: int) -> int:
        """The score of a position that goes on, as bits, with so many empty cells."""
        table, alone = self._make_room(left), self._alone
        if alone is None or alone.table is not table:
            alone = SingleSearch(self._method.board, table, self._method.width)
            self._alone = alone
        alone.begin(own, every)
        limit, stop, score = self.limit, 0, solver_loop.UNKNOWN
        while score == solver_loop.UNKNOWN and stop < limit:
            stop = min(stop + CHUNK, limit)
            score = alone.search(stop)
        self.nodes += int(alone.state[NODES])
        if score == solver_loop.UNKNOWN:
            raise self._not_solved(f"{limit:,} nodes", [alone.bounds])
        return score

    def _solver_bits(self, cells: int) -> int:
        """Stones with a bit for each cell, in the bits of the solver."""
        if self._by_byte is None:
            return cells
        word = 0
        for bits, byte in zip(self._by_byte, cells.to_bytes(8, "little"), strict=False):
            word |= bits[byte]
        return word

    def scores(self, positions: Iterable[str | Sequence[int]]) -> Int64s:
        """The scores of many positions, each given by its moves: as text, or as numbers."""
        return self.score_words(*_columns([self.pack(moves) for moves in positions]))

    def score_words(
        self,
        owns: Words,
        every: Words,
        window: tuple[int, int] = EVERY_SCORE,
        limit: int | None = None,
        seconds: float | None = None,
    ) -> Int64s:
        """The scores of many positions as bits: stones of the side to move, and all stones.

        Where only scores inside a window matter, those outside come out as its ends, or beyond.
        `limit` is as in the constructor, `seconds` after how many it gives up as well; those
        spent compiling do not count.
        Which bit is which cell: see `bits` where stones fall in a plane, and the cells' own
        numbers elsewhere; `pack` makes these words.
        """
        owns = np.ascontiguousarray(owns, dtype=np.uint64)
        every = np.ascontiguousarray(every, dtype=np.uint64)
        if owns.ndim != 1 or owns.shape != every.shape:
            raise InputError("own stones and all stones must be two lists of the same length")
        batch = solver_loop.Batch(owns, every, np.zeros(len(owns), dtype=np.int64))
        wrong = solver_loop.first_wrong(self._method.board, batch)
        if wrong >= 0:
            raise InputError(f"position {wrong + 1} of {len(owns)} is over or cannot arise")
        most = self.game.cells - int(np.bitwise_count(every).min(initial=64))
        return self._scores(owns, every, most, window, limit, seconds)

    def _scores(
        self,
        owns: Words,
        every: Words,
        most: int,
        window: tuple[int, int],
        limit: int | None,
        seconds: float | None = None,
    ) -> Int64s:
        """The scores of positions that go on, with so many empty cells at most."""
        batch = solver_loop.Batch(owns, every, np.zeros(len(owns), dtype=np.int64))
        if len(owns):
            with self._lock:
                self._run(batch, most, window, self.limit if limit is None else limit, seconds)
        return batch.scores

    def pack(self, moves: str | Sequence[int]) -> tuple[int, int]:
        """The words of the position after some moves: stones of the side to move, all stones."""
        played = parse_moves(self.game, moves) if isinstance(moves, str) else moves
        columns, cells = self.game.columns, self.game.cells
        heights = [0] * columns
        stones = [0, 0]
        for ply, move in enumerate(played):
            if not 0 <= move < columns or heights[move] * columns + move >= cells:
                raise InputError(f"move {move} at ply {ply + 1} of {moves} cannot be played")
            stones[ply % 2] |= self._cell_bits[heights[move] * columns + move]
            heights[move] += 1
        return stones[len(played) % 2], stones[0] | stones[1]

    def _words_of_other(self, position: Position) -> tuple[int, int]:
        """The words of a position: stones of the side that is not to move, all stones."""
        words, bits = [0, 0, 0], self._cell_bits
        for cell, stone in enumerate(position.stones):
            words[stone] |= bits[cell]
        return words[3 - position.to_move], words[1] | words[2]

    def _going_on(self, position: Position | str) -> Position:
        """A position that is not over."""
        position = self.game.position(position) if isinstance(position, str) else position
        if position.game is not self.game and position.game != self.game:
            raise InputError(f"this solver is for {self.game.name}, not {position.game.name}")
        if position.outcome is not None:
            raise InputError(f"the game is over ({position.outcome}): there is nothing to solve")
        return position

    def _make_room(self, most: int) -> solver_loop.Memory:
        """Return the table, made as large as positions with so many empty cells need."""
        wanted = self._fixed_bits or self._method.table_bits(most)
        if self._table is None or wanted > self._bits:
            self._table, self._bits = self._method.new_table(wanted), wanted
        return self._table

    def _run(
        self,
        batch: solver_loop.Batch,
        most: int,
        window: tuple[int, int],
        limit: int,
        seconds: float | None,
    ) -> None:
        method = self._method
        table = self._make_room(most)
        if self.workers > 1:
            self._run_together(batch, window, limit, seconds)
            return
        stack = new_stack(method.width)
        solved, nodes, before = False, 0, self.nodes
        chunk, most_seconds, watch = CHUNK, np.inf, Stopwatch()
        if self.progress is not None:  # a person sees it move from the first second on
            chunk = TIMED_CHUNK
        if seconds is not None:
            chunk, most_seconds = TIMED_CHUNK, seconds
        while not solved:
            if nodes >= limit or watch.seconds >= most_seconds:
                spent = f"{limit:,} nodes" if nodes >= limit else f"{seconds:g} seconds"
                raise self._not_solved(spent, _bounds_so_far(stack, batch))
            stop = min(nodes + chunk, limit)
            solved = solver_loop.solve_many(method.board, table, stack, batch, window, stop)
            nodes = int(stack.state[NODES])
            self._count(before + nodes - self.nodes)

    def _run_together(
        self, batch: solver_loop.Batch, window: tuple[int, int], limit: int, seconds: float | None
    ) -> None:
        layout, shared, most = self._method.board, self._table, self.nodes + limit
        most_seconds, watch = np.inf if seconds is None else seconds, Stopwatch()
        assert isinstance(layout, bitboard.Layout)
        assert isinstance(shared, solver_loop.Table)
        counting, bounds = Lock(), [EVERY_SCORE] * len(batch.owns)

        def count(nodes: int) -> None:
            with counting:
                self._count(nodes)
                if self.nodes >= most:
                    raise self._not_solved(f"{limit:,} nodes", bounds)
                if watch.seconds >= most_seconds:
                    raise self._not_solved(f"{seconds:g} seconds", bounds)

        solve_together(layout, shared, batch, window, self.workers, count, bounds)

    def _count(self, nodes: int) -> None:
        self.nodes += nodes
        if self.progress is not None:
            self.progress(self.nodes)

    def _not_solved(self, spent: str, bounds: Sequence[tuple[int, int]]) -> NotSolved:
        return NotSolved(f"not solved within {spent}: {self.game.name} is large", bounds)


def _bounds_so_far(stack: SearchStack, batch: solver_loop.Batch) -> list[tuple[int, int]]:
    """Between which scores those of a batch lie, as far as its search has come."""
    at = int(stack.state[POSITION])
    bounds = [(score, score) for score in batch.scores[:at].tolist()]
    if stack.state[DEPTH] >= 0:  # a question is open
        bounds.append((int(stack.state[LOW]), int(stack.state[HIGH])))
    return bounds + [EVERY_SCORE] * (len(batch.owns) - len(bounds))


def _columns(words: list[tuple[int, int]]) -> tuple[Words, Words]:
    owns, every = zip(*words, strict=True) if words else ((), ())
    return np.array(owns, dtype=np.uint64), np.array(every, dtype=np.uint64)


@lru_cache(maxsize=4)
def solver_for(game: Game) -> Solver:
    """A solver of the game that others may share."""
    return Solver(game)
