"""Counting sequences of moves to a depth: the classical check of a move generator."""

from __future__ import annotations

import numpy as np

from inarow.engine.board import GOING_ON, OPEN, STATE, Board, new_board, place, undo
from inarow.engine.jit import jit
from inarow.engine.tables import Int32s, Int64s, Tables, tables_of
from inarow.game import Game, InputError


def perft(game: Game, depth: int) -> list[int]:
    """How many sequences of 1, 2, ... `depth` moves there are. Finished games go no further."""
    if depth < 1:
        raise InputError(f"depth {depth} is too small: count at least 1 move")
    depth = min(depth, game.cells)
    tables = tables_of(game)
    nodes = np.zeros(depth, dtype=np.int64)
    _count(tables, new_board(tables), np.zeros(depth, dtype=np.int32), nodes)
    return [int(n) for n in nodes]


@jit
def _count(tables: Tables, board: Board, tried: Int32s, nodes: Int64s) -> None:
    """Walks all sequences depth first; `tried[d]` playable cells were tried after d moves.

    The last move is counted and not made: there are as many as playable cells.
    """
    level, last = 0, len(nodes) - 1
    tried[0] = 0
    nodes[0] = board.counters[OPEN]
    if last == 0:
        return
    while True:
        if tried[level] < board.counters[OPEN]:
            cell = board.open_cells[tried[level]]
            tried[level] += 1
            place(tables, board, cell)
            if board.counters[STATE] == GOING_ON:
                level += 1
                nodes[level] += board.counters[OPEN]
                if level < last:
                    tried[level] = 0
                    continue
                level -= 1
            undo(tables, board)
        elif level == 0:
            return
        else:
            level -= 1
            undo(tables, board)
