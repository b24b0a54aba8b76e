"""Parts of plain references of tabular learners: tables as dictionaries, moves on `Position`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from inarow.engine.rules import Rule
from inarow.game import Game, Outcome, Position
from inarow.graph.graph import Graph
from tests.engine.reference import PlainStream
from tests.graph.plain import stones_of

REWARDS = {Outcome.FIRST: 1.0, Outcome.SECOND: -1.0, Outcome.DRAW: 0.0}


class PlainTable:
    """Values of positions and of moves, by the stones; with `symmetric`, by the lowest image."""

    def __init__(self, game: Game, start: float, symmetric: bool) -> None:
        self.game, self.start, self.values = game, start, {}
        rows = game.symmetries if symmetric else np.arange(game.cells)[None]
        self.rows: list[list[int]] = rows.tolist()
        self.key = cache(self.find_key)

    def find_key(self, stones: tuple[int, ...]) -> tuple[tuple[int, int], list[int]]:
        """The lowest image as two numbers with a bit a stone, and the symmetry that leads there."""
        images = [
            tuple(sum(1 << row[c] for c, s in enumerate(stones) if s == side) for side in (1, 2))
            for row in self.rows
        ]
        lowest = min(images)
        return lowest, self.rows[images.index(lowest)]

    def of_position(self, position: Position) -> tuple[int, ...]:
        """The key of a position's value."""
        return self.key(position.stones)[0]

    def of_move(self, position: Position, move: int) -> tuple[int, ...]:
        """The key of a move's value."""
        key, row = self.key(position.stones)
        return (*key, row[move] % self.game.columns)

    def after(self, position: Position, move: int) -> float:
        """The value of the position that a move leads to."""
        position.push(move)
        value = self[self.of_position(position)]
        position.pop()
        return value

    def __getitem__(self, key: tuple[int, ...]) -> float:
        return self.values.get(key, self.start)

    def __setitem__(self, key: tuple[int, ...], value: float) -> None:
        self.values[key] = value


def plain_epsilon_greedy(
    moves: list[int],
    value_of: Callable[[int], float],
    epsilon: float,
    ties: str,
    stream: PlainStream,
) -> tuple[int, bool]:
    """A move, and whether it was drawn from all of them."""
    if stream.uniform() < epsilon:
        return moves[stream.below(len(moves))], True
    best = max(value_of(move) for move in moves)
    equal = [move for move in moves if value_of(move) == best]
    if ties == "first" or len(equal) == 1:
        return equal[0], False
    return equal[stream.below(len(equal))], False


def plain_reply(position: Position, rules: tuple[Rule, ...], stream: PlainStream) -> int:
    """The move of a rule player that looks in random order."""
    sides = {Rule.WIN: position.to_move, Rule.BLOCK: 3 - position.to_move}
    moves = position.legal_moves
    for rule in rules:
        found = [move for move in moves if completes(position, move, sides[rule])]
        if found:
            moves = found
            break
    return moves[stream.below(len(moves))] if len(moves) > 1 else moves[0]


def completes(position: Position, move: int, side: int) -> bool:
    """Whether a stone of the side would complete a line."""
    stones = list(position.stones)
    stones[position.cell_of(move)] = side
    return any(
        position.cell_of(move) in line and all(stones[cell] == side for cell in line)
        for line in position.game.lines.tolist()
    )


def positions_of(graph: Graph) -> Iterator[tuple[int, Position]]:
    """Every position of a graph that goes on, with its number, reached by some moves."""
    moves_to: dict[int, list[int]] = {0: []}
    for number in range(graph.positions):
        moves = moves_to.pop(number)
        position = Position(graph.game)
        for move in moves:
            position.push(move)
        assert position.stones == stones_of(graph, number)
        edges = range(graph.edge_start[number], graph.edge_start[number + 1])
        for edge in edges:
            moves_to.setdefault(int(graph.child[edge]), [*moves, int(graph.move[edge])])
        if len(edges):
            yield number, position
