"""Who wins, where exact scores are out of reach, and the player that uses what is proven."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

import numpy as np

from inarow.engine.board import PLY, Board, Tables, Words, same_tables, tables_of
from inarow.engine.jit import inline, jit, late_link, mark_no_inline
from inarow.engine.players import (
    CompiledPlayer,
    MovesFromCompiled,
    PlayerArrays,
    begin,
    check_compiled,
    choose,
    compiled_form,
    register_player,
)
from inarow.engine.streams import Stream
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.search.bitboard import MAX_BITS, ONE, ZERO, Word, lowest, popcount, signed
from inarow.search.masks import Lines, completing, lines_of
from inarow.search.proof_number import Prover
from inarow.search.stored_positions import Bytes
from inarow.search.strategy import SEQUENCE_LIMIT, Strategy, find_stored, shipped_strategy
from inarow.search.threats import FOUND, Threats, find_sequence, find_unrefuted, new_threats

# A player that wins by proof wherever a stored strategy or a threat sequence is at hand.
#
# Where there is none, another player moves. On Qubic that makes a player who wins every game that
# it begins, since the strategy covers all of them (`strategy`), and who takes every win that
# threats alone force when it moves second.

GAME = "qubic"  # the one game with a stored strategy
FAILED_BITS = 17  # of the memory of positions without a threat sequence: 2 MiB


class StrategyPlayer(NamedTuple):
    """The player for compiled loops."""

    player: PlayerArrays  # that chooses where nothing is proven
    lines: Lines
    threats: Threats
    firsts: Words  # the strategy, as in `strategy.Strategy`
    seconds: Words
    moves: Bytes


@inline
def _begin(player: StrategyPlayer, stream: Stream) -> None:
    """Do nothing of its own: the strategy starts every game alike."""
    begin(player.player, stream)


@inline
def _choose(tables: Tables, board: Board, player: StrategyPlayer, stream: Stream) -> int:
    """The cell of a winning move where one is proven, of the block, else of the other's move."""
    proven = _proven_cell(tables, board, player)
    return proven if proven >= 0 else choose(tables, board, player.player, stream)


@late_link
def _proven_cell(tables: Tables, board: Board, player: StrategyPlayer) -> int:
    """The cell of the stored move, of a threat sequence's first, of the only block; -1 for none."""
    mark_no_inline()
    own, other = own_and_other(tables, board)
    move = ZERO
    if board.counters[PLY] & 1 == 0:
        stored = player.firsts, player.seconds, player.moves
        move = find_stored(player.lines, stored[0], stored[1], stored[2], own, other)
    if move == ZERO:
        move = find_attack(player.lines, player.threats, own, other)
    if move == ZERO:
        move = find_block(player.lines, own, other)
    return -1 if move == ZERO else signed(popcount(move - ONE))


@inline
def own_and_other(tables: Tables, board: Board) -> tuple[np.uint64, np.uint64]:
    """The stones of the side to move and of the other, on at most 64 cells: cell c is bit c."""
    own, other, stone = ZERO, ZERO, (board.counters[PLY] & 1) + 1
    for cell in range(tables.cells):
        if board.stones[cell] == stone:
            own |= ONE << Word(cell)
        elif board.stones[cell] != 0:
            other |= ONE << Word(cell)
    return own, other


# A search for threats has a limit of nodes, and remembers what it has found: in principle its
# answer depends on earlier positions. So no policy is stated, and nothing proven of the player.
register_player(StrategyPlayer, _begin, _choose, None)


class WithStrategy(MovesFromCompiled):
    """The stored strategy and threat sequences of Qubic, else another player."""

    states_policy = False

    def __init__(self, player: CompiledPlayer) -> None:
        check_compiled(player)
        self.player = player
        self.name = f"{getattr(player, 'name', type(player).__name__)}+strategy"
        if isinstance(known := getattr(player, "game", None), Game):
            _check(tables_of(known))
            self.game: Game = known

    def compiled(self, tables: Tables) -> StrategyPlayer:
        """The player for compiled loops."""
        _check(tables)
        game = game_of(GAME)
        strategy = shipped_strategy(game)
        assert strategy is not None
        return StrategyPlayer(
            compiled_form(self.player, tables),
            lines_of(game),
            new_threats(FAILED_BITS),
            strategy.firsts,
            strategy.seconds,
            strategy.moves,
        )

    def __repr__(self) -> str:
        return f"<player {self.name}>"


