"""Visitors are kept apart, kept while they are here, and forgotten when they are not."""

from inarow.ui.web.visitors import Visitors


class Thing:
    """Something that a visitor has."""

    busy = False
    closed = False

    def close(self):
        self.closed = True


class Clock:
    """A time that tests can turn."""

    now = 0.0

    def __call__(self):
        return self.now


def test_each_has_one_thing_of_a_kind():
    visitors = Visitors()
    thing = visitors.of("a").one(Thing, Thing)
    assert visitors.of("a").one(Thing, Thing) is thing
    assert visitors.of("b").one(Thing, Thing) is not thing


def test_the_longest_away_leaves_first():
    visitors = Visitors(most=2)
    things = {name: visitors.of(name).one(Thing, Thing) for name in "ab"}
    visitors.of("a")
    visitors.of("c")
    assert len(visitors) == 2
    assert (things["a"].closed, things["b"].closed) == (False, True)


def test_the_idle_are_forgotten_unless_work_goes_on():
    clock = Clock()
    visitors = Visitors(idle=10, clock=clock)
    idle, busy = (visitors.of(name).one(Thing, Thing) for name in "ab")
    busy.busy = True
    clock.now = 11
    visitors.of("c")
    assert (idle.closed, busy.closed, len(visitors)) == (True, False, 2)


def test_all_is_closed_at_the_end():
    visitors = Visitors()
    thing = visitors.of("a").one(Thing, Thing)
    visitors.close()
    assert thing.closed
