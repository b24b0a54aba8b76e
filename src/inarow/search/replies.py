"""Replies of perfect play just past the opening book, where finding them takes long.

A book of all positions grows fivefold with every stone. But whoever plays against perfect play
meets only few positions of each ply, since one side always plays a best move. Their best moves fit
into a small file, and then every answer is quick.

`make_replies` makes such a file. Its positions are those that anybody can reach against perfect
play, from either side, with perfect play to move. Before the book ends their best moves are looked
up; after it they are solved, in chunks that start with an empty table each. (By processes, for much
of the time goes into Python.) Best moves are exact, so the file is the same with any number of
processes, and what an earlier file holds can be taken from it.
"""

from __future__ import annotations

import lzma
import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Words
from inarow.game import Game, InputError, Position
from inarow.search.opening_book import Book
from inarow.search.solver import Solver
from inarow.search.stored_positions import (
    full_columns,
    lower_key,
    read_keyed,
    shipped_file,
    write_keyed,
)

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
        key, mirrored = lower_key(position)
        place = int(np.searchsorted(self.keys, np.uint64(key)))
        if place == len(self.keys) or int(self.keys[place]) != key:
            return None
        bits, columns = int(self.moves[place]), self.game.columns
        found = [column for column in range(columns) if bits >> column & 1]
        return sorted(columns - 1 - column for column in found) if mirrored else found


def save_replies(replies: Replies, path: Path) -> None:
    """Write a file, whole or not at all."""
    write_keyed(path, MAGIC, replies.game.name, replies.keys, replies.moves)


def load_replies(path: Path) -> Replies:
    """Read a file, or says what is wrong with it."""
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
    path = shipped_file(game, ".replies")
    return None if path is None else load_replies(path)


CHUNK = 64  # positions that share a table
OFTEN = 64_000  # positions after which there is something to save
TABLE_BITS = 22  # of that table: 32 MiB

Moves = tuple[int, ...]  # how a position is reached
Counts = Callable[[int, int, int], object]  # is told the ply, positions done, and all of that ply


@dataclass(frozen=True)
class Reply:
    """The best moves found in one position."""

    key: int
    moves: Moves  # to it: the position that the key is of, not its mirror image
    best: list[int]

    @property
    def bits(self) -> int:
        """The best moves, a bit for each."""
        return sum(1 << move for move in self.best)


def make_replies(
    book: Book,
    last: int,
    processes: int = 1,
    progress: Counts = lambda *numbers: None,
    known: Replies | None = None,
) -> Iterator[Replies]:
    """Yield the replies for positions with up to so many stones.

    All that is known so far comes again and again, at the latest at the end of each ply past the
    book, so that somebody can save it; `known` is what was saved before, and stays in.
    """
    game = book.game
    if game.columns > MAX_COLUMNS:
        raise InputError(f"{game.name} has {game.columns} columns: the limit is {MAX_COLUMNS}")
    if not book.ply <= last < game.cells:
        raise InputError(f"replies to {last} stones: they go from {book.ply} to {game.cells - 1}")
    if processes < 1:
        raise InputError(f"the number of processes must be 1 or more, not {processes}")
    if known is not None and known.game != game:
        raise InputError(f"the replies so far are of {known.game.name}, not of {game.name}")
    sides: list[list[Moves]] = [[()], [()]]  # what can be reached against perfect play on a side
    stored = dict[int, int]()
    if known is not None:
        stored = dict(zip(known.keys.tolist(), known.moves.tolist(), strict=True))
    with _workers(book, processes) as pool:
        for ply in range(last + 1):
            side, saved = ply % 2, 0
            found = list[Reply]()
            for replies in _answer(book, sides[side], pool, known if ply >= book.ply else None):
                found += replies
                progress(ply, len(found), len(sides[side]))
                if ply >= book.ply:
                    stored |= {reply.key: reply.bits for reply in replies}
                    if len(found) - saved >= OFTEN:
                        saved = len(found)
                        yield _gathered(game, stored)
            if ply >= book.ply:
                yield _gathered(game, stored)
            sides[side] = _expand(game, ((reply.moves, reply.best) for reply in found))
            sides[1 - side] = _expand(game, ((moves, None) for moves in sides[1 - side]))


def _gathered(game: Game, stored: dict[int, int]) -> Replies:
    keys = np.array(sorted(stored), dtype=np.uint64)
    return Replies(game, keys, np.array([stored[int(key)] for key in keys], dtype=np.uint8))


def _workers(book: Book, processes: int) -> AbstractContextManager[ProcessPoolExecutor | None]:
    """Start processes that have the book; None where this one does the work."""
    if processes == 1:
        return nullcontext()
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, context, _take_book, (book,))


def _answer(
    book: Book, reached: list[Moves], pool: ProcessPoolExecutor | None, known: Replies | None
) -> Iterator[list[Reply]]:
    """Yield the best moves in all positions of a ply: those known first."""
    told, asked = list[Reply](), reached
    if known is not None:
        asked = []
        for moves in reached:
            position = _position(book.game, moves)
            best = known.find(position)
            if best is None:
                asked.append(moves)
            else:
                told.append(Reply(lower_key(position)[0], moves, best))
        yield told
    chunks = [asked[start : start + CHUNK] for start in range(0, len(asked), CHUNK)]
    if pool is None:
        yield from map(partial(_answer_chunk, book), chunks)
    else:
        yield from pool.map(_answer_by_worker, chunks)


_taken: list[Book] = []  # a worker's book


def _take_book(book: Book) -> None:
    _taken.append(book)


def _answer_by_worker(chunk: list[Moves]) -> list[Reply]:
    return _answer_chunk(_taken[0], chunk)


def _answer_chunk(book: Book, chunk: list[Moves]) -> list[Reply]:
    from inarow.search.perfect import kept_moves, moves_as_good, solution_from_book

    solver = Solver(book.game, table_bits=TABLE_BITS)
    replies = []
    for moves in chunk:
        position = _position(book.game, moves)
        if position.ply < book.ply:
            best = kept_moves(solution_from_book(position, book).moves, "best")
        else:
            score = book.find(position)
            score = solver.score(position) if score is None else score
            best = moves_as_good(position, book, solver, score)
        replies.append(Reply(lower_key(position)[0], moves, best))
    return replies


def _expand(game: Game, choices: Iterable[tuple[Moves, list[int] | None]]) -> list[Moves]:
    """Return the positions after the given or all legal moves, once each, by key."""
    reached: dict[int, Moves] = {}
    for moves, allowed in choices:
        position = _position(game, moves)
        for move in position.legal_moves if allowed is None else allowed:
            position.push(move)
            if position.outcome is None:
                key, mirrored = lower_key(position)
                straight = tuple(game.columns - 1 - m if mirrored else m for m in position.moves)
                reached.setdefault(key, straight)
            position.pop()
    return [reached[key] for key in sorted(reached)]


def _position(game: Game, moves: Moves) -> Position:
    position = Position(game)
    for move in moves:
        position.push(move)
    return position
