"""What only the cube paper needs: win rates of tests, peaks and ends, and how networks compare."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from inarow.game import game as game_of
from inarow.lab.statistics import student
from inarow.lab.store import Store
from inarow.learn.mlp.network import NETWORKS, network_of
from inarow.papers import measures
from inarow.papers.claims import Column
from inarow.papers.measures import Data, Label, Measure, Measured
from inarow.papers.number_tests import mean_of
from inarow.papers.published import Entry
from inarow.papers.results import Stored
from inarow.papers.study import Condition

# How trials are read


def read(
    store: Store,
    config: int,
    runs: int,
    condition: Condition,
    end_share: float,
    tests: Sequence[str] = (),
    curve: bool = False,
) -> Stored:
    """Peak and end of each trial, in all tests that count together, and the curve."""
    against = condition.parameters["evaluations"][0].split(":")[1]
    games, rates = win_rates(store, config, runs, tests or [f"against {against}"])
    found: Stored = {"finals": peak_and_end(rates, end_share)}
    return found | (
        {"games": games.tolist(), "won": measures.mean_and_error(rates)} if curve else {}
    )


def win_rates(
    store: Store, config: int, runs: int, tests: Sequence[str]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Win percentages of one or more tests together, draws as half a win: [runs, tests].

    `tests` is how the names of their metrics end, as in `against benchmark@game`.
    """
    ends = {
        end: [store.curve(config, f"{end} {test}") for test in tests]
        for end in ("won", "drawn", "lost")
    }
    won, drawn, lost = (sum(values[:runs] for _, values in found) for found in ends.values())
    rates = 100 * (won + drawn / 2) / (won + drawn + lost)
    return ends["won"][0][0], np.asarray(rates)


def peak_and_end(rates: npt.NDArray[np.float64], end_share: float) -> dict[str, list[float]]:
    """The best test of each trial, and the mean of its last ones: 40 of 100."""
    last = max(1, round(end_share * rates.shape[1]))
    return {
        "peak": np.round(rates.max(axis=1), 3).tolist(),
        "end": np.round(rates[:, -last:].mean(axis=1), 3).tolist(),
    }


def read_endings(store: Store, config: int, runs: int, condition: Condition, stones: int) -> Stored:
    """How many positions each trial came to late in the game, how many were judged, mistakes."""
    del condition
    counts = ("positions", "judged", "mistakes")
    found = {name: store.final(config, f"{name} from {stones} stones on")[:runs] for name in counts}
    return {"finals": {name: numbers.astype(int).tolist() for name, numbers in found.items()}}


def layers(name: str) -> str:
    """The sizes of a network's layers, as Table I writes them."""
    game = game_of("cube")
    hidden = network_of(game, name).hidden
    units = [layer.units * (len(game.lines) if layer.lines else 1) for layer in hidden]
    return "-".join(map(str, (game.cells, *units, 1)))


def lines_across(dimensions: int) -> int:
    """How many lines of the cube change so many coordinates along them."""
    coordinates = np.stack(np.unravel_index(game_of("cube").lines, (4, 4, 4)))
    return int(((np.ptp(coordinates, axis=2) > 0).sum(axis=0) == dimensions).sum())


# Measures


def won(regime: str) -> Measure:
    """Per cent won at the peak, or the end, of a network's trials."""
    return lambda data, measure, **labels: measures.final(measure, regime=regime)(data, **labels)


def late_mistakes(data: Data, learner: Label = "", **_: Label) -> Measured | None:
    """Per cent of the judged moves late in the game, by trial: of those that came so far."""
    row = data.row(part="endings", learner=learner)
    if row is None:
        return None
    pairs = zip(row["finals"]["mistakes"], row["finals"]["judged"], strict=True)
    shares = [100 * mistakes / judged for mistakes, judged in pairs if judged]
    return measures.from_values(shares) if shares else None


def late_total(name: str) -> Measure:
    """How many there are of something late in the game, in all trials together."""

    def total(data: Data, learner: Label, **_: Label) -> Measured | None:
        row = data.row(part="endings", learner=learner)
        return None if row is None else measures.exactly(sum(row["finals"][name]))

    return total


def ranked(measure: Measure, data: Data, labels: Stored) -> list[Measured]:
    """The five networks, the lowest first; nothing if one was not run."""
    found = [measure(data, network=network, **labels) for network in NETWORKS]
    known = [ours for ours in found if ours is not None]
    return sorted(known, key=lambda ours: ours.mean) if len(known) == len(found) else []


def lowest(measure: Measure, **labels: Label) -> Measure:
    """Of the five networks."""
    return lambda data: next(iter(ranked(measure, data, labels)), None)


def highest(measure: Measure, **labels: Label) -> Measure:
    """Of the five networks."""
    return lambda data: next(reversed(ranked(measure, data, labels)), None)


def smallest_gap(measure: Measure, **labels: Label) -> Measure:
    """Between two networks, in standard errors."""

    def gap(data: Data) -> Measured | None:
        gaps = [
            measures.subtract(high, low) for low, high in pairwise(ranked(measure, data, labels))
        ]
        return min(gaps, key=lambda g: g.mean / (g.stderr or 1e-9), default=None)

    return gap


def least_seen(entry: Entry, measure: str, one: str, other: str, trials: int) -> float:
    """The least difference that the paper's own t-test would have called significant, at 5%."""
    deviations = (entry.numbers[measure][network]["deviation"] for network in (one, other))
    return student(2 * trials - 2) * math.hypot(*deviations) / math.sqrt(trials)


def distance(column: Column) -> Measure:
    """How far ours is from a table's numbers on the average, in points."""

    def measure(data: Data, **labels: Label) -> Measured | None:
        pairs = (
            (number, column.measure(data, **dict(zip(column.labels, path, strict=True)), **labels))
            for path, number in column.entry.leaves()
        )
        away = [abs(mean_of(number)[0] - ours.mean) for number, ours in pairs if ours is not None]
        return measures.exactly(float(np.mean(away))) if away else None

    return measure
