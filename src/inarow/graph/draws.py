"""Policies as lists to draw moves from: what sampled games and learners walk on a graph with.

What a player may choose in a position hangs on the position alone, so it is looked up once for
all positions. A move is then one draw from a list, whatever the player's rules are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from inarow.engine.jit import inline, jit
from inarow.engine.streams import Stream, below
from inarow.engine.tables import Int64s
from inarow.game import InputError
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy

# A *target* is a position and how it stands in one number, position * 4 + state (`engine.board`).
# A *range* is a part of a list of targets in one number, start * 64 + length. All are unsigned,
# since Numba looks at the sign of every other index.
Indices = npt.NDArray[np.uint32]
LENGTH, STATE = np.uint32(63), np.uint32(3)  # the low bits of a range and of a target
LENGTH_BITS, STATE_BITS = np.uint32(6), np.uint32(2)
MOST_TARGETS = 2**26


def all_moves(graph: Graph) -> tuple[Indices, Indices]:
    """The targets of all moves of a graph, and the range of each position."""
    lengths = np.diff(graph.edge_start)
    if lengths.max(initial=0) > LENGTH:
        raise InputError(f"{graph.game.name} has {lengths.max()} moves in a position: 63 is most")
    if graph.edges > MOST_TARGETS // 2:
        raise InputError(f"{graph.game.name} has {graph.edges:,} moves: too many to draw from")
    targets = ((graph.child << 2) | graph.state[graph.child]).astype(np.uint32)
    return targets, ((graph.edge_start[:-1] << 6) | lengths).astype(np.uint32)


def lists_of(
    graph: Graph, targets: Indices, edges: Indices, policies: Sequence[Policy]
) -> tuple[Indices, Indices]:
    """The lists that policies draw from, behind the targets of all moves.

    Returns all targets, and for each policy the range of every position. A policy with unequal
    weights is refused: a list has each move once.
    """
    lists, end = [targets], len(targets)
    ranges = np.empty((len(policies), graph.positions), dtype=np.uint32)
    for row, policy in zip(ranges, policies, strict=True):
        if not np.isin(policy, (0.0, 1.0)).all():
            raise InputError("moves are drawn from lists only if all weights are 0 or 1")
        room = np.empty(graph.edges, dtype=np.uint32)
        lists.append(room[: _write_list(policy, edges, targets, end, row, room)].copy())
        end += len(lists[-1])
    if end > MOST_TARGETS:
        raise InputError(f"{graph.game.name} has too many moves to draw from")
    return np.concatenate(lists), ranges


@jit
def _write_list(
    policy: Policy, edges: Indices, targets: Indices, end: int, row: Indices, room: Indices
) -> int:
    """Where all moves are allowed, the list is that of all moves; others are written into `room`.

    Returns how many were written.
    """
    count = 0
    for position in range(len(edges)):
        start, length = range_of(edges[position])
        allowed = 0
        for edge in range(start, start + length):
            allowed += policy[edge] > 0
        row[position] = edges[position]
        if allowed < length:
            row[position] = ((end + count) << 6) | allowed
            for edge in range(start, start + length):
                if policy[edge] > 0:
                    room[count] = targets[edge]
                    count += 1
    return count


@inline
def range_of(choices: Any) -> tuple[Any, Any]:
    """The start and the length of a range."""
    return choices >> LENGTH_BITS, choices & LENGTH


@inline
def draw(targets: Indices, choices: Any, stream: Stream) -> Any:
    """A target from a range, any equally likely."""
    start, length = range_of(choices)
    if length > 1:
        start += below(stream, length)
    return targets[start]


def sample_games(
    graph: Graph,
    first: Sequence[Policy],
    second: Sequence[Policy],
    games: int,
    streams: tuple[Stream, Stream],
    opening: int | None = None,
) -> tuple[int, int, int]:
    """Plays games between policies: how many the first won, were drawn, the second won.

    Of several policies of a side one is drawn for each game. The move `opening` is played first,
    if one is given.
    """
    targets, edges = all_moves(graph)
    targets, ranges = lists_of(graph, targets, edges, [*first, *second])
    start = 0
    if opening is not None:
        start = int(targets[int(np.flatnonzero(graph.move[: graph.edge_start[1]] == opening)[0])])
    counts = np.zeros(4, dtype=np.int64)
    _sample(targets, ranges[: len(first)], ranges[len(first) :], start, *streams, games, counts)
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
