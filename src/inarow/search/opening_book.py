"""The opening book of a Connect-4-like game: the exact scores of all positions with few stones.

Only the positions of the deepest ply are solved; those before follow from them, move by move.
Mirror images share an entry. The positions solved are kept in a small database on the way, a
transaction for each chunk, so the work can be stopped at any moment and taken up again.
"""

from __future__ import annotations

import lzma
import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import local

import numpy as np
import numpy.typing as npt

from inarow.engine.board import FIRST_WON, GOING_ON, SECOND_WON, Words
from inarow.game import Game, InputError, Position
from inarow.graph.all_games import mirror_of
from inarow.graph.graph import Layer, first_layer, images_of, next_layer
from inarow.search.solver import NotSolved, Solver, is_planar
from inarow.search.stored_positions import (
    key_of,
    mirrored_key,
    read_keyed,
    shipped_file,
    words_of_key,
    write_keyed,
)

Scores = npt.NDArray[np.int8]
Counts = Callable[[int, int], object]  # is told positions solved and positions in all

CHUNK = 256  # positions in a transaction
MAGIC = b"inarow book 1\n"


@dataclass(frozen=True, eq=False)
class Book:
    """Exact scores by key, for every position that goes on with at most `ply` stones."""

    game: Game
    ply: int
    keys: Words  # ascending; the lower one of a position and its mirror image
    scores: Scores  # for the side to move

    def find(self, position: Position) -> int | None:
        """The score of a position, if it is in the book."""
        if position.ply > self.ply or position.outcome is not None:
            return None
        return self._look_up(key_of(position))

    def least(self, own: int, every: int) -> int:
        """Return a lower bound on the score of a position just past the book.

        Each position from which the other side could have come to it is a witness: the value
        here is no higher than the value of that one to the other side.
        """
        height, other, least = self.game.shape[0] + 1, own ^ every, -self.game.cells
        if every.bit_count() != self.ply + 1:
            return least
        for column in range(self.game.columns):
            stones = (every >> (column * height)) & ((1 << height) - 1)
            top = (stones ^ (stones >> 1)) << (column * height)
            if top & other:
                found = self._look_up((other ^ top) + (every ^ top))
                least = least if found is None else max(least, -found)
        return least

    def _look_up(self, key: int) -> int | None:
        """The score of a key or its mirror image."""
        lower = np.uint64(min(key, mirrored_key(self.game, key)))
        place = int(np.searchsorted(self.keys, lower))
        there = place < len(self.keys) and self.keys[place] == lower
        return int(self.scores[place]) if there else None


def _words(game: Game, layer: Layer, ply: int, mirror: bool) -> tuple[Words, Words]:
    """The positions of a layer as the solver's words: own stones and all stones."""
    words = []
    for stones in (layer.first, layer.second):
        packed = np.zeros(layer.count, dtype=np.uint64)
        for cell in range(game.cells):
            height, column = divmod(cell, game.columns)
            column = game.columns - 1 - column if mirror else column
            bit = np.uint64(column * (game.shape[0] + 1) + height)
            packed |= ((stones[: layer.count] >> np.uint64(cell)) & np.uint64(1)) << bit
        words.append(packed)
    return words[ply % 2], words[0] | words[1]


def _keys(game: Game, layer: Layer, ply: int) -> Words:
    """The key of each position of a layer, the lower one of the two mirror images."""
    (own, every), (mirror_own, mirror_every) = (
        _words(game, layer, ply, mirror) for mirror in (False, True)
    )
    return np.minimum(own + every, mirror_own + mirror_every)


def _layers(game: Game, ply: int) -> tuple[list[Layer], list[npt.NDArray[np.int32]]]:
    """All positions up to a ply, mirror images once, and the children of those that go on."""
    # No other symmetry: the lookup knows none, and some boards have more.
    cells = np.arange(game.cells, dtype=np.int32)
    images = images_of(game, np.stack([cells, mirror_of(game)]))
    layers, targets = [first_layer()], list[npt.NDArray[np.int32]]()
    for number in range(ply):
        going_on = int(np.count_nonzero(layers[-1].state == GOING_ON))
        children = np.zeros(going_on * game.columns, dtype=np.int32)
        layer, edges = next_layer(game, layers[-1], number, images, children, 10_000_000)
        targets.append(layer.going_on_first()[children[:edges]])
        layers.append(layer)
    return layers, targets


