"""Work beside the pages, in turns: many jobs, few threads, and nobody waits for another's end.

A job does its work in turns, of a fraction of a second where it can. A thread takes the job that
waited longest, lets it have one turn, and puts it at the end of the line. So the curves of several
runs grow side by side, and a visitor's long run does not keep another's short one waiting.
"""

from __future__ import annotations

import logging
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from queue import SimpleQueue
from weakref import WeakSet

from inarow.game import InputError
from inarow.game.files import bytes_text

NICE = 10  # of the threads, of at most 19


class State(StrEnum):
    """How far a job is."""

    WAITING = "waiting"  # for its first turn
    RUNNING = "running"
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"


ACTIVE = (State.WAITING, State.RUNNING)


class Stopped(Exception):  # noqa: N818 - no error: somebody pressed Stop
    """Ends a long turn of a job that is to stop."""


class Job(ABC):
    """Work in turns."""

    size = 0  # bytes that it holds, as far as they count

    def __init__(self) -> None:
        self.state = State.WAITING
        self.error = ""  # one line, where it failed
        self.stopping = False
        self.in_line = False
        self._lock, self._next = threading.Lock(), threading.Lock()

    @abstractmethod
    def turn(self) -> bool:
        """Does some more of the work; whether there is more to do."""

    @property
    def is_active(self) -> bool:
        """Whether it has work left that nobody stopped."""
        return self.state in ACTIVE

    @contextmanager
    def between_turns(self) -> Iterator[None]:
        """Holds the job between two of its turns.

        Whoever comes next waits at a door of its own: else the thread that has just finished a
        turn would begin another before anybody wakes up.
        """
        with self._next:
            self._lock.acquire()
        try:
            yield
        finally:
            self._lock.release()

    def stop(self) -> None:
        """Ends the work after this turn."""
        self.stopping = True

    def take_turn(self) -> bool:
        """One turn; whether the job goes on."""
        with self.between_turns():
            if not self.is_active:
                return False
            try:
                if self.stopping:
                    raise Stopped
                self.state = State.RUNNING
                if not self.turn():
                    self.state = State.DONE
            except Stopped:
                self.state = State.STOPPED
            except InputError as error:
                self._fail(str(error))
            except MemoryError:
                self._fail("the server has too little memory for this")
            except Exception as error:
                logging.getLogger(__name__).exception("a job failed")
                self._fail(f"something went wrong: {error}")
            if ended := self.state not in ACTIVE:
                self.on_end()
            return not ended

    def on_end(self) -> None:
        """Called once when the job ends, in whatever way; does nothing by default."""
        return

    def _fail(self, line: str) -> None:
        self.state, self.error = State.FAILED, line


class JobQueue:
    """The threads, and the line of jobs that wait for them."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or os.cpu_count() or 1
        self.jobs: WeakSet[Job] = WeakSet()
        self._line: SimpleQueue[Job | None] = SimpleQueue()
        self._workers: list[threading.Thread] = []
        self._closed = False
        self._lock = threading.Lock()

    def reserve(self, job: Job, size: int, most: int) -> None:
        """Lets a job hold so many bytes, if all jobs together then hold no more than `most`."""
        with self._lock:
            taken = sum(other.size for other in self.jobs if other is not job)
            if taken + size > most:
                raise InputError(
                    f"this takes {bytes_text(size)} of memory, and what others began takes "
                    f"{bytes_text(taken)} of the {bytes_text(most)} that there are for it here: "
                    "remove something, or take a smaller game"
                )
            job.size = size

    def begin(self, job: Job) -> None:
        """Puts a job in the line: a new one, or one that was stopped or has more to do."""
        with self._lock:
            job.state, job.stopping, job.error = State.WAITING, False, ""
            self.jobs.add(job)
            if not job.in_line:
                job.in_line = True
                self._line.put(job)
            while len(self._workers) < self.threads and not self._closed:
                # They end with the program, even in the middle of a turn.
                worker = threading.Thread(target=self._work, daemon=True)
                self._workers.append(worker)
                worker.start()

    def close(self) -> None:
        """No turn begins any more."""
        self._closed = True
        for _ in self._workers:
            self._line.put(None)

    def _work(self) -> None:
        _lower_priority()
        while (job := self._line.get()) is not None and not self._closed:
            goes_on = job.take_turn()
            with self._lock:
                job.in_line = goes_on or job.is_active  # somebody may just have begun it again
                if job.in_line:
                    self._line.put(job)


def _lower_priority() -> None:
    """Lets the threads that answer visitors go first, where the system knows of such manners."""
    with suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
