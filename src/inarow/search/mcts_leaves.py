"""How a tree search follows its moves, and the value of a leaf: one kind for each way to play on.

- `MaskLeaves`, `CounterLeaves`: plain random games, as `engine.playouts` plays them, on boards of
  up to 64 cells and on larger ones. Nothing is undone: every simulation begins from a copy.
- `RuleLeaves`, `ValueLeaves` (`mcts_board_leaves`): random games in which rules come first, and no
  random games at all, but what a learned agent expects.

A kind is a NamedTuple; the functions below are looked up by its type when a search is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
    GOING_ON,
    PLY,
    SCORE,
    Board,
    Cells,
    state_of_line,
)
from inarow.engine.by_type import by_type
from inarow.engine.jit import inline
from inarow.engine.playouts import (
    add_to_lines,
    compare_lines,
    finish,
    lines_completed,
)
from inarow.engine.streams import Stream
from inarow.engine.tables import MAX_MASK_CELLS, Int32s, Int64s, Tables, Words
from inarow.search.bitboard import ONE, ZERO, Word, lowest, popcount, signed
from inarow.search.mcts_tree import Tree

ROOT_STONES, STONES, ROOT_LEAD, LEAD = range(4)  # places in `numbers`


class Kind(NamedTuple):
    """What leaves of a type do: compiled functions with the arguments of those below."""

    enter: Callable[..., object]
    reset: Callable[..., object]
    put: Callable[..., object]
    list_moves: Callable[..., object]
    leaf_value: Callable[..., object]


KINDS: dict[type, Kind] = {}


@by_type("leaves", KINDS)
def enter(tables: Tables, board: Board, leaves: tuple[object, ...]) -> None:
    """Begins a search from the position on the board."""


@by_type("leaves", KINDS)
def reset(tables: Tables, board: Board, leaves: tuple[object, ...]) -> None:
    """Goes back to that position."""


@by_type("leaves", KINDS)
def put(tables: Tables, board: Board, leaves: tuple[object, ...], cell: int) -> int:  # noqa: ARG001
    """Makes a move; returns how the game stands then."""
    raise TypeError(f"{type(leaves).__name__} are not leaves")


@by_type("leaves", KINDS)
def list_moves(tables: Tables, board: Board, leaves: tuple[object, ...], cells: Cells) -> int:  # noqa: ARG001
    """Writes the moves to look at, in order of cells; returns how many."""
    raise TypeError(f"{type(leaves).__name__} are not leaves")


@by_type("leaves", KINDS)
def leaf_value(
    tables: Tables,  # noqa: ARG001
    board: Board,  # noqa: ARG001
    leaves: tuple[object, ...],
    tree: Tree,  # noqa: ARG001
    node: int,  # noqa: ARG001
    stream: Stream,  # noqa: ARG001
) -> float:
    """The value of a position that goes on to the side that has just moved."""
    raise TypeError(f"{type(leaves).__name__} are not leaves")


@inline
def result_of(state: int, stones: int) -> float:
    """The end of a game for the side that did not move with so many stones on the board."""
    if state == DRAWN:
        return 0.0
    return 1.0 if state == FIRST_WON + 1 - (stones & 1) else -1.0


@inline
def _judge(tables: Tables, numbers: Int64s, completed: int) -> int:
    """How the game stands after a stone that completed so many lines, which is counted here."""
    side = numbers[STONES] & 1
    numbers[LEAD] += completed if side == 0 else -completed
    numbers[STONES] += 1
    if completed > 0 and not tables.scoring:
        return state_of_line(tables, side)
    if numbers[STONES] < tables.cells:
        return GOING_ON
    return compare_lines(tables.scoring, numbers[LEAD], 0)


@inline
def enter_numbers(board: Board, numbers: Int64s) -> None:
    """The stones and the lead of the root."""
    numbers[ROOT_STONES] = board.counters[PLY]
    numbers[ROOT_LEAD] = board.counters[SCORE] - board.counters[SCORE + 1]


# Random games by bit masks


class MaskLeaves(NamedTuple):
    """A position as two words."""

    root: Words  # [2] stones of the first and the second side
    stones: Words  # [2] the same in the simulation
    numbers: Int64s  # [4]
    moves: Int32s  # [columns] scratch of a random game
    heights: Int32s  # [columns]


@inline
def _enter_masks(tables: Tables, board: Board, leaves: MaskLeaves) -> None:
    leaves.root[:] = ZERO
    for cell in range(tables.cells):
        if board.stones[cell] != 0:
            leaves.root[board.stones[cell] - 1] |= ONE << Word(cell)
    enter_numbers(board, leaves.numbers)
    _reset_masks(tables, board, leaves)


@inline
def _reset_masks(tables: Tables, board: Board, leaves: MaskLeaves) -> None:  # noqa: ARG001
    leaves.stones[0], leaves.stones[1] = leaves.root[0], leaves.root[1]
    leaves.numbers[STONES], leaves.numbers[LEAD] = (
        leaves.numbers[ROOT_STONES],
        leaves.numbers[ROOT_LEAD],
    )


@inline
def _put_on_masks(tables: Tables, board: Board, leaves: MaskLeaves, cell: int) -> int:  # noqa: ARG001
    side = leaves.numbers[STONES] & 1
    stones = leaves.stones[side] | (ONE << Word(cell))
    leaves.stones[side] = stones
    return _judge(tables, leaves.numbers, lines_completed(tables.masks, cell, stones))


@inline
def _playable(tables: Tables, leaves: MaskLeaves) -> np.uint64:
    """The cells that can be played, as bits."""
    taken = leaves.stones[0] | leaves.stones[1]
    board = ~ZERO >> Word(MAX_MASK_CELLS - tables.cells)
    if not tables.gravity:
        return board & ~taken
    columns = Word(tables.columns)
    bottom = ~ZERO >> (Word(MAX_MASK_CELLS) - columns)
    above = (taken << columns) if tables.columns < MAX_MASK_CELLS else ZERO
    return board & ~taken & (above | bottom)


@inline
def _list_on_masks(tables: Tables, board: Board, leaves: MaskLeaves, cells: Cells) -> int:  # noqa: ARG001
    playable, count = _playable(tables, leaves), 0
    while playable != ZERO:
        bit = lowest(playable)
        playable ^= bit
        cells[count] = popcount(bit - ONE)
        count += 1
    return count


@inline
def _open_column(tables: Tables, leaves: PlainLeaves, place: int, cell: int) -> None:
    """Lists the column of a cell that can be played, for a random game."""
    leaves.moves[place] = cell % tables.columns
    leaves.heights[leaves.moves[place]] = cell // tables.columns


@inline
def _play_on_masks(
    tables: Tables, _board: Board, leaves: MaskLeaves, _tree: Tree, _node: int, stream: Stream
) -> float:
    playable, count = _playable(tables, leaves), 0
    while playable != ZERO:
        bit = lowest(playable)
        playable ^= bit
        _open_column(tables, leaves, count, signed(popcount(bit - ONE)))
        count += 1
    stones = leaves.numbers[STONES]
    own, other = leaves.stones[stones & 1], leaves.stones[1 - (stones & 1)]
    lines = (leaves.numbers[LEAD], 0)  # their difference is what counts
    state, _, _, _, _ = finish(
        tables, leaves.moves, leaves.heights, count, (own, other), None, lines, stones, (stream,)
    )
    return result_of(state, stones)


KINDS[MaskLeaves] = Kind(_enter_masks, _reset_masks, _put_on_masks, _list_on_masks, _play_on_masks)


# Random games by counters


class CounterLeaves(NamedTuple):
    """A position as stones, and stones counted on each line."""

    root_stones: npt.NDArray[np.bool_]  # [cells] where there are any
    stones: npt.NDArray[np.bool_]  # [cells] the same in the simulation
    root_lines: Int64s  # [lines] as in `engine.playouts`
    lines: Int64s
    numbers: Int64s  # [4]
    moves: Int32s  # [columns] scratch of a random game
    heights: Int32s  # [columns]


@inline
def _enter_counters(tables: Tables, board: Board, leaves: CounterLeaves) -> None:
    for cell in range(tables.cells):
        leaves.root_stones[cell] = board.stones[cell] != 0
    for line in range(len(leaves.root_lines)):
        leaves.root_lines[line] = board.lines[line] & 0xFFFFFFFF
    enter_numbers(board, leaves.numbers)
    _reset_counters(tables, board, leaves)


@inline
def _reset_counters(tables: Tables, board: Board, leaves: CounterLeaves) -> None:  # noqa: ARG001
    for cell in range(len(leaves.stones)):
        leaves.stones[cell] = leaves.root_stones[cell]
    for line in range(len(leaves.lines)):
        leaves.lines[line] = leaves.root_lines[line]
    leaves.numbers[STONES], leaves.numbers[LEAD] = (
        leaves.numbers[ROOT_STONES],
        leaves.numbers[ROOT_LEAD],
    )


@inline
def _put_on_counters(tables: Tables, board: Board, leaves: CounterLeaves, cell: int) -> int:  # noqa: ARG001
    leaves.stones[cell] = True
    completed = add_to_lines(tables, leaves.lines, cell, leaves.numbers[STONES] & 1)
    return _judge(tables, leaves.numbers, completed)


@inline
def _can_play(tables: Tables, leaves: CounterLeaves, cell: int) -> bool:
    """Whether a cell is empty, and with gravity not in the air."""
    below_it = tables.columns
    supported = not tables.gravity or cell < below_it or leaves.stones[cell - below_it]
    return supported and not leaves.stones[cell]


@inline
def _list_on_counters(tables: Tables, board: Board, leaves: CounterLeaves, cells: Cells) -> int:  # noqa: ARG001
    count = 0
    for cell in range(tables.cells):
        if _can_play(tables, leaves, cell):
            cells[count] = cell
            count += 1
    return count


@inline
def _play_on_counters(
    tables: Tables, _board: Board, leaves: CounterLeaves, _tree: Tree, _node: int, stream: Stream
) -> float:
    count = 0
    for cell in range(tables.cells):
        if _can_play(tables, leaves, cell):
            _open_column(tables, leaves, count, cell)
            count += 1
    stones = leaves.numbers[STONES]
    lines, none = (leaves.numbers[LEAD], 0), (ZERO, ZERO)  # the difference is what counts
    state, _, _, _, _ = finish(
        tables, leaves.moves, leaves.heights, count, none, leaves.lines, lines, stones, (stream,)
    )
    return result_of(state, stones)


KINDS[CounterLeaves] = Kind(
    _enter_counters, _reset_counters, _put_on_counters, _list_on_counters, _play_on_counters
)


PlainLeaves = MaskLeaves | CounterLeaves


def new_plain_leaves(tables: Tables) -> PlainLeaves:
    """For random games without rules."""
    scratch = np.zeros((2, tables.columns), dtype=np.int32)
    numbers = np.zeros(4, dtype=np.int64)
    if tables.cells <= MAX_MASK_CELLS:
        words = np.zeros((2, 2), dtype=np.uint64)
        return MaskLeaves(words[0], words[1], numbers, scratch[0], scratch[1])
    stones = np.zeros((2, tables.cells), dtype=np.bool_)
    lines = np.zeros((2, len(tables.line_words)), dtype=np.int64)
    return CounterLeaves(stones[0], stones[1], lines[0], lines[1], numbers, scratch[0], scratch[1])
