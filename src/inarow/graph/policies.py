"""Players as policies of a graph, and policies as lists to draw moves from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import (
    GOING_ON,
    Board,
    Int8s,
    Int16s,
    Int32s,
    Int64s,
    Tables,
    load,
    new_board,
    tables_of,
)
from inarow.engine.jit import inline, jit
from inarow.engine.players import PlayerArrays, check_one_policy, compiled_form, write_policy
from inarow.engine.rules import RuleList, Scan
from inarow.engine.streams import Stream, below
from inarow.game import InputError
from inarow.game.progress import Progress, mute
from inarow.graph.graph import Graph, GraphArrays, values_of, write_stones
from inarow.graph.memory_cache import cached
from inarow.graph.odds import Policy

# Players as policies of a graph: compiled ones, and the expert of the papers.


@cached
def rule_policies(graph: Graph, rules: RuleList) -> list[Policy]:
    """A rule player as policies, one for each of its variants (one is drawn for each game)."""
    if graph.reduced and rules.scan in (Scan.LINES, Scan.CELLS):
        raise InputError("a fixed scan order is not symmetric: take the graph that is not reduced")
    tables = tables_of(graph.game)
    variants = [RuleList((variant,), rules.scan) for variant in rules.variants]
    return [compiled_policy(graph, compiled_form(variant, tables)) for variant in variants]


def compiled_policy(graph: Graph, player: PlayerArrays, progress: Progress = mute) -> Policy:
    """Return a compiled player as a policy, with the weights that it states."""
    check_one_policy(player)
    tables = tables_of(graph.game)
    stones, of_moves = np.zeros(graph.game.cells, dtype=np.int8), np.zeros(graph.game.columns)
    asked, weights = QueryBoard(new_board(tables), stones, of_moves), np.zeros(graph.edges)
    size = max(1, graph.positions // 200)
    for start in range(0, graph.positions, size):
        end = min(start + size, graph.positions)
        _write(tables, asked, player, graph.arrays, (start, end), weights)
        progress(end / graph.positions)
    return weights


class QueryBoard(NamedTuple):
    """The position that a player is asked about."""

    board: Board
    stones: Int8s
    weights: Policy  # [columns] of its moves


@jit
def _write(
    tables: Tables,
    asked: QueryBoard,
    player: PlayerArrays,
    graph: GraphArrays,
    some: tuple[int, int],
    weights: Policy,
) -> None:
    """Write the weights of all moves in a span of positions."""
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
    """Return the deterministic expert of the papers: it keeps the game's value.

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


# Policies as lists to draw moves from: what sampled games and learners walk on a graph with.
#
# What a player may choose in a position hangs on the position alone, so it is looked up once for
# all positions. A move is then one draw from a list, whatever the player's rules are.

# A *target* is a position and how it stands in one number, position * 4 + state (`engine.board`).
# A *list* stands in an array of targets: its length, then so many targets. All moves of position p
# are the list at p * stride, so that nothing but the position is needed to find them. A *choice*
# is the place of a list, or FORCED + a target where there is nothing to choose. All are unsigned,
# since Numba looks at the sign of every other index.
Indices = npt.NDArray[np.uint32]
STATE_MASK, STATE_SHIFT = np.uint32(3), np.uint32(2)  # the low bits of a target
FORCED = np.uint32(1 << 31)
ONE = np.uint32(1)


class Moves(NamedTuple):
    """All moves of all positions, as lists."""

    targets: Indices
    stride: int


@cached
def all_moves(graph: Graph) -> Moves:
    """The lists of a graph's moves."""
    lengths = np.diff(graph.edge_start)
    stride = int(lengths.max(initial=0)) + 1
    if graph.positions * stride >= FORCED:
        raise InputError(f"{graph.game.name} has too many positions to draw moves from lists")
    targets = np.zeros(graph.positions * stride, dtype=np.uint32)
    targets[::stride] = lengths
    targets[places_of(graph, stride)] = (graph.child << 2) | graph.state[graph.child]
    return Moves(targets, stride)