# What a database that is damaged, or is none, ends in.
DAMAGES = (sqlite3.Error, UnicodeDecodeError)


def make_book(
    game: Game, ply: int, work: Path, threads: int | None = None, progress: Counts | None = None
) -> Book:
    """Solve what the database `work` lacks, and make the book of it all."""
    if not is_planar(game) or (game.shape[0] + 1) * game.columns > 63:  # keys go into SQLite
        raise InputError(f"no book for {game.name}: only where stones fall in a plane of 63 bits")
    if not 0 <= ply < game.cells:
        raise InputError(f"a book's plies must be between 0 and {game.cells - 1}, not {ply}")
    if threads is not None and threads < 1:
        raise InputError(f"the number of threads must be 1 or more, not {threads}")
    layers, targets = _layers(game, ply)
    deepest = layers[-1]
    going_on = int(np.count_nonzero(deepest.state == GOING_ON))
    keys = _keys(game, deepest, ply)[:going_on]
    try:
        with closing(_open(work, game, ply)) as database:
            _solve_missing(database, game, deepest, ply, keys, threads, progress)
            solved = dict(database.execute("select key, score from score"))
    except DAMAGES as error:
        raise InputError(f"{work} cannot hold the work on a book: {error}") from None
    scores = [np.zeros(layer.count, dtype=np.int8) for layer in layers]
    most = (game.cells + 1) // 2
    found = [
        score
        for key in keys
        if isinstance(score := solved.get(int(key)), int) and -most <= score <= most
    ]
    if len(found) < len(keys):
        raise InputError(f"{work} is damaged: some of its scores cannot be")
    scores[-1][:going_on] = found
    for number in range(ply - 1, -1, -1):
        scores[number] = _back_up(game, layers, targets, scores, number)
    return _join(game, ply, layers, scores)


def _open(work: Path, game: Game, ply: int) -> sqlite3.Connection:
    """Open the database of what is solved; InputError for one of another book."""
    database = None
    try:
        database = sqlite3.connect(work)
        with database:
            database.execute("create table if not exists book (game text, ply integer)")
            database.execute(
                "create table if not exists score (key integer primary key, score integer)"
            )
            if database.execute("select * from book").fetchone() is None:
                database.execute("insert into book values (?, ?)", (game.name, ply))
        found = database.execute("select * from book").fetchone()
    except DAMAGES as error:
        if database is not None:
            database.close()
        raise InputError(f"{work} cannot hold the work on a book: {error}") from None
    if found != (game.name, ply):
        database.close()
        raise InputError(f"{work} holds the work on a book of {found[0]} with {found[1]} plies")
    return database


