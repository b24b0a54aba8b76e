"""Whether a game is far too large to be enumerated, found out in a moment.

Of all ways to lay so many stones on the board, some are positions of play: no line is complete,
and taking stones back in turn, from the top where they fall, leads to the empty board. How many
there are in all is counted; what share of them are positions is sampled.
"""

from __future__ import annotations

import math
import random
from functools import lru_cache

import numpy as np

from inarow.game import Game

SAMPLES = 200  # of each number of stones
SURE = 1e-12  # how likely it may be that the share is lower than is said here
STEPS = 300  # of taking stones back, after which a sample does not count


@lru_cache(maxsize=64)
def positions_at_least(game: Game) -> int:
    """A number of positions that a game has, all but certainly; often far below the true one."""
    most = 0
    for quarter in (1, 2, 3):
        stones = game.cells * quarter // 4
        ways = _fillings(game)[0][stones] if game.gravity else math.comb(game.cells, stones)
        choose = random.Random(f"{game.name} {stones}")
        found = sum(_is_position(game, _sample(game, stones, choose)) for _ in range(SAMPLES))
        colours = math.comb(stones, stones // 2)
        most = max(most, int(ways * colours * _share_at_least(found)))
    return most


def _share_at_least(found: int) -> float:
    """A lower bound on a share of which so many samples were found (Hoeffding's inequality)."""
    return max(0.0, found / SAMPLES - math.sqrt(math.log(1 / SURE) / (2 * SAMPLES)))


@lru_cache(maxsize=16)
def _fillings(game: Game) -> list[list[int]]:
    """[columns + 1][stones] ways to fill the columns from each on with so many stones."""
    height = game.cells // game.columns
    ways = [[1] + [0] * game.cells]
    for _ in range(game.columns):
        after = ways[0]
        ways.insert(0, [sum(after[max(0, n - height) : n + 1]) for n in range(game.cells + 1)])
    return ways


def _sample(game: Game, stones: int, choose: random.Random) -> list[int]:
    """Stones laid at random, every way as likely: what lies on each cell."""
    if game.gravity:
        cells, left, ways = list[int](), stones, _fillings(game)
        for column in range(game.columns):
            after = ways[column + 1]
            heights = range(min(left, game.cells // game.columns) + 1)
            height = choose.choices(heights, [after[left - h] for h in heights])[0]
            cells += [column + game.columns * level for level in range(height)]
            left -= height
    else:
        cells = choose.sample(range(game.cells), stones)
    firsts = set(choose.sample(cells, stones - stones // 2))
    board = [0] * game.cells
    for cell in cells:
        board[cell] = 1 if cell in firsts else 2
    return board


def _is_position(game: Game, board: list[int]) -> bool:
    """Whether stones are a position of play that goes on, as far as that is found out soon."""
    if not game.scoring:
        lines = np.array(board)[game.lines]
        if ((lines == lines[:, :1]) & (lines > 0)).all(axis=1).any():
            return False
    if not game.gravity:
        return True
    columns = [board[column :: game.columns] for column in range(game.columns)]
    return _can_be_taken_back([[s for s in column if s] for column in columns])


def _can_be_taken_back(columns: list[list[int]]) -> bool:
    """Whether stones can be taken from the tops of columns in turn, until none is left."""
    seen = set[tuple[int, ...]]()

    def take(left: int) -> bool:
        heights = tuple(map(len, columns))
        if left == 0:
            return True
        if heights in seen or len(seen) > STEPS:
            return False
        seen.add(heights)
        mover = 2 - left % 2
        for column in columns:
            if column and column[-1] == mover:
                column.pop()
                if take(left - 1):
                    return True
                column.append(mover)
        return False

    return take(sum(map(len, columns)))
