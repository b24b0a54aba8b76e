"""Equivalence of published numbers: margins, both errors of the tests, their power, Holm."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t, ttest_ind_from_stats

from inarow.lab.statistics import smallest_difference
from inarow.papers.verdicts import (
    LEVEL,
    Sample,
    Share,
    compare_means,
    compare_shares,
    difference_of_shares,
    holm,
    margin_of_shares,
    power_of_equivalence,
)


def test_the_difference_is_welchs_test() -> None:
    ours, published = Sample(52.1, 3.0, 30), Sample(50.0, 6.8, 10)
    found = compare_means(ours, published, 5.0)
    expected = ttest_ind_from_stats(52.1, 3.0, 30, 50.0, 6.8, 10, equal_var=False)
    assert found.differs == pytest.approx(expected.pvalue)
    assert found.difference == pytest.approx(2.1)


def test_equivalent_is_an_interval_of_90_percent_within_the_margin() -> None:
    for margin in (1.0, 3.0, 4.0, 6.0, 9.0):
        found = compare_means(Sample(52.1, 3.0, 30), Sample(50.0, 6.8, 10), margin)
        inside = -margin < found.low and found.high < margin
        assert (found.equivalent < LEVEL) == inside
    assert found.equivalent < LEVEL


def test_the_margin_is_what_the_paper_would_see_in_four_of_five_repetitions() -> None:
    runs, deviation, studies = 10, 6.8, 20_000
    margin = smallest_difference(deviation, runs)
    generator = np.random.default_rng(1)
    one, other = generator.normal(0, deviation, (2, studies, runs))
    other = other + margin
    error = np.sqrt((one.var(axis=1, ddof=1) + other.var(axis=1, ddof=1)) / runs)
    score = np.abs(other.mean(axis=1) - one.mean(axis=1)) / error
    seen = (score > t.ppf(1 - LEVEL / 2, 2 * runs - 2)).mean()
    assert seen == pytest.approx(0.8, abs=0.02)


def test_both_errors_are_held_and_the_power_is_as_said() -> None:
    """Where the means are a margin apart few match; where they are equal, as many as is said."""
    generator = np.random.default_rng(2)
    margin, sizes = smallest_difference(1.0, 10), (30, 10)
    for apart, least, most in ((margin, 0.0, LEVEL + 0.01), (0.0, None, None)):
        ours, theirs = (generator.normal(0, 1, (1_500, runs)) for runs in sizes)
        found = [
            compare_means(
                Sample(one.mean() + apart, one.std(ddof=1), 30),
                Sample(other.mean(), other.std(ddof=1), 10),
                margin,
            )
            for one, other in zip(ours, theirs, strict=True)
        ]
        matches = np.mean([one.equivalent < LEVEL for one in found])
        if least is not None:
            assert least <= matches <= most
        else:
            error = math.sqrt(1 / 30 + 1 / 10)
            said = power_of_equivalence(margin, error, 15.0)
            assert matches == pytest.approx(said, abs=0.05)
            assert np.mean([one.differs < LEVEL for one in found]) == pytest.approx(LEVEL, abs=0.02)


def test_runs_that_are_all_alike() -> None:
    same = compare_means(Sample(2e6, 0.0, 100), Sample(2e6, 0.0, 100), 0.0)
    assert (same.differs, same.equivalent) == (1.0, 0.0)
    other = compare_means(Sample(1e6, 0.0, 100), Sample(2e6, 0.0, 100), 0.0)
    assert (other.differs, other.equivalent) == (0.0, 1.0)


def test_newcombes_interval_of_his_paper() -> None:
    """56 of 70 and 48 of 80 (Newcombe 1998, Table II, method 10)."""
    low, high = difference_of_shares(Share(56, 70), Share(48, 80), float(norm.ppf(0.975)))
    assert (low, high) == (pytest.approx(0.0524, abs=5e-5), pytest.approx(0.3339, abs=5e-5))


def test_shares_match_only_with_runs_enough() -> None:
    published = Share(35, 100)
    margin = margin_of_shares(published)
    assert margin == pytest.approx(0.189, abs=0.002)
    many, few = (compare_shares(Share(n * 36 // 100, n), published, margin) for n in (1_000, 20))
    assert many.equivalent < LEVEL
    assert few.equivalent > LEVEL
    assert few.power < many.power
    assert few.power < 0.5 < many.power
    far = compare_shares(Share(600, 1_000), published, margin)
    assert far.equivalent == 1.0
    assert far.differs < LEVEL


def test_one_loser_in_a_thousand_does_not_contradict_none_in_a_hundred() -> None:
    published = Share(100, 100)
    found = compare_shares(Share(999, 1_000), published, margin_of_shares(published))
    assert found.differs == 1.0
    assert found.equivalent < LEVEL


@given(
    st.integers(0, 100), st.integers(0, 200), st.floats(0.01, 0.5, allow_nan=False)
)  # fmt: skip
def test_the_p_value_of_shares_is_that_of_their_interval(
    theirs: int, successes: int, margin: float
) -> None:
    found = compare_shares(Share(successes, 200), Share(theirs, 100), margin)
    if abs(found.equivalent - LEVEL) > 1e-9:
        inside = -margin < found.low and found.high < margin
        assert (found.equivalent < LEVEL) == inside


def test_holm() -> None:
    assert holm([]) == []
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
