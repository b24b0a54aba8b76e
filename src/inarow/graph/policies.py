"""Players as policies of a graph: compiled ones, and the expert of the papers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import GOING_ON, Board, load, new_board
from inarow.engine.contest import PlayerArrays, check_one_policy, write_policy
from inarow.engine.jit import jit
from inarow.engine.rules import RuleList, Scan
from inarow.engine.tables import Int8s, Int16s, Int32s, Tables, tables_of
from inarow.game import InputError
from inarow.graph.cache import kept
from inarow.graph.graph import Graph, GraphArrays
from inarow.graph.odds import Policy
from inarow.graph.states import write_stones
from inarow.graph.values import values_of

Progress = Callable[[float], None]  # called with the share of the work that is done


@kept
def rule_policies(graph: Graph, rules: RuleList) -> list[Policy]:
    """A rule player as policies, one for each of its variants (one is drawn for each game)."""
    if graph.reduced and rules.scan in (Scan.LINES, Scan.CELLS):
        raise InputError("a fixed scan order is not symmetric: take the graph that is not reduced")
    tables = tables_of(graph.game)
    variants = [RuleList((variant,), rules.scan) for variant in rules.variants]
    return [compiled_policy(graph, variant.compiled(tables)) for variant in variants]


def compiled_policy(
    graph: Graph, player: PlayerArrays, progress: Progress = lambda share: None
) -> Policy:
    """A compiled player as a policy: every move that it may choose, as likely as it is."""
    check_one_policy(player)
    tables = tables_of(graph.game)
    stones, of_moves = np.zeros(graph.game.cells, dtype=np.int8), np.zeros(graph.game.columns)
    asked, weights = Asked(new_board(tables), stones, of_moves), np.zeros(graph.edges)
    size = max(1, graph.positions // 200)
    for start in range(0, graph.positions, size):
        end = min(start + size, graph.positions)
        _write(tables, asked, player, graph.arrays, (start, end), weights)
        progress(end / graph.positions)
    return weights


class Asked(NamedTuple):
    """The position that a player is asked about."""

    board: Board
    stones: Int8s
    weights: Policy  # [columns] of its moves


@jit
def _write(
    tables: Tables,
    asked: Asked,
    player: PlayerArrays,
    graph: GraphArrays,
    some: tuple[int, int],
    weights: Policy,
) -> None:
    """The weights of all moves in some positions: from one number to another."""
    for position in range(some[0], some[1]):
        if graph.state[position] != GOING_ON:
            continue
        write_stones(tables.cells, graph.first[position], graph.second[position], asked.stones)
        load(tables, asked.board, asked.stones)
        asked.weights[:] = 0
        write_policy(tables, asked.board, player, asked.weights)
        for edge in range(graph.edge_start[position], graph.edge_start[position + 1]):
            weights[edge] = asked.weights[graph.move[edge]]


def expert_policy(
    graph: Graph, *, order: Sequence[int] | None = None, quickest: bool = False
) -> Policy:
    """The deterministic expert of the papers: always a move that keeps the game's value.

    Among such moves the first in `order`, a list of all moves (ascending if not given); with
    `quickest`, the soonest win or the latest loss before that.
    """
    game = graph.game
    ranks = np.empty(game.columns, dtype=np.int32)
    wanted = np.arange(game.columns) if order is None else np.array(order)
    if sorted(wanted.tolist()) != list(range(game.columns)):
        raise InputError(f"the order of {game.name} lists every move from 0 to {game.columns - 1}")
    ranks[wanted] = np.arange(game.columns)
    weights = np.zeros(graph.edges)
    values = values_of(graph)
    distance: npt.NDArray[np.int16] = (
        values.distance if quickest else np.zeros_like(values.distance)
    )
    _write_expert(graph.arrays, values.value, distance, ranks, weights)
    return weights


@jit
def _write_expert(
    graph: GraphArrays, value: Int8s, distance: Int16s, ranks: Int32s, weights: Policy
) -> None:
    state, to_move, edge_start, child = graph.state, graph.to_move, graph.edge_start, graph.child
    for position in range(len(state)):
        if state[position] != GOING_ON:
            continue
        sign = 1 - 2 * to_move[position]
        chosen, best, best_steps, best_rank = edge_start[position], -2, 0, 0
        for edge in range(edge_start[position], edge_start[position + 1]):
            own = sign * value[child[edge]]
            # Fewer moves are better for a win, more for anything else.
            steps = distance[child[edge]] if own > 0 else -distance[child[edge]]
            rank = ranks[graph.move[edge]]
            if own > best or (
                own == best and (steps < best_steps or (steps == best_steps and rank < best_rank))
            ):
                chosen, best, best_steps, best_rank = edge, own, steps, rank
        weights[chosen] = 1.0
