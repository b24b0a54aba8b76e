"""BrowserSessions are kept apart, kept while they are here, and forgotten when they are not."""

from inarow.ui.web.browser_sessions import BrowserSessions


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
    visitors = BrowserSessions()
    thing = visitors.of("a").one(Thing, Thing)
    assert visitors.of("a").one(Thing, Thing) is thing
    assert visitors.of("b").one(Thing, Thing) is not thing


def test_the_longest_away_leaves_first():
    visitors = BrowserSessions(most=2)
    things = {name: visitors.of(name).one(Thing, Thing) for name in "ab"}
    visitors.of("a")
    visitors.of("c")
    assert len(visitors) == 2
    assert (things["a"].closed, things["b"].closed) == (False, True)


def test_the_idle_are_forgotten_unless_work_goes_on():
    clock = Clock()
    visitors = BrowserSessions(idle=10, clock=clock)
    idle, busy = (visitors.of(name).one(Thing, Thing) for name in "ab")
    busy.busy = True
    clock.now = 11
    visitors.of("c")
    assert (idle.closed, busy.closed, len(visitors)) == (True, False, 2)


def test_nobody_is_forgotten_whose_page_is_open():
    clock = Clock()
    visitors = BrowserSessions(most=2, idle=10, clock=clock)
    here = visitors.of("here")
    thing = here.one(Thing, Thing)
    visitors.come(here, "page")
    clock.now = 100
    for number in range(5):
        visitors.of(f"program {number}")
    assert not thing.closed
    visitors.leave(here, "another page")
    visitors.of("program")
    assert not thing.closed
    visitors.leave(here, "page")
    assert not thing.closed  # seen a moment ago
    clock.now = 200
    visitors.of("program")
    assert thing.closed
    visitors.leave(here, "page")  # late, and nobody comes back by it
    assert len(visitors) == 1


def test_who_only_asked_for_a_page_is_forgotten_before_who_had_one_open():
    visitors = BrowserSessions(most=2)
    stayed = visitors.of("stayed")
    thing = stayed.one(Thing, Thing)
    visitors.come(stayed, "page")
    visitors.leave(stayed, "page")
    for number in range(5):
        visitors.of(f"program {number}")
    assert not thing.closed
    assert len(visitors) == 2


def test_all_is_closed_at_the_end():
    visitors = BrowserSessions()
    thing = visitors.of("a").one(Thing, Thing)
    visitors.close()
    assert thing.closed
