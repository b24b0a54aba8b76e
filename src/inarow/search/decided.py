"""Who wins, where the exact score is out of reach: boards of at most 64 cells without gravity.

What is said here is proven, by the shipped strategy, by a threat sequence or by proof-number
search. Often nothing can be said: then it is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np

from inarow.engine.aside import compile_aside
from inarow.engine.jit import jit
from inarow.game import Game, Position
from inarow.search.bitboard import MAX_BITS, ONE, ZERO, Word, lowest
from inarow.search.masks import Lines, completing
from inarow.search.prover import Prover
from inarow.search.refutation import find_unrefuted
from inarow.search.strategy import SEQUENCE_LIMIT, Strategy, shipped_strategy
from inarow.search.threats import FOUND, Threats, find_sequence

VISITS = 30_000  # of a proof, for each side: about a second
STRATEGY, SEQUENCE, PROOF = "the stored strategy", "a threat sequence", "proof-number search"


@dataclass(frozen=True)
class Decided:
    """What is known of a position that goes on: who wins, but not how fast."""

    value: int  # 1: the side to move wins, -1: it loses
    moves: list[int]  # a winning move; or some of the moves of a side that loses with any
    basis: str  # what proves it


@jit
def find_attack(lines: Lines, threats: Threats, own: np.uint64, other: np.uint64) -> np.uint64:
    """A move that completes a line or begins a threat sequence, as a bit; 0 for none."""
    winning = completing(lines, own, other)
    if winning != ZERO:
        return lowest(winning)
    forced = completing(lines, other, own)
    if find_sequence(lines, threats, own, other, forced, SEQUENCE_LIMIT) == FOUND:
        return threats.sequence[0]
    return ZERO


@jit
def find_block(lines: Lines, own: np.uint64, other: np.uint64) -> np.uint64:
    """The only move that does not lose at once, as a bit; 0 for none, or where a line is won."""
    forced = completing(lines, other, own)
    single = (forced & (forced - ONE)) == ZERO and completing(lines, own, other) == ZERO
    return forced if single else ZERO


@jit
def find_resistance(lines: Lines, threats: Threats, own: np.uint64, other: np.uint64) -> np.uint64:
    """The moves that threats alone do not refute, as bits; all of them if there are none."""
    mine, forced = completing(lines, own, other), completing(lines, other, own)
    _, moves = find_unrefuted(lines, threats, own, other, mine, forced)
    if moves != ZERO:
        return moves
    return forced if forced != ZERO else lines.board & ~(own | other)


class Decider:
    """Decides positions of one game."""

    def __init__(self, game: Game) -> None:
        self._prover = Prover(game)
        self._strategy = shipped_strategy(game)
        self._lock = Lock()  # one search at a time: they share memory

    def make_ready(self) -> None:
        """Has compiled aside what looks for threat sequences, if that is not yet."""
        arguments = self._prover.lines, self._prover.proof.threats, ZERO, ZERO
        compile_aside([(find_attack, arguments), (find_resistance, arguments)])

    def only_move(self, position: Position) -> int | None:
        """The one move that does not lose at once, where nothing is won at once."""
        own, other = _words(position)
        block = int(find_block(self._prover.lines, own, other))
        return block.bit_length() - 1 if block else None

    def by_strategy(self, position: Position) -> Decided | None:
        """What the shipped strategy or a threat sequence says; None without a strategy."""
        if self._strategy is None:
            return None
        with self._lock:
            return self._follow(self._strategy, position)

    def by_proof(self, position: Position, visits: int = VISITS) -> Decided | None:
        """What a proof with so many visits for each side says."""
        mover = position.to_move - 1
        own, other = (int(word) for word in _words(position))
        stones = (own, other) if mover == 0 else (other, own)
        with self._lock:
            attack = self._attack(position)
            if attack is not None:
                return attack
            if self._prover.wins(stones, mover, mover, visits):
                move = self._prover.winning_move()
                return self._attack(position) if move is None else Decided(1, [move], PROOF)
            if self._prover.wins(stones, mover, 1 - mover, visits):
                return self._lost(position, PROOF)
        return None

    def _follow(self, strategy: Strategy, position: Position) -> Decided | None:
        own, other = (int(word) for word in _words(position))
        threats = self._prover.proof.threats
        if position.to_move == 2:
            won = self._attack(position)
            if won is None and strategy.wins(threats, other, own):
                return self._lost(position, STRATEGY)
            return won
        stored = strategy.find(own, other)
        if stored is not None:
            return Decided(1, [stored], STRATEGY)
        block = self.only_move(position)
        won = self._attack(position)
        if won is None and block is not None and strategy.wins(threats, own | 1 << block, other):
            return Decided(1, [block], STRATEGY)
        return won

    def _attack(self, position: Position) -> Decided | None:
        threats = self._prover.proof.threats
        attack = int(find_attack(self._prover.lines, threats, *_words(position)))
        return Decided(1, [attack.bit_length() - 1], SEQUENCE) if attack else None

    def _lost(self, position: Position, basis: str) -> Decided:
        threats = self._prover.proof.threats
        moves = int(find_resistance(self._prover.lines, threats, *_words(position)))
        return Decided(-1, [cell for cell in range(MAX_BITS) if moves >> cell & 1], basis)


def _words(position: Position) -> tuple[np.uint64, np.uint64]:
    """The stones of the side to move and of the other: cell c is bit c."""
    own, other = (
        sum(1 << cell for cell, stone in enumerate(position.stones) if stone == player)
        for player in (position.to_move, 3 - position.to_move)
    )
    return Word(own), Word(other)


@lru_cache(maxsize=4)
def decider_for(game: Game) -> Decider:
    """A decider of the game that others may share."""
    return Decider(game)
