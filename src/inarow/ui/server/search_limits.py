"""How long searching players may think on a server: what takes longer is refused in a line."""

from __future__ import annotations

from typing import cast

from inarow.game import Game, InputError
from inarow.lab.players.protocols import AnyPlayer, Player, check_plays, name_of
from inarow.lab.values.move_values import quick_depth
from inarow.search.mcts import Mcts, TimedMcts
from inarow.search.minimax import TimedMinimax

MOST_SECONDS = 5.0  # that a search by the clock, or a visitor's agent, may take for a move
MOST_SIMULATIONS = 20_000  # of a tree search for a move, on small boards
MOST_WORK = 100_000_000  # of them all: lines through cells, for each simulation


def check_mcts(found: AnyPlayer, game: Game) -> Player:
    """A tree search, if its simulations are soon made and its tree is not too large."""
    timed = found if isinstance(found, TimedMcts) else None
    search = found if timed is None else timed.player
    assert isinstance(search, Mcts)
    most = quick_simulations(game)
    if timed is not None and timed.time_limit > MOST_SECONDS:
        raise InputError(f"{timed.name} takes too long: at most {MOST_SECONDS:g} s a move here")
    if search.simulations > (MOST_SIMULATIONS if timed else most):
        raise InputError(
            f"{name_of(found)} takes too long in {game.name}: the simulations are at most "
            f"{MOST_SIMULATIONS if timed else most:,} here"
        )
    check_plays(found, game)
    return cast(Player, found)


def quick_simulations(game: Game) -> int:
    """How many simulations a tree search may make for a move: in an instant, on a large board."""
    return max(100, min(MOST_SIMULATIONS, MOST_WORK // max(1, game.lines.size)))


def check_minimax(found: TimedMinimax, game: Game) -> None:
    """Says so if a minimax would think for too long."""
    most = quick_depth(game) + 1
    if found.time_limit is None and found.depth > most:
        raise InputError(
            f"{found.name} takes too long in {game.name}: the depth is at most {most} here, "
            f"or give a time, as in minimax:{found.depth}/1s"
        )
    if found.time_limit is not None and found.time_limit > MOST_SECONDS:
        raise InputError(f"{found.name} takes too long: at most {MOST_SECONDS:g} s a move here")
