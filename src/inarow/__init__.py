"""inarow: a laboratory for learning to play games of lines."""

from inarow.game import Game, InputError, Outcome, Position, game

__version__ = "0.1.0"

__all__ = ["Game", "InputError", "Outcome", "Position", "__version__", "game"]
