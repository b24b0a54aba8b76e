"""A small game written out: every position, every move, in flat arrays.

A tabular learner is a walk on this graph; an expert, the odds between two players and the best
answer to a player are one backward sweep over it each.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import GOING_ON
from inarow.engine.jit import jit
from inarow.engine.tables import Int8s, Int16s, Int32s, Int64s, Tables, Words, tables_of
from inarow.game import Game, InputError, Position
from inarow.game import game as find_game
from inarow.graph.cache import kept
from inarow.graph.states import (
    Layer,
    check_fits,
    find_slot,
    first_layer,
    next_layer,
    rehash,
    symmetry_images,
)

MAX_POSITIONS = 12_000_000
_most: ContextVar[int] = ContextVar("most", default=2**31)  # see `graph_within`


class GraphArrays(NamedTuple):
    """A graph for compiled loops: see `Graph`."""

    first: Words
    second: Words
    state: Int8s
    to_move: Int8s
    edge_start: Int32s
    child: Int32s
    move: Int16s


@dataclass(frozen=True, eq=False)
class Graph:
    """All positions that play can reach, numbered ply by ply, the empty board as 0.

    Within a ply the positions that go on come before the finished ones, so both whether a game
    is over and whose turn it is can be read off ranges of numbers. Position s has the edges
    `edge_start[s]` to `edge_start[s + 1]`, by ascending move. Every child has a higher number
    than its parent.

    Up to symmetry (`reduced`), a position stands for all its images, its moves are those of the
    image that is written down, and moves that lead to one class still are an edge each.
    """

    game: Game
    reduced: bool
    ply_start: Int64s  # [plies + 2] the first number of each ply, and the end
    first: Words  # [positions] cells of the first player's stones, as bits
    second: Words  # [positions] of the second player's
    state: Int8s  # [positions] GOING_ON, FIRST_WON, SECOND_WON or DRAWN (engine.board)
    edge_start: Int32s  # [positions + 1]
    child: Int32s  # [edges] the position that a move leads to
    move: Int16s  # [edges] the move

    @property
    def positions(self) -> int:
        """How many positions there are."""
        return len(self.state)

    @property
    def edges(self) -> int:
        """How many moves there are in all of them."""
        return len(self.child)

    @property
    def arrays(self) -> GraphArrays:
        """What compiled loops take."""
        return GraphArrays(
            self.first,
            self.second,
            self.state,
            self.to_move,
            self.edge_start,
            self.child,
            self.move,
        )

    @cached_property
    def by_ply(self) -> list[int]:
        """How many positions have 0, 1, 2, ... stones."""
        return [int(n) for n in np.diff(self.ply_start)]

    @cached_property
    def to_move(self) -> Int8s:
        """Whose turn it is in each position: 0 the first player, 1 the second."""
        turns = np.arange(len(self.by_ply), dtype=np.int8) % 2
        return np.repeat(turns.astype(np.int8), self.by_ply)

    def find(self, position: Position) -> tuple[int, int]:
        """The number of a position, and the symmetry that takes it to the one written down.

        The symmetry is a row of `game.symmetries`, always 0 if the graph is not reduced.
        """
        if position.game != self.game:
            raise InputError(f"a position of {position.game.name} is not one of {self.game.name}")
        stones = np.array(position.stones)
        rows = self.game.symmetries if self.reduced else np.arange(self.game.cells)[None]
        images = [(_word(row[stones == 1]), _word(row[stones == 2])) for row in rows]
        symmetry = min(range(len(images)), key=images.__getitem__)
        first, second = (np.uint64(word) for word in images[symmetry])
        number = int(_look_up(self.slots, self.first, self.second, first, second))
        if number < 0:
            raise InputError(f"{position!r} cannot come up in play")
        return number, symmetry

    @cached_property
    def slots(self) -> Int32s:
        """A hash table of the positions, for `states.find_slot`."""
        slots = np.full(1 << (2 * self.positions).bit_length(), -1, dtype=np.int32)
        rehash(self.first, self.second, self.positions, slots)
        return slots


def graph_of(game: Game | str, reduced: bool = False) -> Graph:
    """The graph of a game, raw or up to symmetry. Over 12 million positions are refused."""
    return _graph_of(find_game(game), reduced)


@kept
def _graph_of(game: Game, reduced: bool) -> Graph:
    check_fits(game)
    images = symmetry_images(game, reduced)
    layer = first_layer()
    layers, targets, ply_start = [layer], list[Int32s](), [0, 1]
    for ply in range(game.cells):
        going_on = int(np.count_nonzero(layer.state == GOING_ON))
        if going_on == 0:
            break
        children = np.zeros(going_on * min(game.columns, game.cells - ply), dtype=np.int32)
        most = min(MAX_POSITIONS, _most.get())
        layer, edges = next_layer(game, layer, ply, images, children, most - ply_start[-1])
        targets.append(layer.going_on_first()[children[:edges]] + np.int32(ply_start[-1]))
        layers.append(layer)
        ply_start.append(ply_start[-1] + layer.count)
    return _join(game, reduced, layers, targets, ply_start)


def graph_within(game: Game, reduced: bool, most: int) -> Graph:
    """The same, where it has at most so many positions; else it is not even made."""
    before = _most.set(most)
    try:
        made = graph_of(game, reduced)
    finally:
        _most.reset(before)
    if made.positions > most:
        raise InputError(f"{game.name} has {made.positions:,} positions, not {most:,} or fewer")
    return made


def _join(
    game: Game, reduced: bool, layers: list[Layer], targets: list[Int32s], ply_start: list[int]
) -> Graph:
    child = np.concatenate([*targets, np.zeros(0, dtype=np.int32)])
    first = np.concatenate([layer.first for layer in layers])
    second = np.concatenate([layer.second for layer in layers])
    state = np.concatenate([layer.state for layer in layers])
    edge_start = np.zeros(len(state) + 1, dtype=np.int32)
    move = np.zeros(len(child), dtype=np.int16)
    _write_moves(tables_of(game), first, second, state, edge_start, move)
    starts = np.array(ply_start, dtype=np.int64)
    return Graph(game, reduced, starts, first, second, state, edge_start, child, move)


@jit
def _write_moves(
    tables: Tables, first: Words, second: Words, state: Int8s, edge_start: Int32s, move: Int16s
) -> None:
    """The legal moves of every position that goes on, ascending."""
    edge = 0
    for position in range(len(state)):
        occupied = first[position] | second[position]
        if state[position] == GOING_ON:
            for candidate in range(tables.columns):
                # The last cell that the move can fill: the column's top, or the cell itself.
                top = candidate + (tables.cells - tables.columns)
                if (occupied >> np.uint64(top)) & np.uint64(1) == 0:
                    move[edge] = candidate
                    edge += 1
        edge_start[position + 1] = edge


@jit
def _look_up(slots: Int32s, first: Words, second: Words, one: np.uint64, two: np.uint64) -> int:
    return int(slots[find_slot(slots, first, second, one, two)])


def _word(cells: npt.NDArray[np.int32]) -> int:
    """The cells as bits of one number."""
    return sum(1 << int(cell) for cell in cells)
