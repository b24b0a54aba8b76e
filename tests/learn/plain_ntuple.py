"""The n-tuple learner again, in the obvious way: every index is computed anew, from the stones.

Weights are kept by the states of a tuple's cells themselves, on a `Position`. Sums are of 32 bits
and in the order that `ntuple_play` promises, so that both must come to the same bits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from inarow.engine.rules import Rule
from inarow.engine.streams import FIRST, LEARNER, make_stream
from inarow.game import Game, Outcome
from inarow.learn.ntuple.learner import NTuple
from inarow.learn.ntuple.tuples import contributions
from inarow.learn.schedule import schedule
from tests.engine.reference import PlainBoard, PlainRulePlayer, PlainStream, _find, plain_choose

ZERO = np.float32(0)
Key = tuple[int, int, tuple[int, ...]]  # table, tuple, the states of its cells


def states_of(game: Game, stones: Any, cells: Any, states: int) -> tuple[int, ...]:
    """For each cell: 0 empty and not yet playable, 1 playable, 2 first's stone, 3 second's."""
    found = []
    for cell in cells:
        below = cell - game.columns
        if stones[cell]:
            found.append(int(stones[cell]) + 1)
        elif states == 3 or not game.gravity or below < 0 or stones[below]:
            found.append(1)
        else:
            found.append(0)
    return tuple(found)


def sum_in_four(numbers: list[np.float32]) -> np.float32:
    """Every fourth number from each of the first four on; then the first two, the last two."""
    parts = [ZERO] * 4
    for place, number in enumerate(numbers):
        parts[place % 4] = np.float32(parts[place % 4] + number)
    return np.float32(np.float32(parts[0] + parts[1]) + np.float32(parts[2] + parts[3]))


class PlainNTuple:
    """A run of the learner."""

    def __init__(self, options: NTuple, game: Game, tuples: list[list[int]], seed: int) -> None:
        self.options, self.game, self.tuples = options, game, tuples
        self.stream = PlainStream(make_stream(seed, LEARNER))
        self.opponent_words = make_stream(seed, FIRST)
        self.weights: dict[Key, np.float32] = {}
        self.coherence: dict[Key, tuple[np.float32, np.float32]] = {}
        self.averages: dict[Key, np.float32] = {}
        self.images = game.symmetries if options.symmetric else game.symmetries[:1]
        self.alpha, self.epsilon = schedule(options.alpha), schedule(options.epsilon)
        self.games: list[list[int]] = []

    def keys(self, stones: Any) -> list[Key]:
        """The weights of a position, one for each image of each tuple."""
        table = int(np.count_nonzero(stones)) % 2 if self.options.by_side else 0
        return [
            (table, number, states_of(self.game, stones, image[cells], self.options.states))
            for number, cells in enumerate(self.tuples)
            for image in self.images
        ]

    def total(self, stones: Any) -> np.float32:
        """The sum of the weights of a position."""
        return sum_in_four([self.weights.get(key, ZERO) for key in self.keys(stones)])

    def total_after(self, board: PlainBoard, cell: int) -> np.float32:
        """The sum before, in the table of the next position, and what the stone changes."""
        stones = np.array(board.position.stones)
        after = stones.copy()
        after[cell] = board.side + 1
        new = self.keys(after)
        old = [(now[0], *key[1:]) for now, key in zip(new, self.keys(stones), strict=True)]
        base = sum_in_four([self.weights.get(key, ZERO) for key in old])
        changes = [
            np.float32(self.weights.get(now, ZERO) - self.weights.get(before, ZERO))
            for now, before in zip(new, old, strict=True)
            if now != before
        ]
        return np.float32(base + sum_in_four(changes))

    def value(self, total: Any) -> float:
        """A sum as a value."""
        squash = self.options.output == "tanh" or math.isinf(total)
        return math.tanh(float(total)) if squash else float(total)

    def candidates(self, board: PlainBoard) -> list[int]:
        """The moves that the shield leaves."""
        if self.options.shield:
            for rule in (Rule.WIN, Rule.BLOCK, Rule.SAFE):
                if found := _find(board, rule):
                    return found
        return list(board.open)

    def choose(self, board: PlainBoard, epsilon: float) -> tuple[int, float | None, float | None]:
        """The cell, its value, and that of the best one if that is another."""
        cells = self.candidates(board)
        if len(cells) == 1:
            return cells[0], None, None
        sign, totals = 1 - 2 * board.side, []
        for cell in cells:
            ends = board.completing(board.side, cell) and not self.game.scoring
            end = -sign * math.inf if self.game.misere else sign * math.inf
            totals.append(end if ends else float(self.total_after(board, cell)))
        highest = max(sign * total for total in totals)
        places = [place for place, total in enumerate(totals) if sign * total == highest]
        best = places[self.stream.below(len(places))] if len(places) > 1 else places[0]
        taken = best
        if epsilon > 0 and self.stream.uniform() < epsilon:
            taken = self.stream.below(len(cells))
        other = None if taken == best else self.value(totals[best])
        return cells[taken], self.value(totals[taken]), other

    def play(self, games: int, opponent: Any = None) -> None:
        """So many games more."""
        player = None
        if opponent is not None:
            player = PlainRulePlayer(opponent, PlainStream(self.opponent_words))
        for _ in range(games):
            self.play_game(player)
            self.average()

    def play_game(self, player: PlainRulePlayer | None) -> None:
        """One game, and what is learned from it."""
        options, number = self.options, len(self.games)
        opening = self.stream.below(options.opening + 1) if options.opening else 0
        side = {"first": 0, "second": 1, "both": number % 2}[options.side]
        board, values, others = PlainBoard(self.game), [0.0], list[float | None]()
        path = [np.array(board.position.stones)]
        if player is not None:
            player.begin()
        while board.position.outcome is None:
            ply, value, other = board.position.ply, None, None
            if player is None or board.side == side:
                share = 1.0 if ply < opening else self.epsilon.at(number)
                cell, value, other = self.choose(board, share)
            else:
                cell = plain_choose(board, player)
            board.place(cell)
            path.append(np.array(board.position.stones))
            values.append(self.value(self.total(path[-1])) if value is None else value)
            others.append(other)
        self.games.append(board.cells)
        self.learn(board, path, values, others, self.alpha.at(number))

    def learn(self, board: PlainBoard, path: Any, values: Any, others: Any, alpha: float) -> None:
        """Backwards over the game."""
        options, plies = self.options, board.position.ply
        ends = {Outcome.FIRST: 1.0, Outcome.SECOND: -1.0, Outcome.DRAW: 0.0}
        assert board.position.outcome is not None
        values[plies] = later = ends[board.position.outcome]
        for ply in range(plies - 1, 0, -1):
            if others[ply] is None:
                mixed = (1.0 - options.trace_decay) * values[ply + 1] + options.trace_decay * later
                later = options.gamma * mixed
            elif options.explored == "best":
                later = options.gamma * others[ply]
            else:
                later = values[ply]
                continue
            self.move_towards(path[ply], later, alpha)

    def move_towards(self, stones: Any, target: float, alpha: float) -> None:
        """One position."""
        options, keys = self.options, self.keys(stones)
        value = self.value(self.total(stones))
        squared = options.output == "tanh" and options.loss_function == "squared"
        error = (target - value) * (1.0 - value * value if squared else 1.0)
        step = alpha / len(keys)
        for key in keys:
            own: Any = 1.0
            if options.tcl:
                change, size = self.coherence.get(key, (ZERO, ZERO))
                own = np.float32(abs(change) / size) if size > 0 else np.float32(1)
                new = np.float32(change + np.float32(error))
                self.coherence[key] = new, np.float32(size + np.float32(abs(error)))
            by = np.float32(step * error * float(own))
            self.weights[key] = np.float32(self.weights.get(key, ZERO) + by)

    def average(self) -> None:
        """After a game, if one is due."""
        options = self.options
        if not options.average or len(self.games) % options.average_every:
            return
        number = len(self.games) // options.average_every
        share = np.float32((options.average + 1) / (options.average + number))
        for key, weight in self.weights.items():
            mean = self.averages.get(key, ZERO)
            self.averages[key] = np.float32(mean + np.float32(share * np.float32(weight - mean)))


def plain_table(plain: PlainNTuple, weights: dict[Key, np.float32], shape: Any) -> np.ndarray:
    """The reference's weights where the compiled run keeps them."""
    table, offset, places = np.zeros(shape, dtype=np.float32), 1, []
    for cells in plain.tuples:
        adds, indices = contributions(plain.game, cells, plain.options.states)
        places.append((offset, adds))
        offset += indices
    assert offset == shape[1]
    for (side, number, states), weight in weights.items():
        start, adds = places[number]
        index = start + sum(int(adds[place, state]) for place, state in enumerate(states))
        assert table[side, index] == 0
        table[side, index] = weight
    return table
