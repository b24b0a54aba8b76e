"""What an agent expects of moves, for compiled searches: looked up by the type of the agent.

A learner makes its agents' values known by `register_values`; a tree search asks for them at its
leaves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from inarow.engine.board import Board, Cells
from inarow.engine.by_type import by_type
from inarow.engine.contest import PlayerArrays, Weights
from inarow.engine.tables import Tables


class _Kind(NamedTuple):
    """What agents of a type do."""

    value_cells: Callable[..., object]


_KINDS: dict[type, _Kind] = {}


def register_values(kind: type, value_cells: Callable[..., object]) -> None:
    """Says how agents of a type value moves."""
    _KINDS[kind] = _Kind(value_cells)


def values_moves(agent: PlayerArrays) -> bool:
    """Whether a compiled player says what it expects of moves."""
    return type(agent) in _KINDS


@by_type("agent", _KINDS)
def value_cells(
    tables: Tables,  # noqa: ARG001
    board: Board,  # noqa: ARG001
    agent: PlayerArrays,
    cells: Cells,  # noqa: ARG001
    count: int,  # noqa: ARG001
    values: Weights,  # noqa: ARG001
) -> None:
    """Writes what the side to move may expect after a stone on each cell: 1 a win, -1 a loss."""
    raise TypeError(f"{type(agent).__name__} does not value moves")
