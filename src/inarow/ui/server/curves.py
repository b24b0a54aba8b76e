"""Curves of learning: when an agent is evaluated while it learns, and what comes of it.

An agent that plays on the graph of a small game is evaluated exactly; any other plays some games.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from inarow.engine.players import is_unchanged
from inarow.game import Game
from inarow.graph.graph import Graph, graph_of
from inarow.graph.odds import Policy, odds
from inarow.lab.matches.match import match
from inarow.lab.players.names import player, rule_players_for
from inarow.lab.players.policies import policies_of
from inarow.lab.values.move_values import default_opponent
from inarow.learn.agent import LearnedAgent
from inarow.learn.tabular.table import TabularAgent

POINTS = 32  # points of a curve, besides those that lie closer together at its start
GAMES, LEAST_GAMES, MOST_CELLS = 400, 40, 64  # of an evaluation that has to be sampled


class Outcomes(NamedTuple):
    """What came of an evaluation: shares of its games."""

    won: float
    drawn: float
    lost: float
    sampled: int  # games played; 0: found exactly

    @property
    def score(self) -> float:
        """Wins and half the draws."""
        return self.won + self.drawn / 2


@dataclass(frozen=True)
class Point:
    """A point of a curve."""

    games: int  # of training, so far
    outcomes: Outcomes
    training_lost: float | None  # the share lost in training since the last point, to a trainer


def plan(start: int, end: int) -> list[int]:
    """The numbers of games after which an agent is evaluated: closer together at the start.

    However long the run is, it is looked at within its first hundred games.
    """
    shares = np.linspace(0, 1, POINTS + 1) ** 2
    found = {start + round(share * (end - start)) for share in shares.tolist()}
    step = 10
    while step < end - start:
        found |= {start + part * step for part in (1, 2, 5) if part * step < end - start}
        step *= 10
    return sorted(found)


def possible_testers(game: Game) -> list[str]:
    """List test opponents, the most informative first.

    On larger boards random loses nearly every game soon, so agents are told apart by another.
    """
    small = default_opponent(game) == "perfect" and game.cells <= 16
    usual = "random" if game.cells <= 16 else "benchmark"
    players = sorted(rule_players_for(game), key=lambda name: name != usual)
    return [*players, *["perfect"] * small]


class Evaluation:
    """The same evaluation for all agents of a run, on one side or in both."""

    def __init__(self, game: Game, tester: str, side: str, seed: int) -> None:
        self.game, self.tester, self.side, self.seed = game, tester, side, seed
        self._policies: list[Policy] | None = None  # of the tester, on the game's graph

    def __call__(self, agent: LearnedAgent) -> Outcomes:
        """How the agent does."""
        if not is_unchanged(agent, TabularAgent):
            return self._sampled(agent)
        graph = graph_of(self.game)
        if self._policies is None:
            self._policies = policies_of(player(self.tester), graph)
        return exact_outcomes(graph, agent.policies(graph), self._policies, self.side)

    def _sampled(self, agent: LearnedAgent) -> Outcomes:
        """Games against the tester: as many in every run, so a seed gives one curve."""
        # A seed of its own, which no training uses.
        drawn = np.random.SeedSequence(self.seed, spawn_key=(0, 0xE)).generate_state(1)
        number = sampled_games(self.game, getattr(agent, "depth", 1))
        tally = match(self.game, agent, self.tester, number, int(drawn[0]), side=self.side).total
        return Outcomes(tally.wins / number, tally.draws / number, tally.losses / number, number)


def sampled_games(game: Game, depth: int = 1) -> int:
    """How many games an evaluation plays: fewer on large boards, and of agents that search."""
    number = GAMES * MOST_CELLS // max(game.cells, MOST_CELLS) // max(1, 4 * (depth - 1))
    return max(LEAST_GAMES, number - number % 2)


def exact_outcomes(graph: Graph, own: list[Policy], other: list[Policy], side: str) -> Outcomes:
    """The chances of one player against another, on a side; in both, the mean."""
    ends = []
    for one, two in itertools.product(own, other):
        if side != "second":
            leading = odds(graph, one, two)
            ends.append((leading.first, leading.draw, leading.second))
        if side != "first":
            following = odds(graph, two, one)
            ends.append((following.second, following.draw, following.first))
    won, drawn, lost = np.array(ends, dtype=float).mean(axis=0).tolist()
    return Outcomes(won, drawn, lost, 0)
