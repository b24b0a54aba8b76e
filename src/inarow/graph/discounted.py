"""The best answer to a policy when a later reward counts less, exactly, by a sweep over the graph.

The value of a move is the reward if the game is over before the next move of one's own, else gamma
times the value of that move: what SARSA and Q-learning against a fixed opponent aim at.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from inarow.engine.board import DRAWN, FIRST_WON, GOING_ON, SECOND_WON
from inarow.graph.graph import Graph
from inarow.graph.odds import Odds, Policy, odds


@dataclass(frozen=True)
class Rewards:
    """The rewards of a game's ends, and the discount for each further move of one's own."""

    win: Fraction
    draw: Fraction
    loss: Fraction
    gamma: Fraction


def discounted_response(
    graph: Graph, policy: Policy, side: int, rewards: Rewards
) -> tuple[Fraction, Odds]:
    """The value of the best play against a policy, and how it ends; of equal moves the lowest."""
    first, second = (rewards.win, rewards.loss)[:: -1 if side else 1]
    ends = {FIRST_WON: first, DRAWN: rewards.draw, SECOND_WON: second}
    values = [Fraction(0)] * graph.positions  # before the discount of the move that led there
    answer = np.zeros(graph.edges)
    for position in range(graph.positions - 1, -1, -1):
        state = int(graph.state[position])
        edges = range(int(graph.edge_start[position]), int(graph.edge_start[position + 1]))
        after = {edge: values[int(graph.child[edge])] for edge in edges}
        if state != GOING_ON:
            values[position] = ends[state]
        elif graph.to_move[position] == side:
            best = max(after, key=lambda edge: after[edge])
            answer[best] = 1.0
            values[position] = (rewards.gamma if position else 1) * after[best]
        else:
            weights = {edge: Fraction(int(policy[edge])) for edge in edges}
            total = sum((weights[edge] * after[edge] for edge in edges), Fraction(0))
            values[position] = total / sum(weights.values())
    if graph.to_move[0] != side:
        values[0] /= rewards.gamma  # the first move of one's own has nothing before it
    sides = (answer, policy) if side == 0 else (policy, answer)
    return values[0], odds(graph, *sides, exact=True)
