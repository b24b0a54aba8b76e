"""A naive minimax for Connect-4, as the text of the Connect Four paper describes its program.

Alpha-beta with the columns tried from left to right, and at each leaf the utility is counted anew
over all lines of the board. Compiled like everything else, so that against `search.minimax` only
the method differs. It is here to be compared with; no player uses it.

On large boards that takes hours. A program that *keeps* the utility with each stone (`heuristic`)
visits the same positions in minutes: it says how many they are, and nothing of the time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inarow.engine.board import Board, Stones, load, new_board
from inarow.engine.jit import inline, jit
from inarow.engine.tables import Int32s, Int64s, Tables, tables_of
from inarow.game import Game, InputError
from inarow.search.heuristic import WINNING, Lines, load_lines, new_lines, put_stone, take_stone

WIN, THREE, TWO = 9_999_999, 1_000, 100  # utility of a win, of a three and a two that are open
INFINITE = 1 << 40
UNKNOWN = 1 << 41  # the value of a position whose moves have to be tried
# Of a node: the column tried now, the best so far, the upper bound, the utility if it is kept.
COLUMN, BEST, BETA, SCORE = range(4)


class Program(NamedTuple):
    """The naive program's board."""

    tables: Tables
    lines: Int32s  # [lines, 4] the cells of each line
    stones: Stones
    heights: Int32s  # [columns] stones in each column
    nodes: Int64s  # [depth, 4] the positions on the way to the one being looked at
    counts: Int64s  # [2] positions whose moves were tried, and leaves
    keeps: bool  # whether the utility is kept with each stone, not counted at leaves
    board: Board  # from which it begins, if it is kept
    kept: Lines


def new_program(game: Game, depth: int, keeps: bool = False) -> Program:
    """An empty Connect-4 board, with memory for a search of that depth."""
    if game != Game(game.shape, game.k, gravity=True):
        raise InputError(f"the naive minimax plays Connect-4-like games, not {game.name}")
    tables = tables_of(game)
    return Program(
        tables,
        game.lines,
        np.zeros(game.cells, dtype=np.int8),
        np.zeros(game.columns, dtype=np.int32),
        np.zeros((depth, 4), dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        keeps,
        new_board(tables),
        new_lines(tables),
    )


def held_bytes(program: Program) -> int:
    """The memory of the program that keeps nothing: all it ever allocates."""
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


@inline
def scanned(program: Program, at: int, depth: int, left: int, cell: int, stone: int) -> int:
    """The value of a move for its side, found on the board; UNKNOWN before the horizon."""
    value = UNKNOWN
    program.stones[cell] = stone
    if has_won(program, cell, stone):
        value = WIN - at - 1
    elif left == 1:
        value = 0
    elif at + 1 == depth:
        value = utility(program, stone)
        program.counts[1] += 1
    program.stones[cell] = 0
    return value


@inline
def read_off(program: Program, at: int, depth: int, left: int, cell: int, stone: int) -> int:
    """The same, from what is kept."""
    gain = program.kept.gains[cell, stone - 1]
    if gain >= WINNING:
        return WIN - at - 1
    if left == 1:
        return 0
    if at + 1 < depth:
        return UNKNOWN
    program.counts[1] += 1
    return program.nodes[at, SCORE] + gain


@jit
def choose_column(program: Program, depth: int, ply: int) -> int:
    """The first of the best columns.

    The paper's MAXVAL and MINVAL in one loop, values seen by the side to move; row d of `nodes`
    is the position after d moves. (Recursive functions crash when Numba loads them from disk.)
    """
    tables, nodes, counts = program.tables, program.nodes, program.counts
    at, chosen = 0, -1
    nodes[0, COLUMN], nodes[0, BEST], nodes[0, BETA] = -1, -INFINITE, INFINITE
    if program.keeps:
        load(tables, program.board, program.stones)
        nodes[0, SCORE] = load_lines(tables, program.board, program.kept)
    counts[0] += 1
    while True:
        node, stone = nodes[at], 1 + ((ply + at) & 1)
        node[COLUMN] += 1
        if node[COLUMN] == tables.columns or node[BEST] >= node[BETA]:
            if at == 0:
                return chosen
            value, at = -node[BEST], at - 1
            take_out(program, nodes[at, COLUMN], 3 - stone)
        else:
            column = node[COLUMN]
            cell, left = program.heights[column] * tables.columns + column, tables.cells - ply - at
            if cell >= tables.cells:
                continue
            if program.keeps:
                value = read_off(program, at, depth, left, cell, stone)
            else:
                value = scanned(program, at, depth, left, cell, stone)
            if value == UNKNOWN:
                after = nodes[at + 1]
                after[COLUMN], after[BEST], after[BETA] = -1, -node[BETA], -node[BEST]
                after[SCORE] = -node[SCORE] - program.kept.gains[cell, stone - 1]
                put_in(program, column, stone)
                counts[0] += 1
                at += 1
                continue
        if value > nodes[at, BEST]:
            nodes[at, BEST] = value
            if at == 0:
                chosen = nodes[0, COLUMN]


@inline
def put_in(program: Program, column: int, stone: int) -> None:
    """Puts a stone into a column."""
    cell = program.heights[column] * program.tables.columns + column
    program.stones[cell] = stone
    program.heights[column] += 1
    if program.keeps:
        put_stone(program.tables, program.kept, cell, stone - 1)


@inline
def take_out(program: Program, column: int, stone: int) -> None:
    """Takes the last stone out of a column."""
    program.heights[column] -= 1
    cell = program.heights[column] * program.tables.columns + column
    program.stones[cell] = 0
    if program.keeps:
        take_stone(program.tables, program.kept, cell, stone - 1)


@jit
def scan(program: Program, times: int) -> int:
    """Counts the utility so many times, for the clock: what a leaf takes."""
    total = 0
    for number in range(times):
        total += utility(program, 1 + (number & 1))
    return total


def play_column(program: Program, column: int, stone: int) -> None:
    """Puts a stone into a column for good."""
    columns = program.tables.columns
    program.stones[program.heights[column] * columns + column] = stone
    program.heights[column] += 1
