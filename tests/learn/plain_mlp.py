"""The plain reference of `learn.mlp`: NumPy matrices, a forward pass for each move."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from inarow.game import Game, Outcome
from inarow.learn.mlp.learner import MLP
from inarow.learn.shield import SHIELDS
from tests.engine.reference import PlainBoard, PlainRulePlayer, PlainStream, _find, plain_choose

Matrix = npt.NDArray[Any]


class PlainNetwork:
    """Matrices and biases of all layers, the output's among them."""

    def __init__(self, layers: list[tuple[Matrix, Matrix]]) -> None:
        self.layers = [(weights.copy(), biases.copy()) for weights, biases in layers]
        self.connected = [weights != 0 for weights, _ in layers]

    def forward(self, inputs: Matrix) -> list[Matrix]:
        """The activations of all layers, the inputs first."""
        active = [inputs]
        for weights, biases in self.layers:
            active.append(np.tanh((active[-1] @ weights + biases) / 2))
        return active

    def value(self, inputs: Matrix) -> float:
        return float(self.forward(inputs)[-1][0])

    def learn(self, inputs: Matrix, target: float, alpha: float, slope: float, bias: bool) -> None:
        """One step of backpropagation."""
        active = self.forward(inputs)
        error = alpha * (target - active[-1]) * slope * (1 - active[-1] ** 2)
        for number in reversed(range(len(self.layers))):
            weights, biases = self.layers[number]
            below = weights @ error * slope * (1 - active[number] ** 2)
            weights += np.outer(active[number], error) * self.connected[number]
            biases += error * bias
            error = below


def view(board: PlainBoard, side: int, more: int | None = None, less: int | None = None) -> Matrix:
    """The board as a side sees it: own stones 1, the other's -1; with and without a stone."""
    stones = np.array(board.position.stones, dtype=float)
    seen = np.select([stones == side + 1, stones == 2 - side], [1.0, -1.0], 0.0)
    if more is not None:
        seen[more] = 1.0
    if less is not None:
        seen[less] = 0.0
    return seen


class PlainTraining:
    """The parameters of an MLP, a network and streams: the same games, move by move."""

    def __init__(
        self, mlp: MLP, game: Game, network: PlainNetwork, streams: Any, rules: Any = None
    ) -> None:
        self.mlp, self.game, self.network = mlp, game, network
        self.stream = PlainStream(streams[0])
        self.opponent = PlainRulePlayer(rules, PlainStream(streams[1])) if rules else None
        self.rewards = {"won": mlp.win_reward, "drawn": mlp.draw_reward, "lost": mlp.loss_reward}
        self.boards: list[PlainBoard] = []

    def play(self, games: int) -> None:
        for _ in range(games):
            self.play_one(len(self.boards))

    def play_one(self, number: int) -> None:
        mlp, board = self.mlp, PlainBoard(self.game)
        side = {"first": 0, "second": 1, "both": number % 2}[mlp.side]
        learning = (0, 1) if self.opponent is None else (side,)
        before: dict[int, Matrix | None] = {0: None, 1: None}
        if self.opponent is not None:
            self.opponent.begin()
        while board.position.outcome is None:
            side = board.side
            if side in learning:
                cell = self.turn(board, before[side])
                before[side] = view(board, side, more=cell)
            else:
                assert self.opponent is not None
                cell = plain_choose(board, self.opponent)
            board.place(cell)
        mover = 1 - board.side
        if mlp.end in ("both", "terminal") and mover in learning:
            last = before[mover]
            assert last is not None
            self.learn(last, self.reward(board, mover))
        other = before[1 - mover]
        if mlp.loser and 1 - mover in learning and other is not None:
            self.learn(other, self.reward(board, 1 - mover))
        self.boards.append(board)

    def turn(self, board: PlainBoard, before: Matrix | None) -> int:
        """Chooses a cell; the position before learns from it."""
        mlp, side = self.mlp, board.side
        allowed, wins = board.open, False
        for rule in () if self.game.scoring else SHIELDS[mlp.shield]:
            if found := _find(board, rule):
                allowed, wins = found, rule == SHIELDS["win"][0]
                break
        at_random = float(mlp.epsilon) > 0 and self.stream.uniform() < float(mlp.epsilon)
        if at_random:
            among = board.open if mlp.explore == "all" else allowed
            cell = among[self.stream.below(len(among))]
        elif wins:
            cell = allowed[0]
        else:
            cell = max(allowed, key=lambda c: self.network.value(view(board, side, more=c)))
        if before is not None and (mlp.explored or not at_random):
            value = self.network.value(view(board, side, more=cell))
            board.position.push(cell % self.game.columns)
            over = board.position.outcome is not None
            reward = self.reward(board, side) if over else 0.0
            board.position.pop()
            ends = over and mlp.end in ("both", "last")
            self.learn(before, reward if ends else mlp.gamma * value)
        return cell

    def reward(self, board: PlainBoard, side: int) -> float:
        outcome = board.position.outcome
        won = outcome is (Outcome.FIRST, Outcome.SECOND)[side]
        return self.rewards["drawn" if outcome is Outcome.DRAW else "won" if won else "lost"]

    def learn(self, position: Matrix, target: float) -> None:
        slope = {"doubled": 1.0, "exact": 0.5}[self.mlp.slope]
        self.network.learn(position, target, float(self.mlp.alpha), slope, self.mlp.bias)
