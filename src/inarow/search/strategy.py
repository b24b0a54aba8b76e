"""A stored strategy: how the first player wins, where stones do not fall.

Three kinds of positions need no stored move: those where a line can be completed, those won by a
threat sequence, and those where the other side threatens to complete a line. What is stored is a
move for each quiet position that the strategy can meet, symmetric ones once. In a position it
plays the first of these that there is:

    a move that completes a line, the stored move, the first move of a threat sequence, the block

`build_strategy` makes a strategy, `check_strategy` proves one without any of this code. A file is

    inarow strategy 1
    GAME NUMBER
    packed (LZMA): the first player's stones, the second player's, a byte of each word after another
                   (cell c is bit c; each position is the smallest of its images, ascending);
                   then the cells to play, a byte each
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt

from inarow.engine.jit import inline, jit
from inarow.engine.tables import Words
from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.game.files import read_whole, write_whole
from inarow.search.bitboard import ONE, ZERO, Word, lowest, popcount
from inarow.search.masks import Lines, completing, image, is_going_on, lines_of
from inarow.search.prover import is_provable
from inarow.search.threats import FOUND, Threats, find_sequence

Bytes = npt.NDArray[np.uint8]
MAGIC = b"inarow strategy 1"
MOST_POSITIONS = 1_000_000
MEMORY = 2**28  # bytes that unpacking may take
SEQUENCE_LIMIT = 1_000_000  # nodes of a threat search for one position


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
def find_stored(
    lines: Lines,
    firsts: Words,
    seconds: Words,
    moves: Bytes,
    first: np.uint64,
    second: np.uint64,
) -> np.uint64:
    """The move stored for a position or for an image of it, as a bit; 0 for none."""
    least, other, which = least_image(lines, first, second)
    low, high = 0, len(firsts)
    while low < high:
        middle = (low + high) >> 1
        if firsts[middle] < least or (firsts[middle] == least and seconds[middle] < other):
            low = middle + 1
        else:
            high = middle
    if low < len(firsts) and firsts[low] == least and seconds[low] == other:
        for cell in range(lines.cells):
            if image(lines, which, ONE << Word(cell)) == ONE << Word(moves[low]):
                return ONE << Word(cell)
    return ZERO


@jit
def find_quiet(
    lines: Lines, threats: Threats, first: np.uint64, second: np.uint64, found: Words, most: int
) -> int:
    """Tries every reply of the second player; writes what each leads to that threats do not win.

    That is the smallest image of a position (first, second) and 0, with the first player to move;
    or 1 where it had to block and has done so. Returns how many there are, or -1 where the first
    player has no answer, or where there are more than `most`.
    """
    threatened = completing(lines, first, second)
    replies = threatened if threatened != ZERO else lines.board & ~(first | second)
    if completing(lines, second, first) != ZERO or replies == ZERO:
        return -1
    count = 0
    while replies != ZERO:
        reply = lowest(replies)
        replies ^= reply
        after = second | reply
        if completing(lines, first, after) != ZERO:
            continue
        forced = completing(lines, after, first)
        if find_sequence(lines, threats, first, after, forced, SEQUENCE_LIMIT) == FOUND:
            continue
        if popcount(forced) > ONE or count == most:
            return -1
        found[count, 0], found[count, 1], _ = least_image(lines, first | forced, after)
        found[count, 2] = popcount(forced)
        count += 1
    return count


@jit
def is_whole(lines: Lines, firsts: Words, seconds: Words, moves: Bytes) -> bool:
    """Whether these are positions of a strategy: ascending, smallest images, with moves to play."""
    for at in range(len(firsts)):
        first, second = firsts[at], seconds[at]
        least, other, _ = least_image(lines, first, second)
        ascends = at == 0 or firsts[at - 1] < first
        ascends = ascends or (firsts[at - 1] == first and seconds[at - 1] < second)
        if (
            not ascends
            or (first & second) != ZERO
            or popcount(first) != popcount(second)
            or not is_going_on(lines, first, first | second)
            or least != first
            or other != second
            or moves[at] >= lines.cells
            or ((first | second) >> Word(moves[at])) & ONE != ZERO
        ):
            return False
    return True


@dataclass(frozen=True, eq=False)
class Strategy:
    """Stored moves by position, ascending, each position the smallest of its images."""

    game: Game
    firsts: Words  # the first player's stones
    seconds: Words  # the second player's
    moves: Bytes  # the cell to play

    def find(self, first: int, second: int) -> int | None:
        """The move stored for a position with the first player to move, if there is one."""
        lines, stones = lines_of(self.game), (Word(first), Word(second))
        move = find_stored(lines, self.firsts, self.seconds, self.moves, *stones)
        return int(move).bit_length() - 1 if move else None

    def wins(self, threats: Threats, first: int, second: int) -> bool:
        """Whether the strategy has an answer to every move of the second player, who is to move."""
        found = np.zeros((self.game.cells, 3), dtype=np.uint64)
        number = find_quiet(
            lines_of(self.game), threats, Word(first), Word(second), found, self.game.cells
        )
        return number >= 0 and all(
            self.wins(threats, x, o) if blocked else self.find(x, o) is not None
            for x, o, blocked in found[:number].tolist()
        )


def save_strategy(strategy: Strategy, path: Path) -> int:
    """Writes a strategy, whole or not at all; returns the number of bytes."""
    content = b"".join(map(_planes, (strategy.firsts, strategy.seconds)))
    packed = lzma.compress(content + strategy.moves.tobytes(), preset=9)
    head = f"{strategy.game.name} {len(strategy.moves)}".encode()
    whole = MAGIC + b"\n" + head + b"\n" + packed
    write_whole(path, whole)
    return len(whole)


def _planes(words: Words) -> bytes:
    """One byte of every word after another: it packs better."""
    return np.ascontiguousarray(words.astype("<u8").view(np.uint8).reshape(-1, 8).T).tobytes()


def load_strategy(path: Path) -> Strategy:
    """Reads a strategy, or says what is wrong with the file. That it wins is not checked here."""
    try:
        return _read(read_whole(path))
    except (ValueError, lzma.LZMAError):
        raise InputError(f"{path} is not a strategy: `inarow book make` writes one") from None


def _read(content: bytes) -> Strategy:
    start, head, packed = content.split(b"\n", 2)
    name, text = head.decode().split()
    game, size = game_of(name), int(text) if len(text) < 9 else -1
    if start != MAGIC or not 0 <= size <= MOST_POSITIONS or not is_provable(game):
        raise ValueError("there are no such files")
    unpacking = lzma.LZMADecompressor(memlimit=MEMORY)
    data = np.frombuffer(unpacking.decompress(packed, 17 * size + 1), dtype=np.uint8)
    if len(data) != 17 * size or not unpacking.eof or unpacking.unused_data:
        raise ValueError("its length is another")
    planes = data[: 16 * size].reshape(2, 8, size).transpose(0, 2, 1)
    firsts, seconds = np.ascontiguousarray(planes).view("<u8").astype(np.uint64)[..., 0]
    if not is_whole(lines_of(game), firsts, seconds, data[16 * size :]):
        raise ValueError("some of it cannot be")
    return Strategy(game, firsts, seconds, data[16 * size :].copy())


@lru_cache(maxsize=4)
def shipped_strategy(game: Game) -> Strategy | None:
    """The strategy that comes with the package, if there is one for the game."""
    name = f"{game.name.replace(':', '-')}.strategy"
    path = Path(str(files("inarow.search").joinpath(name)))
    return load_strategy(path) if path.is_file() else None
