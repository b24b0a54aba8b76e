"""Expected SARSA: a learner of your own, in one file.

From the folder that the file lies in:

    inarow train tictactoe expected_sarsa:ExpectedSarsa --against attack-defense --seed 1
    inarow --learner expected_sarsa:ExpectedSarsa learners expected_sarsa
    inarow --learner expected_sarsa:ExpectedSarsa study run FILE.toml
    inarow serve --learner expected_sarsa:ExpectedSarsa

and from Python, `inarow.train("tictactoe", ExpectedSarsa(alpha=0.2), against="random")`.

The base class plays the games, enumerates them, saves and resumes runs, and compiles `target`.
Commands and forms show the options with their sentences, and refuse what is out of range.
"""

from __future__ import annotations

from typing import Any

from inarow.learn.options import option, schedule_between
from inarow.learn.tabular.action_values import ActionValueLearner


class ExpectedSarsa(ActionValueLearner):
    """Expected SARSA: towards the mean value of the next move, as the learner would choose it."""

    name = "expected_sarsa"

    epsilon: str = option("0.2", "share of random moves, and of their mean", schedule_between(0, 1))

    @staticmethod
    def target(values: Any, chosen: int, epsilon: float) -> float:  # noqa: ARG004
        """The best move with chance 1 - epsilon, any move with chance epsilon."""
        best, total = values[0], 0.0
        for value in values:
            best = max(best, value)
            total += value
        return float((1.0 - epsilon) * best + epsilon * total / len(values))
