"""A game graph as compiled learners read it, with an opponent's replies and shared table slots."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inarow.engine.board import Int16s, Int32s, Int64s, Words
from inarow.engine.jit import inline, jit
from inarow.engine.rules import RuleList
from inarow.engine.streams import Stream, below, uniform
from inarow.game import InputError
from inarow.graph.graph import Graph, find_slot, graph_of, image_of, symmetry_images
from inarow.graph.memory_cache import cached
from inarow.graph.odds import Policy
from inarow.graph.policies import (
    ONE,
    STATE_SHIFT,
    Indices,
    all_moves,
    places_of,
    policy_lists,
    rule_policies,
)
from inarow.learn.learner import Opponent
from inarow.learn.options import one_of, option
from inarow.learn.tabular.update_rules import Values as Values

RANDOM, FIRST = TIES = ("random", "first")
UNLESS_ALL = "first-unless-all"  # the hybrid paper, read by the letter


def ties_option() -> str:
    """Declare the option `ties` of learners that choose among moves of equal value."""
    return option("random", "how ties between moves of equal value are broken", one_of(*TIES))


def symmetric_option(default: bool) -> bool:
    """Declare the option `symmetric` of learners with a table."""
    return option(default, "whether symmetric positions share a value")


class TableRun(NamedTuple):
    """What the loop of a run changes, and what it needs on the way."""

    values: Values  # the table, or one for each side
    learner: Stream
    trainer: Stream  # the learner's where there is no trainer: it is not drawn from
    counts: Int64s  # of `learn.learner`
    path: Indices  # [cells + 1] of the game in play
    choices: Values  # [columns] values of the moves at hand
    favourites: Indices | None  # [positions] targets to try first; None: none are kept


class TransitionTable(NamedTuple):
    """A graph in as few loads a move as it takes: targets and lists are those of `graph.policies`.

    An *edge* is here the place of a move's target.
    """

    targets: Indices  # the lists of all moves, then those that an opponent draws from
    stride: np.uint32  # between the lists of two positions
    state_slot: Indices  # [positions] where a table holds a position's value; empty: where it is
    edge_slot: Indices  # [places] where a table of moves holds a move's value
    replies: Indices  # [variants, positions] what an opponent chooses from


@cached
def transitions_of(
    graph: Graph, opponent: Opponent = None, symmetric: bool = False, moves: bool = False
) -> TransitionTable:
    """Return the transitions of a graph that is not reduced, against an opponent if one is given.

    An opponent is a rule list, or anything with a method `policies(graph)`. With `symmetric`,
    positions that a symmetry takes into each other share one value, and so do their moves. A
    learner with a table of moves says so (`moves`).
    """
    if graph.reduced:
        raise InputError("learners use the graph that is not reduced")
    lists = all_moves(graph)
    targets, replies = policy_lists(graph, lists, _policies(graph, opponent))
    state_slot, edge_slot = slots_of(graph, symmetric)
    places = np.zeros(len(lists.targets) if moves else 0, dtype=np.uint32)
    if moves:
        places[places_of(graph, lists.stride)] = edge_slot
    none = np.zeros(0, dtype=np.uint32)
    stride = np.uint32(lists.stride)
    return TransitionTable(targets, stride, state_slot if symmetric else none, places, replies)


def _policies(graph: Graph, opponent: Opponent) -> list[Policy]:
    if opponent is None:
        return []
    if isinstance(opponent, RuleList):
        return rule_policies(graph, opponent)
    return list(opponent.policies(graph))


def first_targets(table: TransitionTable, positions: int) -> Indices:
    """Return [positions] where the first move of each leads; 0 where there is none."""
    stride = int(table.stride)
    return table.targets[1 : positions * stride : stride].copy()


@cached
def slots_of(graph: Graph, symmetric: bool) -> tuple[Indices, Indices]:
    """Return where tables hold the value of each position, and of each move."""
    if not symmetric:
        places = np.arange(max(graph.positions, graph.edges), dtype=np.uint32)
        return places[: graph.positions], places[: graph.edges]
    reduced = graph_of(graph.game, True)
    state_slot = np.empty(graph.positions, dtype=np.uint32)
    edge_slot = np.empty(graph.edges, dtype=np.uint32)
    _write_slots(
        symmetry_images(graph.game, True),
        graph.game.symmetries.astype(np.int32),
        graph.game.columns,
        graph.first,
        graph.second,
        graph.edge_start,
        graph.move,
        reduced.slots,
        reduced.first,
        reduced.second,
        reduced.edge_start,
        reduced.move,
        state_slot,
        edge_slot,
    )
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
def draw_variant(table: TransitionTable, trainer: Stream) -> int:
    """Draw which of its variants an opponent plays in a game."""
    variant = int(np.uint64(0))
    if len(table.replies) > 1:
        variant = below(trainer, len(table.replies))
    return variant


LookUp = Callable[[TransitionTable, Values, np.uint32], float]  # the value of an edge


@inline
def moves_at(table: TransitionTable, position: np.uint32) -> np.uint32:
    """Return the list of all moves in a position."""
    return np.uint32(position * table.stride)


@inline
def state_slot(table: TransitionTable, position: np.uint32) -> np.uint32:
    """Return where a table holds the value of a position."""
    return position if len(table.state_slot) == 0 else table.state_slot[position]


@inline
def value_after(table: TransitionTable, values: Values, edge: np.uint32) -> float:
    """Return the value of the position that a move leads to."""
    return values[state_slot(table, table.targets[edge] >> STATE_SHIFT)]


@inline
def value_of_move(table: TransitionTable, values: Values, edge: np.uint32) -> float:
    """Return the value of a move in a table of moves."""
    return values[table.edge_slot[edge]]


@inline
def draw_best(
    look_up: LookUp,
    table: TransitionTable,
    values: Values,
    choices: np.uint32,
    sign: float,
    stream: Stream,
) -> np.uint32:
    """Return the edge of a list with the highest sign * value, any of several equally likely.

    `look_up` is `value_after` or `value_of_move`.
    """
    start, length = choices + ONE, table.targets[choices]
    best, chosen = -np.inf, start
    equal = int(np.uint64(0))
    for step in range(length):
        edge = start + np.uint32(step)
        value = sign * look_up(table, values, edge)
        if value > best:
            best, chosen, equal = value, edge, int(np.uint64(1))
        elif value == best:
            equal += int(np.uint64(1))
    if equal > 1:
        skipped = below(stream, equal)
        while skipped > 0:  # `chosen` is the first of them
            chosen += ONE
            skipped -= int(np.uint64(sign * look_up(table, values, chosen) == best))
    return chosen


@inline
def first_best(
    look_up: LookUp, table: TransitionTable, values: Values, choices: np.uint32, sign: float
) -> np.uint32:
    """Return the first edge of a list with the highest sign * value."""
    start, length = choices + ONE, table.targets[choices]
    best, chosen = -np.inf, start
    for step in range(length):
        edge = start + np.uint32(step)
        value = sign * look_up(table, values, edge)
        if value > best:
            best, chosen = value, edge
    return chosen


@inline
def stands_out(
    look_up: LookUp, table: TransitionTable, values: Values, choices: np.uint32, value: float
) -> bool:
    """Return whether just one edge of a list has that value or a higher one."""
    start, length = choices + ONE, table.targets[choices]
    number = int(np.uint64(0))
    for step in range(length):
        number += int(np.uint64(look_up(table, values, start + np.uint32(step)) >= value))
        if number > 1:  # also keeps the compiler from collecting the values with vectors: slower
            break
    return number == 1


@inline
def all_alike(look_up: LookUp, table: TransitionTable, values: Values, choices: np.uint32) -> bool:
    """Return whether all edges of a list have one value."""
    start, length = choices + ONE, table.targets[choices]
    first = look_up(table, values, start)
    for step in range(1, length):
        if look_up(table, values, start + np.uint32(step)) != first:
            return False
    return True


@inline
def best_value(
    look_up: LookUp, table: TransitionTable, values: Values, choices: np.uint32, sign: float
) -> float:
    """Return the highest sign * value of a list."""
    start, length = choices + ONE, table.targets[choices]
    best = -np.inf
    for step in range(length):
        best = max(best, sign * look_up(table, values, start + np.uint32(step)))
    return best


@inline
def epsilon_greedy(
    look_up: LookUp,
    table: TransitionTable,
    values: Values,
    choices: np.uint32,
    sign: float,
    epsilon: float,
    first: bool,
    stream: Stream,
) -> tuple[np.uint32, bool]:
    """Return an edge of a list, and whether it explores: with chance epsilon any, else a best one.

    Of several best ones it is any, or the first with `first`.
    """
    if uniform(stream) < epsilon:
        start, length = choices + ONE, table.targets[choices]
        return start + np.uint32(below(stream, length)), True
    if first:
        return first_best(look_up, table, values, choices, sign), False
    return draw_best(look_up, table, values, choices, sign, stream), False
