"""A whole game of Connect-4 between two minimax agents of one program, as the work of a study.

Measured are the time of the game, positions visited and memory (as section IV of the Connect Four
paper does). A game is a pure function of `program`, `board` (rows and columns) and `depth`, the
parameters of a config; the seed is not used.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Self

import numpy as np

from inarow.engine.tables import tables_of
from inarow.game import Game, InputError, Position
from inarow.lab.study import Config, Measurement
from inarow.learn.saved import DAMAGES
from inarow.search import naive_minimax
from inarow.search.minimax import Searcher

OURS, NAIVE = "inarow", "naive"
KEEPING = "naive, utility kept"  # visits what the naive program visits, and says how much that is
WORK = "inarow.lab.minimax_work:GameWork"
COLUMN = "column"  # measured after every move: the game


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
        self.depth, self.program = depth, naive_minimax.new_program(game, depth, keeps)
        self.held, self.handed_over = naive_minimax.held_bytes(self.program), 0
        self.counts = self.program.counts

    def choose(self, position: Position) -> int:
        """The move of the side to move."""
        return int(naive_minimax.choose_column(self.program, self.depth, position.ply))

    def put(self, column: int, stone: int) -> None:
        """A move is made."""
        naive_minimax.play_column(self.program, column, stone)


PROGRAMS: dict[str, Callable[[Game, int], OurProgram | NaiveProgram]] = {
    OURS: OurProgram,
    NAIVE: NaiveProgram,
    KEEPING: partial(NaiveProgram, keeps=True),
}


SCANNED = 10_000_000  # lines looked at for the clock: a twentieth of a second or so


def scan_seconds(game: Game) -> float:
    """What a leaf takes the naive program, on a board half full: the same every time."""
    program = naive_minimax.new_program(game, 1)
    for number in range(game.cells // 2):  # row by row
        naive_minimax.play_column(program, number % game.columns, 1 + number // 2 % 2)
    naive_minimax.scan(program, 1)  # compiled
    times = max(1, SCANNED // len(game.lines))
    before = time.thread_time()
    naive_minimax.scan(program, times)
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
        found: dict[str, float] = {COLUMN: column + 1}
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
