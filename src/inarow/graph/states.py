"""The positions of a game one ply after another, as pairs of bit masks, each position once.

A position is two words: the cells of the first and of the second player's stones. The number of
stones is the ply, so positions of different plies never meet and one hash table a ply is enough.
Up to symmetry, a position stands for all its images: the one with the lowest pair of words.
"""

from __future__ import annotations

import numpy as np

from inarow.engine.board import DRAWN, FIRST_WON, GOING_ON, SECOND_WON, state_of_line
from inarow.engine.jit import inline, jit
from inarow.engine.playouts import lines_completed
from inarow.engine.streams import mix
from inarow.engine.tables import MAX_MASK_CELLS, Int8s, Int32s, Tables, Words, tables_of
from inarow.game import Game, InputError


def check_fits(game: Game) -> None:
    """Refuses games whose positions do not fit two words."""
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
        """Doubles the room."""
        more = len(self.first)
        self.first = np.concatenate([self.first, np.zeros(more, dtype=np.uint64)])
        self.second = np.concatenate([self.second, np.zeros(more, dtype=np.uint64)])
        self.state = np.concatenate([self.state, np.zeros(more, dtype=np.int8)])
        self.slots = np.full(2 * len(self.slots), -1, dtype=np.int32)
        rehash(self.first, self.second, self.count, self.slots)

    def going_on_first(self) -> Int32s:
        """Puts the positions that go on before the finished ones; returns where each one went."""
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
    """Makes the moves of parent `done` and on, until all are done or the new layer is full.

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
                one, two = lowest_image(images, one, two)
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
    """How the game stands after a stone on the cell, the ply-th."""
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
    """What lies on each cell of a position: 0, 1 or 2."""
    for cell in range(cells):
        one = (first >> np.uint64(cell)) & np.uint64(1)
        two = (second >> np.uint64(cell)) & np.uint64(1)
        stones[cell] = np.int8(one) + np.int8(2) * np.int8(two)


@inline
def image_of(images: Words, symmetry: int, word: np.uint64) -> np.uint64:
    """Where a symmetry takes the stones of a word."""
    image = np.uint64(0)
    for byte in range(images.shape[1]):
        image |= images[symmetry, byte, np.int64(word & np.uint64(255))]
        word >>= np.uint64(8)
    return image


@inline
def lowest_image(images: Words, first: np.uint64, second: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The image of a position that stands for all of them."""
    low_first, low_second = first, second
    for symmetry in range(1, len(images)):
        one = image_of(images, symmetry, first)
        if one <= low_first:
            two = image_of(images, symmetry, second)
            if one < low_first or two < low_second:
                low_first, low_second = one, two
    return low_first, low_second


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
    """Fills an empty hash table with the first `count` positions."""
    for i in range(count):
        slots[find_slot(slots, first, second, first[i], second[i])] = i


@jit
def count_lowest(images: Words, first: Words, second: Words) -> int:
    """How many of the positions stand for all their images: one for each class."""
    count = 0
    for i in range(len(first)):
        one, two = lowest_image(images, first[i], second[i])
        count += one == first[i] and two == second[i]
    return count
