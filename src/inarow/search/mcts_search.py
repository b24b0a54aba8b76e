"""The loop of a Monte Carlo tree search, whole in compiled code.

Each simulation follows the tree by UCT to a leaf (`mcts_tree`), plays a random game from there or
asks an agent (`mcts_leaves`), and adds the result to all nodes on its way. The move is the most
visited, or one that is proven to win. The tree below what was then played is kept for the next
move of the same game.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.aside import Call
from inarow.engine.board import PLY, Board, Cells, Stones, load
from inarow.engine.contest import register_player
from inarow.engine.jit import apart, inline, jit, stay_apart
from inarow.engine.streams import Stream
from inarow.engine.tables import Int64s, Tables
from inarow.search.mcts_leaves import KINDS, enter, leaf_value, list_moves, put, reset
from inarow.search.mcts_tree import (
    CELL,
    COUNT,
    FIRST,
    PROVEN,
    UNKNOWN,
    VISITS,
    Tree,
    add_children,
    back_up,
    best_child,
    child_at,
    has_room,
    keep_below,
    plant,
    prove_end,
    proven_value,
    select,
)

HOLDS, ROOT_PLY, ROOT_CELL = range(3)  # places in `memory`


class MctsPlayer(NamedTuple):
    """The player for compiled loops."""

    tree: Tree
    leaves: tuple[object, ...]
    simulations: int
    exploration: float
    prior: int  # 1 where children begin with an agent's value, which counts as a visit
    cells: Cells  # [cells] scratch: moves of a node
    stones: Stones  # of the root
    memory: Int64s  # [3] whether the tree holds, the root's stones, the cell that was chosen


@inline
def _begin(player: MctsPlayer, stream: Stream) -> None:  # noqa: ARG001
    """Nothing is kept from another game."""
    player.memory[HOLDS] = 0


@apart
def search(
    tables: Tables,
    board: Board,
    player: MctsPlayer,
    stream: Stream,
    simulations: int,
    opening: bool,
) -> np.int64:
    """Opens a search of the position on the board, or goes on with it: the cell of its move."""
    stay_apart()
    if opening:
        _open_search(tables, board, player)
    _simulate(tables, board, player, stream, simulations)
    cell = np.int64(player.tree.nodes[best_child(player.tree), CELL])
    player.memory[ROOT_CELL] = cell
    return cell


@inline
def _choose(tables: Tables, board: Board, player: MctsPlayer, stream: Stream) -> np.int64:
    """The cell of the move."""
    return search(tables, board, player, stream, player.simulations, True)


@jit
def search_in(
    tables: Tables,
    board: Board,
    stones: Stones,
    player: MctsPlayer,
    stream: Stream,
    simulations: int,
    opening: bool,
) -> np.int64:
    """The same from Python: the move, in the position of these stones."""
    if opening:
        load(tables, board, stones)
    return search(tables, board, player, stream, simulations, opening) % tables.columns


@inline
def _open_search(tables: Tables, board: Board, player: MctsPlayer) -> None:
    """Finds the position in the tree of the move before, or plants a new one."""
    tree = player.tree
    node = _find_again(tables, board, player)
    if node < 0:
        plant(tree)
    else:
        keep_below(tree, node)
        if 2 * tree.path[-1] > len(tree.nodes):  # no room for another search
            plant(tree)
    enter(tables, board, player.leaves)
    for cell in range(tables.cells):
        player.stones[cell] = board.stones[cell]
    player.memory[HOLDS], player.memory[ROOT_PLY] = 1, board.counters[PLY]


@inline
def _find_again(tables: Tables, board: Board, player: MctsPlayer) -> int:
    """The node of this position: the tree's root, its move, and one reply; -1 if it is another."""
    tree, memory = player.tree, player.memory
    if memory[HOLDS] == 0 or board.counters[PLY] != memory[ROOT_PLY] + 2:
        return -1
    if board.stones[memory[ROOT_CELL]] != 1 + (memory[ROOT_PLY] & 1):
        return -1
    reply = -1
    for cell in range(tables.cells):
        if board.stones[cell] != player.stones[cell] and cell != memory[ROOT_CELL]:
            if player.stones[cell] != 0 or reply >= 0:
                return -1
            reply = cell
    return child_at(tree, child_at(tree, 0, memory[ROOT_CELL]), reply)


@inline
def _simulate(
    tables: Tables, board: Board, player: MctsPlayer, stream: Stream, simulations: int
) -> None:
    """So many simulations, or fewer where the root is proven or has one move only."""
    for _ in range(simulations):
        if player.tree.nodes[0, PROVEN] != UNKNOWN or player.tree.nodes[0, COUNT] == 1:
            break
        _simulate_once(tables, board, player, stream)


@inline
def _simulate_once(tables: Tables, board: Board, player: MctsPlayer, stream: Stream) -> None:
    """One way down the tree, the value of its leaf, and what follows for all nodes on the way.

    A leaf gets children on its second visit: most are visited once. With an agent it gets them
    with its value, on the first.
    """
    tree, leaves = player.tree, player.leaves
    node, depth, side = 0, 0, board.counters[PLY] & 1
    tree.path[0] = 0
    while tree.nodes[node, PROVEN] == UNKNOWN:
        if tree.nodes[node, FIRST] == 0:
            if player.prior > 0 or (tree.nodes[node, VISITS] == 0 and node > 0):
                break
            count = list_moves(tables, board, leaves, player.cells)
            if not has_room(tree, count):
                break
            add_children(tree, node, player.cells, count, stream)
        node = select(tree, node, player.exploration)
        depth += 1
        tree.path[depth] = node
        state = put(tables, board, leaves, int(np.int64(tree.nodes[node, CELL])))
        if tree.nodes[node, VISITS] == 0:
            prove_end(tree, node, state, side)
        side = 1 - side
    if tree.nodes[node, PROVEN] != UNKNOWN:
        value = proven_value(tree.nodes[node, PROVEN])
    else:
        value = leaf_value(tables, board, leaves, tree, node, stream)
    back_up(tree, depth, value, player.prior)
    reset(tables, board, leaves)


def _parts(tables: Tables, board: Board, player: MctsPlayer, stream: Stream) -> list[Call]:
    """What stands last in a simulation, where an agent is asked there."""
    leaves = player.leaves
    kind = KINDS[type(leaves)]
    if player.prior == 0:
        return []
    return [
        (kind.leaf_value, (tables, board, leaves, player.tree, 0, stream)),
        (kind.reset, (tables, board, leaves)),
    ]


register_player(MctsPlayer, _begin, _choose, None, _parts)
