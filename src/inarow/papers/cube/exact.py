"""What is counted of the cube: a lower bound on its states by sampling, lines, sizes of layers.

All ways to fill columns to some height, the first player having as many stones as the second or
one more, are counted exactly. Of these some are drawn, each as likely as any other. One is a state
of the game if it has no line and its stones can be laid in turns, from below: an order is searched
for, so that what is found is proven, and what is not may only have been missed.
"""

from __future__ import annotations

from math import comb

import numpy as np
import numpy.typing as npt

from inarow.game import game as game_of
from inarow.learn.mlp.network import network_of
from inarow.papers.measures import ResultRow

COLUMNS, HEIGHT = 16, 4
TRIES = 20  # orders that are tried for a position
CHUNK = 20_000  # positions drawn at a time
Ints = npt.NDArray[np.int64]


def profiles() -> list[list[int]]:
    """Return [columns, stones]: in how many ways so many columns hold so many stones."""
    ways = [[1] + [0] * COLUMNS * HEIGHT]
    for _ in range(COLUMNS):
        last = ways[-1]
        ways.append([sum(last[max(0, n - HEIGHT) : n + 1]) for n in range(COLUMNS * HEIGHT + 1)])
    return ways


def fillings() -> list[int]:
    """Return, by stones, the ways to fill the columns with stones of both sides, lines or not."""
    return [ways * comb(n, n // 2) for n, ways in enumerate(profiles()[-1])]


def draw(count: int, random: np.random.Generator) -> npt.NDArray[np.int8]:
    """Return [count, columns, height]: fillings, each as likely; 1, 2 are stones, 0 is empty."""
    ways, filled = profiles(), np.array(fillings(), dtype=np.float64)
    stones = random.choice(len(filled), count, p=filled / filled.sum())
    boards, left = np.zeros((count, COLUMNS, HEIGHT), dtype=np.int8), stones.copy()
    levels = np.arange(HEIGHT)
    occupied = np.zeros((count, COLUMNS, HEIGHT), dtype=bool)
    for column in range(COLUMNS - 1, -1, -1):
        rest = np.array(ways[column], dtype=np.float64)
        at = left[:, None] - np.arange(HEIGHT + 1)
        chances = np.where(at >= 0, rest[np.maximum(at, 0)], 0.0).cumsum(axis=1)
        heights = (random.random(count)[:, None] * chances[:, -1:] >= chances).sum(axis=1)
        occupied[:, column] = levels < heights[:, None]
        left -= heights
    for board, full, number in zip(boards, occupied, stones, strict=True):
        colours = np.repeat(np.array([1, 2], np.int8), [number - number // 2, number // 2])
        board[full] = random.permutation(colours)
    return boards


def without_lines(boards: npt.NDArray[np.int8]) -> npt.NDArray[np.bool_]:
    """Return which of the fillings have no line of one side."""
    game = game_of("cube")
    cells = boards.transpose(0, 2, 1).reshape(len(boards), -1)  # the lowest layer first
    lined = cells[:, game.lines]  # [boards, lines, 4]
    alike = (lined == lined[..., :1]).all(axis=2) & (lined[..., 0] > 0)
    return np.asarray(~alike.any(axis=1))


def can_be_laid(board: npt.NDArray[np.int8], random: np.random.Generator) -> bool:
    """Return whether an order was found in which both sides lay their stones in turns."""
    columns = [[int(stone) for stone in column if stone] for column in board]
    for _ in range(TRIES):
        next_stone, side, laid = [0] * COLUMNS, 1, 0
        total = sum(map(len, columns))
        while laid < total:
            open_columns = [
                c for c, stones in enumerate(columns)
                if next_stone[c] < len(stones) and stones[next_stone[c]] == side
            ]  # fmt: skip
            if not open_columns:
                break
            # High columns are the hardest to lay: those with most stones left first, mostly.
            weights = [len(columns[c]) - next_stone[c] + random.random() for c in open_columns]
            chosen = open_columns[int(np.argmax(weights))]
            next_stone[chosen] += 1
            side, laid = 3 - side, laid + 1
        if laid == total:
            return True
    return False


def estimate(samples: int, seed: int = 0) -> ResultRow:
    """Count the fillings drawn that are states, and all fillings."""
    random = np.random.default_rng(seed)
    free = found = 0
    for start in range(0, samples, CHUNK):
        boards = draw(min(CHUNK, samples - start), random)
        chosen = boards[without_lines(boards)]
        free += len(chosen)
        found += sum(can_be_laid(board, random) for board in chosen)
    return {
        "fillings": float(sum(fillings())), "samples": samples, "without_lines": free,
        "states": found, "seed": seed,
    }  # fmt: skip


def layers(name: str) -> str:
    """Return the sizes of a network's layers, as Table I writes them."""
    game = game_of("cube")
    hidden = network_of(game, name).hidden
    units = [layer.units * (len(game.lines) if layer.lines else 1) for layer in hidden]
    return "-".join(map(str, (game.cells, *units, 1)))


def lines_across(dimensions: int) -> int:
    """Count the lines of the cube that change so many coordinates along them."""
    coordinates = np.stack(np.unravel_index(game_of("cube").lines, (4, 4, 4)))
    return int(((np.ptp(coordinates, axis=2) > 0).sum(axis=0) == dimensions).sum())
