"""Jobs in turns: side by side, stopped in time, failing with one line."""

import threading
import time

import pytest

from inarow.game import InputError
from inarow.ui.server.jobs import Job, JobQueue, State


class Count(Job):
    """Counts to a number and tells a list of each turn."""

    def __init__(self, name: str, end: int, told: list) -> None:
        super().__init__()
        self.name, self.end, self.told, self.count = name, end, told, 0

    def turn(self) -> bool:
        time.sleep(0.001)
        self.count += 1
        self.told.append(self.name)
        return self.count < self.end


class Breaks(Job):
    """Fails."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error_to_raise = error

    def turn(self) -> bool:
        raise self.error_to_raise


@pytest.fixture
def make():
    made = []

    def make(threads: int) -> JobQueue:
        made.append(JobQueue(threads))
        return made[-1]

    yield make
    for queue in made:
        queue.close()


def wait(*jobs: Job) -> None:
    end = time.monotonic() + 20
    while any(job.is_active for job in jobs):
        assert time.monotonic() < end
        time.sleep(0.001)


def test_a_long_job_lets_short_ones_pass(make):
    queue, told = make(1), []
    long, short = Count("long", 10**6, told), Count("short", 5, told)
    queue.begin(long)
    queue.begin(short)
    wait(short)
    assert short.state is State.DONE
    first = told.index("short")
    assert told[first : first + 9].count("short") == 5  # one after the other
    long.stop()
    wait(long)
    assert long.state is State.STOPPED
    count = long.count
    queue.begin(long)
    while long.count == count:
        time.sleep(0.001)
    long.stop()
    wait(long)


def test_no_more_at_once_than_threads(make):
    queue, at_once, most = make(2), [], []

    class Watched(Count):
        def turn(self) -> bool:
            at_once.append(self)
            most.append(len(at_once))
            time.sleep(0.002)
            at_once.remove(self)
            return super().turn()

    jobs = [Watched(str(number), 10, []) for number in range(6)]
    for job in jobs:
        queue.begin(job)
    wait(*jobs)
    assert max(most) == 2
    assert [job.count for job in jobs] == [10] * 6


def test_somebody_who_asks_gets_between_two_turns(make):
    """Though the thread would begin the next turn at once."""
    queue, told = make(1), []
    job = Count("busy", 10**6, told)
    queue.begin(job)
    for _ in range(20):
        with job.between_turns():
            count = job.count
            time.sleep(0.005)
            assert job.count == count
    job.stop()
    wait(job)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (InputError("the board is too large"), "the board is too large"),
        (MemoryError(), "too little memory"),
        (ZeroDivisionError("by zero"), "something went wrong: by zero"),
    ],
)
def test_failures_are_one_line_and_hurt_nobody(make, error, line):
    queue = make(1)
    job, other = Breaks(error), Count("other", 3, [])
    queue.begin(job)
    queue.begin(other)
    wait(job, other)
    assert job.state is State.FAILED
    assert line in job.error
    assert other.state is State.DONE


def test_a_job_that_stands_in_line_twice_has_one_place(make):
    queue, gate = make(1), threading.Event()

    class Gate(Job):
        def turn(self) -> bool:
            gate.wait(10)
            return False

    blocker, job = Gate(), Count("once", 1, [])
    queue.begin(blocker)
    queue.begin(job)
    job.stop()
    queue.begin(job)
    gate.set()
    wait(blocker, job)
    time.sleep(0.02)
    assert (job.state, job.count) == (State.DONE, 1)


def test_sizes_add_up_and_closing_ends_all(make):
    queue = make(1)
    jobs = [Count("endless", 10**6, []) for _ in range(3)]
    for job in jobs:
        queue.begin(job)
        queue.reserve(job, 100, 300)
    with pytest.raises(InputError, match="remove something"):
        queue.reserve(jobs[0], 101, 300)
    queue.close()
    time.sleep(0.05)
    counts = [job.count for job in jobs]
    time.sleep(0.05)
    assert [job.count for job in jobs] == counts
