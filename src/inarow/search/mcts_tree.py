"""The tree of a Monte Carlo tree search, and the value of its leaves.

UCT (Kocsis and Szepesvari 2006): of a node's children the one is followed next that has the
highest mean result plus c * sqrt(ln n / m), where n and m are the visits of node and child. Wins,
draws and losses that are certain are backed up exactly (MCTS-Solver: Winands, Björnsson and Saito
2008): a child that wins proves its parent lost, and where all children are proven, so is the node.

All of a node is seen by the side that moved into it. The children of a node lie side by side.

There is one kind of leaves for each way to play on from one:

- `MaskLeaves`, `CounterLeaves`: plain random games, as `engine.play_games` plays them, on boards of
  up to 64 cells and on larger ones. Nothing is undone: every simulation begins from a copy.
- `RuleLeaves`, `ValueLeaves`: random games in which rules come first, and no
  random games at all, but what a learned agent expects.

A kind is a NamedTuple; the functions below are looked up by its type when a search is compiled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import (
    DRAWN,
    FIRST_WON,
    GOING_ON,
    MAX_MASK_CELLS,
    PLY,
    SCORE,
    STATE,
    Board,
    Cells,
    Int32s,
    Int64s,
    Tables,
    Words,
    place,
    state_of_line,
    undo,
)
from inarow.engine.jit import dispatch_by_type, inline, jit
from inarow.engine.play_games import add_to_lines, compare_lines, finish, lines_completed
from inarow.engine.players import MoveWeights, PlayerArrays, value_cells
from inarow.engine.rules import find_cells, ordered_cells
from inarow.engine.streams import Stream, below
from inarow.search.bitboard import ONE, ZERO, Word, lowest, popcount, signed

Floats = npt.NDArray[np.float64]

# What is proven of a node, for the side that moved into it.
UNKNOWN, WON, LOST, DRAW = 0, 1, 2, 3
UNVISITED = 1e6  # the width of a node without visits: it comes before all others

# Places in a row of `nodes`.
CELL = 0  # where the move into it lies
PARENT = 1
FIRST = 2  # the first of its children, or 0 while they are not listed
COUNT = 3  # of its children
VISITS = 4
PROVEN = 5
MOVED = 6  # scratch of `keep_below`
ROW_LENGTH = 8  # numbers in a row: half a cache line

# Places in a row of `values`.
MEAN = 0  # of the results of its simulations: 1 a win, 0 a draw, -1 a loss
INVERSE_SQRT_VISITS = 1  # 1 / sqrt(visits): how little is known of the mean

NODE_BYTES = 4 * ROW_LENGTH + 2 * 8

# Logarithms are looked up: a call for each node on a path takes longer, and libraries differ in the
# last bit of one number in a hundred. A root that keeps visits of earlier moves has, but for rare
# positions, no more than those of so many searches.
LOGARITHM_SEARCHES = 8
MOST_LOGARITHMS = 2**20


class Tree(NamedTuple):
    """The nodes of a tree by number, 0 the root, in few arrays."""

    nodes: Int32s  # [nodes, PARTS]
    values: Floats  # [nodes, 2]
    path: Int64s  # [cells + 2] the nodes of the simulation; the last is how many nodes there are
    logarithms: Floats  # [visits] the logarithm of so many visits and one more


def new_tree(nodes: int, cells: int, simulations: int) -> Tree:
    """Room for so many nodes. A system gives memory when it is written to, so most is not taken."""
    return Tree(
        np.empty((nodes, ROW_LENGTH), dtype=np.int32),
        np.empty((nodes, 2), dtype=np.float64),
        np.zeros(cells + 2, dtype=np.int64),
        _logarithms(logarithm_count(simulations)),
    )


def logarithm_count(simulations: int) -> int:
    """Return how many logarithms a tree keeps that gets so many simulations for a move."""
    return min(LOGARITHM_SEARCHES * simulations + 1, MOST_LOGARITHMS)


@lru_cache(maxsize=4)
def _logarithms(count: int) -> Floats:
    """The logarithms of 1 to `count`, as the system's library gives them."""
    return np.array([math.log(number) for number in range(1, count + 1)])


@inline
def plant(tree: Tree) -> None:
    """Make a tree of a root alone."""
    tree.nodes[0, :] = 0
    tree.values[0, MEAN], tree.values[0, INVERSE_SQRT_VISITS] = 0.0, UNVISITED
    tree.path[-1] = 1


