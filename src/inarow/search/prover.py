"""Proofs that one side wins, on boards of at most 64 cells where stones do not fall."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from threading import Lock

import numpy as np

from inarow.engine.jit import jit
from inarow.game import Game, InputError
from inarow.search import threats
from inarow.search.bitboard import MAX_BITS, ONE, ZERO, Word, lowest, popcount
from inarow.search.masks import Lines, lines_of
from inarow.search.proof_number import (
    BEST,
    COUNT,
    MOVE,
    NOWHERE,
    RESULT,
    VISITS,
    WIDTH,
    Proof,
    begin,
    child_key,
    find,
    new_proof,
    prove,
)

CHUNK = 10_000  # visits between two looks at a person who wants to stop: a quarter of a second
WIDTH_FOR_WINS = 10  # of the attacker's moves, so many are tried where only wins are of interest

Progress = Callable[[int], None]  # is told the visits so far


@lru_cache(maxsize=64)
def is_provable(game: Game) -> bool:
    """Whether threat sequences and proofs are for this game."""
    return game == Game(game.shape, game.k) and game.cells <= MAX_BITS


@jit
def find_proven(lines: Lines, proof: Proof, first: np.uint64, second: np.uint64) -> np.uint64:
    """The move of the first player with the least work that the table holds a proof for, or 0."""
    begin(lines, proof, first, second, 0, 0)
    best, least = ZERO, NOWHERE
    moves = lines.board & ~(first | second)
    while moves != ZERO:
        move = lowest(moves)
        moves ^= move
        cell = popcount(move - ONE)
        key, other_key = child_key(lines, proof, 0, first | move, second, 0, cell)
        place = find(proof.table, key, other_key, 0)
        if place != NOWHERE and (proof.table[place + Word(2)] & Word(0xFFFFFFFF)) == ZERO:
            work = proof.table[place + Word(3)]
            if work < least:
                best, least = move, work
    return best


class Prover:
    """Proves wins in one game; what it finds out stays in its tables for the next proof.

    With a `width` below the number of cells it looks for wins only, among so many of the
    attacker's moves; that an attacker cannot win is only found out with all of them.
    """

    def __init__(self, game: Game, table_bits: int = 18, width: int = WIDTH_FOR_WINS) -> None:
        if not is_provable(game):
            raise InputError(
                f"{game.name} is out of reach: threat sequences are for boards of at most "
                f"{MAX_BITS} cells where stones do not fall and the first line wins"
            )
        self.game, self.lines = game, lines_of(game)
        self.proof = new_proof(game, table_bits, table_bits - 1, table_bits + 1)
        self.proof.state[WIDTH] = min(width, game.cells)
        self.lock = Lock()  # one proof at a time: they share the tables

    @property
    def visits(self) -> int:
        """Nodes of all proofs so far, those visited again among them."""
        return int(self.proof.state[VISITS])

    @property
    def threat_nodes(self) -> int:
        """Nodes of the threat searches inside."""
        return int(self.proof.threats.state[threats.NODES])

    def wins(
        self,
        stones: tuple[int, int],
        mover: int,
        attacker: int,
        limit: int,
        progress: Progress | None = None,
    ) -> bool | None:
        """Whether a player wins a position that goes on; None if that was not found out.

        `stones` are the first and the second player's (cell c is bit c); `mover` and `attacker`
        are 0 for the first player and 1 for the second. `limit` is in visits.
        """
        proof, own, other = self.proof, Word(stones[mover]), Word(stones[1 - mover])
        begin(self.lines, proof, own, other, mover, attacker)
        stop = self.visits + limit
        while not prove(self.lines, proof, min(self.visits + CHUNK, stop)):
            if self.visits >= stop:
                return None
            if progress is not None:
                progress(self.visits)
        wins = (int(proof.state[RESULT]) == 0) == (mover == attacker)
        return wins if wins or proof.state[WIDTH] == self.game.cells else None

    def winning_move(self) -> int | None:
        """The move that won the last proof, where its attacker was to move.

        None where the position was won at once, by completing a line or by a threat sequence.
        """
        numbers = self.proof.numbers[0]
        if numbers[COUNT] == 0:
            return None
        return int(self.proof.child_words[0, numbers[BEST], MOVE]).bit_length() - 1

    def proven_move(self, first: int, second: int) -> int | None:
        """A move of the first player, who is to move, that an earlier proof found to win."""
        move = find_proven(self.lines, self.proof, Word(first), Word(second))
        return int(move).bit_length() - 1 if move else None
