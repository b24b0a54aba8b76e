"""Several threads on one position: each walks the whole tree, and they share the early table.

What one finds out the others find in the table, and after the first move of a node each takes one
that no other is searching (`negamax.take_next`). The threads answer one question at a time, and
the first answer ends it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np

from inarow.search import driver
from inarow.search.bitboard import Layout
from inarow.search.negamax import ROW
from inarow.search.search_stack import HIGH, LOW, NODES, SearchStack, new_stack
from inarow.search.table import Table

ALONE = 100_000  # nodes that one thread takes before it asks for help
SLICE = 200_000  # nodes between two looks whether another thread has answered

Count = Callable[[int], None]  # is told nodes as they are searched; raises where they are too many


def solve_together(
    layout: Layout,
    table: Table,
    batch: driver.Batch,
    window: tuple[int, int],
    threads: int,
    count: Count,
    bounds: list[tuple[int, int]],
) -> None:
    """Fills in the scores of positions that go on, as `driver.solve_many` does.

    `bounds` says meanwhile between which two scores that of each position lies.
    """
    for at in range(len(batch.owns)):
        only = slice(at, at + 1)
        one = driver.Batch(batch.owns[only], batch.masks[only], batch.scores[only])
        stack = new_stack(ROW)
        solved = driver.solve_many(layout, table, stack, one, window, ALONE)
        low, high = int(stack.state[LOW]), int(stack.state[HIGH])
        bounds[at] = low, high
        count(int(stack.state[NODES]))
        while not solved and low < high:
            question = min(max(low, 0), high - 1)
            score = _answer(layout, table, one, question, threads, count)
            low, high = (score, high) if score > question else (low, question)
            one.scores[0], bounds[at] = low, (low, high)


def _answer(
    layout: Layout,
    table: Table,
    one: driver.Batch,
    question: int,
    threads: int,
    count: Count,
) -> int:
    """A score above the question that the position has at least; or the question itself."""
    answered = Event()

    def search_alone() -> int | None:
        stack = new_stack(ROW)
        late = np.zeros_like(table.late)  # it stays in the cache of this thread's core
        mine, memory = one._replace(scores=np.zeros(1, dtype=np.int64)), table._replace(late=late)
        while not answered.is_set():
            solved = _slice(layout, memory, stack, mine, question, count)
            if solved:
                answered.set()
                return int(mine.scores[0])
        return None

    with ThreadPoolExecutor(threads) as pool:
        try:
            threads_at_work = [pool.submit(search_alone) for _ in range(threads)]
            answers = [each.result() for each in threads_at_work]
        finally:
            answered.set()  # also where a person wants to stop, or the nodes are too many
    return next(answer for answer in answers if answer is not None)


def _slice(
    layout: Layout,
    table: Table,
    stack: SearchStack,
    mine: driver.Batch,
    question: int,
    count: Count,
) -> bool:
    """Goes on with a thread's walk for a while; whether that answered the question."""
    before = int(stack.state[NODES])
    window = question, question + 1
    solved = driver.solve_many(layout, table, stack, mine, window, before + SLICE)
    count(int(stack.state[NODES]) - before)
    return solved
