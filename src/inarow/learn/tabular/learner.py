"""What learners with a table have in common: the game is written out as a graph."""

from __future__ import annotations

import math

import numpy as np

from inarow.game import Game, InputError
from inarow.graph.graph import MAX_POSITIONS, graph_of, graph_within
from inarow.graph.states import check_fits
from inarow.learn.learner import Learner

# Bytes that a position of a graph takes, and so many more for each move that a game has: measured
# with the lists and tables of a run while it was built, rounded up.
POSITION, POSITION_MOVE = 100, 14


class TableLearner(Learner):
    """A learner whose tables have a value for every position of a game, or for every move.

    How many there are is known once the graph is made. What that takes has to be known before, so
    it follows from what a board can hold.
    """

    symmetric: bool  # whether positions that are images of each other share a value

    def extra_bytes(self, game: Game) -> int:
        """Of the graph, and of all tables beside it."""
        return most_positions(game) * (POSITION + POSITION_MOVE * game.columns)

    def bytes_needed(self, game: Game, seed: int) -> int:  # noqa: ARG002
        """The same: the layout would make the graph."""
        return self.extra_bytes(game)

    def table_sizes(self, game: Game, most: int | None) -> tuple[int, int]:
        """How many positions and how many moves a table has; over `most` positions are refused.

        Each position but the first has a move that leads to it, so a table of moves is no smaller.
        """
        if most is None:
            table = graph_of(game, self.symmetric)
            return table.positions, table.edges
        check_fits(game)
        try:
            table = graph_within(game, self.symmetric, most)
        except InputError as error:
            text = f"{game.name} has more positions than a table of {most:,} values holds"
            raise InputError(text) from error
        return table.positions, table.edges


def most_positions(game: Game) -> int:
    """At least as many positions as play can reach: every way to lay the stones of each ply."""
    if not game.gravity:
        ways = [math.comb(game.cells, ply) for ply in range(game.cells + 1)]
    else:
        ways, height = [1], game.cells // game.columns
        for _ in range(game.columns):  # columns are filled to some height each
            ways = np.convolve(np.array(ways, object), np.ones(height + 1, object)).tolist()
    return min(MAX_POSITIONS, sum(w * math.comb(p, p // 2) for p, w in enumerate(ways)))
