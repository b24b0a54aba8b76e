"""The page Boards: a game put together from its parts, with a picture of it while that is done.

What is built is a name, the one description of a game that every part of the project reads.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from urllib.parse import urlencode

import numpy as np
from nicegui import background_tasks, ui

from inarow.game import EXAMPLES, Game, InputError, Position
from inarow.game.catalogue import FORMS, VARIANTS
from inarow.game.spec import MAX_SIDES
from inarow.ui.play_words import rules
from inarow.ui.web.agents import check_fits, check_game
from inarow.ui.web.boards import STYLE, BoardArea
from inarow.ui.web.cells import describe_position
from inarow.ui.web.fields import whole
from inarow.ui.web.play_form import GAMES, OTHER
from inarow.ui.web.site import Site
from inarow.ui.web.theme import heading

FIRST = "connect4:6x7"
FLAGS = {
    "gravity": "Gravity: stones fall",
    "scoring": "Scoring: every line counts",
    "misere": "Misère: a line loses",
}
VALUES = {"first": "the first player wins", "second": "the second player wins", "draw": "a draw"}


def build(site: Site) -> None:
    """Fills the page; a link may name the game to begin with: /boards?game=cube."""
    ui.add_css(STYLE)
    asked = ui.context.client.request.query_params.get("game", "")
    BuilderPage(site).begin(asked or FIRST)


class BuilderPage:
    """The fields, the picture, and where to go with the result."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.filling = True  # the fields are being set: nobody has changed them
        self.asked = 0  # pictures asked for
        self.sides: list[ui.input] = []
        self.wraps: list[ui.checkbox] = []
        with ui.row().classes("w-full items-start gap-4"):
            with ui.column().classes("basis-72 grow md:grow-0 md:w-96 min-w-0 gap-3"):
                self._build_fields()
            with ui.column().classes("grow basis-96 min-w-0 gap-3"):
                self._build_picture()
        self._build_names()

    def _build_fields(self) -> None:
        with ui.card().classes("w-full gap-2"):
            heading("Build a board")
            self.example = ui.select(GAMES, label="Begin with", value=OTHER)
            self.example.on_value_change(self._example_chosen)
            self.example.props('dense outlined options-dense data-testid="example"')
            self.example.classes("w-full")
            self.name = ui.input("Name of the game", on_change=self._name_typed)
            self.name.props('dense outlined data-testid="board-name"').classes("w-full")
            dimensions = {str(number): str(number) for number in range(1, MAX_SIDES + 1)}
            with ui.row().classes("w-full no-wrap gap-2"):
                self.dimensions = ui.select(
                    dimensions, label="Dimensions", value="2", on_change=self._dimensions_chosen
                )
                self.dimensions.props('dense outlined options-dense data-testid="dimensions"')
                self.k = _number("In a row", "k", "4", self._changed)
                for field in (self.dimensions, self.k):
                    field.classes("grow basis-0")
            self.side_place = ui.row().classes("w-full gap-2")
            self.flags = {
                name: ui.checkbox(text, on_change=self._changed).props(
                    f'dense data-testid="{name}"'
                )
                for name, text in FLAGS.items()
            }
            self.message = ui.label().classes("text-sm bad break-words")
            self.message.props('data-testid="board-message" role="status"')

    def _build_picture(self) -> None:
        with ui.card().classes("w-full items-center gap-2"):
            self.title = heading("").classes("text-center break-words")
            self.title.props('data-testid="board-title"')
            self.facts = ui.label().classes("text-sm quiet text-center")
            self.facts.props('data-testid="board-facts"')
            with ui.row().classes("justify-center gap-2") as self.ways:
                self.play = _link_button("Play", "play_arrow", "play-board")
                self.train = _link_button("Train", "model_training", "train-board")
            self.area = BoardArea(lambda _: None, lights=True)
            ui.label("Point at a cell to see the lines through it.").classes("text-sm quiet")

    def _build_names(self) -> None:
        with ui.expansion("How games are named").classes("w-full").props('duration="0"'):
            ends = {f",{end}": about for end, about in VARIANTS.items()}
            for form, about in {**FORMS, **ends}.items():
                ui.markdown(f"`{form}` {about}").classes("text-sm")

    def begin(self, name: str) -> None:
        """Shows a game; what is not one is said."""
        self.name.value = name
        self.filling = False
        self._name_typed()

    # What a visitor changes

    def _example_chosen(self) -> None:
        if not self.filling and self.example.value:
            self.name.value = str(self.example.value)

    def _name_typed(self) -> None:
        """The fields say what the name says."""
        if self.filling:
            return
        try:
            game = check_game(str(self.name.value or "").strip())
        except InputError as error:
            self._refuse(str(error))
            return
        self._fill(game)
        self._show(game)

    def _dimensions_chosen(self) -> None:
        """More sides are as long as the last; the rest stay."""
        if self.filling:
            return
        count, texts = int(self.dimensions.value), [str(side.value) for side in self.sides]
        wraps = [bool(wrap.value) for wrap in self.wraps]
        self._make_sides((texts + [texts[-1]] * count)[:count], (wraps + [False] * count)[:count])
        self._changed()

    def _changed(self) -> None:
        """The name says what the fields say."""
        if self.filling:
            return
        try:
            game = self._described()
        except InputError as error:
            self._refuse(str(error))
            return
        self.filling = True
        self.name.value = game.name
        self.filling = False
        self._name_sides()
        self._show(game)

    def _described(self) -> Game:
        """The game that the fields describe, if a page can show it."""
        game = Game(
            tuple(whole(side) for side in self.sides),
            whole(self.k),
            wrap=tuple(axis for axis, wrap in enumerate(self.wraps) if wrap.value),
            gravity=bool(self.flags["gravity"].value),
            scoring=bool(self.flags["scoring"].value),
            misere=bool(self.flags["misere"].value),
        )
        check_fits(game)
        return game

    # What the page shows

    def _fill(self, game: Game) -> None:
        self.filling = True
        self.dimensions.value, self.k.value = str(len(game.shape)), str(game.k)
        wraps = [axis in game.wrap for axis in range(len(game.shape))]
        if [str(side.value) for side in self.sides] != [str(side) for side in game.shape] or [
            wrap.value for wrap in self.wraps
        ] != wraps:
            self._make_sides([str(side) for side in game.shape], wraps)
        for name, flag in self.flags.items():
            flag.value = bool(getattr(game, name))
        self._name_sides()
        self.filling = False

    def _make_sides(self, texts: list[str], wraps: list[bool]) -> None:
        self.side_place.clear()
        self.sides, self.wraps = [], []
        with self.side_place:
            for axis, (text, wrapped) in enumerate(zip(texts, wraps, strict=True)):
                with ui.column().classes("gap-0 w-20"):
                    self.sides.append(_number("", f"side-{axis}", text, self._changed))
                    box = ui.checkbox("wraps", value=wrapped, on_change=self._changed)
                    self.wraps.append(box.props(f'dense size="xs" data-testid="wrap-{axis}"'))
        self._name_sides()

    def _name_sides(self) -> None:
        """Sides are called as people call them: height, rows, columns; others by a number."""
        names = [f"Side {axis + 1}" for axis in range(len(self.sides))]
        if 2 <= len(names) <= 3:
            names[-2:] = ["Rows", "Columns"]
        if self.flags["gravity"].value:
            names[0] = "Height"
        for side, wrap, name in zip(self.sides, self.wraps, names, strict=True):
            side.label = name
            wrap.props(f'aria-label="{name} wraps"')

    def _show(self, game: Game) -> None:
        """The picture, when what there is to say of it is known."""
        self._say("")
        self.asked += 1
        asked = self.asked

        async def work() -> None:
            facts, wrong = "", ""
            try:
                facts = await self.site.executors.soon(facts_of, game)
            except InputError as error:
                wrong = str(error)
            if asked != self.asked or self.message.is_deleted:
                return  # something else is shown by now, or nothing any more
            self._say(wrong)
            if not wrong:
                self._draw(game, facts)

        background_tasks.create(work())

    def _draw(self, game: Game, facts: str) -> None:
        self.title.content = escape(rules(game))
        self.facts.text = facts
        asked = urlencode({"game": game.name})
        self.play.props(f'href="/?{asked}"')
        self.train.props(f'href="/train?{asked}"')
        self.filling = True
        self.example.value = game.name if game.name in GAMES else OTHER
        self.filling = False
        self.area.draw(game, describe_position(Position(game)), 1)

    def _refuse(self, line: str) -> None:
        """Says what is wrong; no picture that is still to come takes that back."""
        self.asked += 1
        self._say(line)

    def _say(self, line: str) -> None:
        self.message.text = line
        self.ways.visible = not line


def facts_of(game: Game) -> str:
    """What follows from the description of a game."""
    through = np.diff(game.lines_by_cell[0])
    least, most, lines = int(through.min()), int(through.max()), len(game.lines)
    each = f"a cell is on {least} to {most} lines" if least != most else f"every cell is on {most}"
    facts = f"{game.cells:,} cells, {lines:,} line{'s'[: lines != 1]} of {game.k}; {each}."
    known = next((e.value for e in EXAMPLES if e.name == game.name and e.value), None)
    return f"{facts} Under perfect play: {VALUES[known]}." if known else facts


def _number(label: str, mark: str, value: str, changed: Callable[[], None]) -> ui.input:
    field = ui.input(label, value=value, on_change=changed)
    return field.props(f'dense outlined type="number" min="1" data-testid="{mark}"')


def _link_button(text: str, icon: str, mark: str) -> ui.button:
    return ui.button(text, icon=icon).props(f'no-caps data-testid="{mark}"')
