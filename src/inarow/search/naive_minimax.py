"""A naive minimax for Connect-4, as the text of the Connect Four paper describes its program.

Alpha-beta with the columns tried from left to right, and at each leaf the utility is counted anew
over all lines of the board. Compiled like everything else, so that against `search.minimax` only
the method differs. It is here to be compared with; no player uses it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.board import Stones
from inarow.engine.jit import jit
from inarow.engine.tables import Int32s, Int64s, Tables, tables_of
from inarow.game import Game, InputError

WIN, THREE, TWO = 9_999_999, 1_000, 100  # utility of a win, of a three and a two that are open
INFINITE = 1 << 40
COLUMN, BEST, BETA = range(3)  # of a node: the column tried now, the best so far, the upper bound


class Program(NamedTuple):
    """The naive program's board."""

    tables: Tables
    lines: Int32s  # [lines, 4] the cells of each line
    stones: Stones
    heights: Int32s  # [columns] stones in each column
    nodes: Int64s  # [depth, 3] the positions on the way to the one being looked at
    counts: Int64s  # [2] positions whose moves were tried, and leaves that were scanned


def new_program(game: Game, depth: int) -> Program:
    """An empty Connect-4 board, with memory for a search of that depth."""
    if game != Game(game.shape, game.k, gravity=True):
        raise InputError(f"the naive minimax plays Connect-4-like games, not {game.name}")
    return Program(
        tables_of(game),
        game.lines,
        np.zeros(game.cells, dtype=np.int8),
        np.zeros(game.columns, dtype=np.int32),
        np.zeros((depth, 3), dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )


def held_bytes(program: Program) -> int:
    """The memory of the program: all it ever allocates."""
    arrays = [program.lines, program.stones, program.heights, program.nodes, *program.tables]
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


@jit
def has_won(program: Program, cell: int, stone: int) -> bool:
    """Whether a stone just put on a cell makes four."""
    tables = program.tables
    for i in range(tables.line_start[cell], tables.line_start[cell + 1]):
        count = 0
        for place in range(tables.k):
            count += program.stones[program.lines[tables.line_at[i], place]] == stone
        if count == tables.k:
            return True
    return False


@jit
def utility(program: Program, stone: int) -> int:
    """Open threes and twos of a side less those of the other, over all lines of the board."""
    total, k = 0, program.tables.k
    for line in range(len(program.lines)):
        own, other = 0, 0
        for place in range(k):
            found = program.stones[program.lines[line, place]]
            own += found == stone
            other += found == 3 - stone
        if other == 0:
            total += THREE * (own == k - 1) + TWO * (own == k - 2)
        elif own == 0:
            total -= THREE * (other == k - 1) + TWO * (other == k - 2)
    return total


@jit
def choose_column(program: Program, depth: int, ply: int) -> int:
    """The first of the best columns.

    The paper's MAXVAL and MINVAL in one loop, values seen by the side to move; row d of `nodes`
    is the position after d moves. (Recursive functions crash when Numba loads them from disk.)
    """
    nodes, columns, cells = program.nodes, program.tables.columns, program.tables.cells
    at, chosen = 0, -1
    nodes[0, COLUMN], nodes[0, BEST], nodes[0, BETA] = -1, -INFINITE, INFINITE
    program.counts[0] += 1
    while True:
        node, stone = nodes[at], 1 + ((ply + at) & 1)
        node[COLUMN] += 1
        if node[COLUMN] == columns or node[BEST] >= node[BETA]:
            if at == 0:
                return chosen
            value, at = -node[BEST], at - 1
        else:
            column = node[COLUMN]
            cell = program.heights[column] * columns + column
            if cell >= cells:
                continue
            program.stones[cell] = stone
            program.heights[column] += 1
            if has_won(program, cell, stone):
                value = WIN - at - 1
            elif ply + at + 1 == cells:
                value = 0
            elif at + 1 == depth:
                value = utility(program, stone)
                program.counts[1] += 1
            else:
                program.counts[0] += 1
                nodes[at + 1, COLUMN], nodes[at + 1, BEST] = -1, -node[BETA]
                nodes[at + 1, BETA] = -node[BEST]
                at += 1
                continue
        column = nodes[at, COLUMN]
        program.heights[column] -= 1
        program.stones[program.heights[column] * columns + column] = 0
        if value > nodes[at, BEST]:
            nodes[at, BEST] = value
            if at == 0:
                chosen = column


def play_column(program: Program, column: int, stone: int) -> None:
    """Puts a stone into a column for good."""
    columns = program.tables.columns
    program.stones[program.heights[column] * columns + column] = stone
    program.heights[column] += 1
