"""Random games of the description language, positions of them, and players by plain rules."""

from __future__ import annotations

import random
from fractions import Fraction
from math import prod

from tests.attack.rules import Policy, Rules, Stones, TooLarge

MOST = 6_000  # positions of a game that is looked at as a whole
OPEN = 7  # empty cells of a position of a larger game, at most


class Case:
    """A game, as the package names it and by plain rules, and what a question is drawn from."""

    def __init__(self, seed: int, number: int, cells: int = 12) -> None:
        self.seed, self.number = seed, number
        self.random = random.Random(f"{seed} {number}")
        self.name, self.rules = draw_game(self.random, cells)
        self.plies: list[dict[Stones, int]] | None = None  # where the whole game is small
        if self.rules.cells <= 12:
            try:
                self.plies = self.rules.tree(MOST)
            except TooLarge:
                self.plies = None

    @property
    def going_on(self) -> list[Stones]:
        """All positions of a small game that go on."""
        assert self.plies is not None
        return [s for ply in self.plies for s in ply if self.rules.result(s) is None]

    def late_moves(self) -> list[int]:
        """The moves to a position that goes on, of which brute force is quick."""
        while True:
            moves, stones = list[int](), self.rules.empty
            left = self.random.randint(1, OPEN)
            if self.plies is not None and self.random.random() < 0.5:
                left = self.random.randint(1, self.rules.cells)
            while stones.count(0) > left and self.rules.moves(stones):
                moves.append(self.random.choice(self.rules.moves(stones)))
                stones = self.rules.play(stones, moves[-1])
            if self.rules.moves(stones) and (self.plies is not None or stones.count(0) <= OPEN):
                return moves
            if moves:  # some games end long before: then one from near their end
                del moves[self.random.randrange(len(moves)) :]
                stones = self.after(moves)
                if stones.count(0) <= OPEN and self.rules.moves(stones):
                    return moves
            if self.random.random() < 0.05:
                raise TooLarge

    def after(self, moves: list[int]) -> Stones:
        """The position after some moves."""
        stones = self.rules.empty
        for move in moves:
            stones = self.rules.play(stones, move)
        return stones

    def random_game(self) -> list[int]:
        """The moves of a whole game."""
        moves, stones = list[int](), self.rules.empty
        while possible := self.rules.moves(stones):
            moves.append(self.random.choice(possible))
            stones = self.rules.play(stones, moves[-1])
        return moves


def draw_game(chance: random.Random, cells: int) -> tuple[str, Rules]:
    """A game with at most so many cells, and its name written in one of the ways there are."""
    while True:
        shape = [chance.randint(1, 5) for _ in range(chance.choice((1, 2, 2, 2, 2, 3, 3, 4)))]
        if chance.random() < 0.1:
            shape[-1] = chance.randint(5, 9)
        if 2 <= prod(shape) <= cells:
            break
    k = min(max(shape), chance.choice((1, 2, 2, 3, 3, 3, 4, 4, 5)))
    gravity, variant = chance.random() < 0.45, chance.random()
    scoring, misere = variant < 0.2, 0.2 <= variant < 0.5
    axes = [a for a in range(len(shape)) if not (gravity and a == 0)]
    wrap = [a for a in axes if chance.random() < 0.5] if chance.random() < 0.4 else []
    sides = "x".join(map(str, shape))
    if len(shape) == 2 and not (gravity or scoring) and chance.random() < 0.5:
        name = f"mnk:{sides}x{k}"
    else:
        options = [f"k={k}"] + ["gravity"] * gravity + ["scoring"] * scoring
        chance.shuffle(options)
        name = ",".join([f"board:{sides}", *options])
    name += ",wrap" if wrap and wrap == axes else "".join(f",wrap={axis}" for axis in wrap)
    return name + ",misere" * misere, Rules(shape, k, gravity, scoring, wrap, misere)


# Players by plain rules: the chance of each move in every position that goes on.


def by_rules(rules: Rules, words: tuple[str, ...], positions: list[Stones]) -> Policy:
    """The first of the rules that finds a move; any of its moves, or any at all."""
    return {stones: _shares(_found(rules, words, stones)) for stones in positions}


def _found(rules: Rules, words: tuple[str, ...], stones: Stones) -> list[int]:
    moves, mover = rules.moves(stones), rules.mover(stones)
    for word in words:
        side = mover if word == "win" else 3 - mover
        cells = {move: rules.landing(stones, move) for move in moves}
        if found := [m for m in moves if rules.completed(stones, side, cells[m])]:
            return found
    return moves


def perfect(rules: Rules, choice: str, positions: list[Stones]) -> Policy:
    """Perfect play: any best move, the first of them, or any that keeps the value."""
    found = {}
    for stones in positions:
        moves = rules.keeping(stones) if choice == "value" else rules.best(stones)[0]
        found[stones] = _shares(moves[:1] if choice == "first" else moves)
    return found


def _shares(moves: list[int]) -> dict[int, Fraction]:
    return {move: Fraction(1, len(moves)) for move in moves}


PLAYERS = {
    "random": (),
    "attack@random": ("win",),
    "defense@random": ("block",),
    "attack-defense@random": ("win", "block"),
    "defense-attack@random": ("block", "win"),
    "advanced": ("win", "block"),
}
