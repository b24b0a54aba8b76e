"""The plain reference of the package's rules, for tests to compare with.

Everything here is found in the most obvious way, by walking over the board and looking at all of
it again after every move, and nothing is taken from the package: a game is only read for its
fields `shape`, `k`, `gravity`, `scoring`, `wrap` and `misere`. What both sides share is the
numbering that the package promises: cells in row-major order, the height first where stones fall,
and a move is the cell, or with gravity the column (the cell without its height).
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from functools import cache
from typing import Protocol

GAMES = [
    "tictactoe",
    "connect4:6x7",
    "connect4:4x4",
    "connect4:5x4",
    "connect4:9x12",
    "cube",
    "qubic",
    "mnk:5x4x3",
    "mnk:4x4x4",
    "mnk:15x15x5",
    "ntictactoe:3^3",
    "ntictactoe:3^4",
    "ntictactoe:3^5",
    "ntictactoe:2^4",
    "ntictactoe:4^3",
    "board:2x2x2x2,k=2",
    "board:1x7,k=3",
    "board:7x1,k=3,gravity",
    "board:7,k=4",
    "board:5,k=3,gravity",
    "board:1x1,k=1",
    "board:3x3,k=1",
    "board:3x3,k=2",
    "board:2x3x4,k=3,gravity",
    "board:3x3x3,gravity",
    "board:3x4,k=3,scoring",
    "board:4x4,k=3,gravity,scoring",
    "board:12x12x2,k=4",
    "tictactoe,wrap",
    "tictactoe,misere",
    "tictactoe,wrap=0,misere",
    "connect4:4x4,wrap",
    "connect4:5x5,wrap,misere",
    "cube,wrap=2",
    "qubic,wrap",
    "mnk:5x4x3,wrap=1",
    "mnk:4x4x3,misere",
    "mnk:2x5x3,wrap",
    "mnk:10x3x3,wrap",
    "ntictactoe:3^3,wrap",
    "ntictactoe:4^3,wrap=0,wrap=2",
    "board:7,k=4,wrap",
    "board:6,k=2,wrap,misere",
    "board:3x3,k=1,misere",
    "board:2x3x4,k=3,gravity,wrap",
    "board:2x3x4,k=3,gravity,wrap=1,misere",
    "board:3x4,k=3,scoring,wrap=1",
    "board:4x4,k=3,gravity,scoring,wrap",
]
"""The game strings that every shared check runs over: the named games and odd boards."""


class Rules(Protocol):
    """What the oracle reads of a game."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The sides of the board."""

    @property
    def k(self) -> int:
        """How many stones make a line."""

    @property
    def gravity(self) -> bool:
        """Whether stones fall along the first axis, to index 0."""

    @property
    def scoring(self) -> bool:
        """Whether lines are counted until the board is full."""

    @property
    def wrap(self) -> tuple[int, ...]:
        """The axes along which a walk off one end goes on at the other."""

    @property
    def misere(self) -> bool:
        """Whether whoever completes a line loses."""


def cell_number(coordinates: Sequence[int], shape: Sequence[int]) -> int:
    """The number of a cell, counting row by row: the last coordinate runs fastest."""
    number = 0
    for coordinate, side in zip(coordinates, shape, strict=True):
        number = number * side + coordinate
    return number


def lines_of(shape: Sequence[int], k: int, wrap: Sequence[int] = ()) -> list[tuple[int, ...]]:
    """Every line once, its cells ascending, the list sorted."""
    return list(_lines(tuple(shape), k, tuple(wrap)))


def _lines_in(game: Rules) -> tuple[tuple[int, ...], ...]:
    return _lines(tuple(game.shape), game.k, tuple(game.wrap))


