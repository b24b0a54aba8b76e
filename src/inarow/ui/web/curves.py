"""Curves of learning: when an agent is examined while it learns, and what comes of it.

An agent that plays on the graph of a small game is examined exactly; any other plays some games.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from inarow.game import Game
from inarow.graph.graph import Graph, graph_of
from inarow.graph.odds import Policy, odds
from inarow.lab.certify import policies_of
from inarow.lab.match import Tally, match
from inarow.lab.opinions import good_opponent
from inarow.lab.players import player, rule_players_for

LOOKS = 50  # points of a curve
GAMES, BATCH, SECONDS = 400, 20, 0.4  # of an examination that has to be sampled: at most


class Marks(NamedTuple):
    """What came of an examination: shares of its games."""

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
    """The numbers of games after which an agent is examined: closer together at the start."""
    shares = np.linspace(0, 1, LOOKS + 1) ** 2
    return sorted({start + round(share * (end - start)) for share in shares.tolist()})


def examiners_for(game: Game) -> list[str]:
    """Who can examine an agent in a game, quickly."""
    small = good_opponent(game) == "perfect" and game.cells <= 16
    players = sorted(rule_players_for(game), key=lambda name: name != "random")
    return [*players, *["perfect"] * small]


class Examination:
    """The same examination for all agents of a run, in one seat or in both."""

    def __init__(self, game: Game, examiner: str, seat: str, seed: int) -> None:
        self.game, self.examiner, self.seat, self.seed = game, examiner, seat, seed
        self._policies: list[Policy] | None = None  # of the examiner, on the game's graph

    def __call__(self, agent: Any) -> Marks:
        """How the agent does."""
        if not hasattr(agent, "policies"):
            return self._sampled(agent)
        graph = graph_of(self.game)
        if self._policies is None:
            self._policies = policies_of(player(self.examiner), graph)
        return exact_marks(graph, agent.policies(graph), self._policies, self.seat)

    def _sampled(self, agent: Any) -> Marks:
        """Games against the examiner, fewer where they take long."""
        tally, end = Tally(), time.perf_counter() + SECONDS
        for batch in range(GAMES // BATCH):
            # Seeds of its own, which no training uses.
            drawn = np.random.SeedSequence(self.seed, spawn_key=(batch, 0xE)).generate_state(1)
            tally += match(
                self.game, agent, self.examiner, BATCH, int(drawn[0]), seat=self.seat
            ).total
            if time.perf_counter() > end:
                break
        number = tally.games
        return Marks(tally.wins / number, tally.draws / number, tally.losses / number, number)


def exact_marks(graph: Graph, own: list[Policy], other: list[Policy], seat: str) -> Marks:
    """The chances of one player against another, in a seat; in both, the mean."""
    ends = []
    for one, two in itertools.product(own, other):
        if seat != "second":
            leading = odds(graph, one, two)
            ends.append((leading.first, leading.draw, leading.second))
        if seat != "first":
            following = odds(graph, two, one)
            ends.append((following.second, following.draw, following.first))
    won, drawn, lost = np.array(ends, dtype=float).mean(axis=0).tolist()
    return Marks(won, drawn, lost, 0)
