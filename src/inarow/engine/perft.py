"""Counting sequences of moves to a depth: the classical check of a move generator."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inarow.engine.board import GOING_ON, OPEN, STATE, Board, clear, new_board, place, undo
from inarow.engine.jit import jit
from inarow.engine.tables import Int32s, Int64s, Tables, tables_of
from inarow.game import Game, InputError, Position


def perft(
    game: Game, depth: int, progress: Callable[[float], None] = lambda share: None
) -> list[int]:
    """How many sequences of 1, 2, ... `depth` moves there are. Finished games go no further.

    Compiled code comes back after every opening of two moves, to be watched or stopped.
    """
    if depth < 1:
        raise InputError(f"depth {depth} is too small: count at least 1 move")
    depth = min(depth, game.cells)
    tables = tables_of(game)
    board, nodes = new_board(tables), np.zeros(depth, dtype=np.int64)
    openings = _openings(game, min(2, depth - 1))
    for done, opening in enumerate(openings, start=1):
        tried = np.zeros(depth - len(opening), dtype=np.int32)
        _count(tables, board, opening, tried, nodes[len(opening) :])
        progress(done / len(openings))
    counts = [int(n) for n in nodes]
    for ply in range(min(2, depth - 1)):
        counts[ply] = len(_openings(game, ply + 1))
    return counts


def _openings(game: Game, plies: int) -> list[Int32s]:
    """All sequences of so many moves, as cells, found on the plain board."""
    position, openings = Position(game), list[Int32s]()

    def extend(cells: list[int]) -> None:
        if len(cells) == plies:
            openings.append(np.array(cells, dtype=np.int32))
            return
        for move in position.legal_moves:
            cell = position.cell_of(move)
            position.push(move)
            extend([*cells, cell])
            position.pop()

    extend([])
    return openings


@jit
def _count(tables: Tables, board: Board, opening: Int32s, tried: Int32s, nodes: Int64s) -> None:
    """Walks all sequences after an opening, depth first.

    `tried[d]` playable cells were tried after d moves. The last move is counted and not made:
    there are as many as playable cells.
    """
    clear(tables, board)
    for cell in opening:
        place(tables, board, cell)
    if board.counters[STATE] != GOING_ON:
        return
    level, last = 0, len(nodes) - 1
    nodes[0] += board.counters[OPEN]
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
