"""Leaves of a tree search on the compiled board, which keeps all threats: by rules, and by values.

The board is that of the search itself; every simulation is taken back.
"""

from __future__ import annotations

from typing import NamedTuple

from inarow.engine.board import GOING_ON, PLY, STATE, Board, Cells, place, undo
from inarow.engine.contest import PlayerArrays, Weights
from inarow.engine.jit import inline
from inarow.engine.rules import find_cells, ordered_cells
from inarow.engine.streams import Stream, below
from inarow.engine.tables import Int64s, Tables
from inarow.engine.values import value_cells
from inarow.search.mcts_leaves import KINDS, ROOT_STONES, Kind, enter_numbers, result_of
from inarow.search.mcts_tree import FIRST, MEAN, WIDTH, Tree, add_children, has_room


class RuleLeaves(NamedTuple):
    """Rules before random moves."""

    tree_rules: Int64s  # what moves are looked at in the tree, ended by END
    rules: Int64s  # what comes first in random games
    found: Cells  # [cells] scratch
    numbers: Int64s  # [4]


class ValueLeaves(NamedTuple):
    """An agent in place of random games."""

    tree_rules: Int64s
    agent: PlayerArrays
    found: Cells  # [cells] scratch
    numbers: Int64s  # [4]
    values: Weights  # [cells] of the moves of a leaf


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
    """Lists the children with what the agent expects of each; the best counts."""
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
            tree.values[child, MEAN], tree.values[child, WIDTH] = value, 1.0
    return -best


KINDS[RuleLeaves] = Kind(_enter_board, _reset_board, _put_on_board, _list_on_board, _play_on_board)
KINDS[ValueLeaves] = Kind(
    _enter_board, _reset_board, _put_on_board, _list_on_board, _value_on_board
)
