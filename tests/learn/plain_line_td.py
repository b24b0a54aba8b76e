"""Line TD again, in the obvious way: every feature is counted anew, from the stones."""

from __future__ import annotations

from typing import Any

import numpy as np

from inarow.engine.streams import FIRST, LEARNER, make_stream
from inarow.game import Game
from inarow.learn.line_td.learner import LineTD
from inarow.learn.schedule import schedule
from tests.engine.reference import PlainBoard, PlainRulePlayer, PlainStream, plain_choose


def plain_orbits(game: Game) -> list[int]:
    """The kind of each line, by trying every symmetry."""
    number = {frozenset(line): place for place, line in enumerate(game.lines.tolist())}
    lowest = [
        min(number[frozenset(image[line].tolist())] for image in game.symmetries)
        for line in game.lines
    ]
    kinds = sorted(set(lowest))
    return [kinds.index(line) for line in lowest]


class PlainLineTD:
    """A run of the learner."""

    def __init__(self, options: LineTD, game: Game, seed: int, opponent: Any = None) -> None:
        self.options, self.game, self.orbits = options, game, plain_orbits(game)
        self.stream = PlainStream(make_stream(seed, LEARNER))
        self.player = None
        if opponent is not None:
            self.player = PlainRulePlayer(opponent, PlainStream(make_stream(seed, FIRST)))
        self.size = 22 + (max(self.orbits) + 1) * (game.k + 1) ** 2
        self.weights = np.zeros((options.phases, self.size))
        self.number = 0

    def features(self, board: PlainBoard, view: int) -> np.ndarray:
        """What a side sees that has just moved."""
        game, stones, found = self.game, board.position.stones, np.zeros(self.size)
        found[0] = 1
        for kind, line in zip(self.orbits, board.lines, strict=True):
            own = sum(stones[cell] == view + 1 for cell in line)
            other = sum(stones[cell] == 2 - view for cell in line)
            if own + other < game.k and not (own and other):
                found[22 + kind * (game.k + 1) ** 2 + own * (game.k + 1) + other] += 1
        if self.options.threats:
            playable = [0, 0]
            for cell in range(game.cells):
                for other in range(2):
                    lines = len(board.completing(view ^ other, cell)) if not stones[cell] else 0
                    if lines:
                        air = cell not in board.open
                        playable[other] += not air
                        found[10 + (other * 2 + air) * 3 + min(lines, 3) - 1] += 1
            found[1 + min(playable[0], 2) * 3 + min(playable[1], 2)] = 1
        return found

    def phase(self, board: PlainBoard) -> int:
        part = board.position.ply * self.options.phases // self.game.cells
        return min(part, self.options.phases - 1)

    def value(self, board: PlainBoard, view: int) -> float:
        return float(self.weights[self.phase(board)] @ self.features(board, view))

    def value_of(self, board: PlainBoard, cell: int) -> float:
        """Lines completed, and the value of the position after the move if play goes on."""
        side, completed = board.side, len(board.completing(board.side, cell))
        after = replay(self.game, [*board.cells, cell])
        gained = completed if self.game.scoring else min(completed, 1)
        gained = -gained if self.game.misere else gained
        if after.position.outcome is not None:
            return gained
        return gained + round(self.value(after, side) * 2**20) / 2**20

    def choose(self, board: PlainBoard, epsilon: float) -> tuple[int, bool]:
        values = [self.value_of(board, cell) for cell in board.open]
        places = [place for place, one in enumerate(values) if one == max(values)]
        best = places[self.stream.below(len(places))] if len(places) > 1 else places[0]
        taken = best
        if epsilon > 0 and self.stream.uniform() < epsilon:
            taken = self.stream.below(len(values))
        return board.open[taken], taken != best

    def play(self, games: int) -> None:
        for _ in range(games):
            self.play_game()

    def play_game(self) -> None:
        options, board, explored = self.options, PlainBoard(self.game), list[bool]()
        side = {"first": 0, "second": 1, "both": self.number % 2}[options.side]
        if self.player is not None:
            self.player.begin()
        while board.position.outcome is None:
            if self.player is None or board.side == side:
                cell, strange = self.choose(board, schedule(options.epsilon).at(self.number))
            else:
                cell, strange = plain_choose(board, self.player), False
            board.place(cell)
            explored.append(strange)
        sides = (0, 1) if self.player is None else (side,)
        self.learn(board.cells, explored, sides)
        self.number += 1

    def learn(self, cells: list[int], explored: list[bool], sides: tuple[int, ...]) -> None:
        """Forward view: for each own position, what came until the next one, and that one."""
        options, last = self.options, len(cells)
        alpha, gained = schedule(options.alpha).at(self.number), [0.0]
        for ply, cell in enumerate(cells):
            board = replay(self.game, cells[:ply])
            lines = len(board.completing(board.side, cell))
            made = lines if self.game.scoring else min(lines, 1)
            gained.append(-made if self.game.misere else made)
        values, targets = dict[int, float](), dict[int, float]()
        for stones in range(last - 1, 0, -1):
            view = (stones - 1) % 2
            if view not in sides:
                continue
            board = replay(self.game, cells[:stones])
            reward = -gained[stones + 1] + (gained[stones + 2] if stones + 2 <= last else 0)
            mixed = (1 - options.trace_decay) * values.get(stones + 2, 0.0)
            mixed += options.trace_decay * targets.get(stones + 2, 0.0)
            target = reward + options.gamma * mixed
            if stones + 2 <= last and explored[stones + 1] and options.explored == "cut":
                target = self.value(board, view)
            self.move_towards(board, view, target, alpha)
            values[stones], targets[stones] = self.value(board, view), target

    def move_towards(self, board: PlainBoard, view: int, target: float, alpha: float) -> None:
        seen = self.features(board, view)
        error = target - self.value(board, view)
        self.weights[self.phase(board)] += alpha * error * seen / (seen @ seen)


def replay(game: Game, cells: list[int]) -> PlainBoard:
    """The board after some moves."""
    board = PlainBoard(game)
    for cell in cells:
        board.place(cell)
    return board
