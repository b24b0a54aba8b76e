"""Proves a stored strategy, and shares no code with the searches that made it.

A strategy is a list of positions with the first player, X, to move, and a move for each. It wins
if the empty board is among them, and if in every one of them, once X has made the stored move, X
has an answer to whatever O does:

    X completes a line, or the position that O's reply leads to is stored again (or a symmetric
    one is), or X wins it by threats, or X must block, and then has an answer to every reply again.

Why that is enough: the positions are looked at one by one, and each relies only on stored
positions with more stones. So none relies on itself; a full board counts as a failure; and from
the last stones back to the empty board every position in the list is won.

Below, x and o are the stones of the players, one bit for each cell.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Int64s, Words
from inarow.engine.jit import jit
from inarow.game import Game, InputError

Cells = npt.NDArray[np.uint8]
Word = np.uint64
ZERO, ONE = Word(0), Word(1)
FAILED_BITS = 20


class Checked(NamedTuple):
    """What a check looked at."""

    positions: int  # stored positions, each with its move
    replies: int  # replies to these moves, and to the blocks that follow
    completed: int  # of them: X completes a line
    stored: int  # a stored position again
    by_threats: int  # X wins by threats
    blocked: int  # X blocks, and every reply to that is among the replies too

    def sentences(self, game: Game) -> list[str]:
        """What is proved, and what was looked at for it."""
        return [
            f"Proven: the first player wins {game.name} against every defence.",
            f"{self.positions:,} stored positions, {self.replies:,} replies to their moves: "
            f"{self.completed:,} let a line be completed, {self.stored:,} lead to a stored "
            f"position, {self.by_threats:,} lose to threats, {self.blocked:,} are blocked and "
            "followed up.",
        ]


def lines_of(shape: tuple[int, ...], k: int) -> list[int]:
    """Every k cells in a row, as bits: from each cell in each direction that stays on the board."""
    cells = list(product(*map(range, shape)))
    number = {cell: place for place, cell in enumerate(cells)}
    lines = set()
    for cell, step in product(cells, product((-1, 0, 1), repeat=len(shape))):
        row = [tuple(c + n * s for c, s in zip(cell, step, strict=True)) for n in range(k)]
        if any(step) and all(place in number for place in row):
            lines.add(sum(1 << number[place] for place in row))
    return sorted(lines)


def images_of(game: Game, lines: list[int], words: Words) -> Words:
    """Each position under each symmetry of the game; that they are symmetries is checked."""
    images = np.zeros((len(game.symmetries), len(words)), dtype=np.uint64)
    for number, symmetry in enumerate(game.symmetries.tolist()):
        moved = {sum(1 << symmetry[c] for c in range(game.cells) if m >> c & 1) for m in lines}
        if sorted(symmetry) != list(range(game.cells)) or moved != set(lines):
            raise InputError(f"symmetry {number} of {game.name} does not keep its lines")
        for cell, goes_to in enumerate(symmetry):
            images[number] |= ((words >> Word(cell)) & ONE) << Word(goes_to)
    return images.ravel()


@jit
def completing(lines: Words, own: np.uint64, other: np.uint64) -> np.uint64:
    """The empty cells where one more stone of its own gives a side a line."""
    cells = ZERO
    for line in lines:
        missing = line & ~own
        if line & other == ZERO and missing & (missing - ONE) == ZERO:
            cells |= missing
    return cells


@jit
def is_stored(stored: Words, x: np.uint64, o: np.uint64) -> bool:
    """Return whether a position is in the list of all images, which ascends."""
    low, high = 0, len(stored)
    while low < high:
        middle = (low + high) // 2
        if stored[middle, 0] < x or (stored[middle, 0] == x and stored[middle, 1] < o):
            low = middle + 1
        else:
            high = middle
    return low < len(stored) and stored[low, 0] == x and stored[low, 1] == o


@jit
def wins_by_threats(lines: Words, failed: Words, x: np.uint64, o: np.uint64) -> bool:
    """Return whether X, to move, wins with moves that each leave O one cell to play, if any.

    `failed` remembers positions where that is not so.
    """
    if completing(lines, x, o) != ZERO:
        return True
    must = completing(lines, o, x)  # where O would win
    if must & (must - ONE) != ZERO:
        return False
    mixed = (x * Word(0x9E3779B97F4A7C15) ^ o) * Word(0xD6E8FEB86659FD93)
    place = mixed >> Word(64 - FAILED_BITS)
    if failed[place, 0] == x and failed[place, 1] == o:
        return False
    for line in lines:
        missing = line & ~x
        rest = missing & (missing - ONE)
        if line & o == ZERO and rest != ZERO and rest & (rest - ONE) == ZERO:
            for attack in (rest, missing ^ rest):
                reply = missing ^ attack  # else X completes this line
                allowed = must & ~attack == ZERO
                if allowed and wins_by_threats(lines, failed, x | attack, o | reply):
                    return True
    failed[place, 0], failed[place, 1] = x, o
    return False


@jit
def answers_all(
    board: np.uint64,
    lines: Words,
    stored: Words,
    failed: Words,
    x: np.uint64,
    o: np.uint64,
    counts: Int64s,
) -> bool:
    """Return whether X has an answer to every reply of O, who is to move."""
    free = board & ~(x | o)
    if free == ZERO or completing(lines, o, x) != ZERO:
        return False
    while free != ZERO:
        reply = free & (ZERO - free)
        free ^= reply
        after = o | reply
        counts[0] += 1
        if completing(lines, x, after) != ZERO:
            counts[1] += 1
        elif is_stored(stored, x, after):
            counts[2] += 1
        elif wins_by_threats(lines, failed, x, after):
            counts[3] += 1
        else:
            block = completing(lines, after, x)
            if block == ZERO or block & (block - ONE) != ZERO:
                return False
            if not answers_all(board, lines, stored, failed, x | block, after, counts):
                return False
            counts[4] += 1
    return True


def check_strategy(game: Game, firsts: Words, seconds: Words, moves: Cells) -> Checked:
    """Prove that the first player wins with these moves; InputError where it does not."""
    if game != Game(game.shape, game.k) or game.cells > 64:
        raise InputError(
            f"{game.name}: a strategy is for at most 64 cells, where stones do not fall, nothing "
            "wraps around and the first line wins"
        )
    masks = lines_of(game.shape, game.k)
    lines, board = np.array(masks, dtype=np.uint64), Word((1 << game.cells) - 1)
    pairs = np.stack([images_of(game, masks, firsts), images_of(game, masks, seconds)], axis=1)
    stored = np.unique(pairs, axis=0)
    failed, counts = np.zeros((1 << FAILED_BITS, 2), dtype=np.uint64), np.zeros(5, dtype=np.int64)
    if not is_stored(stored, ZERO, ZERO):
        raise InputError("the strategy has no first move")
    for x, o, move in zip(firsts, seconds, moves, strict=True):
        stones, cell = int(x).bit_count() - int(o).bit_count(), ONE << Word(move)
        over = any(m & ~int(x) == 0 or m & ~int(o) == 0 for m in masks)
        if stones or over or x & o or (x | o) & ~board or cell & ~board or cell & (x | o):
            raise InputError(f"position {int(x)}, {int(o)} with move {int(move)} cannot arise")
        if completing(lines, x, o) & cell:
            continue
        if not answers_all(board, lines, stored, failed, x | cell, o, counts):
            raise InputError(f"position {int(x)}, {int(o)}: move {int(move)} is not shown to win")
    return Checked(len(firsts), *map(int, counts))
