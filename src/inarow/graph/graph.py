"""The graph of a small game: all positions layer by layer, all moves, and exact values."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
    GOING_ON,
    MAX_MASK_CELLS,
    SECOND_WON,
    Int8s,
    Int16s,
    Int32s,
    Int64s,
    Tables,
    Words,
    state_of_line,
    tables_of,
)
from inarow.engine.jit import inline, jit
from inarow.engine.play_games import lines_completed
from inarow.engine.streams import mix
from inarow.game import Game, InputError, Position
from inarow.game import game as find_game
from inarow.graph.memory_cache import cached

# The positions of a game one ply after another, as pairs of bit masks, each position once.
#
# A position is two words: the cells of the first and of the second player's stones. The number of
# stones is the ply, so positions of different plies never meet and one hash table a ply is enough.
# Up to symmetry, a position stands for all its images: the one with the lowest pair of words.


def check_fits(game: Game) -> None:
    """Raise InputError for a game whose positions do not fit two words."""
    if game.cells > MAX_MASK_CELLS:
        raise InputError(
            f"{game.name} has {game.cells} cells: its positions cannot be written out "
            f"(at most {MAX_MASK_CELLS} cells)"
        )


def symmetry_images(game: Game, reduced: bool) -> Words:
    """[symmetries, bytes, 256] for all symmetries of a game; no rows if not reduced."""
    return images_of(game, game.symmetries if reduced else game.symmetries[:0])


def images_of(game: Game, permutations: Int32s) -> Words:
    """[permutations, bytes, 256] where the stones in one byte of a word go.

    The image of a word is the union of the images of its bytes.
    """
    bits = (np.arange(256)[:, None] >> np.arange(8)) & 1  # [256, 8]
    images = np.zeros((len(permutations), -(-game.cells // 8), 256), dtype=np.uint64)
    for cell in range(game.cells):
        target = np.uint64(1) << permutations[:, cell].astype(np.uint64)
        images[:, cell // 8] |= np.where(bits[:, cell % 8], target[:, None], np.uint64(0))
    return images


class Layer:
    """The positions of one ply, in the order they were first met, with the edges into them."""

    def __init__(self, capacity: int) -> None:
        self.first = np.zeros(capacity, dtype=np.uint64)
        self.second = np.zeros(capacity, dtype=np.uint64)
        self.state = np.zeros(capacity, dtype=np.int8)
        self.slots = np.full(4 * capacity, -1, dtype=np.int32)  # a hash table of positions
        self.count = 0

    def grow(self) -> None:
        """Double the room."""
        more = len(self.first)
        self.first = np.concatenate([self.first, np.zeros(more, dtype=np.uint64)])
        self.second = np.concatenate([self.second, np.zeros(more, dtype=np.uint64)])
        self.state = np.concatenate([self.state, np.zeros(more, dtype=np.int8)])
        self.slots = np.full(2 * len(self.slots), -1, dtype=np.int32)
        rehash(self.first, self.second, self.count, self.slots)

    def going_on_first(self) -> Int32s:
        """Put the positions that go on before the finished ones; return where each one went."""
        order = np.argsort(self.state[: self.count], kind="stable")
        self.first = self.first[order]
        self.second = self.second[order]
        self.state = self.state[order]
        place = np.empty(self.count, dtype=np.int32)
        place[order] = np.arange(self.count, dtype=np.int32)
        return place


def first_layer() -> Layer:
    """The empty board."""
    layer = Layer(1)
    layer.count = 1
    layer.going_on_first()
    return layer


def next_layer(
    game: Game, layer: Layer, ply: int, images: Words, children: Int32s, most: int
) -> tuple[Layer, int]:
    """The positions one move after a layer that has its going-on positions first.

    `children` gets the place of each child in the new layer, in order of parent and move; with
    length 0 none is kept. Returns the new layer and the number of moves that lead to it; more
    than `most` positions are refused.
    """
    tables = tables_of(game)
    parents = int(np.count_nonzero(layer.state == GOING_ON))
    after = Layer(max(64, 1 << (parents + game.columns).bit_length()))
    done, edge = 0, 0
    while True:
        done, edge, after.count = _expand(
            tables,
            images,
            ply,
            layer.first,
            layer.second,
            done,
            parents,
            edge,
            after.first,
            after.second,
            after.state,
            after.slots,
            after.count,
            children,
        )
        if after.count > most:
            raise InputError(
                f"{game.name} has too many positions: there is room for {most:,} after {ply + 1}"
                f" moves; `inarow count --plies {ply}` counts so far"
            )
        if done == parents:
            return after, edge
        after.grow()


@jit
def _expand(
    tables: Tables,
    images: Words,
    ply: int,
    first: Words,
    second: Words,
    done: int,
    parents: int,
    edge: int,
    new_first: Words,
    new_second: Words,
    new_state: Int8s,
    slots: Int32s,
    count: int,
    children: Int32s,
) -> tuple[int, int, int]:
    """Make the moves of parent `done` and on, until all are done or the new layer is full.

    Returns how many parents and edges are done, and how many positions the new layer has.
    """
    side = ply & 1
    while done < parents and count + tables.columns <= len(new_first):
        occupied = first[done] | second[done]
        for move in range(tables.columns):
            cell = move
            while cell < tables.cells and (occupied >> np.uint64(cell)) & np.uint64(1):
                cell = cell + tables.columns if tables.gravity else tables.cells
            if cell >= tables.cells:
                continue
            stone = np.uint64(1) << np.uint64(cell)
            one = first[done] | stone if side == 0 else first[done]
            two = second[done] | stone if side == 1 else second[done]
            state = _judge(tables, ply + 1, cell, one, two)
            if len(images) > 0:
                one, two, _ = lowest_image(images, one, two)
            place = find_slot(slots, new_first, new_second, one, two)
            if slots[place] < 0:
                new_first[count], new_second[count], new_state[count] = one, two, state
                slots[place] = count
                count += 1
            if len(children) > 0:
                children[edge] = slots[place]
            edge += 1
        done += 1
    return done, edge, count


@inline
def _judge(tables: Tables, ply: int, cell: int, first: np.uint64, second: np.uint64) -> int:
    """Return how the game stands after a stone on the cell."""
    own = first if ply & 1 else second
    if not tables.scoring and lines_completed(tables.masks, cell, own) > 0:
        return state_of_line(tables, (ply - 1) & 1)
    if ply < tables.cells:
        return GOING_ON
    lead = 0  # k times the lines that the first player has more
    if tables.scoring:
        for other in range(tables.cells):
            lead += lines_completed(tables.masks, other, first)
            lead -= lines_completed(tables.masks, other, second)
    return DRAWN if lead == 0 else (FIRST_WON if lead > 0 else SECOND_WON)


@inline
def write_stones(cells: int, first: np.uint64, second: np.uint64, stones: Int8s) -> None:
    """Write the owner of each cell's stone: 0 for none, 1 or 2."""
    for cell in range(cells):
        one = (first >> np.uint64(cell)) & np.uint64(1)
        two = (second >> np.uint64(cell)) & np.uint64(1)
        stones[cell] = np.int8(one) + np.int8(2) * np.int8(two)


