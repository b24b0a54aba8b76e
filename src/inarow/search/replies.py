"""Replies of perfect play just past the opening book, where finding them takes long.

A book of all positions grows fivefold with every stone. But whoever plays against perfect play
meets only few positions of each ply, since one side always plays a best move. Their best moves fit
into a small file, and then every answer is quick.
`build_replies` says how it is made.
"""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt

from inarow.engine.tables import Words
from inarow.game import Game, InputError, Position
from inarow.search.keyed_files import full_columns, read_keyed, write_keyed
from inarow.search.solver import Solver

MAGIC = b"inarow replies 1\n"
MAX_COLUMNS = 8  # a bit for each column in one byte


@dataclass(frozen=True, eq=False)
class Replies:
    """The best moves of some positions, by key."""

    game: Game
    keys: Words  # ascending; the lower one of a position and its mirror image
    moves: npt.NDArray[np.uint8]  # a bit for each column of the position that the key is of

    def find(self, position: Position) -> list[int] | None:
        """The best moves of a position, ascending, if it is among these."""
        key, mirrored = key_of(self.game, position.moves)
        place = int(np.searchsorted(self.keys, np.uint64(key)))
        if place == len(self.keys) or int(self.keys[place]) != key:
            return None
        bits, columns = int(self.moves[place]), self.game.columns
        found = [column for column in range(columns) if bits >> column & 1]
        return sorted(columns - 1 - column for column in found) if mirrored else found


def key_of(game: Game, moves: Sequence[int]) -> tuple[int, bool]:
    """A key that a position shares with its mirror image, and whether it is that of the image.

    As in the solver and the book: own stones plus all stones, a column after another.
    """
    columns = game.columns
    solver = _packer(game)
    own = sum(solver.pack(moves))
    image = sum(solver.pack([columns - 1 - move for move in moves]))
    return min(own, image), image < own


@lru_cache(maxsize=4)
def _packer(game: Game) -> Solver:
    return Solver(game)  # it packs; its table is not made before a search


def save_replies(replies: Replies, path: Path) -> None:
    """Writes a file, whole or not at all."""
    write_keyed(path, MAGIC, replies.game.name, replies.keys, replies.moves)


def load_replies(path: Path) -> Replies:
    """Reads a file, or says what is wrong with it."""
    try:
        held = read_keyed(path, MAGIC)
        moves, columns = held.data, held.game.columns
        if held.numbers or columns > MAX_COLUMNS:
            raise ValueError
        if (
            (moves == 0).any()
            or (moves & full_columns(held.game, held.every)).any()
            or (moves >> columns).any()
        ):
            raise ValueError
    except (OSError, ValueError, lzma.LZMAError):
        raise InputError(
            f"{path} holds no replies: `inarow book replies` writes such a file"
        ) from None
    return Replies(held.game, held.keys, moves)


@lru_cache(maxsize=4)
def shipped_replies(game: Game) -> Replies | None:
    """The replies that come with the package, if there are any for the game."""
    name = f"{game.name.replace(':', '-')}.replies"
    path = Path(str(files("inarow.search").joinpath(name)))
    return load_replies(path) if path.is_file() else None
