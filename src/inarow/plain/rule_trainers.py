"""The fixed players of the documents: sequences of rules that end in a random move.

Hybrid paper, section 2.5: six trainers. N-dimensional paper, section III: random and advanced.
Cube paper, section V-A: the benchmark player.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from inarow.game import Game, Position
from inarow.plain.random_stream import RandomStream
from inarow.plain.table import any_of


@cache
def lines_through(game: Game, cell: int) -> list[tuple[int, list[int]]]:
    """Return the lines through a cell: the number and the cells of each."""
    lines: list[list[int]] = game.lines.tolist()
    return [(number, line) for number, line in enumerate(lines) if cell in line]


def completed_lines(game: Game, stones: Sequence[int], side: int, cell: int) -> list[int]:
    """Return the numbers of the lines that a stone of the side would complete on an empty cell."""
    return [
        number
        for number, line in lines_through(game, cell)
        if all(stones[other] == side for other in line if other != cell)
    ]


def reward_of_lines(position: Position, move: int) -> int:
    """Return how many lines a move makes: 1 at most where the first one ends the game.

    Where a line loses, it counts -1.
    """
    lines = position.completes(move)
    made = lines if position.game.scoring else min(lines, 1)
    return -made if position.game.misere else made


Rules = tuple[str, ...]

HYBRID: dict[str, tuple[Rules, ...]] = {
    "random": ((),),
    "attack": (("win",),),
    "defense": (("block",),),
    "attack-defense": (("win", "block"),),
    "defense-attack": (("block", "win"),),
    "combined": (("win",), ("block",), ("win", "block"), ("block", "win")),
}
OTHERS: dict[str, tuple[Rules, ...]] = {
    "advanced": (("win", "block"),),
    "benchmark": (("win", "block", "safe"),),
}


class RuleTrainer:
    """A fixed player. The first rule that finds a move decides; without one it moves at random.

    Of several moves that a rule finds, the hybrid paper's trainers take the one on the first line
    (rows, columns, diagonals), the others any.
    """

    def __init__(self, name: str, stream: RandomStream) -> None:
        self.variants = {**HYBRID, **OTHERS}[name]
        self.rules, self.by_line, self.stream = self.variants[0], name in HYBRID, stream

    def begin(self) -> None:
        """Draw the rules of the next game, if there are several."""
        if len(self.variants) > 1:
            self.rules = self.variants[self.stream.below(len(self.variants))]

    def choose(self, position: Position) -> int:
        """Return the trainer's move."""
        return any_of(self.moves(position), self.stream)

    def moves(self, position: Position) -> list[int]:
        """Return the moves that the trainer may choose."""
        for rule in self.rules:
            found = [move for move in position.legal_moves if suits(rule, position, move)]
            if found and self.by_line:
                side = position.to_move if rule == "win" else 3 - position.to_move
                return [min(found, key=lambda move: _lines(position, move, side)[0])]
            if found:
                return found
        return position.legal_moves


Opponent = RuleTrainer | None  # without one a learner plays against itself


def suits(rule: str, position: Position, move: int) -> bool:
    """Return whether a move does what a rule asks for."""
    if rule == "win":
        return bool(_lines(position, move, position.to_move))
    if rule == "block":
        return bool(_lines(position, move, 3 - position.to_move))
    above = position.cell_of(move) + position.game.columns  # "safe": no win for the other on top
    if not position.game.gravity or above >= position.game.cells:
        return True
    return not completed_lines(position.game, position.stones, 3 - position.to_move, above)


def _lines(position: Position, move: int, side: int) -> list[int]:
    return completed_lines(position.game, position.stones, side, position.cell_of(move))
