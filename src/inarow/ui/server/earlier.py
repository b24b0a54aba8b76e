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

MOST_SECONDS = 5.0  # of training for one question, about
MOST_MEMORY = 64 * 2**20  # bytes that the run may take
KEPT = 8  # agents, since a page asks for the same moment again and again
TURN_SECONDS = 0.2  # between two looks at the clock


@dataclass(frozen=True)
class Moment:
    """An agent that is wanted."""

    text: str  # of the order, which says all that decides
    games: int
    order: Order = field(compare=False)


def agent_at(order: Order, games: int, expected: float) -> LearnedAgent:
    """The agent after so many games, which took about the expected seconds."""
    learner = order.learner_object
    is_large = check_memory(learner, order.game, order.seed) > MOST_MEMORY
    if is_large or expected > MOST_SECONDS:
        raise _refusal(games)
    return _train(Moment(repr(order), games, order))


@lru_cache(maxsize=KEPT)
def _train(moment: Moment) -> LearnedAgent:
    """The agent of a run that is trained until then."""
    order, pace, end = moment.order, 64, time.monotonic() + 2 * MOST_SECONDS
    against = None if order.against == ITSELF else order.against
    run = Run(order.game, order.learner, order.options, against, order.seed)
    while run.games < moment.games:
        before = time.monotonic()
        if before > end:
            raise _refusal(moment.games)
        continue_training(run, min(moment.games, run.games + pace))
        if time.monotonic() - before < TURN_SECONDS / 4:
            pace *= 2
    return run.agent


def _refusal(games: int) -> InputError:
    return InputError(
        f"after {games:,} games only the usual position was recorded, and this run is too long or "
        "too large to be trained again up to there: empty the field, or look at its latest moment"
    )
