"""TD(lambda) on afterstates with a linear value of lines and threats. Ours: no document has it."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from inarow.game import Game, Position
from inarow.plain.random_stream import RandomStream
from inarow.plain.rule_trainers import Opponent, completed_lines, reward_of_lines
from inarow.plain.table import any_of

Vector = npt.NDArray[np.float64]

THREATS = 22  # the bias, pairs of playable threats (9), threats by side, air and lines (12)


def kinds_of_lines(game: Game) -> list[int]:
    """Return the kind of each line: lines that a symmetry takes to each other are of one kind."""
    lines: list[list[int]] = game.lines.tolist()
    number = {frozenset(line): place for place, line in enumerate(lines)}
    lowest = [
        min(number[frozenset(image[line].tolist())] for image in game.symmetries) for line in lines
    ]
    kinds = sorted(set(lowest))
    return [kinds.index(line) for line in lowest]


class LineFeatures:
    """What a side sees that has just moved."""

    def __init__(self, game: Game, phases: int = 6, threats: bool = True) -> None:
        self.game, self.phases, self.threats = game, phases, threats
        self.kinds = kinds_of_lines(game)
        self.lines: list[list[int]] = game.lines.tolist()
        self.size = THREATS + (max(self.kinds) + 1) * (game.k + 1) ** 2

    def phase(self, position: Position) -> int:
        """Return which part of the game a position belongs to."""
        return min(position.ply * self.phases // self.game.cells, self.phases - 1)

    def of(self, position: Position, view: int) -> Vector:
        """Return the features of a position for a side."""
        game, stones, found = self.game, position.stones, np.zeros(self.size)
        found[0] = 1
        for kind, line in zip(self.kinds, self.lines, strict=True):
            on_line = [stones[cell] for cell in line]
            own, other = on_line.count(view), on_line.count(3 - view)
            if own + other < game.k and not (own and other):
                found[THREATS + (kind * (game.k + 1) + own) * (game.k + 1) + other] += 1
        if self.threats:
            self.add_threats(position, view, found)
        return found

    def add_threats(self, position: Position, view: int, found: Vector) -> None:
        """Count the cells where a side would complete lines, apart if they cannot yet be played."""
        playable = [0, 0]
        cells = {position.cell_of(move) for move in position.legal_moves}
        for cell in [cell for cell, stone in enumerate(position.stones) if not stone]:
            for other, side in enumerate((view, 3 - view)):
                lines = len(completed_lines(self.game, position.stones, side, cell))
                if lines:
                    air = cell not in cells
                    playable[other] += not air
                    found[10 + (other * 2 + air) * 3 + min(lines, 3) - 1] += 1
        found[1 + min(playable[0], 2) * 3 + min(playable[1], 2)] = 1


class LineTD:
    """TD(lambda) on afterstates with a linear value of lines. Ours: no document has it.

    Learns weights of features after each game: a row of them for each phase of the game.
    """

    alpha, epsilon, gamma, trace_decay = 0.1, 0.1, 1.0, 0.5
    cut = True
    start = Position  # what a game begins with

    def __init__(
        self, game: Game, features: LineFeatures, stream: RandomStream, opponent: Opponent = None
    ) -> None:
        self.game, self.features, self.stream, self.opponent = game, features, stream, opponent
        self.weights = np.zeros((features.phases, features.size))

    def train_single_game(self, learners: Collection[int]) -> None:
        """Play one game, and learn from it when it is over."""
        position, explored = self.start(self.game), list[bool]()
        if self.opponent is not None:
            self.opponent.begin()
        while position.outcome is None:
            if self.opponent is None or position.to_move in learners:
                move, strange = self.choose(position)
            else:
                move, strange = self.opponent.choose(position), False
            position.push(move)
            explored.append(strange)
        self.learn(position, explored, learners)

    def choose(self, position: Position) -> tuple[int, bool]:
        """Return a move, and whether it is not one of the best."""
        moves = position.legal_moves
        values = [self.value_of(position, move) for move in moves]
        best = any_of([i for i, value in enumerate(values) if value == max(values)], self.stream)
        taken = best
        if self.epsilon > 0 and self.stream.uniform() < self.epsilon:
            taken = self.stream.below(len(moves))
        return moves[taken], taken != best

    def value_of(self, position: Position, move: int) -> float:
        """Return the lines completed, and V of the position after the move if play goes on."""
        side, gained = position.to_move, reward_of_lines(position, move)
        position.push(move)
        after = 0.0 if position.outcome is not None else self.value(position, side)
        position.pop()
        return gained + round(after * 2**20) / 2**20  # equal moves have equal values

    def learn(self, end: Position, explored: list[bool], learners: Collection[int]) -> None:
        """Move V of each own position towards its lambda-return, cut at random moves."""
        position, gained = end.copy(), [0.0] * (end.ply + 2)
        values, returns = dict[int, float](), dict[int, float]()
        for stones in range(end.ply - 1, 0, -1):
            move, view = position.pop(), 2 - stones % 2
            gained[stones + 1] = reward_of_lines(position, move)
            if view not in learners:
                continue
            mixed = (1 - self.trace_decay) * values.get(stones + 2, 0.0)
            mixed += self.trace_decay * returns.get(stones + 2, 0.0)
            target = gained[stones + 2] - gained[stones + 1] + self.gamma * mixed
            if self.cut and stones + 2 <= end.ply and explored[stones + 1]:
                target = self.value(position, view)
            self.update(position, view, target)
            values[stones], returns[stones] = self.value(position, view), target

    def update(self, position: Position, view: int, target: float) -> None:
        """Take a step that moves V by alpha of the error: w + alpha (target - V) x / |x|^2."""
        x, w = self.features.of(position, view), self.weights[self.features.phase(position)]
        w += self.alpha * (target - w @ x) * x / (x @ x)

    def value(self, position: Position, view: int) -> float:
        """Return V, what the side that has just moved will still gain."""
        weights = self.weights[self.features.phase(position)]
        return float(weights @ self.features.of(position, view))
