"""What is counted for the Connect Four paper: games that end as in Figure 1, lines, tuples."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from statistics import mean

import numpy as np

from inarow.engine.board import tables_of
from inarow.engine.streams import LEARNER, make_stream
from inarow.game import Game, Position
from inarow.game import game as game_of
from inarow.learn.ntuple.network import draw_tuples
from inarow.search.minimax import ORDERS, Searcher


def games_like(shown: Sequence[str], deepest: int) -> dict[str, int]:
    """Play all games between agents of all depths and orders, and look for a board at the end.

    The paper does not say which agents play in Figure 1. An end may be its mirror image.
    """
    game = Game((6, 7), 4, gravity=True)
    depths = range(1, deepest + 1)
    agents = [Searcher(tables_of(game), depth, order) for depth in depths for order in ORDERS]
    rows = [[int(cell) for cell in row.replace(".", "0")] for row in reversed(shown)]
    ends = [np.ravel(rows).tolist(), np.fliplr(rows).ravel().tolist()]
    moves, games, same_end, same_length = int(np.count_nonzero(rows)), 0, 0, 0
    for pair in product(agents, agents):
        position = Position(game)
        while position.outcome is None:
            stones = np.array(position.stones, dtype=np.int8)
            position.push(pair[position.ply % 2].run(stones).move)
        games += 1
        same_end += list(position.stones) in ends
        same_length += (position.ply, position.outcome.winner) == (moves, 2)
    return {
        "deepest": deepest,
        "orders": len(ORDERS),
        "games": games,
        "same_end": same_end,
        "same_length_and_winner": same_length,
    }


def lines_won(shown: Sequence[str]) -> int:
    """Count lines of four of the second player on a board, less those of the first."""
    game = Game((6, 7), 4, gravity=True)
    rows = [[int(cell) for cell in row.replace(".", "0")] for row in reversed(shown)]
    lines = np.ravel(rows)[game.lines]
    return int((lines == 2).all(axis=1).sum() - (lines == 1).all(axis=1).sum())


def coverage(game: Game, tuples: Sequence[Sequence[int]]) -> tuple[float, float, float]:
    """Return how much of the lines and cells tuples cover.

    The share of lines that a tuple or its image holds whole, how many do on the average, and how
    many hold the cell that fewest hold.
    """
    images = [{int(image[c]) for c in cells} for cells in tuples for image in game.symmetries]
    whole = [sum(set(line) <= cells for cells in images) for line in game.lines.tolist()]
    cells = [sum(cell in image for image in images) for cell in range(game.cells)]
    return mean(count > 0 for count in whole), mean(whole), min(cells)


@lru_cache
def coverage_of(game: str, number: int, length: int, seed: int) -> tuple[float, float, float]:
    """Return what the tuples drawn with a seed cover: the numbers of `coverage`."""
    board = game_of(game)
    return coverage(
        board, draw_tuples(board, number, length, make_stream(seed, LEARNER, 1)).tolist()
    )
