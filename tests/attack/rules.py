"""Every variant of the games by brute force, as plainly as it can be said; nothing is imported.

A position is a tuple of stones (0, 1, 2) by cells in row-major order, the height first where
stones fall; a move is a cell, or with gravity a column. Values are of the first player: 1, 0, -1.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cache
from math import prod

Stones = tuple[int, ...]
Policy = dict[Stones, dict[int, Fraction]]  # the chance of every move, where a player is to move


class TooLarge(Exception):  # noqa: N818
    """A game has more positions than were asked for."""


class Rules:
    """A game: the shape of its board, how many in a row, and its variants."""

    def __init__(self, shape, k, gravity=False, scoring=False, wrap=(), misere=False):
        self.shape, self.k, self.gravity = tuple(shape), k, gravity
        self.scoring, self.wrap, self.misere = scoring, tuple(wrap), misere
        self.cells = prod(shape)
        self.stack = self.cells // shape[0] if gravity else self.cells  # cells that are moves
        self.lines = sorted(set(self._lines()))
        self.through = [[line for line in self.lines if c in line] for c in range(self.cells)]
        self.moves, self.result = cache(self._moves), cache(self._result)
        self.end = cache(self._end)

    def _lines(self):
        """Walk k cells from each cell in each direction; an axis that wraps has no end."""
        for start in itertools.product(*map(range, self.shape)):
            for step in itertools.product((-1, 0, 1), repeat=len(self.shape)):
                cells = set()
                for n in range(self.k):
                    place = [a + n * b for a, b in zip(start, step, strict=True)]
                    for axis in self.wrap:
                        place[axis] %= self.shape[axis]
                    inside = all(0 <= a < side for a, side in zip(place, self.shape, strict=True))
                    cells.add(self._number(place) if inside else None)
                if None not in cells and len(cells) == self.k:
                    yield tuple(sorted(cells))

    def _number(self, place):
        number = 0
        for a, side in zip(place, self.shape, strict=True):
            number = number * side + a
        return number

    def mover(self, stones):
        return 1 if stones.count(1) == stones.count(2) else 2

    def landing(self, stones, move):
        """The cell that a stone comes to lie on, or None."""
        return next((c for c in range(move, self.cells, self.stack) if not stones[c]), None)

    def play(self, stones, move):
        cell = self.landing(stones, move)
        return (*stones[:cell], self.mover(stones), *stones[cell + 1 :])

    def completed(self, stones, side, cell):
        """How many lines a stone of a side on a cell completes."""
        return sum(all(c == cell or stones[c] == side for c in line) for line in self.through[cell])

    def score(self, stones):
        return [sum(all(stones[c] == side for c in line) for line in self.lines) for side in (1, 2)]

    def _result(self, stones):
        """None while the game goes on."""
        one, two = self.score(stones)
        if not self.scoring and (one or two):
            return (1 if one else -1) * (-1 if self.misere else 1)
        if 0 in stones:
            return None
        return (one > two) - (one < two) if self.scoring else 0

    def _moves(self, stones):
        if self.result(stones) is not None:
            return []
        return [m for m in range(self.stack) if self.landing(stones, m) is not None]

    @property
    def empty(self):
        return (0,) * self.cells

    def tree(self, most):
        """All positions that can come up, by their number of stones."""
        plies = [{self.empty: 1}]
        while plies[-1]:
            after = {}  # with the number of ways to come there
            for stones, ways in plies[-1].items():
                for move in self.moves(stones):
                    child = self.play(stones, move)
                    after[child] = after.get(child, 0) + ways
            plies.append(after)
            if sum(map(len, plies)) > most:
                raise TooLarge
        return plies[:-1]

    def _end(self, stones):
        """The value and the moves until the end: a win soon, all else late."""
        if (result := self.result(stones)) is not None:
            return result, 0
        return self.best(stones)[1]

    def best(self, stones):
        """The moves of the best end, and that end."""
        sign = 1 if self.mover(stones) == 1 else -1
        ends = {move: self.end(self.play(stones, move)) for move in self.moves(stones)}
        ranks = {m: (sign * v, -n if sign * v > 0 else n) for m, (v, n) in ends.items()}
        top = max(ranks.values())
        value, moves = ends[next(m for m, rank in ranks.items() if rank == top)]
        return [m for m, rank in ranks.items() if rank == top], (value, moves + 1)

    def keeping(self, stones):
        """The moves that keep the value."""
        value = self.end(stones)[0]
        return [m for m in self.moves(stones) if self.end(self.play(stones, m))[0] == value]

    def odds(self, first, second, stones, known):
        """The chances that the first player wins, of a draw, and that the second wins.

        A side that is None answers as well as it can: for the most of wins less losses.
        """
        if stones not in known:
            result = self.result(stones)
            policy = first if self.mover(stones) == 1 else second
            if result is not None:
                known[stones] = tuple(Fraction(result == end) for end in (1, 0, -1))
            elif policy is None:
                ends = [self.odds(first, second, self.play(stones, m), known)
                        for m in self.moves(stones)]  # fmt: skip
                sign = 1 if self.mover(stones) == 1 else -1
                known[stones] = max(ends, key=lambda end: sign * (end[0] - end[2]))
            else:
                weights = {m: w for m, w in policy[stones].items() if w}
                found = [(w, self.odds(first, second, self.play(stones, m), known))
                         for m, w in weights.items()]  # fmt: skip
                total = sum(weights.values())
                known[stones] = tuple(sum(w * ends[n] for w, ends in found) / total
                                      for n in range(3))  # fmt: skip
        return known[stones]
