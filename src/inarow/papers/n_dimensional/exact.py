"""What the n-dimensional paper's numbers are exactly: states counted, and the best that can be.

The opponents of its 2-D agent are policies on a graph of 5,478 positions, so how often they can be
beaten at most is a sweep over it, and so is what the paper's own rewards make best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import permutations, product
from math import comb

import numpy as np

from inarow.engine.board import DRAWN, FIRST_WON, GOING_ON, SECOND_WON
from inarow.game import Game, Outcome, Position
from inarow.game import game as game_of
from inarow.game.position import SIDES
from inarow.graph.counting import count_positions
from inarow.graph.graph import Graph, graph_of
from inarow.graph.odds import Objective, Odds, Policy, best_response, odds
from inarow.graph.policies import rule_policies
from inarow.lab.players.names import rules_of
from inarow.learn.tabular.sarsa import Sarsa
from inarow.papers.measures import ResultRow
from inarow.papers.published import Entry

OPPONENTS = ("random", "advanced")
ENDS = ("won", "drawn", "lost")
MOST_WINS, NO_LOSS, REWARDS = "most wins", "never lose", "paper's rewards"
PLAIN, COUNTED = "first line wins", "lines counted"
LEXICOGRAPHIC = 10**6  # so much more than any chance here is small
GRIDS = {"3x3": 9, "3x3x3": 27}
OPENINGS = {"corner": 0, "edge": 1, "centre": 4}


# The best answer to a policy when a later reward counts less: the value of a move is the reward if
# the game is over before the next move of one's own, else gamma times the value of that move, which
# is what SARSA and Q-learning against a fixed opponent aim at.


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
    """Return the value of the best play against a policy, and how it ends.

    Of equal moves it takes the lowest.
    """
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
            weights = {edge: Fraction(float(policy[edge])) for edge in edges}
            total = sum((weights[edge] * after[edge] for edge in edges), Fraction(0))
            values[position] = total / sum(weights.values())
    if graph.to_move[0] != side:
        values[0] /= rewards.gamma  # the first move of one's own has nothing before it
    sides = (answer, policy) if side == 0 else (policy, answer)
    return values[0], odds(graph, *sides, exact=True)


def states(cells: int, most: Callable[[int], int] = lambda stones: (stones + 1) // 2) -> int:
    """Count, by Eq. (3), all ways to fill a grid by turns, to the last cell.

    Of i stones the first player has `most(i)`, half of them rounded up, and the second half of
    them rounded down.
    """
    return sum(comb(cells, most(i)) * comb(cells - most(i), i // 2) for i in range(cells + 1))


@cache
def counts() -> dict[str, int]:
    """Count all numbers of states that the paper gives."""
    counted = count_positions(game_of("tictactoe"))
    rounded = partial(states, most=lambda stones: round(stones / 2))  # 1/2 to 0, 3/2 to 2
    return {
        **{f"formula {grid}": states(cells) for grid, cells in GRIDS.items()},
        **{f"formula {grid}, rounded": rounded(cells) for grid, cells in GRIDS.items()},
        "reachable": sum(counted.by_ply),
        "up to symmetry": sum(counted.up_to_symmetry_by_ply),
        "and unfinished": counted.unfinished_up_to_symmetry,
    }


def rewards_of(side: int) -> Rewards:
    """Return the rewards of the paper's SARSA: a draw counts more as second."""
    draw = Sarsa.draw_reward_second if side else Sarsa.draw_reward_first
    rewards = Sarsa.win_reward, draw, Sarsa.loss_reward, Sarsa.gamma
    return Rewards(*(Fraction(str(number)) for number in rewards))


def policy_of(graph: Graph, opponent: str) -> Policy:
    """Return the policy of a rule player that has no variants."""
    (policy,) = rule_policies(graph, rules_of(opponent))
    return policy


@cache
def ceilings() -> dict[tuple[str, str, str, str], dict[str, str]]:
    """Return the best that can be won, drawn and lost, by board, opponent, side, aim; in fractions.

    Both opponents are symmetric, so the graph up to symmetry will do.
    """
    found = {}
    for board in (PLAIN, COUNTED):
        graph = graph_of(Game((3, 3), 3, scoring=board == COUNTED), reduced=True)
        for opponent, (side, name) in product(OPPONENTS, enumerate(SIDES)):
            policy = policy_of(graph, opponent)
            aims = {
                MOST_WINS: Objective(LEXICOGRAPHIC, 1, 0),
                NO_LOSS: Objective(1, 0, -LEXICOGRAPHIC),
            }
            answers = {
                a: best_response(graph, policy, side, o, exact=True)[0] for a, o in aims.items()
            }
            if board == PLAIN:  # SARSA plays until the first line
                answers[REWARDS] = discounted_response(graph, policy, side, rewards_of(side))[1]
            for aim, best in answers.items():
                ends = (best.first, best.draw, best.second)
                shares = [str(share) for share in (ends if side == 0 else ends[::-1])]
                found[board, opponent, name, aim] = dict(zip(ENDS, shares, strict=True))
    return found


