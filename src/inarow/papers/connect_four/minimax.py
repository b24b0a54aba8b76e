"""Minimax of the Connect Four paper: its program as the text describes it, and games as work.

The naive program: alpha-beta with the columns tried from left to right, and at each leaf the
utility is counted anew over all lines of the board. Compiled like everything else, so that against
`search.minimax` only the method differs. It is here to be compared with; no player uses it. On
large boards that takes hours. A program that *keeps* the utility with each stone visits the same
positions in minutes (`search.minimax`): it says how many they are, and nothing of the time.

`GameWork` is a whole game between two minimax agents of one program, as the work of a study.
Measured are the time of the game, positions visited and memory (as section IV of the paper does).
A game is a pure function of `program`, `board` (rows and columns) and `depth`, the parameters of a
config; the seed is not used.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple, Self

import numpy as np

from inarow.engine.board import Board, Int32s, Int64s, Stones, Tables, load, new_board, tables_of
from inarow.engine.jit import inline, jit
from inarow.game import Game, InputError, Position
from inarow.lab.studies.study import Config, Measurement
from inarow.learn.saved import DAMAGES
from inarow.search.minimax import (
    WINNING,
    Lines,
    Searcher,
    load_lines,
    new_lines,
    put_stone,
    take_stone,
)

WIN, THREE, TWO = 9_999_999, 1_000, 100  # utility of a win, of a three and a two that are open
INFINITE = 1 << 40
UNKNOWN = 1 << 41  # the value of a position whose moves have to be tried
# Of a node: the column tried now, the best so far, the upper bound, the utility if it is kept.
COLUMN, BEST, BETA, SCORE = range(4)


class Program(NamedTuple):
    """The naive program's board."""

    tables: Tables
    lines: Int32s  # [lines, 4] the cells of each line
    stones: Stones
    heights: Int32s  # [columns] stones in each column
    nodes: Int64s  # [depth, 4] the positions on the way to the one being looked at
    counts: Int64s  # [2] positions whose moves were tried, and leaves
    keeps: bool  # whether the utility is kept with each stone, not counted at leaves
    board: Board  # from which it begins, if it is kept
    kept: Lines


