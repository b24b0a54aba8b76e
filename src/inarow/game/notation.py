"""Moves as text, both ways.

A move is written as its coordinates, counted from 1, without the height where stones fall:
`4` is the fourth column of Connect-4, `23` a column of the cube (row 2, column 3), `22` the
centre of tic-tac-toe. While every side is at most 9 a coordinate is one digit and a game can be
written without spaces (`4453`); on larger boards coordinates are joined by commas and moves
stand apart (`10,3 4,11`, or `10 4` where a move has one coordinate).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from inarow.game.errors import InputError

if TYPE_CHECKING:
    from inarow.game.spec import Game


def is_compact(game: Game) -> bool:
    """Whether every coordinate of a move is one digit."""
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
        f"write a {what} from {move_text(game, 0)} to {last}"
    )
