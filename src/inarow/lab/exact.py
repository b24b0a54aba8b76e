"""Exact results of named players, where the game is small enough to be a graph."""

from __future__ import annotations

from fractions import Fraction

from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.graph.graph import graph_of
from inarow.graph.odds import Odds, odds
from inarow.graph.policies import rule_policies
from inarow.lab.players import RulePlayerByName, name_of, player


def exact_odds(game: str | Game, first: str, second: str) -> Odds:
    """The exact odds, as fractions, when `first` moves first.

    A player who draws one of several variants for each game counts as the mean of them.
    """
    graph = graph_of(game_of(game))
    policies = []
    for named in (player(first), player(second)):
        if not isinstance(named, RulePlayerByName):
            raise InputError(f"no exact odds for {name_of(named)}: it is not a rule player")
        policies.append(rule_policies(graph, named.rules))
    results = [odds(graph, one, two, exact=True) for one in policies[0] for two in policies[1]]
    ends = zip(*((r.first, r.draw, r.second) for r in results), strict=True)
    return Odds(*(Fraction(sum(end)) / len(results) for end in ends))
