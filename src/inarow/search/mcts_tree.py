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

# Places in a row of `nodes`.
CELL = 0  # where the move into it lies
PARENT = 1
FIRST = 2  # the first of its children, or 0 while they are not listed
COUNT = 3  # of its children
VISITS = 4
PROVEN = 5
MOVED = 6  # scratch of `keep_below`
PARTS = 8  # numbers in a row: half a cache line

# Places in a row of `values`.
MEAN = 0  # of the results of its simulations: 1 a win, 0 a draw, -1 a loss
WIDTH = 1  # 1 / sqrt(visits): how little is known of the mean

NODE_BYTES = 4 * PARTS + 2 * 8


class Tree(NamedTuple):
    """Nodes by number; 0 is the root. Few arrays, since each costs every function that has it."""

    nodes: Int32s  # [nodes, PARTS]
    values: Floats  # [nodes, 2]
    path: Int64s  # [cells + 2] the nodes of the simulation; the last is how many nodes there are


def new_tree(nodes: int, cells: int) -> Tree:
    """Room for so many nodes. A system gives memory when it is written to, so most is not taken."""
    return Tree(
        np.empty((nodes, PARTS), dtype=np.int32),
        np.empty((nodes, 2), dtype=np.float64),
        np.zeros(cells + 2, dtype=np.int64),
    )


@inline
def plant(tree: Tree) -> None:
    """A root alone."""
    tree.nodes[0, :] = 0
    tree.values[0, MEAN], tree.values[0, WIDTH] = 0.0, UNVISITED
    tree.path[-1] = 1


@inline
def has_room(tree: Tree, count: int) -> bool:
    """Whether so many more nodes fit."""
    return tree.path[-1] + count <= len(tree.nodes)


@inline
def add_children(tree: Tree, node: int, cells: Cells, count: int, stream: Stream) -> None:
    """Lists the moves of a node, in random order: of equal ones the first is tried first."""
    first = tree.path[-1]
    for i in range(count - 1, 0, -1):
        other = below(stream, i + 1)
        cells[i], cells[other] = cells[other], cells[i]
    for i in range(count):
        tree.nodes[first + i, :] = 0
        tree.nodes[first + i, CELL], tree.nodes[first + i, PARENT] = cells[i], node
        tree.values[first + i, MEAN], tree.values[first + i, WIDTH] = 0.0, UNVISITED
    tree.nodes[node, FIRST], tree.nodes[node, COUNT] = first, count
    tree.path[-1] = first + count


@inline
def select(tree: Tree, node: int, exploration: float) -> int:
    """The child to follow: UCT, without those that are proven to lose."""
    bonus = exploration * math.sqrt(math.log(tree.nodes[node, VISITS] + 1.0))
    first = int(np.int64(tree.nodes[node, FIRST]))
    chosen, best = first, -np.inf
    for child in range(first, first + tree.nodes[node, COUNT]):
        value = tree.values[child, MEAN] + bonus * tree.values[child, WIDTH]
        if value > best and tree.nodes[child, PROVEN] != LOST:
            chosen, best = child, value
    return chosen


@inline
def prove_end(tree: Tree, node: int, state: int, side: int) -> None:
    """Notes how a game ended with the move into a node, which a side made."""
    if state != GOING_ON:
        if state == DRAWN:
            tree.nodes[node, PROVEN] = EVEN
        else:
            tree.nodes[node, PROVEN] = WON if state == FIRST_WON + side else LOST


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
        node = tree.path[i]
        if i < depth and tree.nodes[tree.path[i + 1], PROVEN] != UNKNOWN:
            _prove_parent(tree, node, tree.nodes[tree.path[i + 1], PROVEN])
        if tree.nodes[node, PROVEN] != UNKNOWN:
            value = proven_value(tree.nodes[node, PROVEN])
        tree.nodes[node, VISITS] += 1
        weight = np.float64(tree.nodes[node, VISITS] + prior)
        tree.values[node, MEAN] += (value - tree.values[node, MEAN]) / weight
        tree.values[node, WIDTH] = 1.0 / math.sqrt(weight)
        value = -value


@inline
def _prove_parent(tree: Tree, node: int, child: int) -> None:
    """What a proven child proves of its parent."""
    if child == WON:
        tree.nodes[node, PROVEN] = LOST
        return
    even = False
    for other in range(tree.nodes[node, FIRST], tree.nodes[node, FIRST] + tree.nodes[node, COUNT]):
        if tree.nodes[other, PROVEN] == UNKNOWN:
            return
        even = even or tree.nodes[other, PROVEN] == EVEN
    tree.nodes[node, PROVEN] = EVEN if even else WON


@inline
def best_child(tree: Tree) -> int:
    """The move of the root: a win that is proven, else the most visited of those not lost."""
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
    """Makes a node the root and forgets all that is not below it.

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
    """All but where it was moved to."""
    for part in range(MOVED):
        tree.nodes[target, part] = tree.nodes[source, part]
    for part in range(2):
        tree.values[target, part] = tree.values[source, part]
