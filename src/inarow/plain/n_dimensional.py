"""The n-dimensional paper: modified SARSA, and the policy gradient, sound and as printed.

In the sound form moves are drawn from the policy, and the gradient is that of Equation 2, less a
baseline. As printed, the move is the arg max, fitted by cross-entropy to returns that are replayed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.game import Game, Outcome, Position
from inarow.plain.random_stream import RandomStream
from inarow.plain.rule_trainers import Opponent, RuleTrainer, reward_of_lines
from inarow.plain.table import Key, Table, epsilon_greedy


class ModifiedSarsa:
    """Modified SARSA (n-dimensional paper, section IV, Algorithm 1).

    Learns Q by playing an opponent, which counts as a part of the environment.
    """

    gamma = 0.7
    win, lose, draw_as_first, draw_as_second = 11.0, 0.0, 1.0, 1.25
    ties = "random"

    def __init__(
        self, game: Game, stream: RandomStream, opponent: RuleTrainer, episodes: int
    ) -> None:
        self.game, self.stream, self.opponent, self.episodes = game, stream, opponent, episodes
        self.Q = Table(game, start=0.5, symmetric=True)

    def train(self) -> None:
        """Play all episodes, first and second in turn, while alpha and epsilon fall."""
        for number in range(self.episodes):
            self.train_single_game(number, side=1 + number % 2)

    def train_single_game(self, number: int, side: int) -> Outcome:
        """Play one episode, and learn from it when it is over."""
        self.alpha = 0.45 * (0.9995 ** (10_000 / self.episodes)) ** number
        self.epsilon = 1.0 * (0.9997 ** (10_000 / self.episodes)) ** number
        self.opponent.begin()
        S, history = Position(self.game), list[Key]()
        while S.outcome is None:
            if S.to_move == side:
                A = self.take_action(S)
                history.append(self.Q.of_move(S, A))
                S.push(A)
            else:
                S.push(self.opponent.choose(S))
        if history:
            self.learn(history, self.reward(S.outcome, side))
        return S.outcome

    def take_action(self, S: Position) -> int:
        """Return an epsilon-greedy action."""
        action, _ = epsilon_greedy(
            S.legal_moves,
            lambda A: self.Q[self.Q.of_move(S, A)],
            self.epsilon,
            self.stream,
            self.ties,
        )
        return action

    def reward(self, outcome: Outcome, side: int) -> float:
        """Return R of a finished game."""
        if outcome is Outcome.DRAW:
            return self.draw_as_first if side == 1 else self.draw_as_second
        return self.win if outcome.winner == side else self.lose

    def learn(self, history: list[Key], R: float) -> None:
        """The last pair gets the reward; each earlier one moves towards the next, from the end."""
        Q, alpha = self.Q, self.alpha
        Q[history[-1]] = R
        for pair, next_pair in zip(history[-2::-1], history[:0:-1], strict=True):
            Q[pair] = (1 - alpha) * Q[pair] + alpha * self.gamma * Q[next_pair]


Vector = npt.NDArray[np.float64]


class PolicyNetwork:
    """One hidden layer of leaky ReLUs, a softmax over cells, its weights cut out of one vector."""

    def __init__(self, cells: int, weights: Vector) -> None:
        self.weights, hidden = weights.copy(), (len(weights) - cells) // (2 * cells + 1)
        part, self.squares = cells * hidden, np.zeros_like(weights)
        self.inputs = self.weights[:part].reshape(cells, hidden)
        self.hidden_bias = self.weights[part : part + hidden]
        self.outputs = self.weights[part + hidden : 2 * part + hidden].reshape(cells, hidden)
        self.output_bias = self.weights[2 * part + hidden :]

    def hidden(self, seen: Vector) -> Vector:
        """Return the activations of the hidden units."""
        sums: Vector = seen @ self.inputs + self.hidden_bias
        return np.where(sums > 0, sums, 0.01 * sums)

    def chances(self, seen: Vector, cells: Sequence[int]) -> Vector:
        """Return pi(cell | seen): a softmax over the cells that are allowed."""
        outputs: Vector = (self.outputs @ self.hidden(seen) + self.output_bias)[list(cells)]
        powers = np.exp(outputs - outputs.max())
        shares: Vector = powers / powers.sum()
        return shares

    def gradient(self, seen: Vector, errors: Vector) -> Vector:
        """Return the gradient of the sum of the outputs, each times its error."""
        active = self.hidden(seen)
        passed = (errors @ self.outputs) * np.where(active > 0, 1.0, 0.01)
        parts = (np.outer(seen, passed), passed, np.outer(errors, active), errors)
        return np.concatenate([part.ravel() for part in parts])

    def ascend(self, slope: Vector, alpha: float, decay: float) -> None:
        """Take a step of RMSprop: the slope, divided by the size that it usually has."""
        self.squares = decay * self.squares + (1 - decay) * slope**2
        self.weights += alpha * slope / (np.sqrt(self.squares) + 1e-7)


class Decision(NamedTuple):
    """An own move: its ply, the board as its side sees it, the open cells and the one taken."""

    ply: int
    seen: Vector
    cells: list[int]
    cell: int


class PolicyPlayer(ABC):
    """Games of a policy network (n-dimensional paper, section IV, Equation 4).

    Learns a policy by playing an opponent, or itself where there is none.
    """

    propagation, draw_reward = 0.8, 0.8
    start = Position  # what a game begins with

    def __init__(
        self, game: Game, network: PolicyNetwork, stream: RandomStream, opponent: Opponent = None
    ) -> None:
        self.game, self.network, self.stream, self.opponent = game, network, stream, opponent

    def train(self, games: int) -> None:
        """Play games as first and as second in turn."""
        for number in range(games):
            self.train_single_game((1 + number % 2,))

    def train_single_game(self, learners: Collection[int]) -> Outcome:
        """Sample a trajectory, and learn from it; against itself both sides do."""
        position, decisions, rewards = self.start(self.game), list[Decision](), list[float]()
        if self.opponent is not None:
            self.opponent.begin()
        while position.outcome is None:
            if self.opponent is None or position.to_move in learners:
                moves = {position.cell_of(move): move for move in position.legal_moves}
                own = np.array([0.0, 1.0, -1.0] if position.to_move == 1 else [0.0, -1.0, 1.0])
                seen, cells = own[list(position.stones)], list(moves)
                decisions.append(Decision(position.ply, seen, cells, self.choose(seen, cells)))
                move = moves[decisions[-1].cell]
            else:
                move = self.opponent.choose(position)
            rewards.append(reward_of_lines(position, move))
            position.push(move)
        self.learn(decisions, self.returns(decisions, rewards, position.outcome))
        return position.outcome

    def choose(self, seen: Vector, cells: list[int]) -> int:
        """Draw a cell from the policy."""
        left = self.stream.uniform()
        for cell, chance in zip(cells[:-1], self.network.chances(seen, cells), strict=False):
            left -= chance
            if left < 0:
                return cell
        return cells[-1]

    def returns(
        self, decisions: list[Decision], rewards: list[float], outcome: Outcome
    ) -> dict[int, float]:
        """Equation 4: R_s = R_s_current + 0.8 R_(s+1), a line that the reply makes as a loss."""
        R, last = dict[int, float](), len(rewards) - 1
        for ply, *_ in reversed(decisions):
            current = rewards[ply] - (rewards[ply + 1] if ply < last else 0)
            if ply >= last - 1 and outcome is Outcome.DRAW:
                current += self.draw_reward
            R[ply] = current + self.propagation * R.get(ply + 2, 0.0)
        return R

    @abstractmethod
    def learn(self, decisions: list[Decision], R: dict[int, float]) -> None:
        """Learn from a finished game: its own moves, and what came of each."""


class Reinforce(PolicyPlayer):
    """Policy gradient by whole games, in a sound form (n-dimensional paper, section IV).

    Makes moves more likely that came out better than usual.
    """

    alpha, decay, batch = 0.003, 0.9, 2000
    baseline, entropy = 0.01, 0.01

    def __init__(
        self, game: Game, network: PolicyNetwork, stream: RandomStream, opponent: Opponent = None
    ) -> None:
        super().__init__(game, network, stream, opponent)
        self.expected, self.pending = np.zeros(game.cells), 0
        self.slope = np.zeros_like(network.weights)

    def learn(self, decisions: list[Decision], R: dict[int, float]) -> None:
        """Equation 2: the gradient of (R - baseline) log pi, summed until there is a batch."""
        for decision in reversed(decisions):
            advantage = R[decision.ply] - self.expected[decision.ply]
            self.expected[decision.ply] += self.baseline * advantage
            self.slope += self.policy_gradient(decision, advantage)
        self.pending += len(decisions)
        if self.pending >= self.batch:
            self.network.ascend(self.slope / self.pending, self.alpha, self.decay)
            self.slope[:] = 0
            self.pending = 0

    def policy_gradient(self, decision: Decision, advantage: float) -> Vector:
        """Return the gradient of advantage * log pi(cell | seen), and of some entropy."""
        _, seen, cells, cell = decision
        chances, errors = self.network.chances(seen, cells), np.zeros(self.game.cells)
        errors[cells] -= advantage * chances
        errors[cell] += advantage
        errors[cells] -= self.entropy * chances * (np.log(chances) - chances @ np.log(chances))
        return self.network.gradient(seen, errors)


class ReinforceAsPrinted(PolicyPlayer):
    """Policy gradient as printed: arg max, cross-entropy, replay (section IV).

    Takes the allowed cell of the highest output, and fits the returns of moves played before.
    """

    alpha, decay = 0.001, 0.9
    replay, replay_batch = 5000, 1000  # "a batch of size 1000, taken from 5000 states"

    def __init__(
        self, game: Game, network: PolicyNetwork, stream: RandomStream, opponent: Opponent = None
    ) -> None:
        super().__init__(game, network, stream, opponent)
        self.kept, self.memory = 0, list[tuple[Vector, int, float]]()

    def choose(self, seen: Vector, cells: list[int]) -> int:
        """Return the allowed cell with the highest probability."""
        return cells[int(np.argmax(self.network.chances(seen, cells)))]

    def learn(self, decisions: list[Decision], R: dict[int, float]) -> None:
        """Keep the moves of the game, then take one step on some that are drawn from all kept."""
        for ply, seen, _, cell in reversed(decisions):
            if len(self.memory) < self.replay:
                self.memory.append((seen, cell, R[ply]))
            else:
                self.memory[self.kept % self.replay] = seen, cell, R[ply]
            self.kept += 1
        slope = np.zeros_like(self.network.weights)
        for _ in range(self.replay_batch):
            seen, cell, R_s = self.memory[self.stream.below(len(self.memory))]
            label, weight = self.label_and_weight(R_s)
            slope -= weight * self.loss_gradient(seen, cell, label)
        self.network.ascend(slope / self.replay_batch, self.alpha, self.decay)

    def label_and_weight(self, R_s: float) -> tuple[float, float]:
        """Return what the output of the move should be, and how much it counts.

        The paper does not say how a return enters a loss that takes labels from 0 to 1.
        """
        return min(max(R_s, 0.0), 1.0), 1.0

    def loss_gradient(self, seen: Vector, cell: int, label: float) -> Vector:
        """Return the gradient of the mean binary cross-entropy, through the softmax."""
        chances, labels = self.network.chances(seen, range(len(seen))), np.zeros(len(seen))
        labels[cell] = label
        slopes = (chances - labels) / (chances * (1 - chances)) / len(seen)
        return self.network.gradient(seen, chances * (slopes - slopes @ chances))
