"""What learners with a table have in common: the game is enumerated as a graph."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Board, Int16s, Int32s, Tables, Words
from inarow.engine.jit import inline, jit
from inarow.engine.players import MoveWeights as MoveWeights
from inarow.engine.players import register_player
from inarow.engine.streams import Stream, below
from inarow.game import Game, InputError, Position
from inarow.graph.counting import positions_at_least
from inarow.graph.graph import MAX_POSITIONS, Graph, check_fits, find_slot, graph_of, graph_within
from inarow.graph.memory_cache import cached
from inarow.graph.odds import Policy
from inarow.graph.policies import Indices
from inarow.learn.agent import LearnedAgent, begin_alike
from inarow.learn.learner import PLAYER, Learner, Opponent, Suits, Training
from inarow.learn.saved import Arrays, Layout, random_stream, real
from inarow.learn.tabular.transitions import RANDOM, UNLESS_ALL, TableRun, slots_of, transitions_of

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
        """Raise InputError for a game far too large for a table, before it is enumerated."""
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
        """Estimate the memory of the graph and the tables beside it, without building it."""
        return most_positions(game) * (POSITION + POSITION_MOVE * game.columns)

    def bytes_needed(self, game: Game, seed: int) -> int:  # noqa: ARG002
        """Estimate memory without building the graph, which `layout` would do."""
        return self.extra_bytes(game)

    def layout(self, game: Game, seed: int, most: int | None) -> Layout:  # noqa: ARG002
        """Return the table, and the random streams; over `most` positions are refused.

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
        """Return the parameters that the compiled loop reads."""

    @abstractmethod
    def loop(self) -> Loop:
        """Return the compiled loop that plays the games of a run and learns from them."""

    def begin(self, game: Game, opponent: Opponent, seed: int) -> TabularTraining:
        """Begin a run from nothing."""
        return TabularTraining(self, game, opponent, seed)

    @abstractmethod
    def move_values(self, graph: Graph, table: MoveValues, slots: Indices) -> MoveValues:
        """Return the value of each move of the graph for the side to move.

        `slots` are the places in the table of all moves, or of all positions.
        """

    def agent(self, game: Game, seed: int, arrays: Arrays) -> TabularAgent:  # noqa: ARG002
        """Return the agent that takes a move of the highest value."""
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
        """Play so many more games and learn from them."""
        self.loop(self.transitions, self.run, self.settings, games)


@cached
def movers(graph: Graph) -> npt.NDArray[np.int64]:
    """Return [edges] the side that makes each move: 0 or 1."""
    return np.repeat(graph.to_move, np.diff(graph.edge_start)).astype(np.int64)


def most_positions(game: Game) -> int:
    """Return a bound of the positions of a game: all ways to lay the stones of each ply."""
    if not game.gravity:
        ways = [math.comb(game.cells, ply) for ply in range(game.cells + 1)]
    else:
        ways, height = [1], game.cells // game.columns
        for _ in range(game.columns):  # columns are filled to some height each
            ways = np.convolve(np.array(ways, object), np.ones(height + 1, object)).tolist()
    return min(MAX_POSITIONS, sum(w * math.comb(p, p // 2) for p, w in enumerate(ways)))


# Agents with a value for every move of a graph: what all tabular learners come to.

MoveValues = npt.NDArray[np.float64]  # [edges] of each move, for the side to move


class TabularAgent(LearnedAgent):
    """A player that takes a move of the highest value, any of several equal ones or the first.

    With `unless_all` it takes any where all moves are equal.
    """

    def __init__(
        self,
        name: str,
        graph: Graph,
        values: MoveValues,
        first: bool = False,
        unless_all: bool = False,
    ) -> None:
        super().__init__(name, graph.game)
        self.graph, self.first, self.unless_all = graph, first, unless_all
        self.move_values = np.array(values, dtype=np.float64)

    def policies(self, graph: Graph) -> list[Policy]:
        """Return all moves that the agent may choose, on its own graph."""
        self.check_game(graph.game)
        if graph.reduced != self.graph.reduced:
            raise InputError(f"{self.name} knows another graph of {self.game.name}")
        weights = np.zeros(graph.edges)
        _write_best(graph.edge_start, self.move_values, self.first, self.unless_all, weights)
        return [weights]

    def arrays_for(self, tables: Tables) -> TablePlayer:  # noqa: ARG002 - the graph is enough
        """Return the agent as arrays for compiled loops."""
        graph = self.graph
        (weights,) = self.policies(graph)
        return TablePlayer(
            graph.slots, graph.first, graph.second, graph.edge_start, graph.move, weights
        )

    def values(self, position: Position) -> dict[int, float]:
        """Return the value of each move; the higher the better."""
        self.check_game(position.game)
        number, _ = self.graph.find(position)
        edges = range(int(self.graph.edge_start[number]), int(self.graph.edge_start[number + 1]))
        return {int(self.graph.move[edge]): float(self.move_values[edge]) for edge in edges}


@jit
def _write_best(
    edge_start: Int32s, values: MoveValues, first: bool, unless_all: bool, weights: Policy
) -> None:
    """Give weight 1 to the moves of the highest value, or to the first of them."""
    for position in range(len(edge_start) - 1):
        best, worst = -np.inf, np.inf
        for edge in range(edge_start[position], edge_start[position + 1]):
            best, worst = max(best, values[edge]), min(worst, values[edge])
        for edge in range(edge_start[position], edge_start[position + 1]):
            if values[edge] == best:
                weights[edge] = 1.0
                if first and not (unless_all and worst == best):
                    break


class TablePlayer(NamedTuple):
    """A policy of a graph, played on a board."""

    slots: Int32s  # the hash table of positions
    first: Words  # [positions]
    second: Words
    edge_start: Int32s  # [positions + 1]
    move: Int16s  # [edges]
    weights: Policy  # [edges] 1 for the moves it may choose, 0 for the others


@inline
def _find(tables: Tables, board: Board, player: TablePlayer) -> int:
    """Return the number of the position on the board."""
    one, two = np.uint64(0), np.uint64(0)
    for cell in range(tables.cells):
        bit = np.uint64(1) << np.uint64(cell)
        if board.stones[cell] == 1:
            one |= bit
        elif board.stones[cell] == 2:
            two |= bit
    return player.slots[find_slot(player.slots, player.first, player.second, one, two)]


@inline
def _choose(tables: Tables, board: Board, player: TablePlayer, stream: Stream) -> int:
    """Return the cell of one of the moves that the policy allows."""
    position = _find(tables, board, player)
    start, end = player.edge_start[position], player.edge_start[position + 1]
    allowed = 0
    for edge in range(start, end):
        allowed += player.weights[edge] > 0
    skipped = np.int64(below(stream, allowed))
    move = 0
    for edge in range(start, end):
        if player.weights[edge] > 0:
            if skipped == 0:
                move = player.move[edge]
                break
            skipped -= 1
    cell = move
    while board.stones[cell] != 0:  # with gravity, up to the first free cell
        cell += tables.columns
    return cell


@inline
def _write(tables: Tables, board: Board, player: TablePlayer, weights: MoveWeights) -> None:
    """The moves that the policy allows, equally likely."""
    position = _find(tables, board, player)
    for edge in range(player.edge_start[position], player.edge_start[position + 1]):
        weights[player.move[edge]] = 1.0 if player.weights[edge] > 0 else 0.0


register_player(TablePlayer, begin_alike, _choose, _write)
