"""The Connect Four paper's scaling study: two minimax agents play a game on thirteen boards.

Abegg and Buhite, "Exploring Minimax and Temporal Difference Learning for Connect Four", section
IV: minimax with alpha-beta, six moves deep, from 6x7 in steps of two to 30x31; the run time of a
whole game (Figure 2) and the heap that it allocates in all (Figure 3).

Differences from the paper, or from what it leaves open:

1. Its pseudocode raises the best value before it compares with it, so that as printed the best
   move of MAXVAL never changes; and it cuts off after the loop over moves. Read here as what is
   meant: the first best move is kept, and the loop ends where alpha reaches beta.
2. It adjusts a win by the depth left, here by the moves until then. Both prefer the nearer win.
3. "Three in a row" is read as three stones of one side and an empty cell on one line of four, the
   empty cell anywhere among them; likewise for two.
4. Its figure of memory is what Valgrind counts as allocated in all, not what is held at a time.
   Ours allocates before the first move and never again, so that here both are the same.
5. Seconds are CPU time, after compilation, on another machine. Games differ in length,
   so that time a move says more than time a game.
"""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from inarow.engine.tables import tables_of
from inarow.game import Game, InputError, Position
from inarow.papers import naive_minimax
from inarow.search.minimax import Searcher

BOARDS = tuple((rows, rows + 1) for rows in range(6, 31, 2))
DEPTH = 6  # in all of the paper's runs
DEPTHS = (2, 4, 5, 7, 8)  # others: the paper's future work
OURS, NAIVE = "inarow", "naive"


@dataclass(frozen=True)
class Published:
    """A number that the paper states."""

    board: tuple[int, int]
    quantity: str  # the field of `Run` that it is held against
    value: float
    unit: str
    source: str


# The paper's other values are only drawn, in Figures 2 and 3, without numbers.
PUBLISHED = (
    Published((30, 31), "seconds", 19 * 60, "s", "section IV-C: roughly 19 minutes"),
    Published((6, 7), "moves", 38, "moves", "Figure 1: the second wins; depth and order not said"),
    Published((30, 31), "held_bytes", 1.1e9, "bytes", "section IV-C: roughly 1.1 GB allocated"),
)


@dataclass(frozen=True)
class Run:
    """A game between two minimax agents of one program, and what it took."""

    program: str  # OURS, or NAIVE: `naive_minimax`
    rows: int
    columns: int
    depth: int
    outcome: str  # first, second, draw, or unfinished where the time allowed was over
    moves: int
    seconds: float  # CPU time
    nodes: int  # positions whose moves were looked at
    leaves: int | None  # horizon positions scanned; None where their value is read off unvisited
    held_bytes: int  # arrays of both agents, all allocated before the first move: peak and sum
    traced_peak_bytes: int  # the most that Python and NumPy held at a time for this game
    process_peak_bytes: int | None  # the most that the process ever held, compiler and all
    game: str  # the moves

    @property
    def ms_a_move(self) -> float:
        """CPU milliseconds a move."""
        return 1000 * self.seconds / max(1, self.moves)

    @property
    def board(self) -> str:
        """As in 6x7: rows and columns."""
        return f"{self.rows}x{self.columns}"


@dataclass(frozen=True)
class Comparison:
    """A published number and ours."""

    published: Published
    ours: float

    @property
    def ratio(self) -> float:
        """How many times ours fits into the paper's."""
        return self.published.value / self.ours


Progress = Callable[[Run], None]  # called with each finished run


def scaling(
    boards: Iterable[tuple[int, int]] = BOARDS,
    depth: int = DEPTH,
    limit: float = 600,
    progress: Progress = lambda run: None,
) -> list[Run]:
    """The paper's experiment with our search: a game a board, at most `limit` CPU seconds each."""
    _warm_up(OURS)
    runs = []
    for board in boards:
        runs.append(_measure(_OurProgram, board, depth, limit))
        progress(runs[-1])
    return runs


def naive_scaling(
    boards: Iterable[tuple[int, int]] = BOARDS,
    depth: int = DEPTH,
    limit: float = 60,
    progress: Progress = lambda run: None,
) -> list[Run]:
    """The same with the naive program, up to the first board that takes longer than `limit`."""
    _warm_up(NAIVE)
    runs: list[Run] = []
    for board in boards:
        runs.append(_measure(_NaiveProgram, board, depth, limit))
        progress(runs[-1])
        if runs[-1].outcome == "unfinished":
            break
    return runs


def other_depths(
    boards: Sequence[tuple[int, int]] = BOARDS,
    depths: Iterable[int] = DEPTHS,
    limit: float = 60,
    progress: Progress = lambda run: None,
) -> list[Run]:
    """Our search at other depths (the paper's future work)."""
    return [run for depth in depths for run in scaling(boards, depth, limit, progress)]


def compare(runs: Iterable[Run]) -> list[Comparison]:
    """What the paper published beside ours, where the same game was played to its end."""
    by_board = {
        (run.rows, run.columns): run
        for run in runs
        if (run.program, run.depth) == (OURS, DEPTH) and run.outcome != "unfinished"
    }
    return [
        Comparison(number, getattr(by_board[number.board], number.quantity))
        for number in PUBLISHED
        if number.board in by_board
    ]


