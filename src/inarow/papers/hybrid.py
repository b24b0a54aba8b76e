"""The hybrid paper: how a tabular TD agent fares with six trainers, in two games.

"Hybrid Training Strategies: Improving Performance of Temporal Difference Learning in Board
Games" (Applied Sciences 2022). The agent is `learn.td`, the trainers are rule players. Every
number of its four tables is here; `hybrid_report` holds ours against them.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inarow.game import InputError
from inarow.lab.runner import run_study
from inarow.lab.store import Store
from inarow.lab.study import Study
from inarow.lab.training import Run
from inarow.papers.results import Report, Results, made_with

TITLE = "Hybrid Training Strategies"
GAMES = {"tictactoe": "Tic-tac-toe", "connect4:4x4": "Connect-4 on 4x4"}
STRATEGIES = ("attack-defense", "random", "defense-attack", "attack", "defense", "combined")
PAPER_RUNS = 100
TEST_GAMES = 1_000_000
SCALES = {"quick": {"tictactoe": 10, "connect4:4x4": 4}, "paper": dict.fromkeys(GAMES, PAPER_RUNS)}

GAMES_METRIC, LOST_RANDOM, LOST_EXPERT = "games", "lost against random", "lost against expert"
RECORD = [[100, 10_000], [1_000, 100_000], [10_000, 0]]  # a 10,000-game window anywhere it matters
WINDOW = 10_000
HISTOGRAM_GAMES = (100, 500, 1_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)


@dataclass(frozen=True)
class Stated:
    """A row of the paper's Tables 1 to 4, for one game."""

    games: float  # Table 1: training games
    seconds: float  # Table 1: on an i5-10210U, C++
    perfect: float  # Table 2: per cent of runs that lost no test game
    lost_random: float  # Table 3: test games of a million lost to the random player
    lost_expert: float  # Table 4: test games of nine, of four, lost to the expert


STATED = {
    "tictactoe": {
        "attack-defense": Stated(99_100, 1.32, 100, 0, 0),
        "random": Stated(2_000_000, 13.84, 0, 14_400.85, 3.96),
        "defense-attack": Stated(2_000_000, 30.68, 0, 15_883.17, 2.86),
        "attack": Stated(1_776_300, 19.63, 19, 4_435.57, 1.61),
        "defense": Stated(2_000_000, 26.35, 0, 19_805.04, 3.19),
        "combined": Stated(1_184_200, 13.79, 50, 1_425, 0.65),
    },
    "connect4:4x4": {
        "attack-defense": Stated(949_300, 18.48, 35, 175.78, 0),
        "random": Stated(1_780_700, 27.45, 15, 1_196.59, 0.05),
        "defense-attack": Stated(1_017_400, 24.26, 10, 367.06, 0),
        "attack": Stated(1_461_200, 28.9, 28, 734.06, 0.03),
        "defense": Stated(1_248_700, 24.39, 11, 448.16, 0.02),
        "combined": Stated(1_022_500, 21.17, 34, 199.37, 0.01),
    },
}


def cell(game: str, strategy: str, **changes: Any) -> dict[str, Any]:
    """A training run and its tests as the paper describes them, or with some changes."""
    return {
        "game": game,
        "learner": "td",
        "against": strategy,
        "games": 2_000_000,
        "stop_games": 50_000,
        "record": RECORD,
        "examinations": [
            f"games:random:{TEST_GAMES}:second",
            "expert",
            "exact:random",
            "certificate",
        ],
        **changes,
    }


def definition(game: str) -> Study:
    """The paper's study of one game."""
    return Study(f"hybrid {game}", tuple(cell(game, strategy) for strategy in STRATEGIES))


def games_of(name: str | None) -> list[str]:
    """One of the two games by name, or both."""
    if name is None:
        return list(GAMES)
    if name not in GAMES:
        raise InputError(f"the paper plays {' and '.join(GAMES)}, not {name!r}")
    return [name]