@inline
def image_of(images: Words, symmetry: int, word: np.uint64) -> np.uint64:
    """Return where a symmetry takes the stones of a word."""
    image = np.uint64(0)
    for byte in range(images.shape[1]):
        image |= images[symmetry, byte, np.int64(word & np.uint64(255))]
        word >>= np.uint64(8)
    return image


@inline
def lowest_image(
    images: Words, first: np.uint64, second: np.uint64
) -> tuple[np.uint64, np.uint64, int]:
    """Return the image of a position that stands for all of them, and its symmetry's number."""
    low_first, low_second, which = first, second, 0
    for symmetry in range(1, len(images)):
        one = image_of(images, symmetry, first)
        if one <= low_first:
            two = image_of(images, symmetry, second)
            if one < low_first or two < low_second:
                low_first, low_second, which = one, two, symmetry
    return low_first, low_second, which


@inline
def find_slot(slots: Int32s, first: Words, second: Words, one: np.uint64, two: np.uint64) -> int:
    """The slot where the position stands, or the empty one where it belongs."""
    mask = np.uint64(len(slots) - 1)
    slot = mix(one + mix(two)) & mask
    while slots[slot] >= 0 and (first[slots[slot]] != one or second[slots[slot]] != two):
        slot = (slot + np.uint64(1)) & mask
    return int(slot)


@jit
def rehash(first: Words, second: Words, count: int, slots: Int32s) -> None:
    """Fill an empty hash table with the first `count` positions."""
    for i in range(count):
        slots[find_slot(slots, first, second, first[i], second[i])] = i


@jit
def count_lowest(images: Words, first: Words, second: Words) -> int:
    """Return how many of the positions stand for all their images: one for each class."""
    count = 0
    for i in range(len(first)):
        one, two, _ = lowest_image(images, first[i], second[i])
        count += one == first[i] and two == second[i]
    return count


# A small game written out: every position, every move, in flat arrays.
#
# A tabular learner is a walk on this graph; an expert, the odds between two players and the best
# answer to a player are one backward sweep over it each.

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
        """Return the number of a position, and the symmetry that leads to the one written down.

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
        """A hash table of the positions, for `find_slot`."""
        slots = np.full(1 << (2 * self.positions).bit_length(), -1, dtype=np.int32)
        rehash(self.first, self.second, self.positions, slots)
        return slots


def graph_of(game: Game | str, reduced: bool = False) -> Graph:
    """The graph of a game, raw or up to symmetry. Over 12 million positions are refused."""
    return _graph_of(find_game(game), reduced)


@cached
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
    """Return the graph of a game, or raise InputError if it would exceed `limit`."""
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


# Exact values of all positions of a small game, by one sweep from the end to the start.


class Values(NamedTuple):
    """The value of each position when both sides play perfectly."""

    value: Int8s  # [positions] 1 the first player wins, 0 draw, -1 the second wins
    distance: Int16s  # [positions] moves to the end, the winner in a hurry and the loser not

    def totals(self) -> dict[str, int]:
        """Return how many positions are won by either side, and drawn."""
        names = {"first": 1, "draw": 0, "second": -1}
        return {name: int(np.count_nonzero(self.value == v)) for name, v in names.items()}


@cached
def values_of(graph: Graph) -> Values:
    """The values of a graph's positions."""
    values = Values(
        np.zeros(graph.positions, dtype=np.int8), np.zeros(graph.positions, dtype=np.int16)
    )
    _sweep(graph.state, graph.to_move, graph.edge_start, graph.child, *values)
    return values


@jit
def _sweep(
    state: Int8s, to_move: Int8s, edge_start: Int32s, child: Int32s, value: Int8s, distance: Int16s
) -> None:
    """Value all positions from the last down: children have higher numbers."""
    for position in range(len(state) - 1, -1, -1):
        if state[position] != GOING_ON:
            value[position] = (state[position] == FIRST_WON) - (state[position] == SECOND_WON)
            continue
        sign = 1 - 2 * to_move[position]
        best, moves = -2, 0
        for edge in range(edge_start[position], edge_start[position + 1]):
            own = sign * value[child[edge]]
            steps = distance[child[edge]] + 1
            # A win is better soon, anything else late.
            if own > best or (own == best and (steps < moves) == (own > 0) and steps != moves):
                best, moves = own, steps
        value[position] = sign * best
        distance[position] = moves
