"""Referees: games against minimax or perfect play that say how far a learner is.

The learner moves first and makes no random moves. Perfect play takes any of its best moves, so
its games differ. Minimax always takes the same one: its games begin with a few random moves, by
both sides. (The Connect Four paper, in which learners measure each other, names minimax as a
referee as future work.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inarow.engine.board import DRAWN, FIRST_WON, OPEN, PLY, STATE, Board, clear, new_board, place
from inarow.engine.contest import begin, choose
from inarow.engine.jit import jit
from inarow.engine.streams import EVALUATION, Stream, below, make_stream
from inarow.engine.tables import Int64s, Tables, tables_of
from inarow.lab.evaluate_perfect import play_perfect
from inarow.lab.players import player

PERFECT = "perfect"
OPENING = 2  # random moves before minimax plays


def referee_score(referee: str, agent: Any, games: int, seed: int) -> float:
    """What an agent gets in so many games moving first: win 1, draw 1/2."""
    if referee == PERFECT:
        return play_perfect(agent, games, 0, seed)[0].score * games
    tables, counts = tables_of(agent.game), np.zeros(2, dtype=np.int64)
    play_opened(
        tables, new_board(tables), agent.compiled(tables), player(referee).compiled(tables),
        OPENING, make_stream(seed, EVALUATION, 4), games, counts,
    )  # fmt: skip
    return float(counts[0] + counts[1] / 2)


@jit
def play_opened(
    tables: Tables,
    board: Board,
    first: Any,
    second: Any,
    opening: int,
    stream: Stream,
    games: int,
    counts: Int64s,
) -> None:
    """Plays games after random openings, and counts those that the first wins, and draws."""
    for _ in range(games):
        clear(tables, board)
        begin(first, stream)
        begin(second, stream)
        while board.counters[STATE] == 0:
            ply = board.counters[PLY]
            if ply < opening:
                cell: Any = np.int64(board.open_cells[below(stream, board.counters[OPEN])])
            elif ply & 1 == 0:
                cell = np.int64(choose(tables, board, first, stream))
            else:
                cell = np.int64(choose(tables, board, second, stream))
            place(tables, board, cell)
        counts[0] += board.counters[STATE] == FIRST_WON
        counts[1] += board.counters[STATE] == DRAWN
