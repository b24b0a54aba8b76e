"""A board to play on in a notebook, where anywidget is installed; else its picture.

    from inarow.adapters.notebook import board

    game = board("connect4:6x7", "minimax:6")
    game                # play on it
    game.position       # what has been played, in Python

The player's compiled code runs in the browser, as on the project's pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from inarow.game import Game, InputError, Position
from inarow.game import game as game_of
from inarow.game.position import SIDES, moves_text, parse_moves
from inarow.web.package import package
from inarow.web.page import embedded, notebook_script, styles, worker_text


class Picture:
    """The board as a notebook without anywidget shows it."""

    def __init__(self, game: Game, moves: Sequence[int]) -> None:
        self.game, self.moves = game, moves_text(game, moves)

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.game.position(self.moves)

    def _repr_html_(self) -> str:
        note = "<p>To play here, install anywidget: pip install anywidget</p>"
        return self.position.svg() + note


def board(
    game: str | Game, player: str | None = None, side: str = "first", moves: str = ""
) -> Any:  # a widget, whose class exists only where anywidget does
    """A board against a player, or for two people; `side` is yours.

    Its `moves` and `position` follow what is played.
    """
    chosen = game_of(game)
    if side not in (*SIDES, "both"):
        raise InputError(f"side {side!r} must be first, second or both")
    played = parse_moves(chosen, moves)
    chosen.position(moves)  # refuses moves that are not legal
    if find_spec("anywidget") is None:
        return Picture(chosen, played)
    packed = package(chosen, player, solver=True)
    return _widget_class()(
        game=chosen.name,
        player=player or "",
        side=side,
        moves=moves_text(chosen, played),
        _package=embedded(packed),
    )


@lru_cache(maxsize=1)
def _widget_class() -> Any:
    """The class of boards; anywidget is imported only here."""
    import anywidget
    import traitlets

    class Board(anywidget.AnyWidget):  # type: ignore[misc]  # its types are not known here
        """A board; `moves` are those that were played on it."""

        _esm = notebook_script()
        _css = styles()
        game = traitlets.Unicode().tag(sync=True)
        player = traitlets.Unicode().tag(sync=True)
        side = traitlets.Unicode("first").tag(sync=True)
        moves = traitlets.Unicode().tag(sync=True)
        _package = traitlets.Unicode().tag(sync=True)
        _worker = traitlets.Unicode(worker_text()).tag(sync=True)
        _played = traitlets.List(traitlets.Int()).tag(sync=True)

        @traitlets.observe("_played")  # type: ignore[untyped-decorator]  # likewise
        def _follow(self, change: Any) -> None:
            self.moves = moves_text(game_of(self.game), change["new"])

        @property
        def position(self) -> Position:
            """The position on the board."""
            return game_of(self.game).position(self.moves)

    return Board
