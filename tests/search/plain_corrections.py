"""What `WithStrategy` and `LateSolver` play, said in Python with the decider and the solver."""

from __future__ import annotations

from collections.abc import Callable

from inarow.game import Position
from inarow.search.decided import proof_oracle
from inarow.search.endgame import LIMIT, value_after, value_of
from inarow.search.solver import Solver

Choice = Callable[[Position], int]


def move_with_strategy(position: Position, other: Choice) -> int:
    """A winning move where one is proven, the one that is forced, else the other player's."""
    decider = proof_oracle(position.game)
    known = decider.by_strategy(position)
    if known is not None and known.value == 1:
        return known.moves[0]
    forced = decider.only_move(position)
    return other(position) if forced is None else forced


class PlainLateSolver:
    """The other player's move, or one that is proven to be better."""

    def __init__(self, solver: Solver, stones: int, other: Choice) -> None:
        self.solver, self.stones, self.other = solver, stones, other
        assert solver.limit == LIMIT

    def move(self, position: Position) -> int:
        """The move to play."""
        proposed = self.other(position)
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
