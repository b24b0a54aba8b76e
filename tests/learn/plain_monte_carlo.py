"""The plain reference of `learn.monte_carlo`: NumPy matrices, each position from its stones."""

from __future__ import annotations

from typing import Any

import numpy as np

from inarow.engine.rules import Rule
from inarow.engine.streams import LEARNER, make_stream
from inarow.game import Game, Outcome
from inarow.learn.monte_carlo.learner import MonteCarlo
from inarow.learn.schedule import schedule
from inarow.learn.shield import SHIELDS
from tests.engine.reference import PlainBoard, PlainStream, _find

REWARDS = {Outcome.FIRST: 1.0, Outcome.SECOND: -1.0, Outcome.DRAW: 0.0}


def seen_by(encoding: str, stones: Any, mover: int) -> np.ndarray:
    """The two planes of stones, one behind the other."""
    stones, first = np.asarray(stones), mover + 1 if encoding == "own" else 1
    return np.concatenate([stones == first, stones == 3 - first]).astype(float)


def value(weights: Any, seen: Any, hidden: int, activation: str, xp: Any = np) -> Any:
    """v(theta, s), for any array library."""
    end = len(seen) * hidden
    sums = seen @ weights[:end].reshape(len(seen), hidden) + weights[end : end + hidden]
    active = xp.maximum(sums, 0) if activation == "relu" else xp.tanh(sums)
    score = active @ weights[end + hidden : end + 2 * hidden] + weights[-1]
    return 1 / (1 + xp.exp(-score))


def gradient(weights: np.ndarray, seen: np.ndarray, hidden: int, activation: str) -> np.ndarray:
    """The gradient of v(theta, s)."""
    end = len(seen) * hidden
    sums = seen @ weights[:end].reshape(len(seen), hidden) + weights[end : end + hidden]
    active = np.maximum(sums, 0) if activation == "relu" else np.tanh(sums)
    slopes = (sums > 0) * 1.0 if activation == "relu" else 1 - active**2
    v = value(weights, seen, hidden, activation)
    below = v * (1 - v) * weights[end + hidden : end + 2 * hidden] * slopes
    parts = (np.outer(seen, below).ravel(), below, v * (1 - v) * active, [v * (1 - v)])
    return np.concatenate(parts)


class PlainMonteCarlo:
    """A run, game by game."""

    def __init__(self, options: MonteCarlo, game: Game, weights: np.ndarray, seed: int) -> None:
        self.options, self.game, self.weights = options, game, weights.copy()
        self.stream, self.number = PlainStream(make_stream(seed, LEARNER)), 0
        self.form = options.hidden, options.activation

    def play(self, games: int) -> None:
        for _ in range(games):
            self.play_game()

    def play_game(self) -> None:
        board, positions = PlainBoard(self.game), [(0,) * self.game.cells]
        while board.position.outcome is None:
            board.place(self.choose(board))
            positions.append(tuple(board.position.stones))
        self.learn(positions, REWARDS[board.position.outcome])
        self.number += 1

    def choose(self, board: PlainBoard) -> int:
        options, side, allowed, wins = self.options, board.side, board.open, False
        for rule in () if self.game.scoring else SHIELDS[options.shield]:
            if found := _find(board, rule):
                allowed, wins = found, rule == Rule.WIN
                break
        epsilon = schedule(options.epsilon).at(self.number)
        if epsilon > 0 and self.stream.uniform() < epsilon:
            return allowed[self.stream.below(len(allowed))]
        if wins:
            return allowed[0]
        sign = -1 if options.encoding == "sides" and side == 1 else 1
        return max(allowed, key=lambda cell: sign * self.value_after(board, cell))

    def value_after(self, board: PlainBoard, cell: int) -> float:
        stones = list(board.position.stones)
        stones[cell] = board.side + 1
        return float(
            value(self.weights, seen_by(self.options.encoding, stones, board.side), *self.form)
        )

    def learn(self, positions: list[tuple[int, ...]], reward: float) -> None:
        """Line 6 of Algorithm 3."""
        options, last = self.options, len(positions) - 1
        alpha = schedule(options.alpha).at(self.number)
        for t in range(last, -1, -1):
            mover = (t + 1) % 2
            seen = seen_by(options.encoding, positions[t], mover)
            own = -reward if options.encoding == "own" and mover == 1 else reward
            v = value(self.weights, seen, *self.form)
            step = alpha * (v - (options.gamma ** (last - t) * own + 1) / 2)
            if options.loss_function == "cross-entropy":
                step /= v * (1 - v)
            self.weights -= step * gradient(self.weights, seen, *self.form)