@inline
def has_room(tree: Tree, count: int) -> bool:
    """Return whether so many more nodes fit."""
    return tree.path[-1] + count <= len(tree.nodes)


@inline
def add_children(tree: Tree, node: int, cells: Cells, count: int, stream: Stream) -> None:
    """List the moves of a node, in random order: of equal ones the first is tried first."""
    first = tree.path[-1]
    for i in range(count - 1, 0, -1):
        other = below(stream, i + 1)
        cells[i], cells[other] = cells[other], cells[i]
    for i in range(count):
        tree.nodes[first + i, :] = 0
        tree.nodes[first + i, CELL], tree.nodes[first + i, PARENT] = cells[i], node
        tree.values[first + i, MEAN], tree.values[first + i, INVERSE_SQRT_VISITS] = 0.0, UNVISITED
    tree.nodes[node, FIRST], tree.nodes[node, COUNT] = first, count
    tree.path[-1] = first + count


@inline
def select(tree: Tree, node: int, exploration: float) -> int:
    """Return the child to follow: by UCT, without those that are proven to lose."""
    bonus = exploration * math.sqrt(_logarithm_of_visits(tree, node))
    first = int(np.int64(tree.nodes[node, FIRST]))
    chosen, best = first, -np.inf
    for child in range(first, first + tree.nodes[node, COUNT]):
        value = tree.values[child, MEAN] + bonus * tree.values[child, INVERSE_SQRT_VISITS]
        if value > best and tree.nodes[child, PROVEN] != LOST:
            chosen, best = child, value
    return chosen


@inline
def _logarithm_of_visits(tree: Tree, node: int) -> float:
    """The logarithm of the visits of a node and one more."""
    visits = tree.nodes[node, VISITS]
    if visits < len(tree.logarithms):
        return tree.logarithms[visits]
    return math.log(visits + 1.0)


@inline
def prove_end(tree: Tree, node: int, state: int, side: int) -> None:
    """Note how a game ended with the move into a node, which a side made."""
    if state != GOING_ON:
        if state == DRAWN:
            tree.nodes[node, PROVEN] = DRAW
        else:
            tree.nodes[node, PROVEN] = WON if state == FIRST_WON + side else LOST


@inline
def proven_value(proven: int) -> float:
    """Return the result that is certain."""
    if proven == DRAW:
        return 0.0
    return 1.0 if proven == WON else -1.0


@inline
def back_up(tree: Tree, depth: int, value: float, prior: int) -> None:
    """Add a result to all nodes of the path, and what follows from a node that is proven.

    A mean that began with an estimate counts that as `prior` visits more.
    """
    for i in range(depth, -1, -1):
        node = tree.path[i]
        if i < depth and tree.nodes[tree.path[i + 1], PROVEN] != UNKNOWN:
            _prove_parent(tree, node, tree.nodes[tree.path[i + 1], PROVEN])
        if tree.nodes[node, PROVEN] != UNKNOWN:
            value = proven_value(tree.nodes[node, PROVEN])
        tree.nodes[node, VISITS] += 1
        weight = np.float64(tree.nodes[node, VISITS] + prior)
        tree.values[node, MEAN] += (value - tree.values[node, MEAN]) / weight
        tree.values[node, INVERSE_SQRT_VISITS] = 1.0 / math.sqrt(weight)
        value = -value


@inline
def _prove_parent(tree: Tree, node: int, child: int) -> None:
    """Prove of a parent what a proven child shows."""
    if child == WON:
        tree.nodes[node, PROVEN] = LOST
        return
    even = False
    for other in range(tree.nodes[node, FIRST], tree.nodes[node, FIRST] + tree.nodes[node, COUNT]):
        if tree.nodes[other, PROVEN] == UNKNOWN:
            return
        even = even or tree.nodes[other, PROVEN] == DRAW
    tree.nodes[node, PROVEN] = DRAW if even else WON


@inline
def best_root_node(tree: Tree) -> int:
    """Return the root's child to play: a proven win, else the most visited."""
    first = int(np.int64(tree.nodes[0, FIRST]))
    chosen = first
    for child in range(first, first + tree.nodes[0, COUNT]):
        if _is_better(tree, child, chosen):
            chosen = child
    return chosen


