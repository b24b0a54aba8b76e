"""The tree of a Monte Carlo tree search: nodes in flat arrays, values backed up, proofs too.

UCT (Kocsis and Szepesvari 2006): of a node's children the one is followed next that has the
highest mean result plus c * sqrt(ln n / m), where n and m are the visits of node and child. Wins,
draws and losses that are certain are backed up exactly (MCTS-Solver: Winands, Björnsson and Saito
2008): a child that wins proves its parent lost, and where all children are proven, so is the node.

All of a node is seen by the side that moved into it. The children of a node lie side by side.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import DRAWN, FIRST_WON, GOING_ON, Cells
from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream, below
from inarow.engine.tables import Int32s, Int64s

Floats = npt.NDArray[np.float64]

# What is proven of a node, for the side that moved into it.
UNKNOWN, WON, LOST, EVEN = 0, 1, 2, 3
UNVISITED = 1e6  # the width of a node without visits: it comes before all others
USED = 0  # place in `numbers`: how many nodes there are

NODE_BYTES = 5 * 4 + 2 * 8 + 1 + 4


class Tree(NamedTuple):
    """Nodes by number; 0 is the root."""

    cell: Int32s  # [nodes] where the move into it lies
    parent: Int32s
    first: Int32s  # the first of its children, or 0 while they are not listed
    count: Int32s  # of its children
    visits: Int32s
    mean: Floats  # of the results of its simulations: 1 a win, 0 a draw, -1 a loss
    width: Floats  # 1 / sqrt(visits): how little is known of the mean
    proven: npt.NDArray[np.int8]
    moved: Int32s  # scratch of `keep_below`
    path: Int32s  # [cells + 1] the nodes of the simulation
    numbers: Int64s  # [1]


def new_tree(nodes: int, cells: int) -> Tree:
    """Room for so many nodes. A system gives memory when it is written to, so most is not taken."""
    whole = [np.empty(nodes, dtype=np.int32) for _ in range(5)]
    means = [np.empty(nodes, dtype=np.float64) for _ in range(2)]
    return Tree(
        *whole,
        *means,
        np.empty(nodes, dtype=np.int8),
        np.empty(nodes, dtype=np.int32),
        np.zeros(cells + 1, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
    )


@inline
def plant(tree: Tree) -> None:
    """A root alone."""
    _write_node(tree, 0, 0, 0)
    tree.numbers[USED] = 1


@inline
def _write_node(tree: Tree, node: int, cell: int, parent: int) -> None:
    tree.cell[node], tree.parent[node] = cell, parent
    tree.first[node], tree.count[node], tree.visits[node] = 0, 0, 0
    tree.mean[node], tree.width[node], tree.proven[node] = 0.0, UNVISITED, UNKNOWN


@inline
def has_room(tree: Tree, count: int) -> bool:
    """Whether so many more nodes fit."""
    return tree.numbers[USED] + count <= len(tree.cell)


@inline
def add_children(tree: Tree, node: int, cells: Cells, count: int, stream: Stream) -> None:
    """Lists the moves of a node, in random order: of equal ones the first is tried first."""
    first = np.int64(tree.numbers[USED])
    for i in range(count - 1, 0, -1):
        other = below(stream, i + 1)
        cells[i], cells[other] = cells[other], cells[i]
    for i in range(count):
        _write_node(tree, first + i, np.int64(cells[i]), node)
    tree.first[node], tree.count[node] = first, count
    tree.numbers[USED] = first + count


@inline
def select(tree: Tree, node: int, exploration: float) -> int:
    """The child to follow: UCT, without those that are proven to lose."""
    bonus = exploration * math.sqrt(math.log(tree.visits[node] + 1.0))
    first = np.int64(tree.first[node])
    chosen, best = first, -np.inf
    for child in range(first, first + tree.count[node]):
        value = tree.mean[child] + bonus * tree.width[child]
        if value > best and tree.proven[child] != LOST:
            chosen, best = child, value
    return chosen


@inline
def prove_end(tree: Tree, node: int, state: int, side: int) -> None:
    """Notes how a game ended with the move into a node, which a side made."""
    if state != GOING_ON:
        if state == DRAWN:
            tree.proven[node] = EVEN
        else:
            tree.proven[node] = WON if state == FIRST_WON + side else LOST


@inline
def proven_value(proven: int) -> float:
    """The result that is certain."""
    if proven == EVEN:
        return 0.0
    return 1.0 if proven == WON else -1.0


@inline
def back_up(tree: Tree, depth: int, value: float, prior: int) -> None:
    """Adds a result to all nodes of the path, and what follows from a node that is proven.

    A mean that began with an estimate counts that as `prior` visits more.
    """
    for i in range(depth, -1, -1):
        node = np.int64(tree.path[i])
        if i < depth and tree.proven[tree.path[i + 1]] != UNKNOWN:
            _prove_parent(tree, node, tree.proven[tree.path[i + 1]])
        if tree.proven[node] != UNKNOWN:
            value = proven_value(tree.proven[node])
        tree.visits[node] += 1
        weight = np.float64(tree.visits[node] + prior)
        tree.mean[node] += (value - tree.mean[node]) / weight
        tree.width[node] = 1.0 / math.sqrt(weight)
        value = -value


@inline
def _prove_parent(tree: Tree, node: int, child: int) -> None:
    """What a proven child proves of its parent."""
    if child == WON:
        tree.proven[node] = LOST
        return
    even = False
    for other in range(tree.first[node], tree.first[node] + tree.count[node]):
        if tree.proven[other] == UNKNOWN:
            return
        even = even or tree.proven[other] == EVEN
    tree.proven[node] = EVEN if even else WON


@inline
def best_child(tree: Tree) -> int:
    """The move of the root: a win that is proven, else the most visited of those not lost."""
    first = np.int64(tree.first[0])
    chosen = first
    for child in range(first, first + tree.count[0]):
        if _is_better(tree, child, chosen):
            chosen = child
    return chosen


@inline
def _is_better(tree: Tree, one: int, other: int) -> bool:
    rank, held = _rank(tree.proven[one]), _rank(tree.proven[other])
    if rank != held:
        return rank > held
    if tree.visits[one] != tree.visits[other]:
        return tree.visits[one] > tree.visits[other]
    return tree.mean[one] > tree.mean[other]


@inline
def _rank(proven: int) -> int:
    if proven == WON:
        return 2
    return 0 if proven == LOST else 1


@inline
def child_at(tree: Tree, node: int, cell: int) -> int:
    """The child whose move lies on a cell, or -1."""
    for child in range(tree.first[node], tree.first[node] + tree.count[node]):
        if tree.cell[child] == cell:
            return child
    return -1


@jit
def keep_below(tree: Tree, root: int) -> None:
    """Makes a node the root and forgets all that is not below it.

    Children come behind their parents, so whatever is kept moves forward, in one pass.
    """
    moved, used = tree.moved, tree.numbers[USED]
    for node in range(root):
        moved[node] = -1
    _copy_node(tree, root, 0)
    moved[root], tree.parent[0] = 0, 0
    place = 1
    for node in range(root + 1, used):
        parent = moved[tree.parent[node]]
        moved[node] = -1
        if parent >= 0:
            if tree.first[parent] == node:
                tree.first[parent] = place
            _copy_node(tree, node, place)
            moved[node], tree.parent[place] = place, parent
            place += 1
    tree.numbers[USED] = place


@inline
def _copy_node(tree: Tree, source: int, target: int) -> None:
    tree.cell[target], tree.first[target] = tree.cell[source], tree.first[source]
    tree.count[target], tree.visits[target] = tree.count[source], tree.visits[source]
    tree.mean[target], tree.width[target] = tree.mean[source], tree.width[source]
    tree.proven[target] = tree.proven[source]
