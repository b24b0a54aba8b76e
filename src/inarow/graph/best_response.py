"""What a best response gains over perfect play, on a graph.

*Exploitability* is the field's measure of how far a player is from perfect play in a two-player
zero-sum game: on each side, what a best response gets more than the game's value, and the mean of
both (half of what others call NashConv). A win counts 1, a draw 0, a loss -1. So 0 means that
nobody does better against the player than against perfect play, and 1 is the most there is:
somebody wins every game, on both sides.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from inarow.engine.board import GOING_ON
from inarow.game.position import SIDES
from inarow.graph.graph import Graph, values_of
from inarow.graph.odds import Odds, Policy
from inarow.graph.odds import best_response as sweep
from inarow.graph.policies import expert_policy


class BestResponses(NamedTuple):
    """A best response to a policy, on both sides."""

    odds: dict[str, Odds]  # by the side of the one who answers
    policy: Policy  # where it is never asked about its answer, perfect play
    game_value: int  # 1: the first player wins with perfect play, 0: a draw, -1: the second

    def value(self, side: str) -> float | Fraction:
        """Return what a side gets with the response: wins less losses, as a share."""
        ends = self.odds[side]
        return ends.first - ends.second if side == "first" else ends.second - ends.first

    def gain(self, side: str) -> float | Fraction:
        """Return how much more the response gets than perfect play would."""
        return self.value(side) - (self.game_value if side == "first" else -self.game_value)

    @property
    def exploitability(self) -> float | Fraction:
        """The mean of both gains, how far the answered player is from perfect."""
        return (self.gain("first") + self.gain("second")) / 2


def best_responses(graph: Graph, policy: Policy, *, exact: bool = False) -> BestResponses:
    """The best response to a policy of a graph."""
    odds, answers = dict[str, Odds](), np.zeros(graph.edges)
    for side, name in enumerate(SIDES):
        odds[name], found = sweep(graph, policy, side, exact=exact)
        answers += found
    # Only positions that the two can meet have an answer; anybody may ask about the others.
    going_on = graph.edge_start[:-1][graph.state == GOING_ON]
    answered = np.add.reduceat(answers, going_on) > 0
    moves = np.diff(graph.edge_start)[graph.state == GOING_ON]
    whole = np.where(np.repeat(answered, moves), answers, expert_policy(graph))
    return BestResponses(odds, whole, int(values_of(graph).value[0]))
