"""The games of the comparison, and how agents are judged in each: one number from 0 to 1.

Where a game is small enough the measure is exact; elsewhere fixed opponents judge, who move at
random where they may, so that no two games are alike. They are players whose rules are written
down, or perfect play with random moves between: never an agent that comes with the package, which
another version may replace.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from inarow.lab.statistics import Floats
from inarow.papers.results import Stored
from inarow.papers.tables import list_text

LEVEL = "level:8"  # on 6x7: perfect play, but for one move in eight, which is random
SIDES = ("first", "second")
Finals = dict[str, list[float]]  # by metric: what runs had at their end, by seed


@dataclass(frozen=True)
class Judge:
    """How the agents of a game are judged."""

    title: str
    evaluations: tuple[str, ...]
    measure: str  # what is shown, in words
    shown: Callable[[Finals], Floats]  # by seed
    lower_is_better: bool = False
    beaten: Callable[[Finals], Floats] | None = None  # where it can be proven: by anybody at all

    def merit(self, row: Stored) -> Floats:
        """The measure so that more is better."""
        found = self.shown(row["finals"])
        return 1 - found if self.lower_is_better else found

    def unbeatable(self, row: Stored) -> Floats | None:
        """1 for each run that nobody can beat on either side; None where that is not known."""
        return None if self.beaten is None else 1.0 - self.beaten(row["finals"])


def _metric(name: str) -> Callable[[Finals], Floats]:
    return lambda finals: np.array(finals[name], np.float64)


def _mistakes(finals: Finals) -> Floats:
    """Of both sides, as a share of the positions that were not lost."""
    first, second = (np.array(finals[f"mistakes as {side} against perfect"]) for side in SIDES)
    mean: Floats = (first + second) / 2
    return mean


def _beaten_on_graph(finals: Finals) -> Floats:
    first, second = (np.array(finals[f"unbeatable as {side}"], np.float64) for side in SIDES)
    beaten: Floats = 1 - first * second
    return beaten


def _beaten_by_anyone(finals: Finals) -> Floats:
    first, second = (np.array(finals[f"lost as {side} against anyone"]) for side in SIDES)
    beaten: Floats = (first + second > 0).astype(np.float64)
    return beaten


def _exact(title: str) -> Judge:
    return Judge(
        title, ("exploitability", "certificate"), "exploitability", _metric("exploitability"),
        True, _beaten_on_graph,
    )  # fmt: skip


def _scored(title: str, opponents: tuple[str, ...], games: int, *others: str) -> Judge:
    """By the mean score against some opponents, with the same number of games each."""

    def shown(finals: Finals) -> Floats:
        scores = [finals[f"score against {opponent}"] for opponent in opponents]
        mean: Floats = np.mean(np.array(scores, np.float64), axis=0)
        return mean

    return Judge(
        title, (*(f"score:{opponent}:{games}" for opponent in opponents), *others),
        f"score against {list_text(opponents)}", shown,
    )  # fmt: skip


RULES = ("advanced", "greedy-lines")  # where lines are counted: the paper's player, and a stronger
JUDGES = {
    "tictactoe": _exact("tic-tac-toe"),
    "connect4:4x4": _exact("Connect Four on 4x4"),
    "connect4:5x5": Judge(
        "Connect Four on 5x5",
        (*(f"perfect:100:{side}:value" for side in SIDES), *(f"anyone:{side}" for side in SIDES)),
        "mistakes per position", _mistakes, True, _beaten_by_anyone,
    ),
    "connect4:6x7": _scored("Connect Four on 6x7", (LEVEL,), 60, "perfect:20:first:value"),
    "cube": _scored("Tic-Tac-Toe 3D", ("benchmark@random",), 1000),
    "ntictactoe:3^3": _scored("tic-tac-toe 3^3", RULES, 500),
    "ntictactoe:3^4": _scored("tic-tac-toe 3^4", RULES, 200),
}  # fmt: skip
