"""Lines of the documents as they are printed, where what they mean is something else.

Each player is one of this package with the printed line in its place, to try what it does. The
max-min document's remark on Algorithm 1 is an option of `inarow.learn` (`literal_remark`).
"""

from __future__ import annotations

from inarow.game import Position
from inarow.plain.connect_four import INFINITE, Minimax, utility
from inarow.plain.max_min import Pair, QPlayer, TDPlayer
from inarow.plain.table import Key


class QPlayerAsPrinted(QPlayer):
    """Line 16 has bars for brackets: a pair of player 1 gains |r - Q_1(s, a)|, won or lost."""

    def end(self, pairs: list[Pair], r: float) -> None:
        """Lines 15 to 20: the bars stand where player 1 was to move in s, before the last move."""
        for number, (Q, key) in enumerate(pairs):
            bars = number == 0 and len(pairs) == 2 and Q is self.Q_1
            self.update((Q, key), Q[key] + abs(r - Q[key]) if bars else r)


class TDPlayerAsPrinted(TDPlayer):
    """Lines 10 and 17 read V(s) inside the loop, which changes it.

    The order of the loop is open. From the first position on, s comes last, and nothing differs;
    here s comes first.
    """

    def update(self, z: dict[Key, float], delta: float) -> None:
        """Move V(x) by alpha [target - V(s)] z(x), for all x in z, the newest first."""
        s = next(reversed(z))
        target = delta + self.V[s]
        for x in reversed(list(z)):
            self.V[x] += self.alpha * (target - self.V[s]) * z[x]
            z[x] *= self.lambda_ * self.gamma


class MinimaxAsPrinted(Minimax):
    """Raises the best value before it compares, and tests a >= b behind the loop.

    So the first action stays the best move, and nothing is cut off. Moves are undone, which is not
    printed: without that there is no search.
    """

    def maxval(self, position: Position, a: int, b: int, d: int) -> tuple[int, int]:
        """Return the highest value, and the first action (MAXVAL)."""
        return self._printed(position, a, b, d, highest=True)

    def minval(self, position: Position, a: int, b: int, d: int) -> tuple[int, int]:
        """Return the lowest value, and the first action (MINVAL)."""
        return self._printed(position, a, b, d, highest=False)

    def _printed(
        self, position: Position, a: int, b: int, d: int, highest: bool
    ) -> tuple[int, int]:
        if d == 0 or position.outcome is not None:
            return utility(position, self.agent, position.ply - self.ply), -1
        sign, value = (1, self.minval) if highest else (-1, self.maxval)
        best, actions = -INFINITE, self.valid_actions(position)
        best_move = actions[0]
        for move in actions:
            position.push(move)
            v = sign * value(position, a, b, d - 1)[0]
            position.pop()
            best = max(best, v)
            if v > best:  # never: best is at least v
                best_move = move
        return sign * best, best_move  # a, b and their test stand here, where no loop is left
