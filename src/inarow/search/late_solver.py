"""A player that keeps the exact value late in the game, where the general solver decides in time.

It is what `endgame` is on boards where stones fall in a plane, for the others that the solver
reaches: the cube. Another player proposes a move, and it is played unless the solver proves that
another one is better; where the solver does not decide within its nodes, it is played too.
"""

from __future__ import annotations

import numpy as np

from inarow.engine.streams import Stream, make_stream
from inarow.game import Game, Position
from inarow.game.position import check_goes_on
from inarow.search.solution import NotSolved
from inarow.search.solver import Solver
from inarow.search.with_strategy import Other, bind_other

NODES = 2_000_000  # of the solver for a question: half a second
WHO_WINS = (-1, 1)  # a window of scores that tells wins, draws and losses apart
Values = tuple[
    int, int
]  # the lowest and the highest that a value can be: 1 wins, 0 draws, -1 loses


def value_of(solver: Solver, position: Position) -> Values:
    """Between which values that of a position lies for its side to move, as far as is found out."""
    if position.outcome is not None:
        winner = position.outcome.winner
        value = 0 if winner is None else 1 if winner == position.to_move else -1
        return value, value
    own, every = (np.array([word], dtype=np.uint64) for word in solver.pack(position.moves))
    try:
        score = int(solver.score_words(own, every, WHO_WINS)[0])
        bounds = score, score
    except NotSolved as given_up:
        bounds = given_up.bounds[0]
    return (bounds[0] > 0) - (bounds[0] < 0), (bounds[1] > 0) - (bounds[1] < 0)


def value_after(solver: Solver, position: Position, move: int) -> Values:
    """The same of a move, for the side that plays it."""
    after = position.copy()
    after.push(move)
    low, high = value_of(solver, after)
    return -high, -low


class LateSolver:
    """Another player, corrected by the solver from a number of stones on."""

    def __init__(self, player: object, stones: int) -> None:
        self.player, self.stones = player, stones
        self.name = f"{getattr(player, 'name', type(player).__name__)}+endgame:{stones}"
        if isinstance(known := getattr(player, "game", None), Game):
            self.game: Game = known

    def bind(self, game: Game, stream: Stream) -> BoundLateSolver:
        """The player at a board, with random numbers of its own."""
        return BoundLateSolver(self, game, bind_other(self.player, game, stream))

    def move(self, position: Position) -> int:
        """The move to play."""
        check_goes_on(position)
        return self.bind(position.game, make_stream(0)).move(position)

    def __repr__(self) -> str:
        return f"<player {self.name}>"


class BoundLateSolver:
    """The same at a board."""

    def __init__(self, late: LateSolver, game: Game, other: Other) -> None:
        self.name, self.stones, self.other = late.name, late.stones, other
        self.solver = Solver(game, limit=NODES)

    def move(self, position: Position) -> int:
        """The other player's move, or one that is proven to be better."""
        after = position.copy()
        after.push(self.other.move(position))
        proposed = after.moves[-1]
        if position.ply < self.stones:
            return proposed
        low, _ = value_after(self.solver, position, proposed)
        if low == 1:
            return proposed
        least, _ = value_of(self.solver, position)
        if least <= low:
            return proposed
        for move in position.legal_moves:
            found, _ = value_after(self.solver, position, move)
            if found > low and found >= least:
                return move
        return proposed
