"""The training runs of a visitor, here and on the disk."""

from __future__ import annotations

import itertools
import logging

from inarow.game import InputError
from inarow.lab.training.run import Run
from inarow.ui.server.jobs import JobQueue
from inarow.ui.server.kept import KeptRun
from inarow.ui.server.orders import Order, order_from
from inarow.ui.server.run_files import run_numbers
from inarow.ui.server.run_jobs import TrainingJob
from inarow.ui.server.visitor_files import VisitorFiles

MOST_RUNS = 8  # of a visitor, at once

log = logging.getLogger("inarow")


class TrainingRuns:
    """The runs of one visitor."""

    def __init__(self, queue: JobQueue, files: VisitorFiles | None = None) -> None:
        self.queue, self.files = queue, files or VisitorFiles()
        self.jobs: dict[int, TrainingJob] = {}
        numbers = run_numbers(self.files)
        for number in numbers:
            self._come_back(number)
        self._numbers = itertools.count(max(numbers, default=0) + 1)

    def _come_back(self, number: int) -> None:
        """A run that was here before the server ended."""
        told = self.files.read_as(f"run-{number}.json", KeptRun)
        if told is None:
            return
        try:
            job = TrainingJob(number, order_from(told.order), self.queue, self.files)
            job.restore(told)
            self.jobs[number] = job
        except InputError as error:
            log.warning("run %d of a visitor cannot go on: %s", number, error)

    @property
    def busy(self) -> bool:
        """Whether one of them goes on."""
        return any(job.is_active for job in self.jobs.values())

    def start(self, order: Order, begun: Run | None = None) -> TrainingJob:
        """Begins a run, or goes on with one."""
        if len(self.jobs) >= MOST_RUNS:
            raise InputError(f"{MOST_RUNS} runs at once are the most: remove one first")
        job = TrainingJob(next(self._numbers), order, self.queue, self.files, begun)
        if begun is not None:
            job.reserve()
            job.kept.write_state(begun, at_once=True)
        job.keep([])
        self.jobs[job.number] = job
        self.queue.begin(job)
        return job

    def remove(self, number: int) -> None:
        """Stops a run and forgets it."""
        job = self.jobs.pop(number, None)
        if job is not None:
            job.kept.remove()
            job.stop()

    def close(self) -> None:
        """Stops all of them; what is on the disk stays there."""
        for job in self.jobs.values():
            job.stop()
        self.jobs.clear()
