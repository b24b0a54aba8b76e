"""Corrections of an n-tuple network: one position is made to look better than another.

Where a network chose a move that it should not have chosen, the weights change by the least that
puts things right with a margin: the passive-aggressive step (Crammer et al. 2006). A network that
searches chose for the sake of positions some moves ahead, so these are what is corrected then.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from inarow.engine.board import new_board
from inarow.engine.contest import choose_in
from inarow.engine.streams import make_stream
from inarow.engine.tables import tables_of
from inarow.game import Position
from inarow.learn.ntuple_eye import Weights, new_eye, table_for
from inarow.learn.ntuple_play import NTupleAgent, look_from

Chooser = Callable[[Position], int]  # the move of a position


def least_step(excess: float, directions: npt.NDArray[np.int64]) -> float:
    """How far to go along a direction so that the sum along it falls by an excess."""
    return excess / float(directions @ directions)


class Correction:
    """A network's weights while they are corrected.

    They are kept with 32 bits; agents play with them rounded to 16, as they are shipped.
    """

    def __init__(self, agent: NTupleAgent) -> None:
        self.network, self.weights = agent, agent.weights.astype(np.float32)
        self.tables = tables_of(agent.game)
        self._board = new_board(self.tables)
        self._eye = new_eye(self.tables, agent.features, False)
        self._stream = make_stream(0)

    @property
    def rounded(self) -> Weights:
        """The weights with 16 bits, as 32."""
        return self.weights.astype(np.float16).astype(np.float32)

    def agent(self, depth: int = 1) -> NTupleAgent:
        """The network as it is by now, looking so many moves ahead."""
        return self._agent(self.rounded, depth)

    def total(self, position: Position) -> float:
        """What the network thinks of a position, for the first side, before any tanh."""
        table = self.weights[table_for(self.weights, position.ply)]
        return float(table[self._indices(position)].sum(dtype=np.float64))

    def prefer(self, better: Position, worse: Position, margin: float) -> bool:
        """Makes one position look better for the first side than another, by a margin.

        False where that is so already, or cannot be since they are the same.
        """
        excess = self.total(worse) + margin - self.total(better)
        places, counts = self._difference(better, worse)
        if excess <= 0 or not len(places):
            return False
        flat = self.weights.reshape(-1)
        flat[places] += (least_step(excess, counts) * counts).astype(np.float32)
        return True

    def expected(
        self, position: Position, depth: int, reply: Chooser | None = None
    ) -> Position | None:
        """The position that a search expects so many moves ahead; None if the game ends before.

        Where replies are given, the side to move follows these, and only the other one the search.
        """
        ahead = position.copy()
        for left in range(depth, 0, -1):
            if ahead.outcome is not None:
                return None
            other = (depth - left) % 2 == 0
            ahead.push(reply(ahead) if reply and other else self._choice(ahead, left))
        return ahead if ahead.outcome is None else None

    def _choice(self, position: Position, depth: int) -> int:
        player = self._agent(self.weights, depth).compiled(self.tables)
        stones = np.array(position.stones, dtype=np.int8)
        return int(choose_in(self.tables, self._board, stones, player, self._stream))

    def _agent(self, weights: Weights, depth: int) -> NTupleAgent:
        made = self.network.searching(depth)
        made.weights = weights
        return made

    def _indices(self, position: Position) -> npt.NDArray[np.int64]:
        """The weights of a position in its table, one a feature."""
        stones = np.array(position.stones, dtype=np.int8)
        look_from(self.tables, self._board, stones, self._eye, self.weights)
        return self._eye.indices[: self.network.features.number].astype(np.int64)

    def _difference(
        self, better: Position, worse: Position
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The weights that count more often in one position, in all tables, and how often more."""
        size = self.weights.shape[1]
        both = [
            table_for(self.weights, position.ply) * size + self._indices(position)
            for position in (better, worse)
        ]
        signs = np.repeat(np.array([1, -1]), [len(places) for places in both])
        places, inverse = np.unique(np.concatenate(both), return_inverse=True)
        counts = np.zeros(len(places), dtype=np.int64)
        np.add.at(counts, inverse, signs)
        return places[counts != 0], counts[counts != 0]
