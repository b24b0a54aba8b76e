"""How the n-dimensional paper's studies are read: shares of games, and what runs are proven to do.

A share is [mean, standard error] over the runs.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from inarow.lab.store import Store
from inarow.papers.measures import mean_and_error
from inarow.papers.n_dimensional.exact import ENDS, OPPONENTS, SEATS, best_by_rewards
from inarow.papers.study import Condition

NEVER_LOSES, UNBEATABLE = "never loses to its trainer", "unbeatable"
OPTIMAL = "best by its rewards"  # wins and loses as often as what the rewards make best

Values = npt.NDArray[np.float64]


def read_sarsa(store: Store, cell: int, runs: int, condition: Condition) -> dict[str, Any]:
    """Of the agents at the end of the runs."""
    values = {name: store.final(cell, name)[:runs] for name in store.metrics(cell)}
    return summarise(values, condition.labels["trainer"])


def summarise(values: dict[str, Values], trainer: str) -> dict[str, Any]:
    """The mean shares over the runs, and of how many runs something is certain."""
    certain = {
        NEVER_LOSES: {s: values[f"chance lost as {s} against {trainer}"] == 0 for s in SEATS},
        UNBEATABLE: {s: values[f"unbeatable as {s}"] > 0 for s in SEATS},
        OPTIMAL: {s: is_best(values, trainer, s) for s in SEATS},
    }
    shares = (f"{e} as {s} against {o}" for o, s, e in product(OPPONENTS, SEATS, ENDS))
    return {
        "shares": {name: mean_and_error(values[f"chance {name}"][:, None])[0] for name in shares},
        "certain": {
            name: {seat: int(held.sum()) for seat, held in by_seat.items()}
            for name, by_seat in certain.items()
        },
    }


def is_best(values: dict[str, Values], trainer: str, seat: str) -> npt.NDArray[np.bool_]:
    """Which runs end as often in each way as what the paper's rewards make best."""
    away = [
        np.abs(100 * values[f"chance {end} as {seat} against {trainer}"] - share)
        for end, share in best_by_rewards(trainer, seat).items()
    ]
    return np.asarray(np.max(away, axis=0) < 1e-7)


def read_policy(store: Store, cell: int, runs: int, condition: Condition) -> dict[str, Any]:
    """Per cent of games by opponent and end, and lines ahead a game, at each evaluation."""
    found: dict[str, Any] = {"games": [], "shares": {}, "lines": {}}

    def curve(tested: float, *names: str) -> list[list[float]]:
        """The mean of some metrics: of both seats, where they were computed apart."""
        curves = [store.curve(cell, name) for name in names]
        found["games"] = curves[0][0].tolist()
        values = np.mean([values[:runs] for _, values in curves], axis=0)
        return mean_and_error(values / tested)

    for examination in condition.parameters["examinations"]:
        kind, opponent, *number = examination.split(":")
        games = int(number[0]) if number else 1
        found["shares"][opponent] = {}
        for end in ENDS:
            names = [f"{end} against {opponent}"]
            if kind == "exact":
                names = [f"chance {end} as {seat} against {opponent}" for seat in SEATS]
            found["shares"][opponent][end] = curve(games / 100, *names)
        lines = f"lines ahead against {opponent}"
        if lines in store.metrics(cell):
            found["lines"][opponent] = curve(games, lines)
    return found