@inline
def _is_better(tree: Tree, one: int, other: int) -> bool:
    rank, held = _rank(tree.nodes[one, PROVEN]), _rank(tree.nodes[other, PROVEN])
    if rank != held:
        return rank > held
    if tree.nodes[one, VISITS] != tree.nodes[other, VISITS]:
        return tree.nodes[one, VISITS] > tree.nodes[other, VISITS]
    return tree.values[one, MEAN] > tree.values[other, MEAN]


@inline
def _rank(proven: int) -> int:
    if proven == WON:
        return 2
    return 0 if proven == LOST else 1


@inline
def child_at(tree: Tree, node: int, cell: int) -> int:
    """The child whose move lies on a cell, or -1."""
    for child in range(tree.nodes[node, FIRST], tree.nodes[node, FIRST] + tree.nodes[node, COUNT]):
        if tree.nodes[child, CELL] == cell:
            return child
    return -1


@jit
def keep_below(tree: Tree, root: int) -> None:
    """Make a node the root and forgets all that is not below it.

    Children come behind their parents, so whatever is kept moves forward, in one pass.
    """
    nodes, used = tree.nodes, tree.path[-1]
    for node in range(root):
        nodes[node, MOVED] = -1
    _copy_node(tree, root, 0)
    nodes[root, MOVED], nodes[0, PARENT] = 0, 0
    place = 1
    for node in range(root + 1, used):
        parent = nodes[nodes[node, PARENT], MOVED]
        if parent >= 0:
            if nodes[parent, FIRST] == node:
                nodes[parent, FIRST] = place
            _copy_node(tree, node, place)
            nodes[place, PARENT] = parent
            nodes[node, MOVED] = place
            place += 1
        else:
            nodes[node, MOVED] = -1
    tree.path[-1] = place


@inline
def _copy_node(tree: Tree, source: int, target: int) -> None:
    """Copy all of a node but where it was moved to."""
    for part in range(MOVED):
        tree.nodes[target, part] = tree.nodes[source, part]
    for part in range(2):
        tree.values[target, part] = tree.values[source, part]


ROOT_STONES, STONES, ROOT_LEAD, LEAD = range(4)  # places in `numbers`


class LeafFunctions(NamedTuple):
    """The compiled functions of a type of leaves, with the arguments of those below."""

    enter: Callable[..., object]
    reset: Callable[..., object]
    put: Callable[..., object]
    list_moves: Callable[..., object]
    leaf_value: Callable[..., object]


KINDS: dict[type, LeafFunctions] = {}


@dispatch_by_type("leaves", KINDS)
def enter(tables: Tables, board: Board, leaves: tuple[object, ...]) -> None:
    """Begin a search from the position on the board."""


@dispatch_by_type("leaves", KINDS)
def reset(tables: Tables, board: Board, leaves: tuple[object, ...]) -> None:
    """Go back to the position where the search began."""


@dispatch_by_type("leaves", KINDS)
def put(tables: Tables, board: Board, leaves: tuple[object, ...], cell: int) -> int:  # noqa: ARG001
    """Make a move; return how the game stands then."""
    raise TypeError(f"{type(leaves).__name__} are not leaves")


@dispatch_by_type("leaves", KINDS)
def list_moves(tables: Tables, board: Board, leaves: tuple[object, ...], cells: Cells) -> int:  # noqa: ARG001
    """Write the moves to look at, in order of cells; return how many."""
    raise TypeError(f"{type(leaves).__name__} are not leaves")


@dispatch_by_type("leaves", KINDS)
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
    """Return the end of a game for the side that moved last."""
    if state == DRAWN:
        return 0.0
    return 1.0 if state == FIRST_WON + 1 - (stones & 1) else -1.0


@inline
def _judge(tables: Tables, numbers: Int64s, completed: int) -> int:
    """Return how the game stands after a stone, which is counted here."""
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
    """Note the stones and the lead of the root."""
    numbers[ROOT_STONES] = board.counters[PLY]
    numbers[ROOT_LEAD] = board.counters[SCORE] - board.counters[SCORE + 1]


# Random games by bit masks


class MaskLeaves(NamedTuple):
    """Leaves valued by random games on two words."""

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
    """Return the cells that can be played, as bits."""
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
    """List the column of a cell that can be played, for a random game."""
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


KINDS[MaskLeaves] = LeafFunctions(
    _enter_masks, _reset_masks, _put_on_masks, _list_on_masks, _play_on_masks
)


# Random games by counters