def study(
    folder: Path,
    report: Report,
    scale: str = "quick",
    runs: int | None = None,
    game: str | None = None,
    workers: int | None = None,
    on: str = "threads",
) -> Results:
    """Runs the study, or what is missing of it, in a database in the folder, and reads it."""
    rows, chosen = list[dict[str, Any]](), games_of(game)
    for number, name in enumerate(chosen):
        path = folder / f"hybrid-{name.replace(':', '-')}.db"
        wanted = runs or SCALES[scale][name]

        def tell(share: float, number: int = number, name: str = name) -> None:
            report(GAMES[name], (number + share) / len(chosen))

        run_study(definition(name), path, wanted, workers, on, tell)
        with Store.open(path) as store:
            rows += [read_cell(store, place, name, wanted) for place in range(len(STRATEGIES))]
    facts = {"speeds": {name: speeds(name) for name in chosen}, "stated": stated_rows(chosen)}
    return Results("hybrid", "all", scale, rows, facts, made_with())


def stated_rows(games: list[str]) -> dict[str, Any]:
    """The published numbers, for whoever reads the results without this program."""
    return {
        game: {strategy: asdict(row) for strategy, row in STATED[game].items()} for game in games
    }


def read_cell(store: Store, place: int, game: str, runs: int) -> dict[str, Any]:
    """What the runs of one strategy gave: final values by seed, and the curve of losses."""
    finals = {
        metric: store.final(place, metric)[:runs].tolist()
        for metric in store.metrics(place)
        if metric != "lost"
    }
    finals["perfect"] = [
        100.0 * (random == 0 and expert == 0)
        for random, expert in zip(finals[LOST_RANDOM], finals[LOST_EXPERT], strict=True)
    ]
    games, lost = losses(store, place, runs)
    return {
        "game": game,
        "strategy": STRATEGIES[place],
        "runs": runs,
        "finals": finals,
        "curve": curve(games, lost),
        "histograms": histograms(games, lost),
    }


def losses(store: Store, place: int, runs: int) -> tuple[Any, Any]:
    """Games lost so far in each run, [runs, points], at the recorded numbers of games.

    A run that has ended early loses no more: that is what ended it.
    """
    games, lost = store.curve(place, "lost")
    lost = np.array(lost[:runs], dtype=np.float64)
    for run in lost:
        known = np.flatnonzero(~np.isnan(run))
        run[known[-1] :] = run[known[-1]]
    wanted = {n for every, until in RECORD for n in range(every, (until or 2_000_000) + 1, every)}
    kept = [place for place, number in enumerate(games) if int(number) in wanted]
    return np.array(games)[kept], lost[:, kept]


def window_losses(games: Any, lost: Any) -> Any:
    """The share of games lost in the last 10,000 (or all so far, before) at each point."""
    before = games - WINDOW
    earlier = np.where(before > 0, np.searchsorted(games, before), -1)
    lost_before = np.where(earlier >= 0, lost[:, earlier], 0.0)
    return (lost - lost_before) / np.minimum(games, WINDOW)


def curve(games: Any, lost: Any) -> dict[str, list[float]]:
    """Means over the runs, for Figures 5 to 7 and 10 to 12."""
    return {
        "games": games.tolist(),
        "lost": np.round(lost.mean(axis=0), 3).tolist(),
        "ratio": np.round(window_losses(games, lost).mean(axis=0), 8).tolist(),
    }


def histograms(games: Any, lost: Any) -> dict[str, list[float]]:
    """The loss ratio of every run at the numbers of games of Figure 4."""
    ratios = window_losses(games, lost)
    return {
        str(number): np.round(ratios[:, np.searchsorted(games, number)], 6).tolist()
        for number in HISTOGRAM_GAMES
        if number in games
    }


def speeds(game: str, games: int = 200_000) -> dict[str, float]:
    """Training games a CPU-second with each trainer, on one core, after compilation."""
    measured = {}
    for strategy in STRATEGIES:
        run = Run(game, "td", {}, strategy, 0)
        run.training.play(1_000)
        before = time.thread_time()
        run.training.play(games)
        measured[strategy] = games / (time.thread_time() - before)
    return measured
