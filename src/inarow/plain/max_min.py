"""The max-min document: its three algorithms, and the network of the third."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inarow.game import Game, Outcome, Position
from inarow.plain.random_stream import RandomStream
from inarow.plain.table import Key, Table, epsilon_greedy

REWARDS = {Outcome.FIRST: 1.0, Outcome.SECOND: -1.0, Outcome.DRAW: 0.0}  # lines 14, 15 and 5
Pair = tuple[Table, Key]  # (s, a), in the table of the player who took a in s


class QPlayer:
    """Interleaved tabular Q-learning (max-min document, Algorithm 1).

    Learns Q_1, whose highest value player 1 takes, and Q_2, whose lowest player 2 takes.
    """

    plies = 2  # until the player who took an action is to move again

    def __init__(
        self,
        game: Game,
        stream: RandomStream,
        alpha: float = 0.1,
        epsilon: float = 0.3,
        gamma: float = 1.0,
    ) -> None:
        self.game, self.stream, self.ties = game, stream, "random"
        self.alpha, self.epsilon, self.gamma = alpha, epsilon, gamma
        self.Q_1, self.Q_2 = Table(game), Table(game)  # line 1

    def train(self, N: int) -> None:
        """Play N games against itself."""
        for _ in range(N):
            self.train_single_game()

    def train_single_game(self) -> Outcome:
        """Lines 3 to 20: once both have moved, the older of the two open pairs learns."""
        s, pairs = Position(self.game), list[Pair]()
        while s.outcome is None:
            if len(pairs) >= self.plies:
                self.update(pairs[-self.plies], self.gamma * self.best_value(s))  # lines 8, 11
            pairs.append(self.take_action(s))
        self.end(pairs[-self.plies :], REWARDS[s.outcome])
        return s.outcome

    def end(self, pairs: list[Pair], r: float) -> None:
        """Lines 15 to 20: the last two pairs move towards r."""
        for pair in pairs:
            self.update(pair, r)

    def update(self, pair: Pair, target: float) -> None:
        """Q(s, a) <- Q(s, a) + alpha [target - Q(s, a)]."""
        Q, key = pair
        Q[key] += self.alpha * (target - Q[key])

    def take_action(self, s: Position) -> Pair:
        """Take the epsilon-max-greedy action (player 1) or the epsilon-min-greedy one."""
        a, self.explored = epsilon_greedy(  # some variants learn nothing from a random action
            s.legal_moves, lambda a: self.value_of(s, a), self.epsilon, self.stream, self.ties
        )
        Q = self.table(s)
        pair = Q, Q.of_move(s, a)
        s.push(a)
        return pair

    def value_of(self, s: Position, a: int) -> float:
        """Return the value of an action as the side to move sees it.

        The printed remark lets player 2 act on Q_1, which is never written at its positions.
        """
        Q = self.table(s)
        return Q[Q.of_move(s, a)] * (1 if s.to_move == 1 else -1)

    def best_value(self, s: Position) -> float:
        """Return max Q_1(s, .) or min Q_2(s, .)."""
        Q, best = self.table(s), max if s.to_move == 1 else min
        return best(Q[Q.of_move(s, a)] for a in s.legal_moves)

    def table(self, s: Position) -> Table:
        """Return the table of the side to move."""
        return self.Q_1 if s.to_move == 1 else self.Q_2


class TDPlayer:
    """Adjusted tabular TD(lambda) (max-min document, Algorithm 2).

    Learns V, whose highest value player 1 moves to, and player 2 to the lowest.
    """

    def __init__(
        self,
        game: Game,
        stream: RandomStream,
        alpha: float = 0.1,
        epsilon: float = 0.1,
        gamma: float = 1.0,
        lambda_: float = 0.5,
    ) -> None:
        self.game, self.stream, self.ties = game, stream, "random"
        self.alpha, self.epsilon, self.gamma, self.lambda_ = alpha, epsilon, gamma, lambda_
        self.V = Table(game)  # line 1

    def train(self, N: int) -> None:
        """Play N games against itself."""
        for _ in range(N):
            self.train_single_game()

    def train_single_game(self) -> Outcome:
        """Lines 4 to 18. The error is computed once, before the trace loop changes V(s)."""
        V, s, z = self.V, Position(self.game), dict[Key, float]()
        while s.outcome is None:
            key = V.of_position(s)
            self.take_action(s)
            z[key] = z.get(key, 0.0) + 1.0
            self.update(z, self.target(s) - V[key])
        V[V.of_position(s)] = REWARDS[s.outcome]  # line 18
        return s.outcome

    def target(self, s: Position) -> float:
        """Return gamma V(s') (line 10), or r if the game is over (line 17)."""
        if s.outcome is None:
            return self.gamma * self.V[self.V.of_position(s)]
        return REWARDS[s.outcome]

    def update(self, z: dict[Key, float], delta: float) -> None:
        """V(x) <- V(x) + alpha delta z(x), and z(x) <- lambda gamma z(x), for all x in z."""
        for x in z:
            self.V[x] += self.alpha * delta * z[x]
            z[x] *= self.lambda_ * self.gamma

    def take_action(self, s: Position) -> None:
        """Take the epsilon-max-min-greedy action."""
        sign = 1 if s.to_move == 1 else -1
        a, self.explored = epsilon_greedy(  # some variants learn nothing from a random action
            s.legal_moves, lambda a: sign * self.V.after(s, a), self.epsilon, self.stream, self.ties
        )
        s.push(a)


Vector = npt.NDArray[np.float64]


def draw_theta(cells: int, hidden: int, stream: RandomStream) -> Vector:
    """Return first weights for boards of so many cells, which have two inputs a cell."""
    scale, size = cells**-0.5, (2 * cells + 2) * hidden + 1
    return np.array([scale * (stream.uniform() - 0.5) for _ in range(size)])


def value(theta: Vector, seen: Vector, activation: str = "relu") -> float:
    """Return v(theta, s)."""
    _, active, outputs, bias = _forward(theta, seen, activation)
    return float(1 / (1 + np.exp(-(active @ outputs + bias))))


def gradient(theta: Vector, seen: Vector, activation: str = "relu") -> Vector:
    """Return the gradient of v(theta, s) by theta."""
    slopes, active, outputs, _ = _forward(theta, seen, activation)
    v = value(theta, seen, activation)
    below = v * (1 - v) * outputs * slopes
    parts = (np.outer(seen, below).ravel(), below, v * (1 - v) * active, [v * (1 - v)])
    return np.concatenate(parts)


def _forward(theta: Vector, seen: Vector, activation: str) -> tuple[Vector, Vector, Vector, float]:
    """Return slopes and activations of the hidden units, the output's weights and its bias."""
    inputs, hidden = len(seen), (len(theta) - 1) // (len(seen) + 2)
    rows, rest = theta[: inputs * hidden].reshape(inputs, hidden), theta[inputs * hidden :]
    sums: Vector = seen @ rows + rest[:hidden]
    if activation == "relu":
        active, slopes = np.maximum(sums, 0.0), (sums > 0).astype(np.float64)
    else:
        active = np.tanh(sums)
        slopes = 1 - active**2
    return slopes, active, rest[hidden : 2 * hidden], float(rest[-1])


Stones = tuple[int, ...]


class DeepPlayer:
    """Adjusted approximate Monte Carlo (max-min document, Algorithm 3).

    Learns a network v, the first player's chance to win, from the ends of its own games.
    """

    start = Position  # what a game begins with

    def __init__(
        self,
        game: Game,
        theta: Vector,
        stream: RandomStream,
        alpha: float = 0.5,
        epsilon: float = 0.1,
        gamma: float = 1.0,
    ) -> None:
        self.game, self.theta, self.stream = game, theta.copy(), stream
        self.alpha, self.epsilon, self.gamma = alpha, epsilon, gamma

    def train(self, N: int, n: int = 1000, b: float = 1.0, c: float = 1.0) -> None:
        """Play N games against itself; every n games alpha and epsilon fall (lines 8 and 9)."""
        for i in range(1, N + 1):
            self.train_single_game()
            if i % n == 0:
                self.alpha, self.epsilon = self.alpha * b, self.epsilon * c

    def train_single_game(self) -> Outcome:
        """Lines 3 to 7: a whole game, then a step for each of its positions from the last back."""
        s = self.start(self.game)
        states = [s.stones]
        while s.outcome is None:
            s.push(self.take_action(s))
            states.append(s.stones)
        r, T = REWARDS[s.outcome], len(states) - 1
        for t in range(T, -1, -1):
            error = self.v(states[t]) - (self.gamma ** (T - t) * r + 1) / 2
            self.theta -= self.alpha * error * self.gradient(states[t])
        return s.outcome

    def take_action(self, s: Position) -> int:
        """Return the epsilon-max-min-greedy action."""
        actions = s.legal_moves
        if self.epsilon > 0 and self.stream.uniform() < self.epsilon:
            return actions[self.stream.below(len(actions))]
        return self.best(s, actions)

    def best(self, s: Position, actions: list[int]) -> int:
        """Return the first action with the highest v (player 1), or with the lowest."""
        extreme = max if s.to_move == 1 else min
        return extreme(actions, key=lambda a: self.v_after(s, a))

    def v_after(self, s: Position, a: int) -> float:
        """Return the value of the position after an action, v(theta, s_a)."""
        stones = list(s.stones)
        stones[s.cell_of(a)] = s.to_move
        return self.v(tuple(stones))

    def v(self, stones: Stones) -> float:
        """Return what the network says of a position."""
        return value(self.theta, self.seen(stones))

    def gradient(self, stones: Stones) -> Vector:
        """Return the gradient of v(theta, s) by theta."""
        return gradient(self.theta, self.seen(stones))

    def seen(self, stones: Stones) -> Vector:
        """Return the inputs: the stones of the first player, then those of the second."""
        on_board = np.array(stones)
        return np.concatenate([on_board == 1, on_board == 2]).astype(np.float64)
