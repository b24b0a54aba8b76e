"""A stored strategy: how the first player wins, where stones do not fall.

Three kinds of positions need no stored move: those where a line can be completed, those won by a
threat sequence, and those where the other side threatens to complete a line. What is stored is a
move for each quiet position that the strategy can meet, symmetric ones once. In a position it
plays the first of these that there is:

    a move that completes a line, the stored move, the first move of a threat sequence, the block

`build_strategy` makes one, `check_strategy` proves one without any of this code. A file is

    inarow strategy 1
    GAME NUMBER
    packed (LZMA): the first player's stones, the second player's, a byte of each word after another
                   (cell c is bit c; each position is the smallest of its images, ascending);
                   then the cells to play, a byte each
"""

from __future__ import annotations

import lzma
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from inarow.engine.board import Words
from inarow.engine.jit import jit
from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.game.files import read_whole, write_whole
from inarow.graph.graph import image_of, lowest_image
from inarow.search.bitboard import ONE, ZERO, Word, lowest, popcount
from inarow.search.masks import Lines, completing, is_going_on, lines_of
from inarow.search.proof_number import Prover, is_provable
from inarow.search.solver import NotSolved
from inarow.search.stored_positions import Bytes, pack_columns, shipped_file, unpack_columns
from inarow.search.threats import FOUND, Threats, find_sequence

MAGIC = b"inarow strategy 1"
MOST_POSITIONS = 1_000_000
SEQUENCE_LIMIT = 1_000_000  # nodes of a threat search for one position


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
    least, other, which = lowest_image(lines.images, first, second)
    low, high = 0, len(firsts)
    while low < high:
        middle = (low + high) >> 1
        if firsts[middle] < least or (firsts[middle] == least and seconds[middle] < other):
            low = middle + 1
        else:
            high = middle
    if low < len(firsts) and firsts[low] == least and seconds[low] == other:
        for cell in range(lines.cells):
            if image_of(lines.images, which, ONE << Word(cell)) == ONE << Word(moves[low]):
                return ONE << Word(cell)
    return ZERO


@jit
def unanswered_replies(
    lines: Lines, threats: Threats, first: np.uint64, second: np.uint64, found: Words, most: int
) -> int:
    """Try every reply; write the positions that threats do not win afterwards.

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
        found[count, 0], found[count, 1], _ = lowest_image(lines.images, first | forced, after)
        found[count, 2] = popcount(forced)
        count += 1
    return count


@jit
def is_valid_strategy(lines: Lines, firsts: Words, seconds: Words, moves: Bytes) -> bool:
    """Return whether these are positions of a strategy, with moves to play."""
    for at in range(len(firsts)):
        first, second = firsts[at], seconds[at]
        least, other, _ = lowest_image(lines.images, first, second)
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
        """Return whether the strategy answers every move of the second player, who is to move."""
        found = np.zeros((self.game.cells, 3), dtype=np.uint64)
        number = unanswered_replies(
            lines_of(self.game), threats, Word(first), Word(second), found, self.game.cells
        )
        return number >= 0 and all(
            self.wins(threats, x, o) if blocked else self.find(x, o) is not None
            for x, o, blocked in found[:number].tolist()
        )


def save_strategy(strategy: Strategy, path: Path) -> int:
    """Write a strategy, whole or not at all; return the number of bytes."""
    packed = pack_columns([strategy.firsts, strategy.seconds], strategy.moves)
    head = f"{strategy.game.name} {len(strategy.moves)}".encode()
    whole = MAGIC + b"\n" + head + b"\n" + packed
    write_whole(path, whole)
    return len(whole)


def load_strategy(path: Path) -> Strategy:
    """Read a strategy; InputError for another file. Its wins are not checked."""
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
    (firsts, seconds), moves = unpack_columns(packed, 2, size)
    if not is_valid_strategy(lines_of(game), firsts, seconds, moves):
        raise ValueError("some of it cannot be")
    return Strategy(game, firsts, seconds, moves)


@lru_cache(maxsize=4)
def shipped_strategy(game: Game) -> Strategy | None:
    """The strategy that comes with the package, if there is one for the game."""
    path = shipped_file(game, ".strategy")
    return None if path is None else load_strategy(path)


# How a strategy is made: the first player is proven to win, and the moves are written down.
#
# The proof leaves the values of many positions in its table. From the empty board on every reply to
# the strategy is tried. A quiet position that one leads to gets a move after which the position is
# proven to be won, of several the one whose proof took the least work.

TABLE_BITS = 21  # of the proof's table: 64 MiB, and as much again for what goes with it
VISITS = 20_000_000  # after which a proof is given up

Pair = tuple[int, int]  # the stones of the first player and of the second
Told = Callable[[str], object]  # is told what has been done so far


class Built(NamedTuple):
    """A strategy, and the work of the proof."""

    strategy: Strategy
    visits: int  # of the proof
    threat_nodes: int  # of the threat searches in it, and of those that wrote it down


def build_strategy(game: Game, progress: Told | None = None) -> Built:
    """Build a strategy with which the first player wins; else NotSolved."""
    tell = progress or (lambda _: None)
    prover = Prover(game, TABLE_BITS)
    found = prover.wins((0, 0), 0, 0, VISITS, lambda n: tell(f"{n:,} visits"))
    if found is None:
        raise NotSolved(f"no strategy for {game.name}: no win of the first player was found")
    if not found:
        raise InputError(f"no strategy for {game.name}: the first player does not win it")
    stored = _extract(prover, tell)
    keys = sorted(stored)
    strategy = Strategy(
        game,
        np.array([first for first, _ in keys], dtype=np.uint64),
        np.array([second for _, second in keys], dtype=np.uint64),
        np.array([stored[key] for key in keys], dtype=np.uint8),
    )
    return Built(strategy, prover.visits, prover.threat_nodes)


def _extract(prover: Prover, tell: Told) -> dict[Pair, int]:
    """Follow every reply from the empty board on; return the moves to store."""
    lines, threats = prover.lines, prover.proof.threats
    stored, blocked = dict[Pair, int](), set[Pair]()
    found = np.zeros((prover.game.cells, 3), dtype=np.uint64)
    todo = list[Pair]()  # with the second player to move

    def store(first: int, second: int) -> None:
        move = _proven_move(prover, first, second)
        stored[first, second] = move
        todo.append((first | 1 << move, second))

    store(0, 0)
    while todo:
        first, second = todo.pop()
        number = unanswered_replies(lines, threats, Word(first), Word(second), found, len(found))
        if number < 0:
            raise NotSolved(f"the proof for {prover.game.name} could not be written down")
        for *position, after_block in found[:number].tolist():
            pair = position[0], position[1]
            if not after_block and pair not in stored:
                store(*pair)
            elif after_block and pair not in blocked:
                blocked.add(pair)
                todo.append(pair)
        tell(f"{prover.visits:,} visits, {len(stored):,} positions stored")
    return stored


def _proven_move(prover: Prover, first: int, second: int) -> int:
    """Return a move that is proven to win, if need be by another proof."""
    move = prover.proven_move(first, second)
    if move is None and prover.wins((first, second), 0, 0, VISITS):
        move = prover.winning_move()
    if move is None:
        raise NotSolved(f"the proof for {prover.game.name} could not be written down")
    return move
