"""Files of positions by key, with a byte for each: opening books and replies.

A key is own stones plus all stones, a column after another, each with a bit to spare on top. So a
column of n stones is a number from 2^n - 1 to 2^(n+1) - 2. Anybody may have made a file, and what
is read from it reaches compiled searches: so every key has stones that lie on each other, as many
of either side as a game has.
"""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.tables import Words
from inarow.game import Game
from inarow.game import game as game_of
from inarow.game.files import read_whole, write_whole
from inarow.search import bitboard

Bytes = npt.NDArray[np.uint8]
MAX_KEYS = 20_000_000
MEMORY = 2**28  # bytes that unpacking may take
ONE = np.uint64(1)


class Keyed(NamedTuple):
    """What a file holds."""

    game: Game
    numbers: list[int]  # between the game's name and the number of keys
    keys: Words
    data: Bytes  # one for each key
    every: Words  # all stones of each position


def write_keyed(
    path: Path, magic: bytes, head: str, keys: Words, data: Bytes | npt.NDArray[np.int8]
) -> None:
    """Writes a file: aside first, then renamed, so that nothing half-written is ever there."""
    gaps = np.diff(keys, prepend=np.uint64(0))
    # One byte of every gap after another: the high ones are nearly all 0 and pack to nothing.
    planes = np.ascontiguousarray(gaps.astype("<u8").view(np.uint8).reshape(-1, 8).T)
    packed = lzma.compress(planes.tobytes() + data.tobytes(), preset=9)
    write_whole(path, magic + f"{head} {len(keys)}\n".encode() + packed)


def read_keyed(path: Path, magic: bytes) -> Keyed:
    """What a file holds; OSError, ValueError or LZMAError where that is something else."""
    start, head, packed = read_whole(path).split(b"\n", 2)
    name, *texts = head.decode().split()
    if start + b"\n" != magic or any(len(text) > 9 for text in texts):
        raise ValueError("it begins in another way")
    *numbers, size = map(int, texts)
    game = game_of(name)
    if not bitboard.fits(game) or not 0 <= size <= MAX_KEYS:
        raise ValueError("there are no such files")
    unpacking = lzma.LZMADecompressor(memlimit=MEMORY)
    content = unpacking.decompress(packed, 9 * size + 1)
    if len(content) != 9 * size or not unpacking.eof:
        raise ValueError("its length is another")
    data = np.frombuffer(content, dtype=np.uint8)
    gaps = np.ascontiguousarray(data[: 8 * size].reshape(8, size).T).view("<u8").ravel()
    keys = np.cumsum(gaps, dtype=np.uint64)
    return Keyed(game, numbers, keys, data[8 * size :], check_keys(game, keys))


def check_keys(game: Game, keys: Words) -> Words:
    """All stones of each position; ValueError where a key is none. All columns at once."""
    rows, columns, height = game.shape[0], game.columns, game.shape[0] + 1
    bottom = sum(1 << (column * height) for column in range(columns))
    low, whole = bottom * ((1 << rows) - 1), bottom * ((1 << height) - 1)
    if (keys[1:] <= keys[:-1]).any() or (keys & np.uint64(~whole & (2**64 - 1))).any():
        raise ValueError("the keys do not ascend")
    # A column of ones only would have a stone too many, and carry over into the next.
    carried = (keys & np.uint64(low)) + np.uint64(bottom)
    if (carried & keys & np.uint64(bottom << rows)).any():
        raise ValueError("a column has too many stones")
    below = keys + np.uint64(bottom)  # then every bit under a column's highest: its stones
    for step in (1, 2, 4, 8, 16, 32):
        if step < height:
            stay = np.uint64(bottom * ((1 << (height - step)) - 1))
            below |= (below >> np.uint64(step)) & stay
    every = (below >> ONE) & np.uint64(low)
    if (np.bitwise_count(keys - every) != np.bitwise_count(every) // 2).any():
        raise ValueError("the stones are not those of a game")
    return every


def full_columns(game: Game, every: Words) -> Words:
    """The columns without room, a bit for each."""
    full = np.zeros(len(every), dtype=np.uint64)
    for column in range(game.columns):
        top = np.uint64(column * (game.shape[0] + 1) + game.shape[0] - 1)
        full |= ((every >> top) & ONE) << np.uint64(column)
    return full


def is_over(game: Game, own: Words, every: Words) -> npt.NDArray[np.bool_]:
    """Whether somebody has a line, or the board is full."""
    full = np.bitwise_count(every) == game.cells
    return full | _has_line(game, own) | _has_line(game, own ^ every)


def _has_line(game: Game, stones: Words) -> npt.NDArray[np.bool_]:
    """Where there are k stones in a row; the bit on top keeps columns apart."""
    height, found = game.shape[0] + 1, np.zeros(len(stones), dtype=bool)
    for step in (1, height, height - 1, height + 1):
        row = stones
        for number in range(1, game.k):
            row = row & (stones >> np.uint64(min(number * step, 63)))
        found |= row != 0
    return found
