"""Policies as lists to draw moves from: what sampled games and learners walk on a graph with.

What a player may choose in a position hangs on the position alone, so it is looked up once for
all positions. A move is then one draw from a list, whatever the player's rules are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream, below
from inarow.engine.tables import Int32s, Int64s
from inarow.game import InputError
from inarow.graph.cache import kept
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy

# A *target* is a position and how it stands in one number, position * 4 + state (`engine.board`).
# A *list* stands in an array of targets: its length, then so many targets. All moves of position p
# are the list at p * stride, so that nothing but the position is needed to find them. A *choice*
# is the place of a list, or FORCED + a target where there is nothing to choose. All are unsigned,
# since Numba looks at the sign of every other index.
Indices = npt.NDArray[np.uint32]
STATE, STATE_BITS = np.uint32(3), np.uint32(2)  # the low bits of a target
FORCED = np.uint32(1 << 31)
ONE = np.uint32(1)


class Moves(NamedTuple):
    """All moves of all positions, as lists."""

    targets: Indices
    stride: int


@kept
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
    """[edges] where the target of each move stands."""
    lengths = np.diff(graph.edge_start)
    parents = np.repeat(np.arange(graph.positions), lengths)
    within = np.arange(graph.edges) - graph.edge_start[parents]
    return parents * stride + 1 + within


def lists_of(graph: Graph, moves: Moves, policies: Sequence[Policy]) -> tuple[Indices, Indices]:
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
def draw(targets: Indices, choices: np.uint32, stream: Stream) -> np.uint32:
    """A target from a list, any equally likely; no number is drawn where there is no choice."""
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
    """Plays games between policies: how many the first won, were drawn, the second won.

    Of several policies of a side one is drawn for each game. With `openings` so many games begin
    with each of the first player's moves, one move after the other.
    """
    targets, choices = lists_of(graph, all_moves(graph), [*first, *second])
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
        while target & STATE == 0:
            if first_to_move:
                target = draw(targets, own[target >> STATE_BITS], first_stream)
            else:
                target = draw(targets, other[target >> STATE_BITS], second_stream)
            first_to_move = not first_to_move
        counts[target & STATE] += 1
