"""A proof in a page: the independent checker of a stored strategy, in pieces.

What `search.check_strategy` does in Python around its compiled functions is compiled here, since
a page has no Python: that symmetries keep the lines, all images of the stored positions in
order, that each position can arise, and then the replies to each stored move.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from inarow.engine.board import Int64s, Words, new_board, tables_of
from inarow.engine.jit import inline, jit
from inarow.game import Game, InputError
from inarow.search.check_strategy import (
    FAILED_BITS,
    ONE,
    ZERO,
    Cells,
    Word,
    answers_all,
    completing,
    is_stored,
    lines_of,
)
from inarow.search.strategy import shipped_strategy
from inarow.web.entries import Arguments, Entry

NOTHING = Word(2**64 - 1)  # where an image that occurs twice is left out: no position
REPLIES, COMPLETED, STORED, THREATS, BLOCKED = range(5)  # of `counts`


class Proof(NamedTuple):
    """A stored strategy, and room for its check."""

    board: np.uint64  # every cell
    lines: Words
    symmetries: Cells  # [symmetries, cells] where each cell goes
    firsts: Words  # the stored positions, with the first player to move
    seconds: Words
    moves: Cells
    stored: Words  # [symmetries * positions, 2] all images, in order
    failed: Words  # [2**FAILED_BITS, 2]
    counts: Int64s  # [5]
    found: Int64s  # [1] the position where the check fails, or -1


@inline
def _turned(proof: Proof, symmetry: int, cells: np.uint64) -> np.uint64:
    """Cells under a symmetry."""
    turned = ZERO
    for cell in range(proof.symmetries.shape[1]):
        turned |= ((cells >> Word(cell)) & ONE) << Word(proof.symmetries[symmetry, cell])
    return turned


@jit
def symmetries(proof: Proof) -> np.int64:
    """Whether every symmetry takes each cell to another one, and each line to a line."""
    for symmetry in range(len(proof.symmetries)):
        if _turned(proof, symmetry, proof.board) != proof.board:
            return np.int64(0)
        for line in proof.lines:
            turned, is_line = _turned(proof, symmetry, line), False
            for other in proof.lines:
                is_line |= turned == other
            if not is_line:
                return np.int64(0)
    return np.int64(1)


@jit
def images(proof: Proof, start: int, end: int) -> np.int64:
    """Writes all images of the positions from `start` to before `end`."""
    number = len(proof.symmetries)
    for position in range(start, end):
        for symmetry in range(number):
            at = position * number + symmetry
            proof.stored[at, 0] = _turned(proof, symmetry, proof.firsts[position])
            proof.stored[at, 1] = _turned(proof, symmetry, proof.seconds[position])
    return np.int64(end)


@inline
def _is_before(stored: Words, one: int, other: int) -> bool:
    first, second = stored[one, 0], stored[other, 0]
    before: bool = first < second or (first == second and stored[one, 1] < stored[other, 1])
    return before


@inline
def _swap(stored: Words, one: int, other: int) -> None:
    for word in range(2):
        stored[one, word], stored[other, word] = stored[other, word], stored[one, word]


@inline
def _sift(stored: Words, root: int, end: int) -> None:
    """Lets the position at the root of a heap sink to its place."""
    while 2 * root + 1 < end:
        child = 2 * root + 1
        if child + 1 < end and _is_before(stored, child, child + 1):
            child += 1
        if not _is_before(stored, root, child):
            return
        _swap(stored, root, child)
        root = child


@jit
def sort(proof: Proof) -> np.int64:
    """Puts the images in order, each once; returns how many these are."""
    stored, size = proof.stored, len(proof.stored)
    for root in range(size // 2 - 1, -1, -1):
        _sift(stored, root, size)
    for end in range(size - 1, 0, -1):
        _swap(stored, 0, end)
        _sift(stored, 0, end)
    kept = 0
    for at in range(size):
        if at == 0 or stored[at, 0] != stored[kept - 1, 0] or stored[at, 1] != stored[kept - 1, 1]:
            stored[kept, 0], stored[kept, 1] = stored[at, 0], stored[at, 1]
            kept += 1
    for at in range(kept, size):
        stored[at, 0], stored[at, 1] = NOTHING, NOTHING
    return np.int64(kept)


@inline
def _stones(cells: np.uint64) -> int:
    number = 0
    while cells != ZERO:
        cells &= cells - ONE
        number += 1
    return number


@inline
def _can_arise(proof: Proof, x: np.uint64, o: np.uint64, cell: np.uint64) -> bool:
    """Whether a position has the first player to move, no line yet, and the move a free cell."""
    for line in proof.lines:
        if line & ~x == ZERO or line & ~o == ZERO:
            return False
    outside = (x | o | cell) & ~proof.board
    return _stones(x) == _stones(o) and x & o == ZERO and outside == ZERO and cell & (x | o) == ZERO


@jit
def check(proof: Proof, start: int, end: int) -> np.int64:
    """Checks the stored moves from `start` to before `end`; 1 if all are shown to win.

    The list must have the empty board: it has a first move.
    """
    if not is_stored(proof.stored, ZERO, ZERO):
        return np.int64(0)
    for position in range(start, end):
        x, o, cell = proof.firsts[position], proof.seconds[position], ZERO
        proof.found[0] = position
        if proof.moves[position] < 64:
            cell = ONE << Word(proof.moves[position])
        if cell == ZERO or not _can_arise(proof, x, o, cell):
            return np.int64(0)
        if completing(proof.lines, x, o) & cell != ZERO:
            continue
        if not answers_all(
            proof.board, proof.lines, proof.stored, proof.failed, x | cell, o, proof.counts
        ):
            return np.int64(0)
    proof.found[0] = -1
    return np.int64(1)


PROVING: Mapping[str, Entry] = {
    "symmetries": Entry(symmetries, ("proof",)),
    "images": Entry(images, ("proof", "start", "end")),
    "sort": Entry(sort, ("proof",)),
    "check": Entry(check, ("proof", "start", "end")),
}


def proof_arguments(game: Game) -> Arguments:
    """What the entries are called with."""
    strategy = shipped_strategy(game)
    if strategy is None:
        raise InputError(f"no strategy for {game.name} comes with the package")
    tables = tables_of(game)
    number = len(game.symmetries) * len(strategy.firsts)
    return {
        "tables": tables,
        "board": new_board(tables),
        "input": np.zeros(game.cells, dtype=np.int8),
        "move": 0,
        "proof": Proof(
            Word((1 << game.cells) - 1),
            np.array(lines_of(game.shape, game.k), dtype=np.uint64),
            np.ascontiguousarray(game.symmetries, dtype=np.uint8),
            strategy.firsts,
            strategy.seconds,
            strategy.moves,
            np.zeros((number, 2), dtype=np.uint64),
            np.zeros((1 << FAILED_BITS, 2), dtype=np.uint64),
            np.zeros(5, dtype=np.int64),
            np.full(1, -1, dtype=np.int64),
        ),
        "start": 0,
        "end": 0,
    }
