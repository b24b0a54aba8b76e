"""What learners with a table have in common: the game is enumerated as a graph."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from inarow.game import Game, InputError
from inarow.graph.cache import kept
from inarow.graph.graph import MAX_POSITIONS, Graph, graph_of, graph_within
from inarow.graph.room import positions_at_least
from inarow.graph.sampling import Indices
from inarow.graph.states import check_fits
from inarow.learn.arrays import Arrays, Layout, random_stream, real
from inarow.learn.learner import PLAYER, Learner, Opponent, Suits
from inarow.learn.tabular.agent import MoveValues, TabularAgent
from inarow.learn.tabular.transitions import (
    RANDOM,
    UNLESS_ALL,
    TableRun,
    slots_of,
    transitions_of,
)
from inarow.learn.training import Training

Settings = tuple[object, ...]  # a learner's parameters for its loop: a NamedTuple
Loop = Callable[..., None]  # compiled: plays games, given (transitions, run, settings, games)

# Bytes that a position of a graph takes, and so many more for each move that a game has: measured
# with the lists and tables of a run while it was built, rounded up.
POSITION, POSITION_MOVE = 100, 14


class TabularLearner(Learner):
    """A learner whose table has a value for every position of a game, or for every move.

    How many there are is known once the graph is made. What that takes has to be known before, so
    it follows from what a board can hold. Options that it knows, where a learner has them:
    `initial_value`, `ties`, and `symmetric`, whether images of each other share a value.
    """

    needs_graph = True
    suits: ClassVar[Suits] = {"tictactoe": {}, "connect4:4x4": {}}
    array: ClassVar[str] = "values"  # what the table is called in files
    of_moves: ClassVar[bool]  # whether the table is one of moves, or of positions
    tables: ClassVar[tuple[int, ...]] = ()  # how many tables there are, where not one

    @property
    def shares(self) -> bool:
        """Whether positions that are images of each other share a value."""
        return bool(getattr(self, "symmetric", False))

    def check(self, game: Game, against: bool) -> None:
        """Refuses a game that is far too large for a table at once, before it is enumerated."""
        super().check(game, against)
        check_fits(game)
        if positions_at_least(game) // game.symmetry_group.order > MAX_POSITIONS:
            from inarow.learn.registry import learners

            others = ", ".join(name for name, kind in learners().items() if not kind.needs_graph)
            raise InputError(
                f"{game.name} has more positions than a table holds ({MAX_POSITIONS:,}): "
                f"learners without one are {others}"
            )

    def extra_bytes(self, game: Game) -> int:
        """Of the graph, and of all tables beside it."""
        return most_positions(game) * (POSITION + POSITION_MOVE * game.columns)

    def bytes_needed(self, game: Game, seed: int) -> int:  # noqa: ARG002
        """The same: the layout would make the graph."""
        return self.extra_bytes(game)

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """The table, and the random streams; over `most` positions are refused.

        Each position but the first has a move that leads to it, so a table of moves is no smaller.
        """
        if most is None:
            graph = graph_of(game, self.shares)
        else:
            check_fits(game)
            try:
                graph = graph_within(game, self.shares, most)
            except InputError as error:
                text = f"{game.name} has more positions than a table of {most:,} values holds"
                raise InputError(text) from error
        size = graph.edges if self.of_moves else graph.positions
        streams = ("learner", "trainer") if PLAYER in self.opponents else ("learner",)
        return {
            self.array: real((*self.tables, size)),
            **{name: random_stream() for name in streams},
        }

    @abstractmethod
    def settings(self, opponent: Opponent) -> Settings:
        """The parameters for the compiled loop."""

    @abstractmethod
    def loop(self) -> Loop:
        """What plays the games of a run, and learns from them."""

    def begin(self, game: Game, opponent: Opponent, seed: int) -> TabularTraining:
        """A run from nothing."""
        return TabularTraining(self, game, opponent, seed)

    @abstractmethod
    def move_values(self, graph: Graph, table: MoveValues, slots: Indices) -> MoveValues:
        """The value of each move of the graph for the side to move.

        `slots` are the places in the table of all moves, or of all positions.
        """

    def agent(self, game: Game, seed: int, arrays: Arrays) -> TabularAgent:  # noqa: ARG002
        """Takes a move of the highest value."""
        graph = graph_of(game)
        slots = slots_of(graph, self.shares)[1 if self.of_moves else 0]
        values = self.move_values(graph, arrays[self.array], slots)
        ties = getattr(self, "ties", RANDOM)
        return TabularAgent(self.name, graph, values, ties != RANDOM, ties == UNLESS_ALL)


class TabularTraining(Training):
    """A run on a graph: its learner's loop, and settings for it."""

    def __init__(self, learner: TabularLearner, game: Game, opponent: Opponent, seed: int) -> None:
        super().__init__(learner, game, opponent, seed)
        self.settings, self.loop = learner.settings(opponent), learner.loop()
        self.graph = graph_of(game)
        self.transitions = transitions_of(
            self.graph, opponent, learner.shares, moves=learner.of_moves
        )
        start = getattr(learner, "initial_value", 0.0)
        table = np.zeros(self.layout[learner.array].shape)  # costs nothing until it is written
        if start:
            table[...] = start
        self.begin_with({learner.array: table})
        own = self.arrays["learner"]
        self.run = TableRun(
            self.arrays[learner.array],
            own,
            self.arrays.get("trainer", own),
            self.counts,
            np.zeros(game.cells + 1, dtype=np.uint32),
            np.zeros(game.columns),
            None,
        )

    def play(self, games: int) -> None:
        """Plays so many more games and learns from them."""
        self.loop(self.transitions, self.run, self.settings, games)


@kept
def movers(graph: Graph) -> npt.NDArray[np.int64]:
    """[edges] the side that makes each move: 0 or 1."""
    return np.repeat(graph.to_move, np.diff(graph.edge_start)).astype(np.int64)


def most_positions(game: Game) -> int:
    """At least as many positions as play can reach: every way to lay the stones of each ply."""
    if not game.gravity:
        ways = [math.comb(game.cells, ply) for ply in range(game.cells + 1)]
    else:
        ways, height = [1], game.cells // game.columns
        for _ in range(game.columns):  # columns are filled to some height each
            ways = np.convolve(np.array(ways, object), np.ones(height + 1, object)).tolist()
    return min(MAX_POSITIONS, sum(w * math.comb(p, p // 2) for p, w in enumerate(ways)))
