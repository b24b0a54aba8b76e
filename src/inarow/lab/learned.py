"""What an agent has learned: its principal variation, and its first mistake against perfect play.

For pages that look at an agent again and again while it trains, so both give up in time and say
how far they came. Mistakes are found only where exact values come at once.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inarow.game import Game, Position
from inarow.lab.move_values import Exact, Verdict, default_opponent, exact
from inarow.learn.agent import LearnedAgent
from inarow.search.book import shipped_book

LONGEST = 12  # moves of a variation
SECONDS = 0.3  # for the search for a mistake
Chooses = Callable[[Position], list[int]]  # every move that an agent may choose


@dataclass(frozen=True)
class Mistake:
    """A move that gives some of the value away."""

    moves: tuple[int, ...]  # that lead to the position
    move: int
    value: Verdict  # of the move
    better: tuple[int, ...]  # the moves that keep the value
    best: Verdict  # the highest value of them


@dataclass(frozen=True)
class MistakeSearch:
    """What came of a search for the first mistake."""

    mistake: Mistake | None
    plies: int | None = None  # moves of a game that were looked at; None: all, to the end


def has_exact_values(game: Game) -> bool:
    """Whether exact values of its positions come at once."""
    return default_opponent(game) == "perfect"


def exact_at_once(position: Position) -> Exact | None:
    """The exact value of every move, where it comes at once: past a book it may not."""
    book = shipped_book(position.game)
    if not has_exact_values(position.game) or (book is not None and position.ply >= book.ply):
        return None
    return exact(position)


def learned_to_move(position: Position, side: str) -> bool:
    """Whether an agent that learned on a side, or on both, has learned to move here."""
    return side in ("both", ("first", "second")[position.to_move - 1])


def principal_variation(agent: LearnedAgent, position: Position, side: str) -> list[int]:
    """The best moves of both sides by the agent's own values, the lowest of equal ones.

    An agent that learned on one side has no values for the other: there the reply is the one
    that leaves it the lowest value. The variation ends where all moves have the same.
    """
    now, moves = position.copy(), list[int]()
    while now.outcome is None and len(moves) < LONGEST:
        if learned_to_move(now, side):
            values = agent.values(now)
        else:
            values = {move: -_value_after(agent, now, move) for move in now.legal_moves}
        highest = max(values.values())
        if len(values) > 1 and highest == min(values.values()):
            break
        moves.append(min(move for move, value in values.items() if value == highest))
        now.push(moves[-1])
    return moves


def first_mistake(
    game: Game, chooses: Chooses, side: str, seconds: float = SECONDS
) -> MistakeSearch:
    """The first mistake that an agent may make against an opponent who makes none.

    Breadth first from the empty board: of the agent every move that it may choose, of the
    opponent every move that keeps the value of the position.
    """
    end = time.monotonic() + seconds
    sides = {"first": (1,), "second": (2,)}.get(side, (1, 2))
    waiting = deque((own, Position(game)) for own in sides)
    seen = set[tuple[int, tuple[int, ...]]]()
    while waiting:
        own, position = waiting.popleft()
        found = exact_at_once(position)
        if found is None or time.monotonic() > end:
            return MistakeSearch(None, position.ply)
        values = found.moves
        best = max(values.values(), key=lambda verdict: verdict.rank)
        keeps = tuple(move for move, verdict in values.items() if verdict.value == best.value)
        chosen = chooses(position) if position.to_move == own else list(keeps)
        for move in chosen:
            if move not in keeps:
                return MistakeSearch(Mistake(position.moves, move, values[move], keeps, best))
        for child in _children(position, chosen):
            if (own, child.stones) not in seen:
                seen.add((own, child.stones))
                waiting.append((own, child))
    return MistakeSearch(None)


def _children(position: Position, moves: list[int]) -> Iterator[Position]:
    """The positions after some moves, as far as the game goes on there."""
    for move in moves:
        child = position.copy()
        child.push(move)
        if child.outcome is None:
            yield child


def _value_after(agent: LearnedAgent, position: Position, move: int) -> float:
    """What the agent has after a move of the other side: its best value, or the end's."""
    position.push(move)
    try:
        if position.outcome is None:
            return max(agent.values(position).values())
        won = position.outcome.winner
        return 0.0 if won is None else float("inf") * (1 if won == position.to_move else -1)
    finally:
        position.pop()
