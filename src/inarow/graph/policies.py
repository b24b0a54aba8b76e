"""Players as policies of a graph: rule players, and the expert of the papers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from inarow.engine.board import GOING_ON, Board, load, new_board
from inarow.engine.jit import jit
from inarow.engine.rules import (
    Rule,
    RuleList,
    RulePlayer,
    Scan,
    apply_rules,
    first_in_order,
)
from inarow.engine.tables import Int32s, Tables, Words, tables_of
from inarow.game import InputError
from inarow.graph.cache import kept
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy
from inarow.graph.states import Int8s, Int16s, write_stones
from inarow.graph.values import values_of


@kept
def rule_policies(graph: Graph, rules: RuleList) -> list[Policy]:
    """A rule player as policies, one for each of its variants (one is drawn for each game)."""
    if rules.scan == Scan.GAME:
        raise InputError("an order kept for a game is no policy: its moves hang on earlier ones")
    if graph.reduced and rules.scan != Scan.RANDOM:
        raise InputError("a fixed scan order is not symmetric: take the graph that is not reduced")
    tables = tables_of(graph.game)
    player, board = rules.compiled(tables), new_board(tables)
    stones = np.zeros(graph.game.cells, dtype=np.int8)
    policies = []
    for variant in range(len(rules.variants)):
        player.memory[0] = variant
        weights = np.zeros(graph.edges)
        _write_rules(
            tables, board, player, stones, graph.first, graph.second, graph.state,
            graph.edge_start, graph.move, weights,
        )  # fmt: skip
        policies.append(weights)
    return policies


@jit
def _write_rules(
    tables: Tables,
    board: Board,
    player: RulePlayer,
    stones: Int8s,
    first: Words,
    second: Words,
    state: Int8s,
    edge_start: Int32s,
    move: Int16s,
    weights: Policy,
) -> None:
    """Weight 1 for every move that the rule player may choose."""
    for position in range(len(state)):
        if state[position] != GOING_ON:
            continue
        write_stones(tables.cells, first[position], second[position], stones)
        load(tables, board, stones)
        rule, count = apply_rules(tables, board, player.rules[player.memory[0]], player.found)
        if rule != Rule.END and player.scan != Scan.RANDOM:
            player.found[0] = first_in_order(tables, board, player, rule, count)
            count = 1
        for i in range(count):
            for edge in range(edge_start[position], edge_start[position + 1]):
                if move[edge] == player.found[i] % tables.columns:
                    weights[edge] = 1.0


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
    _write_expert(
        graph.state, graph.to_move, graph.edge_start, graph.child, graph.move,
        values.value, distance, ranks, weights,
    )  # fmt: skip
    return weights


@jit
def _write_expert(
    state: Int8s,
    to_move: Int8s,
    edge_start: Int32s,
    child: Int32s,
    move: Int16s,
    value: Int8s,
    distance: Int16s,
    ranks: Int32s,
    weights: Policy,
) -> None:
    for position in range(len(state)):
        if state[position] != GOING_ON:
            continue
        sign = 1 - 2 * to_move[position]
        chosen, best, best_steps, best_rank = edge_start[position], -2, 0, 0
        for edge in range(edge_start[position], edge_start[position + 1]):
            own = sign * value[child[edge]]
            # Fewer moves are better for a win, more for anything else.
            steps = distance[child[edge]] if own > 0 else -distance[child[edge]]
            rank = ranks[move[edge]]
            if own > best or (
                own == best and (steps < best_steps or (steps == best_steps and rank < best_rank))
            ):
                chosen, best, best_steps, best_rank = edge, own, steps, rank
        weights[chosen] = 1.0
