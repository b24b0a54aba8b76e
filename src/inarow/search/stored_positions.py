"""Files of positions with a byte for each: opening books, replies, strategies; keys of positions.

In a Connect-4-like game the key of a position is own stones plus all stones, a column after
another, each with a bit to spare on top. So a column of n stones is a number from 2^n - 1 to
2^(n+1) - 2. Anybody may have made a file, and what is read from it reaches compiled searches: so
every key has stones that lie on each other, as many of either side as a game has.
"""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Words
from inarow.game import Game, Position
from inarow.game import game as game_of
from inarow.game.files import read_whole, write_whole
from inarow.search.solver import is_planar

Bytes = npt.NDArray[np.uint8]
MAX_KEYS = 20_000_000
MEMORY = 2**28  # bytes that unpacking may take
ONE = np.uint64(1)


class Keyed(NamedTuple):
    """The content of a keyed file."""

    game: Game
    numbers: list[int]  # between the game's name and the number of keys
    keys: Words
    data: Bytes  # one for each key
    every: Words  # all stones of each position


def write_keyed(
    path: Path, magic: bytes, head: str, keys: Words, data: Bytes | npt.NDArray[np.int8]
) -> None:
    """Write a file: aside first, then renamed, so that nothing half-written is ever there."""
    packed = pack_columns([np.diff(keys, prepend=np.uint64(0))], data)
    write_whole(path, magic + f"{head} {len(keys)}\n".encode() + packed)


def read_keyed(path: Path, magic: bytes) -> Keyed:
    """Read a file; OSError, ValueError or LZMAError for anything else."""
    start, head, packed = read_whole(path).split(b"\n", 2)
    name, *texts = head.decode().split()
    if start + b"\n" != magic or any(len(text) > 9 for text in texts):
        raise ValueError("it begins in another way")
    *numbers, size = map(int, texts)
    game = game_of(name)
    if not is_planar(game) or not 0 <= size <= MAX_KEYS:
        raise ValueError("there are no such files")
    (gaps,), data = unpack_columns(packed, 1, size)
    keys = np.cumsum(gaps, dtype=np.uint64)
    return Keyed(game, numbers, keys, data, check_keys(game, keys))


def pack_columns(columns: Sequence[Words], data: Bytes | npt.NDArray[np.int8]) -> bytes:
    """Compress columns of words of one length, and a byte for each row.

    One byte of every word after another: the high ones are often alike and pack to nothing.
    """
    planes = [words.astype("<u8").view(np.uint8).reshape(-1, 8).T.tobytes() for words in columns]
    return lzma.compress(b"".join(planes) + data.tobytes(), preset=9)


def unpack_columns(packed: bytes, columns: int, size: int) -> tuple[list[Words], Bytes]:
    """Return what `pack_columns` was given; ValueError where the length is another."""
    unpacking, length = lzma.LZMADecompressor(memlimit=MEMORY), (8 * columns + 1) * size
    content = np.frombuffer(unpacking.decompress(packed, length + 1), dtype=np.uint8)
    if len(content) != length or not unpacking.eof or unpacking.unused_data:
        raise ValueError("its length is another")
    planes = content[: 8 * columns * size].reshape(columns, 8, size)
    rows = [np.ascontiguousarray(plane.T) for plane in planes]
    words = [row.view("<u8").ravel().astype(np.uint64) for row in rows]
    return words, content[8 * columns * size :].copy()


def shipped_file(game: Game, suffix: str) -> Path | None:
    """Return the file of a game that comes with the package, if there is one."""
    name = game.name.replace(":", "-") + suffix
    path = Path(str(files("inarow.search").joinpath(name)))
    return path if path.is_file() else None


def key_of(position: Position) -> int:
    """Return the key of a position: own stones plus all stones, a column after another."""
    game, own, every = position.game, 0, 0
    for cell, stone in enumerate(position.stones):
        if stone:
            height, column = divmod(cell, game.columns)
            bit = 1 << (column * (game.shape[0] + 1) + height)
            every |= bit
            own |= bit if stone == position.to_move else 0
    return own + every


def mirrored_key(game: Game, key: int) -> int:
    """Return the key of the mirror image: the columns the other way round."""
    height, mirrored = game.shape[0] + 1, 0
    for _ in range(game.columns):
        mirrored = (mirrored << height) | (key & ((1 << height) - 1))
        key >>= height
    return mirrored


def lower_key(position: Position) -> tuple[int, bool]:
    """Return the lower key of a position and its mirror image, and whether it is the image's."""
    key = key_of(position)
    image = mirrored_key(position.game, key)
    return min(key, image), image < key


def words_of_key(game: Game, key: int) -> tuple[np.uint64, np.uint64]:
    """Return own stones and all stones of a key: a column of n stones lies from 2^n - 1 on."""
    height, own, every = game.shape[0] + 1, 0, 0
    for column in range(game.columns):
        part = (key >> (column * height)) & ((1 << height) - 1)
        stones = (1 << ((part + 1).bit_length() - 1)) - 1
        every |= stones << (column * height)
        own |= (part - stones) << (column * height)
    return np.uint64(own), np.uint64(every)


def check_keys(game: Game, keys: Words) -> Words:
    """Return all stones of each position; ValueError where a key is none."""
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
