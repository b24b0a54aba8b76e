"""The update rules of all tabular learners, side by side: pure functions of values and numbers.

V is the value of a position or move, V' that of the next one, r the reward at the end of a game,
a the step size and g the discount.

| rule | formula | learners |
| --- | --- | --- |
| `td_update` | V + a (g V' - V) | `td` (hybrid paper, Listing 1), `q` (max-min, Algorithm 1) |
| `td_error` | g V' - V | `td_lambda` (max-min paper, Algorithm 2) |
| `accumulate_traces` | each earlier V moves by a (g V' - V) (g lambda)^age | `td_lambda` |
| `sarsa_update` | (1 - a) V + a g V' | `sarsa` (n-dimensional paper, Algorithm 1) |
| `backward_td`, `backward_sarsa` | the rule, from the last value of a game to the first | both |
| `move_towards` | V + a (target - V) | learners of your own (`action_values`) |

The two forms of V + a (g V' - V) differ in their last bits, so each learner keeps its paper's.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inarow.engine.jit import inline, jit
from inarow.graph.policies import ONE, Indices

Values = npt.NDArray[np.float64]  # a table of positions or of moves


@inline
def td_update(value: float, next_value: float, alpha: float, gamma: float) -> float:
    """Return a value moved towards the discounted value of what comes next."""
    return value + alpha * (gamma * next_value - value)


@inline
def backward_td(
    values: Values, path: Indices, plies: np.uint32, alpha: float, gamma: float
) -> None:
    """Move the values of a finished game towards each other, the last position first."""
    if gamma == 1.0:  # known when compiled: a product less, on which every step would wait
        _backward_td(values, path, plies, alpha, 1.0)
    else:
        _backward_td(values, path, plies, alpha, gamma)


@inline
def _backward_td(
    values: Values, path: Indices, plies: np.uint32, alpha: float, gamma: float
) -> None:
    later = values[path[plies]]
    while plies > 0:
        plies -= ONE
        later = td_update(values[path[plies]], later, alpha, gamma)
        values[path[plies]] = later


@inline
def td_error(value: float, next_value: float, gamma: float) -> float:
    """Return by how much the discounted next value differs from what was expected."""
    return gamma * next_value - value


@inline
def accumulate_traces(
    values: Values, path: Indices, oldest: int, ply: int, step: float, trace_factor: float
) -> None:
    """Move the values of the positions met since `oldest` by the step times their trace."""
    trace = 1.0
    for place in range(ply - 1, oldest - 1, -1):
        values[path[place]] = flush_denormals(values[path[place]] + step * trace)
        trace *= trace_factor


@inline
def sarsa_update(value: float, next_value: float, alpha: float, gamma: float) -> float:
    """Return the value of a move, moved towards the discounted value of the next move."""
    return (1.0 - alpha) * value + alpha * gamma * next_value


@inline
def backward_sarsa(
    values: Values, path: Indices, moves: int, reward: float, alpha: float, gamma: float, soft: bool
) -> None:
    """Update the learner's moves of a finished game, the last one first.

    The last move gets the reward for its value, or moves towards it with `soft`.
    """
    later = reward
    for place in range(moves - 1, -1, -1):
        value = values[path[place]]
        if place < moves - 1:
            later = sarsa_update(value, later, alpha, gamma)
        elif soft:
            later = sarsa_update(value, reward, alpha, 1.0)
        values[path[place]] = later


@jit
def move_towards(values: Values, place: np.int64, target: float, alpha: float) -> None:
    """Move one value of a table towards a target."""
    values[place] = flush_denormals(values[place] + alpha * (target - values[place]))


@inline
def flush_denormals(value: float) -> float:
    """Return the value, or zero where a value that fades away has all but come there.

    It would end among the numbers next to zero, which a processor handles ten times slower, and
    rounding would keep it there for good.
    """
    return value if abs(value) > 1e-300 else 0.0
