"""What a k-in-a-row game is: spec, names, lines, symmetries, positions, notation, drawing."""

from inarow.game.errors import InputError
from inarow.game.names import CATALOGUE, EXAMPLES, FORMS, game
from inarow.game.position import Outcome, Position
from inarow.game.spec import Game

__all__ = ["CATALOGUE", "EXAMPLES", "FORMS", "Game", "InputError", "Outcome", "Position", "game"]
