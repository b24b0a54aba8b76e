"""Other readings of the cube paper: what its text leaves open, one option changed at a time.

The paper does not say who starts, whether units have biases, how often the benchmark player draws
its random order, and more. Each reading changes one such thing (or two that go together) against
the base, whose results `cube` holds against the tables, and is judged by the same tables. Self-play
is tested in both seats, against both kinds of benchmark player: so where a reading only changes
the test, it has no other trials.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inarow.lab.runner import run_study
from inarow.lab.store import Store
from inarow.lab.study import Study, cell_key
from inarow.papers.cube import (
    PAPER_GAMES,
    PAPER_TESTS,
    SELF_PLAY,
    TABLE_I,
    TEST_GAMES,
    WAYS,
    WORK,
    Scale,
    cell,
    database,
    peak_and_end,
    win_rates,
)
from inarow.papers.results import Report, Results, made_with

BASE = "as in the tables"
FIRST, BOTH = ("first",), ("first", "second")
GAME, MOVE = "benchmark@game", "benchmark@random"  # an order for each game, for each move
SMALL = ("small-structured",)


def examination_of(opponent: str) -> str:
    """So many games in each seat, told apart."""
    return f"seats:{opponent}:{TEST_GAMES}"


@dataclass(frozen=True)
class Reading:
    """The base with something changed."""

    name: str
    about: str  # what the paper leaves open, and how it is read here
    changes: dict[str, Any] = field(default_factory=dict)  # options of the learner
    opponent: str = GAME  # in benchmark training and in tests
    seats: tuple[str, ...] = FIRST  # the learner's, in benchmark training and in tests
    ways: tuple[str, ...] = WAYS
    networks: tuple[str, ...] = ()  # only these; none: all

    def cell(self, network: str, way: str, size: Scale) -> dict[str, Any]:
        """Its trials. In self-play, whom it is tested against changes nothing in training."""
        if way == SELF_PLAY:
            tests = [examination_of(opponent) for opponent in (GAME, MOVE)]
            return cell(network, way, size, tests, **self.changes)
        seat = {"seat": "both"} if self.seats == BOTH else {}
        tests = [examination_of(self.opponent)]
        return cell(network, way, size, tests, self.opponent, **seat, **self.changes)

    @property
    def tests(self) -> list[str]:
        """How the figures of its tests end."""
        return [f"as {seat} against {self.opponent}" for seat in self.seats]


READINGS = (
    Reading(BASE, "the base, which the results above are made with"),
    Reading(
        "order per move",
        "the benchmark player draws a random order of the moves for each move; base: for each game",
        opponent=MOVE,
    ),
    Reading(
        "seats alternate",
        "the learner moves first and second in turn, in tests and in benchmark training; base: "
        "first",
        seats=BOTH,
    ),
    Reading("per move, alternate", "both of these together", opponent=MOVE, seats=BOTH),
    Reading(
        "no biases",
        "units have no biases, as the weight counts of Table I suggest",
        {"bias": False},
    ),
    Reading(
        "exact derivative",
        "the derivative of the scaled logistic is 0.5(1-y^2); base: 1-y^2, as for tanh",
        {"slope": "exact"},
    ),
    Reading(
        "no biases, other tests",
        "no biases, and tests as in “per move, alternate”",
        {"bias": False},
        opponent=MOVE,
        seats=BOTH,
        ways=(SELF_PLAY,),
    ),
    Reading(
        "exact, other tests",
        "the exact derivative, and tests as in “per move, alternate”",
        {"slope": "exact"},
        opponent=MOVE,
        seats=BOTH,
        ways=(SELF_PLAY,),
    ),
    Reading(
        "no immediate wins",
        "a move that wins at once counts by the value of its position; base: by Equation 2 its "
        "reward counts, so it is taken",
        {"shield": "none"},
    ),
    Reading(
        "last position only",
        "the reward trains the winner's last position before the end; base: and the terminal one",
        {"end": "last"},
    ),
    Reading(
        "terminal position only",
        "the reward trains the terminal position, and the one before learns from its value",
        {"end": "terminal"},
    ),
    Reading(
        "loser learns nothing",
        "the reward of -1 does not reach the last position of the side that lost; base: it does",
        {"loser": False},
    ),
    Reading(
        "not after exploration",
        "nothing is learned from a random move; base: from these too",
        {"explored": False},
    ),
    # What might explain the small structured network's shortfall.
    Reading("rate 0.001", "a fifth of the learning rate", {"alpha": "0.001"}, networks=SMALL),
    Reading("rate 0.0025", "half of it", {"alpha": "0.0025"}, networks=SMALL),
    Reading("rate 0.01", "twice the learning rate", {"alpha": "0.01"}, networks=SMALL),
    Reading("rate 0.02", "four times", {"alpha": "0.02"}, networks=SMALL),
    Reading("weights within 0.1", "weights begin closer to zero", {"reach": 0.1}, networks=SMALL),
    Reading("weights within 1", "and farther from it", {"reach": 1.0}, networks=SMALL),
    Reading(
        "exact, no biases",
        "the exact derivative, and no biases",
        {"slope": "exact", "bias": False},
        networks=SMALL,
    ),
    Reading(
        "exact, rate 0.02",
        "the exact derivative, with a rate that makes up for it",
        {"slope": "exact", "alpha": "0.02"},
        networks=SMALL,
    ),
)

# The deep unstructured network takes most time and is near its published figures: left out.
NETWORKS = tuple(name for name in TABLE_I if name != "deep-unstructured")
PAPER = Scale(PAPER_GAMES, PAPER_GAMES // PAPER_TESTS, 5)
SCALES = {"quick": Scale(2_000, 1_000, 1), "paper": PAPER}


@dataclass(frozen=True)
class Place:
    """A reading of one network's training, and the cell that holds its trials."""

    reading: Reading
    way: str
    network: str
    number: int


def places(scale: str) -> tuple[list[Place], Study]:
    """All of them, and the study: readings that differ only in the test share a cell."""
    numbers: dict[str, int] = {}
    cells, found = list[dict[str, Any]](), list[Place]()
    for reading in READINGS:
        for way in reading.ways:
            for network in reading.networks or NETWORKS:
                trial = reading.cell(network, way, SCALES[scale])
                number = numbers.setdefault(cell_key(trial), len(cells))
                if number == len(cells):
                    cells.append(trial)
                found.append(Place(reading, way, network, number))
    return found, Study(f"cube readings {scale}", tuple(cells), WORK)


def run(
    folder: Path,
    report: Report,
    scale: str = "quick",
    runs: int | None = None,
    workers: int | None = None,
    on: str = "threads",
) -> Results:
    """Runs the study, or what is missing of it, in a database in the folder, and reads it."""
    found, study = places(scale)
    path, trials = database(folder, "readings", scale), runs or SCALES[scale].trials
    run_study(study, path, trials, workers, on, lambda share: report("readings", share))
    with Store.open(path) as store:
        rows = [
            {
                "reading": place.reading.name,
                "way": place.way,
                "network": place.network,
                "trials": trials,
                **peak_and_end(win_rates(store, place.number, trials, place.reading.tests)[1]),
            }
            for place in found
        ]
    return Results("cube", "readings", scale, rows, {}, made_with(), runs)
