"""A position set up by hand: stones put and removed, or moves, or the record of a game."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import background_tasks, ui

from inarow.game import Game, InputError, Position
from inarow.game.records import parse_records
from inarow.game.setup import find_position
from inarow.game.text import SYMBOLS
from inarow.ui.game_in_play import GameInPlay
from inarow.ui.web.cells import Cell, describe_set_up
from inarow.ui.web.session import Session
from inarow.ui.web.settings import PERSON, Setting

REMOVE = 0
TOOLS = {1: "X", 2: "O", REMOVE: "Remove"}
LONGEST = 20_000  # characters of moves or of a record
HELP = "Press a cell to put a stone there; press it again to remove it."
FALLS = "Press a column to drop a stone into it; press a stone to remove it."


class SetUp:
    """The stones, and the tools beside the board; `redraw` is told of every change."""

    def __init__(self, session: Session, redraw: Callable[[], None]) -> None:
        self.session, self.redraw = session, redraw
        self.table: GameInPlay | None = None  # whose board is being changed; None while none is
        self.stones: list[int] = []
        self.position: Position | None = None  # that the stones make, if they make one
        self.problem = ""
        with ui.column().classes("items-center w-full gap-2") as self.place:
            self.message = ui.label().classes("text-base bad-box px-2 break-words")
            self.message.props('data-testid="set-up-problem" role="alert"')
            self.about = ui.label().classes("text-sm quiet text-center")
            with ui.row().classes("items-center justify-center gap-2"):
                self.tool = ui.toggle(TOOLS, value=1, on_change=redraw)
                self.tool.props('no-caps padding="4px 14px" data-testid="tool"')
                self.tool.props('aria-label="what a press puts"')
                _button("Clear", "clear", self._clear)
                _button("Cancel", "close", self.leave)
                self.play = _button("Play this position", "play_arrow", self._play)
                self.play.props(remove="outline")
            with ui.row().classes("items-center w-full max-w-md no-wrap gap-2"):
                self.text = ui.textarea("or paste moves, or the record of a game")
                self.text.props('dense outlined autogrow rows="1" data-testid="paste"')
                self.text.classes("grow")
                _button("Open", "file_open", self._open)

    def begin(self) -> None:
        """The board as it is shown becomes one to change."""
        self.table, self.stones = self.session.table, list(self.session.shown.stones)
        self.text.value = ""
        self._judge(self.session.shown, "")

    def leave(self) -> None:
        """Back to the game."""
        self.table = None
        self._redraw()

    def _redraw(self) -> None:
        if not self.place.is_deleted:  # somebody may have left the page meanwhile
            self.redraw()

    @property
    def active(self) -> bool:
        """Whether a position is being set up: a new game ends that."""
        return self.table is not None and self.table is self.session.table

    @property
    def game(self) -> Game:
        """Whose board it is."""
        return self.session.table.game

    @property
    def to_put(self) -> int:
        """The stone that a press puts: 1 or 2; 0 for none."""
        return int(self.tool.value or REMOVE)

    @property
    def cells(self) -> list[Cell]:
        """What the board shows."""
        return describe_set_up(self.game, self.stones)

    @property
    def status(self) -> str:
        """Who is to move, or how the game ended."""
        if self.position is None:
            return "Set up a position"
        outcome = self.position.outcome
        if outcome is not None:
            return f"The game is over: {outcome}"
        return f"{SYMBOLS[self.position.to_move]} to move"

    def draw(self) -> None:
        """Shows the tools while they are of use."""
        self.place.visible = self.active
        self.about.text = FALLS if self.game.gravity else HELP
        self.play.set_enabled(self.position is not None)
        self.message.text, self.message.visible = self.problem, bool(self.problem)

    def press(self, cell: int) -> None:
        """Puts a stone on a cell, or takes one off."""
        if not 0 <= cell < self.game.cells:
            return  # a browser may send anything
        put_stone(self.game, self.stones, cell, self.to_put)
        self._changed()

    def _clear(self) -> None:
        self.stones = [0] * len(self.stones)
        self._changed()

    def _changed(self) -> None:
        self.redraw()
        background_tasks.create(self._check())

    async def _check(self) -> None:
        """Finds moves that lead to the stones, or why there are none."""
        asked = list(self.stones)
        try:
            found, problem = await self.session.executors.soon(find_position, self.game, asked), ""
        except InputError as error:
            found, problem = None, str(error)
        if asked == self.stones:  # nothing was changed meanwhile
            self._judge(found, problem)

    def _judge(self, position: Position | None, problem: str) -> None:
        self.position, self.problem = position, problem
        self._redraw()

    async def _play(self) -> None:
        if self.position is not None:
            game, against, side = self.session.choice
            moves, stones = self.position.notation, self.position.ply
            await self._begin(Setting(game, against, side, None, moves, stones))

    async def _open(self) -> None:
        try:
            setting = setting_of(self.session.choice, str(self.text.value or ""))
        except InputError as error:
            self._judge(None, str(error))
            return
        await self._begin(setting)

    async def _begin(self, setting: Setting) -> None:
        try:
            await self.session.begin(setting)
        except InputError as error:
            self._judge(self.position, str(error))
            return
        self.leave()


def put_stone(game: Game, stones: list[int], cell: int, stone: int) -> None:
    """Changes what lies on a cell: the same stone again is taken off; stones fall where they do."""
    if stones[cell]:
        stones[cell] = 0 if stone in (0, stones[cell]) else stone
    elif stone and game.gravity:
        column = stones[cell % game.columns :: game.columns]
        if 0 in column:
            stones[column.index(0) * game.columns + cell % game.columns] = stone
    else:
        stones[cell] = stone
    if game.gravity:  # what lay above falls
        place = slice(cell % game.columns, None, game.columns)
        column = [held for held in stones[place] if held]
        stones[place] = column + [0] * (game.shape[0] - len(column))


def setting_of(choice: tuple[str, str, str], text: str) -> Setting:
    """The game that a text tells of: a record, or moves of the game that was chosen."""
    if len(text) > LONGEST:
        raise InputError(f"{len(text):,} characters are too many: at most {LONGEST:,}")
    game, against, side = choice
    if not text.strip().startswith("["):
        return Setting(game, against, side, None, text.strip())
    records = parse_records(text, "the record")
    if len(records) != 1:
        raise InputError(f"the text holds {len(records)} games: paste one")
    record = records[0]
    return Setting(
        record.game.name,
        PERSON,
        "first",
        None,
        record.position.notation,
        record.set_up,
        {"0-1": 1, "1-0": 2}.get(record.result) if record.position.outcome is None else None,
    )


def _button(
    text: str, icon: str, pressed: Callable[[], None] | Callable[[], Awaitable[None]]
) -> ui.button:
    button = ui.button(text, icon=icon, on_click=pressed)
    return button.props(
        f'outline no-caps padding="4px 12px" data-testid="{text.lower().replace(" ", "-")}"'
    )
