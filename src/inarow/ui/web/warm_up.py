"""What visitors will need is compiled, or read from its cache, before the first of them asks."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from threading import Timer

from inarow.engine.streams import make_stream
from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.lab.move_values import estimate, exact, hint
from inarow.lab.players import Player, ask, bind_player, player
from inarow.lab.training import train
from inarow.search.solver import solver_for

# A game, and players of whom each stands for a kind; the moves lead past book and replies.
MEETINGS = {
    "tictactoe": ("", ("perfect", "random", "minimax:2@central")),
    "connect4:6x7": ("44444352622617", ("perfect", "ntuple", "ntuple:4", "minimax:2@central")),
    "cube": ("11 22 33", ("benchmark", "minimax:2@central")),
}

PATIENCE = 4.0  # seconds; from the cache it takes less, and there is nothing to say
NOTICE = "The first start compiles the players: for about a minute moves take longer."

log = logging.getLogger(__name__)


def warm_up() -> None:
    """Lets every kind of player make a move and estimate all moves. It may take a minute, once."""
    notice = Timer(PATIENCE, print, [NOTICE], {"flush": True})
    notice.daemon = True
    notice.start()
    try:
        solver_for(game_of("connect4:6x7")).make_ready()  # for perfect play past its book
        for name, (moves, players) in MEETINGS.items():
            _meet(game_of(name), moves, [player(name) for name in players])
        learned = train("tictactoe", "td", against="attack-defense", games=1000).agent
        _meet(learned.game, "", [learned])
    except InputError:
        log.exception("cannot get ready")
    finally:
        notice.cancel()


def _meet(game: Game, moves: str, players: Sequence[Player]) -> None:
    for some_player in players:
        position = game.position(moves)
        ask(bind_player(some_player, game, make_stream(0)), position)
        estimate(some_player, position)
    exact(game.position(moves))
    hint(game.position(moves))
