"""Exact results of any players, where the game is small enough to be a graph."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from functools import cached_property

import numpy as np

from inarow.engine.players import note_class
from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.game.position import SIDES, require_unfinished
from inarow.game.report import HasReport, Report
from inarow.graph.best_response import BestResponses, best_responses
from inarow.graph.graph import Graph, graph_of
from inarow.graph.odds import Odds, Policy, has_integer_weights, mean_odds
from inarow.lab.certificates.certify import MAX_GRAPH_CELLS
from inarow.lab.players.names import player
from inarow.lab.players.outside import BEST_RESPONSE
from inarow.lab.players.policies import exact_policies
from inarow.lab.players.protocols import AnyPlayer, game_to_certify, name_of

MOST_FRACTIONS = 20_000  # positions of a graph on which fractions are summed, in plain Python


def exact_odds(game: str | Game, first: str | AnyPlayer, second: str | AnyPlayer) -> Odds:
    """Return the exact odds when `first` moves first, for any players whose policies are known.

    Those are the players of this package, saved agents, and Python players that state their
    policies or are declared deterministic. A player that picks one of several
    variants for each game counts as their mean. The odds are fractions where all moves
    have integer weights and the graph has at most 20,000 positions; otherwise they are floats:
    nothing is sampled, but sums are rounded.
    """
    graph = graph_to_sweep(game_of(game))
    one, other = (exact_policies(some_player, graph) for some_player in (first, second))
    return mean_odds(graph, one, other, exact=counts_in_fractions(graph, [*one, *other]))


def counts_in_fractions(graph: Graph, policies: list[Policy]) -> bool:
    """Return whether odds between these are found as fractions."""
    return graph.positions <= MOST_FRACTIONS and bool(
        np.all([has_integer_weights(p) for p in policies])
    )


def graph_to_sweep(game: Game) -> Graph:
    """Return the graph of a game that is small enough."""
    if game.cells <= MAX_GRAPH_CELLS:
        with suppress(InputError):
            return graph_of(game)
    raise InputError(
        f"{game.name} is too large for exact odds ({game.cells} cells): they need at most "
        f"{MAX_GRAPH_CELLS} cells, and positions that can all be written out; match plays games"
    )


# The best that anybody can do against a player: a value, and a player who reaches it.
#
# From it follows the player's exploitability (`graph.best_response` says what that is).


@note_class
class BestResponse(HasReport):
    """A best response to a player, and itself a player: of one game, or of any small one.

    Where it cannot meet its opponent it plays perfectly. `value` and `exploitability` need a game.
    """

    deterministic = True

    def __init__(self, some_player: AnyPlayer, game: Game | None = None) -> None:
        self.player, self.game = some_player, game or getattr(some_player, "game", None)
        self.name = f"{BEST_RESPONSE}{name_of(some_player)}"
        self._answers: dict[Game, BestResponses] = {}

    def answer(self, graph: Graph) -> BestResponses:
        """Return the best response on a graph, with its values."""
        if graph.game not in self._answers:
            policies = exact_policies(self.player, graph)
            if len(policies) > 1:
                raise InputError(
                    f"{name_of(self.player)} draws one of {len(policies)} policies for each game: "
                    "a best response is known to one policy only"
                )
            self._answers[graph.game] = best_responses(graph, policies[0])
        return self._answers[graph.game]

    @cached_property
    def _own(self) -> BestResponses:
        return self.answer(graph_to_sweep(game_to_certify(self.player, self.game)))

    @property
    def odds(self) -> dict[str, Odds]:
        """How the games against the player end, by the side of the best response."""
        return self._own.odds

    @property
    def value(self) -> dict[str, float]:
        """What the best response gets (win 1, draw 0, loss -1), by the side that it takes."""
        return {side: float(self._own.value(side)) for side in SIDES}

    @property
    def exploitability(self) -> float:
        """Return how far a player is from perfect play: from 0, perfect, to at most 1."""
        return float(self._own.exploitability)

    def move(self, position: Position) -> int:
        """Return the best answer in a position."""
        require_unfinished(position)
        graph = graph_to_sweep(position.game)
        number, _ = graph.find(position)
        edges = slice(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
        return int(graph.move[edges][np.argmax(self.answer(graph).policy[edges])])

    def policies(self, graph: Graph) -> list[Policy]:
        """Return the best answer in every position of a graph as a policy."""
        return [self.answer(graph).policy]

    def report(self) -> Report:
        """Return the report."""
        if self.game is None:
            return Report(f"<player {self.name}>")
        rows = []
        for side, ends in self.odds.items():
            shares = (ends.first, ends.draw, ends.second)[:: 1 if side == "first" else -1]
            texts = (f"{100 * float(share):.2f}%" for share in shares)
            rows.append((f"as {side}", *texts, f"{self.value[side]:+.4f}"))
        note = f"Exploitability of {name_of(self.player)}: {self.exploitability:.4f}."
        title = f"Best response to {name_of(self.player)} in {self.game.name}"
        return Report(title, ("", "win", "draw", "loss", "value"), rows, (note,))


def best_response(some_player: str | AnyPlayer, game: str | Game | None = None) -> BestResponse:
    """Return the best response to a player: its value, its policy, and a player that follows it.

    The game is the player's own if it has one. It must be small enough to be a graph, and the
    policy of the player must be known for certain (see `exact_odds`).
    """
    found = player(some_player)
    chosen = game_to_certify(found, game)
    response = BestResponse(found, chosen)
    response.answer(graph_to_sweep(chosen))  # says now what is wrong
    return response


def exploitability(
    some_player: str | AnyPlayer, game: str | Game | None = None, *, exact: bool = False
) -> float | Fraction:
    """Return how far a player is from perfect play: 0 is perfect, and it is never more than 1.

    The mean over both sides of the value of a best response minus the value of the game, a win
    counting 1, a draw 0 and a loss -1. With `exact` it is a fraction, for players whose moves have
    whole weights (greedy ones and rule players).
    """
    if not exact:
        return best_response(some_player, game).exploitability
    found = player(some_player)
    graph = graph_to_sweep(game_to_certify(found, game))
    response = BestResponse(found, graph.game)
    response.answer(graph)
    (policy,) = exact_policies(found, graph)
    return best_responses(graph, policy, exact=True).exploitability
