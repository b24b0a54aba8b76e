"""The Connect Four paper's scaling study: two minimax agents play a game on thirteen boards.

Abegg and Buhite, "Exploring Minimax and Temporal Difference Learning for Connect Four", section
IV: minimax with alpha-beta, six moves deep, from 6x7 in steps of two to 30x31; the run time of a
whole game (Figure 2) and the heap that it allocates in all (Figure 3). This file runs it;
`connect_four_report` holds it against the paper and says where the two differ.
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import import_module
from itertools import product

import numpy as np

from inarow.engine.tables import tables_of
from inarow.game import Game, InputError, Position
from inarow.papers import naive_minimax
from inarow.papers.results import Report, Results, made_with
from inarow.search.minimax import ORDERS, Searcher

Board = tuple[int, int]  # rows and columns

BOARDS = tuple((rows, rows + 1) for rows in range(6, 31, 2))
DEPTH = 6  # in all of the paper's runs
OURS, NAIVE = "inarow", "naive"
REPEATS, SHORT = 3, 5.0  # games of less than so many seconds are timed so often
UNFINISHED = "unfinished"  # the outcome of a game that was stopped when its time was over

# The end of Figure 1's game, from the top row down; the second has four in a row.
FIGURE_1 = (".212111", ".112122", ".221211", ".221212", "2121121", "2112212")


@dataclass(frozen=True)
class Scale:
    """How much of the study is run."""

    boards: tuple[Board, ...]  # for our search
    naive_boards: tuple[Board, ...]  # for the naive program
    depths: tuple[int, ...]  # other than the paper's, on the same boards: its future work
    figure_1_depths: int  # Figure 1's game is looked for among agents of up to this depth
    limit: float = 90  # CPU seconds for a game; what takes longer stays unfinished


SCALES = {
    "quick": Scale(BOARDS[:5], BOARDS[:2], (2, 4), 4),
    # The naive program takes about a minute on 14x15 and far longer beyond.
    "paper": Scale(BOARDS, BOARDS[:5], (2, 3, 4, 5, 7, 8), 8),
}


@dataclass(frozen=True)
class Run:
    """A game between two minimax agents of one program, and what it took."""

    program: str  # OURS, or NAIVE: `naive_minimax`
    rows: int
    columns: int
    depth: int
    outcome: str  # first, second, draw or UNFINISHED
    moves: int
    seconds: float  # CPU time, the least of REPEATS for a short game
    nodes: int  # positions whose moves were looked at
    leaves: int | None  # horizon positions scanned; None where their value is read off unvisited
    held_bytes: int  # arrays of both agents, all made before the first move: the peak
    allocated_bytes: int  # all arrays ever made: the same, and the position handed over each move
    traced_peak_bytes: int | None  # the most Python and NumPy held at a time; None if not traced
    process_peak_bytes: int | None  # the most that the process ever held, compiler and all
    game: str  # the moves

    @property
    def ms_a_move(self) -> float:
        """CPU milliseconds a move."""
        return 1000 * self.seconds / max(1, self.moves)

    @property
    def positions_a_move(self) -> float:
        """Positions visited for a move: those whose moves were looked at, and leaves."""
        return (self.nodes + (self.leaves or 0)) / max(1, self.moves)

    @property
    def board(self) -> str:
        """As in 6x7: rows and columns."""
        return f"{self.rows}x{self.columns}"

    @property
    def finished(self) -> bool:
        """Whether the game was played to its end."""
        return self.outcome != UNFINISHED


def study(scale: str, report: Report = lambda text, share: None) -> Results:
    """Runs the study: our search, other depths, the naive program, and Figure 1's game."""
    size = scale_of(scale)
    depths = sorted({DEPTH, *size.depths})
    jobs = [(OURS, board, depth) for depth, board in product(depths, size.boards)]
    jobs += [(NAIVE, board, DEPTH) for board in size.naive_boards]
    report("compiling", 0)
    for program in PROGRAMS:
        measure(program, (4, 5), 3)  # before any clock starts
    # The naive program takes most of the time, and the more of it the larger the board is.
    weights = [board[0] if program == NAIVE else 1 for program, board, _ in jobs]
    runs, done = [], 0
    for (program, board, depth), weight in zip(jobs, weights, strict=True):
        text = f"{program}, {board[0]}x{board[1]}, depth {depth}"
        tick = _ticker(report, text, done / sum(weights), weight / sum(weights))
        tick(0)
        runs.append(measure(program, board, depth, size.limit, tick))
        done += weight
    report("Figure 1's game", 1)
    facts = {"figure_1": figure_1_games(size.figure_1_depths)}
    rows = [asdict(run) for run in runs]
    return Results("connect-four", "minimax", scale, rows, facts, made_with())


def scale_of(name: str) -> Scale:
    """The scale of that name."""
    if name not in SCALES:
        raise InputError(f"unknown scale {name!r}: there is {' and '.join(SCALES)}")
    return SCALES[name]


def runs_of(results: Results) -> list[Run]:
    """The games of stored results."""
    try:
        return [Run(**row) for row in results.rows]
    except TypeError as error:
        raise InputError(f"these are no results of the minimax study: {error}") from None


