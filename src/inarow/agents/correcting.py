"""Correcting a learned agent until it gives nothing away, whoever its opponent is.

All positions that the agent can meet against anyone, up to the number of stones from which it
searches to the end, are gone through; an exact judge finds every move that gives the value away
(`search.judged`). These moves are corrected in the weights (`learn.ntuple_correct`), and then all
is gone through again, since other moves lead to other positions. It ends when nothing is left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

import numpy as np

from inarow.game import InputError
from inarow.graph.anyone import traverse_against_anyone
from inarow.learn.ntuple.agent import NTupleAgent
from inarow.learn.ntuple.corrections import Corrections, Stones
from inarow.search.judged import JudgedPlayer, judged, judged_next, kept_moves, stones_of

MOST_ROUNDS = 200


class Round(TypedDict):
    """What was found and corrected once through all games."""

    positions: int
    mistakes: int
    steps: int


Report = Callable[[Round], None]


def correct(
    agent: NTupleAgent,
    stones: int,
    report: Report = lambda found: None,
    sides: tuple[int, ...] = (0,),
) -> tuple[Corrections, list[Round]]:
    """Corrects an agent on its sides until it makes no mistake before so many stones.

    Returns it, and for each round the positions gone through, the mistakes found in them and the
    steps that corrected these.
    """
    corrections, rounds = Corrections(agent), list[Round]()
    judge: JudgedPlayer | None = None
    seen = set[tuple[int, int]]()
    for _ in range(MOST_ROUNDS):
        now = corrections.agent()
        judge = judged(now, agent.game) if judge is None else judged_next(judge, now, agent.game)
        positions = 0
        for side in sides:
            traversal = traverse_against_anyone(agent.game, judge, side, stones=stones)
            positions += traversal.positions
        if judge.noted[0] > len(judge.notes):
            raise InputError(f"{judge.noted[0]:,} mistakes are too many to be corrected")
        noted = np.unique(judge.notes[: judge.noted[0]], axis=0)
        for own, mask in noted.tolist():
            if (own, mask) not in seen:
                seen.add((own, mask))
                _add(corrections, judge, own, mask)
        steps = corrections.settle() if len(noted) else 0
        rounds.append({"positions": positions, "mistakes": len(noted), "steps": steps})
        report(rounds[-1])
        if not len(noted):
            return corrections, rounds
    raise InputError(f"{rounds[-1]['mistakes']} mistakes are left after {MOST_ROUNDS} rounds")


def _add(corrections: Corrections, judge: JudgedPlayer, own: int, mask: int) -> None:
    """Of the moves that keep the value, the one that the network first liked best is the right."""
    game = corrections.network.game
    stones = np.array(stones_of(game, own, mask), dtype=np.int8)
    mover = 1 + mask.bit_count() % 2
    kept, after = kept_moves(judge, own, mask), dict[int, Stones]()
    for move in range(game.columns):
        column = stones[move :: game.columns]
        if (column == 0).any():
            after[move] = stones.copy()
            after[move][int(np.argmin(column != 0)) * game.columns + move] = mover
    sign = 3 - 2 * mover
    right = max(kept, key=lambda move: sign * corrections.first_value(after[move]))
    corrections.add(after[right], [after[move] for move in after if move not in kept])
