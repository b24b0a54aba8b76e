"""A position with a value on the cell of each move, for notebooks and terminals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real

from inarow.game.drawing import draw_text
from inarow.game.errors import InputError
from inarow.game.position import Position, move_text
from inarow.game.svg import draw_svg


@dataclass(frozen=True, repr=False)
class ShownPosition:
    """A position as it was, and what there is to say of its moves."""

    position: Position
    values: Mapping[int, str]  # by move

    def svg(self) -> str:
        """Return the picture."""
        return draw_svg(self.position, self.values)

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
        return self.svg()

    def __str__(self) -> str:
        said = [f"{move_text(self.position.game, m)}: {text}" for m, text in self.values.items()]
        return "\n".join([draw_text(self.position), *(["  ".join(said)] if said else [])])

    def __repr__(self) -> str:
        return str(self)


def texts_of(position: Position, values: object) -> dict[int, str]:
    """Return what to write on the cells of moves; InputError for what says nothing of moves."""
    if values is None:
        return {}
    found = values
    if not isinstance(found, Mapping):
        found = getattr(found, "moves", None)  # of a solution
    if not isinstance(found, Mapping) and callable(ask := getattr(values, "values", None)):
        found = {} if position.outcome is not None else ask(position)
    if not isinstance(found, Mapping):
        raise InputError(
            f"{values!r} has no values of moves: give a mapping from moves to values, an answer of "
            "inarow.solve, or a player that values its moves"
        )
    legal, texts = position.legal_moves, dict[int, str]()
    for given, value in found.items():
        move = _move(position, given)
        if move not in legal:
            raise InputError(f"{given!r} is not a legal move here: its value has no place")
        texts[move] = _text(value)
    return texts


def _move(position: Position, given: object) -> int:
    """Return a move by its number, or by its text."""
    if isinstance(given, str):
        place = position.copy()
        place.push(given)
        return place.moves[-1]
    return int(given) if isinstance(given, Integral) else -1


def _text(value: object) -> str:
    """Return a value as it is written on a cell."""
    if isinstance(value, Integral):
        return f"{int(value):+d}" if value else "0"
    return f"{float(value):+.2f}" if isinstance(value, Real) else str(value)
