"""The cube paper's study: five value networks for Tic-Tac-Toe 3D, trained in two ways.

Van de Steeg, Drugan and Wiering, "Temporal Difference Learning for the Game Tic-Tac-Toe 3D:
Applying Structure to Neural Networks". Ten cells (a network, and itself or the benchmark player as
its opponent), ten trials of 1,000,000 games each, and after every 10,000 games a test of 1,000
games against the benchmark player. This file says what was published and what is run;
`cube_verdicts` holds ours against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inarow.game import InputError
from inarow.game import game as game_of
from inarow.lab.runner import run_study
from inarow.lab.store import Store
from inarow.lab.study import Study
from inarow.learn.network import network_of
from inarow.papers.results import Report, Results, made_with

TITLE = (
    "Temporal Difference Learning for the Game Tic-Tac-Toe 3D: Applying Structure to Neural "
    "Networks"
)
WORK = "inarow.lab.training_work:TrainingWork"
SELF_PLAY, BENCHMARK_TRAINING = "self-play", "benchmark training"
WAYS = (SELF_PLAY, BENCHMARK_TRAINING)
PEAK, END = "peak", "end"
MEASURES = (PEAK, END)

# Table I: layers as the paper writes them, and weights.
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
PAPER_TRIALS, PAPER_GAMES, PAPER_TESTS, TEST_GAMES = 10, 1_000_000, 100, 1_000
END_SHARE = 0.4  # of the tests: what "end" is the mean of

# The default reading: the benchmark player keeps one order of the columns for a game, and the
# learner moves first in tests.
OPPONENT = "benchmark@game"
TEST = f"games:{OPPONENT}:{TEST_GAMES}:first"


@dataclass(frozen=True)
class Scale:
    """How much of the study is run."""

    games: int  # a trial
    examine_every: int
    trials: int


SCALES = {
    "quick": Scale(10_000, 1_000, 2),
    "paper": Scale(PAPER_GAMES, PAPER_GAMES // PAPER_TESTS, PAPER_TRIALS),
}


def scale_of(name: str) -> Scale:
    """A scale by name."""
    if name not in SCALES:
        raise InputError(f"unknown scale {name!r}: there is {', '.join(SCALES)}")
    return SCALES[name]


def cell(
    network: str,
    way: str,
    size: Scale,
    tests: Sequence[str] = (TEST,),
    opponent: str = OPPONENT,
    **options: Any,
) -> dict[str, Any]:
    """A trial; options of the learner for another reading than the default one."""
    return {
        "game": "cube",
        "learner": "mlp",
        "against": None if way == SELF_PLAY else opponent,
        "games": size.games,
        "examine_every": size.examine_every,
        "examinations": list(tests),
        "network": network,
        **options,
    }


PLACES = tuple((way, network) for way in WAYS for network in TABLE_I)  # in the order of the cells


def study(scale: str = "paper") -> Study:
    """The ten cells."""
    size = scale_of(scale)
    return Study(f"cube {scale}", tuple(cell(network, way, size) for way, network in PLACES), WORK)


def database(folder: Path, part: str, scale: str) -> Path:
    """Where a part's trials are kept."""
    return folder / f"cube-{part}-{scale}.db"


def run(
    folder: Path,
    report: Report,
    scale: str = "quick",
    runs: int | None = None,
    workers: int | None = None,
    on: str = "threads",
) -> Results:
    """Runs the study, or what is missing of it, in a database in the folder, and reads it."""
    path, trials = database(folder, "all", scale), runs or scale_of(scale).trials
    run_study(study(scale), path, trials, workers, on, lambda share: report("ten cells", share))
    with Store.open(path) as store:
        rows = [
            {"way": way, "network": network, **read_cell(store, number, trials)}
            for number, (way, network) in enumerate(PLACES)
        ]
    return Results("cube", "all", scale, rows, {"networks": networks()}, made_with(), runs)


def read_cell(store: Store, number: int, trials: int) -> dict[str, Any]:
    """Peak and end of each trial, and the mean curve."""
    games, rates = win_rates(store, number, trials, [f"against {OPPONENT}"])
    return {
        "trials": trials,
        **peak_and_end(rates),
        "curve": {
            "games": games.tolist(),
            "mean": np.round(rates.mean(axis=0), 3).tolist(),
        },
    }


def win_rates(
    store: Store, number: int, trials: int, tests: Sequence[str]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Win percentages of one or more tests together, draws as half a win: [trials, tests].

    `tests` is how the names of their figures end, as in `against benchmark@game`.
    """
    ends = {
        end: [store.curve(number, f"{end} {test}") for test in tests]
        for end in ("won", "drawn", "lost")
    }
    won, drawn, lost = (sum(values[:trials] for _, values in found) for found in ends.values())
    rates = 100 * (won + drawn / 2) / (won + drawn + lost)
    return ends["won"][0][0], np.asarray(rates)


def peak_and_end(rates: npt.NDArray[np.float64]) -> dict[str, list[float]]:
    """The best test of each trial, and the mean of its last 40 of 100."""
    last = max(1, round(END_SHARE * rates.shape[1]))
    return {
        PEAK: np.round(rates.max(axis=1), 3).tolist(),
        END: np.round(rates[:, -last:].mean(axis=1), 3).tolist(),
    }


def networks() -> dict[str, Any]:
    """Table I, counted from the networks that were trained."""
    found, game = {}, game_of("cube")
    for name in TABLE_I:
        network = network_of(game, name)
        units = [layer.units * (len(game.lines) if layer.lines else 1) for layer in network.hidden]
        layers = "-".join(map(str, (game.cells, *units, 1)))
        found[name] = {
            "layers": layers,
            "weights": network.weights,
            "biases": int(network.biases.sum()),
        }
    return found
