"""What visitors will need is compiled, or read from its cache, before the first of them asks."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from inarow.engine.bound_player import BoundPlayer
from inarow.engine.streams import make_stream
from inarow.game import EXAMPLES, Game, InputError
from inarow.game import game as game_of
from inarow.lab.move_values import estimate, exact, hint
from inarow.lab.player_protocols import AnyPlayer, ask, bind_player
from inarow.lab.players import player
from inarow.lab.training import train
from inarow.search.book import shipped_book
from inarow.search.solver import solver_for
from inarow.ui.web.agents import players_for

# Players of whom each stands for a kind; they meet where the catalogue has an opening to try.
KINDS = ("perfect", "ntuple", "ntuple:4", "minimax:2@central", "mcts:1000", "benchmark")

log = logging.getLogger(__name__)


def warm_up() -> None:
    """Lets every kind of player make a move and estimate all moves. It may take a minute, once."""
    try:
        for example in EXAMPLES:
            if example.opening is not None:
                game = game_of(example.name)
                if shipped_book(game) is not None:
                    solver_for(game).make_ready()  # for perfect play past its book
                kinds = [name for name in players_for(game) if name in KINDS]
                _meet(game, example.opening, [player(name) for name in kinds])
        learned = train("tictactoe", "td", against="attack-defense", games=1000).agent
        _meet(learned.game, "", [learned])
        BoundPlayer(learned, learned.game, make_stream(0)).moves(learned.game.position(""))
    except InputError:
        log.exception("cannot get ready")


def _meet(game: Game, moves: str, players: Sequence[AnyPlayer]) -> None:
    for some_player in players:
        position = game.position(moves)
        ask(bind_player(some_player, game, make_stream(0)), position)
        estimate(some_player, position)
    exact(game.position(moves))
    hint(game.position(moves))