def _check(tables: Tables) -> None:
    if not same_tables(tables, tables_of(game_of(GAME))):
        raise InputError(f"no strategy for this game is stored: +strategy is for {GAME}")


# Who wins, where the exact score is out of reach: boards of at most 64 cells without gravity.
#
# What is said here is proven, by the shipped strategy, by a threat sequence or by proof-number
# search. Often nothing can be said: then it is None.

VISITS = 30_000  # of a proof, for each side: about a second
STRATEGY, SEQUENCE, PROOF = "the stored strategy", "a threat sequence", "proof-number search"


@dataclass(frozen=True)
class ProvenResult:
    """The proven winner of a position that goes on, but not how fast it wins."""

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


class ProofOracle:
    """A decider of the positions of one game, by strategy and proof."""

    def __init__(self, game: Game) -> None:
        self._prover = Prover(game)
        self._strategy = shipped_strategy(game)
        self._lock = Lock()  # one search at a time: they share memory

    def only_move(self, position: Position) -> int | None:
        """Return the one move that does not lose at once; None where several or none."""
        own, other = _words(position)
        block = int(find_block(self._prover.lines, own, other))
        return block.bit_length() - 1 if block else None

    def resistance(self, position: Position) -> list[int]:
        """Return the moves that threats alone do not refute; all of them where they refute all."""
        with self._lock:
            return self._lost(position, SEQUENCE).moves

    def by_strategy(self, position: Position) -> ProvenResult | None:
        """Decide by the shipped strategy or a threat sequence; None without a strategy."""
        if self._strategy is None:
            return None
        with self._lock:
            return self._follow(self._strategy, position)

    def by_proof(self, position: Position, visits: int = VISITS) -> ProvenResult | None:
        """Decide by a proof with so many visits for each side; None if it fails."""
        mover = position.to_move - 1
        own, other = (int(word) for word in _words(position))
        stones = (own, other) if mover == 0 else (other, own)
        with self._lock:
            attack = self._attack(position)
            if attack is not None:
                return attack
            if self._prover.wins(stones, mover, mover, visits):
                move = self._prover.winning_move()
                return self._attack(position) if move is None else ProvenResult(1, [move], PROOF)
            if self._prover.wins(stones, mover, 1 - mover, visits):
                return self._lost(position, PROOF)
        return None

    def _follow(self, strategy: Strategy, position: Position) -> ProvenResult | None:
        own, other = (int(word) for word in _words(position))
        threats = self._prover.proof.threats
        if position.to_move == 2:
            won = self._attack(position)
            if won is None and strategy.wins(threats, other, own):
                return self._lost(position, STRATEGY)
            return won
        stored = strategy.find(own, other)
        if stored is not None:
            return ProvenResult(1, [stored], STRATEGY)
        block = self.only_move(position)
        won = self._attack(position)
        if won is None and block is not None and strategy.wins(threats, own | 1 << block, other):
            return ProvenResult(1, [block], STRATEGY)
        return won

    def _attack(self, position: Position) -> ProvenResult | None:
        threats = self._prover.proof.threats
        attack = int(find_attack(self._prover.lines, threats, *_words(position)))
        return ProvenResult(1, [attack.bit_length() - 1], SEQUENCE) if attack else None

    def _lost(self, position: Position, basis: str) -> ProvenResult:
        threats = self._prover.proof.threats
        moves = int(find_resistance(self._prover.lines, threats, *_words(position)))
        return ProvenResult(-1, [cell for cell in range(MAX_BITS) if moves >> cell & 1], basis)


def _words(position: Position) -> tuple[np.uint64, np.uint64]:
    """The stones of the side to move and of the other: cell c is bit c."""
    own, other = (
        sum(1 << cell for cell, stone in enumerate(position.stones) if stone == player)
        for player in (position.to_move, 3 - position.to_move)
    )
    return Word(own), Word(other)


@lru_cache(maxsize=4)
def proof_oracle(game: Game) -> ProofOracle:
    """A decider of the game that others may share."""
    return ProofOracle(game)
