"""A table of values, and the greedy and epsilon-greedy moves, as all documents choose them.

Values are of positions (V, U) or of moves (Q), each by the stones on the board.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from inarow.game import Game, Position
from inarow.plain.random_stream import RandomStream

Key = tuple[int, ...]


class Table:
    """Values that begin at `start`. With `symmetric`, mirror images share theirs."""

    def __init__(self, game: Game, start: float = 0.0, symmetric: bool = False) -> None:
        self.game, self.start, self.values = game, start, dict[Key, float]()
        symmetries = game.symmetries if symmetric else np.arange(game.cells)[None]
        self.symmetries: list[list[int]] = symmetries.tolist()
        self.key = cache(self._key)

    def _key(self, stones: tuple[int, ...]) -> tuple[Key, list[int]]:
        """Return the lowest image, a number with a bit a stone for each side, and its symmetry."""
        images = [
            tuple(sum(1 << to[c] for c, s in enumerate(stones) if s == side) for side in (1, 2))
            for to in self.symmetries
        ]
        lowest = min(images)
        return lowest, self.symmetries[images.index(lowest)]

    def of_position(self, position: Position) -> Key:
        """Return the key of s."""
        return self.key(position.stones)[0]

    def of_move(self, position: Position, move: int) -> Key:
        """Return the key of (s, a)."""
        lowest, symmetry = self.key(position.stones)
        return (*lowest, symmetry[move] % self.game.columns)

    def after(self, position: Position, move: int) -> float:
        """Return the value of the position that a move leads to."""
        position.push(move)
        value = self[self.of_position(position)]
        position.pop()
        return value

    def __getitem__(self, key: Key) -> float:
        return self.values.get(key, self.start)

    def __setitem__(self, key: Key, value: float) -> None:
        self.values[key] = value


def any_of(moves: Sequence[int], stream: RandomStream) -> int:
    """Return a random move; a single one needs no random number."""
    return moves[stream.below(len(moves))] if len(moves) > 1 else moves[0]


def greedy(
    moves: Sequence[int],
    value_of: Callable[[int], float],
    stream: RandomStream,
    ties: str = "random",
) -> int:
    """Return a move of the highest value: any of several, or the first of them.

    With the ties `first-unless-all`, any move where all have the same value.
    """
    values = [value_of(move) for move in moves]
    best = [move for move, value in zip(moves, values, strict=True) if value == max(values)]
    if ties == "random" or (ties == "first-unless-all" and len(best) == len(moves)):
        return any_of(best, stream)
    return best[0]


def epsilon_greedy(
    moves: Sequence[int],
    value_of: Callable[[int], float],
    epsilon: float,
    stream: RandomStream,
    ties: str = "random",
) -> tuple[int, bool]:
    """Return a random move with probability epsilon, else a greedy one; and whether it is random.

    The random one may be the greedy one.
    """
    if stream.uniform() < epsilon:
        return moves[stream.below(len(moves))], True
    return greedy(moves, value_of, stream, ties), False
