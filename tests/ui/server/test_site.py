"""Visitors are kept apart, kept while they are here, and forgotten when they are not."""

from uuid import uuid4

import pytest

import inarow
from inarow.game import InputError, game
from inarow.ui.server.site import Site, Visitors
from inarow.ui.server.visitor_files import VisitorFiles

TICTACTOE = game("tictactoe")


class Somebody:
    """A visitor of whom only this much matters."""

    def __init__(self, identity):
        self.identity, self.busy, self.closed = identity, False, False

    def close(self):
        self.closed = True


class Clock:
    """A time that tests can turn."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def site(tmp_path):
    site = Site(tmp_path)
    yield site
    site.close()


def test_an_id_is_one_visitor():
    visitors = Visitors(Somebody)
    assert visitors.find("a") is visitors.find("a")
    assert visitors.find("b") is not visitors.find("a")


def test_the_longest_away_leaves_first():
    visitors = Visitors(Somebody, most=2)
    a, b = (visitors.find(name) for name in "ab")
    visitors.find("a")
    visitors.find("c")
    assert len(visitors) == 2
    assert (a.closed, b.closed) == (False, True)


def test_the_idle_are_forgotten_unless_work_goes_on():
    clock = Clock()
    visitors = Visitors(Somebody, idle=10, clock=clock)
    idle, busy = (visitors.find(name) for name in "ab")
    busy.busy = True
    clock.now = 11
    visitors.find("c")
    assert (idle.closed, busy.closed, len(visitors)) == (True, False, 2)


def test_all_are_closed_at_the_end():
    visitors = Visitors(Somebody)
    somebody = visitors.find("a")
    visitors.close()
    assert somebody.closed
    assert len(visitors) == 0


def test_a_page_that_listens_keeps_its_visitor(site):
    visitor = site.visitors.find(str(uuid4()))
    assert not visitor.busy
    visitor.streams += 1
    assert visitor.busy


def test_what_a_visitor_has_is_there_again(site, tmp_path):
    """Agent files too, which arenas and training can use."""
    identity = str(uuid4())
    run = inarow.train("tictactoe", "q", games=200, seed=1)
    visitor = site.visitors.find(identity)
    assert visitor.uploads.add("mine", run.state()) == "mine.safetensors"
    assert visitor.player("mine.safetensors", TICTACTOE).game == TICTACTOE
    assert visitor.agent_file("mine.safetensors")[0].read_bytes() == run.state()
    again = Site(tmp_path).visitors.find(identity)
    assert again.player("mine.safetensors", TICTACTOE).game == TICTACTOE
    other = site.visitors.find(str(uuid4()))
    with pytest.raises(InputError, match="there is no agent"):
        other.player("mine.safetensors", TICTACTOE)
    with pytest.raises(InputError, match="plays tictactoe"):
        visitor.player("mine.safetensors", game("connect4:4x4"))


def test_an_id_of_another_form_keeps_nothing(site):
    visitor = site.visitors.find("../../etc")
    assert isinstance(visitor.files, VisitorFiles)
    assert visitor.files.place is None
