"""The reference of the solvers: negamax over every move, with a dictionary of positions seen."""

from __future__ import annotations

import random

from inarow.game import Game, Position


def brute_score(position: Position, seen: dict[tuple[int, ...], int]) -> int:
    """The exact score of a position that goes on, for the side to move."""
    key = position.stones
    if key not in seen:
        seen[key] = max(brute_moves(position, seen).values())
    return seen[key]


def brute_moves(position: Position, seen: dict[tuple[int, ...], int]) -> dict[int, int]:
    """The score of each move: what the winner owns at the end plus one, less what it used.

    Where a line loses: half the cells still empty at the end, rounded down, plus one.
    """
    scores = {}
    for move in position.legal_moves:
        mover = position.to_move
        position.push(move)
        if position.outcome is None:
            scores[move] = -brute_score(position, seen)
        elif position.outcome.winner == mover:
            cells = position.game.cells
            owned = (cells + 1) // 2 if mover == 1 else cells // 2
            scores[move] = owned + 1 - position.stones.count(mover)
        elif position.outcome.winner is not None:
            assert position.game.misere
            scores[move] = -((position.game.cells - position.ply) // 2 + 1)
        else:
            scores[move] = 0
        position.pop()
    return scores


def random_positions(game: Game, stones: int, count: int, seed: int) -> list[Position]:
    """Positions after random moves that go on; fewer, or none, where nearly all games are over."""
    choose = random.Random(f"{game.name} {stones} {seed}")
    found: list[Position] = []
    for _ in range(200 * count):
        position = game.position()
        while position.ply < stones and position.outcome is None:
            position.push(choose.choice(position.legal_moves))
        if position.outcome is None:
            found.append(position)
        if len(found) == count:
            break
    return found
