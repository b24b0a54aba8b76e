"""A game graph as compiled learners walk it, with an opponent's lists and shared table slots."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.jit import inline, jit
from inarow.engine.rules import RuleList
from inarow.engine.streams import Stream, below, uniform
from inarow.engine.tables import Int32s, Words
from inarow.game import InputError
from inarow.graph.draws import STATE_BITS, Indices, all_moves, lists_of, range_of
from inarow.graph.graph import Graph, graph_of
from inarow.graph.odds import Policy
from inarow.graph.policies import rule_policies
from inarow.graph.states import Int16s, find_slot, image_of, symmetry_images

Values = npt.NDArray[np.float64]  # a table of positions or of moves

TIES = ("random", "first")  # which of several moves of equal value is taken


class Walk(NamedTuple):
    """A graph in as few loads a move as it takes.

    Targets and ranges are those of `graph.draws`.
    """

    targets: Indices  # the moves of all positions, then the lists of opponents
    edges: Indices  # [positions] the range of a position's moves
    state_slot: Indices  # [positions] where a table holds a position's value; empty: where it is
    edge_slot: Indices  # [edges] the same for tables of moves
    replies: Indices  # [variants, positions] the range that an opponent draws from


@lru_cache(maxsize=32)
def walk_of(graph: Graph, opponent: Any = None, symmetric: bool = False) -> Walk:
    """The walk on a graph that is not reduced, against an opponent if one is given.

    An opponent is a rule list, or anything with a method `policies(graph)`.

    With `symmetric`, positions that a symmetry takes into each other share one value, and so do
    their moves.
    """
    if graph.reduced:
        raise InputError("learners walk on the graph that is not reduced")
    targets, edges = all_moves(graph)
    targets, replies = lists_of(graph, targets, edges, _policies(graph, opponent))
    return Walk(targets, edges, *_slots(graph, symmetric), replies)


def _policies(graph: Graph, opponent: Any) -> list[Policy]:
    if opponent is None:
        return []
    if isinstance(opponent, RuleList):
        return rule_policies(graph, opponent)
    return list(opponent.policies(graph))


def table_sizes(graph: Graph, symmetric: bool) -> tuple[int, int]:
    """How many positions and how many moves a table has."""
    table = graph_of(graph.game, True) if symmetric else graph
    return table.positions, table.edges


def _slots(graph: Graph, symmetric: bool) -> tuple[Indices, Indices]:
    """Where tables hold the values of positions and moves."""
    if not symmetric:
        return np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.uint32)
    reduced = graph_of(graph.game, True)
    state_slot = np.empty(graph.positions, dtype=np.uint32)
    edge_slot = np.empty(graph.edges, dtype=np.uint32)
    _write_slots(
        symmetry_images(graph.game, True), graph.game.symmetries.astype(np.int32),
        graph.game.columns, graph.first, graph.second, graph.edge_start, graph.move,
        reduced.slots, reduced.first, reduced.second, reduced.edge_start, reduced.move,
        state_slot, edge_slot,
    )  # fmt: skip
    return state_slot, edge_slot


@jit
def _write_slots(
    images: Words,
    permutations: Int32s,
    columns: int,
    first: Words,
    second: Words,
    edge_start: Int32s,
    move: Int16s,
    slots: Int32s,
    low_first: Words,
    low_second: Words,
    low_edge_start: Int32s,
    low_move: Int16s,
    state_slot: Indices,
    edge_slot: Indices,
) -> None:
    for position in range(len(first)):
        best, one, two = 0, first[position], second[position]
        for symmetry in range(1, len(images)):
            image_one = image_of(images, symmetry, first[position])
            image_two = image_of(images, symmetry, second[position])
            if image_one < one or (image_one == one and image_two < two):
                best, one, two = symmetry, image_one, image_two
        number = slots[find_slot(slots, low_first, low_second, one, two)]
        state_slot[position] = number
        for edge in range(edge_start[position], edge_start[position + 1]):
            # With gravity all cells of a column go to one column, so its lowest cell stands for it.
            image = permutations[best, move[edge]] % columns
            for low in range(low_edge_start[number], low_edge_start[number + 1]):
                if low_move[low] == image:
                    edge_slot[edge] = low


@inline
def slot_of(slots: Indices, number: Any) -> Any:
    """Where a table holds the value of a position, or of a move."""
    return number if len(slots) == 0 else slots[number]


@inline
def value_after(walk: Walk, values: Values, edge: Any) -> float:
    """The value of the position that a move leads to."""
    return values[slot_of(walk.state_slot, walk.targets[edge] >> STATE_BITS)]


@inline
def value_of_move(walk: Walk, values: Values, edge: Any) -> float:
    """The value of a move in a table of moves."""
    return values[slot_of(walk.edge_slot, edge)]


@inline
def draw_best(
    look_up: Any, walk: Walk, values: Values, choices: Any, sign: float, stream: Stream
) -> Any:
    """The edge of a range with the highest sign * value, any of several equally likely.

    `look_up` is `value_after` or `value_of_move`.
    """
    start, length = range_of(choices)
    best, chosen = -np.inf, start
    equal: Any = np.uint64(0)
    for step in range(length):
        edge = start + np.uint32(step)
        value = sign * look_up(walk, values, edge)
        better = value > best
        equal = np.uint64(1) if better else equal + np.uint64(value == best)
        chosen = edge if better else chosen
        best = value if better else best
    if equal > 1:
        skipped: Any = below(stream, equal)
        while skipped > 0:  # `chosen` is the first of them
            chosen += np.uint32(1)
            skipped -= np.uint64(sign * look_up(walk, values, chosen) == best)
    return chosen


@inline
def first_best(look_up: Any, walk: Walk, values: Values, choices: Any, sign: float) -> Any:
    """The first edge of a range with the highest sign * value."""
    start, length = range_of(choices)
    best, chosen = -np.inf, start
    for step in range(length):
        edge = start + np.uint32(step)
        value = sign * look_up(walk, values, edge)
        if value > best:
            best, chosen = value, edge
    return chosen


@inline
def best_value(look_up: Any, walk: Walk, values: Values, choices: Any, sign: float) -> float:
    """The highest sign * value of a range."""
    start, length = range_of(choices)
    best = -np.inf
    for step in range(length):
        best = max(best, sign * look_up(walk, values, start + np.uint32(step)))
    return best


@inline
def epsilon_greedy(
    look_up: Any,
    walk: Walk,
    values: Values,
    choices: Any,
    sign: float,
    epsilon: float,
    first: bool,
    stream: Stream,
) -> tuple[Any, bool]:
    """An edge of a range, and whether it explores: with chance epsilon any, else a best one.

    Of several best ones it is any, or the first with `first`.
    """
    if uniform(stream) < epsilon:
        start, length = range_of(choices)
        return start + np.uint32(below(stream, length)), True
    if first:
        return first_best(look_up, walk, values, choices, sign), False
    return draw_best(look_up, walk, values, choices, sign, stream), False


@inline
def settled(value: float) -> float:
    """The value, or zero where a value that fades away has all but come there.

    It would end among the numbers next to zero, which a processor handles ten times slower, and
    rounding would keep it there for good.
    """
    return value if abs(value) > 1e-300 else 0.0
