"""The values of the moves of the position that a visitor looks at, found beside the pages.

The estimate comes first, for it comes at once; then the exact values and a hint; then the line that
perfect play goes on with. What is found for a position that has been left is dropped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from inarow.game import Position
from inarow.lab.move_values import Estimate, best_line, estimate, exact, hint, quick_depth
from inarow.lab.player_protocols import Player
from inarow.lab.players import player
from inarow.ui.web.agents import is_uploaded, trained_side
from inarow.ui.web.cells import Insight
from inarow.ui.web.executors import Executors

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Question:
    """A position that goes on, and the player whose estimate is asked for; None for nobody's."""

    position: Position
    opponent: Player | None
    version: tuple[object, ...]  # another one makes it another question


class Insights:
    """What is known of the moves of one visitor's position; `ask` says which that is now."""

    def __init__(
        self, executors: Executors, ask: Callable[[], Question | None], tell: Callable[[], None]
    ) -> None:
        self.executors, self.ask, self.tell = executors, ask, tell
        self.found = Insight()
        self._lock = asyncio.Lock()  # one thought at a time

    def forget(self) -> None:
        """Another position is looked at."""
        self.found = Insight()

    async def refresh(self) -> None:
        """Finds out what is not known yet, and tells of each part."""
        async with self._lock:
            question = self.ask()
            if question is None:
                return

            def stale() -> bool:
                now = self.ask()
                return now is None or now.version != question.version

            from_file = question.opponent is not None and is_uploaded(question.opponent)
            lane = self.executors.of_files if from_file else self.executors.aside
            for step in (_estimated, _proven, _continued):
                if self.found.complete or stale():
                    return
                try:
                    found = await lane(_unless, stale, step, question, self.found)
                except Exception:
                    log.exception("no values")
                    found = Insight(complete=True)
                if not stale():
                    self.found = found
                    self.tell()


def untrained(opponent: Player | None, position: Position) -> bool:
    """Whether the opponent never learned to play the side that is to move."""
    own = "first" if position.to_move == 1 else "second"
    return opponent is not None and trained_side(opponent) not in (own, "both")


def _unless(
    stale: Callable[[], bool],
    step: Callable[[Question, Insight], Insight],
    question: Question,
    so_far: Insight,
) -> Insight:
    """A step, if its turn has come before nobody wants it any more."""
    return so_far if stale() else step(question, so_far)


def _estimated(question: Question, so_far: Insight) -> Insight:
    return replace(so_far, estimate=find_estimate(question))


def find_estimate(question: Question) -> Estimate | None:
    """The opponent's estimate; where it holds none, that of a player who does."""
    position, opponent, held = question.position, question.opponent, None
    if opponent is not None and not untrained(opponent, position):
        held = estimate(opponent, position)
    return held or estimate(player(f"minimax:{quick_depth(position.game)}@central"), position)


def _proven(question: Question, so_far: Insight) -> Insight:
    position, opponent = question.position, question.opponent
    proven = exact(position)
    advice = hint(position, None if untrained(opponent, position) else opponent)
    return replace(so_far, exact=proven, hint=advice, complete=proven is None)


def _continued(question: Question, so_far: Insight) -> Insight:
    return replace(so_far, line=tuple(best_line(question.position)), complete=True)
