"""Connect Four on other boards: scores against a plain search of all moves, and their times.

BitBully plays 6x7 alone. Here positions late in random games on 5x9 and on 6x10, which does not fit
the 64 bits of the fast solver, are scored by `inarow.solve` and by a search of all moves with a
dictionary, and every score is compared. Earlier positions are timed.
"""

from __future__ import annotations

import random
import time
from typing import Any

import inarow
from inarow.game import Game, Outcome, Position

LATE = {"connect4:5x9": 32, "connect4:6x10": 47}  # stones, 13 cells before the end
EARLY = {"connect4:5x9": 24, "connect4:6x10": 40}


def random_positions(game: Game, stones: int, count: int, seed: int) -> list[Position]:
    """From random games that go on, with no win at hand for the side to move."""
    choose = random.Random(1_000 * stones + seed)
    found: list[Position] = []
    while len(found) < count:
        position = game.position()
        while position.ply < stones and position.outcome is None:
            position.push(choose.choice(position.legal_moves))
        if position.outcome is None and not wins_at_once(position):
            found.append(position)
    return found


def wins_at_once(position: Position) -> bool:
    """Whether a move ends the game: while cells are left, that is a win."""
    for move in position.legal_moves:
        position.push(move)
        over = position.outcome is not None
        position.pop()
        if over:
            return True
    return False


def plain_score(position: Position, known: dict[Any, int]) -> int:
    """The score of a position: all moves are tried, and what was found is remembered."""
    key = tuple(position.stones)
    if key not in known:
        left, best = position.game.cells - position.ply, -position.game.cells
        for move in position.legal_moves:
            position.push(move)
            if position.outcome is None:
                score = -plain_score(position, known)
            else:
                score = 0 if position.outcome is Outcome.DRAW else (left + 1) // 2
            position.pop()
            best = max(best, score)
        known[key] = best
    return known[key]


def measure_board(name: str, stones: int, positions: int, compared: bool) -> dict[str, Any]:
    """A row of the table."""
    game = inarow.game(name)
    inarow.solve(random_positions(game, stones, 1, -1)[0])  # compiles
    asked = random_positions(game, stones, positions, 0)
    start = time.process_time()
    scores = [inarow.solve(position).score for position in asked]
    seconds = time.process_time() - start
    row = {
        "board": name,
        "stones": stones,
        "positions": positions,
        "us_per_position": 1e6 * seconds / positions,
    }
    if compared:
        plain = [plain_score(position, {}) for position in asked]
        row["disagreements"] = sum(a != b for a, b in zip(scores, plain, strict=True))
    return row


def measure_boards(late: int = 500, early: int = 100) -> list[dict[str, Any]]:
    """So many positions of each board."""
    return [
        measure_board(name, stones, late if when is LATE else early, when is LATE)
        for when in (LATE, EARLY)
        for name, stones in when.items()
    ]
