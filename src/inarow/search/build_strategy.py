"""Makes a strategy: proves that the first player wins, and writes down how.

The proof leaves the values of many positions in its table. From the empty board on every reply to
the strategy is tried. A quiet position that one leads to gets a move after which the position is
proven to be won, of several the one whose proof took the least work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inarow.game import Game, InputError
from inarow.search.bitboard import Word
from inarow.search.prover import Prover
from inarow.search.solution import NotSolved
from inarow.search.strategy import Strategy, find_quiet

TABLE_BITS = 21  # of the proof's table: 64 MiB, and as much again for what goes with it
VISITS = 20_000_000  # after which a proof is given up

Pair = tuple[int, int]  # the stones of the first player and of the second
Progress = Callable[[str], None]  # is told what has been done so far


class Built(NamedTuple):
    """A strategy, and what went into it."""

    strategy: Strategy
    visits: int  # of the proof
    threat_nodes: int  # of the threat searches in it, and of those that wrote it down


def build_strategy(game: Game, progress: Progress | None = None) -> Built:
    """A strategy with which the first player wins; NotSolved where no such win was proven."""
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


def _extract(prover: Prover, tell: Progress) -> dict[Pair, int]:
    """Follows every reply from the empty board on."""
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
        number = find_quiet(lines, threats, Word(first), Word(second), found, len(found))
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
    """A move that is proven to win, if need be once more."""
    move = prover.proven_move(first, second)
    if move is None and prover.wins((first, second), 0, 0, VISITS):
        move = prover.winning_move()
    if move is None:
        raise NotSolved(f"the proof for {prover.game.name} could not be written down")
    return move
