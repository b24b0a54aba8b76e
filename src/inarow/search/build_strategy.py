"""Makes a strategy: proves that the first player wins, and writes down how.

The proof leaves the values of many positions in its table. From the empty board on every reply to
the strategy is tried. A quiet position that one leads to gets a move after which the position is
proven to be won, of several the one whose proof took the least work.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inarow.engine.jit import jit
from inarow.game import Game, InputError
from inarow.search import proof_number
from inarow.search.bitboard import ONE, ZERO, Word, lowest, popcount
from inarow.search.masks import Lines
from inarow.search.proof_number import NOWHERE, Proof, begin
from inarow.search.prover import Prover
from inarow.search.solver import NotSolved
from inarow.search.strategy import Strategy, find_quiet

TABLE_BITS = 21  # of the proof's table: 64 MiB, and as much again for what goes with it
VISITS = 20_000_000  # after which a proof is given up

Progress = Callable[[str], None]  # is told what has been done so far


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
        key, other_key = proof_number.child_key(lines, proof, 0, first | move, second, 0, cell)
        place = proof_number.find(proof.table, key, other_key, 0)
        if place != NOWHERE and (proof.table[place + Word(2)] & Word(0xFFFFFFFF)) == ZERO:
            work = proof.table[place + Word(3)]
            if work < least:
                best, least = move, work
    return best


def build_strategy(game: Game, progress: Progress | None = None) -> tuple[Strategy, Prover]:
    """A strategy with which the first player wins, and the prover that found it.

    NotSolved where no such win was proven.
    """
    tell = progress or (lambda _: None)
    prover = Prover(game, TABLE_BITS)
    found = prover.wins((0, 0), 0, 0, VISITS, lambda n: tell(f"{n:,} visits"))
    if found is None:
        raise NotSolved(f"no strategy for {game.name}: no win of the first player was found")
    if not found:
        raise InputError(f"no strategy for {game.name}: the first player does not win it")
    return _extract(prover, tell), prover


def _extract(prover: Prover, tell: Progress) -> Strategy:
    """Follows every reply from the empty board on."""
    lines, threats = prover.lines, prover.proof.threats
    stored, blocked = dict[tuple[int, int], int](), set[tuple[int, int]]()
    found = np.zeros((prover.game.cells, 3), dtype=np.uint64)
    todo = list[tuple[int, int]]()  # with the second player to move

    def store(first: int, second: int) -> None:
        move = _proven_move(prover, first, second)
        stored[first, second] = move
        todo.append((first | 1 << move, second))

    store(0, 0)
    while todo:
        first, second = todo.pop()
        number = find_quiet(lines, threats, Word(first), Word(second), found)
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
    keys = sorted(stored)
    return Strategy(
        prover.game,
        np.array([first for first, _ in keys], dtype=np.uint64),
        np.array([second for _, second in keys], dtype=np.uint64),
        np.array([stored[key] for key in keys], dtype=np.uint8),
    )


def _proven_move(prover: Prover, first: int, second: int) -> int:
    """A move that is proven to win, if need be once more."""
    move = find_proven(prover.lines, prover.proof, Word(first), Word(second))
    if move:
        return int(move).bit_length() - 1
    again = prover.wins((first, second), 0, 0, VISITS)
    found = prover.winning_move() if again else None
    if found is None:
        raise NotSolved(f"the proof for {prover.game.name} could not be written down")
    return found
