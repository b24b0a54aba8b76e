"""Boards on a page: every one as slices of buttons, those of three dimensions also as a scene."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nicegui import ui
from nicegui.element import Element

from inarow.game import Game
from inarow.game.notation import is_compact
from inarow.ui.play_words import rules
from inarow.ui.web.boards_3d import Scene, has_scene
from inarow.ui.web.cells import Cell, layout_of

STYLE = Path(__file__).with_name("board.css")
Play = Callable[[int], None]


class Board(Element, component="board.js"):
    """The slices of a board; `on_play` is told the move of a cell that is pressed."""

    def __init__(self, on_play: Play, lights: bool = False) -> None:
        super().__init__()
        self.lights = lights  # lines light up on flat boards, too
        self.on("play", lambda event: on_play(_number(event.args)))

    def show(self, game: Game, cells: list[Cell], to_move: int) -> None:
        """Draws cells of a game."""
        self._props["layout"] = layout_of(game)
        self._props["cells"] = cells
        self._props["discs"] = game.gravity or len(game.shape) == 3
        self._props["turn"] = to_move
        self._props["label"] = rules(game)
        self._props["lines"] = {"shape": game.shape, "k": game.k, "wrap": game.wrap}
        self._props["lights"] = self.lights or len(game.shape) > 2
        self._props["digits"] = len(game.move_shape) if is_compact(game) else 0
        self.update()


class BoardArea:
    """The place of the board: made anew for another game, only changed for another position."""

    def __init__(self, on_play: Play, lights: bool = False) -> None:
        self.on_play, self.lights = on_play, lights
        self.place = ui.element("div").classes("w-full flex flex-wrap justify-center gap-4")
        self.game: Game | None = None
        self.board: Board | None = None
        self.scene: Scene | None = None

    def draw(self, game: Game, cells: list[Cell], to_move: int) -> None:
        """Shows the cells of a game; under the pointer, the stone of whoever is to move."""
        if self.board is None or game != self.game:
            self.game, self.board = game, self._make(game)
        self.board.show(game, cells, to_move)
        if self.scene is not None:
            self.scene.show(cells)

    def _make(self, game: Game) -> Board:
        self.place.clear()
        self.scene = None
        with self.place:
            if has_scene(game):
                self.scene = Scene(game, self.on_play)
            with ui.element("div").classes("grow basis-80 min-w-0"):
                return Board(self.on_play, self.lights)


def _number(sent: object) -> int:
    """A browser may send anything."""
    return sent if isinstance(sent, int) and not isinstance(sent, bool) else -1
