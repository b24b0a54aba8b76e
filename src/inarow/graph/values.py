"""Exact values of all positions of a small game, by one sweep from the end to the start."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.board import FIRST_WON, GOING_ON, SECOND_WON
from inarow.engine.jit import jit
from inarow.engine.tables import Int8s, Int16s, Int32s
from inarow.graph.cache import kept
from inarow.graph.graph import Graph


class Values(NamedTuple):
    """The value of each position when both sides play perfectly."""

    value: Int8s  # [positions] 1 the first player wins, 0 draw, -1 the second wins
    distance: Int16s  # [positions] moves to the end, the winner in a hurry and the loser not

    def totals(self) -> dict[str, int]:
        """How many positions are won by either side, and drawn."""
        names = {"first": 1, "draw": 0, "second": -1}
        return {name: int(np.count_nonzero(self.value == v)) for name, v in names.items()}


@kept
def values_of(graph: Graph) -> Values:
    """The values of a graph's positions."""
    values = Values(
        np.zeros(graph.positions, dtype=np.int8), np.zeros(graph.positions, dtype=np.int16)
    )
    _sweep(graph.state, graph.to_move, graph.edge_start, graph.child, *values)
    return values


@jit
def _sweep(
    state: Int8s, to_move: Int8s, edge_start: Int32s, child: Int32s, value: Int8s, distance: Int16s
) -> None:
    """Children have higher numbers: from the last position down, all of them are known."""
    for position in range(len(state) - 1, -1, -1):
        if state[position] != GOING_ON:
            value[position] = (state[position] == FIRST_WON) - (state[position] == SECOND_WON)
            continue
        sign = 1 - 2 * to_move[position]
        best, moves = -2, 0
        for edge in range(edge_start[position], edge_start[position + 1]):
            own = sign * value[child[edge]]
            steps = distance[child[edge]] + 1
            # A win is better soon, anything else late.
            if own > best or (own == best and (steps < moves) == (own > 0) and steps != moves):
                best, moves = own, steps
        value[position] = sign * best
        distance[position] = moves
