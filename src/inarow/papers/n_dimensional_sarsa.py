"""The n-dimensional paper's SARSA agent of tic-tac-toe, trained for 100 to 200,000 episodes.

"Reinforcement Learning for Tic-tac-toe in Arbitrary Dimensions" (Bunyatova, Smoliakov, Van der
Lee, Videau), Figures 3 to 8: how often the agent (`learn.sarsa`) wins, draws and loses against
the opponent of its training, or against another one. The schedules stretch with the number of
episodes, so each number is a run of its own. Shares are exact, not sampled. And changes to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inarow.game import InputError
from inarow.lab.runner import run_study
from inarow.lab.statistics import summary
from inarow.lab.store import Store
from inarow.lab.study import Study
from inarow.papers.n_dimensional_exact import (
    OPPONENTS,
    PLAIN,
    REWARDS,
    SEATS,
    ceilings,
    counts,
    openings,
    overwritten,
)
from inarow.papers.results import Report, Results, made_with

TITLE = "Reinforcement Learning for Tic-tac-toe in Arbitrary Dimensions"
GAME = "tictactoe"
SCALES = {"quick": 20, "paper": 200}
EPISODES = (100, 200, 500, 1_000, 2_000, 4_000, 10_000, 20_000, 40_000, 100_000, 200_000)
VARIANT_EPISODES = (1_000, 4_000, 20_000, 40_000, 200_000)
ENDS = ("won", "drawn", "lost")
BASE = "as in the paper"
NEVER_LOSES, UNBEATABLE = "never loses to its trainer", "unbeatable"
OPTIMAL = "best by its rewards"  # wins and loses as often as what the rewards make best


@dataclass(frozen=True)
class Variant:
    """The agent, or a change to it."""

    name: str
    about: str
    options: dict[str, Any] = field(default_factory=dict)


DRAWS_WORTH = {"draw_first": 10.0, "draw_second": 10.0, "gamma": 1.0}
VARIANTS = (
    Variant(BASE, "alpha, epsilon, gamma and rewards of the paper; images of a position are one"),
    Variant("draw 10, gamma 1", "a draw is nearly a win, a late reward as good", DRAWS_WORTH),
    Variant("no symmetry", "every image of a position is learned by itself", {"symmetric": False}),
    Variant("soft final", "the last move's value only moves to the reward", {"final": "soft"}),
    Variant("draw 10, gamma 1, soft final", "both changes", {**DRAWS_WORTH, "final": "soft"}),
)

Values = dict[str, npt.NDArray[np.float64]]  # by metric, one for each run


def plan() -> list[tuple[Variant, str, int]]:
    """Variant, trainer and episodes of each cell."""
    return [
        (variant, trainer, episodes)
        for variant in VARIANTS
        for trainer in OPPONENTS
        for episodes in (EPISODES if variant.name == BASE else VARIANT_EPISODES)
    ]


def definition() -> Study:
    """All cells."""
    cells = [
        {
            "game": GAME,
            "learner": "sarsa",
            "against": trainer,
            "games": episodes,
            "episodes": episodes,
            **variant.options,
            "examinations": [*(f"exact:{opponent}" for opponent in OPPONENTS), "certificate"],
        }
        for variant, trainer, episodes in plan()
    ]
    return Study("n-dimensional sarsa", tuple(cells))


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
    if game not in (None, GAME):
        raise InputError(f"the paper's SARSA agent plays {GAME}, not {game!r}")
    path, wanted = folder / "n-dimensional-sarsa.db", runs or SCALES[scale]
    run_study(
        definition(), path, wanted, workers, on, lambda share: report("training", 0.9 * share)
    )
    rows, cells, best = list[dict[str, Any]](), plan(), ceilings()
    with Store.open(path) as store:
        for place, (variant, trainer, episodes) in enumerate(cells):
            report("reading", 0.9 + 0.1 * place / len(cells))
            values = {name: store.final(place, name)[:wanted] for name in store.metrics(place)}
            rows.append(
                {
                    "variant": variant.name,
                    "trainer": trainer,
                    "episodes": episodes,
                    "runs": wanted,
                    **summarise(values, trainer, best, intervals=variant.name == BASE),
                }
            )
    facts = {
        "counts": counts(),
        "ceilings": best,
        "openings": {opponent: openings(opponent) for opponent in OPPONENTS},
        "overwritten": overwritten(),
    }
    return Results("n-dimensional", "sarsa", scale, rows, facts, made_with())


def summarise(
    values: Values, trainer: str, best: Sequence[Mapping[str, str]], intervals: bool = True
) -> dict[str, Any]:
    """The mean shares over the runs, and of how many runs something is certain.

    A share is [mean, standard error, low, high]; without intervals the first two.
    """
    shares = {
        f"{end} as {seat} against {opponent}": [
            round(float(number), 8)
            for number in _spread(values[f"chance {end} as {seat} against {opponent}"], intervals)
        ]
        for opponent in OPPONENTS
        for seat in SEATS
        for end in ENDS
    }
    certain = {
        NEVER_LOSES: {
            seat: values[f"chance lost as {seat} against {trainer}"] == 0 for seat in SEATS
        },
        UNBEATABLE: {seat: values[f"unbeatable as {seat}"] > 0 for seat in SEATS},
        OPTIMAL: {seat: _is_best(values, trainer, seat, best) for seat in SEATS},
    }
    return {
        "shares": shares,
        "certain": {
            name: {
                **{seat: int(held[seat].sum()) for seat in SEATS},
                "both": int((held["first"] & held["second"]).sum()),
            }
            for name, held in certain.items()
        },
    }


def _is_best(
    values: Values, trainer: str, seat: str, best: Sequence[Mapping[str, str]]
) -> npt.NDArray[np.bool_]:
    """Which runs end as often in each way as what the paper's rewards make best."""
    (ceiling,) = (
        row
        for row in best
        if (row["board"], row["aim"]) == (PLAIN, REWARDS)
        and (row["opponent"], row["seat"]) == (trainer, seat)
    )
    away = [
        np.abs(values[f"chance {end} as {seat} against {trainer}"] - float(Fraction(ceiling[end])))
        for end in ENDS
    ]
    nowhere: npt.NDArray[np.bool_] = np.max(away, axis=0) < 1e-9
    return nowhere


def _spread(values: npt.NDArray[np.float64], intervals: bool) -> tuple[float, ...]:
    if intervals:
        return tuple(summary(values)[:4])
    deviation = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return float(values.mean()), deviation / len(values) ** 0.5


def cell_of(
    results: Results, trainer: str, episodes: int, variant: str = BASE
) -> Mapping[str, Any] | None:
    """The row of a cell, if it was run."""
    for row in results.rows:
        if (row["variant"], row["trainer"], row["episodes"]) == (variant, trainer, episodes):
            return row
    return None