def _solve_missing(
    database: sqlite3.Connection,
    game: Game,
    layer: Layer,
    ply: int,
    keys: Words,
    threads: int | None,
    progress: Counts | None,
) -> None:
    known = {key for (key,) in database.execute("select key from score")}
    own, every = (words[: len(keys)] for words in _words(game, layer, ply, mirror=False))
    missing = np.array([i for i in np.argsort(keys) if int(keys[i]) not in known], dtype=np.int64)
    chunks = [missing[i : i + CHUNK] for i in range(0, len(missing), CHUNK)]
    workers, done = local(), len(keys) - len(missing)

    def solve(chunk: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
        if not hasattr(workers, "solver"):
            workers.solver = Solver(game)  # a table for each thread
        scores = workers.solver.score_words(own[chunk], every[chunk])
        return [(int(keys[i]), int(score)) for i, score in zip(chunk, scores, strict=True)]

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        try:
            for rows in pool.map(solve, chunks):
                with database:
                    database.executemany("insert or replace into score values (?, ?)", rows)
                done += len(rows)
                if progress is not None:
                    progress(done, len(keys))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _back_up(
    game: Game,
    layers: list[Layer],
    targets: list[npt.NDArray[np.int32]],
    scores: list[Scores],
    ply: int,
) -> Scores:
    """Return the scores of a ply from those of the next: the best move's."""
    after, target = layers[ply + 1], targets[ply]
    left = game.cells - ply
    child_scores = -scores[ply + 1].astype(np.int16)
    won = (after.state == FIRST_WON) | (after.state == SECOND_WON)
    child_scores[won[: after.count]] = (left + 1) // 2
    going_on = int(np.count_nonzero(layers[ply].state == GOING_ON))
    parents = np.repeat(np.arange(going_on), _moves_of(game, layers[ply], going_on))
    best = np.full(layers[ply].count, -100, dtype=np.int16)
    np.maximum.at(best, parents, child_scores[target])
    return best.astype(np.int8)


def _moves_of(game: Game, layer: Layer, going_on: int) -> npt.NDArray[np.int64]:
    """Return how many moves each position has: columns whose top cell is empty."""
    occupied = layer.first[:going_on] | layer.second[:going_on]
    top = np.uint64(game.cells - game.columns)
    return game.columns - np.bitwise_count(occupied >> top).astype(np.int64)


def _join(game: Game, ply: int, layers: list[Layer], scores: list[Scores]) -> Book:
    keys, values = list[Words](), list[Scores]()
    for number, layer in enumerate(layers):
        going_on = int(np.count_nonzero(layer.state == GOING_ON))
        keys.append(_keys(game, layer, number)[:going_on])
        values.append(scores[number][:going_on])
    every, order = np.concatenate(keys), np.argsort(np.concatenate(keys))
    return Book(game, ply, every[order], np.concatenate(values)[order])


def save_book(book: Book, path: Path) -> None:
    """Write a book."""
    write_keyed(path, MAGIC, f"{book.game.name} {book.ply}", book.keys, book.scores)


def load_book(path: Path) -> Book:
    """Read a book, or says what is wrong with the file."""
    try:
        held = read_keyed(path, MAGIC)
        (ply,), scores, cells = held.numbers, held.data.view(np.int8), held.game.cells
        if not 0 <= ply < cells or (np.bitwise_count(held.every) > ply).any():
            raise ValueError
        if (np.abs(scores.astype(np.int64)) > (cells + 1) // 2).any():
            raise ValueError
    except (OSError, ValueError, lzma.LZMAError):
        raise InputError(f"{path} is not an opening book: `inarow book make` writes one") from None
    return Book(held.game, ply, held.keys, scores)


_in_use: dict[Game, Book] = {}  # books that a person has named


def use_book(path: Path, game: Game) -> None:
    """Lets perfect play look up a game in a book of the person's own from now on."""
    book = load_book(path)
    if book.game != game:
        raise InputError(f"{path} is a book of {book.game.name}, not of {game.name}")
    _in_use[game] = book


def shipped_book(game: Game) -> Book | None:
    """The book that is in use for a game: one that a person named, else the package's own."""
    return _in_use.get(game) or _own_book(game)


@lru_cache(maxsize=4)
def _own_book(game: Game) -> Book | None:
    """The book that comes with the package, if there is one for the game."""
    path = shipped_file(game, ".book")
    return None if path is None else load_book(path)


def check_book(book: Book, sample: int, seed: int, progress: Callable[[], None]) -> int:
    """Solve a random sample of the book again; return how many scores are wrong."""
    if not 1 <= sample <= len(book.keys):
        raise InputError(f"a sample must be between 1 and {len(book.keys)}, not {sample}")
    solver, wrong = Solver(book.game), 0
    chosen = np.random.default_rng(seed).choice(len(book.keys), sample, replace=False)
    for place in np.sort(chosen):
        own, every = (np.array([word]) for word in words_of_key(book.game, int(book.keys[place])))
        try:
            wrong += int(solver.score_words(own, every)[0]) != int(book.scores[place])
        except NotSolved:
            raise
        except InputError:  # it is over: no book holds such a position
            wrong += 1
        progress()
    return wrong
