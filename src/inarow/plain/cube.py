"""The cube paper: its multilayer perceptrons, and the player that learns with one."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from inarow.game import Game, Position
from inarow.plain.random_stream import RandomStream
from inarow.plain.rule_trainers import Opponent

Vector = npt.NDArray[np.float64]
Layer = tuple[Vector, Vector]  # [units below, units] weights, [units] biases

NETWORKS = {  # detectors for each line of the board, and units of the dense layers behind them
    "small-structured": (4, ()),
    "deep-structured": (4, (32,)),
    "small-unstructured": (0, (50,)),
    "deep-unstructured": (0, (95, 51)),
    "wide-unstructured": (0, (169,)),
}


class Perceptron:
    """One of the multilayer perceptrons of the cube paper (section IV, Table I).

    Layers of weights, the output's last. A weight of 0 at the start is no connection.

    Every unit is a logistic scaled to -1 to 1, whose slope is (1 - y^2) / 2. `slope` is what stands
    for the half: 1 comes near to the paper's tables. The weight counts of Table I have no biases.
    """

    def __init__(self, layers: Sequence[Layer], slope: float = 0.5, bias: bool = False) -> None:
        self.layers = [(weights.copy(), biases.copy()) for weights, biases in layers]
        self.connected = [weights != 0 for weights, _ in layers]
        self.slope, self.bias = slope, bias

    def forward(self, inputs: Vector) -> list[Vector]:
        """Return the activations of all layers, the inputs first."""
        active = [inputs]
        for weights, biases in self.layers:
            active.append(np.tanh((active[-1] @ weights + biases) / 2))
        return active

    def value(self, inputs: Vector) -> float:
        """Return V(s)."""
        return float(self.forward(inputs)[-1][0])

    def learn(self, inputs: Vector, target: float, alpha: float) -> None:
        """Take one step of backpropagation towards a target value."""
        active = self.forward(inputs)
        error = alpha * (target - active[-1]) * self.slope * (1 - active[-1] ** 2)
        for number in reversed(range(len(self.layers))):
            weights, biases = self.layers[number]
            below = weights @ error * self.slope * (1 - active[number] ** 2)
            weights += np.outer(active[number], error) * self.connected[number]
            biases += error * self.bias
            error = below


def draw_layers(game: Game, name: str, stream: RandomStream) -> list[Layer]:
    """Return the layers of a network of Table I, drawn evenly from -0.5 to 0.5."""
    detectors, dense = NETWORKS[name]
    layers, below = list[Layer](), game.cells
    if detectors:
        connected = np.zeros((game.cells, len(game.lines) * detectors))
        for number, line in enumerate(game.lines):
            connected[line, number * detectors : (number + 1) * detectors] = 1
        layers.append((_draw(connected, stream), np.zeros(connected.shape[1])))
        below = connected.shape[1]
    for units in (*dense, 1):
        layers.append((_draw(np.ones((below, units)), stream), np.zeros(units)))
        below = units
    return layers


def _draw(connected: Vector, stream: RandomStream) -> Vector:
    weights = np.zeros_like(connected)
    for place in zip(*np.nonzero(connected), strict=True):
        weights[place] = stream.uniform() - 0.5
    return weights


class CubePlayer:
    """Online TD on afterstates with a network (cube paper, section III-B, Algorithm 1).

    Learns V by self-play, one network for both sides, or from its own moves alone.
    """

    alpha, epsilon, gamma = 0.005, 0.1, 1.0
    win, draw, loss = 1.0, 0.0, -1.0
    start = Position  # what a game begins with

    def __init__(
        self, game: Game, network: Perceptron, stream: RandomStream, opponent: Opponent = None
    ) -> None:
        self.game, self.network, self.stream, self.opponent = game, network, stream, opponent

    def train(self, games: int) -> None:
        """Play games against itself, or as the first player against the opponent."""
        for _ in range(games):
            self.learn_from_game((1, 2) if self.opponent is None else (1,))

    def learn_from_game(self, learners: Collection[int]) -> Position:
        """Play a game from which these sides learn."""
        s, before = self.start(self.game), dict[int, Vector]()
        if self.opponent is not None:
            self.opponent.begin()
        while s.outcome is None:
            side = s.to_move
            if self.opponent is None or side in learners:
                a = self.select(s)  # lines 1 and 2
                if side in before:
                    self.learn(s, a, before[side])  # lines 3 to 5
                before[side] = self.afterstate(s, a)  # line 6
            else:
                a = self.opponent.choose(s)
            s.push(a)  # line 7
        self.learn_end(s, before)
        return s

    def learn(self, s: Position, a: int, before: Vector) -> None:
        """Move V(s_(t-1)) towards gamma V(s_t), or r if the game ends (Equation 4)."""
        value, side = self.network.value(self.afterstate(s, a)), s.to_move
        s.push(a)
        target = self.gamma * value if s.outcome is None else self.reward(s, side)
        s.pop()
        self.network.learn(before, target, self.alpha)

    def learn_end(self, s: Position, before: dict[int, Vector]) -> None:
        """Move the last afterstate of each side towards its reward, the mover's first."""
        for side in (3 - s.to_move, s.to_move):
            if side in before:
                self.network.learn(before[side], self.reward(s, side), self.alpha)

    def select(self, s: Position) -> int:
        """Return a random move with probability epsilon, else the best: a win, or by V(s')."""
        actions = s.legal_moves
        self.explored = self.epsilon > 0 and self.stream.uniform() < self.epsilon
        if self.explored:
            return actions[self.stream.below(len(actions))]
        wins = [a for a in actions if s.completes(a)]  # the reward in Equation 2
        return wins[0] if wins else self.best(s, actions)

    def best(self, s: Position, actions: list[int]) -> int:
        """Return the first action with the highest value of its afterstate."""
        return max(actions, key=lambda a: self.network.value(self.afterstate(s, a)))

    def afterstate(self, s: Position, a: int) -> Vector:
        """Return the board after a move as its side sees it: own stones 1, the other's -1."""
        seen = np.array([0.0, 1.0, -1.0] if s.to_move == 1 else [0.0, -1.0, 1.0])[list(s.stones)]
        seen[s.cell_of(a)] = 1.0
        return seen

    def reward(self, s: Position, side: int) -> float:
        """Return r of a finished game."""
        assert s.outcome is not None
        if s.outcome.winner is None:
            return self.draw
        return self.win if s.outcome.winner == side else self.loss
