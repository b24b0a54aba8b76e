"""Curves of learning: when an agent is evaluated while it learns, and what comes of it.

An agent that plays on the graph of a small game is evaluated exactly; any other plays some games.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from inarow.game import Game
from inarow.game import game as game_of
from inarow.graph.graph import Graph, graph_of
from inarow.graph.odds import Policy, odds
from inarow.lab.certify import policies_of
from inarow.lab.match import match
from inarow.lab.match_result import Tally
from inarow.lab.move_values import default_opponent
from inarow.lab.players import player, rule_players_for
from inarow.learn.agent import LearnedAgent
from inarow.learn.tabular.agent import TabularAgent

POINTS = 50  # points of a curve
GAMES, BATCH, SECONDS = 400, 20, 0.4  # of an evaluation that has to be sampled: at most


class Marks(NamedTuple):
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
    marks: Marks
    training_lost: float | None  # the share lost in training since the last point, to a trainer


def plan(start: int, end: int) -> list[int]:
    """The numbers of games after which an agent is evaluated: closer together at the start."""
    shares = np.linspace(0, 1, POINTS + 1) ** 2
    return sorted({start + round(share * (end - start)) for share in shares.tolist()})


def possible_testers(game: Game) -> list[str]:
    """Who can evaluate an agent in a game, quickly; first who tells agents apart.

    On the cube random loses nearly every game soon; the paper tests against its benchmark player.
    """
    small = default_opponent(game) == "perfect" and game.cells <= 16
    usual = "benchmark" if game == game_of("cube") else "random"
    players = sorted(rule_players_for(game), key=lambda name: name != usual)
    return [*players, *["perfect"] * small]


class Evaluation:
    """The same evaluation for all agents of a run, on one side or in both."""

    def __init__(self, game: Game, tester: str, side: str, seed: int) -> None:
        self.game, self.tester, self.side, self.seed = game, tester, side, seed
        self._policies: list[Policy] | None = None  # of the tester, on the game's graph

    def __call__(self, agent: LearnedAgent) -> Marks:
        """How the agent does."""
        if not isinstance(agent, TabularAgent):
            return self._sampled(agent)
        graph = graph_of(self.game)
        if self._policies is None:
            self._policies = policies_of(player(self.tester), graph)
        return exact_marks(graph, agent.policies(graph), self._policies, self.side)

    def _sampled(self, agent: LearnedAgent) -> Marks:
        """Games against the tester, fewer where they take long."""
        tally, end = Tally(), time.perf_counter() + SECONDS
        for batch in range(GAMES // BATCH):
            # Seeds of its own, which no training uses.
            drawn = np.random.SeedSequence(self.seed, spawn_key=(batch, 0xE)).generate_state(1)
            tally += match(
                self.game, agent, self.tester, BATCH, int(drawn[0]), side=self.side
            ).total
            if time.perf_counter() > end:
                break
        number = tally.games
        return Marks(tally.wins / number, tally.draws / number, tally.losses / number, number)


def exact_marks(graph: Graph, own: list[Policy], other: list[Policy], side: str) -> Marks:
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
    return Marks(won, drawn, lost, 0)
