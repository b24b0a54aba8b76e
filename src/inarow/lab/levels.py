"""Opponents of ten strengths, in every game by one mechanism: `level:1` to `level:10`.

A level plays the move of the strongest player that answers soon (`strongest`: perfect where the
game is solved, else a shipped agent or minimax), but each move is, with the chance that belongs to
the level, a random one instead. Level 10 makes no random moves: it is the player `best`.

What chances make levels of equal distance depends on the game: how long it is, and how much a
single bad move costs. SHARES holds them for two games (`docs/make_levels.py` measures them, and
`docs/results/levels.json` is what it found): neighbours are about 100 Elo apart on 6x7.
Tic-tac-toe has less room, for perfect play leads random play by 470 Elo in all; its levels divide
that evenly, from a random player on.
"""

from __future__ import annotations

import numpy as np

from inarow.engine.streams import Stream, below, make_stream, uniform
from inarow.game import Game, InputError, Position
from inarow.game.position import check_goes_on
from inarow.graph.graph import Graph
from inarow.graph.odds import Policy
from inarow.lab.move_values import default_opponent
from inarow.lab.player_protocols import GraphPlayer, Player, bind_player
from inarow.lab.players import player

LEVELS = range(1, 11)

# The chance with which each level plays the move of the strongest player.
SHARES: dict[str, tuple[float, ...]] = {
    "tictactoe": (0.0, 0.138, 0.267, 0.393, 0.514, 0.628, 0.733, 0.831, 0.919, 1.0),
    "connect4:6x7": (0.1, 0.2, 0.31, 0.425, 0.545, 0.665, 0.797, 0.872, 0.942, 1.0),
}
SMALL = 16  # cells: games of at most so many take the shares of tic-tac-toe, larger those of 6x7


def share_of(game: Game, number: int) -> float:
    """The chance with which a level plays the strongest player's move."""
    likest = "tictactoe" if game.cells <= SMALL else "connect4:6x7"
    return SHARES.get(game.name, SHARES[likest])[number - 1]


def strongest(game: Game) -> str:
    """The name of the strongest player that answers soon."""
    return default_opponent(game)


class Level:
    """An opponent of one of ten strengths: `level:3`."""

    def __init__(self, number: int) -> None:
        if number not in LEVELS:
            raise InputError(f"level {number} must be between 1 and {LEVELS[-1]}")
        self.number, self.name = number, f"level:{number}"
        self._bound: dict[str, tuple[Player, Stream]] = {}

    def bind(self, game: Game, stream: Stream) -> Level:
        """The same player, drawing from a stream of its own."""
        bound = Level(self.number)
        bound.name = self.name
        bound._bound[game.name] = _side(game, stream)
        return bound

    def move(self, position: Position) -> int | str:
        """The strongest player's move, or a random one."""
        check_goes_on(position)
        game = position.game
        if game.name not in self._bound:
            self._bound[game.name] = _side(game, make_stream(0))
        best, stream = self._bound[game.name]
        if uniform(stream) < share_of(game, self.number):
            return best.move(position)
        moves = position.legal_moves
        return moves[below(stream, len(moves))]

    def policies(self, graph: Graph) -> list[Policy]:
        """The chances of all moves of a graph."""
        return [mixed_policy(graph, share_of(graph.game, self.number))]

    def __repr__(self) -> str:
        return f"<player {self.name}>"


def mixed_policy(graph: Graph, share: float) -> Policy:
    """The strongest player's moves with that chance, else random ones."""
    best = player(strongest(graph.game))
    if not isinstance(best, GraphPlayer):
        raise InputError(f"levels of {graph.game.name} state no policy: {best} moves in them")
    (policy,) = best.policies(graph)
    at_random = _normalised(graph, np.ones(graph.edges))
    return share * _normalised(graph, policy) + (1 - share) * at_random


def _side(game: Game, stream: Stream) -> tuple[Player, Stream]:
    """The strongest player, and the stream from which it and its random moves are drawn."""
    return bind_player(player(strongest(game)), game, stream), stream


def _normalised(graph: Graph, weights: Policy) -> Policy:
    """Weights that add up to 1 in every position."""
    moves = np.diff(graph.edge_start)
    totals = np.add.reduceat(weights, graph.edge_start[:-1][moves > 0])
    normalised: Policy = weights / np.repeat(totals, moves[moves > 0])
    return normalised
