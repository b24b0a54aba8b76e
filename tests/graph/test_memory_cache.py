"""Results are kept while there is room, and made once."""

import threading

import numpy as np
import pytest

from inarow.game import game
from inarow.graph import memory_cache
from inarow.graph.graph import graph_of, values_of
from inarow.graph.memory_cache import cached, cached_bytes, size_of


@pytest.fixture
def room(monkeypatch):
    """Sets how many bytes there are, beside what other tests have left."""
    monkeypatch.setattr(memory_cache, "_results", type(memory_cache._results)())

    def give(size):
        monkeypatch.setattr(memory_cache, "machine_bytes", lambda: size * memory_cache.MEMORY_SHARE)

    return give


def test_what_is_asked_for_again_is_not_made_again(room):
    room(1000)
    made = []

    @cached
    def numbers(size, offset=0):
        made.append(size)
        return np.zeros(size, dtype=np.int8) + offset

    assert numbers(100) is numbers(100)
    assert numbers(100, offset=1) is numbers(100, offset=1)
    assert made == [100, 100]
    assert cached_bytes() == 200
    numbers.cache_clear()
    assert cached_bytes() == 0


def test_more_than_there_is_room_for_is_dropped_the_longest_unused_first(room):
    room(250)
    made = []

    @cached
    def numbers(name):
        made.append(name)
        return np.zeros(100, dtype=np.int8)

    numbers("a")
    numbers("b")
    numbers("a")
    numbers("c")  # b goes
    numbers("a")
    numbers("b")
    assert made == ["a", "b", "c", "b"]
    room(10)
    assert len(numbers("d")) == 100  # what nobody has room for is still given
    assert cached_bytes() == 100


def test_graphs_leave_with_all_that_was_made_from_them(room):
    room(10**9)
    first = graph_of(game("tictactoe"))
    values_of(first)
    taken = cached_bytes()
    assert taken == size_of(first) + size_of(values_of(first)) > 100_000
    room(taken)
    graph_of(game("mnk:3x3x2"))
    assert graph_of(game("tictactoe")) is not first
    assert not any(part is first for key in memory_cache._results for part in key)


def test_two_threads_make_it_once(room):
    room(1000)
    made, gate = [], threading.Event()

    @cached
    def numbers(size):
        made.append(size)
        gate.wait()
        return np.zeros(size)

    found = []
    threads = [threading.Thread(target=lambda: found.append(numbers(5))) for _ in range(3)]
    for thread in threads:
        thread.start()
    gate.set()
    for thread in threads:
        thread.join()
    assert made == [5]
    assert found[0] is found[1] is found[2]


def test_what_fails_is_tried_again(room):
    room(1000)
    made = []

    @cached
    def numbers(size):
        made.append(size)
        if len(made) == 1:
            raise ValueError
        return np.zeros(size)

    with pytest.raises(ValueError):  # noqa: PT011 - one of its own
        numbers(5)
    assert len(numbers(5)) == 5
