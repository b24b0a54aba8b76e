"""A position in plain Python (push, pop, legal moves, outcome), and moves as text."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from enum import Enum
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from inarow.game.errors import InputError
from inarow.game.spec import Game

if TYPE_CHECKING:
    from inarow.game.shown import ShownPosition

SIDES = ("first", "second")  # who begins, and the other; 0 and 1 where a side is a number

# Moves as text, both ways.
#
# A move is written as its coordinates, counted from 1, without the height where stones fall:
# `4` is the fourth column of Connect-4, `23` a column of the cube (row 2, column 3), `22` the
# centre of tic-tac-toe. While every side is at most 9 a coordinate is one digit and a game can be
# written without spaces (`4453`); on larger boards coordinates are joined by commas and moves
# stand apart (`10,3 4,11`, or `10 4` where a move has one coordinate).


def is_compact(game: Game) -> bool:
    """Return whether every coordinate of a move is one digit."""
    return max(game.move_shape) <= 9


def move_text(game: Game, move: int) -> str:
    """One move as text."""
    coordinates = [str(int(i) + 1) for i in np.unravel_index(move, game.move_shape)]
    return ("" if is_compact(game) else ",").join(coordinates)


def moves_text(game: Game, moves: Iterable[int]) -> str:
    """A sequence of moves as text: with no spaces where a move is one digit."""
    gap = "" if is_compact(game) and len(game.move_shape) == 1 else " "
    return gap.join(move_text(game, move) for move in moves)


def parse_moves(game: Game, text: str) -> list[int]:
    """The moves that a text names; whether they are legal is for the position to say."""
    moves, known, width = list[int](), _compact_moves(game), len(game.move_shape)
    if text in known:
        return [known[text]]
    for token in text.split():
        try:
            moves += [known[token[i : i + width]] for i in range(0, len(token), width)]
        except KeyError:
            moves += _parse_token(game, token)
    return moves


@lru_cache(maxsize=64)
def _compact_moves(game: Game) -> dict[str, int]:
    """The moves by their texts; none where coordinates are joined by commas."""
    if not is_compact(game):
        return {}
    texts = product(*("123456789"[:side] for side in game.move_shape))
    return {"".join(digits): move for move, digits in enumerate(texts)}


def _parse_token(game: Game, token: str) -> list[int]:
    """The moves in a text without spaces, of whatever form."""
    moves = []
    for coordinates in _split(game, token):
        if not all(1 <= c <= side for c, side in zip(coordinates, game.move_shape, strict=True)):
            raise _not_a_move(game, token)
        moves.append(_ravel(coordinates, game.move_shape))
    return moves


def _split(game: Game, token: str) -> list[list[int]]:
    """The coordinates of each move in a token without spaces."""
    width = len(game.move_shape)
    digits = token.split(",") if "," in token or not is_compact(game) else list(token)
    if not all(d.isascii() and d.isdigit() and len(d) <= 4 for d in digits) or len(digits) % width:
        raise _not_a_move(game, token)
    numbers = [int(d) for d in digits]
    return [numbers[i : i + width] for i in range(0, len(numbers), width)]


def _ravel(coordinates: list[int], shape: tuple[int, ...]) -> int:
    move = 0
    for coordinate, side in zip(coordinates, shape, strict=True):
        move = move * side + coordinate - 1
    return move


def _not_a_move(game: Game, token: str) -> InputError:
    last = move_text(game, math.prod(game.move_shape) - 1)
    what = "column" if game.gravity else "cell"
    return InputError(
        f"{token!r} is not a move of {game.name}: "
        f"write a {what} from {move_text(game, 0)} to {last}, counted from 1"
    )


# A position of a k-in-a-row game, in the manner of python-chess: push, pop, legal_moves, outcome.
#
# This is the plain, readable board: the compiled one in `engine/` is tested against it.


class Outcome(Enum):
    """How a finished game ended. A game that is not over has no outcome: None, never a draw."""

    FIRST = "first"
    SECOND = "second"
    DRAW = "draw"

    @property
    def winner(self) -> int | None:
        """1 or 2, or None for a draw."""
        return {Outcome.FIRST: 1, Outcome.SECOND: 2, Outcome.DRAW: None}[self]

    def __str__(self) -> str:
        return "draw" if self is Outcome.DRAW else f"{self.value} player wins"


def check_moves_text(moves: object) -> None:
    """Raise InputError for moves that are not written as text."""
    if not isinstance(moves, str):
        raise InputError(f"moves must be text, as in '1 2 1', not {moves!r}: push takes a number")


def require_unfinished(position: object) -> None:
    """Raise InputError unless this is a position whose game is not over."""
    if not isinstance(position, Position):
        raise InputError(f"{position!r} is not a position: game.position() makes one")
    if position.outcome is not None:
        raise InputError(f"the game is over ({position.outcome}): there is no move to choose")


def _whole_number(move: object) -> int:
    """A move as a number; TypeError where it is none, as an array of several is not."""
    if isinstance(move, bool):
        raise TypeError
    return operator.index(move)  # type: ignore[arg-type]


class Position:
    """Stones on a board and the moves that led there.

    Players are 1 (first) and 2 (second); an empty cell is 0. Moves are integers from 0
    (see `Game`), or text.
    """

    __slots__ = (
        "_bits",
        "_completed",
        "_heights",
        "_moves",
        "_outcome",
        "_score",
        "_stones",
        "game",
    )

    def __init__(self, game: Game) -> None:
        self.game = game
        self._stones = [0] * game.cells
        self._bits = [0, 0]  # the stones of each player, a bit for each cell
        self._heights = [0] * game.columns  # stones in each column; 0 or 1 without gravity
        self._moves: list[int] = []
        self._completed: list[int] = []  # lines completed by each move
        self._score = [0, 0]
        self._outcome: Outcome | None = None

    @property
    def to_move(self) -> int:
        """The player to move, 1 or 2; after the end, the one who would be next."""
        return 1 + len(self._moves) % 2

    @property
    def ply(self) -> int:
        """The number of stones on the board."""
        return len(self._moves)

    @property
    def moves(self) -> tuple[int, ...]:
        """The moves played."""
        return tuple(self._moves)

    @property
    def stones(self) -> tuple[int, ...]:
        """What is on each cell: 0 nothing, 1 or 2 a stone of that player."""
        return tuple(self._stones)

    @property
    def bits(self) -> tuple[int, int]:
        """The stones of the first and of the second player: numbers with a bit for each cell."""
        return self._bits[0], self._bits[1]

    @property
    def score(self) -> tuple[int, int]:
        """Lines completed by the first and by the second player."""
        return self._score[0], self._score[1]

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it is not over."""
        return self._outcome

    @property
    def legal_moves(self) -> list[int]:
        """The moves that may be played, ascending; none when the game is over."""
        if self._outcome is not None:
            return []
        limit = self.game.height
        return [move for move, height in enumerate(self._heights) if height < limit]

    def cell_of(self, move: int) -> int:
        """The cell where a stone played as `move` ends up."""
        return self._heights[move] * self.game.columns + move if self.game.gravity else move

    def completes(self, move: int) -> int:
        """Return how many lines a legal move completes."""
        stones, game = len(self._moves), self.game
        if stones < 2 * game.k - 2:
            return 0  # it is not yet its side's k-th stone
        cell, completed = self._heights[move] * game.columns + move, 0
        own = self._bits[stones & 1] | 1 << cell
        for line in game.line_masks(cell):
            if own & line == line:
                completed += 1
        return completed

    def push(self, move: int | str) -> None:
        """Play a move: its number, counted from 0, or its text, counted from 1.

        In Connect Four `push(3)` and `push("4")` both play the fourth column.
        """
        if isinstance(move, str):
            parsed = self._parsed(move)
            if len(parsed) != 1:
                raise InputError(f"{move!r} is not one move: push_text plays a sequence")
            move = parsed[0]
        self._place(self._check(move))

    def _parsed(self, text: str) -> list[int]:
        """The moves of a text; digits that name a move only as a number are told apart."""
        try:
            return parse_moves(self.game, text)
        except InputError as error:
            if text.isascii() and text.isdigit() and int(text[:6]) < self.game.columns:
                raise InputError(
                    f"{error}; {text} without quotes is move number {text}, counted from 0"
                ) from None
            raise

    def _place(self, move: int) -> None:
        """Play a legal move."""
        game, moves, completed = self.game, self._moves, self.completes(move)
        cell, side = self._heights[move] * game.columns + move, len(moves) & 1
        self._stones[cell] = side + 1
        self._heights[move] += 1
        self._bits[side] |= 1 << cell
        moves.append(move)
        self._completed.append(completed)
        if completed or len(moves) == game.cells:
            self._score[side] += completed
            self._outcome = self._judge(side + 1, completed)

    def push_text(self, moves: str) -> None:
        """Play a sequence of moves; when one is illegal, none is played."""
        check_moves_text(moves)
        start = len(self._moves)
        try:
            for move in parse_moves(self.game, moves):
                self._place(self._check(move))
        except InputError:
            while len(self._moves) > start:
                self.pop()
            raise

    def pop(self) -> int:
        """Take the last move back and return it."""
        if not self._moves:
            raise InputError("there is no move to take back: the board is empty")
        move = self._moves.pop()
        self._heights[move] -= 1
        cell = self.cell_of(move)
        self._stones[cell] = 0
        self._bits[self.to_move - 1] ^= 1 << cell
        self._score[self.to_move - 1] -= self._completed.pop()
        self._outcome = None
        return move

    def copy(self) -> Position:
        """The same position with its own history."""
        copied = Position(self.game)
        copied._stones, copied._heights = list(self._stones), list(self._heights)
        copied._bits = list(self._bits)
        copied._moves, copied._completed = list(self._moves), list(self._completed)
        copied._score, copied._outcome = list(self._score), self._outcome
        return copied

    def __deepcopy__(self, memo: object) -> Position:
        return self.copy()  # the game never changes: it is shared

    def transformed(self, symmetry: int) -> Position:
        """The image under row `symmetry` of `game.symmetries`, with all moves transformed."""
        image = Position(self.game)
        for move in self._moves:
            image.push(int(self.game.move_permutations[symmetry, move]))
        return image

    @property
    def notation(self) -> str:
        """The moves as text, which `game.position` reads again."""
        return moves_text(self.game, self._moves)

    def __eq__(self, other: object) -> bool:
        """Positions are equal when the same stones lie on the same board, however they came."""
        if not isinstance(other, Position):
            return NotImplemented
        return self.game == other.game and self._stones == other._stones

    __hash__ = None  # type: ignore[assignment]  # a position changes; use `stones` as a key

    def __str__(self) -> str:
        from inarow.game.drawing import draw_text

        return draw_text(self)

    def __repr__(self) -> str:
        return f"<{self.game.name} {self.notation!r}>"

    def svg(self) -> str:
        """The position as an SVG picture."""
        from inarow.game.svg import draw_svg

        return draw_svg(self)

    def show(self, values: object = None) -> ShownPosition:
        """The position as it is now, with a value on the cell of each move: a notebook draws it.

        `values` are a mapping from moves to numbers or texts; an answer of `inarow.solve`; or a
        player that values its moves, as learned agents do.
        """
        from inarow.game.shown import ShownPosition, texts_of

        return ShownPosition(self.copy(), texts_of(self, values))

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        return self.svg()

    def _check(self, move: int) -> int:
        """Return the move as a plain number; InputError if it may not be played."""
        game = self.game
        if type(move) is not int:
            try:
                move = _whole_number(move)
            except TypeError:
                raise InputError(
                    f"{move!r} is not a move: moves are numbers from 0, or their text"
                ) from None
        if self._outcome is not None:
            raise InputError(f"the game is over ({self._outcome}): no move can follow")
        if not 0 <= move < game.columns:
            raise InputError(
                f"move {move} is off the board: numbers of moves count from 0 to "
                f"{game.columns - 1}; as text, columns and rows count from 1"
            )
        if self._heights[move] >= game.height:
            what = "column" if game.gravity else "cell"
            free = " ".join(move_text(game, m) for m in self.legal_moves[:12])
            more = " ..." if len(self.legal_moves) > 12 else ""
            state = "full" if game.gravity else "taken"
            raise InputError(f"{what} {move_text(game, move)} is {state}: free are {free}{more}")
        return move

    def _judge(self, player: int, completed: int) -> Outcome | None:
        if completed and not self.game.scoring:
            return Outcome.FIRST if (player == 1) != self.game.misere else Outcome.SECOND
        if len(self._moves) < self.game.cells:
            return None
        first, second = self._score
        if first == second or not self.game.scoring:
            return Outcome.DRAW
        return Outcome.FIRST if first > second else Outcome.SECOND