def best_by_rewards(opponent: str, side: str) -> dict[str, float]:
    """Return per cent won, drawn and lost by what the paper's rewards make best."""
    found = ceilings()[PLAIN, opponent, side, REWARDS]
    return {end: per_cent(share) for end, share in found.items()}


def most_wins(board: str, opponent: str) -> ResultRow:
    """Return the most that can be won by side, and over both in per cent."""
    won = {side: ceilings()[board, opponent, side, MOST_WINS]["won"] for side in SIDES}
    return {**won, "both": sum(map(per_cent, won.values())) / len(won)}


def per_cent(fraction: str) -> float:
    """Convert a fraction, as 1/63, to per cent."""
    return 100 * float(Fraction(fraction))


@cache
def openings(opponent: str) -> dict[str, str]:
    """Return how often the first player can win at most, by where it begins."""
    graph = graph_of(game_of("tictactoe"), reduced=True)
    policy = policy_of(graph, opponent)
    answer = best_response(graph, policy, 0, Objective(LEXICOGRAPHIC, 1, 0), exact=True)[1]
    found = {}
    for name, move in OPENINGS.items():
        begun = answer.copy()
        begun[: graph.edge_start[1]] = 0.0  # the moves on the empty board
        begun[move] = 1.0
        found[name] = str(odds(graph, begun, policy, exact=True).first)
    return found


@cache
def overwritten() -> dict[str, int]:
    """Count moves after which a reply may end the game, and those of which no one reward is true.

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


def axes_in_order(entry: Entry) -> int:
    """Count the axes of Table 1 are lines of 3^4 across as many dimensions as their names say."""
    lines = {frozenset(map(int, line)) for line in game_of("ntictactoe:3^4").lines}
    found = 0
    for (name,), text in entry.leaves():
        cells = [tuple(int(digit) for digit in cell) for cell in text.split()]
        moving = sum(len(set(column)) > 1 for column in zip(*cells, strict=True))
        said = int(name[0]) if name.endswith("D") else 1
        number = {int(np.ravel_multi_index(cell, (3, 3, 3, 3))) for cell in cells}
        found += frozenset(number) in lines and moving == said
    return found


def broken_permutations() -> int:
    """Count the diagonals of 3^4 that some order of the dimensions does not take to a diagonal."""
    lines = game_of("ntictactoe:3^4").lines
    cells = np.stack(np.unravel_index(lines, (3, 3, 3, 3)), axis=-1)  # [lines, 3, 4]
    known = {frozenset(map(int, line)) for line in lines}
    diagonal = cells[(np.ptp(cells, axis=1) > 0).sum(axis=1) > 1]
    images = (np.ravel_multi_index(tuple(diagonal[..., list(order)].transpose(2, 0, 1)),
              (3, 3, 3, 3)) for order in permutations(range(4)))  # fmt: skip
    return sum(frozenset(map(int, line)) not in known for image in images for line in image)


def broken_games(entry: Entry) -> int:
    """Count replies of the example games that advanced would not make, and games not won.

    It wins if it can, else blocks if it must, else plays any cell.
    """
    game, broken = game_of("tictactoe"), 0
    for _, text in entry.leaves():
        position = game.position()
        for cell in text.split():
            move = 3 * int(cell[0]) + int(cell[1])
            if position.to_move == 2:
                wins, blocks = (completing(position, side) for side in (2, 1))
                broken += move not in (wins or blocks or position.legal_moves)
            position.push(move)
        broken += position.outcome is not Outcome.FIRST
    return broken


def completing(position: Position, side: int) -> list[int]:
    """Return the cells with which a side would complete a line."""
    stones = np.array(position.stones)
    lines = [stones[line] for line in position.game.lines]
    return [
        int(line[found == 0][0])
        for line, found in zip(position.game.lines, lines, strict=True)
        if (found == side).sum() == len(line) - 1 and (found == 0).sum() == 1
    ]
