"""What is exact about the hybrid paper's games: positions counted, boards solved."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from inarow.engine.board import FIRST_WON, SECOND_WON
from inarow.game import game as game_of
from inarow.graph.graph import graph_of, values_of
from inarow.search.perfect import solve


def positions(game: str) -> int:
    """Return the number of positions that can be reached."""
    return graph_of(game_of(game)).positions


def fillings(game: str) -> int:
    """Return the number of ways to fill the board with stones of both sides, or none."""
    return int(3 ** game_of(game).cells)


@cache
def positions_without_ends(game: str) -> int:
    """Count what could be reached if a game went on after a line: an upper bound of `positions`."""
    rows, columns = game_of(game).shape
    empty: tuple[tuple[int, ...], ...] = ((),) * columns  # a board is its columns, each from below
    last, found = {empty}, 1
    for ply in range(rows * columns):
        last = {
            (*board[:place], (*board[place], ply % 2), *board[place + 1 :])
            for board in last
            for place in range(columns)
            if len(board[place]) < rows
        }
        found += len(last)
    return found


def game_value(game: str) -> int:
    """Return 1 if the first player wins against perfect play, -1 if it loses, 0 for a draw."""
    return int(values_of(graph_of(game_of(game))).value[0])


@cache
def solved_value(game: str) -> int:
    """Return the value of a game by search, where a board is too large to be enumerated."""
    return solve(game).value


def drawing_openings() -> int:
    """Count the first moves of tic-tac-toe after which perfect play draws."""
    graph = graph_of(game_of("tictactoe"))
    children = graph.child[: graph.edge_start[1]]
    return int((values_of(graph).value[children] == 0).sum())


def won_ratio() -> float:
    """Return final positions of tic-tac-toe won by the first player, for one won by the second."""
    state = graph_of(game_of("tictactoe")).state
    return float((state == FIRST_WON).sum() / (state == SECOND_WON).sum())


def values_of_moves(stones: Sequence[int]) -> dict[int, int]:
    """Return what each move on a board of tic-tac-toe is worth to the player who moved first."""
    graph = graph_of(game_of("tictactoe"))
    value = values_of(graph).value
    first, second = (sum(1 << cell for cell, at in enumerate(stones) if at == s) for s in (1, 2))
    (number,) = np.flatnonzero((graph.first == first) & (graph.second == second))
    edges = range(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
    return {int(graph.move[edge]): int(value[graph.child[edge]]) for edge in edges}


def losing_moves(stones: Sequence[int]) -> set[int]:
    """Return the second player's moves that lose against perfect play."""
    return {move for move, value in values_of_moves(stones).items() if value > 0}
