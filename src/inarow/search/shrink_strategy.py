"""Makes a strategy smaller: other moves that win, too, but after which fewer positions are quiet.

First from the last stored positions to the empty board: in each, moves are tried after which few
replies are quiet, and the one is kept that needs the fewest stored positions below it, counted as
a tree. A position that was not met before gets a move from a proof, and is then treated alike.
Then from the empty board on: in each position, of all moves whose answers are known by now, the
one is stored that adds the fewest positions to those stored already.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inarow.search.bitboard import Word
from inarow.search.prover import Prover
from inarow.search.strategy import find_quiet

Pair = tuple[int, int]  # the stones of the first player and of the second
Stored = dict[Pair, int]  # the move in each quiet position
Quiet = frozenset[Pair]  # those that a move may lead to

MOST_QUIET = 12  # a move after which more are quiet is not tried
TRIED = 6  # moves that are tried in each position, those that promise the fewest positions
USUAL = 2.5  # what a position is taken to need that was not met before
VISITS = 300  # of a proof that such a position is won


class Shrinker:
    """The search for a smaller strategy."""

    def __init__(self, prover: Prover) -> None:
        self.prover = prover
        self.cells = prover.game.cells
        self.found = np.zeros((self.cells, 3), dtype=np.uint64)
        self.quiet_after = dict[Pair, Quiet]()
        self.too_many = dict[Pair, int]()  # more than so many are quiet, or the move does not win
        self.best = dict[Pair, tuple[int, int]]()  # positions needed, and the move
        self.not_won = set[Pair]()

    def quiet(self, first: int, second: int, most: int) -> Quiet | None:
        """The quiet positions that replies lead to, blocks played; None if more than `most`."""
        pair = first, second
        if pair not in self.quiet_after and self.too_many.get(pair, -1) < most:
            found = self._find_quiet(first, second, most)
            if found is None:
                self.too_many[pair] = most
            else:
                self.quiet_after[pair] = found
        known = self.quiet_after.get(pair)
        return known if known is not None and len(known) <= most else None

    def _find_quiet(self, first: int, second: int, most: int) -> Quiet | None:
        lines, threats = self.prover.lines, self.prover.proof.threats
        number = find_quiet(lines, threats, Word(first), Word(second), self.found, most)
        quiet = set[Pair]()
        for x, o, blocked in self.found[: max(number, 0)].tolist():
            more = self.quiet(x, o, most) if blocked else {(x, o)}
            if more is None:
                return None
            quiet |= more
        return frozenset(quiet) if number >= 0 else None

    def after(self, pair: Pair, move: int, most: int) -> Quiet | None:
        """The quiet positions after a move of the first player."""
        return self.quiet(pair[0] | 1 << move, pair[1], most)

    def improve(self, pair: Pair, move: int) -> None:
        """Finds the move that needs the fewest positions; all those after `move` are known."""
        known = self.after(pair, move, self.cells)
        assert known is not None
        cost = 1 + sum(self.best[quiet][0] for quiet in known)
        if cost > 1:
            for _, other, quiet in self._candidates(pair, min(cost - 2, MOST_QUIET)):
                total = self._cost(quiet, cost)
                if total < cost:
                    cost, move = total, other
        self.best[pair] = cost, move

    def _candidates(self, pair: Pair, most: int) -> list[tuple[float, int, Quiet]]:
        found = []
        for move in range(self.cells):
            if not (pair[0] | pair[1]) >> move & 1:
                quiet = self.after(pair, move, most)
                if quiet is not None:
                    costs = (self.best[q][0] if q in self.best else USUAL for q in quiet)
                    found.append((sum(costs), move, quiet))
                    if not quiet:  # nothing is better
                        break
        return sorted(found, key=lambda one: one[:2])[:TRIED]

    def _cost(self, quiet: Quiet, bound: int) -> int:
        """What a move that leads to these needs; `bound` where that is as much or more."""
        total, left = 1, len(quiet)
        for one in sorted(quiet, key=lambda one: (one not in self.best, one)):
            if total + left >= bound or not self.meet(one, VISITS):
                return bound
            total += self.best[one][0]
            left -= 1
        return min(total, bound)

    def meet(self, pair: Pair, visits: int) -> bool:
        """Finds moves for a position and for those after it; False if no win is proven soon."""
        if pair in self.best or pair in self.not_won:
            return pair in self.best
        move = self.prover.proven_move(*pair)
        if move is None and self.prover.wins(pair, 0, 0, visits):
            move = self.prover.winning_move()
        quiet = None if move is None else self.after(pair, move, self.cells)
        if move is None or quiet is None or not all(self.meet(q, visits) for q in sorted(quiet)):
            self.not_won.add(pair)
            return False
        self.improve(pair, move)
        return True

    def choose(self) -> Stored:
        """From the empty board on, the moves that add the fewest positions."""
        stored = Stored()
        todo = [(0, 0)]
        while todo:
            pair = todo.pop()
            if pair not in stored:
                stored[pair] = move = self._least_added(pair, stored)
                todo += sorted(self.after(pair, move, self.cells) or ())
        return stored

    def _least_added(self, pair: Pair, stored: Stored) -> int:
        chosen = self.best[pair][1]
        fewest = len(self._added(self.after(pair, chosen, self.cells) or frozenset(), stored))
        for move in range(self.cells):
            quiet = self.quiet_after.get((pair[0] | 1 << move, pair[1]))
            occupied = (pair[0] | pair[1]) >> move & 1
            if not occupied and quiet is not None and all(one in self.best for one in quiet):
                added = len(self._added(quiet, stored))
                if added < fewest:
                    chosen, fewest = move, added
        return chosen

    def _added(self, quiet: Quiet, stored: Stored) -> set[Pair]:
        """The positions below that are not stored yet, with the moves known best."""
        added, todo = set[Pair](), list(quiet)
        while todo:
            pair = todo.pop()
            if pair not in stored and pair not in added:
                added.add(pair)
                todo += self.after(pair, self.best[pair][1], self.cells) or ()
        return added


def shrink(prover: Prover, stored: Stored, tell: Callable[[int], None]) -> Stored:
    """A strategy that wins like this one, with fewer positions. `tell` hears how many are done."""
    shrinker = Shrinker(prover)
    deepest_first = sorted(stored, key=lambda pair: (-(pair[0] | pair[1]).bit_count(), pair))
    for number, pair in enumerate(deepest_first):
        if pair not in shrinker.best:
            shrinker.improve(pair, stored[pair])
        tell(number + 1)
    return shrinker.choose()
