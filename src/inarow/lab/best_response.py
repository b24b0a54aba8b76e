"""The best that anybody can do against a player: a value, and a player who reaches it.

From it follows the player's exploitability (`graph.exploitability` says what that is).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

import numpy as np

from inarow.game import Game, InputError, Position
from inarow.game.position import check_goes_on
from inarow.game.report import Report, Reported
from inarow.graph.exploitability import SIDES, Answer, answer_to
from inarow.graph.graph import Graph
from inarow.graph.odds import Odds, Policy
from inarow.lab.exact import exact_policies, graph_to_sweep
from inarow.lab.outside_players import BEST_RESPONSE
from inarow.lab.player_protocols import AnyPlayer, game_to_certify, name_of
from inarow.lab.players import player


class BestResponse(Reported):
    """A best response to a player, and itself a player: of one game, or of any small one.

    Where it cannot meet its opponent it plays perfectly. `value` and `exploitability` need a game.
    """

    deterministic = True

    def __init__(self, some_player: AnyPlayer, game: Game | None = None) -> None:
        self.player, self.game = some_player, game or getattr(some_player, "game", None)
        self.name = f"{BEST_RESPONSE}{name_of(some_player)}"
        self._answers: dict[Game, Answer] = {}

    def answer(self, graph: Graph) -> Answer:
        """What it does, on a graph."""
        if graph.game not in self._answers:
            policies = exact_policies(self.player, graph)
            if len(policies) > 1:
                raise InputError(
                    f"{name_of(self.player)} draws one of {len(policies)} policies for each game: "
                    "a best response is known to one policy only"
                )
            self._answers[graph.game] = answer_to(graph, policies[0])
        return self._answers[graph.game]

    @cached_property
    def _own(self) -> Answer:
        return self.answer(graph_to_sweep(game_to_certify(self.player, self.game)))

    @property
    def odds(self) -> dict[str, Odds]:
        """How its games against the player end, by the side that it takes itself."""
        return self._own.odds

    @property
    def value(self) -> dict[str, float]:
        """What it gets against the player (win 1, draw 0, loss -1), by the side that it takes."""
        return {side: float(self._own.value(side)) for side in SIDES}

    @property
    def exploitability(self) -> float:
        """Of the player: the mean over both sides of this value less that of the game."""
        return float(self._own.exploitability)

    def move(self, position: Position) -> int:
        """Its answer."""
        check_goes_on(position)
        graph = graph_to_sweep(position.game)
        number, _ = graph.find(position)
        edges = slice(int(graph.edge_start[number]), int(graph.edge_start[number + 1]))
        return int(graph.move[edges][np.argmax(self.answer(graph).policy[edges])])

    def policies(self, graph: Graph) -> list[Policy]:
        """The same in every position of a graph."""
        return [self.answer(graph).policy]

    def report(self) -> Report:
        """What is shown of it."""
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
    """The best response to a player: its value, its policy, and a player that follows it.

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
    """How far a player is from perfect play: 0 is perfect, and it is never more than 1.

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
    return answer_to(graph, policy, exact=True).exploitability
