"""Corrections of an n-tuple network: in some positions one move gets a higher value than others.

Where a network chose a move that it should not have chosen, its weights change by the least that
puts things right with a margin: the passive-aggressive step (Crammer et al. 2006). What was
corrected once is kept and looked at again after every other correction, until all of it holds at
once (after DAgger, Ross et al. 2011). It must hold for the weights as they are stored, rounded to
8 bits: sums of those are exact, so every processor plays the corrected moves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from inarow.engine.board import load, new_board
from inarow.engine.jit import inline, jit
from inarow.engine.tables import Int64s, tables_of
from inarow.learn.arrays import SMALL_UNITS, from_small, to_small
from inarow.learn.ntuple.accumulator import Sums, Weights, new_accumulator, table_for
from inarow.learn.ntuple.agent import NTupleAgent, look_at

MARGIN = 0.02  # by which the right move is preferred
MOST_SWEEPS = 1_000  # through all corrections

Stones = npt.NDArray[np.int8]  # [cells] of a position after a move


class Corrections:
    """A network's weights while they are corrected, and what was corrected so far."""

    def __init__(self, agent: NTupleAgent, margin: float = MARGIN) -> None:
        self.network, self.margin = agent, margin
        self.weights = agent.weights.astype(np.float32)
        self._tables = tables_of(agent.game)
        self._board = new_board(self._tables)
        self._accumulator = new_accumulator(self._tables, agent.features, False)
        self._starts, self._places, self._counts = [0], list[Int64s](), list[Sums]()

    def __len__(self) -> int:
        return len(self._places)

    @property
    def rounded(self) -> Weights:
        """The weights as they are stored."""
        return from_small(to_small(self.weights))

    def agent(self) -> NTupleAgent:
        """The network as it is by now."""
        net = self.network
        return NTupleAgent(net.game, net.features, self.rounded, net.shield, net.squash)

    def first_value(self, stones: Stones) -> float:
        """The network's value of a position before any correction, for the first side."""
        return float(self.network.weights.reshape(-1)[self._indices(stones)].sum())

    def add(self, right: Stones, wrong: Sequence[Stones]) -> None:
        """From now on the position `right` looks better to the side that moved than any `wrong`."""
        sign = 1 if np.count_nonzero(right) & 1 else -1
        for other in wrong:
            both = [self._indices(right), self._indices(other)]
            signs = np.repeat(np.array([sign, -sign]), [len(indices) for indices in both])
            places, inverse = np.unique(np.concatenate(both), return_inverse=True)
            counts = np.zeros(len(places), dtype=np.float32)
            np.add.at(counts, inverse, signs)
            self._places.append(places[counts != 0])
            self._counts.append(counts[counts != 0])
            self._starts.append(self._starts[-1] + len(self._places[-1]))

    def settle(self) -> int:
        """Corrects until all corrections hold; returns how many steps that took."""
        if not self._places:
            return 0
        places, counts = np.concatenate(self._places), np.concatenate(self._counts)
        starts, total = np.array(self._starts, dtype=np.int64), 0
        for _ in range(MOST_SWEEPS):
            flat = self.weights.reshape(-1)
            steps = int(_sweep(flat, starts, places, counts, np.float32(self.margin)))
            total += steps
            if steps == 0:
                break
        return total

    def _indices(self, stones: Stones) -> Int64s:
        """The weights of a position, in all tables one after another."""
        load(self._tables, self._board, stones)
        look_at(self._tables, self._board, self._accumulator, self.weights)
        table = table_for(self.weights, int(np.count_nonzero(stones)))
        found = self._accumulator.indices[: self.network.features.number].astype(np.int64)
        return found + table * self.weights.shape[1]


@inline
def _stored(weight: np.float32) -> np.float32:
    """A weight as it is rounded when it is stored."""
    whole = np.rint(weight * np.float32(SMALL_UNITS))
    return min(max(whole, np.float32(-127)), np.float32(127)) / np.float32(SMALL_UNITS)


@jit
def _sweep(weights: Sums, starts: Int64s, places: Int64s, counts: Sums, margin: np.float32) -> int:
    """One step for each correction that does not hold; returns how many these were."""
    steps = 0
    for number in range(len(starts) - 1):
        ahead, norm = np.float32(0), np.float32(0)
        for i in range(starts[number], starts[number + 1]):
            ahead += counts[i] * _stored(weights[places[i]])
            norm += counts[i] * counts[i]
        if ahead < margin and norm > 0:
            step = (margin - ahead) / norm
            for i in range(starts[number], starts[number + 1]):
                weights[places[i]] += step * counts[i]
            steps += 1
    return steps
