"""Referees: games against minimax or perfect play that say how far a learner is.

The learner moves first and makes no random moves. Perfect play takes any of its best moves, so
its games differ. Minimax always takes the same one: its games begin with a few random moves, by
both sides. (The Connect Four paper, in which learners measure each other, names minimax as a
referee as future work.)
"""

from __future__ import annotations

import numpy as np

from inarow.engine.board import DRAWN, FIRST_WON, OPEN, PLY, STATE, Board, new_board, place
from inarow.engine.contest import CompiledPlayer
from inarow.engine.jit import jit
from inarow.engine.pairs import Entries, Pairing, Sides, begin_pair, choose_next
from inarow.engine.streams import EVALUATION, Stream, below, make_stream
from inarow.engine.tables import Int64s, Tables, tables_of
from inarow.game import InputError
from inarow.lab.evaluate_perfect import play_perfect
from inarow.lab.players import player
from inarow.learn.agent import LearnedAgent

PERFECT = "perfect"
OPENING = 2  # random moves before minimax plays


def referee_score(referee: str, agent: LearnedAgent, games: int, seed: int) -> float:
    """What an agent gets in so many games moving first: win 1, draw 1/2."""
    if referee == PERFECT:
        return play_perfect(agent, games, 0, seed)[0].score * games
    other = player(referee)
    if not isinstance(other, CompiledPlayer):
        raise InputError(f"{referee} cannot be a referee: it must be a compiled player")
    tables, counts = tables_of(agent.game), np.zeros(2, dtype=np.int64)
    board, stream = new_board(tables), make_stream(seed, EVALUATION, 4)
    pair = Pairing(agent.compiled(tables), other.compiled(tables), stream, stream)
    sides = Sides(tables, board, pair)
    play_opened(tables, board, sides.entries, stream, OPENING, games, counts)
    return float(counts[0] + counts[1] / 2)


@jit
def play_opened(
    tables: Tables,
    board: Board,
    entries: Entries,
    stream: Stream,
    opening: int,
    games: int,
    counts: Int64s,
) -> None:
    """Plays games after random openings, and counts those that the first wins, and draws."""
    for _ in range(games):
        begin_pair(tables, board, entries)
        while board.counters[STATE] == 0:
            if board.counters[PLY] < opening:
                cell = board.open_cells[below(stream, board.counters[OPEN])]
            else:
                cell = choose_next(tables, board, entries)
            place(tables, board, cell)
        counts[0] += board.counters[STATE] == FIRST_WON
        counts[1] += board.counters[STATE] == DRAWN
