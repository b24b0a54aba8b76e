"""What visitors will need is compiled, or read from its cache, before the first of them asks."""

from __future__ import annotations

import logging
from typing import Any

from inarow.engine.streams import make_stream
from inarow.game import Game, InputError
from inarow.game import game as game_of
from inarow.lab.opinions import exact, hint, opinion
from inarow.lab.players import ask, player, take_seat
from inarow.lab.training import train
from inarow.search.solver import solver_for

# A game, and players of whom each stands for a kind; the moves lead out of the book.
MEETINGS = {
    "tictactoe": ("", ("perfect", "random", "minimax:2@central")),
    "connect4:6x7": ("4444435262", ("perfect", "ntuple", "ntuple:4", "minimax:2@central")),
    "cube": ("11 22 33", ("benchmark", "minimax:2@central")),
}

log = logging.getLogger(__name__)


def warm_up() -> None:
    """Lets every kind of player make a move and hold an opinion. It may take a minute, once."""
    try:
        solver_for(game_of("connect4:6x7")).make_ready()  # for perfect play past its book
        for name, (moves, players) in MEETINGS.items():
            _meet(game_of(name), moves, [player(name) for name in players])
        learned = train("tictactoe", "td", against="attack-defense", games=1000).agent
        _meet(learned.game, "", [learned])
    except InputError:
        log.exception("cannot get ready")


def _meet(game: Game, moves: str, players: list[Any]) -> None:
    for some_player in players:
        position = game.position(moves)
        ask(take_seat(some_player, game, make_stream(0)), position)
        opinion(some_player, position)
    exact(game.position(moves))
    hint(game.position(moves))