class CounterLeaves(NamedTuple):
    """Leaves valued by random games on stones and line counters."""

    root_stones: npt.NDArray[np.bool_]  # [cells] where there are any
    stones: npt.NDArray[np.bool_]  # [cells] the same in the simulation
    root_lines: Int64s  # [lines] as in `engine.play_games`
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
    """Return whether a cell is empty, and with gravity not in the air."""
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


KINDS[CounterLeaves] = LeafFunctions(
    _enter_counters, _reset_counters, _put_on_counters, _list_on_counters, _play_on_counters
)


PlainLeaves = MaskLeaves | CounterLeaves


def new_plain_leaves(tables: Tables) -> PlainLeaves:
    """Return leaves for random games without rules."""
    scratch = np.zeros((2, tables.columns), dtype=np.int32)
    numbers = np.zeros(4, dtype=np.int64)
    if tables.cells <= MAX_MASK_CELLS:
        words = np.zeros((2, 2), dtype=np.uint64)
        return MaskLeaves(words[0], words[1], numbers, scratch[0], scratch[1])
    stones = np.zeros((2, tables.cells), dtype=np.bool_)
    lines = np.zeros((2, len(tables.line_words)), dtype=np.int64)
    return CounterLeaves(stones[0], stones[1], lines[0], lines[1], numbers, scratch[0], scratch[1])


# Leaves of a tree search on the compiled board, which keeps all threats: by rules, and by values.
#
# The board is that of the search itself; every simulation is taken back.


class RuleLeaves(NamedTuple):
    """Leaves valued by random games in which rules come first."""

    tree_rules: Int64s  # what moves are looked at in the tree, ended by END
    rules: Int64s  # what comes first in random games
    found: Cells  # [cells] scratch
    numbers: Int64s  # [4]


class ValueLeaves(NamedTuple):
    """Leaves valued by an agent, without random games."""

    tree_rules: Int64s
    agent: PlayerArrays
    found: Cells  # [cells] scratch
    numbers: Int64s  # [4]
    values: MoveWeights  # [cells] of the moves of a leaf


BoardLeaves = RuleLeaves | ValueLeaves


@inline
def _enter_board(tables: Tables, board: Board, leaves: BoardLeaves) -> None:  # noqa: ARG001
    enter_numbers(board, leaves.numbers)


@inline
def _reset_board(tables: Tables, board: Board, leaves: BoardLeaves) -> None:
    while board.counters[PLY] > leaves.numbers[ROOT_STONES]:
        undo(tables, board)


@inline
def _put_on_board(tables: Tables, board: Board, leaves: BoardLeaves, cell: int) -> int:  # noqa: ARG001
    place(tables, board, cell)
    return board.counters[STATE]


@inline
def _list_on_board(tables: Tables, board: Board, leaves: BoardLeaves, cells: Cells) -> int:
    _, count = ordered_cells(tables, board, leaves.tree_rules, cells)
    return count


@inline
def _play_on_board(
    tables: Tables, board: Board, leaves: RuleLeaves, _tree: Tree, _node: int, stream: Stream
) -> float:
    stones = board.counters[PLY]
    while board.counters[STATE] == GOING_ON:
        _, found, count = find_cells(tables, board, leaves.rules, leaves.found)
        place(tables, board, found[below(stream, count)])
    return result_of(board.counters[STATE], stones)


@inline
def _value_on_board(
    tables: Tables, board: Board, leaves: ValueLeaves, tree: Tree, node: int, stream: Stream
) -> float:
    """List the children with what the agent expects of each; the best counts."""
    cells = leaves.found
    count = _list_on_board(tables, board, leaves, cells)
    listed = has_room(tree, count)
    if listed:
        add_children(tree, node, cells, count, stream)
    value_cells(tables, board, leaves.agent, cells, count, leaves.values)
    best = -1.0
    for i in range(count):
        value = min(max(leaves.values[i], -1.0), 1.0)
        best = max(best, value)
        if listed:
            child = tree.nodes[node, FIRST] + i
            tree.values[child, MEAN], tree.values[child, INVERSE_SQRT_VISITS] = value, 1.0
    return -best


KINDS[RuleLeaves] = LeafFunctions(
    _enter_board, _reset_board, _put_on_board, _list_on_board, _play_on_board
)
KINDS[ValueLeaves] = LeafFunctions(
    _enter_board, _reset_board, _put_on_board, _list_on_board, _value_on_board
)
