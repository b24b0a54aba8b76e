"""Agents with a value for every move of a graph: what all tabular learners come to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Board
from inarow.engine.contest import Weights as MoveWeights
from inarow.engine.contest import register_player
from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream, below
from inarow.engine.tables import Int16s, Int32s, Tables, Words
from inarow.game import InputError, Position
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy
from inarow.graph.states import find_slot
from inarow.learn.agent import LearnedAgent, begin_alike

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
        """All moves that it may choose, on its own graph."""
        self.check_game(graph.game)
        if graph.reduced != self.graph.reduced:
            raise InputError(f"{self.name} knows another graph of {self.game.name}")
        weights = np.zeros(graph.edges)
        _write_best(graph.edge_start, self.move_values, self.first, self.unless_all, weights)
        return [weights]

    def arrays_for(self, tables: Tables) -> TablePlayer:  # noqa: ARG002 - the graph is enough
        """The agent for compiled loops."""
        graph = self.graph
        (weights,) = self.policies(graph)
        return TablePlayer(
            graph.slots, graph.first, graph.second, graph.edge_start, graph.move, weights
        )

    def values(self, position: Position) -> dict[int, float]:
        """The value of each move; the higher the better."""
        self.check_game(position.game)
        number, _ = self.graph.find(position)
        edges = range(int(self.graph.edge_start[number]), int(self.graph.edge_start[number + 1]))
        return {int(self.graph.move[edge]): float(self.move_values[edge]) for edge in edges}


@jit
def _write_best(
    edge_start: Int32s, values: MoveValues, first: bool, unless_all: bool, weights: Policy
) -> None:
    """Weight 1 for the moves of the highest value, or the first of them."""
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
    """The number of the position on the board."""
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
    """The cell of one of the moves that the policy allows."""
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
