"""Boards on a page: every one as slices of buttons, those of three dimensions also as a scene."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from nicegui import ui
from nicegui.element import Element

from inarow.game import Game, Position
from inarow.ui.play_words import rules
from inarow.ui.web.boards_3d import Scene, has_scene
from inarow.ui.web.cells import Cell, describe_cells, describe_position, layout_of
from inarow.ui.web.session import Session

STYLE = Path(__file__).with_name("board.css")
Play = Callable[[int], None]


class Board(Element, component="board.js"):
    """The slices of a board; `on_play` is told the move of a cell that is pressed."""

    def __init__(self, on_play: Play) -> None:
        super().__init__()
        self.on("play", lambda event: on_play(_number(event.args)))

    def show(self, game: Game, cells: list[Cell], to_move: int) -> None:
        """Draws cells of a game."""
        self._props["layout"] = layout_of(game)
        self._props["cells"] = cells
        self._props["discs"] = game.gravity or len(game.shape) == 3
        self._props["turn"] = to_move
        self._props["label"] = rules(game)
        self.update()


class BoardArea:
    """The place of the board: made anew for another game, only changed for another position."""

    def __init__(self, session: Session, on_play: Play) -> None:
        self.session, self.on_play = session, on_play
        self.place = ui.element("div").classes("w-full flex flex-wrap justify-center gap-4")
        self.game: Game | None = None
        self.board: Board | None = None
        self.scene: Scene | None = None

    def draw(self, shown: Position | None = None) -> None:
        """Shows the table as it is now, or another position of its game, to look at only."""
        session = self.session
        if self.board is None or session.table.game != self.game:
            self.game = session.table.game
            self.board = self._make(self.game)
        cells = (
            describe_cells(
                session.table, session.insight, session.hints, session.values, session.preparing
            )
            if shown is None
            else describe_position(shown)
        )
        position = shown or session.table.position
        self.board.show(self.game, cells, position.to_move)
        if self.scene is not None:
            self.scene.show(cells)

    def _make(self, game: Game) -> Board:
        self.place.clear()
        self.scene = None
        with self.place:
            if has_scene(game):
                self.scene = Scene(game, self.on_play)
            with ui.element("div").classes("grow basis-80 min-w-0"):
                return Board(self.on_play)


def _number(sent: object) -> int:
    """A browser may send anything."""
    return sent if isinstance(sent, int) and not isinstance(sent, bool) else -1
