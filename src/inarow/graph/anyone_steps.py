"""The compiled steps of a traversal through every game of a player: see `anyone`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
    GOING_ON,
    OPEN,
    STATE,
    Board,
    load,
    place,
    undo,
)
from inarow.engine.contest import PlayerArrays, write_policy
from inarow.engine.jit import apart, inline, jit, stay_apart
from inarow.engine.tables import Int8s, Int64s, Tables, Words
from inarow.graph.states import find_slot, image_of, write_stones

# What is counted in a row for each number of stones, where the player is to move: the positions,
# and the games that end with its move or the reply to it.
POSITIONS, WON, DRAWN_GAMES, LOST = range(4)
# Why `expand` stopped before the end.
NOTHING, NOT_MIRRORED, ILLEGAL = range(3)


class Ways(NamedTuple):
    """How the positions of a layer were first come by."""

    parent: npt.NDArray[np.int32]  # the place in the layer before
    turn: npt.NDArray[np.int32]  # see `_turn`


class Found(NamedTuple):
    """A layer in the making, as compiled code sees it."""

    first: Words
    second: Words
    slots: npt.NDArray[np.int32]
    ways: Ways


class Memory(NamedTuple):
    """What one traversal works with."""

    board: Board
    stones: Int8s
    weights: npt.NDArray[np.float64]  # [2, columns] of the moves, and of the mirror image's
    images: Words  # [1 or 2, bytes, 256]: nothing, and the mirror
    mirror: npt.NDArray[np.int32]  # [cells] where the mirror takes each
    examples: Int64s  # [4, 2] for each result a game that ends so: the position, and the turn


@inline
def _turn(tables: Tables, move: int, reply: int, flipped: int) -> int:
    """A move, the reply to it (each `columns` if there is none), whether the image is kept."""
    return ((move * (tables.columns + 1)) + reply) * 2 + flipped


@inline
def _count_end(
    tables: Tables, memory: Memory, side: int, here: int, move: int, reply: int, counts: Int64s
) -> None:
    """Counts a game that is over."""
    state = memory.board.counters[STATE]
    result = WON if state == FIRST_WON + side else (DRAWN_GAMES if state == DRAWN else LOST)
    counts[result] += 1
    if memory.examples[result, 0] < 0:
        memory.examples[result, 0] = here
        memory.examples[result, 1] = _turn(tables, move, reply, 0)


@inline
def _reply(
    tables: Tables,
    memory: Memory,
    first: np.uint64,
    second: np.uint64,
    side: int,
    here: int,
    move: int,
    found: Found,
    count: int,
    counts: Int64s,
) -> int:
    """Every move of the opponent on the board; returns how many positions are found by then."""
    board = memory.board
    other = 1 - side
    for i in range(board.counters[OPEN]):
        cell = int(np.int64(board.open_cells[i]))
        place(tables, board, cell)
        if board.counters[STATE] != GOING_ON:
            _count_end(tables, memory, side, here, move, cell % tables.columns, counts)
        else:
            stone = np.uint64(1) << np.uint64(cell)
            one = first | stone if other == 0 else first
            two = second | stone if other == 1 else second
            flipped = 0
            if len(memory.images) > 1:
                image = image_of(memory.images, 1, one)
                image_two = image_of(memory.images, 1, two)
                if image < one or (image == one and image_two < two):
                    one, two, flipped = image, image_two, 1
            slot = find_slot(found.slots, found.first, found.second, one, two)
            if found.slots[slot] < 0:
                found.first[count], found.second[count] = one, two
                found.slots[slot] = count
                found.ways.parent[count] = here
                found.ways.turn[count] = _turn(tables, move, cell % tables.columns, flipped)
                count += 1
        undo(tables, board)
    return count


@jit
def open_game(tables: Tables, memory: Memory, start: Found, found: Found, counts: Int64s) -> int:
    """The opponent's first move, where the player is second."""
    memory.stones[:] = 0
    load(tables, memory.board, memory.stones)
    return _reply(
        tables, memory, start.first[0], start.second[0], 1, 0, tables.columns, found, 0, counts
    )


@apart
def _ask(
    tables: Tables,
    memory: Memory,
    player: PlayerArrays,
    first: np.uint64,
    second: np.uint64,
    row: int,
) -> None:
    """Puts a position on the board and writes what the player may choose."""
    stay_apart()  # all of the player is in it, and `_ask_both` asks at two places
    write_stones(tables.cells, first, second, memory.stones)
    load(tables, memory.board, memory.stones)
    memory.weights[row, :] = 0
    write_policy(tables, memory.board, player, memory.weights[row])


@inline
def _mirrors(tables: Tables, memory: Memory) -> bool:
    """Whether the same moves are chosen in the mirror image."""
    for move in range(tables.columns):
        image = memory.mirror[move] % tables.columns
        if (memory.weights[0, move] == 0) != (memory.weights[1, image] == 0):
            return False
    return True


@inline
def _ask_both(
    tables: Tables, memory: Memory, player: PlayerArrays, first: np.uint64, second: np.uint64
) -> bool:
    """Asks in a position, and in its mirror image if that is another; whether both agree."""
    turned = False
    if len(memory.images) > 1:
        image_first = image_of(memory.images, 1, first)
        image_second = image_of(memory.images, 1, second)
        turned = image_first != first or image_second != second
        if turned:
            _ask(tables, memory, player, image_first, image_second, 1)
    _ask(tables, memory, player, first, second, 0)
    return not turned or _mirrors(tables, memory)


@jit
def expand(
    tables: Tables,
    memory: Memory,
    player: PlayerArrays,
    layer: Found,
    done: int,
    end: int,
    found: Found,
    count: int,
    side: int,
    counts: Int64s,
) -> tuple[int, int, int]:
    """Follows all moves from positions `done` to `end`, or until there may be no more room.

    Returns how many positions are done, how many were found, and why it stopped, if it did.
    """
    board = memory.board
    columns = tables.columns
    while done < end and count + columns * columns <= len(found.first):
        first, second = layer.first[done], layer.second[done]
        if not _ask_both(tables, memory, player, first, second):
            return done, count, NOT_MIRRORED
        chosen = 0
        for move in range(columns):
            if memory.weights[0, move] == 0:
                continue
            cell = move
            while cell >= 0 and board.stones[cell] != 0:
                cell = int(np.int64(tables.above[cell]))
            if cell < 0:
                return done, count, ILLEGAL
            chosen += 1
            place(tables, board, cell)
            if board.counters[STATE] != GOING_ON:
                _count_end(tables, memory, side, done, move, columns, counts)
            else:
                stone = np.uint64(1) << np.uint64(cell)
                one = first | stone if side == 0 else first
                two = second | stone if side == 1 else second
                count = _reply(tables, memory, one, two, side, done, move, found, count, counts)
            undo(tables, board)
        if chosen == 0:
            return done, count, ILLEGAL
        counts[POSITIONS] += 1
        done += 1
    return done, count, NOTHING
