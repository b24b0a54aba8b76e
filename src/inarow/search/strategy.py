"""A stored strategy: how the first player wins, where stones do not fall.

Three kinds of positions need no stored move: those where a line can be completed, those won by a
threat sequence, and those where the other side threatens to complete a line. What is stored is a
move for each quiet position that the strategy can meet, symmetric ones once. In a position the
strategy plays the first of these that there is:

    a move that completes a line, the stored move, the first move of a threat sequence, the block

`strategy_making` finds a strategy, `strategy_checking` proves one without any of this code.
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from inarow.engine.jit import inline, jit
from inarow.engine.tables import Words
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.game.files import write_whole
from inarow.search.bits import MAX_BITS, ONE, ZERO, Word, lowest, popcount
from inarow.search.masks import Lines, completing, image, lines_of
from inarow.search.threats import FOUND, Threats, find_sequence, new_threats

Bytes = npt.NDArray[np.uint8]
MAGIC = b"inarow strategy 1\n"
MOST_POSITIONS = 1_000_000
MEMORY = 2**26  # bytes that unpacking may take
SEQUENCE_LIMIT = 1_000_000  # nodes of a threat search


def has_strategies(game: Game) -> bool:
    """Whether there can be a strategy for a game."""
    return not game.gravity and not game.scoring and game.cells <= MAX_BITS


@inline
def least_image(
    lines: Lines, first: np.uint64, second: np.uint64
) -> tuple[np.uint64, np.uint64, int]:
    """The smallest image of a position, by the first player's stones, and which one it is."""
    least, other, which = first, second, 0
    for symmetry in range(1, len(lines.images)):
        turned = image(lines, symmetry, first)
        if turned <= least:
            other_turned = image(lines, symmetry, second)
            if turned < least or other_turned < other:
                least, other, which = turned, other_turned, symmetry
    return least, other, which


@jit
def find_move(
    lines: Lines,
    threats: Threats,
    firsts: Words,
    seconds: Words,
    moves: Bytes,
    first: np.uint64,
    second: np.uint64,
) -> np.uint64:
    """The cell that the strategy plays with the first player to move, as a bit; 0 for none."""
    winning = completing(lines, first, second)
    if winning != ZERO:
        return lowest(winning)
    least, other, which = least_image(lines, first, second)
    low, high = 0, len(firsts)
    while low < high:
        middle = (low + high) >> 1
        if firsts[middle] < least or (firsts[middle] == least and seconds[middle] < other):
            low = middle + 1
        else:
            high = middle
    if low < len(firsts) and firsts[low] == least and seconds[low] == other:
        stored = ONE << Word(moves[low])
        for cell in range(lines.cells):
            if image(lines, which, ONE << Word(cell)) == stored:
                return ONE << Word(cell)
    forced = completing(lines, second, first)
    threats.failed[:] = ZERO  # so that the answer is the same whatever was asked before
    if find_sequence(lines, threats, first, second, forced, SEQUENCE_LIMIT) == FOUND:
        return threats.sequence[0]
    return forced if popcount(forced) == ONE else ZERO


@dataclass(frozen=True, eq=False)
class Strategy:
    """Stored moves by position, ascending, each the smallest of its images."""

    game: Game
    firsts: Words  # the first player's stones
    seconds: Words  # the second player's
    moves: Bytes  # the cell to play
    _threats: Threats = field(default_factory=lambda: new_threats(12))
    _lock: Any = field(default_factory=Lock)  # one search at a time: they share memory

    def find(self, position: Position) -> int | None:
        """What the strategy plays in a position that goes on; None where it has no answer.

        An answer wins only in positions that the strategy can meet. Where it answers with a
        stored move or a threat sequence the position is won.
        """
        if position.to_move != 1 or position.outcome is not None:
            return None
        first, second = words_of(position)
        with self._lock:
            move = find_move(
                lines_of(self.game),
                self._threats,
                self.firsts,
                self.seconds,
                self.moves,
                first,
                second,
            )
        return int(move).bit_length() - 1 if move else None


def words_of(position: Position) -> tuple[np.uint64, np.uint64]:
    """The stones of the first and of the second player: cell c is bit c."""
    first, second = (
        sum(1 << cell for cell, stone in enumerate(position.stones) if stone == player)
        for player in (1, 2)
    )
    return np.uint64(first), np.uint64(second)