def new_program(game: Game, depth: int, keeps: bool = False) -> Program:
    """An empty Connect-4 board, with memory for a search of that depth."""
    if game != Game(game.shape, game.k, gravity=True):
        raise InputError(f"the naive minimax plays Connect-4-like games, not {game.name}")
    tables = tables_of(game)
    return Program(
        tables,
        game.lines,
        np.zeros(game.cells, dtype=np.int8),
        np.zeros(game.columns, dtype=np.int32),
        np.zeros((depth, 4), dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        keeps,
        new_board(tables),
        new_lines(tables),
    )


def held_bytes(program: Program) -> int:
    """The memory of the program that keeps nothing: all it ever allocates."""
    arrays = [program.lines, program.stones, program.heights, program.nodes, *program.tables]
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


@jit
def has_won(program: Program, cell: int, stone: int) -> bool:
    """Whether a stone just put on a cell makes four."""
    tables = program.tables
    for i in range(tables.line_start[cell], tables.line_start[cell + 1]):
        count = 0
        for place in range(tables.k):
            count += program.stones[program.lines[tables.line_at[i], place]] == stone
        if count == tables.k:
            return True
    return False


@jit
def utility(program: Program, stone: int) -> int:
    """Open threes and twos of a side less those of the other, over all lines of the board."""
    total, k = 0, program.tables.k
    for line in range(len(program.lines)):
        own, other = 0, 0
        for place in range(k):
            found = program.stones[program.lines[line, place]]
            own += found == stone
            other += found == 3 - stone
        if other == 0:
            total += THREE * (own == k - 1) + TWO * (own == k - 2)
        elif own == 0:
            total -= THREE * (other == k - 1) + TWO * (other == k - 2)
    return total


@inline
def scanned(program: Program, at: int, depth: int, left: int, cell: int, stone: int) -> int:
    """The value of a move for its side, found on the board; UNKNOWN before the horizon."""
    value = UNKNOWN
    program.stones[cell] = stone
    if has_won(program, cell, stone):
        value = WIN - at - 1
    elif left == 1:
        value = 0
    elif at + 1 == depth:
        value = utility(program, stone)
        program.counts[1] += 1
    program.stones[cell] = 0
    return value


@inline
def read_off(program: Program, at: int, depth: int, left: int, cell: int, stone: int) -> int:
    """The same, from what is kept."""
    gain = program.kept.gains[cell, stone - 1]
    if gain >= WINNING:
        return WIN - at - 1
    if left == 1:
        return 0
    if at + 1 < depth:
        return UNKNOWN
    program.counts[1] += 1
    return program.nodes[at, SCORE] + gain


@jit
def choose_column(program: Program, depth: int, ply: int) -> int:
    """The first of the best columns.

    The paper's MAXVAL and MINVAL in one loop, values seen by the side to move; row d of `nodes`
    is the position after d moves. (Recursive functions crash when Numba loads them from disk.)
    """
    tables, nodes, counts = program.tables, program.nodes, program.counts
    at, chosen = 0, -1
    nodes[0, COLUMN], nodes[0, BEST], nodes[0, BETA] = -1, -INFINITE, INFINITE
    if program.keeps:
        load(tables, program.board, program.stones)
        nodes[0, SCORE] = load_lines(tables, program.board, program.kept)
    counts[0] += 1
    while True:
        node, stone = nodes[at], 1 + ((ply + at) & 1)
        node[COLUMN] += 1
        if node[COLUMN] == tables.columns or node[BEST] >= node[BETA]:
            if at == 0:
                return chosen
            value, at = -node[BEST], at - 1
            take_out(program, nodes[at, COLUMN], 3 - stone)
        else:
            column = node[COLUMN]
            cell, left = program.heights[column] * tables.columns + column, tables.cells - ply - at
            if cell >= tables.cells:
                continue
            if program.keeps:
                value = read_off(program, at, depth, left, cell, stone)
            else:
                value = scanned(program, at, depth, left, cell, stone)
            if value == UNKNOWN:
                after = nodes[at + 1]
                after[COLUMN], after[BEST], after[BETA] = -1, -node[BETA], -node[BEST]
                after[SCORE] = -node[SCORE] - program.kept.gains[cell, stone - 1]
                put_in(program, column, stone)
                counts[0] += 1
                at += 1
                continue
        if value > nodes[at, BEST]:
            nodes[at, BEST] = value
            if at == 0:
                chosen = nodes[0, COLUMN]


@inline
def put_in(program: Program, column: int, stone: int) -> None:
    """Puts a stone into a column."""
    cell = program.heights[column] * program.tables.columns + column
    program.stones[cell] = stone
    program.heights[column] += 1
    if program.keeps:
        put_stone(program.tables, program.kept, cell, stone - 1)


@inline
def take_out(program: Program, column: int, stone: int) -> None:
    """Takes the last stone out of a column."""
    program.heights[column] -= 1
    cell = program.heights[column] * program.tables.columns + column
    program.stones[cell] = 0
    if program.keeps:
        take_stone(program.tables, program.kept, cell, stone - 1)


@jit
def scan(program: Program, times: int) -> int:
    """Counts the utility so many times, for the clock: what a leaf takes."""
    total = 0
    for number in range(times):
        total += utility(program, 1 + (number & 1))
    return total


def play_column(program: Program, column: int, stone: int) -> None:
    """Puts a stone into a column for good."""
    columns = program.tables.columns
    program.stones[program.heights[column] * columns + column] = stone
    program.heights[column] += 1


OURS, NAIVE = "inarow", "naive"
KEEPING = "naive, utility kept"  # visits what the naive program visits, and says how much that is
GAME_WORK = "inarow.papers.connect_four.minimax:GameWork"
PLAYED = "column"  # measured after every move: the game


class OurProgram:
    """Two agents of `inarow.search`, each with a memory of its own."""

    def __init__(self, game: Game, depth: int) -> None:
        tables = tables_of(game)
        self.agents = [Searcher(tables, depth) for _ in range(2)]
        shared = sum(part.nbytes for part in tables if isinstance(part, np.ndarray))
        boards = sum(part.nbytes for agent in self.agents for part in agent.board)
        self.held = shared + boards + sum(agent.bytes for agent in self.agents)  # bytes
        self.handed_over = game.cells  # bytes a move: the position
        self.counts = np.zeros(2, dtype=np.int64)  # nodes, and leaves: none is visited

    def choose(self, position: Position) -> int:
        """The move of the side to move."""
        stones = np.array(position.stones, dtype=np.int8)
        result = self.agents[position.ply % 2].run(stones)
        self.counts[0] += result.nodes
        return result.move

    def put(self, column: int, stone: int) -> None:
        """A move is made: nothing to do, since the next search is given the position."""


class NaiveProgram:
    """The naive program, which plays both sides on its one board."""

    def __init__(self, game: Game, depth: int, keeps: bool = False) -> None:
        self.depth, self.program = depth, new_program(game, depth, keeps)
        self.held, self.handed_over = held_bytes(self.program), 0
        self.counts = self.program.counts

    def choose(self, position: Position) -> int:
        """The move of the side to move."""
        return int(choose_column(self.program, self.depth, position.ply))

    def put(self, column: int, stone: int) -> None:
        """A move is made."""
        play_column(self.program, column, stone)


PROGRAMS: dict[str, Callable[[Game, int], OurProgram | NaiveProgram]] = {
    OURS: OurProgram,
    NAIVE: NaiveProgram,
    KEEPING: partial(NaiveProgram, keeps=True),
}


SCANNED = 10_000_000  # lines looked at for the clock: a twentieth of a second or so


def scan_seconds(game: Game) -> float:
    """What a leaf takes the naive program, on a board half full: the same every time."""
    program = new_program(game, 1)
    for number in range(game.cells // 2):  # row by row
        play_column(program, number % game.columns, 1 + number // 2 % 2)
    scan(program, 1)  # compiled
    times = max(1, SCANNED // len(game.lines))
    before = time.thread_time()
    scan(program, times)
    return (time.thread_time() - before) / times


@lru_cache
def compile_program(program: str) -> None:
    """Before any clock starts."""
    game = Game((4, 5), 4, gravity=True)
    PROGRAMS[program](game, 3).choose(Position(game))


class GameWork:
    """A game in progress, from move to move; what it took is measured at its end."""

    def __init__(self, config: Config) -> None:
        compile_program(config["program"])
        before = time.thread_time()
        self.position = Position(Game(tuple(config["board"]), 4, gravity=True))
        self.program = PROGRAMS[config["program"]](self.position.game, config["depth"])
        self.seconds = time.thread_time() - before  # of CPU time, on this thread

    @classmethod
    def begin(cls, config: Config, seed: int) -> Self:
        """At the start."""
        del seed
        return cls(config)

    @classmethod
    def resume(cls, config: Config, seed: int, state: bytes) -> Self:
        """Where it was when `state` was taken."""
        work = cls.begin(config, seed)
        try:
            kept = json.loads(state)
            for column in kept["moves"]:
                work._push(int(column))  # a legal move, or it is refused
            counts, seconds = [int(count) for count in kept["counts"]], float(kept["seconds"])
            if len(counts) != 2 or not all(0 <= count < 2**63 for count in counts):
                raise ValueError
            if not 0 <= seconds < math.inf:
                raise ValueError
        except DAMAGES:
            raise InputError("the state is not that of a game") from None
        work.program.counts[:], work.seconds = counts, seconds
        return work

    def state(self) -> bytes:
        """All that is needed to resume."""
        moves = [int(move) for move in self.position.moves]
        kept = {"moves": moves, "counts": self.program.counts.tolist(), "seconds": self.seconds}
        return json.dumps(kept).encode()

    @property
    def finished(self) -> bool:
        """Whether the game is over."""
        return self.position.outcome is not None

    @property
    def share(self) -> float:
        """Of the moves that there can be at most."""
        return self.position.ply / self.position.game.cells

    def advance(self) -> list[Measurement]:
        """One move."""
        before = time.thread_time()
        column = self.program.choose(self.position)
        self._push(column)
        self.seconds += time.thread_time() - before
        found: dict[str, float] = {PLAYED: column + 1}
        outcome, ply = self.position.outcome, self.position.ply
        if outcome is not None:
            held, (nodes, leaves) = self.program.held, self.program.counts
            found |= {
                "seconds": self.seconds,
                "nodes": nodes,
                "leaves": leaves,
                "moves": ply,
                "winner": outcome.winner or 0,
                "held bytes": held,
                "allocated bytes": held + self.program.handed_over * ply,
            }
        return [Measurement(ply, name, value) for name, value in found.items()]

    def _push(self, column: int) -> None:
        stone = self.position.to_move
        self.position.push(column)  # first: compiled code puts a stone wherever it is told to
        self.program.put(column, stone)
