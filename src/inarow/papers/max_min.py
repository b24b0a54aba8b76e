"""The max-min document's tabular players: after how many games can neither side be beaten?

Its Q player (Algorithm 1, `learn.q`) and TD player (Algorithm 2, `learn.td_lambda`) learn
tic-tac-toe from games against themselves. It publishes no results, so the study is ours: each
algorithm as intended, as printed, and with the changes that were found to matter, examined by an
exact walk over the game. `max_min_report` says what came of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inarow.lab.store import Store
from inarow.lab.study import Study
from inarow.papers.grids import games_of, run_games
from inarow.papers.results import Report, Results, made_with

GAMES = {"tictactoe": "Tic-tac-toe", "connect4:4x4": "Connect-4 on 4x4"}
SCALES = {
    "quick": {"tictactoe": 20, "connect4:4x4": 1},
    "paper": {"tictactoe": 200, "connect4:4x4": 20},
}
PROTOTYPE_RUNS = 20
SEATS = ("first", "second")

Points = npt.NDArray[np.int64]
Found = dict[str, npt.NDArray[np.float64]]  # by metric: [runs, points], 0 or 1


@dataclass(frozen=True)
class Length:
    """How long the runs of a game are, and where they are looked at."""

    games: int
    every: int
    start_every: int  # as often between the start and the first of the others
    shown: tuple[int, ...]  # the numbers of games in the tables


LENGTHS = {
    "tictactoe": Length(200_000, 5_000, 500, (5_000, 10_000, 50_000, 100_000, 200_000)),
    "connect4:4x4": Length(5_000_000, 500_000, 100_000, (500_000, 1_000_000, 2_000_000, 5_000_000)),
}


@dataclass(frozen=True)
class Variant:
    """An algorithm, or a change to it."""

    name: str
    learner: str
    about: str
    options: dict[str, Any] = field(default_factory=dict)
    prototype: dict[int, float] = field(default_factory=dict)  # per cent of 20 runs, by games
    played: tuple[str, ...] = ("tictactoe",)


ALL = tuple(GAMES)
CUT = {"cut": True, "symmetric": True}
VARIANTS = (
    Variant(
        "Q",
        "q",
        "Algorithm 1 as intended: each side acts on its own table; alpha 0.1, epsilon 0.3, gamma 1",
        prototype={10_000: 0, 50_000: 0, 100_000: 30, 200_000: 70},
    ),
    Variant(
        "Q, remark as printed",
        "q",
        "the second player takes the arg min of the first one's table",
        {"literal_remark": True},
    ),
    Variant(
        "Q, skip",
        "q",
        "no value is backed up through a random reply",
        {"skip_exploratory": True},
        {50_000: 85, 100_000: 100},
        ALL,
    ),
    Variant(
        "Q, skip, symmetric",
        "q",
        "the same, and positions that are images of each other share their values",
        {"skip_exploratory": True, "symmetric": True},
        played=ALL,
    ),
    Variant(
        "Q, minimax, symmetric",
        "q",
        "a move is backed up from the best reply to it; images share their values",
        {"minimax": True, "symmetric": True},
        {10_000: 100},
    ),
    Variant(
        "TD(0.5)",
        "td_lambda",
        "Algorithm 2: lambda 0.5, alpha 0.1, epsilon 0.1, gamma 1",
        prototype={10_000: 0, 50_000: 35, 100_000: 70, 200_000: 100},
        played=ALL,
    ),
    Variant(
        "TD(0.5), cut, symmetric",
        "td_lambda",
        "a random move ends all traces and teaches nothing; images share their values",
        dict(CUT),
    ),
    Variant(
        "TD(0.5), cut, symmetric, 0.3",
        "td_lambda",
        "the same with epsilon 0.3",
        {**CUT, "epsilon": "0.3"},
        {5_000: 100},
        ALL,
    ),
)


def variants_of(game: str) -> list[Variant]:
    """Those that are run with a game."""
    return [variant for variant in VARIANTS if game in variant.played]


def definition(game: str) -> Study:
    """The study of one game: of each variant a long cell, then of each one a short one.

    A run is a function of its seed alone, so the short one is the start of the long one, looked
    at more often.
    """
    length = LENGTHS[game]
    pieces = ((length.games, length.every), (length.every, length.start_every))
    cells = [
        {
            "game": game,
            "learner": variant.learner,
            **variant.options,
            "games": games,
            "examine_every": every,
            "examinations": ["certificate"],
        }
        for games, every in pieces
        for variant in variants_of(game)
    ]
    return Study(f"max-min {game}", tuple(cells))


def study(
    folder: Path,
    report: Report,
    scale: str = "quick",
    runs: int | None = None,
    game: str | None = None,
    workers: int | None = None,
    on: str = "threads",
) -> Results:
    """Runs the study, or what is missing of it, in databases in the folder, and reads them."""
    rows = list[dict[str, Any]]()
    wanted = {name: runs or SCALES[scale][name] for name in games_of(GAMES, game)}
    studies = run_games(folder / "max-min", GAMES, wanted, definition, report, workers, on)
    for name, store in studies:
        variants = variants_of(name)
        for place, variant in enumerate(variants):
            games, found = read_points(store, (place, place + len(variants)), wanted[name])
            rows.append({"game": name, "variant": variant.name, **summarise(games, found)})
    return Results("max-min", "tabular", scale, rows, {}, made_with(), runs)


def read_points(store: Store, cells: Iterable[int], runs: int) -> tuple[Points, Found]:
    """What was proven of each run at every number of games, from cells that are parts of it."""
    points: dict[int, dict[str, npt.NDArray[np.float64]]] = {}
    for cell in cells:
        for seat in SEATS:
            for metric in (f"unbeatable as {seat}", f"converts as {seat}"):
                games, values = store.curve(cell, metric)
                for place, number in enumerate(games.tolist()):
                    points.setdefault(number, {})[metric] = values[:runs, place]
    ordered = sorted(points)
    found = {
        metric: np.stack([points[number][metric] for number in ordered], axis=1)
        for metric in points[ordered[0]]
    }
    return np.array(ordered), found


def summarise(games: Points, found: Mapping[str, npt.NDArray[np.float64]]) -> dict[str, Any]:
    """How many runs are unbeatable, and value-perfect, at each number of games; and since when."""
    first, second = (found[f"unbeatable as {seat}"] > 0 for seat in SEATS)
    perfect = (found["converts as first"] > 0) & (found["converts as second"] > 0)
    both = first & second
    counted = {"first": first, "second": second, "both": both, "perfect": perfect}
    return {
        "runs": len(both),
        "games": games.tolist(),
        "unbeatable": {name: runs.sum(axis=0).tolist() for name, runs in counted.items()},
        "for good": [for_good(games, run) for run in both],
        "perfect for good": [for_good(games, run) for run in perfect],
    }


def for_good(games: Points, holds: npt.NDArray[np.bool_]) -> int | None:
    """The number of games from which on it holds wherever it was looked at; None if not at last."""
    failures = np.flatnonzero(~holds)
    if not len(failures):
        return int(games[0])
    return int(games[failures[-1] + 1]) if failures[-1] + 1 < len(games) else None


def share_at(row: Mapping[str, Any], what: str, games: int) -> float | None:
    """Per cent of a variant's runs; None if nobody looked there."""
    if games not in row["games"]:
        return None
    return float(100 * row["unbeatable"][what][row["games"].index(games)] / row["runs"])


def median_games(since: Sequence[int | None]) -> int | None:
    """By how many games half of the runs had got there for good; None if fewer did."""
    reached = sorted(number for number in since if number is not None)
    half = -(-len(since) // 2)
    return reached[half - 1] if len(reached) >= half else None
