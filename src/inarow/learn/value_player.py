"""Players that take the move after which a value network gives the position the most.

What a network says is looked up by the type of its player when a loop is compiled: a network is
two functions, made known by `register_value_player`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, cast

import numpy as np

from inarow.engine.board import OPEN, PLY, Board, Cells, reward_of_lines
from inarow.engine.by_type import by_type
from inarow.engine.contest import Weights as MoveWeights
from inarow.engine.contest import register_player
from inarow.engine.jit import apart, inline, jit, stay_apart
from inarow.engine.rules import Rule, ordered_cells
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, Tables
from inarow.engine.values import register_values
from inarow.learn.agent import BoardAgent, CellValues, begin_alike
from inarow.learn.schedule import Numbers
from inarow.learn.shield import best_of
from inarow.learn.weights import Weights


class ValuePlayer(Protocol):
    """What every such player has, besides its network."""

    @property
    def rules(self) -> Int64s:
        """The shield."""

    @property
    def found(self) -> Cells:
        """[cells] scratch: what the shield found."""

    @property
    def scores(self) -> Weights:
        """[moves] scratch: what `score_cells` writes."""


class _Kind(NamedTuple):
    """What networks of a type do."""

    score_cells: Callable[..., object]
    output_of: Callable[..., object]


_KINDS: dict[type, _Kind] = {}


@by_type("player", _KINDS)
def score_cells(
    tables: Tables, board: Board, player: ValuePlayer, cells: Cells, count: int
) -> None:
    """Writes the sum of the network's output after a stone on each cell into `player.scores`."""


@by_type("player", _KINDS)
def output_of(player: ValuePlayer, score: float) -> float:
    """The network's output for a sum."""
    raise NotImplementedError


@apart
def _best_cell(tables: Tables, board: Board, player: ValuePlayer) -> np.int64:
    """The cell of the highest value among those that the shield allows, the first of several."""
    stay_apart()
    found = player.found
    rule, count = ordered_cells(tables, board, player.rules, found)
    if rule == Rule.WIN or count == 1:
        return np.int64(found[0])
    score_cells(tables, board, player, found, count)
    return np.int64(found[best_of(player.scores, count)])


@inline
def _choose(tables: Tables, board: Board, player: ValuePlayer, stream: Stream) -> np.int64:  # noqa: ARG001
    """That cell: it is deterministic."""
    return _best_cell(tables, board, player)


@inline
def _write(tables: Tables, board: Board, player: ValuePlayer, weights: MoveWeights) -> None:
    """The one move that it chooses."""
    weights[_best_cell(tables, board, player) % tables.columns] = 1.0


@inline
def _value(
    tables: Tables, board: Board, player: ValuePlayer, cells: Cells, count: int, values: MoveWeights
) -> None:
    """The network's outputs from -1 to 1; a line that ends the game is seen at once."""
    score_cells(tables, board, player, cells, count)
    side = board.counters[PLY] & 1
    for i in range(count):
        if board.threat[side, cells[i]] > 0 and not tables.scoring:
            values[i] = reward_of_lines(tables, 1)
        else:
            values[i] = 2.0 * output_of(player, player.scores[i]) - 1.0


@jit
def _value_moves(tables: Tables, board: Board, player: ValuePlayer, values: Numbers) -> int:
    """The values of all moves in a position, in the order of the board's list; how many."""
    count = board.counters[OPEN]
    score_cells(tables, board, player, board.open_cells, count)
    for i in range(count):
        values[i] = output_of(player, player.scores[i])
    return count


def register_value_player(
    kind: type, score_cells: Callable[..., object], output_of: Callable[..., object]
) -> None:
    """Says what the networks of a type of player do: as the functions above."""
    _KINDS[kind] = _Kind(score_cells, output_of)
    register_player(kind, begin_alike, _choose, _write)
    register_values(kind, _value)


class ValueNetworkAgent(BoardAgent):
    """An agent whose player is registered here."""

    def values_on(self, tables: Tables, board: Board) -> CellValues:
        """The network's output after each move."""
        values = np.zeros(tables.cells)
        player = cast(ValuePlayer, self.arrays_for(tables))
        count = _value_moves(tables, board, player, values)
        return board.open_cells[:count], values[:count]
