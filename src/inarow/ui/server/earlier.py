"""The agent of a run at an earlier moment, trained again: order and seed decide all of a run."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from inarow.game import InputError
from inarow.lab.training.run import Run, continue_training
from inarow.learn.agent import LearnedAgent
from inarow.learn.learner import ITSELF
from inarow.ui.server.players import check_memory

if TYPE_CHECKING:
    from inarow.ui.server.orders import Order

MOST_SECONDS = 5.0  # of the processor for one moment
LONGEST = 60.0  # seconds of a run, its compiling included, beyond which it is not tried
MOST_MEMORY = 64 * 2**20  # bytes that the run may take
KEPT = 8  # agents, since a page asks for the same moment again and again
TURN_SECONDS = 0.2  # between two looks at the clock


@dataclass(frozen=True)
class Moment:
    """An agent that is wanted."""

    text: str  # of the order, which says all that decides
    games: int
    order: Order = field(compare=False)


def agent_at(order: Order, games: int, took: float) -> LearnedAgent:
    """The agent after so many games, which took about so many seconds in its run."""
    learner = order.learner_object
    is_small = check_memory(learner, order.game, order.seed) <= MOST_MEMORY
    agent = _train(Moment(repr(order), games, order)) if is_small and took <= LONGEST else None
    if agent is None:
        raise InputError(
            f"after {games:,} games only the usual position was recorded, and the run is too long "
            "or too large to be trained again up to there: empty the field, or look at a moment "
            "that is earlier or the latest"
        )
    return agent


@lru_cache(maxsize=KEPT)
def _train(moment: Moment) -> LearnedAgent | None:
    """The agent of a run that is trained until then; None if that takes too long."""
    order, pace, end = moment.order, 1, time.thread_time() + MOST_SECONDS
    against = None if order.against == ITSELF else order.against
    run = Run(order.game, order.learner, order.options, against, order.seed)
    while run.games < moment.games:
        before = time.thread_time()
        if before > end:
            return None
        continue_training(run, min(moment.games, run.games + pace))
        if time.thread_time() - before < TURN_SECONDS / 4:
            pace *= 2
    return run.agent