def figure_1_games(deepest: int) -> dict[str, int]:
    """Plays all games between two agents of all depths and orders, and looks for Figure 1's end.

    The paper does not say which agents play in Figure 1. An end may be its mirror image.
    """
    game = Game((6, 7), 4, gravity=True)
    agents = [
        Searcher(tables_of(game), depth, order)
        for depth in range(1, deepest + 1)
        for order in ORDERS
    ]
    shown = [int(cell) for row in reversed(FIGURE_1) for cell in row.replace(".", "0")]
    ends = [shown, np.fliplr(np.reshape(shown, (6, 7))).ravel().tolist()]
    moves = sum(1 for cell in shown if cell)
    games = same_end = same_length = 0
    for pair in product(agents, agents):
        position = Position(game)
        while position.outcome is None:
            stones = np.array(position.stones, dtype=np.int8)
            position.push(pair[position.ply % 2].run(stones).move)
        games += 1
        same_end += list(position.stones) in ends
        same_length += (position.ply, position.outcome.value) == (moves, "second")
    return {
        "deepest": deepest,
        "orders": len(ORDERS),
        "games": games,
        "same_end": same_end,
        "same_length_and_winner": same_length,
    }


class _Program(ABC):
    """Both agents of a game, and what they used."""

    nodes: int
    leaves: int | None
    held_bytes: int
    allocated_bytes: int

    @abstractmethod
    def __init__(self, game: Game, depth: int) -> None:
        """Both agents, ready to play."""

    @abstractmethod
    def move(self, position: Position) -> int:
        """Chooses a move."""


class _OurProgram(_Program):
    """Two agents of `inarow.search`, each with a memory of its own."""

    def __init__(self, game: Game, depth: int) -> None:
        tables = tables_of(game)
        self.agents = [Searcher(tables, depth) for _ in range(2)]
        shared = sum(part.nbytes for part in tables if isinstance(part, np.ndarray))
        boards = sum(part.nbytes for agent in self.agents for part in agent.board)
        self.held_bytes = shared + boards + sum(agent.bytes for agent in self.agents)
        self.allocated_bytes = self.held_bytes
        self.nodes = 0
        self.leaves = None

    def move(self, position: Position) -> int:
        stones = np.array(position.stones, dtype=np.int8)
        self.allocated_bytes += stones.nbytes
        result = self.agents[position.ply % 2].run(stones)
        self.nodes += result.nodes
        return result.move


class _NaiveProgram(_Program):
    """The naive program, which plays both sides on its one board."""

    def __init__(self, game: Game, depth: int) -> None:
        self.depth, self.program = depth, naive_minimax.new_program(game, depth)
        self.held_bytes = self.allocated_bytes = naive_minimax.held_bytes(self.program)
        self.nodes, self.leaves = 0, 0

    def move(self, position: Position) -> int:
        column = int(naive_minimax.choose_column(self.program, self.depth, position.ply))
        naive_minimax.play_column(self.program, column, position.to_move)
        self.nodes, self.leaves = (int(count) for count in self.program.counts)
        return column


PROGRAMS: dict[str, type[_Program]] = {OURS: _OurProgram, NAIVE: _NaiveProgram}


def measure(
    program: str,
    board: Board,
    depth: int,
    limit: float = 60,
    tick: Callable[[float], None] = lambda share: None,
) -> Run:
    """Plays a game and says what it took.

    A short game is played again, always the same, and its least time counts; then once more to
    trace memory, which takes time itself. No move is interrupted, so `limit` may be passed.
    """
    agents, position, seconds = _play(program, board, depth, limit, tick)
    peak = None
    if seconds < SHORT:
        for _ in range(REPEATS - 1):
            seconds = min(seconds, _play(program, board, depth, limit, tick)[2])
        peak = _traced_peak(lambda: _play(program, board, depth, limit, tick))
    return Run(
        program=program,
        rows=board[0],
        columns=board[1],
        depth=depth,
        outcome=position.outcome.value if position.outcome else UNFINISHED,
        moves=position.ply,
        seconds=seconds,
        nodes=agents.nodes,
        leaves=agents.leaves,
        held_bytes=agents.held_bytes,
        allocated_bytes=agents.allocated_bytes,
        traced_peak_bytes=peak,
        process_peak_bytes=_process_peak(),
        game=position.notation,
    )


def _play(
    program: str, board: Board, depth: int, limit: float, tick: Callable[[float], None]
) -> tuple[_Program, Position, float]:
    """A game from the first array made for it to its end, and its CPU seconds."""
    game = Game(board, 4, gravity=True)
    position = Position(game)
    began = time.process_time()
    agents = PROGRAMS[program](game, depth)
    while position.outcome is None and time.process_time() - began < limit:
        position.push(agents.move(position))
        tick((time.process_time() - began) / limit)
    return agents, position, time.process_time() - began


def _traced_peak(play: Callable[[], object]) -> int:
    """The most that Python and NumPy held at a time meanwhile, beyond what they held before."""
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        play()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not tracing:
            tracemalloc.stop()


def _ticker(report: Report, text: str, before: float, weight: float) -> Callable[[float], None]:
    """Reports the share that is done of everything, from the share of one game's time."""
    return lambda share: report(text, before + weight * min(share, 1))


def _process_peak() -> int | None:
    """The most memory that this process ever held, where the system tells."""
    try:
        resource = import_module("resource")
    except ImportError:  # not on Windows
        return None
    peak = int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peak if sys.platform == "darwin" else 1024 * peak
