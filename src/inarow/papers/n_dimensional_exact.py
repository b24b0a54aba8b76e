"""What the n-dimensional paper's numbers are exactly: states counted, and the best that can be.

The opponents of its 2-D agent are policies on a graph of 5,478 positions, so how often they can be
beaten at most is a sweep over it, and so is what the paper's own rewards make best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

from inarow.engine.board import DRAWN, FIRST_WON, GOING_ON
from inarow.game import Game
from inarow.game import game as game_of
from inarow.graph.count import count_positions
from inarow.graph.graph import Graph, graph_of
from inarow.graph.odds import Objective, Odds, Policy, best_response, odds
from inarow.graph.policies import rule_policies
from inarow.lab.players import player

OPPONENTS = ("random", "advanced")
SEATS = ("first", "second")
WIN, LOSS, DRAWS, GAMMA = Fraction(11), Fraction(0), (Fraction(1), Fraction(5, 4)), Fraction(7, 10)
MOST_WINS, NO_LOSS, REWARDS = "most wins", "never to lose", "paper's rewards"
PLAIN, COUNTED = "first line wins", "lines counted"
MUCH = 10**6  # so much more than any chance here is small
OPENINGS = {"corner": 0, "edge": 1, "centre": 4}


def states(cells: int, most: Callable[[int], int] = lambda stones: (stones + 1) // 2) -> int:
    """Eq. (3): all ways to fill a grid by turns, to the last cell.

    Of i stones the first player has `most(i)`, half of them rounded up, and the second half of
    them rounded down.
    """
    return sum(comb(cells, most(i)) * comb(cells - most(i), i // 2) for i in range(cells + 1))


def states_as_printed(cells: int) -> int:
    """The same with Python's `round`, which takes a half to the next even number: 1/2 to 0."""
    return states(cells, lambda stones: round(stones / 2))


def counts() -> dict[str, int]:
    """All numbers of states that the paper gives, counted."""
    counted = count_positions(game_of("tictactoe"))
    return {
        "formula 3x3": states(9),
        "formula 3x3, rounded": states_as_printed(9),
        "formula 3x3x3": states(27),
        "formula 3x3x3, rounded": states_as_printed(27),
        "reachable": sum(counted.by_ply),
        "up to symmetry": sum(counted.up_to_symmetry_by_ply),
        "and unfinished": counted.unfinished_up_to_symmetry,
    }


@dataclass(frozen=True)
class Rewards:
    """What the ends of a game are worth, and the discount for each further move of one's own."""

    win: Fraction = WIN
    draw: Fraction = DRAWS[0]
    loss: Fraction = LOSS
    gamma: Fraction = GAMMA


def policy_of(graph: Graph, opponent: str) -> Policy:
    """A rule player that has no variants."""
    (policy,) = rule_policies(graph, player(opponent).rules)
    return policy


def reward_optimum(
    graph: Graph, policy: Policy, seat: int, rewards: Rewards
) -> tuple[Fraction, Odds]:
    """What is best against a policy if a later reward counts less, and how often it then wins.

    The value of a move is the reward if the game is over before the next move of one's own, else
    gamma times the value of that: what modified SARSA aims at. Of equal moves the lowest.
    """
    worth = {FIRST_WON: rewards.win if seat == 0 else rewards.loss, DRAWN: rewards.draw}
    other = rewards.loss if seat == 0 else rewards.win
    values = [Fraction(0)] * graph.positions  # before the discount of the move that led there
    ends: list[tuple[Fraction, ...]] = [()] * graph.positions
    for position in range(graph.positions - 1, -1, -1):
        state = int(graph.state[position])
        edges = range(int(graph.edge_start[position]), int(graph.edge_start[position + 1]))
        children = [int(graph.child[edge]) for edge in edges]
        if state != GOING_ON:
            values[position] = worth.get(state, other)
            place = 0 if state == FIRST_WON else 1 if state == DRAWN else 2
            ends[position] = tuple(Fraction(int(place == end)) for end in range(3))
        elif graph.to_move[position] == seat:
            best = max(children, key=lambda child: values[child])
            values[position] = (rewards.gamma if position else 1) * values[best]
            ends[position] = ends[best]
        else:
            weights = [Fraction(int(policy[edge])) for edge in edges]
            shares = [weight / sum(weights) for weight in weights]
            values[position] = _mean(shares, [values[child] for child in children])
            ends[position] = tuple(
                _mean(shares, [ends[child][end] for child in children]) for end in range(3)
            )
    if graph.to_move[0] != seat:
        values[0] /= rewards.gamma  # the first move of one's own has nothing before it
    return values[0], Odds(*ends[0])


def _mean(shares: list[Fraction], values: list[Fraction]) -> Fraction:
    return sum((share * value for share, value in zip(shares, values, strict=True)), Fraction(0))


def ceilings() -> list[dict[str, Any]]:
    """The best against each opponent in each seat, by aim; and for the game of counted lines.

    Both opponents are symmetric, so the graph up to symmetry will do.
    """
    found = []
    for scoring in (False, True):
        graph = graph_of(Game((3, 3), 3, scoring=scoring), reduced=True)
        for opponent in OPPONENTS:
            policy = policy_of(graph, opponent)
            for seat, name in enumerate(SEATS):
                aims = {MOST_WINS: _best(graph, policy, seat, Objective(MUCH, 1, 0))}
                if not scoring:  # SARSA plays until the first line
                    rewards = Rewards(draw=DRAWS[seat])
                    aims[NO_LOSS] = _best(graph, policy, seat, Objective(1, 0, -MUCH))
                    aims[REWARDS] = reward_optimum(graph, policy, seat, rewards)[1]
                found += [
                    {
                        "board": COUNTED if scoring else PLAIN,
                        "opponent": opponent,
                        "seat": name,
                        "aim": aim,
                        **_ends(best, seat),
                    }
                    for aim, best in aims.items()
                ]
    return found


def _best(graph: Graph, policy: Policy, seat: int, objective: Objective) -> Odds:
    return best_response(graph, policy, seat, objective, exact=True)[0]


def _ends(best: Odds, seat: int) -> dict[str, str]:
    """Won, drawn and lost, as fractions."""
    ends = (best.first, best.draw, best.second)
    won, drawn, lost = ends if seat == 0 else ends[::-1]
    return {"won": str(won), "drawn": str(drawn), "lost": str(lost)}


def openings(opponent: str) -> dict[str, str]:
    """How often the first player can win at most, by where it begins."""
    graph = graph_of(game_of("tictactoe"), reduced=True)
    policy = policy_of(graph, opponent)
    answer = best_response(graph, policy, 0, Objective(MUCH, 1, 0), exact=True)[1]
    found = {}
    for name, move in OPENINGS.items():
        begun = answer.copy()
        begun[: graph.edge_start[1]] = 0.0  # the moves on the empty board
        begun[move] = 1.0
        found[name] = str(odds(graph, begun, policy, exact=True).first)
    return found


def overwritten() -> dict[str, int]:
    """Moves after which a reply may end the game, and how many of them no one reward is true of.

    These also have a reply that does not end it, or that ends it otherwise.
    """
    graph = graph_of(game_of("tictactoe"))
    ending, mixed = 0, 0
    for child in graph.child.tolist():
        if graph.state[child] != GOING_ON:
            continue
        edges = slice(int(graph.edge_start[child]), int(graph.edge_start[child + 1]))
        ends = set(graph.state[graph.child[edges]].tolist())
        ending += ends != {GOING_ON}
        mixed += ends != {GOING_ON} and len(ends) > 1
    return {"a reply may end the game": ending, "or not, or otherwise": mixed}
