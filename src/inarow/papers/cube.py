"""The cube paper's study: five value networks for Tic-Tac-Toe 3D, trained in two ways.

Van de Steeg, Drugan and Wiering, "Temporal Difference Learning for the Game Tic-Tac-Toe 3D:
Applying Structure to Neural Networks". Ten cells (a network, and itself or the benchmark player as
its opponent), ten trials of 1,000,000 games each, and after every 10,000 games a test of 1,000
games against the benchmark player. This file says what was published and what is run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from inarow.game import InputError
from inarow.lab.study import Study

WORK = "inarow.lab.training_work:TrainingWork"
SELF_PLAY, BENCHMARK_TRAINING = "self-play", "benchmark training"

# Table I: hidden layers as the paper writes them, and weights.
TABLE_I = {
    "small-structured": ("64-304-1", 1_520),
    "deep-structured": ("64-304-32-1", 10_976),
    "small-unstructured": ("64-50-1", 3_250),
    "deep-unstructured": ("64-95-51-1", 10_976),
    "wide-unstructured": ("64-169-1", 10_985),
}


@dataclass(frozen=True)
class Win:
    """A published win percentage, draws as half a win: mean and deviation over ten trials."""

    mean: float
    deviation: float


# Tables II and III: the best of a trial's 100 tests, and the mean of its last 40.
PUBLISHED: dict[str, dict[str, tuple[Win, Win]]] = {
    SELF_PLAY: {
        "small-structured": (Win(50.6, 4.9), Win(29.4, 8.8)),
        "deep-structured": (Win(65.9, 5.0), Win(52.7, 6.8)),
        "small-unstructured": (Win(31.2, 6.2), Win(20.2, 4.3)),
        "deep-unstructured": (Win(38.2, 5.4), Win(24.8, 4.9)),
        "wide-unstructured": (Win(54.1, 5.5), Win(36.1, 7.1)),
    },
    BENCHMARK_TRAINING: {
        "small-structured": (Win(94.3, 3.1), Win(90.7, 2.4)),
        "deep-structured": (Win(98.7, 0.3), Win(97.3, 0.8)),
        "small-unstructured": (Win(93.3, 1.8), Win(90.4, 1.5)),
        "deep-unstructured": (Win(98.1, 0.5), Win(96.2, 1.0)),
        "wide-unstructured": (Win(96.8, 0.8), Win(94.4, 1.5)),
    },
}
END_TESTS = 40  # of 100: what "end" is the mean of

# The default reading: the benchmark player keeps one order of the columns for a game, and the
# learner moves first in tests. The other tests cost little and show how much hangs on that.
OPPONENT = "benchmark@game"
TEST = f"games:{OPPONENT}:1000:first"
OTHER_TESTS = (f"games:{OPPONENT}:1000", "games:benchmark@random:1000")


@dataclass(frozen=True)
class Scale:
    """How much of the study is run."""

    games: int  # a trial
    examine_every: int
    trials: int
    tests: tuple[str, ...]


SCALES = {
    "quick": Scale(20_000, 2_000, 2, (TEST,)),
    "paper": Scale(1_000_000, 10_000, 10, (TEST,)),
    "tests": Scale(1_000_000, 10_000, 10, (TEST, *OTHER_TESTS)),  # the paper's, tested thrice
}


def scale_of(name: str) -> Scale:
    """A scale by name."""
    if name not in SCALES:
        raise InputError(f"unknown scale {name!r}: there is {', '.join(SCALES)}")
    return SCALES[name]


def study(scale: str = "paper", **options: Any) -> Study:
    """The ten cells; options of the learner for another reading than the default one."""
    size = scale_of(scale)
    cells = tuple(
        {
            "game": "cube",
            "learner": "mlp",
            "against": against,
            "games": size.games,
            "examine_every": size.examine_every,
            "examinations": list(size.tests),
            "network": network,
            **options,
        }
        for against in (None, OPPONENT)
        for network in TABLE_I
    )
    return Study(f"cube {scale}", cells, WORK)
