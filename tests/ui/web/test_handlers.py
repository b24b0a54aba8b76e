"""Handlers of pages that wait: for whoever has left meanwhile, nothing is done."""

import asyncio
from types import SimpleNamespace

import pytest

from inarow.game import InputError
from inarow.ui.web.handlers import in_thread


def fail():
    raise InputError("no")


def test_a_page_that_was_left_is_told_nothing():
    open_page, left = SimpleNamespace(is_deleted=False), SimpleNamespace(is_deleted=True)
    done = []
    assert asyncio.run(in_thread(open_page, int, "7")) == 7
    with pytest.raises(InputError, match="no"):
        asyncio.run(in_thread(open_page, fail))
    for work in (lambda: done.append(1), fail):
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(in_thread(left, work))
    assert done == [1]  # the work itself is
