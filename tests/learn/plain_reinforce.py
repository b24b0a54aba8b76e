"""Policy gradient again, in the obvious way: dense matrices in NumPy, every position anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from inarow.engine.streams import FIRST, LEARNER, make_stream
from inarow.game import Game, Outcome
from inarow.learn.reinforce.learner import Reinforce
from tests.engine.reference import PlainBoard, PlainRulePlayer, PlainStream, plain_choose

Decision = tuple[int, np.ndarray, list[int], int]  # ply, own view, open cells, cell taken


class PlainNetwork:
    """One hidden layer, its weights cut out of one vector."""

    def __init__(self, cells: int, hidden: int, weights: np.ndarray) -> None:
        part, self.weights = cells * hidden, weights
        self.inputs = weights[:part].reshape(cells, hidden)
        self.hidden_bias = weights[part : part + hidden]
        self.outputs = weights[part + hidden : 2 * part + hidden].reshape(cells, hidden)
        self.output_bias = weights[2 * part + hidden :]

    def hidden(self, seen: np.ndarray) -> np.ndarray:
        sums = seen @ self.inputs + self.hidden_bias
        return np.where(sums > 0, sums, 0.01 * sums)

    def chances(self, seen: np.ndarray, cells: Any) -> np.ndarray:
        """A softmax over some cells."""
        outputs = (self.outputs @ self.hidden(seen) + self.output_bias)[cells]
        powers = np.exp(outputs - outputs.max())
        return powers / powers.sum()

    def back(self, seen: np.ndarray, errors: np.ndarray) -> np.ndarray:
        """The gradient of the sum of outputs, each times its error."""
        active = self.hidden(seen)
        passed = (errors @ self.outputs) * np.where(active > 0, 1.0, 0.01)
        parts = (np.outer(seen, passed), passed, np.outer(errors, active), errors)
        return np.concatenate([part.ravel() for part in parts])


class PlainReinforce:
    """A run of the learner, in either version."""

    def __init__(
        self, options: Reinforce, game: Game, weights: np.ndarray, seed: int, opponent: Any = None
    ) -> None:
        self.options, self.game = options, game
        self.network = PlainNetwork(game.cells, options.hidden, weights.copy())
        self.squares, self.gradient = np.zeros_like(weights), np.zeros_like(weights)
        self.expected, self.pending, self.number = np.zeros(game.cells), 0, 0
        self.replay: list[tuple[np.ndarray, int, float]] = []
        self.kept = 0
        self.stream = PlainStream(make_stream(seed, LEARNER))
        self.player = None
        if opponent is not None:
            self.player = PlainRulePlayer(opponent, PlainStream(make_stream(seed, FIRST)))

    def play(self, games: int) -> None:
        for _ in range(games):
            self.play_game()

    def play_game(self) -> None:
        options, board, decisions = self.options, PlainBoard(self.game), list[Decision]()
        learning = {"first": 0, "second": 1, "both": self.number % 2}[options.side]
        gained: list[float] = []
        if self.player is not None:
            self.player.begin()
        while board.position.outcome is None:
            side = board.side
            if self.player is None or side == learning:
                stones = np.array(board.position.stones)
                seen = np.where(stones == side + 1, 1.0, np.where(stones > 0, -1.0, 0.0))
                cell = self.choose(seen, board.open)
                decisions.append((board.position.ply, seen, list(board.open), cell))
            else:
                cell = plain_choose(board, self.player)
            lines = len(board.completing(side, cell))
            made = lines if self.game.scoring else min(lines, 1)
            gained.append(-made if self.game.misere else made)
            board.place(cell)
        returns = self.returns(decisions, gained, board.position.outcome)
        if options.version == "paper":
            self.learn_from_replay(decisions, returns)
        else:
            self.learn(decisions, returns)
        self.number += 1

    def choose(self, seen: np.ndarray, cells: list[int]) -> int:
        chances = self.network.chances(seen, cells)
        if self.options.version == "paper" and self.options.training_moves == "best":
            return cells[int(np.argmax(chances))]
        left = self.stream.uniform()
        for cell, chance in zip(cells[:-1], chances, strict=False):
            left -= chance
            if left < 0:
                return cell
        return cells[-1]

    def returns(
        self, decisions: list[Decision], gained: list[float], outcome: Outcome | None
    ) -> dict[int, float]:
        """Equation 4, with what the other side made in reply as a loss."""
        found, last = dict[int, float](), len(gained) - 1
        for ply, *_ in reversed(decisions):
            reward = gained[ply] - (gained[ply + 1] if ply < last else 0)
            if ply >= last - 1 and outcome is Outcome.DRAW:
                reward += self.options.draw_reward
            found[ply] = reward + self.options.propagation * found.get(ply + 2, 0.0)
        return found

    def learn(self, decisions: list[Decision], returns: dict[int, float]) -> None:
        options = self.options
        for ply, seen, cells, cell in reversed(decisions):
            better = returns[ply] - self.expected[ply]
            self.expected[ply] += options.baseline * better
            self.gradient += self.move_gradient(seen, cells, cell, better)
        self.pending += len(decisions)
        if self.pending >= options.batch:
            self.step(self.gradient / self.pending)
            self.gradient[:] = 0
            self.pending = 0

    def move_gradient(
        self, seen: np.ndarray, cells: list[int], cell: int, better: float
    ) -> np.ndarray:
        chances, errors = self.network.chances(seen, cells), np.zeros(self.game.cells)
        entropy = -(chances * np.log(chances)).sum()
        errors[cells] -= better * chances
        errors[cell] += better
        errors[cells] -= self.options.entropy * chances * (np.log(chances) + entropy)
        return self.network.back(seen, errors)

    def learn_from_replay(self, decisions: list[Decision], returns: dict[int, float]) -> None:
        options = self.options
        for ply, seen, _, cell in reversed(decisions):
            entry = (seen, cell, returns[ply])
            if len(self.replay) < options.replay:
                self.replay.append(entry)
            else:
                self.replay[self.kept % options.replay] = entry
            self.kept += 1
        total = np.zeros_like(self.gradient)
        for _ in range(options.replay_batch):
            seen, cell, gained = self.replay[self.stream.below(len(self.replay))]
            label, weight = self.label_and_weight(gained)
            total += weight * self.loss_gradient(seen, cell, label)
        self.step(-total / options.replay_batch)

    def label_and_weight(self, gained: float) -> tuple[float, float]:
        known = np.array([gained for *_, gained in self.replay])
        standardised = float((gained - known.mean()) / max(known.std(), 1e-7))
        return {
            "label": (gained, 1.0),
            "clipped": (float(np.clip(gained, 0, 1)), 1.0),
            "weight": (1.0, gained),
            "standardised": (1.0, standardised),
            "positive": (1.0, max(gained, 0.0)),
        }[self.options.return_as]

    def loss_gradient(self, seen: np.ndarray, cell: int, label: float) -> np.ndarray:
        """Of the mean binary cross-entropy, through the softmax."""
        chances, labels = self.network.chances(seen, slice(None)), np.zeros(self.game.cells)
        labels[cell] = label
        slopes = (chances - labels) / (chances * (1 - chances)) / self.game.cells
        return self.network.back(seen, chances * (slopes - slopes @ chances))

    def step(self, slope: np.ndarray) -> None:
        options = self.options
        self.squares = options.decay * self.squares + (1 - options.decay) * slope**2
        alpha = options.step_size.at(self.number)
        self.network.weights += alpha * slope / (np.sqrt(self.squares) + 1e-7)


def objective(weights: Any, hidden: int, decisions: Any, doubt: float, xp: Any = np) -> Any:
    """The sum over moves of advantage * log chance + doubt * entropy, for any array library."""
    total = 0.0
    for seen, cells, cell, better in decisions:
        count, part = len(seen), len(seen) * hidden
        sums = seen @ weights[:part].reshape(count, hidden) + weights[part : part + hidden]
        active = xp.where(sums > 0, sums, 0.01 * sums)
        outputs = weights[part + hidden : 2 * part + hidden].reshape(count, hidden) @ active
        outputs = (outputs + weights[2 * part + hidden :])[xp.array(cells)]
        logs = outputs - xp.log(xp.exp(outputs).sum())
        total = total + better * logs[cells.index(cell)] - doubt * (xp.exp(logs) * logs).sum()
    return total


def cross_entropy(
    weights: Any, hidden: int, seen: Any, cell: int, label: float, xp: Any = np
) -> Any:
    """The paper's loss for one position."""
    count, part = len(seen), len(seen) * hidden
    sums = seen @ weights[:part].reshape(count, hidden) + weights[part : part + hidden]
    active = xp.where(sums > 0, sums, 0.01 * sums)
    outputs = weights[part + hidden : 2 * part + hidden].reshape(count, hidden) @ active
    powers = xp.exp(outputs + weights[2 * part + hidden :])
    chances = powers / powers.sum()
    labels = xp.where(xp.arange(count) == cell, label, 0.0)
    return -(labels * xp.log(chances) + (1 - labels) * xp.log(1 - chances)).mean()
