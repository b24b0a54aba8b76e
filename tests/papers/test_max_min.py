"""What only the max-min document has: since when runs cannot be beaten."""

from __future__ import annotations

import math

import numpy as np

from inarow.papers.max_min import paper


def test_for_good() -> None:
    games = np.array([5, 10, 20, 40])
    assert paper.for_good(games, np.array([False, True, True, True])) == 10
    assert paper.for_good(games, np.array([True, True, False, True])) == 40  # lost again at 20
    assert paper.for_good(games, np.array([True, True, True, True])) == 5
    assert paper.for_good(games, np.array([True, True, True, False])) is None


def test_the_median_counts_runs_that_never_got_there() -> None:
    assert paper.median_of([30, 10, 20]) == 20
    assert paper.median_of([10, None, 20, None]) == 20
    assert math.isinf(paper.median_of([10, None, None]))


def test_both_seats_must_hold_in_the_same_run() -> None:
    found = {
        "unbeatable as first": np.array([[1.0, 1.0], [0.0, 1.0]]),
        "unbeatable as second": np.array([[0.0, 1.0], [1.0, 1.0]]),
        "converts as first": np.array([[0.0, 1.0], [0.0, 1.0]]),
        "converts as second": np.array([[0.0, 1.0], [1.0, 0.0]]),
    }
    row = paper.summarise(np.array([5, 10]), found)
    assert row["unbeatable"] == {
        "first": [1, 2], "second": [1, 2], "both": [0, 2], "perfect": [0, 1],
    }  # fmt: skip
    assert (row["for_good"], row["perfect_for_good"]) == ([10, 10], [10, None])