def save(runs: Iterable[Run], path: Path) -> None:
    """Stores results, for tables and figures to be made from."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(run) for run in runs], indent=1) + "\n")


def load(path: Path) -> list[Run]:
    """The results that `save` stored."""
    return [Run(**fields) for fields in json.loads(path.read_text())]


def figures(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Draws Figures 2 and 3 from results: run time, and memory, by size of the board."""
    try:
        import_module("matplotlib").use("Agg")
        pyplot = import_module("matplotlib.pyplot")
    except ImportError:
        raise InputError("figures need matplotlib: pip install 'inarow[figures]'") from None
    folder.mkdir(parents=True, exist_ok=True)
    return [
        _figure(pyplot, runs, "seconds", 1, "CPU seconds a game", folder / "figure-2-time.svg"),
        _figure(pyplot, runs, "held_bytes", 1e6, "megabytes", folder / "figure-3-memory.svg"),
    ]


def _figure(
    pyplot: Any, runs: Sequence[Run], quantity: str, unit: float, label: str, path: Path
) -> Path:
    """One curve for each program and depth, and what the paper states, over the boards."""
    figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
    places = {board: place for place, board in enumerate(BOARDS)}
    finished = [run for run in runs if run.outcome != "unfinished"]
    for program, depth in sorted({(run.program, run.depth) for run in finished}):
        curve = [run for run in finished if (run.program, run.depth) == (program, depth)]
        curve = sorted((r for r in curve if (r.rows, r.columns) in places), key=lambda r: r.rows)
        across = [places[run.rows, run.columns] for run in curve]
        heights = [getattr(run, quantity) / unit for run in curve]
        style = "--" if program == NAIVE else "-"
        axes.plot(across, heights, style, marker="o", label=f"{program}, depth {depth}")
    for number in PUBLISHED:
        if number.quantity == quantity:
            place = places[number.board]
            axes.plot([place], [number.value / unit], "k*", markersize=10, label="the paper")
    axes.set_xticks(range(len(BOARDS)), [f"{r}x{c}" for r, c in BOARDS], rotation=45)
    axes.set_yscale("log")
    axes.set_xlabel("board")
    axes.set_ylabel(label)
    axes.legend()
    figure.savefig(path)
    pyplot.close(figure)
    return path


class _OurProgram:
    """Two agents of `inarow.search`, each with a memory of its own."""

    name = OURS

    def __init__(self, game: Game, depth: int) -> None:
        tables = tables_of(game)
        self.agents = [Searcher(tables, depth) for _ in range(2)]
        shared = sum(part.nbytes for part in tables if isinstance(part, np.ndarray))
        boards = sum(part.nbytes for agent in self.agents for part in agent.board)
        self.held_bytes = shared + boards + sum(agent.bytes for agent in self.agents)
        self.nodes = 0
        self.leaves = None

    def move(self, position: Position) -> int:
        stones = np.array(position.stones, dtype=np.int8)
        result = self.agents[position.ply % 2].run(stones)
        self.nodes += result.nodes
        return result.move


class _NaiveProgram:
    """The naive program, which plays both sides on its one board."""

    name = NAIVE

    def __init__(self, game: Game, depth: int) -> None:
        self.depth, self.program = depth, naive_minimax.new_program(game, depth)
        self.held_bytes = naive_minimax.held_bytes(self.program)

    @property
    def nodes(self) -> int:
        return int(self.program.counts[0])

    @property
    def leaves(self) -> int:
        return int(self.program.counts[1])

    def move(self, position: Position) -> int:
        column = int(naive_minimax.choose_column(self.program, self.depth, position.ply))
        naive_minimax.play_column(self.program, column, position.to_move)
        return column


def _measure(
    kind: type[_OurProgram] | type[_NaiveProgram], board: tuple[int, int], depth: int, limit: float
) -> Run:
    """Plays a game and says what it took. No move is interrupted, so `limit` may be passed."""
    game = Game(board, 4, gravity=True)
    position = Position(game)
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        began = time.process_time()
        program = kind(game, depth)
        while position.outcome is None and time.process_time() - began < limit:
            position.push(program.move(position))
        seconds = time.process_time() - began
        _, peak = tracemalloc.get_traced_memory()
    finally:
        if not tracing:
            tracemalloc.stop()
    return Run(
        program=program.name,
        rows=board[0],
        columns=board[1],
        depth=depth,
        outcome=position.outcome.value if position.outcome else "unfinished",
        moves=position.ply,
        seconds=seconds,
        nodes=program.nodes,
        leaves=program.leaves,
        held_bytes=program.held_bytes,
        traced_peak_bytes=peak - before,
        process_peak_bytes=_process_peak(),
        game=position.notation,
    )


def _warm_up(program: str) -> None:
    """Has everything compiled before the clock starts."""
    _measure(_OurProgram if program == OURS else _NaiveProgram, (4, 5), 3, 60)


def _process_peak() -> int | None:
    """The most memory that this process ever held, where the system tells."""
    try:
        resource = import_module("resource")
    except ImportError:  # not on Windows
        return None
    peak = int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peak if sys.platform == "darwin" else 1024 * peak
