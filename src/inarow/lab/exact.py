"""Exact results of any players, where the game is small enough to be a graph."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.graph.graph import Graph, graph_of
from inarow.graph.odds import Odds, Policy, is_whole, mean_odds
from inarow.lab.certify import MAX_GRAPH_CELLS, policies_of
from inarow.lab.player_protocols import AnyPlayer, check_plays
from inarow.lab.players import player

MOST_FRACTIONS = 20_000  # positions of a graph on which fractions are summed, in plain Python


def exact_odds(game: str | Game, first: str | AnyPlayer, second: str | AnyPlayer) -> Odds:
    """The exact odds when `first` moves first, for any players whose policies are known.

    Those are the players of this package, saved agents, and Python players that state their
    policies or are declared deterministic (`lab.observe`). A player that picks one of several
    variants for each game counts as their mean. The odds are fractions where all moves
    have integer weights and the graph has at most 20,000 positions; otherwise they are floats:
    nothing is sampled, but sums are rounded.
    """
    graph = graph_to_sweep(game_of(game))
    one, other = (exact_policies(some_player, graph) for some_player in (first, second))
    return mean_odds(graph, one, other, exact=counts_in_fractions(graph, [*one, *other]))


def exact_policies(some_player: str | AnyPlayer, graph: Graph) -> list[Policy]:
    """A player as policies of a graph, if they are known for certain."""
    found = player(some_player)
    check_plays(found, graph.game)
    return policies_of(found, graph)


def counts_in_fractions(graph: Graph, policies: list[Policy]) -> bool:
    """Whether odds between these are found as fractions."""
    return graph.positions <= MOST_FRACTIONS and bool(np.all([is_whole(p) for p in policies]))


def graph_to_sweep(game: Game) -> Graph:
    """The graph of a game that is small enough."""
    if game.cells <= MAX_GRAPH_CELLS:
        with suppress(InputError):
            return graph_of(game)
    raise InputError(
        f"{game.name} is too large for exact odds ({game.cells} cells): they need at most "
        f"{MAX_GRAPH_CELLS} cells, and positions that can all be written out; match plays games"
    )
