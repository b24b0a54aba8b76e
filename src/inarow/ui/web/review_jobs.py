"""Games reviewed for visitors: a position in each turn, so that nobody waits for another's game."""

from __future__ import annotations

from collections.abc import Callable

from inarow.game import InputError, Position
from inarow.lab.analysis import Analyser, Analysis
from inarow.ui.web.job_queue import Job, JobQueue

SECONDS = 1.0  # for one position
MOST_SECONDS = 60.0  # for a game
MOST_REVIEWS = 32  # that go on at a time, of all visitors


class ReviewJob(Job):
    """The review of a game; `tell` is called, in a thread, whenever there is something new."""

    def __init__(self, position: Position, since: int, tell: Callable[[], None]) -> None:
        super().__init__()
        self.position, self.since, self.tell = position.copy(), since, tell
        work = Analyser(position, SECONDS, since)
        work.seconds = min(SECONDS, MOST_SECONDS / max(1, work.left))
        self.positions, self.work = work.left, work
        self.analysis: Analysis | None = None  # when it is done

    @property
    def done(self) -> int:
        """How many positions have been looked at."""
        return self.positions - self.work.left

    def is_of(self, position: Position, since: int) -> bool:
        """Whether it reviews that game, or one that goes on as it does."""
        return (self.position.game, self.since) == (position.game, since) and (
            self.position.moves == position.moves
        )

    def turn(self) -> bool:
        """Looks at one more position."""
        if self.work.left:
            self.work.step()
        if not self.work.left:
            self.analysis = self.work.analysis()
        self.tell()
        return self.analysis is None

    def on_end(self) -> None:
        """Says that it has ended, in whatever way."""
        self.tell()


def begin_review(queue: JobQueue, job: ReviewJob) -> None:
    """Puts a review in the line, if that is not too long."""
    if sum(one.going_on for one in queue.jobs) >= MOST_REVIEWS:
        raise InputError(f"{MOST_REVIEWS} games are being reviewed: try again in a moment")
    queue.begin(job)
