"""How the n-dimensional paper's studies are read: shares of games, and what runs are proven to do.

A share is [mean, standard error] over the runs.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from inarow.lab.store import Store
from inarow.papers.measures import mean_and_error
from inarow.papers.n_dimensional.exact import ENDS, OPPONENTS, SIDES, best_by_rewards
from inarow.papers.results import Stored
from inarow.papers.study import Condition

NEVER_LOSES, UNBEATABLE = "never loses to its trainer", "unbeatable"
OPTIMAL = "best by its rewards"  # wins and loses as often as what the rewards make best

Values = npt.NDArray[np.float64]


def read_sarsa(store: Store, config: int, runs: int, condition: Condition) -> Stored:
    """Of the agents at the end of the runs."""
    values = {name: store.final(config, name)[:runs] for name in store.metrics(config)}
    return summarise(values, str(condition.labels["trainer"]))


def summarise(values: dict[str, Values], trainer: str) -> Stored:
    """The mean shares over the runs, and of how many runs something is certain."""
    certain = {
        NEVER_LOSES: {s: values[f"chance lost as {s} against {trainer}"] == 0 for s in SIDES},
        UNBEATABLE: {s: values[f"unbeatable as {s}"] > 0 for s in SIDES},
        OPTIMAL: {s: is_best(values, trainer, s) for s in SIDES},
    }
    shares = (f"{e} as {s} against {o}" for o, s, e in product(OPPONENTS, SIDES, ENDS))
    return {
        "shares": {name: mean_and_error(values[f"chance {name}"][:, None])[0] for name in shares},
        "certain": {
            name: {side: int(held.sum()) for side, held in by_side.items()}
            for name, by_side in certain.items()
        },
    }


def is_best(values: dict[str, Values], trainer: str, side: str) -> npt.NDArray[np.bool_]:
    """Which runs win, draw and lose as often as what the paper's rewards make best."""
    away = [
        np.abs(100 * values[f"chance {end} as {side} against {trainer}"] - share)
        for end, share in best_by_rewards(trainer, side).items()
    ]
    return np.asarray(np.max(away, axis=0) < 1e-7)


def read_policy(store: Store, config: int, runs: int, condition: Condition) -> Stored:
    """Per cent of games by opponent and end, and lines ahead a game, at each evaluation."""
    found: Stored = {"games": [], "shares": {}, "lines": {}}

    def curve(tested: float, *names: str) -> list[list[float]]:
        """The mean of some metrics: of both sides, where they were computed apart."""
        curves = [store.curve(config, name) for name in names]
        found["games"] = curves[0][0].tolist()
        values = np.mean([values[:runs] for _, values in curves], axis=0)
        return mean_and_error(values / tested)

    for evaluation in condition.parameters["evaluations"]:
        kind, opponent, *number = evaluation.split(":")
        games = int(number[0]) if number else 1
        found["shares"][opponent] = {}
        for end in ENDS:
            names = [f"{end} against {opponent}"]
            if kind == "exact":
                names = [f"chance {end} as {side} against {opponent}" for side in SIDES]
            found["shares"][opponent][end] = curve(games / 100, *names)
        lines = f"lines ahead against {opponent}"
        if lines in store.metrics(config):
            found["lines"][opponent] = curve(games, lines)
    return found
