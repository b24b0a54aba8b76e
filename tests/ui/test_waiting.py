"""Work that somebody waits for: found, failed, or explained when it takes long."""

import threading

import pytest

from inarow.ui.waiting import wait_for


def test_what_is_found_comes_back_without_a_word():
    said = []
    assert wait_for(lambda: 3, 60, lambda: said.append("long")) == 3
    assert wait_for(lambda: 4, None, lambda: said.append("long")) == 4
    assert said == []


def test_what_takes_long_is_explained():
    assert wait_for((gate := threading.Event()).wait, 0.01, gate.set) is True


@pytest.mark.parametrize("error", [ZeroDivisionError, TimeoutError, KeyboardInterrupt])
def test_what_fails_fails_for_whoever_waits(error):
    def fail():
        raise error

    said = []
    with pytest.raises(error):
        wait_for(fail, 60, lambda: said.append("long"))
    assert said == []