@cache
def _lines(shape: tuple[int, ...], k: int, wrap: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Walks k cells from every cell in every direction and keeps what stays on the board.

    Where an axis wraps, a walk off its end goes on at its other end; one that comes back to a cell
    it has been to is no line.
    """
    found = set()
    directions = [d for d in itertools.product((-1, 0, 1), repeat=len(shape)) if any(d)]
    for cell in itertools.product(*map(range, shape)):
        for direction in directions:
            walk = [
                tuple(place + step * by for place, by in zip(cell, direction, strict=True))
                for step in range(k)
            ]
            for axis in wrap:
                walk = [(*p[:axis], p[axis] % shape[axis], *p[axis + 1 :]) for p in walk]
            inside = all(
                0 <= place < side for p in walk for place, side in zip(p, shape, strict=True)
            )
            if inside and len(set(walk)) == k:
                found.add(tuple(sorted(cell_number(place, shape) for place in walk)))
    return tuple(sorted(found))


def score_of(stones: Sequence[int], lines: Sequence[tuple[int, ...]]) -> tuple[int, int]:
    """How many lines are all first player's (1) and how many all second player's (2)."""
    score = [0, 0]
    for line in lines:
        owner = stones[line[0]]
        if owner != 0 and all(stones[cell] == owner for cell in line):
            score[owner - 1] += 1
    return score[0], score[1]


def result_of(stones: Sequence[int], game: Rules) -> str | None:
    """None while the game goes on, else "first", "second" or "draw"."""
    first, second = score_of(stones, _lines_in(game))
    full = 0 not in stones
    if not game.scoring:
        assert not (first and second), "the first line ends the game, so only one side has any"
        if first or second:
            won_by_first = bool(first) != game.misere
            return "first" if won_by_first else "second"
        return "draw" if full else None
    if not full:
        return None
    if first == second:
        return "draw"
    return "first" if first > second else "second"


class OracleBoard:
    """A board that is looked at as a whole again for every question.

    `stones` holds 0, 1 or 2 for each cell; `moves` the moves so far.
    """

    def __init__(self, game: Rules) -> None:
        self.game = game
        self.stones = [0] * (cell_number([side - 1 for side in game.shape], game.shape) + 1)
        self.moves: list[int] = []
        self._stack = 1  # how far apart two cells are that lie on top of each other
        for side in game.shape[1:]:
            self._stack *= side

    def to_move(self) -> int:
        """The player whose turn it is, 1 or 2: the one with fewer stones, the first if equal."""
        return 1 if self.stones.count(1) == self.stones.count(2) else 2

    def landing(self, move: int) -> int | None:
        """The cell that a stone would come to lie on, or None where there is no room for it."""
        if not self.game.gravity:
            return move if self.stones[move] == 0 else None
        for height in range(self.game.shape[0]):
            cell = height * self._stack + move
            if self.stones[cell] == 0:
                return cell
        return None

    def legal_moves(self) -> list[int]:
        """The moves that may be played, ascending; none when the game is over."""
        if self.result() is not None:
            return []
        moves = range(self._stack if self.game.gravity else len(self.stones))
        return [move for move in moves if self.landing(move) is not None]

    def play(self, move: int) -> int:
        """Puts the stone of the side to move and returns the cell it lies on."""
        cell = self.landing(move)
        assert cell is not None, "there is no room for this stone"
        self.stones[cell] = self.to_move()
        self.moves.append(move)
        return cell

    def score(self) -> tuple[int, int]:
        """Lines of the first and of the second player on the board."""
        return score_of(self.stones, _lines_in(self.game))

    def result(self) -> str | None:
        """None while the game goes on, else "first", "second" or "draw"."""
        return result_of(self.stones, self.game)


def random_game(game: Rules, seed: int) -> list[int]:
    """The moves of one whole game in which every legal move is equally likely."""
    generator = random.Random(seed)
    board = OracleBoard(game)
    while legal := board.legal_moves():
        board.play(generator.choice(legal))
    return board.moves


def maps_lines_to_lines(permutation: Sequence[int], lines: Sequence[tuple[int, ...]]) -> bool:
    """Whether the permutation takes every one of the lines to one of them."""
    known = set(lines)
    return all(tuple(sorted(permutation[cell] for cell in line)) in known for line in lines)


def keeps_above(permutation: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether the cell above another always goes to the cell above the other's image."""
    cells = len(permutation)
    stack = cells // shape[0]
    return all(
        permutation[cell + stack] == permutation[cell] + stack for cell in range(cells - stack)
    )


def is_symmetry(permutation: Sequence[int], game: Rules) -> bool:
    """Whether this is a permutation of the cells that keeps the lines, and gravity if any."""
    cells = cell_number([side - 1 for side in game.shape], game.shape) + 1
    return (
        sorted(permutation) == list(range(cells))
        and maps_lines_to_lines(permutation, _lines_in(game))
        and (not game.gravity or keeps_above(permutation, game.shape))
    )


def count_symmetries(game: Rules) -> int:
    """How many symmetries there are, by trying all images of one cell after the other.

    For small boards with few symmetries only: it visits every one of them.
    """
    lines = _lines_in(game)
    known = set(lines)
    cells = cell_number([side - 1 for side in game.shape], game.shape) + 1
    stack = cells // game.shape[0]
    shared = [[0] * cells for _ in range(cells)]  # lines through both of two cells
    for line in lines:
        for one, other in itertools.product(line, repeat=2):
            shared[one][other] += 1
    ending = [[line for line in lines if line[-1] == cell] for cell in range(cells)]
    image: list[int] = []

    def fits(cell: int, target: int) -> bool:
        if target in image:
            return False
        if game.gravity and cell >= stack and target != image[cell - stack] + stack:
            return False
        if game.gravity and cell < stack <= target:
            return False
        if any(shared[cell][c] != shared[target][t] for c, t in enumerate([*image, target])):
            return False
        places = [*image, target]
        return all(tuple(sorted(places[c] for c in line)) in known for line in ending[cell])

    def count(cell: int) -> int:
        if cell == cells:
            return 1
        total = 0
        for target in range(cells):
            if fits(cell, target):
                image.append(target)
                total += count(cell + 1)
                image.pop()
        return total

    return count(0)
