"""What only the max-min document needs: since when runs cannot be beaten, and its errata."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from inarow.lab.store import Store
from inarow.learn.tabular.q import Q
from inarow.papers.measures import Data, Label, Measure, Measured, exactly, mean_and_error
from inarow.papers.results import Stored
from inarow.papers.study import Condition
from inarow.papers.tables import games_text, list_text
from inarow.papers.variants import Variant

SIDES = ("first", "second")
LOSSES = 50  # for the example of what a bar instead of a bracket does
Found = Mapping[str, npt.NDArray[np.float64]]  # by metric: [runs, points], 0 or 1


def read_proven(store: Store, config: int, runs: int, condition: Condition) -> Stored:
    """How many runs are unbeatable, and value-perfect, at each number of games; and since when."""
    del condition
    names = [f"{what} as {side}" for what in ("unbeatable", "converts") for side in SIDES]
    curves = {name: store.curve(config, name) for name in names}
    games = curves[names[0]][0]
    return summarise(games, {name: values[:runs] for name, (_, values) in curves.items()})


def summarise(games: npt.NDArray[np.int64], found: Found) -> Stored:
    """Counts of runs of which it was proven; both sides must hold in the same run."""
    first, second = (found[f"unbeatable as {side}"] > 0 for side in SIDES)
    perfect = (found["converts as first"] > 0) & (found["converts as second"] > 0)
    both = first & second
    counted = {"first": first, "second": second, "both": both, "perfect": perfect}
    return {
        "games": games.tolist(),
        "unbeatable": {name: runs.sum(axis=0).tolist() for name, runs in counted.items()},
        "for_good": [for_good(games, run) for run in both],
        "perfect_for_good": [for_good(games, run) for run in perfect],
    }


def read_deep(
    store: Store, config: int, runs: int, condition: Condition, opponent: str, tests: int
) -> Stored:
    """The same where a certificate was made; else per cent of games won, mean and error."""
    if condition.labels["game"] == "tictactoe":
        return read_proven(store, config, runs, condition)
    found: Stored = {"won": {}}
    for side in SIDES:
        games, values = store.curve(config, f"won as {side} against {opponent}")
        found["games"] = games.tolist()
        found["won"][side] = mean_and_error(100 * values[:runs] / tests)
    return found


def for_good(games: npt.NDArray[np.int64], holds: npt.NDArray[np.bool_]) -> int | None:
    """The number of games from which on it held at every evaluation; None if not at last."""
    failures = np.flatnonzero(~holds)
    if not len(failures):
        return int(games[0])
    return int(games[failures[-1] + 1]) if failures[-1] + 1 < len(games) else None


def median_of(since: Sequence[int | None]) -> float:
    """By how many games half of the runs had got there for good; infinite if fewer did."""
    reached = sorted(number for number in since if number is not None)
    half = -(-len(since) // 2)
    return reached[half - 1] if len(reached) >= half else math.inf


def median_games(since: str) -> Measure:
    """The same, of a condition."""

    def measure(data: Data, **labels: Label) -> Measured | None:
        row = data.row(**labels)
        return exactly(median_of(row[since])) if row else None

    return measure


def median_text(measured: Measured, most: int) -> str:
    """With thousands apart, or that it was not reached."""
    reached = math.isfinite(measured.mean)
    return f"{measured.mean:,.0f}" if reached else f">{games_text(most)}"


def value_with_bars() -> float:
    """What line 16 as printed makes of the value of a move that is lost 50 times."""
    value, alpha = 0.0, float(Q().alpha)
    for _ in range(LOSSES):
        value += alpha * abs(-1 - value)
    return value


def deviation_in_loop() -> float:
    """How far line 10 as printed leads from the rule that is meant, in one step of three traces.

    V(s) is read anew for each trace, and s is the first of them.
    """
    alpha, later = float(Q().alpha), 1.0  # gamma V(s')
    start, traces = [0.0, 0.2, -0.3], [1.0, 0.5, 0.25]  # s first
    meant = [v + alpha * (later - start[0]) * z for v, z in zip(start, traces, strict=True)]
    printed = list(start)
    for place, trace in enumerate(traces):
        printed[place] += alpha * (later - printed[0]) * trace
    return max(abs(one - other) for one, other in zip(meant, printed, strict=True))


def values(variants: Sequence[Variant], lengths: Stored, small: str, printed: str) -> Stored:
    """What the prose asks for."""
    alpha = float(Q().alpha)

    def fewest(data: Data, game: str, since: str) -> Stored:
        """The variant that is there first, and those that are not."""
        found = {row["variant"]: median_of(row[since]) for row in data.rows(game=game)}
        there = {name: games for name, games in found.items() if math.isfinite(games)}
        best = min(there, key=lambda name: there[name]) if there else ""
        missing = [f"“{v.name}”" for v in variants if v.name in found and v.name not in there]
        return {"best": best, "games": there.get(best), "missing": list_text(missing)}

    return {
        "fewest": lambda data: {
            game: {since: fewest(data, game, since) for since in ("for_good", "perfect_for_good")}
            for game in lengths
        },
        "bars": lambda data: value_with_bars() if data else None,
        "brackets": lambda data: (1 - alpha) ** LOSSES - 1 if data else None,
        "alpha": lambda data: alpha if data else None,
        "losses": lambda data: LOSSES if data else None,
        "printed": lambda data: data.row(game=small, variant=printed),
    }