def places_of(graph: Graph, stride: int) -> npt.NDArray[np.int64]:
    """Return where the target of each move stands, by edges."""
    lengths = np.diff(graph.edge_start)
    parents = np.repeat(np.arange(graph.positions), lengths)
    within = np.arange(graph.edges) - graph.edge_start[parents]
    return parents * stride + 1 + within


def policy_lists(graph: Graph, moves: Moves, policies: Sequence[Policy]) -> tuple[Indices, Indices]:
    """The lists that policies draw from, behind those of all moves.

    Returns the targets, and for each policy the choice in every position. A policy with unequal
    weights is refused: a list has each move once.
    """
    lists, end = [moves.targets], len(moves.targets)
    choices = np.empty((len(policies), graph.positions), dtype=np.uint32)
    for row, policy in zip(choices, policies, strict=True):
        if not ((policy == 0) | (policy == 1)).all():
            raise InputError("moves are drawn from lists only if all weights are 0 or 1")
        room = np.empty(graph.edges + graph.positions, dtype=np.uint32)
        used = _write_lists(policy, graph.edge_start, moves.targets, moves.stride, end, row, room)
        lists.append(room[:used].copy())
        end += used
    if end >= FORCED:
        raise InputError(f"{graph.game.name} has too many moves to draw from lists")
    return np.concatenate(lists), choices


@jit
def _write_lists(
    policy: Policy,
    edge_start: Int32s,
    targets: Indices,
    stride: int,
    end: int,
    row: Indices,
    room: Indices,
) -> int:
    """A single move is forced; where all are allowed, the list is that of all moves.

    Other lists are written into `room`, which will stand at `end`. Returns how much was written.
    """
    used = 0
    for position in range(len(row)):
        allowed, last = 0, 0
        for edge in range(edge_start[position], edge_start[position + 1]):
            if policy[edge] > 0:
                allowed += 1
                last = position * stride + 1 + edge - edge_start[position]
        row[position] = position * stride
        if allowed == 1:
            row[position] = FORCED | targets[last]
        elif allowed < edge_start[position + 1] - edge_start[position]:
            row[position] = end + used
            room[used] = allowed
            used += 1
            for edge in range(edge_start[position], edge_start[position + 1]):
                if policy[edge] > 0:
                    room[used] = targets[position * stride + 1 + edge - edge_start[position]]
                    used += 1
    return used


@inline
def draw_target(targets: Indices, choices: np.uint32, stream: Stream) -> np.uint32:
    """Draw a target from a list; without a choice no random number is drawn."""
    if choices >= FORCED:
        return choices ^ FORCED
    length = targets[choices]
    if length > 1:
        choices += np.uint32(below(stream, length))
    return targets[choices + ONE]


def sample_games(
    graph: Graph,
    first: Sequence[Policy],
    second: Sequence[Policy],
    games: int,
    streams: tuple[Stream, Stream],
    openings: bool = False,
) -> tuple[int, int, int]:
    """Play games between policies: how many the first won, were drawn, the second won.

    Of several policies of a side one is drawn for each game. With `openings` so many games begin
    with each of the first player's moves, one move after the other.
    """
    targets, choices = policy_lists(graph, all_moves(graph), [*first, *second])
    starts = targets[1 : 1 + graph.edge_start[1]].tolist() if openings else [0]
    counts, sides = np.zeros(4, dtype=np.int64), (choices[: len(first)], choices[len(first) :])
    for start in starts:
        _sample(targets, *sides, start, *streams, games, counts)
    return int(counts[1]), int(counts[3]), int(counts[2])


@jit
def _sample(
    targets: Indices,
    first: Indices,
    second: Indices,
    start: int,
    first_stream: Stream,
    second_stream: Stream,
    games: int,
    counts: Int64s,
) -> None:
    for _ in range(games):
        own = first[below(first_stream, len(first)) if len(first) > 1 else np.uint64(0)]
        other = second[below(second_stream, len(second)) if len(second) > 1 else np.uint64(0)]
        target = np.uint32(start)
        first_to_move = start == 0
        while target & STATE_MASK == 0:
            if first_to_move:
                target = draw_target(targets, own[target >> STATE_SHIFT], first_stream)
            else:
                target = draw_target(targets, other[target >> STATE_SHIFT], second_stream)
            first_to_move = not first_to_move
        counts[target & STATE_MASK] += 1
