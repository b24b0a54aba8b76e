"""Schedules by hand, and as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow import InputError
from inarow.learn.options import Schedule, falling, schedule


def test_values_by_hand():
    assert schedule(0.25).at(10**9) == 0.25
    halving = schedule("1*0.5/10>0.2")
    assert [halving.at(games) for games in (0, 9, 10, 19, 20, 30)] == [1, 1, 0.5, 0.5, 0.25, 0.2]
    assert falling(1.0, 0.01, 100).at(50) == pytest.approx(0.1)
    assert falling(1.0, 0.01, 100).at(1000) == 0.01


@given(
    st.floats(0.001, 100), st.floats(0.5, 1), st.integers(1, 10**6), st.floats(0, 0.001),
    st.integers(0, 10**7),
)  # fmt: skip
def test_text_says_all(start, factor, every, least, games):
    given_schedule = Schedule(start, factor, every if factor != 1 else 1, least)
    again = schedule(str(given_schedule))
    assert again == given_schedule
    assert given_schedule.least <= again.at(games) <= given_schedule.start


@pytest.mark.parametrize(
    "text", ["", "x", "1*2", "1*0", "-1", "nan", "inf", "0.1>0.5", "1/2", "1**2"]
)
def test_bad_texts_are_refused(text):
    with pytest.raises(InputError):
        schedule(text)
