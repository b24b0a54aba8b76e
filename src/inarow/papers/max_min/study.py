"""What is run of the max-min document, and how runs are read.

It names no numbers and publishes no results, so the study is ours: each algorithm as intended, as
printed, and with the changes that were found to matter, evaluated by an exact walk over the game;
the deep player in Connect Four by games against the win/block player.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from inarow.engine.board import Int64s
from inarow.game.position import SIDES
from inarow.lab.statistics import Floats
from inarow.lab.studies.study import Config
from inarow.papers.measures import ResultRow, mean_and_error
from inarow.papers.published import Published
from inarow.papers.study import PAPER as PAPER_SCALE
from inarow.papers.study import QUICK, TINY, Condition, Part, Runs, shorter
from inarow.papers.variants import Variant, read_variants

PUBLISHED = Published(__file__)
TICTACTOE, CONNECT4, CONNECT_FOUR = "tictactoe", "connect4:4x4", "connect4:6x7"
TITLES = {TICTACTOE: "Tic-tac-toe", CONNECT4: "Connect-4 on 4x4", CONNECT_FOUR: "Connect Four"}
PRINTED = "Q, remark as printed"
OPPONENT, TEST_GAMES = "attack-defense", 2_000  # games on each side at each evaluation

# What is run: the tabular players

VARIANTS = read_variants(PUBLISHED.folder / "variants.toml")
TABULAR = VARIANTS["tabular"]
ON_4X4 = ("Q, skip", "Q, skip, symmetric", "TD(0.5)", "TD(0.5), cut, symmetric, 0.3")
LENGTHS = {  # games of a run, every how many it is evaluated, and every how many before the first
    TICTACTOE: (200_000, 5_000, 500),
    CONNECT4: (5_000_000, 500_000, 100_000),
}
SHOWN = {
    TICTACTOE: (5_000, 10_000, 50_000, 100_000, 200_000),
    CONNECT4: (500_000, 1_000_000, 2_000_000, 5_000_000),
    CONNECT_FOUR: (100_000, 200_000, 500_000, 1_000_000),
}


def tabular(game: str, variant: Variant) -> Condition:
    """A variant in a game, with an exact certificate at each evaluation."""
    games, every, first = LENGTHS[game]
    parameters = {
        "game": game,
        **variant.changes,
        "games": games,
        "evaluate_every": every,
        "evaluate_at": list(range(first, every, first)),
        "evaluations": ["certificate"],
    }
    runs = {QUICK: 1, PAPER_SCALE: 20} if game == CONNECT4 else {}
    return Condition({"game": game, "variant": variant.name}, parameters, runs=runs)


def short_tabular(condition: Condition) -> Config | None:
    """Cut training to 10,000 games, and on the larger board to 400."""
    return shorter(10_000 if condition.game == TICTACTOE else 400)(condition)


# What is run: the deep player

DEEP_VARIANTS = {TICTACTOE: VARIANTS["deep-tictactoe"], CONNECT_FOUR: VARIANTS["deep-connect4"]}
DEEP_GAMES = {"no shield": 1_000_000, "win/block shield": 500_000}


def deep(game: str, variant: Variant) -> Condition:
    """A variant of the deep player in a game."""
    tests = ["certificate"] if game == TICTACTOE else [f"sides:{OPPONENT}:{TEST_GAMES}"]
    every = 10_000 if game == TICTACTOE else 100_000
    parameters = {
        "game": game,
        "learner": "monte_carlo",
        **variant.changes,
        "games": DEEP_GAMES.get(variant.name, 200_000),
        "evaluate_every": every,
        "evaluations": tests,
    }
    runs = {QUICK: 2, PAPER_SCALE: 10} if game == CONNECT_FOUR else {}
    return Condition({"game": game, "variant": variant.name}, parameters, runs=runs)


# How runs are read

Found = Mapping[str, Floats]  # by metric: [runs, points], 0 or 1


def read_proven(runs: Runs) -> ResultRow:
    """Count runs that are unbeatable, and value-perfect, by number of games; and since when."""
    names = [f"{what} as {side}" for what in ("unbeatable", "converts") for side in SIDES]
    curves = {name: runs.curve(name) for name in names}
    games = curves[names[0]][0]
    return summarise(games, {name: values for name, (_, values) in curves.items()})


def summarise(games: Int64s, found: Found) -> ResultRow:
    """Count the runs of which it was proven; both sides must hold in the same run."""
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


def read_deep(runs: Runs) -> ResultRow:
    """Read certificates where there are some; else per cent of games won, mean and error."""
    if runs.condition.game == TICTACTOE:
        return read_proven(runs)
    tests = int(runs.condition.parameters["evaluations"][0].rpartition(":")[2])
    found: ResultRow = {"won": {}}
    for side in SIDES:
        games, values = runs.curve(f"won as {side} against {OPPONENT}")
        found["games"] = games.tolist()
        found["won"][side] = mean_and_error(100 * values / tests)
    return found


def for_good(games: Int64s, holds: npt.NDArray[np.bool_]) -> int | None:
    """Return from how many games on it held at every evaluation; None if not at last."""
    failures = np.flatnonzero(~holds)
    if not len(failures):
        return int(games[0])
    return int(games[failures[-1] + 1]) if failures[-1] + 1 < len(games) else None


PARTS = (
    Part(
        "tabular",
        "Algorithms 1 and 2: after how many games they are unbeatable",
        [
            *(tabular(TICTACTOE, variant) for variant in TABULAR),
            *(tabular(CONNECT4, variant) for variant in TABULAR if variant.name in ON_4X4),
        ],
        {TINY: 3, QUICK: 20, PAPER_SCALE: 200},
        read_proven,
        tiny=short_tabular,
    ),
    Part(
        "deep",
        "Algorithm 3 in tic-tac-toe and Connect Four",
        [deep(game, variant) for game, several in DEEP_VARIANTS.items() for variant in several],
        {TINY: 2, QUICK: 10, PAPER_SCALE: 100},
        read_deep,
        tiny=shorter(200),
    ),
)
