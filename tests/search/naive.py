"""The reference of the minimax search: the whole tree, and all lines looked at in each leaf.

No bounds, no sorting, nothing kept between positions. Written from the Connect Four paper's text
and from what `Minimax` promises: moves are tried in the explicit order, the first best is kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from inarow.game import Position
from inarow.plain.connect_four import utility


def minimax(
    position: Position, depth: int, order: Sequence[int], player: int, distance: int = 0
) -> int:
    """The value of a position to a player, looking so many moves ahead."""
    if position.outcome is not None or depth == 0:
        return utility(position, player, distance)
    values, legal = [], set(position.legal_moves)
    for move in order:
        if move in legal:
            position.push(move)
            values.append(minimax(position, depth - 1, order, player, distance + 1))
            position.pop()
    return max(values) if position.to_move == player else min(values)


def root_values(position: Position, depth: int, order: Sequence[int]) -> dict[int, int]:
    """The value of every move to the side to move, in the explicit order."""
    values = {}
    player = position.to_move
    for move in order:
        if move in position.legal_moves:
            position.push(move)
            values[move] = minimax(position, depth - 1, order, player, 1)
            position.pop()
    return values


def first_best(values: dict[int, int]) -> tuple[int, int]:
    """The first of the best moves, and its value."""
    best = max(values.values())
    return next(move for move, value in values.items() if value == best), best
