"""The value of every move of a small position, found in the obvious way.

It follows the rules in `tests/oracle.py`, and takes nothing from the package.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tests.oracle import Rules, result_of


class End(NamedTuple):
    """How a game ends when both play perfectly, for one side."""

    value: int  # 1 wins, 0 draws, -1 loses
    stones: int | None  # until then; None for draws, and where lines are counted

    @property
    def rank(self) -> tuple[int, int]:
        """The higher the better: a win soon, a loss late."""
        return self.value, -self.value * (self.stones or 0)


class BruteForce:
    """Looks at every way in which a position of one game can go on."""

    def __init__(self, game: Rules) -> None:
        self.game = game
        self._seen: dict[tuple[int, ...], End] = {}

    def moves(self, stones: Sequence[int]) -> dict[int, End]:
        """The end that each move leads to, for the side that plays it."""
        found, mover = {}, 1 if stones.count(1) == stones.count(2) else 2
        stack = len(stones) // self.game.shape[0] if self.game.gravity else len(stones)
        for move in range(stack):
            cell = next((c for c in range(move, len(stones), stack) if stones[c] == 0), None)
            if cell is not None:
                after = self._end((*stones[:cell], mover, *stones[cell + 1 :]))
                later = None if after.stones is None else after.stones + 1
                found[move] = End(-after.value, later)
        return found

    def best(self, stones: Sequence[int]) -> End:
        """The end of a position that goes on, for the side to move."""
        return max(self.moves(stones).values(), key=lambda end: end.rank)

    def _end(self, stones: tuple[int, ...]) -> End:
        if stones not in self._seen:
            result = result_of(stones, self.game)
            self._seen[stones] = self.best(stones) if result is None else self._over(stones, result)
        return self._seen[stones]

    def _over(self, stones: tuple[int, ...], result: str) -> End:
        if result == "draw":
            return End(0, None)
        to_move = "first" if stones.count(1) == stones.count(2) else "second"
        return End(1 if result == to_move else -1, None if self.game.scoring else 0)
