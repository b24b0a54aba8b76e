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

from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.graph.policies import expert_policy
from inarow.lab.store import Store
from inarow.lab.study import Study
from inarow.lab.training import Run, Stop, train
from inarow.papers.grids import games_of, run_games
from inarow.papers.results import Report, Results, made_with

TITLE = (
    "Hybrid Training Strategies: Improving Performance of Temporal Difference Learning in Board "
    "Games"
)
GAMES = {"tictactoe": "Tic-tac-toe", "connect4:4x4": "Connect-4 on 4x4"}
STRATEGIES = ("attack-defense", "random", "defense-attack", "attack", "defense", "combined")
PAPER_RUNS = 100
MOST_GAMES, STOP_GAMES = 2_000_000, 50_000
TEST_GAMES = 1_000_000
SCALES = {"quick": {"tictactoe": 10, "connect4:4x4": 4}, "paper": dict.fromkeys(GAMES, PAPER_RUNS)}

GAMES_METRIC, LOST_RANDOM, LOST_EXPERT = "games", "lost against random", "lost against expert"
ENDS = ("won", "drawn", "lost")
FINALS = (  # what is kept of the end of each run
    GAMES_METRIC,
    *(f"{end} against {player}" for player in ("random", "expert") for end in ENDS),
    *(f"chance {end} as second against random" for end in ENDS),
    "exactly lost against expert",
    "unbeatable as second",
)
RECORD = [[100, 10_000], [1_000, 100_000], [10_000, 0]]  # a 10,000-game window anywhere it matters
WINDOW = 10_000
HISTOGRAM_GAMES = (100, 500, 1_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000)
HISTOGRAM_CELL = ("tictactoe", "attack-defense")  # the runs that Figure 4 shows
OPENINGS = {"corner": 0, "edge": 1, "centre": 4}  # the three games of Figure 3


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
        "games": MOST_GAMES,
        "stop_games": STOP_GAMES,
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
    rows, chosen = list[dict[str, Any]](), games_of(GAMES, game)
    wanted = {name: runs or SCALES[scale][name] for name in chosen}
    studies = run_games(folder / "hybrid", GAMES, wanted, definition, report, workers, on)
    for name, store in studies:
        rows += [read_cell(store, place, name, wanted[name]) for place in range(len(STRATEGIES))]
    facts: dict[str, Any] = {
        "speeds": {name: speeds(name) for name in chosen},
        "positions": {name: graph_of(game_of(name)).positions for name in GAMES},
        "stated": stated_rows(chosen),
    }
    if "tictactoe" in chosen:
        facts["example_games"] = example_games()
    return Results("hybrid", "all", scale, rows, facts, made_with(), runs)


def stated_rows(games: list[str]) -> dict[str, Any]:
    """The published numbers, for whoever reads the results without this program."""
    return {
        game: {strategy: asdict(row) for strategy, row in STATED[game].items()} for game in games
    }


def read_cell(store: Store, place: int, game: str, runs: int) -> dict[str, Any]:
    """What the runs of one strategy gave: final values by seed, and the curve of losses."""
    games, lost = losses(store, place, runs)
    found = {
        "game": game,
        "strategy": STRATEGIES[place],
        "runs": runs,
        "finals": read_finals(store, place, runs),
        "curve": curve(games, lost),
    }
    if (game, STRATEGIES[place]) == HISTOGRAM_CELL:
        found["histograms"] = histograms(games, lost)
    return found


def read_finals(store: Store, place: int, runs: int) -> dict[str, list[float]]:
    """The figures at the end of each run, by seed; perfect is 100 where no test game was lost."""
    measured = set(store.metrics(place))
    finals = {
        metric: store.final(place, metric)[:runs].tolist()
        for metric in FINALS
        if metric in measured
    }
    finals["perfect"] = [
        100.0 * (random == 0 and expert == 0)
        for random, expert in zip(finals[LOST_RANDOM], finals[LOST_EXPERT], strict=True)
    ]
    return finals


def losses(store: Store, place: int, runs: int) -> tuple[Any, Any]:
    """Games lost so far in each run, [runs, points], at the numbers of games of `RECORD`.

    A run that has ended early loses no more: that is what ended it.
    """
    measured, lost = store.curve(place, "lost")
    limits = [0, *(until or MOST_GAMES for _, until in RECORD)]
    games = np.concatenate(
        [
            np.arange(start + every, until + 1, every)
            for start, until, (every, _) in zip(limits, limits[1:], RECORD, strict=False)
        ]
    )
    found = np.empty((runs, len(games)))
    for run, values in zip(found, lost[:runs], strict=True):
        known = np.flatnonzero(~np.isnan(values))
        run[:] = values[known][np.searchsorted(measured[known], games, side="right") - 1]
    return games, found


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


def example_games(seed: int = 0) -> dict[str, Any]:
    """Three games of an agent trained by attack-defense, with what it thinks of its moves.

    The trainer opens in a corner, on an edge, in the centre, and goes on as the expert does. Of
    each board on which the agent has to move: the stones (1 the opponent's, 2 its own), the
    utility of every empty cell, and its move.
    """
    game = game_of("tictactoe")
    graph = graph_of(game)
    trained = train(
        game, "td", against="attack-defense", games=MOST_GAMES, seed=seed, stop=Stop(STOP_GAMES)
    )
    agent, expert, games = trained.agent, expert_policy(graph), {}
    for name, opening in OPENINGS.items():
        position, boards = game.position(), list[dict[str, Any]]()
        position.push(opening)
        while position.outcome is None:
            values = agent.values(position)
            move = max(values, key=lambda move: (values[move], -move))
            utilities = [round(values[c], 4) if c in values else None for c in range(game.cells)]
            stones = [int(stone) for stone in position.stones]
            boards.append({"stones": stones, "utilities": utilities, "move": move})
            position.push(move)
            if position.outcome is None:
                number, _ = graph.find(position)
                edges = range(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
                position.push(int(graph.move[max(edges, key=lambda edge: expert[edge])]))
        games[name] = {"boards": boards, "outcome": position.outcome.value}
    return {"seed": seed, "training_games": trained.games, "games": games}


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
