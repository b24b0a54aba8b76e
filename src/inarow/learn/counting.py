"""How learners on boards count the games they finish."""

from __future__ import annotations

from inarow.engine.board import DRAWN, FIRST_WON, STATE, Board
from inarow.engine.jit import inline
from inarow.engine.tables import Int64s
from inarow.learn.learner import DRAWS, GAMES, LAST_LOSS, LOSSES, WINS


@inline
def count_game(board: Board, seat: int, counts: Int64s) -> None:
    """Counts a finished game for the learner in that seat."""
    state = board.counters[STATE]
    won = state == FIRST_WON + seat
    counts[GAMES] += 1
    counts[WINS if won else (DRAWS if state == DRAWN else LOSSES)] += 1
    if not won and state != DRAWN:
        counts[LAST_LOSS] = counts[GAMES]
