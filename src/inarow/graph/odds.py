"""Exact odds between two policies, and the best answer to one, by a sweep over the graph.

A *policy* is a weight for every edge of the graph: a move is played with its share of the weights
of its position. Whole numbers keep everything exact: with `exact=True` the sweep is done in
fractions, and says 737/1260 where a million games would say 0.585. Weights may be as large or as
small as doubles are: only their shares count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from inarow.engine.board import DRAWN, FIRST_WON, GOING_ON, SECOND_WON, Int8s, Int32s
from inarow.engine.jit import inline, jit
from inarow.game import InputError
from inarow.game.report import HasReport, Report
from inarow.graph.graph import Graph, GraphArrays

Policy = npt.NDArray[np.float64]  # [edges] weights from 0, not all 0 in any position
Probabilities = npt.NDArray[np.float64]

NO_RESPONDER = -1  # a sweep in which both sides follow their policies
ROUNDING = 1e-9  # far more than what sums of floats differ by from 1
LONGEST = 14_000  # bits of a denominator that Python writes out: 4,300 digits


@dataclass(frozen=True, repr=False)
class Odds(HasReport):
    """How a game between two policies ends."""

    first: float | Fraction  # the first player wins
    draw: float | Fraction
    second: float | Fraction

    def __post_init__(self) -> None:
        """Raise InputError where something was lost: no such odds are reported."""
        check_total([self.first, self.draw, self.second])

    def report(self) -> Report:
        """Return the report: shares, and fractions where they are known and short."""
        ends = {"first wins": self.first, "draw": self.draw, "second wins": self.second}
        known = all(isinstance(p, Fraction) and is_short(p, 19) for p in ends.values())
        rows = [
            (end, f"{100 * float(share):.4f}%", *((str(share),) if known else ()))
            for end, share in ends.items()
        ]
        return Report("Odds", ("end", "share", *(("exactly",) if known else ())), rows)


def check_total(chances: Sequence[float | Fraction]) -> None:
    """Raise InputError for chances that do not add up to 1, but for the rounding of floats."""
    total: float | Fraction = sum(chances, Fraction())
    rounding = 0 if isinstance(total, Fraction) else ROUNDING
    if not -rounding <= total - 1 <= rounding:  # nan is refused, too
        raise InputError(f"the chances add up to {float(total)!r}, not to 1: they are not known")


def share_text(share: float | Fraction) -> str:
    """A share in full; a fraction of thousands of digits, which Python does not write, rounded."""
    return str(float(share) if _is_long(share) else share)


def is_short(share: float | Fraction, most: int) -> bool:
    """Return whether at most so many characters say a share exactly."""
    return not _is_long(share) and len(str(share)) <= most


def _is_long(share: float | Fraction) -> bool:
    return isinstance(share, Fraction) and share.denominator.bit_length() > LONGEST


@dataclass(frozen=True)
class Objective:
    """The reward of an end of the game for the player who answers best."""

    win: int = 2
    draw: int = 1
    loss: int = 0


def odds(graph: Graph, first: Policy, second: Policy, *, exact: bool = False) -> Odds:
    """The odds from the empty board when each side follows its policy."""
    sweep = _sweep_exactly if exact else _sweep_floats
    return sweep(graph, first, second, NO_RESPONDER, Objective())[0]


def best_response(
    graph: Graph,
    policy: Policy,
    side: int,
    objective: Objective | None = None,
    *,
    exact: bool = False,
) -> tuple[Odds, Policy]:
    """Return the best that a player on a side can do against a policy.

    Returns the odds, and a policy that reaches them: in each position the lowest of the best
    moves. Answers of the same value can win and lose unlike often (second against the
    random player of tic-tac-toe: 880 wins and 6 losses of 945, 881 and 7, up to 883 and 9), so
    the odds of a reduced graph, whose moves have other numbers, can be another of these.
    """
    if side not in (0, 1):
        raise InputError(f"side {side} does not exist: 0 is the first player, 1 the second")
    sweep = _sweep_exactly if exact else _sweep_floats
    return sweep(graph, policy, policy, side, objective or Objective())


def mean_odds(
    graph: Graph, first: list[Policy], second: list[Policy], *, exact: bool = False
) -> Odds:
    """Return the mean odds over all pairs of policies."""
    found = [odds(graph, one, two, exact=exact) for one in first for two in second]
    return mean_of(found)


def mean_of(found: list[Odds]) -> Odds:
    """Return the mean of some odds, in fractions if they are."""
    number = len(found)
    return Odds(
        sum(one.first for one in found) / number,
        sum(one.draw for one in found) / number,
        sum(one.second for one in found) / number,
    )


def has_integer_weights(policy: Policy) -> bool:
    """Return whether all weights are whole numbers: then odds are known as fractions."""
    return bool((policy == np.floor(policy)).all())


def uniform_policy(graph: Graph) -> Policy:
    """Every move equally likely: the random player."""
    return np.ones(graph.edges)


def _sweep_floats(
    graph: Graph, first: Policy, second: Policy, responder: int, objective: Objective
) -> tuple[Odds, Policy]:
    chances = np.empty((graph.positions, 3))  # only what play can meet is written
    answer = np.zeros(0 if responder == NO_RESPONDER else graph.edges)
    met = np.zeros(graph.positions, dtype=np.int8)
    payoff = np.array([objective.win, objective.draw, objective.loss], dtype=np.float64)
    if responder == 1:
        payoff = payoff[::-1].copy()
    sides = Sides(first, second, responder, payoff)
    if not _sweep(graph.arrays, sides, met, chances, answer):
        raise _not_a_policy()
    return Odds(*(float(p) for p in chances[0])), answer


class Sides(NamedTuple):
    """The policies of both players, and what is looked for."""

    first: Policy
    second: Policy
    responder: int  # the side that answers as well as it can, or NO_RESPONDER
    payoff: Probabilities  # what it wants: first wins, draw, second wins


@jit
def _sweep(
    graph: GraphArrays,
    sides: Sides,
    met: Int8s,
    chances: npt.NDArray[np.float64],
    answer: Policy,
) -> bool:
    """Fill the chances of what play can meet, the last position first.

    Returns False where a position has weights that are no policy.
    """
    state, to_move, edge_start, child = graph.state, graph.to_move, graph.edge_start, graph.child
    first, second, responder, payoff = sides
    met[0] = 1
    for position in range(len(state)):
        if met[position] and state[position] == GOING_ON:
            weights = first if to_move[position] == 0 else second
            for edge in range(edge_start[position], edge_start[position + 1]):
                if to_move[position] == responder or weights[edge] != 0:
                    met[child[edge]] = 1
    for position in range(len(state) - 1, -1, -1):
        if not met[position]:
            continue
        for end in range(3):
            chances[position, end] = 0.0
        if state[position] == FIRST_WON:
            chances[position, 0] = 1.0
        elif state[position] == DRAWN:
            chances[position, 1] = 1.0
        elif state[position] == SECOND_WON:
            chances[position, 2] = 1.0
        elif to_move[position] == responder:
            _answer(edge_start, child, position, payoff, chances, answer)
        else:
            weights = first if to_move[position] == 0 else second
            if not _average(edge_start, child, position, weights, chances):
                return False
    return True


@inline
def _answer(
    edge_start: Int32s,
    child: Int32s,
    position: int,
    payoff: Probabilities,
    chances: npt.NDArray[np.float64],
    answer: Policy,
) -> None:
    """Choose the first of the best moves of the side that answers.

    Sums in another order differ in the last bits, so a move must be better by more than that.
    """
    best, best_edge = -np.inf, edge_start[position]
    for edge in range(edge_start[position], edge_start[position + 1]):
        value = 0.0
        for end in range(3):
            value += payoff[end] * chances[child[edge], end]
        if value > best + 1e-12:
            best, best_edge = value, edge
    answer[best_edge] = 1.0
    for end in range(3):
        chances[position, end] = chances[child[best_edge], end]


@inline
def _average(
    edge_start: Int32s,
    child: Int32s,
    position: int,
    weights: Policy,
    chances: npt.NDArray[np.float64],
) -> bool:
    """Take the mean over the moves by their weights; return False if these are no weights.

    They are scaled by a power of two, which changes no bit of the mean, so that the greatest lies
    between a half and 1: no sum overflows, and no product of a weight that counts is lost.
    """
    greatest = 0.0
    for edge in range(edge_start[position], edge_start[position + 1]):
        if not 0 <= weights[edge] < np.inf:
            return False
        greatest = max(greatest, weights[edge])
    _, exponent = math.frexp(greatest)
    total = 0.0
    for edge in range(edge_start[position], edge_start[position + 1]):
        if weights[edge] > 0:
            weight = math.ldexp(weights[edge], -exponent)
            total += weight
            for end in range(3):
                chances[position, end] += weight * chances[child[edge], end]
    for end in range(3):
        chances[position, end] /= total
    return greatest > 0


def check_policy(graph: Graph, policy: Policy) -> None:
    """Raise InputError for weights that leave a position without a move."""
    if policy.shape != (graph.edges,):
        raise InputError(f"a policy of {graph.game.name} has {graph.edges:,} weights, one a move")
    greatest = np.maximum.reduceat(policy, graph.edge_start[:-1][graph.state == GOING_ON])
    if not ((policy >= 0).all() and np.isfinite(policy).all() and (greatest > 0).all()):
        raise _not_a_policy()


def _not_a_policy() -> InputError:
    return InputError("a policy needs weights from 0 up, and one above 0 in every position")


def _sweep_exactly(
    graph: Graph, first: Policy, second: Policy, responder: int, objective: Objective
) -> tuple[Odds, Policy]:
    """Sweep in exact fractions (slow, plain Python)."""
    weights = np.where(np.repeat(graph.to_move, np.diff(graph.edge_start)) == 0, first, second)
    check_policy(graph, weights)
    if not has_integer_weights(weights):
        raise InputError("exact odds need policies whose weights are whole numbers")
    whole: list[int] = [int(weight) for weight in weights.tolist()]  # as large as they are
    start, child = graph.edge_start.tolist(), graph.child.tolist()
    state, to_move = graph.state.tolist(), graph.to_move.tolist()
    payoff = [objective.win, objective.draw, objective.loss][:: -1 if responder == 1 else 1]
    ends = {FIRST_WON: (1, 0, 0), DRAWN: (0, 1, 0), SECOND_WON: (0, 0, 1)}
    chances: list[tuple[Fraction, ...]] = [()] * graph.positions
    answer = np.zeros(graph.edges)
    for position in range(graph.positions - 1, -1, -1):
        edges = range(start[position], start[position + 1])
        if state[position] != GOING_ON:
            chances[position] = tuple(Fraction(end) for end in ends[state[position]])
        elif to_move[position] == responder:
            values = [
                sum(w * p for w, p in zip(payoff, chances[child[e]], strict=True)) for e in edges
            ]
            best = edges[values.index(max(values))]
            answer[best] = 1.0
            chances[position] = chances[child[best]]
        else:
            played = [e for e in edges if whole[e]]
            common = math.gcd(*(whole[e] for e in played))  # large doubles share powers of two
            counts = [whole[e] // common for e in played]
            chances[position] = tuple(
                sum(
                    (n * chances[child[e]][end] for n, e in zip(counts, played, strict=True)),
                    Fraction(),
                )
                / sum(counts)
                for end in range(3)
            )
    return Odds(*chances[0]), answer
